//! Who runs a loop, and what a run of it comes to.

use std::fmt;
use std::path::Path;
use std::process::Command;

use super::loops::Loop;
use crate::process::{number, output, parse};
use crate::processors::Processors;
use crate::server::Server;
use crate::stack::Stack;
use crate::statistics::median;

/// How long a loop goes on.
#[derive(Clone, Copy)]
pub(crate) enum HowLong {
    Seconds(f64),
    Times(u32),
}

impl fmt::Display for HowLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HowLong::Seconds(seconds) => write!(f, "{seconds}s"),
            HowLong::Times(times) => write!(f, "{times}"),
        }
    }
}

/// Who runs a loop.
#[derive(Clone, Copy)]
pub(crate) enum Runner<'a> {
    /// A PHP, with `examples/persistent.php`.
    Php(&'a Stack, &'a Path),
    /// What `examples/persistent.c` was compiled to.
    C(&'a Path, Option<&'a Processors>),
}

impl Runner<'_> {
    /// Runs a loop in a process of its own.
    ///
    /// # Errors
    /// The program fails, hangs, or prints anything else than its one line.
    pub(crate) fn run(
        self,
        one: Loop,
        how_long: HowLong,
        server: &Server,
    ) -> Result<Sample, String> {
        let before = server.cpu_ms()?;
        let how_long = how_long.to_string();
        let line = match self {
            Runner::Php(stack, script) => {
                let [api, what, kind] = one.arguments();
                stack.run(script, &[api, what, kind, &how_long], server)
            }
            Runner::C(program, processors) => {
                let mut command = match processors {
                    Some(processors) => processors.client(program),
                    None => Command::new(program),
                };
                server.describe_to(command.args(one.c_arguments()).arg(how_long));
                output(&mut command).map_err(|error| format!("{}: {error}", program.display()))
            }
        };
        let line = line.map_err(|error| format!("{one}: {error}"))?;
        Sample::read(&line, server.cpu_ms()? - before)
    }
}

/// What one run of a loop came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    times: f64,
    wall_ms: f64,
    client_ms: f64,
    server_ms: f64,
}

impl Sample {
    fn read(line: &str, server_ms: f64) -> Result<Sample, String> {
        let report = parse(line)?;
        let sample = Sample {
            times: number(&report, "times")?,
            wall_ms: number(&report, "wall_ms")?,
            client_ms: number(&report, "cpu_ms")?,
            server_ms,
        };
        if sample.times > 0.0 && sample.wall_ms > 0.0 {
            Ok(sample)
        } else {
            Err(format!("nothing was measured: {line}"))
        }
    }

    /// How often it was done in a second.
    pub(super) fn rate(&self) -> f64 {
        self.times / self.wall_ms * 1e3
    }

    /// How long it took, in milliseconds.
    pub(crate) fn ms(&self) -> f64 {
        self.wall_ms / self.times
    }

    /// The client's CPU time for it, in microseconds.
    pub(crate) fn client_us(&self) -> f64 {
        self.client_ms / self.times * 1e3
    }

    /// The server's CPU time for it, in microseconds, coarsely.
    pub(crate) fn server_us(&self) -> f64 {
        self.server_ms / self.times * 1e3
    }

    /// The client's CPU time in all, in milliseconds.
    pub(super) fn client_ms(&self) -> f64 {
        self.client_ms
    }

    /// The server's CPU time in all, in milliseconds; what it does at the client's start and end is in it.
    pub(super) fn server_ms(&self) -> f64 {
        self.server_ms
    }
}

/// The median of a figure of samples; `None`: there are none.
pub(super) fn middle(samples: &[Sample], figure: fn(&Sample) -> f64) -> Option<f64> {
    (!samples.is_empty()).then(|| median(samples.iter().map(figure)))
}

/// The median of what a figure of one is to that of the other, round by round: what slows a round slows both.
pub(super) fn ratio(of: &[Sample], to: &[Sample], figure: fn(&Sample) -> f64) -> Option<f64> {
    let ratios = of.iter().zip(to).map(|(of, to)| figure(of) / figure(to));
    (!of.is_empty() && !to.is_empty()).then(|| median(ratios))
}

/// How much of a time all samples together needed each time, in microseconds: a single one's is too coarse. `None`: there are none.
pub(super) fn each_us(samples: &[Sample], ms: fn(&Sample) -> f64) -> Option<f64> {
    let times: f64 = samples.iter().map(|sample| sample.times).sum();
    (times > 0.0).then(|| samples.iter().map(ms).sum::<f64>() / times * 1e3)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A sample with this rate.
    pub(in super::super) fn sample(rate: f64) -> Sample {
        Sample { times: rate, wall_ms: 1e3, client_ms: 500.0, server_ms: 250.0 }
    }

    #[test]
    fn reads_what_a_program_reports() {
        let read = Sample::read(r#"{"times":2000,"wall_ms":500,"cpu_ms":100.5}"#, 50.0).unwrap();
        assert_eq!(
            (read.rate(), read.ms(), read.client_us(), read.server_us()),
            (4000.0, 0.25, 50.25, 25.0)
        );
        let other = Sample { server_ms: 10.0, ..read };
        assert_eq!(each_us(&[read, other], Sample::server_ms), Some(15.0));
        assert_eq!(each_us(&[], Sample::server_ms), None);
        for line in ["", "{}", r#"{"times":0,"wall_ms":500,"cpu_ms":1}"#, "Warning: x"] {
            assert!(Sample::read(line, 0.0).is_err(), "{line}");
        }
    }

    #[test]
    fn a_ratio_is_that_of_rounds() {
        // In the second round somebody else was at work.
        let (fast, slow) = ([100.0, 20.0, 110.0].map(sample), [10.0, 2.0, 11.0].map(sample));
        assert_eq!(ratio(&fast, &slow, Sample::rate), Some(10.0));
        assert_eq!(ratio(&fast, &[], Sample::rate), None);
        assert_eq!(middle(&fast, Sample::rate), Some(100.0));
        assert_eq!(middle(&[], Sample::rate), None);
    }

    #[test]
    fn programs_are_told_how_long() {
        assert_eq!(HowLong::Seconds(0.25).to_string(), "0.25s");
        assert_eq!(HowLong::Times(10).to_string(), "10");
    }
}
