//! What a workload is: cases, each of which several runners run, and what a run comes to.

use super::bench::Bench;
use super::plot::Plot;
use super::results::Results;
use crate::promise::Promise;

/// Who runs a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Runner {
    /// A PHP with the stock extensions.
    Stock,
    /// A PHP with Vaquita.
    Vaquita,
    /// Stock once more: what differs between the two is noise.
    StockAgain,
    /// A program in C with libmariadb.
    C,
}

impl Runner {
    /// What tables call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Runner::Stock => "stock",
            Runner::Vaquita => "Vaquita",
            Runner::StockAgain => "stock again",
            Runner::C => "C",
        }
    }
}

/// Both stacks.
pub(super) const BOTH: &[Runner] = &[Runner::Stock, Runner::Vaquita];
/// Both, and stock once more for the noise.
pub(super) const WITH_NOISE: &[Runner] = &[Runner::Stock, Runner::Vaquita, Runner::StockAgain];
/// Those, and C.
pub(super) const ALL: &[Runner] = &[Runner::Stock, Runner::Vaquita, Runner::StockAgain, Runner::C];
/// Vaquita alone.
pub(super) const ON_VAQUITA: &[Runner] = &[Runner::Vaquita];
/// Stock alone: what has nothing to do with the driver.
pub(super) const ON_STOCK: &[Runner] = &[Runner::Stock];
/// C alone.
pub(super) const IN_C: &[Runner] = &[Runner::C];

/// Something that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// What stands in one table with it.
    pub(super) group: String,
    /// The name of its line.
    pub(super) name: String,
    /// Who runs it.
    pub(super) runners: &'static [Runner],
}

/// A figure that runs come to; each that is judged is better when it is smaller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measure {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    /// Up to which difference two are the same, whatever their ratio; `None`: it is not judged, it only explains others.
    pub(super) same_within: Option<f64>,
}

impl Measure {
    /// One that is judged.
    pub(super) const fn new(name: &'static str, unit: &'static str) -> Measure {
        Measure { name, unit, same_within: Some(0.0) }
    }

    /// One that is judged where more than this lies between two figures.
    pub(super) const fn within(name: &'static str, unit: &'static str, same: f64) -> Measure {
        Measure { name, unit, same_within: Some(same) }
    }

    /// One that is only told.
    pub(super) const fn told(name: &'static str, unit: &'static str) -> Measure {
        Measure { name, unit, same_within: None }
    }

    /// Whether a larger one on Vaquita is a loss.
    pub(super) fn is_judged(&self) -> bool {
        self.same_within.is_some()
    }
}

/// What a run comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// What came, such as a digest of all rows: the same each time for whoever tells it.
    pub(super) answer: Option<String>,
    /// A figure for each measure of the workload.
    pub(super) figures: Vec<f64>,
}

/// How often a case is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// Once: its figures don't drift.
    Once,
    /// Once for warming up, then once in each round.
    EachRound,
}

/// A part of the mission. Each is measured in turn with the others, and is a section of the report.
pub(super) trait Workload {
    /// What `ONLY=` calls it.
    fn name(&self) -> &'static str;

    /// The heading.
    fn title(&self) -> &'static str;

    /// What is measured and how: a few sentences for the report.
    fn about(&self) -> String;

    /// What each run comes to.
    fn measures(&self) -> Vec<Measure>;

    /// What is measured, in the order of the report.
    fn cases(&self) -> Vec<Case>;

    /// How often.
    fn repeats(&self) -> Repeats {
        Repeats::EachRound
    }

    /// Makes what the runs need.
    ///
    /// # Errors
    /// What went wrong.
    fn prepare(&mut self, bench: &Bench) -> Result<(), String>;

    /// Runs a case of [`Self::cases`], by its place there, in a process of its own.
    ///
    /// # Errors
    /// The run failed, or its answer is wrong.
    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String>;

    /// What was promised of it, and what became of that.
    fn promises(&self, results: &Results) -> Vec<Promise>;

    /// What others say of the same, beside what came out.
    fn notes(&self, _results: &Results) -> Vec<String> {
        Vec::new()
    }

    /// What the report draws.
    fn plots(&self, results: &Results) -> Vec<Plot>;
}
