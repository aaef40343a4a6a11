//! Compiles the library that `vaquita alloc` has a program load before all others; the program carries it in itself, and needs no compiler when it runs.

use std::env;
use std::path::Path;
use std::process::ExitCode;

const SOURCES: [&str; 4] = ["c_library.c", "counts.c", "dlopen.c", "zend.c"];
/// What this library has of the compiler's own is nobody else's: a program with another unwinder keeps that.
const ALONE: [&str; 4] =
    ["-shared", "-static-libgcc", "-Wl,--exclude-libs,ALL", "-Wl,-z,relro,-z,now"];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=preload");
    let Some(out) = env::var_os("OUT_DIR") else {
        println!("cargo::error=OUT_DIR is not set: this is run by cargo");
        return ExitCode::FAILURE;
    };
    let mut compiler = cc::Build::new();
    compiler.opt_level(2).debug(false).pic(true).warnings(true).extra_warnings(true);
    let mut command = compiler.get_compiler().to_command();
    command.args(ALONE).arg("-o").arg(Path::new(&out).join("preload.so"));
    command.args(SOURCES.map(|source| Path::new("preload").join(source)));
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            println!("cargo::error=the C compiler: {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("cargo::error={}: {error}", command.get_program().display());
            ExitCode::FAILURE
        }
    }
}
