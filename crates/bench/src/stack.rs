//! One of the two things compared: a PHP command. Runs a script on it in a fresh process and reads what the script reports.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process::{number, output, parse};
use crate::processors::Processors;
use crate::server::Server;

/// Whose MySQL driver a PHP has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    /// PHP's own: mysqlnd, mysqli and pdo_mysql.
    Stock,
    /// This project's.
    Vaquita,
}

/// A PHP command and the driver that it is said to have.
pub(crate) struct Stack {
    driver: Driver,
    php: PathBuf,
    /// Where it runs, if that is not left to the system.
    processors: Option<Processors>,
    /// Settings of its own, each `NAME=VALUE`.
    settings: Vec<String>,
}

/// What one run of the script reports: the figures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measurement {
    /// The number of rows.
    pub(crate) rows: u64,
    /// The hash of all values.
    pub(crate) digest: String,
    /// From the query until the array is complete, in milliseconds.
    pub(crate) wall_ms: f64,
    /// The CPU time of the process for the same, user and system, in milliseconds.
    pub(crate) cpu_ms: f64,
    /// The most memory that the process had until then, in KiB.
    pub(crate) peak_rss_kib: f64,
}

impl Stack {
    /// Names a PHP command; nothing is started yet.
    pub(crate) fn new(driver: Driver, php: &Path) -> Self {
        Self { driver, php: php.to_owned(), processors: None, settings: Vec::new() }
    }

    /// The same on a processor of its own.
    pub(crate) fn on(self, processors: Option<&Processors>) -> Self {
        Self { processors: processors.cloned(), ..self }
    }

    /// The same with settings of its own, each `NAME=VALUE`.
    pub(crate) fn with_settings(&self, settings: &[String]) -> Self {
        let (php, processors) = (self.php.clone(), self.processors.clone());
        Self { driver: self.driver, php, processors, settings: settings.to_vec() }
    }

    /// Tells the versions, such as "PHP 8.2.35, mysqlnd 8.2.35".
    ///
    /// # Errors
    /// If the command does not run, or has the other driver: the comparison would be worthless.
    pub(crate) fn describe(&self) -> Result<String, String> {
        let code = "echo json_encode(['php' => PHP_VERSION, 'vaquita' => phpversion('vaquita'), \
            'client' => extension_loaded('mysqli') ? mysqli_get_client_info() : null]);";
        let answer = parse(&self.output(self.command().args(["-r", code]))?)?;
        let text = |key: &str| answer.get(key).and_then(Value::as_str);
        let php = text("php").unwrap_or("unknown");
        match (self.driver, text("vaquita"), text("client")) {
            (Driver::Stock, None, Some(client)) => Ok(format!("PHP {php}, {client}")),
            (Driver::Vaquita, Some(version), Some(_)) => {
                Ok(format!("PHP {php}, Vaquita {version}"))
            }
            (Driver::Stock, Some(_), _) => {
                Err(format!("{} is meant as stock, but has Vaquita loaded", self.php.display()))
            }
            (Driver::Vaquita, None, _) => {
                Err(format!("{} is meant to have Vaquita, but has not", self.php.display()))
            }
            (_, _, None) => Err(format!("{} has no mysqli", self.php.display())),
        }
    }

    /// Fetches the table one way.
    ///
    /// # Errors
    /// If the script fails, hangs, or prints anything else than its one line.
    pub(crate) fn fetch(
        &self,
        script: &Path,
        way: &str,
        server: &Server,
    ) -> Result<Measurement, String> {
        let mut command = self.command();
        server.describe_to(command.arg(script).arg(way));
        Measurement::read(&self.output(&mut command)?).map_err(|error| self.blame(&error))
    }

