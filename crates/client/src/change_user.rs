//! Another user on the same connection.

use vaquita_protocol::{Capabilities, ComChangeUser, Command};

use crate::auth::{Accepted, Authentication};
use crate::connection::Connection;
use crate::error::Error;
use crate::handshake::attributes;
use crate::options::ConnectOptions;
use crate::own::Own;
use crate::session::Session;
use crate::statistics::PacketKind;

impl Connection {
    /// Becomes another user, in a fresh session with this database, or with none. The character set stays.
    ///
    /// The server asks for the password in its own way, as when connecting; what may go in clear text is decided as there.
    ///
    /// # Errors
    /// The server refused it: then MySQL closes the connection, which the next call finds out, and MariaDB goes on with the user of before.
    /// Or the connection failed or is in the middle of something else.
    pub fn change_user(
        &mut self,
        user: &[u8],
        password: &[u8],
        database: &[u8],
    ) -> Result<(), Error> {
        let options = ConnectOptions {
            user: user.to_vec(),
            password: password.into(),
            database: Some(database.to_vec()).filter(|name| !name.is_empty()),
            ..(*self.options).clone()
        };
        let privacy = self.stream.transport().privacy();
        let (plugin, nonce) = (self.greeting.plugin, &self.greeting.nonce);
        let mut authentication =
            Authentication::new(plugin, nonce, &options, privacy, self.capabilities);
        // Longer than a byte can say has no place in this packet, whatever the server offers.
        let auth_response = authentication.first_response(Capabilities::NONE)?;
        self.send_command(Command::ChangeUser(ComChangeUser {
            capabilities: self.capabilities,
            username: user,
            auth_response: &auth_response,
            database,
            character_set: self.collation_id.into(),
            client_plugin_name: authentication.plugin().name(),
            attributes: &attributes(&options),
        }))?;
        let accepted = authentication.run(&mut self.stream, PacketKind::ChangeUser);
        let changed = accepted.and_then(|accepted| self.begin_again(&accepted, database));
        match changed {
            Err(error) if error.is_refusal() => {
                self.stream.note_refused();
                self.go_on_as_before();
                return Err(error);
            }
            changed => self.settle(changed)?,
        }
        *self.options = options;
        self.reuse.user_changed();
        self.confirm_charset(Some(self.charset))?;
        self.begin_tracking()?;
        self.tell_query_timeout_again()
    }

    /// The server refused the other user, and goes on with the one of before, if it does not close; but MariaDB has begun the session
    /// anew by then. So it is told again what escaping goes by, and tells its status; without that the connection is not used any more.
    fn go_on_as_before(&mut self) {
        let said = self.session.clone();
        let told = self.within_connect_timeout(|connection| {
            connection.by_itself(Own::Names, |it| it.set_charset(it.charset))?;
            connection.begin_tracking()?;
            connection.tell_query_timeout_again()
        });
        if told.is_err() {
            self.break_off();
        }
        self.session.keep_statement(said);
        self.session.error();
    }

    fn begin_again(&mut self, accepted: &Accepted, database: &[u8]) -> Result<(), Error> {
        let field_count = self.session.field_count; // that of the last statement
        self.session = Session::new(accepted, self.charset, Some(database))?;
        self.session.field_count = field_count;
        Ok(())
    }
}
