//! Running a program that measures itself, and reading what it prints.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A script that takes longer hangs: it runs for well under a second.
const LIMIT: Duration = Duration::from_secs(60);
/// The unit of the CPU times in `/proc/PID/stat`: USER_HZ, which is 100 on every architecture that PHP's users have (proc(5), `getconf CLK_TCK`).
const TICK_MS: f64 = 10.0;

/// Runs a command to its end, and gives back what it printed. The child is in our process group, so a Ctrl-C ends it with us.
///
/// # Errors
/// If it fails, hangs, or prints errors.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let streams = read_within_limit(&mut child);
    if streams.is_none() {
        child.kill().map_err(|error| error.to_string())?;
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let Some((stdout, stderr)) = streams else {
        return Err(format!("it did not end within {} seconds", LIMIT.as_secs()));
    };
    if !status.success() || !stderr.is_empty() {
        return Err(format!("{status}\n{stdout}{stderr}"));
    }
    Ok(stdout)
}

/// Both outputs up to their ends, or `None` if the time is over before.
fn read_within_limit(child: &mut Child) -> Option<(String, String)> {
    let (sender, receiver) = mpsc::channel();
    let mut stdout = child.stdout.take()?;
    let mut stderr = child.stderr.take()?;
    thread::spawn(move || {
        let errors = thread::spawn(move || read_all(&mut stderr));
        let output = read_all(&mut stdout);
        // The receiver may have given up.
        let _ = sender.send((output, errors.join().unwrap_or_default()));
    });
    receiver.recv_timeout(LIMIT).ok()
}

fn read_all(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    // What came before an error is all that there is to show.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads the one line that a script reports.
///
/// # Errors
/// It is anything else.
pub(crate) fn parse(line: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| format!("unexpected output ({error}): {line}"))
}

/// A number of a report.
///
/// # Errors
/// There is none.
pub(crate) fn number(report: &Value, key: &str) -> Result<f64, String> {
    report.get(key).and_then(Value::as_f64).ok_or_else(|| format!("no {key} in its report"))
}

/// A number that is all of a text.
///
/// # Errors
/// It is something else.
pub(crate) fn number_of(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("not a number: {text}"))
}

/// The CPU time that a process has had, user and system, in milliseconds; its children's is not in it.
///
/// # Errors
/// It is no more.
pub(crate) fn cpu_ms(pid: &str) -> Result<f64, String> {
    let path = format!("/proc/{pid}/stat");
    let stat = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    cpu_ms_of(&stat).ok_or_else(|| format!("unexpected {path}: {stat}"))
}

/// The CPU time in a `/proc/PID/stat`: its 14th and 15th fields. The second is a name in parentheses, which may have anything in it.
fn cpu_ms_of(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map_while(|field| field.parse().ok());
    let (user, system): (u32, u32) = (times.next()?, times.next()?);
    Some((f64::from(user) + f64::from(system)) * TICK_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_that_of_user_and_system() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 4011 0 2 0 150 25 0 0 20 0 9 0 2405 1 2";
        assert_eq!(cpu_ms_of(stat), Some(1750.0));
        assert_eq!(cpu_ms_of("7 (a) S 1 7 7"), None);
        assert_eq!(cpu_ms_of(""), None);
    }

    #[test]
    fn a_failing_command_is_an_error_with_its_words() {
        let error = output(Command::new("sh").args(["-c", "echo why >&2; exit 3"]));
        assert!(error.unwrap_err().contains("why"));
    }
}
