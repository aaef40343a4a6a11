//! Records the sessions again, on servers that `scripts/with-servers` started.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use vaquita_client::{ConnectOptions, Connection, QueryResponse};
use vaquita_fake_server::{Address, Listener};
use vaquita_hostile::client::{Notes, converse};
use vaquita_hostile::conversation::{ALL, Conversation, Over, PASSWORD};
use vaquita_hostile::recordings;

/// Far more than any conversation takes.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The servers, by the names that scripts/with-servers has for them.
const SERVERS: [&str; 5] = ["mariadb", "mysql80", "mariadb118", "mysql56", "mysql97"];

/// The users that the conversations name, and how they log in, on each of the servers. MySQL 9 has no mysql_native_password.
const USERS: [(&str, &str, &str); 14] = [
    ("mysql56", "recorded_native", "mysql_native_password"),
    ("mysql56", "recorded_other", "mysql_native_password"),
    ("mysql97", "recorded_native", "caching_sha2_password"),
    ("mysql97", "recorded_other", "caching_sha2_password"),
    ("mysql97", "recorded_sha2", "caching_sha2_password"),
    ("mariadb", "recorded_native", "mysql_native_password"),
    ("mariadb", "recorded_other", "mysql_native_password"),
    ("mysql80", "recorded_other", "caching_sha2_password"),
    ("mariadb", "recorded_ed25519", "ed25519"),
    ("mariadb118", "recorded_parsec", "parsec"),
    ("mysql80", "recorded_native", "mysql_native_password"),
    ("mysql80", "recorded_sha2", "caching_sha2_password"),
    ("mysql80", "recorded_sha2_unix", "caching_sha2_password"),
    ("mysql80", "recorded_sha256", "sha256_password"),
];

/// What anything here comes to.
pub(crate) type Done<T> = Result<T, Box<dyn Error>>;

struct Server {
    name: &'static str,
    tcp: SocketAddr,
    unix: PathBuf,
    version: String,
}

/// Records the conversations whose names have this in them.
pub(crate) fn record_all(names: &str) -> Done<()> {
    SERVERS.into_iter().try_for_each(|server| record_on(server, names))
}

fn record_on(name: &'static str, names: &str) -> Done<()> {
    let of_server = ALL.iter().filter(|it| it.servers.contains(&name));
    let named = of_server.map(|it| (recordings::name(name, it), it));
    let wanted: Vec<_> = named.filter(|(name, _)| name.contains(names)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let server = prepare(name)?;
    for (name, conversation) in wanted {
        let text = record(&server, conversation)?;
        fs::write(recordings::path(&name), text)?;
        println!("{name}");
    }
    Ok(())
}

/// Makes the users, the database, and what the conversations need in it.
fn prepare(name: &'static str) -> Done<Server> {
    let variable = |key: &str| {
        let variable = format!("VAQUITA_{}_{key}", name.to_uppercase());
        env::var(&variable).map_err(|_| format!("{variable} is not set; see CONTRIBUTING.md"))
    };
    let ip: IpAddr = variable("HOST")?.parse()?;
    let tcp = SocketAddr::new(ip, variable("PORT")?.parse()?);
    let unix = PathBuf::from(variable("SOCKET")?);
    let mut admin = Connection::connect(&ConnectOptions {
        user: variable("USER")?.into(),
        password: variable("PASSWORD")?.into_bytes().into(),
        ..ConnectOptions::new(vaquita_client::Address::Unix(unix.clone()))
    })?;
    let version = String::from_utf8_lossy(admin.server_version()).into_owned();
    let mut run = |sql: &str| -> Done<()> {
        admin.send_query(sql.as_bytes())?;
        match admin.read_query_response()? {
            QueryResponse::Ok => Ok(()),
            QueryResponse::ResultSet(_)
            | QueryResponse::Cursor(_)
            | QueryResponse::LocalInfile(_) => Err(format!("{sql} has rows").into()),
        }
    };
    run("DROP DATABASE IF EXISTS recorded")?;
    run("CREATE DATABASE recorded")?;
    for (_, _, plugin) in USERS.into_iter().filter(|(server, ..)| *server == name) {
        if matches!(plugin, "ed25519" | "parsec") {
            run(&format!("INSTALL PLUGIN IF NOT EXISTS {plugin} SONAME 'auth_{plugin}.so'"))?;
        }
    }
    run("CREATE TABLE recorded.loaded (a TEXT)")?;
    run(
        "CREATE PROCEDURE recorded.two_results() BEGIN SELECT 1 AS a; SELECT 2 AS b, 'x' AS c; END",
    )?;
    for (_, user, plugin) in USERS.into_iter().filter(|(server, ..)| *server == name) {
        for host in ["%", "localhost"] {
            // One who is not there is no error worth a word; MySQL 5.6 has no IF EXISTS here.
            let _ = run(&format!("DROP USER '{user}'@'{host}'"));
            let by = match name {
                "mariadb" | "mariadb118" => format!("VIA {plugin} USING PASSWORD('{PASSWORD}')"),
                "mysql56" => format!("BY '{PASSWORD}'"),
                _ => format!("WITH {plugin} BY '{PASSWORD}'"),
            };
            run(&format!("CREATE USER '{user}'@'{host}' IDENTIFIED {by}"))?;
            run(&format!("GRANT ALL ON *.* TO '{user}'@'{host}'"))?;
        }
    }
    Ok(Server { name, tcp, unix, version })
}

/// Leads a conversation through a recorder; the text of what was said.
fn record(server: &Server, conversation: &Conversation) -> Done<String> {
    let (listener, upstream) = match conversation.log_in.over {
        Over::Tcp => (Listener::tcp()?, Address::Tcp(server.tcp)),
        Over::Unix => {
            let path = env::temp_dir().join(format!("vaquita-recorder-{}", std::process::id()));
            (Listener::unix(&path)?, Address::Unix(server.unix.clone()))
        }
    };
    let address = match listener.address().clone() {
        Address::Tcp(address) => {
            vaquita_client::Address::Tcp { host: address.ip().to_string(), port: address.port() }
        }
        Address::Unix(path) => vaquita_client::Address::Unix(path),
    };
    let deadline = Instant::now() + TIME_LIMIT;
    let recorder = thread::spawn(move || listener.record(&upstream, deadline));
    let mut notes = Notes::kept();
    let outcome = Connection::connect(&conversation.options(address)).and_then(|mut connection| {
        notes.connected(&connection);
        converse(&mut connection, conversation.asks, &mut notes)
    });
    let mut dialogue = recorder.join().map_err(|_| "the recorder panicked")??;
    dialogue.about = vec![format!("{} {}: {}", server.name, server.version, conversation.name)];
    dialogue.heard = notes.lines();
    dialogue.heard.extend(outcome.err().map(|error| format!("failed {error}")));
    Ok(dialogue.to_string())
}
