//! The session ends while nobody uses it, or between the moment when it is taken and its first command: killed, or idle for longer than
//! `wait_timeout`. MySQL 8.0 says goodbye then (error 4031), which waits in the buffer.

use std::thread;
use std::time::Instant;

use vaquita_client::{ConnectOptions, Connection, Pool, PoolCheck, PoolLimits, PoolStats, State};

use crate::servers::{Server, run, text};
use crate::{
    AT_ONCE, Command, LIMITS, assert_fresh, by_way_of, give, query, relay_to, reset_once, servers,
    with_start,
};
use vaquita_fake_server::relay::Relay;

/// When the session dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// Idle; what was owed when it was given back has come, and lies unread or not.
    Idle { is_unread: bool },
    /// Taken, and nothing sent.
    Taken,
    /// The same, and who has it has asked who the server is.
    Known { by: Asked },
}

/// What tells one server from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    ThreadId,
    ServerVersion,
}

/// Who meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Check(PoolCheck),
    Command(Command),
}

/// A session that is about to die.
struct Scene {
    moment: Moment,
    next: Next,
    pool: Pool,
    relay: Relay,
    options: ConnectOptions,
    /// Where it was taken already.
    connection: Option<Box<Connection>>,
    id: u32,
}

const IDLE: Moment = Moment::Idle { is_unread: false };
const UNREAD: Moment = Moment::Idle { is_unread: true };
const KNOWN: [Moment; 2] =
    [Moment::Known { by: Asked::ThreadId }, Moment::Known { by: Asked::ServerVersion }];

fn limits(check: PoolCheck) -> PoolLimits {
    PoolLimits { check, ..LIMITS }
}

fn scenes(options: &ConnectOptions) -> Vec<Scene> {
    let checks = [PoolCheck::None, PoolCheck::Peek, PoolCheck::Ping].map(Next::Check);
    let commands = Command::ALL.map(Next::Command);
    let (two, insert) = (&commands[..2], &commands[1..2]);
    let played = [
        (IDLE, &checks[..]),
        (UNREAD, &checks),
        (IDLE, two),
        (UNREAD, insert),
        (Moment::Taken, &commands),
        (KNOWN[0], two),
        (KNOWN[1], insert),
    ];
    let each = played.iter().flat_map(|(moment, nexts)| nexts.iter().map(|next| (*moment, *next)));
    each.map(|(moment, next)| until_some(|| Scene::set_up(options, moment, next))).collect()
}

/// Tries again what on a busy machine may take longer than a session lives.
fn until_some<T>(attempt: impl Fn() -> Option<T>) -> T {
    std::iter::repeat_with(attempt).take(100).flatten().next().expect("sessions live long enough")
}

impl Scene {
    fn set_up(options: &ConnectOptions, moment: Moment, next: Next) -> Option<Scene> {
        let relay = relay_to(&options.address);
        let options = by_way_of(&relay, options);
        let mut pool = Pool::default();
        let mut connection = reset_once(&mut pool, &options)?;
        query(&mut connection, "SET @a = 1").ok()?;
        let id = connection.thread_id();
        give(&mut pool, connection);
        let mut connection = None;
        if moment != UNREAD {
            let mut taken = pool.take(&options, &LIMITS)?;
            taken.await_owed().ok()?;
            connection = Some(taken);
        }
        if moment == IDLE {
            give(&mut pool, connection.take()?);
        }
        match moment {
            Moment::Known { by: Asked::ThreadId } => {
                connection.as_ref()?.thread_id();
            }
            Moment::Known { by: Asked::ServerVersion } => {
                connection.as_ref()?.server_version();
            }
            _ => {}
        }
        (relay.connections() == 1).then_some(())?;
        Some(Scene { moment, next, pool, relay, options, connection, id })
    }

    fn name(&self) -> String {
        format!("{:?} {:?}", self.moment, self.next)
    }

    fn play(mut self, table: &str) {
        let name = self.name();
        let begun = Instant::now();
        self.relay.until_ended(1);
        match self.next {
            Next::Check(check) => self.check(check),
            Next::Command(command) => self.command(command, table),
        }
        assert!(begun.elapsed() < AT_ONCE, "{name}: {:?}", begun.elapsed());
    }

    /// What the pool finds out by itself.
    fn check(&mut self, check: PoolCheck) {
        let name = self.name();
        let before = self.pool.stats();
        let is_taken = self.pool.take(&self.options, &limits(check)).is_some();
        assert_eq!(is_taken, check == PoolCheck::None, "{name}");
        let expected = if is_taken {
            PoolStats { hits: before.hits + 1, ..before }
        } else {
            PoolStats { misses: before.misses + 1, replaced: 1, ..before }
        };
        assert_eq!(self.pool.stats(), expected, "{name}");
        assert_eq!(self.pool.idle(), 0, "{name}");
    }

