//! What workloads run on: both stacks, programs in C, and how much of everything.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::workload::Runner;
use crate::arguments::Stacks;
use crate::process::output;
use crate::processors::Processors;
use crate::server::Server;
use crate::stack::{Driver, Stack};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// As in the mission.
    Full,
    /// A hundredth: whether the tool works, not what comes out.
    Small,
}

impl Size {
    /// One of two values.
    pub(super) fn pick<T>(self, full: T, small: T) -> T {
        match self {
            Size::Full => full,
            Size::Small => small,
        }
    }
}

/// What workloads run on.
pub(super) struct Bench {
    pub(super) stock: Stack,
    pub(super) vaquita: Stack,
    /// Where `scripts/bench` puts what it compiles.
    programs: PathBuf,
    processors: Option<Processors>,
    pub(super) size: Size,
}

impl Bench {
    /// Both stacks on a processor of their own, where there are several.
    pub(super) fn new(stacks: &Stacks, programs: &Path, size: Size) -> Bench {
        let processors = Processors::divide();
        let stack = |driver, php: &Path| Stack::new(driver, php).on(processors.as_ref());
        Bench {
            stock: stack(Driver::Stock, &stacks.stock),
            vaquita: stack(Driver::Vaquita, &stacks.vaquita),
            programs: programs.to_owned(),
            processors,
            size,
        }
    }

    /// Keeps what serves, this process too, to the processors that clients don't use.
    ///
    /// # Errors
    /// What taskset says.
    pub(super) fn divide(&self, servers: &[Server]) -> Result<(), String> {
        let Some(processors) = &self.processors else { return Ok(()) };
        processors.keep_server(&std::process::id().to_string())?;
        servers.iter().try_for_each(|server| processors.keep_server(&server.pid()?))
    }

    /// Where everything runs.
    pub(super) fn describe_processors(&self) -> String {
        let divided = self.processors.as_ref().map(Processors::describe);
        divided.unwrap_or_else(|| "client and server on any processors".to_owned())
    }

    /// Where clients are kept to, for those who start them by other means.
    pub(super) fn processors(&self) -> Option<&Processors> {
        self.processors.as_ref()
    }

    /// The PHP of a runner that is one.
    pub(super) fn stack(&self, runner: Runner) -> Result<&Stack, String> {
        match runner {
            Runner::Stock | Runner::StockAgain => Ok(&self.stock),
            Runner::Vaquita => Ok(&self.vaquita),
            Runner::C => Err("C is no PHP".to_owned()),
        }
    }

    /// The path of something compiled.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// Runs a PHP script, or for C the program of this name, with arguments, and gives back what it prints.
    ///
    /// # Errors
    /// It fails, hangs, or prints errors.
    pub(super) fn run(
        &self,
        runner: Runner,
        (script, program): (&str, &str),
        arguments: &[&str],
        server: &Server,
    ) -> Result<String, String> {
        let mut command = self.command(runner, (script, program), arguments)?;
        server.describe_to(&mut command);
        output(&mut command).map_err(|error| format!("{script} on {}: {error}", runner.name()))
    }

    /// The command of [`Self::run`], for those who add to its environment.
    pub(super) fn command(
        &self,
        runner: Runner,
        (script, program): (&str, &str),
        arguments: &[&str],
    ) -> Result<Command, String> {
        if runner != Runner::C {
            let mut command = self.stack(runner)?.command();
            command.arg(script).args(arguments);
            return Ok(command);
        }
        let mut command = self.on_client(&self.program(program));
        command.args(arguments);
        Ok(command)
    }

    /// A program where clients run.
    pub(super) fn on_client(&self, program: &Path) -> Command {
        match &self.processors {
            Some(processors) => processors.client(program),
            None => Command::new(program),
        }
    }

    /// Runs statements on stock, and gives back the first value of the last one's rows.
    ///
    /// # Errors
    /// What the server says.
    pub(super) fn sql(&self, server: &Server, statements: &[&str]) -> Result<String, String> {
        self.stock.sql(server, statements)
    }
}
