//! The named scripts: what no server should send, and what should come of it; and a few that are as they should be.
//!
//! Each lets a client in (if it comes to that), expects one [deed](Deed) of it, a query unless it says otherwise, and answers it. Where the
//! connection survives, a ping follows.

mod authentication;
mod changes;
pub mod columns;
mod compressed;
mod cut;
mod deed;
mod endless;
mod greeting;
mod local_file;
mod message;
mod plain_text;
mod response;
mod rows;
pub mod session;
mod statement;
mod tls_flood;

use std::fmt;

use crate::script::Script;

pub use deed::Deed;

/// What a client is doing when it should fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Connecting, up to the end of authentication.
    Connect,
    /// Reading the first packets of the answer to a query, up to the end of its column definitions.
    Response,
    /// Reading rows.
    Rows,
}

/// How a client should fail.
///
/// The numbers are those of <https://dev.mysql.com/doc/mysql-errors/8.0/en/client-error-reference.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// CR_MALFORMED_PACKET, at once.
    Malformed,
    /// CR_SERVER_GONE_ERROR, at once.
    Gone,
    /// CR_SERVER_GONE_ERROR, after the client's own time limit.
    TimedOut,
    /// CR_NOT_IMPLEMENTED: what the server asks for is not possible.
    Unsupported,
    /// CR_AUTH_PLUGIN_ERR: the client's plugin refuses.
    PluginError,
    /// CR_LOAD_DATA_LOCAL_INFILE_REJECTED.
    FileRefused,
    /// CR_UNKNOWN_ERROR: the server's key is none.
    NoKey,
    /// CR_OUT_OF_MEMORY: more than the client wants to have.
    TooLarge,
    /// CR_SSL_CONNECTION_ERROR.
    NoTls,
    /// The server's own error number.
    Refused(u16),
}

impl Outcome {
    /// The error number.
    pub const fn code(self) -> u16 {
        match self {
            Outcome::Malformed => 2027,
            Outcome::Gone | Outcome::TimedOut => 2006,
            Outcome::Unsupported => 2054,
            Outcome::PluginError => 2061,
            Outcome::FileRefused => 2068,
            Outcome::NoKey => 2000,
            Outcome::TooLarge => 2008,
            Outcome::NoTls => 2026,
            Outcome::Refused(code) => code,
        }
    }

    /// Whether an established connection can't be used any more; if it can, the script goes on with a ping.
    pub const fn breaks_connection(self) -> bool {
        !matches!(self, Outcome::FileRefused | Outcome::Refused(_))
    }
}

/// What should come of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// All is well.
    Fine,
    /// A failure.
    Fails(Stage, Outcome),
}

impl Expected {
    /// Whether the client has to give up waiting.
    pub const fn is_timeout(self) -> bool {
        matches!(self, Expected::Fails(_, Outcome::TimedOut))
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expected::Fails(stage, outcome) = self else { return f.write_str("fine") };
        let stage = match stage {
            Stage::Connect => "connect",
            Stage::Response => "response",
            Stage::Rows => "rows",
        };
        let after = if *outcome == Outcome::TimedOut { ", after a time limit" } else { "" };
        write!(f, "{stage}: {}{after}", outcome.code())
    }
}

/// How the scripts of a name are made.
#[derive(Clone, Copy, Debug)]
enum Build {
    One(fn() -> Script),
    Each(fn() -> Vec<Script>),
}

/// A script with a name, or a family of scripts that do the same thing in several places, such as cutting a packet at each byte.
#[derive(Clone, Copy, Debug)]
pub struct NamedScript {
    /// The name.
    pub name: &'static str,
    /// What the server does wrong.
    pub description: &'static str,
    /// What should come of it.
    pub expected: Expected,
    /// What the client has to do to meet it, if it gets so far.
    pub deed: Deed,
    build: Build,
}

/// A script that ends there, in that way.
const fn fails(
    stage: Stage,
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(stage, outcome), description, build)
}

impl NamedScript {
    const fn new(
        name: &'static str,
        expected: Expected,
        description: &'static str,
        build: fn() -> Script,
    ) -> Self {
        NamedScript { name, description, expected, deed: Deed::Query, build: Build::One(build) }
    }

    /// A family of scripts; what should come of them is the same.
    const fn family(
        name: &'static str,
        expected: Expected,
        description: &'static str,
        build: fn() -> Vec<Script>,
    ) -> Self {
        NamedScript { name, description, expected, deed: Deed::Query, build: Build::Each(build) }
    }

    /// The same for a client that does something else.
    const fn met_by(self, deed: Deed) -> Self {
        NamedScript { deed, ..self }
    }

    /// The script; of a family, the first one.
    pub fn script(&self) -> Script {
        self.scripts().swap_remove(0)
    }

    /// How many scripts have this name.
    pub fn count(&self) -> usize {
        match self.build {
            Build::One(_) => 1,
            Build::Each(build) => build().len(),
        }
    }

    /// All scripts of this name, one or more.
    pub fn scripts(&self) -> Vec<Script> {
        match self.build {
            Build::One(build) => vec![build()],
            Build::Each(build) => build(),
        }
    }
}

/// All named scripts, in the order in which a connection comes to them.
pub fn all() -> impl Iterator<Item = &'static NamedScript> {
    [
        session::SCRIPTS,
        greeting::SCRIPTS,
        authentication::SCRIPTS,
        response::SCRIPTS,
        columns::SCRIPTS,
        rows::SCRIPTS,
        cut::SCRIPTS,
        changes::SCRIPTS,
        message::SCRIPTS,
        endless::SCRIPTS,
        local_file::SCRIPTS,
        statement::SCRIPTS,
        compressed::SCRIPTS,
        plain_text::SCRIPTS,
        tls_flood::SCRIPTS,
    ]
    .into_iter()
    .flatten()
}

/// The script of this name.
pub fn by_name(name: &str) -> Option<&'static NamedScript> {
    all().find(|script| script.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_name_is_one_scripts() {
        let mut names = HashSet::new();
        // A family may have what is a script of its own, too.
        let mut single = Vec::new();
        for named in all() {
            assert!(names.insert(named.name), "{} stands twice", named.name);
            assert!(by_name(named.name).is_some_and(|found| found.name == named.name));
            let mut family = Vec::new();
            let others = if named.scripts().len() > 1 { &mut family } else { &mut single };
            for script in named.scripts() {
                let met = (named.deed, script);
                assert!(!others.contains(&met), "{} does what another does", named.name);
                others.push(met);
            }
        }
        assert!(by_name("no such script").is_none());
    }
}
