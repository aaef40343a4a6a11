//! The database server that a workload runs against: where it is, and loading it with the `mariadb` client.

use std::env;
use std::io::{BufWriter, Write};
use std::process::{Command, Stdio};

use crate::dataset;

/// The private server that `scripts/server env mariadb` describes.
pub(crate) struct Server {
    socket: String,
    user: String,
    password: String,
    database: String,
}

impl Server {
    /// Takes it from the environment.
    ///
    /// # Errors
    /// The variable that is missing.
    pub(crate) fn from_env() -> Result<Self, String> {
        let variable = |name: &str| {
            let name = format!("VAQUITA_MARIADB_{name}");
            env::var(&name).map_err(|_| {
                format!("{name} is not set: run this by scripts/with-servers mariadb -- ...")
            })
        };
        Ok(Self {
            socket: variable("SOCKET")?,
            user: variable("USER")?,
            password: variable("PASSWORD")?,
            database: variable("DATABASE")?,
        })
    }

    /// Describes it to a PHP script, in the environment variables that the examples read.
    pub(crate) fn describe_to(&self, php: &mut Command) {
        php.env("MYSQL_HOST", "localhost")
            .env("MYSQL_SOCKET", &self.socket)
            .env("MYSQL_USER", &self.user)
            .env("MYSQL_PASSWORD", &self.password)
            .env("MYSQL_DATABASE", &self.database);
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
