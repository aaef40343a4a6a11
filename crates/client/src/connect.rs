//! How a connection begins: from options to a session that waits for its user's first command.

use std::net::SocketAddr;
use std::time::Instant;

use vaquita_protocol::panic_point;
use vaquita_protocol::{Capabilities, Charset, Command};

use crate::buffered::Storage;
use crate::clock::Connecting;
use crate::columns::Columns;
use crate::compression::CompressionAlgorithm;
use crate::connection::{Answer, Connection};
use crate::elsewhere::Elsewhere;
use crate::error::Error;
use crate::handshake;
use crate::host_links::HostLink;
use crate::known_columns::KnownColumns;
use crate::local_infile::Names;
use crate::options::ConnectOptions;
use crate::own::Own;
use crate::packet_stream::PacketStream;
use crate::query_timeout::ServerSide;
use crate::reuse::Reuse;
use crate::row::Layout;
use crate::state::State;
use crate::statement_cache::{Effect, StatementCache};
use crate::statistics::Statistics;
use crate::tls;
use crate::transport::Transport;
use crate::wire::ByteStream;

/// Has a server tell of changes that statements do not show.
pub(crate) const TRACK: &[u8] = b"SET SESSION session_track_state_change = ON";

impl Connection {
    /// Connects, authenticates, and runs the init commands.
    ///
    /// # Errors
    /// No connection could be made, the server refused it, or an init command failed; or there are as many as may be.
    pub fn connect(options: &ConnectOptions) -> Result<Connection, Error> {
        Connection::connect_counting(options, &mut Statistics::default())
    }

    /// Does as [`Connection::connect`]; what a failed attempt cost is added to `spent`.
    ///
    /// # Errors
    /// As [`Connection::connect`].
    pub fn connect_counting(
        options: &ConnectOptions,
        spent: &mut Statistics,
    ) -> Result<Connection, Error> {
        Connection::connect_in_place_of(None, options, spent)
    }

    /// Does as [`Connection::connect_counting`], and takes over what another one counted as on this machine, which is gone.
    pub(crate) fn connect_in_place_of(
        link: Option<HostLink>,
        options: &ConnectOptions,
        spent: &mut Statistics,
    ) -> Result<Connection, Error> {
        let link = match link.filter(HostLink::is_own) {
            None => HostLink::take(options)?,
            link => link,
        };
        let mut connection = Connection::connect_to(None, options, spent)?;
        connection.stream.transport().hold(link);
        Ok(connection)
    }

    /// Does as [`Connection::connect_counting`], but with this one of the server's addresses, and not limited by
    /// [`ConnectOptions::host_limit`].
    pub(crate) fn connect_to(
        peer: Option<SocketAddr>,
        options: &ConnectOptions,
        spent: &mut Statistics,
    ) -> Result<Connection, Error> {
        let deadline =
            options.connect_timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        // Before there is a connection that a server would have to see given up.
        let tls = tls::Setup::of(options)?;
        let mut connecting = Connecting::new(options.observer.0);
        let opened = Transport::connect_timed(&options.address, peer, deadline, &mut connecting);
        match opened {
            Ok(transport) => Connection::establish(transport, options, tls, connecting, spent),
            Err(error) => {
                connecting.failed();
                Err(error)
            }
        }
    }

    /// Does as [`Connection::connect`] over a stream that is there already; `options.address` only says what it is.
    ///
    /// Recorded sessions are replayed and fuzzed so. The stream keeps its own time, and does not count as a link of this machine's.
    ///
    /// # Errors
    /// The server refused the connection, the stream failed, or an init command failed.
    pub fn over(
        stream: Box<dyn ByteStream>,
        options: &ConnectOptions,
    ) -> Result<Connection, Error> {
        let tls = tls::Setup::of(options)?;
        let transport = Transport::over(stream, &options.address);
        let connecting = Connecting::new(options.observer.0);
        Connection::establish(transport, options, tls, connecting, &mut Statistics::default())
    }