    /// What the first command meets.
    fn command(&mut self, command: Command, table: &str) {
        let name = self.name();
        let connection = self.connection.take();
        let connection =
            connection.or_else(|| self.pool.take(&self.options, &limits(PoolCheck::None)));
        let mut connection = connection.expect("nobody has looked");
        let result = command.give(&mut connection, table, self.id.into());
        if matches!(self.moment, Moment::Known { .. }) {
            let error = result.expect_err(&name);
            assert!(matches!(error.error().code(), 2006 | 2013), "{name}: {:?}", error);
            assert_eq!(connection.state(), State::Broken, "{name}");
            assert_eq!(self.relay.connections(), 1, "{name}");
            give(&mut self.pool, connection);
            assert_eq!((self.pool.idle(), self.pool.stats().replaced), (0, 0), "{name}");
            return;
        }
        result.unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        assert_ne!(connection.thread_id(), self.id, "{name}");
        assert_fresh(&mut connection);
        assert_eq!(self.relay.connections(), 2, "{name}");
        give(&mut self.pool, connection);
        assert_eq!((self.pool.idle(), self.pool.stats().replaced), (1, 1), "{name}");
    }
}

/// Has sessions die in some way, those of one way to a server after the other or all at once, and plays what follows. All go by unix sockets, where
/// an end is there at once.
fn on_each(table: &str, begin: &str, is_at_once: bool, die: fn(&[Scene], &mut Connection)) {
    let servers = servers();
    thread::scope(|scope| {
        for server in &servers {
            for (way, options) in server.ways() {
                if way == "TCP" {
                    continue;
                }
                let mut options = ConnectOptions { address: server.unix(), ..with_start(options) };
                options.init_commands.push(begin.as_bytes().to_vec());
                let table = format!("{table}_{way}");
                let playing = scope.spawn(move || play_on(server, way, &options, &table, die));
                if !is_at_once {
                    playing.join().unwrap();
                }
            }
        }
    });
}

fn play_on(
    server: &Server,
    way: &str,
    options: &ConnectOptions,
    table: &str,
    die: fn(&[Scene], &mut Connection),
) {
    let mut admin = server.connect();
    run(&mut admin, &format!("DROP TABLE IF EXISTS {table}"));
    run(&mut admin, &format!("CREATE TABLE {table} (tag INT) ENGINE=InnoDB"));
    let scenes = scenes(options);
    let inserts = |scene: &&Scene| {
        let is_known = matches!(scene.moment, Moment::Known { .. });
        scene.next == Next::Command(Command::Insert) && !is_known
    };
    let inserts = scenes.iter().filter(inserts).count();
    die(&scenes, &mut admin);
    eprintln!("{} over {way}: {} sessions die", server.name, scenes.len());
    for scene in scenes {
        scene.play(table);
    }
    let inserted =
        text(&mut admin, &format!("SELECT COUNT(DISTINCT tag) * 1000 + COUNT(*) FROM {table}"));
    assert_eq!(inserted, (inserts * 1001).to_string());
    run(&mut admin, &format!("DROP TABLE {table}"));
}

#[test]
fn a_killed_session_is_replaced_before_anything_was_done_with_it() {
    on_each("fault_killed", "SET @killed = 1", false, |scenes, admin| {
        for scene in scenes {
            run(admin, &format!("KILL {}", scene.id));
        }
    });
}

#[test]
fn a_session_that_was_idle_for_too_long_is_replaced_before_anything_was_done_with_it() {
    on_each("fault_idle", "SET wait_timeout = 1", true, |_, _| {});
}

#[test]
fn where_the_server_is_gone_too_its_loss_is_told() {
    for server in servers() {
        for command in Command::ALL {
            let options = with_start(server.options(server.unix()));
            let scene = Scene::set_up(&options, Moment::Taken, Next::Command(command));
            let Scene { mut pool, relay, options, connection, .. } = scene.unwrap();
            relay.go_down();
            let mut connection = connection.unwrap();
            let begun = Instant::now();
            let failure = command.give(&mut connection, "fault_gone", 1).unwrap_err();
            assert_eq!(failure.error().code(), 2006, "{command:?}: {failure:?}");
            assert!(begun.elapsed() < AT_ONCE, "{command:?}: {:?}", begun.elapsed());
            assert_eq!(connection.state(), State::Broken, "{command:?}");
            give(&mut pool, connection);
            assert!(pool.take(&options, &LIMITS).is_none());
            assert_eq!(Connection::connect(&options).unwrap_err().code(), 2002);
        }
    }
}
