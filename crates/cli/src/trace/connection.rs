//! A connection: how far away its server is, and so how much of its waits was the network's.
//!
//! No server answers sooner than a round trip takes. So the fastest reply is an upper limit of that, and what TCP itself has measured (or, where that is not
//! known, how long connecting took) is a lower one: the other end of TCP may be a proxy that is nearer than the server. Between the two a
//! reply may have cost the server [`FASTEST_SERVER_US`]; what is beyond that can only be the way.
//!
//! A reply is as long as writing its command and waiting for its first byte together: a server on the same machine may work before the write
//! returns. Replies to commands that were written together take one round trip.

use vaquita_telemetry::trace::{Line, Network};

use super::shapes::Statement;
use super::shares::Shares;

/// How much of the fastest reply may have been the server's own work.
const FASTEST_SERVER_US: u64 = 200;

/// How many bytes TCP sends in the first round trip: ten segments of 1460 bytes (RFC 6928).
const FIRST_FLIGHT_BYTES: u64 = 14_600;

/// Rows that come more slowly than this, in bytes a microsecond, come so because of the server, unless a round trip takes long.
const SLOW_NETWORK_PACE: u64 = 10;

/// How many bytes of rows it takes to tell how fast the network is.
const TELLING_BYTES: u64 = 64 << 10;

/// A command of more bytes may wait for the network before all of it is written: Linux begins with so much room for a connection (`net.ipv4.tcp_wmem`).
const SMALL_WRITE_BYTES: u64 = 16 << 10;

/// How many round trips a log-in may take: the greeting, two of an authentication's, OK.
const MAX_AUTH_TRIPS: u64 = 4;

/// How many a session of TLS may take.
const MAX_TLS_TRIPS: u64 = 2;

/// So many bytes in so many microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pace {
    bytes: u64,
    us: u64,
}

impl Pace {
    /// How long so many bytes take.
    fn us(self, bytes: u64) -> u64 {
        let us = u128::from(bytes) * u128::from(self.us) / u128::from(self.bytes.max(1));
        u64::try_from(us).unwrap_or(u64::MAX)
    }

    fn is_faster_than(self, other: Pace) -> bool {
        u128::from(self.bytes) * u128::from(other.us)
            > u128::from(other.bytes) * u128::from(self.us)
    }
}

/// Rows that are coming.
#[derive(Clone, Copy, Debug)]
struct Rows {
    began_us: u64,
    last_us: u64,
    bytes: u64,
}

/// What is known of a connection. It takes no more memory the longer it lives.
#[derive(Debug, Default)]
pub(super) struct Connection {
    network: Option<Network>,
    min_rtt_us: u64,
    connect_us: Option<u64>,
    /// What is the network's, if there is one: names, connecting, writing what is long.
    outright_us: u64,
    /// Since the last round trip: how long writing took, if something was written.
    written_us: Option<u64>,
    /// What is the server's: a key-value port's.
    elsewhere_us: u64,
    tls_us: u64,
    auth_us: u64,
    trips: u64,
    replies_us: u64,
    fastest_us: Option<u64>,
    rows_us: u64,
    rows_bytes: u64,
    coming: Option<Rows>,
    pace: Option<Pace>,
    /// The statement under way.
    pub(super) statement: Option<Statement>,
}

impl Connection {
    /// Adds what a line tells.
    pub(super) fn add(&mut self, line: &Line<'_>) {
        self.network = line.network.or(self.network);
        if line.min_rtt_us.max(line.rtt_us) > 0 {
            self.min_rtt_us = if line.min_rtt_us > 0 { line.min_rtt_us } else { line.rtt_us };
        }
        if line.event != "more_rows" {
            self.end_rows();
        }
        let add = |sum: &mut u64| *sum = sum.saturating_add(line.us);
        match line.event {
            "resolve" => add(&mut self.outright_us),
            "connect" => {
                self.connect_us = Some(line.us);
                add(&mut self.outright_us);
            }
            "tls" => add(&mut self.tls_us),
            "auth" => {
                add(&mut self.auth_us);
                // At least the greeting's way and a round trip; the greeting's is half of one where a proxy was connected to.
                self.note_fastest(line.us / 3 * 2);
            }
            "write" if line.bytes > SMALL_WRITE_BYTES => {
                self.written_us.get_or_insert_default();
                add(&mut self.outright_us);
            }
            "write" => add(self.written_us.get_or_insert_default()),
            "first_byte" => self.add_reply(line),
            "more_rows" => {
                add(&mut self.rows_us);
                self.rows_bytes = self.rows_bytes.saturating_add(line.bytes);
                if let Some(rows) = &mut self.coming {
                    rows.bytes = rows.bytes.saturating_add(line.bytes);
                    rows.last_us = line.at.0;
                }
            }
            "kv_get" => add(&mut self.elsewhere_us),
            _ => {}
        }
    }

