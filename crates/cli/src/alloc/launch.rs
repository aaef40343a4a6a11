//! Runs a program and waits for its end, whatever signals come meanwhile.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, NulError, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};
use std::thread;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::unistd::Pid;
use rustix::process::{WaitOptions, waitpid};

use super::NOT_STARTED;

/// What the exit code is more than the number of the signal that ended a program, as a shell has it.
const BY_SIGNAL: i32 = 128;
/// Signals that the terminal sends to all programs in it, ours and the command.
const KEYS: [Signal; 2] = [Signal::SIGINT, Signal::SIGQUIT];
/// Signals that are sent to one, and handed on.
const OTHERS: [Signal; 2] = [Signal::SIGTERM, Signal::SIGHUP];

/// How the program ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended(ExitStatus);

impl Ended {
    /// Its exit code, as a shell has it.
    pub(super) fn exit_code(self) -> ExitCode {
        let code = self.0.code().or_else(|| Some(BY_SIGNAL + self.0.signal()?));
        ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(NOT_STARTED))
    }

    /// In words: "exit code 0".
    pub(super) fn describe(self) -> String {
        match self.0.signal() {
            Some(number) => match Signal::try_from(number) {
                Ok(signal) => format!("signal {number} ({signal})"),
                Err(_) => format!("signal {number}"),
            },
            None => format!("exit code {}", self.0.code().unwrap_or_default()),
        }
    }

    /// Whether it was by a signal.
    pub(super) fn is_by_signal(self) -> bool {
        self.0.signal().is_some()
    }
}

/// Runs a program to its end, with these variables besides those of ours. The signals that would end us are for the program: those of keys it gets by itself, the others are handed on.
///
/// # Errors
/// It could not be started.
pub(super) fn run(
    program: &OsStr,
    arguments: &[OsString],
    variables: &[(&str, OsString)],
) -> io::Result<Ended> {
    let signals: SigSet = KEYS.into_iter().chain(OTHERS).collect();
    let kept_before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let id = spawn(program, arguments, variables, &kept_before)?;
    thread::spawn(move || {
        while let Ok(signal) = signals.wait() {
            if OTHERS.contains(&signal) {
                // It may be over already; then we are, soon.
                let _ = kill(id, signal);
            }
        }
    });
    let id = rustix::process::Pid::from_raw(id.as_raw());
    loop {
        match waitpid(id, WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(Ended(ExitStatus::from_raw(status.as_raw()))),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Starts it as if we had never touched a signal. The standard library's way leaves those blocked that we block.
fn spawn(
    program: &OsStr,
    arguments: &[OsString],
    variables: &[(&str, OsString)],
    kept: &SigSet,
) -> io::Result<Pid> {
    let mut attributes = PosixSpawnAttr::init()?;
    let of_signals =
        [PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK, PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF];
    attributes.set_flags(of_signals.into_iter().collect())?;
    attributes.set_sigmask(kept)?;
    // Rust's programs ignore it.
    attributes.set_sigdefault(&SigSet::from(Signal::SIGPIPE))?;
    let mut environment: BTreeMap<OsString, OsString> = env::vars_os().collect();
    environment.extend(variables.iter().map(|(name, value)| (name.into(), value.clone())));
    let environment = environment.into_iter().map(|(mut name, value)| {
        name.push("=");
        name.push(value);
        c_string(&name)
    });
    let arguments = std::iter::once(program).chain(arguments.iter().map(OsString::as_os_str));
    let pid = posix_spawnp(
        &c_string(program)?,
        &PosixSpawnFileActions::init()?,
        &attributes,
        &arguments.map(c_string).collect::<Result<Vec<_>, _>>()?,
        &environment.collect::<Result<Vec<_>, _>>()?,
    );
    Ok(pid?)
}

fn c_string(text: &OsStr) -> Result<CString, NulError> {
    CString::new(text.as_bytes())
}
