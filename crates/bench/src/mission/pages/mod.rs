//! Pages of WordPress and MediaWiki under PHP-FPM, asked for by one, twenty and a hundred clients at once.

mod load;
mod site;

use std::env;
use std::path::PathBuf;

use super::bench::{Bench, Size};
use super::plot::{self, Plot};
use super::results::Results;
use super::verdict;
use super::workload::{Case, Measure, Outcome, Runner, WITH_NOISE, Workload};
use crate::process::number_of;
use crate::promise::Promise;
use crate::server::Server;
use crate::statistics::quantile;
use load::Took;
use site::{Installed, Programs, Site, WORKERS};

/// What `ONLY=` calls it.
pub(super) const NAME: &str = "pages";
/// As the files of `apps` are called, and what they are.
const APPLICATIONS: [(&str, &str); 2] = [("wordpress", "WordPress"), ("mediawiki", "MediaWiki")];
/// The pages of each that are measured, which `apps` makes.
const PAGES: [[&str; 2]; 2] =
    [["front page", "a post with ten comments"], ["an article", "recent changes"]];
const CLIENTS: [u32; 3] = [1, 20, 100];
/// At least so many pages a run, and one for each client.
const REQUESTS: u32 = 60;
const FEW_REQUESTS: u32 = 5;
const MEASURES: [Measure; 7] = [
    Measure::new("wall", "ms a page"),
    Measure::told("pages", "a second"),
    Measure::told("p50", "ms"),
    Measure::told("p99", "ms"),
    Measure::new("CPU of PHP", "ms a page"),
    Measure::told("CPU of the server", "ms a page"),
    Measure::within("commands", "a page", 0.5),
];
const WALL: usize = 0;
const P99: usize = 3;
const CPU: usize = 4;
/// What the server was asked so far: log-ins are not in it, and each needs a round trip, too.
const COMMANDS: &str = "SELECT SUM(variable_value) FROM information_schema.global_status WHERE variable_name IN ('QUESTIONS', 'COM_STMT_PREPARE')";

/// The workload.
pub(super) struct Pages {
    server: Server,
    programs: Programs,
    lines: Vec<Line>,
    /// By their places in [`APPLICATIONS`].
    installed: Vec<Installed>,
    /// How many commands it takes to ask for [`COMMANDS`].
    asking: f64,
}

/// A case.
struct Line {
    application: usize,
    page: &'static str,
    clients: u32,
    case: Case,
}

impl Pages {
    /// On this server, if `scripts/bench` has found PHP-FPM and applications for this PHP.
    pub(super) fn from_env(server: &Server, size: Size) -> Option<Pages> {
        let path = |name| env::var(name).ok().map(PathBuf::from);
        let programs = Programs {
            fpm: path("VAQUITA_FPM")?,
            nginx: path("VAQUITA_NGINX")?,
            libraries: env::var("VAQUITA_FPM_LIBRARIES").ok()?,
            packages: path("VAQUITA_APPS")?,
        };
        let (server, lines) = (server.clone(), lines(size));
        Some(Pages { server, programs, lines, installed: Vec::new(), asking: 0.0 })
    }

    fn commands(&self, bench: &Bench) -> Result<f64, String> {
        number_of(&bench.sql(&self.server, &[COMMANDS])?)
    }

    /// Everything of one run, where the site is up.
    fn measure(&self, line: &Line, site: &Site, bench: &Bench) -> Result<Outcome, String> {
        let page = self.page(line)?;
        let requests = bench.size.pick(REQUESTS.max(line.clients), FEW_REQUESTS);
        // Each worker has looked for all of its files then.
        page.ask_often(&site.socket(), WORKERS, bench.size.pick(2 * WORKERS, 1))?;
        let commands = self.commands(bench)?;
        let (php, server) = (site.cpu_ms()?, self.server.cpu_ms()?);
        let took = page.ask_often(&site.socket(), line.clients, requests)?;
        let (php, server) = (site.cpu_ms()? - php, self.server.cpu_ms()? - server);
        let commands = self.commands(bench)? - commands - self.asking;
        Ok(Outcome { answer: None, figures: figures(&took, [php, server, commands]) })
    }

    fn page(&self, line: &Line) -> Result<&load::Page, String> {
        let installed = self.installed.get(line.application).ok_or("it was not installed")?;
        let page = installed.pages.iter().find(|(name, _)| name == line.page);
        page.map(|(_, page)| page).ok_or_else(|| format!("there is no page {}", line.page))
    }
}

