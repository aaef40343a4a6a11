//! The same over a network: how long connect+SELECT 1+close takes where the server is far away, and how many round trips it waits for.

use std::fmt;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use super::Runners;
use super::loops::{Api, Kind, Loop, What};
use super::runner::{HowLong, Runner, Sample, middle};
use crate::progress::Progress;
use crate::promise::Promise;
use crate::relay::Relay;
use crate::server::{MYSQL, Server};
use crate::statistics::median;

/// What is added to each round trip; where that is nothing, there is no relay either.
const ADDED_MS: [u64; 3] = [0, 1, 20];
/// Where round trips are counted: far enough for everything that is not waited for to be sent meanwhile.
const COUNTED_AT_MS: u64 = 1;
/// How often for that: beyond the first ones, which log in, and as often more.
const COUNTS: [u32; 2] = [10, 60];
const SAMPLE: HowLong = HowLong::Seconds(0.3);
/// A user of MySQL's with the older plugin.
const NATIVE_USER: &str = "vaquita_native";
/// How many round trips connect+SELECT 1+close may take, besides the query's own time.
const ROUND_TRIPS: f64 = 1.1;

const SELECT_OPEN: Loop = Loop::new(Api::Mysqli, What::Select, Kind::Open);
const PING: Loop = Loop::new(Api::Mysqli, What::Ping, Kind::Open);
const SELECT: Loop = Loop::new(Api::Mysqli, What::Select, Kind::Persistent);
const CONNECT: Loop = Loop::new(Api::Mysqli, What::Connect, Kind::Persistent);

/// A server, and how its users log in.
struct Place {
    called: String,
    server: Server,
    far: Vec<Far>,
    /// Round trips: for connect+close and connect+SELECT 1+close with `p:`, on stock and on Vaquita.
    trips: Option<[[f64; 2]; 2]>,
}

/// A distance.
struct Far {
    added_ms: u64,
    /// `None`: the server itself.
    relay: Option<Rc<Relay>>,
    /// On Vaquita: SELECT 1 on an open connection, and a round trip.
    open: Vec<Sample>,
    ping: Vec<Sample>,
    /// connect+SELECT 1+close with `p:`.
    stock: Vec<Sample>,
    vaquita: Vec<Sample>,
}

/// Measures, prints the tables, and tells what was promised.
///
/// # Errors
/// If anything fails.
pub(super) fn run(
    runners: &Runners<'_>,
    hosts: &[(Server, String)],
    rounds: usize,
) -> Result<Vec<Promise>, String> {
    let mut places = Vec::new();
    for (server, version) in hosts {
        let start = |ms| relay(ms, server.port()).map(|it| (ms, it));
        let relays: Result<Vec<_>, _> = ADDED_MS.into_iter().map(start).collect();
        let relays = relays.map_err(|error| format!("there can be no relay: {error}"))?;
        for (server, plugin) in users(server, version) {
            for is_encrypted in [false, true] {
                let way = if is_encrypted { "TLS" } else { "plain" };
                places.push(Place {
                    called: format!("{version}, {plugin}, {way}"),
                    server: server.encrypted(is_encrypted),
                    far: relays
                        .iter()
                        .map(|(added_ms, relay)| Far::new(*added_ms, relay.clone()))
                        .collect(),
                    trips: None,
                });
            }
        }
    }
    let mut progress = Progress::new(places.len() * (1 + rounds));
    for place in &mut places {
        progress.now(&format!("round trips: {}", place.called));
        place.count(runners)?;
    }
    for round in 0..rounds {
        for Place { called, server, far, .. } in &mut places {
            progress.now(&format!("far away, round {} of {rounds}: {called}", round + 1));
            far.iter_mut().try_for_each(|far| far.measure(runners, server, round))?;
        }
    }
    drop(progress);
    println!("\n{}\n\n{}", Times(&places), Trips(&places));
    let promises = |place: &Place| {
        let of_times = place.far.iter().map(|far| far.promise(&place.called));
        of_times.chain(place.promise()).collect::<Vec<_>>()
    };
    Ok(places.iter().flat_map(promises).collect())
}

/// What adds so much to each round trip; `None`: nothing has to.
fn relay(added_ms: u64, port: u16) -> io::Result<Option<Rc<Relay>>> {
    let start = || Relay::start(port, Duration::from_millis(added_ms)).map(Rc::new);
    (added_ms > 0).then(start).transpose()
}