    /// Whether more is known of it than that it is being made.
    pub(super) fn has_logged_in(&self) -> bool {
        self.fastest_us.is_some()
    }

    fn add_reply(&mut self, line: &Line<'_>) {
        self.coming = Some(Rows { began_us: line.at.0, last_us: line.at.0, bytes: 0 });
        // It was asked for when the last user let go of the connection: nobody knows when it came.
        let is_awaited = line.command != "reset_connection";
        let written_us = self.written_us.take_if(|_| is_awaited);
        let us = line.us.saturating_add(written_us.unwrap_or(0));
        self.replies_us = self.replies_us.saturating_add(us);
        if written_us.is_some() {
            self.trips += 1;
            self.note_fastest(us);
        }
    }

    fn note_fastest(&mut self, us: u64) {
        self.fastest_us = Some(self.fastest_us.map_or(us, |fastest| fastest.min(us)));
    }

    /// No more rows come: the client took them as fast as it could, or more slowly, so that the network is at least as fast as they came.
    fn end_rows(&mut self) {
        let Some(Rows { began_us, last_us, bytes }) = self.coming.take() else { return };
        let pace = Pace { bytes, us: last_us.saturating_sub(began_us).max(1) };
        if bytes >= TELLING_BYTES && self.pace.is_none_or(|known| pace.is_faster_than(known)) {
            self.pace = Some(pace);
        }
    }

    /// How long a round trip takes, as far as that is known.
    pub(super) fn round_trip_us(&self) -> u64 {
        if self.network == Some(Network::Unix) {
            return 0;
        }
        let fastest = self.fastest_us.unwrap_or(0);
        // Connecting may have taken long for another reason.
        let connect = self.connect_us.map_or(0, |connect| connect.min(fastest));
        let tcp = Some(self.min_rtt_us).filter(|it| *it > 0).unwrap_or(connect);
        tcp.max(fastest.saturating_sub(FASTEST_SERVER_US))
    }

    /// Whose its waits were.
    pub(super) fn shares(&mut self) -> Shares {
        self.end_rows();
        let trip = self.round_trip_us();
        // A socket in a folder leads to the server itself.
        let is_unix = self.network == Some(Network::Unix);
        let (server_us, client_us) = (self.elsewhere_us, self.written_us.unwrap_or(0));
        let mut shares = Shares { server_us, network_us: 0, client_us };
        shares.add_reply(self.outright_us, if is_unix { 0 } else { self.outright_us });
        shares.add_reply(self.tls_us, trip.saturating_mul(MAX_TLS_TRIPS));
        shares.add_reply(self.auth_us, trip.saturating_mul(MAX_AUTH_TRIPS));
        shares.add_reply(self.replies_us, trip.saturating_mul(self.trips));
        shares.add_reply(self.rows_us, self.rows_network_us(trip));
        shares
    }

