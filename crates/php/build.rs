//! Makes what the crate needs from the installed PHP: the bindings of its headers and the tables of our stubs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=PHP_CONFIG");
    println!("cargo:rerun-if-changed=build/headers.h");

    let out = PathBuf::from(
        env::var_os("OUT_DIR")
            .unwrap_or_else(|| fail("OUT_DIR is not set: this is for cargo to run")),
    );
    let include = include_dir();
    let folders = ["", "/main", "/TSRM", "/Zend", "/ext"].map(|part| format!("{include}{part}"));
    choose_layout(&include);
    choose_abilities(&include);

    let mut bindings = bindgen::Builder::default()
        .header("build/headers.h")
        .allowlist_file(format!("{include}/.*"))
        .blocklist_function("zend_signal.*")
        .blocklist_type("max_align_t")
        .wrap_unsafe_ops(true)
        .derive_default(false)
        .derive_debug(false)
        .layout_tests(false)
        .generate_comments(false)
        .formatter(bindgen::Formatter::None);
    for folder in &folders {
        bindings = bindings.clang_arg(format!("-I{folder}"));
    }
    let bindings = bindings.generate().unwrap_or_else(|error| {
        fail(&format!("bindgen could not read PHP's headers in {include}: {error}"))
    });
    fs::write(out.join("bindings.rs"), bindings.to_string())
        .unwrap_or_else(|error| fail(&format!("could not write the bindings: {error}")));

    write_tables(&out, &include);

    // PHP never unloads what has registered several modules; see src/lib.rs. Nor may it: a thread that looks up a name may outlive its
    // connection (client's look_up.rs).
    println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
}

/// Sets php_zts and php_debug as the headers in `include` say: what Zend calls and where its globals are differs then.
fn choose_layout(include: &str) {
    let header = format!("{include}/main/php_config.h");
    println!("cargo:rerun-if-changed={header}");
    let text =
        fs::read_to_string(&header).unwrap_or_else(|error| fail(&format!("{header}: {error}")));
    for (macro_name, cfg) in [("ZTS", "php_zts"), ("ZEND_DEBUG", "php_debug")] {
        println!("cargo:rustc-check-cfg=cfg({cfg})");
        let is_on =
            text.lines().any(|line| line.split_whitespace().eq(["#define", macro_name, "1"]));
        if is_on {
            println!("cargo:rustc-cfg={cfg}");
        }
    }
}

/// Sets what later versions of PHP can do besides: php_typed_constants (8.3), and php_pdo_classes (8.4: PDO has a class for each driver, and
/// a driver finds the placeholders itself).
fn choose_abilities(include: &str) {
    for (header, word, cfg) in [
        ("Zend/zend_API.h", "zend_declare_typed_class_constant", "php_typed_constants"),
        ("ext/pdo/php_pdo_driver.h", "php_pdo_register_driver_specific_ce", "php_pdo_classes"),
    ] {
        let path = format!("{include}/{header}");
        println!("cargo:rerun-if-changed={path}");
        println!("cargo:rustc-check-cfg=cfg({cfg})");
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| fail(&format!("{path}: {error}")));
        if text.contains(word) {
            println!("cargo:rustc-cfg={cfg}");
        }
    }
}

/// Makes Zend's tables of the stubs, for the PHP whose headers are in `include`.
fn write_tables(out: &Path, include: &str) {
    let header = format!("{include}/main/php_version.h");
    let read = |path: &str| {
        println!("cargo:rerun-if-changed={path}");
        fs::read_to_string(path).unwrap_or_else(|error| fail(&format!("{path}: {error}")))
    };
    let target = vaquita_stub_gen::Target::of_header(&read(&header))
        .unwrap_or_else(|| fail(&format!("{header} does not define PHP_VERSION_ID")));
    for module in ["mysqli", "pdo_mysql", "vaquita", "memcache"] {
        let stub = format!("stubs/{module}.stub.php");
        let tables = vaquita_stub_gen::generate(&read(&stub), target).unwrap_or_else(|error| {
            fail(&format!("crates/php/{stub}:{}: {}", error.line, error.message))
        });
        fs::write(out.join(format!("{module}_tables.rs")), tables)
            .unwrap_or_else(|error| fail(&format!("could not write the tables: {error}")));
    }
}

/// The folder of PHP's headers, as `php-config` (or the program that PHP_CONFIG names) tells it.
fn include_dir() -> String {
    let program = env::var("PHP_CONFIG").unwrap_or_else(|_| "php-config".to_owned());
    let answer = Command::new(&program).arg("--include-dir").output();
    match answer {
        Ok(answer) if answer.status.success() => {
            String::from_utf8_lossy(&answer.stdout).trim().to_owned()
        }
        _ => fail(&format!(
            "{program} did not answer: install PHP's headers (Debian: php8.2-dev; or VAQUITA_PHP_VERSION=8.4 scripts/build), or name its php-config in PHP_CONFIG"
        )),
    }
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    std::process::exit(1)
}