    fn establish(
        transport: Transport,
        options: &ConnectOptions,
        tls: Option<tls::Setup>,
        mut connecting: Connecting,
        spent: &mut Statistics,
    ) -> Result<Connection, Error> {
        panic_point("client/connect");
        let mut stream = PacketStream::new(transport);
        stream.counted().attempts = 1;
        let established = match handshake::establish(&mut stream, options, tls, &mut connecting) {
            Ok(established) => established,
            Err(error) => {
                spent.add(&stream.statistics());
                connecting.failed();
                return Err(error);
            }
        };
        stream.connected(connecting, established.greeting.thread_id);
        if options.connect_timeout.is_none() {
            stream.transport().set_timeouts(options.read_timeout, options.write_timeout)?;
        }
        if let Some(algorithm) = CompressionAlgorithm::agreed(established.capabilities) {
            stream.begin_compression(algorithm)?;
        }
        let mut connection = Connection {
            stream,
            state: State::Ready,
            session: established.session,
            capabilities: established.capabilities,
            body: Vec::new(),
            columns: Columns::default(),
            known_columns: KnownColumns::default(),
            layout: Layout::default(),
            answer: Answer::Text,
            statements_to_close: Vec::new(),
            statement_cache: StatementCache::default(),
            runs_lent: false,
            knows_last_prepared: false,
            last_prepared: None,
            row: None,
            rows: None,
            storage: Storage::default(),
            refuses_spoilt_rows: true,
            spoilt: None,
            allows_local_infile: false,
            multi_statements: established.capabilities.contains(Capabilities::MULTI_STATEMENTS),
            local_infiles: Names::default(),
            charset: established.charset,
            collation_id: established.collation_id,
            greeting: established.greeting,
            options: Box::new(options.clone()),
            server_side: ServerSide::default(),
            is_followed: false,
            reuse: Reuse::default(),
            elsewhere: Elsewhere::default(),
            onlooker: None,
            tells_end: false,
            last_effect: Effect::Nothing,
            tracks_changes: options.tracks_changes
                && established.capabilities.contains(Capabilities::SESSION_TRACK),
            begun: Instant::now(),
        };
        let begun = connection.begin_session(options);
        begun.inspect_err(|_| {
            connection.close();
            spent.add(&connection.counted());
        })?;
        Ok(connection)
    }

    /// Does what has to be done before the first command of the user's.
    fn begin_session(&mut self, options: &ConnectOptions) -> Result<(), Error> {
        self.confirm_charset(options.charset)?;
        self.begin_tracking()?;
        self.set_timeouts(options)?;
        if options.query_timeout.is_some() {
            self.within_connect_timeout(|it| it.set_query_timeout(options.query_timeout))?;
        }
        self.reuse.is_fresh();
        Ok(())
    }

    /// Has done within the connect timeout what nobody asked for: a server that is silent by now holds up nobody longer. After an error
    /// the connection is not to be used any more.
    pub(crate) fn within_connect_timeout(
        &mut self,
        act: impl FnOnce(&mut Connection) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.stream.transport().finish_within(self.options.connect_timeout);
        if self.reuse.is_owed() {
            self.stream.wait_for_owed_reply(Command::ResetConnection.code());
        }
        act(self)?;
        let (read_timeout, write_timeout) = (self.options.read_timeout, self.options.write_timeout);
        self.stream.transport().set_timeouts(read_timeout, write_timeout)
    }

    /// Has the server tell of changes of a session that has just begun, if that is wanted.
    ///
    /// # Errors
    /// The connection failed.
    pub(crate) fn begin_tracking(&mut self) -> Result<(), Error> {
        if !self.tracks_changes {
            return Ok(());
        }
        let said = self.session.clone();
        let tracked = self.run_own(Own::TrackChanges, TRACK);
        self.session.keep_statement(said);
        match tracked {
            // One that does not know it.
            Err(Error::Server { .. }) if self.state == State::Ready => {
                self.tracks_changes = false;
                Ok(())
            }
            tracked => tracked,
        }
    }

    /// Has the server tell from now on of changes of its session that statements don't show, if it can and does not already. A session that waits for
    /// its user's first command is told without waiting.
    ///
    /// # Errors
    /// The connection failed.
    pub fn track_changes(&mut self) -> Result<(), Error> {
        let can = self.capabilities.contains(Capabilities::SESSION_TRACK);
        if self.tracks_changes || !can || self.state != State::Ready {
            return Ok(());
        }
        self.tracks_changes = true;
        if !self.reuse.is_first() {
            return self.begin_tracking();
        }
        // Another one may take its place.
        self.options.tracks_changes = true;
        let told = self.gathering(|it| it.write_owed(Own::TrackChanges, Command::Query(TRACK)));
        told.map_err(|error| self.lost_in_writing(error))
    }

    /// The connection phase is over: reads and writes have their own time, and the init commands are run.
    pub(crate) fn set_timeouts(&mut self, options: &ConnectOptions) -> Result<(), Error> {
        let (read_timeout, write_timeout) = (options.read_timeout, options.write_timeout);
        self.stream.transport().set_timeouts(read_timeout, write_timeout)?;
        for command in &options.init_commands {
            self.run_init_command(command, read_timeout)?;
        }
        if !options.init_commands.is_empty() {
            self.stream.transport().set_timeouts(read_timeout, write_timeout)?;
        }
        Ok(())
    }

    /// Asks again for a character set that was asked for in the handshake, where escaping depends on it.
    ///
    /// A server that does not know it, or ignores it (`skip_character_set_client_handshake`), says nothing there; a statement it
    /// has to answer.
    pub(crate) fn confirm_charset(&mut self, asked: Option<&'static Charset>) -> Result<(), Error> {
        let is_safe =
            |charset: Option<&Charset>| charset.is_none_or(|it| it.encoding.is_ascii_safe());
        let greeted = Charset::by_collation_id(self.greeting.character_set.into());
        match asked {
            Some(charset) if !(is_safe(asked) && is_safe(greeted)) => {
                self.by_itself(Own::Names, |it| it.set_charset(charset))
            }
            _ => Ok(()),
        }
    }
}
