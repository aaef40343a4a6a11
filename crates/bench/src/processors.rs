//! Client and server on processors of their own: a scheduler that puts both on one for a while makes what goes to and fro between them up to
//! four times as fast, and that would be measured instead.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::output;

/// Who runs where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Processors {
    /// Lists, as taskset takes them: this one mostly of one.
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

    /// As many for the client as for the server: for clients that are several.
    pub(crate) fn halved(&self) -> Processors {
        let mut all: Vec<&str> = self.server.split(',').collect();
        all.push(&self.client);
        let (server, client) = all.split_at(all.len() / 2);
        Processors { client: client.join(","), server: server.join(",") }
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
        let halved = |list| Processors::of_list(list).map(|it| it.halved());
        let halved = |list| halved(list).map(|it| (it.client, it.server));
        assert_eq!(halved("0-3"), expected("2,3", "0,1"));
        assert_eq!([halved("0-1"), halved("0-2")], [expected("1", "0"), expected("1,2", "0")]);
        for list in ["0", "", "x", "3-2"] {
            assert_eq!(divided(list), None, "{list}");
        }
    }
}