    /// How long the rows would have taken if the server had had them all ready.
    fn rows_network_us(&self, trip: u64) -> u64 {
        if self.network == Some(Network::Unix) {
            return 0;
        }
        let flights = Pace { bytes: FIRST_FLIGHT_BYTES, us: trip };
        let slow = Pace { bytes: SLOW_NETWORK_PACE, us: 1 };
        let least = if slow.is_faster_than(flights) { flights } else { slow };
        let pace = self.pace.filter(|it| it.is_faster_than(least)).unwrap_or(least);
        pace.us(self.rows_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_telemetry::trace::Moment;

    /// A connection with these waits: event, when it ended, how long it was, bytes. A `reply` is one to a query, a `reset` one to a reset.
    fn connection(waits: &[(&str, u64, u64, u64)]) -> Connection {
        let mut connection = Connection::default();
        for &(event, at, us, bytes) in waits {
            let command = if event == "reset" { "reset_connection" } else { "query" };
            if matches!(event, "reset" | "reply") {
                connection.add(&Line { event: "write", command, bytes: 50, ..Line::default() });
            }
            let event = if matches!(event, "reset" | "reply") { "first_byte" } else { event };
            connection.add(&Line { event, at: Moment(at), us, bytes, command, ..Line::default() });
        }
        connection
    }

    fn end(connection: &mut Connection, network: Network, min_rtt_us: u64) {
        let (event, network) = ("end", Some(network));
        connection.add(&Line { event, network, min_rtt_us, ..Line::default() });
    }

    #[test]
    fn a_round_trip_is_between_what_tcp_and_what_the_fastest_reply_took() {
        let check = |waits: &[(&str, u64, u64, u64)], rtt: Option<u64>, expected: u64| {
            let mut connection = connection(waits);
            if let Some(rtt) = rtt {
                end(&mut connection, Network::Tcp, rtt);
            }
            assert_eq!(connection.round_trip_us(), expected, "{waits:?} {rtt:?}");
        };
        // The same machine: what is more than TCP's was the server's.
        check(&[("reply", 0, 90, 0), ("reply", 0, 60, 0)], Some(20), 20);
        // The same room.
        check(&[("reply", 0, 400, 0)], Some(300), 300);
        // A proxy in this machine, and the server far behind it.
        check(&[("reply", 0, 40_100, 0)], Some(20), 39_900);
        // Replies that were there before they were waited for: to a reset, and to the second of two commands.
        check(&[("reply", 0, 350, 0), ("reset", 0, 1, 0)], Some(300), 300);
        check(
            &[("reset", 0, 1, 0), ("reply", 0, 40_100, 0), ("first_byte", 0, 1, 0)],
            None,
            39_900,
        );
        check(&[("reply", 0, 1, 0)], Some(300), 300);
        // A server of this machine has answered before the write returned.
        check(&[("write", 0, 275, 50), ("first_byte", 0, 4, 0)], None, 79);
        // Only slow statements, but a log-in of two round trips.
        check(&[("auth", 0, 300, 0), ("reply", 0, 2_000_000, 0)], Some(20), 20);
        check(&[("auth", 0, 60_300, 0), ("reply", 0, 2_000_000, 0)], Some(20), 40_000);
        // The connection goes on: connecting says how far away the other end is.
        check(&[("connect", 0, 30, 0), ("auth", 0, 900, 0), ("reply", 0, 150, 0)], None, 30);
        check(&[("connect", 0, 500, 0), ("reply", 0, 600, 0)], None, 500);
        check(&[("reply", 0, 150, 0)], None, 0);
        check(&[("connect", 0, 500, 0)], None, 0);
        check(&[], None, 0);
    }

    #[test]
    fn a_unix_socket_has_no_network() {
        let mut near = connection(&[
            ("connect", 0, 10, 0),
            ("auth", 0, 300, 0),
            ("write", 0, 5, 0),
            ("reply", 0, 5_000, 0),
            ("more_rows", 0, 700, 1_000_000),
        ]);
        end(&mut near, Network::Unix, 0);
        assert_eq!(near.shares(), Shares { server_us: 6_015, network_us: 0, client_us: 0 });
    }

    #[test]
    fn a_slow_server_and_a_slow_network_are_told_apart() {
        let slow = [("connect", 0, 100, 0), ("auth", 0, 1_000, 0), ("reply", 0, 2_000_000, 0)];
        let mut server = connection(&slow);
        end(&mut server, Network::Tcp, 80);
        let shares = server.shares();
        assert_eq!(shares, Shares { server_us: 1_999_534, network_us: 1_566, client_us: 0 });

        let trips: Vec<_> = (0..10).map(|_| ("reply", 0, 40_500, 0)).collect();
        let slow = [&[("connect", 0, 50, 0), ("auth", 0, 80_700, 0)], &trips[..]].concat();
        let mut network = connection(&slow);
        end(&mut network, Network::Tcp, 30);
        let Shares { server_us, network_us, .. } = network.shares();
        assert_eq!(network.round_trip_us(), 40_300);
        assert_eq!((server_us, network_us), (2_000, 483_750));
    }

    #[test]
    fn rows_take_their_time_of_the_network_or_of_the_server() {
        let rows = |trip: u64, bytes: u64, us: u64| {
            let mut connection = connection(&[
                ("reply", 1_000, trip, 0),
                ("more_rows", 1_000 + us / 2, us / 2, bytes / 2),
                ("more_rows", 1_000 + us, us / 2, bytes / 2),
            ]);
            end(&mut connection, Network::Tcp, trip);
            let shares = connection.shares();
            (shares.server_us, shares.network_us - trip)
        };
        // 12 MB a second: a network of 100 Mbit/s.
        assert_eq!(rows(100, 12_000_000, 1_000_000), (0, 1_000_000));
        // 0.1 MB a second, and near: the server has no more.
        assert_eq!(rows(100, 100_000, 1_000_000), (990_000, 10_000));
        // The same far away: 14,600 bytes in each round trip of 100 ms are no less than that.
        assert_eq!(rows(100_000, 100_000, 500_000), (0, 500_000));
        // A few bytes late.
        assert_eq!(rows(100, 100, 1_000_000), (999_990, 10));
    }

    #[test]
    fn the_clients_own_time_between_rows_is_not_the_networks_pace() {
        // The same bytes: once taken at once, once with pauses, when they were there already.
        let mut both = connection(&[
            ("reply", 0, 100, 0),
            ("more_rows", 10_000, 10_000, 1_000_000),
            ("reply", 20_000, 100, 0),
            ("more_rows", 920_000, 10, 1_000_000),
        ]);
        end(&mut both, Network::Tcp, 100);
        let shares = both.shares();
        assert_eq!((shares.server_us, shares.network_us), (0, 10_210));
    }
}
