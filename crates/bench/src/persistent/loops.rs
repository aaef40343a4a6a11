//! The loops of `examples/persistent.php`, and what they are called.

use std::fmt;

/// What is used to connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    Mysqli,
    Pdo,
}

/// What is done on each connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Nothing.
    Connect,
    /// `SELECT 1`.
    Select,
    /// Five small queries.
    Page,
    /// A round trip.
    Ping,
}

/// Which connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A new one each time.
    New,
    /// A persistent one each time.
    Persistent,
    /// One that stays open.
    Open,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) api: Api,
    pub(crate) what: What,
    pub(crate) kind: Kind,
}

impl Loop {
    pub(crate) const fn new(api: Api, what: What, kind: Kind) -> Loop {
        Loop { api, what, kind }
    }

    /// What is compared in the table, in its order: what is to be compared with each other is run one after the other.
    pub(crate) fn all() -> Vec<Loop> {
        let of = |api| {
            [
                (What::Connect, Kind::New),
                (What::Connect, Kind::Persistent),
                (What::Select, Kind::New),
                (What::Select, Kind::Persistent),
                (What::Select, Kind::Open),
                (What::Page, Kind::New),
                (What::Page, Kind::Persistent),
            ]
            .map(|(what, kind)| Loop::new(api, what, kind))
        };
        [Api::Mysqli, Api::Pdo].into_iter().flat_map(of).collect()
    }

    /// Whether the C program has it, too: it knows no persistent connections, and is compared with mysqli.
    pub(crate) fn is_in_c(self) -> bool {
        self.api == Api::Mysqli && self.kind != Kind::Persistent && self.what != What::Ping
    }

    /// The arguments of the C program; those of the script begin with one more.
    pub(crate) fn c_arguments(self) -> [&'static str; 2] {
        let what = match self.what {
            What::Connect => "connect",
            What::Select => "select",
            What::Page => "page",
            What::Ping => "ping",
        };
        let kind = match self.kind {
            Kind::New => "new",
            Kind::Persistent => "persistent",
            Kind::Open => "open",
        };
        [what, kind]
    }

    /// The arguments of the script.
    pub(crate) fn arguments(self) -> [&'static str; 3] {
        let api = match self.api {
            Api::Mysqli => "mysqli",
            Api::Pdo => "pdo",
        };
        let [what, kind] = self.c_arguments();
        [api, what, kind]
    }
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let api = match self.api {
            Api::Mysqli => "mysqli",
            Api::Pdo => "PDO",
        };
        let what = match self.what {
            What::Connect => "connect",
            What::Select if self.kind == Kind::Open => "SELECT 1",
            What::Select => "connect+SELECT 1",
            What::Page => "page",
            What::Ping => "ping",
        };
        let kind = match (self.kind, self.api) {
            (Kind::New, _) => "",
            (Kind::Persistent, Api::Mysqli) => ", p:",
            (Kind::Persistent, Api::Pdo) => ", persistent",
            (Kind::Open, _) => ", open",
        };
        f.pad(&format!("{api} {what}{kind}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_asked_for_as_the_script_knows_them() {
        let select = Loop::new(Api::Mysqli, What::Select, Kind::Persistent);
        assert_eq!(select.arguments(), ["mysqli", "select", "persistent"]);
        assert_eq!(format!("{select:<25}|"), "mysqli connect+SELECT 1, p:|");
        assert!(!select.is_in_c());
        let open = Loop { kind: Kind::Open, ..select };
        assert_eq!(open.c_arguments(), ["select", "open"]);
        assert_eq!(open.to_string(), "mysqli SELECT 1, open");
        assert!(open.is_in_c() && !Loop { api: Api::Pdo, ..open }.is_in_c());
    }

    #[test]
    fn each_loop_is_in_the_table_once() {
        let loops = Loop::all();
        assert_eq!(loops.len(), 14);
        assert!(
            loops
                .iter()
                .enumerate()
                .all(|(at, one)| !loops.iter().skip(at + 1).any(|it| it == one))
        );
    }
}
