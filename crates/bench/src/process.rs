//! Running a program that measures itself, and reading what it prints.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A script that takes longer hangs: it runs for well under a second.
const LIMIT: Duration = Duration::from_secs(60);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_an_error_with_its_words() {
        let error = output(Command::new("sh").args(["-c", "echo why >&2; exit 3"]));
        assert!(error.unwrap_err().contains("why"));
    }
}