fn lines(size: Size) -> Vec<Line> {
    let mut lines = Vec::new();
    for (application, ((_, called), pages)) in APPLICATIONS.iter().zip(PAGES).enumerate() {
        for page in pages {
            for clients in CLIENTS {
                let many = if clients == 1 { "" } else { "s" };
                let name = format!("{page}, {clients} client{many}");
                let case = Case { group: (*called).to_owned(), name, runners: WITH_NOISE };
                lines.push(Line { application, page, clients, case });
            }
        }
    }
    lines.truncate(size.pick(lines.len(), 1));
    lines
}

/// In the order of the measures.
fn figures(took: &Took, of_all: [f64; 3]) -> Vec<f64> {
    let pages = f64::from(u32::try_from(took.each.len()).unwrap_or(u32::MAX));
    let each: Vec<f64> = took.each.iter().map(|it| it.as_secs_f64() * 1e3).collect();
    let part = |part| quantile(&each, part).unwrap_or_default();
    let seconds = took.all.as_secs_f64();
    let mut figures = vec![seconds * 1e3 / pages, pages / seconds, part(0.5), part(0.99)];
    figures.extend(of_all.map(|it| it / pages));
    figures
}

impl Workload for Pages {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Pages of applications under PHP-FPM"
    }

    fn about(&self) -> String {
        format!(
            "WordPress with ten posts and MediaWiki with a few long pages, as Debian has them, behind nginx and PHP-FPM with {WORKERS} processes and opcache, all of them where clients run; \
            readers who have not logged in. So many clients at once, each of which asks again as soon as it has its page: wall is the time of all by their number, whose inverse is the rate; \
            p50, p99: of single pages, of which there are at least {REQUESTS} a run; with more clients than processors that is the time in the queue. Every answer has to be whole, of status 200, \
            and the right page. commands: what the server counts (Questions and Com_stmt_prepare), each a round trip; the log-in comes on top. Both PHPs are started anew for each run, and \
            have served some pages before."
        )
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        self.lines.iter().map(|line| line.case.clone()).collect()
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        let run = env::var("VAQUITA_RUN").map_err(|_| "VAQUITA_RUN is not set".to_owned())?;
        let count = self.lines.iter().map(|line| line.application + 1).max().unwrap_or_default();
        for (name, _) in APPLICATIONS.iter().take(count) {
            let folder = PathBuf::from(&run).join(name);
            self.installed.push(Installed::new(name, &folder, &self.programs, bench)?);
        }
        let before = self.commands(bench)?;
        self.asking = self.commands(bench)? - before;
        Ok(())
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let line = self.lines.get(case).ok_or("there is no such case")?;
        let installed = self.installed.get(line.application).ok_or("it was not installed")?;
        let site = installed.start(self.page(line)?, runner, &self.programs, bench)?;
        let outcome = self.measure(line, &site, bench);
        outcome.map_err(|error| format!("{}: {error}\n{}", runner.name(), site.log()))
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        let slower = results.count_losses(WALL);
        vec![verdict::at_most("pages that are slower than on stock beyond the noise", slower, 0.0)]
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        let bars =
            |group: &&str| [WALL, P99, CPU].map(|measure| plot::bars(results, group, measure));
        results.groups().iter().flat_map(bars).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn figures_are_those_of_a_page() {
        let each = [10, 20, 30, 40].map(Duration::from_millis).to_vec();
        let took = Took { all: Duration::from_millis(50), each };
        let figures = figures(&took, [44.0, 8.0, 100.0]);
        assert_eq!(figures.len(), MEASURES.len());
        let expected = [12.5, 80.0, 25.0, 39.7, 11.0, 2.0, 25.0];
        assert!(
            figures.iter().zip(expected).all(|(is, expected)| (is - expected).abs() < 1e-9),
            "{figures:?}"
        );
    }

    #[test]
    fn a_short_look_is_at_one_page() {
        let names = |size| lines(size).into_iter().map(|it| it.case.name).collect::<Vec<_>>();
        assert_eq!(names(Size::Small), ["front page, 1 client"]);
        let all = names(Size::Full);
        assert_eq!(all.len(), 12);
        assert_eq!(all.last().map(String::as_str), Some("recent changes, 100 clients"));
    }
}