/// The users of a server, with what they log in by.
fn users(server: &Server, version: &str) -> Vec<(Server, &'static str)> {
    const NATIVE: &str = "mysql_native_password";
    match version.starts_with(MYSQL) {
        true => {
            vec![(server.used_by(NATIVE_USER), NATIVE), (server.clone(), "caching_sha2_password")]
        }
        false => vec![(server.clone(), NATIVE)],
    }
}

/// The statements that make the user of MySQL's with the older plugin.
pub(super) fn make_native_user(server: &Server) -> [String; 2] {
    let password = server.password();
    [
        format!("CREATE USER {NATIVE_USER} IDENTIFIED WITH mysql_native_password BY '{password}'"),
        format!("GRANT ALL ON *.* TO {NATIVE_USER}"),
    ]
}

impl Place {
    /// Counts round trips.
    fn count(&mut self, runners: &Runners<'_>) -> Result<(), String> {
        let far = self.far.iter().find(|far| far.added_ms == COUNTED_AT_MS);
        let relay = far.and_then(|far| far.relay.as_ref()).ok_or("there is no such relay")?;
        let server = self.server.through(relay.port());
        let count = |one| {
            let mut counts = [0.0; 2];
            for (trips, runner) in counts.iter_mut().zip([runners.stock, runners.vaquita]) {
                *trips = trips_of(runner, one, &server, relay)?;
            }
            Ok::<_, String>(counts)
        };
        self.trips = Some([count(CONNECT)?, count(SELECT)?]);
        Ok(())
    }

    /// What was promised of round trips.
    fn promise(&self) -> Option<Promise> {
        let [[_, connect], [_, select]] = self.trips?;
        Some(Promise {
            what: format!(
                "{}: connect with p: waits for {connect:.2} round trips, with SELECT 1 for {select:.2}",
                self.called
            ),
            // What a hiccup may add to so many.
            is_held: connect == 0.0 && (select - 1.0).abs() < 0.05,
        })
    }
}

/// How many round trips a loop waits for each time.
fn trips_of(runner: Runner<'_>, one: Loop, server: &Server, relay: &Relay) -> Result<f64, String> {
    let mut trips = [0; 2];
    for (trips, count) in trips.iter_mut().zip(COUNTS) {
        let before = relay.round_trips();
        runner.run(one, HowLong::Times(count), server)?;
        *trips = relay.round_trips() - before;
    }
    let [few, many] = trips;
    let [fewer, more] = COUNTS;
    let further = u32::try_from(many.saturating_sub(few)).unwrap_or(u32::MAX);
    Ok(f64::from(further) / f64::from(more - fewer))
}

impl Far {
    fn new(added_ms: u64, relay: Option<Rc<Relay>>) -> Far {
        let none = Vec::new;
        Far { added_ms, relay, open: none(), ping: none(), stock: none(), vaquita: none() }
    }

    fn measure(
        &mut self,
        runners: &Runners<'_>,
        server: &Server,
        round: usize,
    ) -> Result<(), String> {
        let port = self.relay.as_ref().map_or(server.port(), |relay| relay.port());
        let server = server.through(port);
        let mut all = [
            (runners.vaquita, SELECT_OPEN, &mut self.open),
            (runners.vaquita, SELECT, &mut self.vaquita),
            (runners.vaquita, PING, &mut self.ping),
            (runners.stock, SELECT, &mut self.stock),
        ];
        if round % 2 == 1 {
            all.reverse();
        }
        for (runner, one, samples) in all {
            samples.push(runner.run(one, SAMPLE, &server)?);
        }
        Ok(())
    }

    /// How long it may take, in milliseconds, round by round: the query on an open connection takes a round trip and its own time.
    fn limits(&self) -> impl Iterator<Item = f64> {
        let both = self.open.iter().zip(&self.ping);
        both.map(|(open, ping)| open.ms() + (ROUND_TRIPS - 1.0) * ping.ms())
    }

    /// What of that it takes.
    fn share(&self) -> f64 {
        median(self.vaquita.iter().zip(self.limits()).map(|(took, limit)| took.ms() / limit))
    }

    fn promise(&self, place: &str) -> Promise {
        let share = self.share();
        Promise {
            what: format!(
                "{place}, {} ms added: connect+SELECT 1 with p: takes {:.3} of what it may",
                self.added_ms,
                // Never rounded down to what was asked for.
                (share * 1e3).ceil() / 1e3,
            ),
            is_held: !self.vaquita.is_empty() && share <= 1.0,
        }
    }
}

