//! Client and server on processors of their own: a scheduler that puts both on one for a while makes what goes to and fro between them up to
//! four times as fast, and that would be measured instead.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::output;

/// Who runs where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Processors {
    /// Lists, as taskset takes them.
    client: String,
    server: String,
}

impl Processors {
    /// Divides those that this process may use; `None`: there is only one, or no taskset.
    pub(crate) fn divide() -> Option<Processors> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        output(Command::new("taskset").arg("--version")).ok()?;
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
        Processors::of_list(list.trim())
    }

    /// The last one is the client's.
    fn of_list(list: &str) -> Option<Processors> {
        let mut all = Vec::new();
        for range in list.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            all.extend(first.parse::<u32>().ok()?..=last.parse().ok()?);
        }
        let mut all: Vec<String> = all.iter().map(u32::to_string).collect();
        let client = all.pop()?;
        (!all.is_empty()).then(|| Processors { client, server: all.join(",") })
    }

    /// All of them for both: for clients that are several.
    pub(crate) fn undivided(&self) -> Processors {
        let all = format!("{},{}", self.server, self.client);
        Processors { client: all.clone(), server: all }
    }

    /// A command that runs a client.
    pub(crate) fn client(&self, program: &Path) -> Command {
        let mut command = Command::new("taskset");
        command.args(["--cpu-list", &self.client]).arg(program);
        command
    }

    /// Keeps a server, which runs already, to its own.
    ///
    /// # Errors
    /// What taskset says.
    pub(crate) fn keep_server(&self, pid: &str) -> Result<(), String> {
        let mut command = Command::new("taskset");
        command.args(["--all-tasks", "--cpu-list", "--pid", &self.server, pid]);
        output(&mut command).map(drop)
    }

    /// Where they run, for a report.
    pub(crate) fn describe(&self) -> String {
        format!("client on processor {}, server on {}", self.client, self.server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_processor_is_the_clients() {
        let divided = |list| Processors::of_list(list).map(|it| (it.client, it.server));
        let expected = |client: &str, server: &str| Some((client.to_owned(), server.to_owned()));
        assert_eq!(divided("0-3"), expected("3", "0,1,2"));
        assert_eq!(divided("1,4-5"), expected("5", "1,4"));
        let all = Processors::of_list("0-3").map(|it| it.undivided());
        assert_eq!(all.map(|it| (it.client, it.server)), expected("0,1,2,3", "0,1,2,3"));
        for list in ["0", "", "x", "3-2"] {
            assert_eq!(divided(list), None, "{list}");
        }
    }
}
