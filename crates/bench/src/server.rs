//! The database server that a workload runs against: where it is, how it is reached, and loading it with the `mariadb` client.

use std::env;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{dataset, process};

/// What MySQL is called.
pub(crate) const MYSQL: &str = "MySQL";

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By its unix socket.
    Unix,
    /// By TCP.
    Tcp,
}

/// A private server that `scripts/server env NAME` describes.
#[derive(Clone)]
pub(crate) struct Server {
    name: &'static str,
    way: Way,
    socket: String,
    port: u16,
    user: String,
    password: String,
    database: String,
    is_encrypted: bool,
}

impl Server {
    /// Takes it from the environment; it is reached by its unix socket, in plain text.
    ///
    /// # Errors
    /// The variable that is missing.
    pub(crate) fn from_env(name: &'static str) -> Result<Self, String> {
        let variable = |what: &str| {
            let variable = format!("VAQUITA_{}_{what}", name.to_uppercase());
            env::var(&variable).map_err(|_| {
                format!("{variable} is not set: run this by scripts/with-servers {name} -- ...")
            })
        };
        let port = variable("PORT")?;
        Ok(Self {
            name,
            way: Way::Unix,
            socket: variable("SOCKET")?,
            port: port.parse().map_err(|_| format!("{port} is no port"))?,
            user: variable("USER")?,
            password: variable("PASSWORD")?,
            database: variable("DATABASE")?,
            is_encrypted: false,
        })
    }

    /// One that is nowhere.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        let none = String::new;
        Self {
            name: "",
            way: Way::Unix,
            socket: none(),
            port: 0,
            user: none(),
            password: none(),
            database: none(),
            is_encrypted: false,
        }
    }

    /// The same, reached another way.
    pub(crate) fn by(&self, way: Way) -> Self {
        Self { way, ..self.clone() }
    }

    /// The same, reached by TCP through whatever listens at this port.
    pub(crate) fn through(&self, port: u16) -> Self {
        Self { way: Way::Tcp, port, ..self.clone() }
    }

    /// The same, reached by whatever listens at this unix socket.
    pub(crate) fn at_socket(&self, socket: &str) -> Self {
        Self { way: Way::Unix, socket: socket.to_owned(), ..self.clone() }
    }

    /// The path of its unix socket.
    pub(crate) fn socket(&self) -> &str {
        &self.socket
    }

    /// The same, used by another user with the same password.
    pub(crate) fn used_by(&self, user: &str) -> Self {
        Self { user: user.to_owned(), ..self.clone() }
    }

    /// The same, over TLS or not.
    pub(crate) fn encrypted(&self, is_encrypted: bool) -> Self {
        Self { is_encrypted, ..self.clone() }
    }

    /// Where it listens by TCP, on the loopback.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The password of its users.
    pub(crate) fn password(&self) -> &str {
        &self.password
    }

    /// A server in short, by the version that it tells.
    pub(crate) fn called(version: &str) -> String {
        let number = version.split('-').next().unwrap_or_default();
        format!("{} {number}", if version.contains("MariaDB") { "MariaDB" } else { MYSQL })
    }

    /// Describes it to a program, in the environment variables that the examples read.
    pub(crate) fn describe_to(&self, program: &mut Command) {
        let (host, socket) = match self.way {
            Way::Unix => ("localhost", &*self.socket),
            Way::Tcp => ("127.0.0.1", ""),
        };
        program
            .env("MYSQL_HOST", host)
            .env("MYSQL_SOCKET", socket)
            .env("MYSQL_PORT", self.port.to_string())
            .env("MYSQL_USER", &self.user)
            .env("MYSQL_PASSWORD", &self.password)
            .env("MYSQL_DATABASE", &self.database)
            .env("MYSQL_TLS", if self.is_encrypted { "1" } else { "" });
    }

    /// The id of its process.
    ///
    /// # Errors
    /// It is not found where `scripts/server` notes it.
    pub(crate) fn pid(&self) -> Result<String, String> {
        pid_of(self.name)
    }

    /// The database that is its user's.
    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    /// What `scripts/server` calls it.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The CPU time that its process has had, user and system, in milliseconds.
    ///
    /// # Errors
    /// As [`Self::pid`].
    pub(crate) fn cpu_ms(&self) -> Result<f64, String> {
        process::cpu_ms(&self.pid()?)
    }

    /// Makes the demo's table, and tells the server's version.
    ///
    /// # Errors
    /// What kept the `mariadb` client from it.
    pub(crate) fn load(&self) -> Result<String, String> {
        let mut client = Command::new("mariadb")
            .args(["--no-defaults", "--batch", "--skip-column-names"])
            .args(["--socket", &self.socket, "--user", &self.user, &self.database])
            .env("MYSQL_PWD", &self.password)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start the mariadb client: {error}"))?;
        let written = client.stdin.take().map_or(Ok(()), |stdin| {
            let mut sql = BufWriter::new(stdin);
            dataset::write_sql(&mut sql)?;
            writeln!(sql, "SELECT VERSION();")?;
            sql.flush()
        });
        // A client that fails closes its input: what it says about that is worth more than the broken pipe.
        let output = client.wait_with_output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            return Err(format!("the data could not be loaded: {}", message.trim()));
        }
        written.map_err(|error| format!("the data could not be loaded: {error}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// The id of the process of a server or a cache, by its name.
///
/// # Errors
/// It is not found where `scripts/server` notes it.
pub(crate) fn pid_of(name: &str) -> Result<String, String> {
    let run = env::var("VAQUITA_RUN").map_err(|_| "VAQUITA_RUN is not set".to_owned())?;
    let pid = read(&Path::new(&run).join(name).join("pid"))?;
    Ok(pid.trim().to_owned())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_short_names() {
        assert_eq!(Server::called("10.11.19-MariaDB-0+deb12u1"), "MariaDB 10.11.19");
        assert_eq!(Server::called("8.0.33"), "MySQL 8.0.33");
    }
}