    /// Runs a script with these arguments, and gives back what it prints.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub(crate) fn run(
        &self,
        script: &Path,
        arguments: &[&str],
        server: &Server,
    ) -> Result<String, String> {
        let mut command = self.command();
        server.describe_to(command.arg(script).args(arguments));
        self.output(&mut command)
    }

    /// Runs statements, and gives back the first value of the last one's rows.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub(crate) fn sql(&self, server: &Server, statements: &[&str]) -> Result<String, String> {
        let code = "$db = new mysqli(getenv('MYSQL_HOST'), getenv('MYSQL_USER'), getenv('MYSQL_PASSWORD'), \
            getenv('MYSQL_DATABASE'), (int) getenv('MYSQL_PORT'), getenv('MYSQL_SOCKET') ?: null);
            foreach (array_slice($argv, 1) as $sql) { $result = $db->query($sql); }
            echo is_object($result) ? $result->fetch_row()[0] : '';";
        let mut command = self.command();
        server.describe_to(command.args(["-r", code, "--"]).args(statements));
        self.output(&mut command)
    }

    /// The peak memory of a process that runs the script without fetching anything, in KiB.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub(crate) fn idle_rss_kib(&self, script: &Path) -> Result<f64, String> {
        let line = self.output(self.command().arg(script).arg("idle"))?;
        parse(&line).and_then(|report| number(&report, "peak_rss_kib"))
    }

    /// The calls that a script knows.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub(crate) fn calls(&self, script: &Path) -> Result<Vec<String>, String> {
        let list = self.output(self.command().arg(script))?;
        Ok(list.lines().map(str::to_owned).collect())
    }

    /// How many instructions a process of its own needs for a script that prints nothing.
    ///
    /// # Errors
    /// As [`Self::fetch`]; and if callgrind is not there.
    pub(crate) fn instructions(
        &self,
        script: &Path,
        arguments: &[&str],
        server: &Server,
    ) -> Result<u64, String> {
        // The PHP of a script that ends by executing it is the last to write this.
        let counted = env::temp_dir().join(format!("vaquita-calls-{}", std::process::id()));
        let mut command = self.under_callgrind(&counted);
        server.describe_to(command.arg(script).args(arguments));
        let printed = self.output(&mut command)?;
        let total = Stack::counted(&counted).map_err(|error| self.blame(&error));
        if !printed.is_empty() {
            return Err(self.blame(&printed));
        }
        total
    }

    /// A command whose instructions callgrind counts, and writes to this file.
    pub(crate) fn under_callgrind(&self, counted: &Path) -> Command {
        let mut command = Command::new("valgrind");
        command.args(["--quiet", "--tool=callgrind", "--trace-children=yes"]);
        command.arg(format!("--callgrind-out-file={}", counted.display())).arg(&self.php);
        self.set_up(&mut command);
        command
    }

    /// What callgrind has counted and written to this file, which is no more of use.
    ///
    /// # Errors
    /// There is no such file, or no total in it.
    pub(crate) fn counted(file: &Path) -> Result<u64, String> {
        let text = fs::read_to_string(file).map_err(|error| error.to_string());
        // It is in the system's folder for such files.
        let _ = fs::remove_file(file);
        let text = text?;
        let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
        let total = total.and_then(|total| total.trim().parse().ok());
        total.ok_or_else(|| "callgrind tells no total".to_owned())
    }

    /// How often a process of its own makes each of these system calls, for a script that prints nothing.
    ///
    /// # Errors
    /// As [`Self::fetch`]; and if strace is not there, or may not trace.
    pub(crate) fn system_calls(
        &self,
        calls: &[&str],
        script: &Path,
        arguments: &[&str],
        server: &Server,
    ) -> Result<Vec<u64>, String> {
        let written = env::temp_dir().join(format!("vaquita-system-calls-{}", std::process::id()));
        let mut command = Command::new("strace");
        command.args(["-qq", "--signal=none", "-e"]).arg(format!("trace={}", calls.join(",")));
        command.arg("-o").arg(&written).arg(&self.php);
        server.describe_to(self.set_up(&mut command).arg(script).args(arguments));
        let printed = self.output(&mut command)?;
        let text = fs::read_to_string(&written).map_err(|error| self.blame(&error.to_string()));
        // It is in the system's folder for such files.
        let _ = fs::remove_file(&written);
        let text = text?;
        if !printed.is_empty() {
            return Err(self.blame(&printed));
        }
        let of = |call: &&str| {
            let is_of =
                |line: &&str| line.strip_prefix(*call).is_some_and(|it| it.starts_with('('));
            text.lines().filter(is_of).map(|_| 1).sum()
        };
        Ok(calls.iter().map(of).collect())
    }

    /// The command of a fresh process, to which a script is added.
    pub(crate) fn command(&self) -> Command {
        self.command_on(self.processors.as_ref())
    }

    /// The same on other processors.
    pub(crate) fn command_on(&self, processors: Option<&Processors>) -> Command {
        let mut command = match processors {
            Some(processors) => processors.client(&self.php),
            None => Command::new(&self.php),
        };
        self.set_up(&mut command);
        command
    }

    fn output(&self, command: &mut Command) -> Result<String, String> {
        output(command).map_err(|error| self.blame(&error))
    }

    /// Adds the settings of all measurements, and its own, to a command that runs a PHP.
    fn set_up<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_remove("PHP_INI_SCAN_DIR") // as build/php leaves it to its children
            .args(["-d", "display_errors=stderr", "-d", "log_errors=0", "-d", "memory_limit=-1"])
            .args(self.settings.iter().flat_map(|setting| ["-d", setting]))
    }

    fn blame(&self, error: &str) -> String {
        format!("{}: {error}", self.php.display())
    }
}

impl Measurement {
    fn read(line: &str) -> Result<Self, String> {
        let report = parse(line)?;
        let digest = report.get("digest").and_then(Value::as_str);
        Ok(Self {
            rows: report.get("rows").and_then(Value::as_u64).ok_or("no rows in its report")?,
            digest: digest.ok_or("no digest in its report")?.to_owned(),
            wall_ms: number(&report, "wall_ms")?,
            cpu_ms: number(&report, "cpu_ms")?,
            peak_rss_kib: number(&report, "peak_rss_kib")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_reports() {
        let fetched = Measurement {
            rows: 3,
            digest: "ab".to_owned(),
            wall_ms: 1.5,
            cpu_ms: 1.0,
            peak_rss_kib: 2048.0,
        };
        let line =
            r#"{"way":"x","rows":3,"digest":"ab","wall_ms":1.5,"cpu_ms":1,"peak_rss_kib":2048}"#;
        assert_eq!(Measurement::read(line), Ok(fetched));
    }

    #[test]
    fn refuses_anything_else() {
        for line in ["", "Warning: x", "{}", r#"{"rows":3}"#, r#"{"rows":-1,"digest":"ab"}"#] {
            assert!(Measurement::read(line).is_err(), "{line}");
        }
    }
}