/// The table of times.
struct Times<'a>(&'a [Place]);

impl fmt::Display for Times<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Over TCP; latency is added by a relay, and where it is 0 there is none. Milliseconds, medians. It may take {ROUND_TRIPS} round trips and the query's own \
             time:\nwhat SELECT 1 takes on an open connection, and a tenth of a round trip (a ping)."
        )?;
        let open = format!("{:>9}{:>10}", "ping", "SELECT 1");
        let closed = format!("{:>9}{:>9}{:>9}", "stock", "Vaquita", "may take");
        writeln!(f, "{:<46}{:>6}{:>19}{:>27}", "", "", "open, Vaquita", "connect+SELECT 1, p:")?;
        write!(f, "{:<46}{:>6}{open}{closed}", "", "added")?;
        for place in self.0 {
            for far in &place.far {
                let middle = |samples| middle(samples, Sample::ms).unwrap_or_default();
                let (ping, open) = (middle(&far.ping), middle(&far.open));
                let (stock, vaquita) = (middle(&far.stock), middle(&far.vaquita));
                let limit = median(far.limits());
                write!(f, "\n{:<46}{:>6}", place.called, far.added_ms)?;
                write!(f, "{ping:>9.3}{open:>10.3}{stock:>9.3}{vaquita:>9.3}{limit:>9.3}")?;
            }
        }
        Ok(())
    }
}

/// The table of round trips.
struct Trips<'a>(&'a [Place]);

impl fmt::Display for Trips<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Round trips waited for each time with p:, counted by the relay.")?;
        let columns = format!("{:>9}{:>9}", "stock", "Vaquita");
        writeln!(f, "{:<46}{:>18}{:>22}", "", "connect", "connect+SELECT 1")?;
        write!(f, "{:<46}{columns}    {columns}", "")?;
        for place in self.0 {
            if let Some([[stock, vaquita], [stock_select, vaquita_select]]) = place.trips {
                write!(f, "\n{:<46}{stock:>9.1}{vaquita:>9.1}", place.called)?;
                write!(f, "{stock_select:>13.1}{vaquita_select:>9.1}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::runner::tests::sample;
    use super::*;

    /// A distance at which these take so many milliseconds.
    fn far(open: f64, ping: f64, vaquita: f64) -> Far {
        let samples = |ms: f64| vec![sample(1e3 / ms)];
        Far {
            open: samples(open),
            ping: samples(ping),
            vaquita: samples(vaquita),
            ..Far::new(0, None)
        }
    }

    #[test]
    fn a_tenth_of_a_round_trip_is_what_reuse_may_add() {
        assert!(far(20.5, 20.0, 22.4).promise("").is_held);
        let missed = far(20.5, 20.0, 22.501).promise("a place");
        assert!(!missed.is_held);
        assert!(missed.what.ends_with("takes 1.001 of what it may"), "{}", missed.what);
        let nothing = Far { vaquita: Vec::new(), ..far(1.0, 1.0, 1.0) };
        assert!(!nothing.promise("").is_held);
    }

    #[test]
    fn what_adds_nothing_is_not_in_the_way() {
        let is_there = ADDED_MS.map(|ms| relay(ms, 0).unwrap().is_some());
        assert_eq!(is_there, [false, true, true]);
    }

    #[test]
    fn round_trips_are_promised_exactly() {
        let is_held = |connect, select| {
            let trips = Some([[2.0, connect], [3.0, select]]);
            let server = Server::for_tests();
            let place = Place { called: String::new(), server, far: Vec::new(), trips };
            (place.promise().unwrap().is_held, Trips(&[place]).to_string())
        };
        let (held, text) = is_held(0.0, 1.02);
        assert!(held && text.ends_with("2.0      0.0          3.0      1.0"), "{text}");
        assert!(!is_held(0.02, 1.0).0 && !is_held(0.0, 2.0).0 && !is_held(0.0, 0.9).0);
    }

    #[test]
    fn the_table_has_a_line_for_each_distance() {
        let far = vec![far(20.5, 20.0, 21.0), far(1.5, 1.0, 1.5)];
        let place =
            Place { called: "a place".to_owned(), server: Server::for_tests(), far, trips: None };
        let text = Times(&[place]).to_string();
        let last = text.lines().last().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(last, "a place 0 1.000 1.500 0.000 1.500 1.600");
    }
}
