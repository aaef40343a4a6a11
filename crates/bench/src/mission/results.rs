//! What the runs of a workload came to: medians, ratios, noise, losses.

use std::collections::BTreeMap;

use super::workload::{Case, Measure, Outcome, Runner};
use crate::figure::{Figure, Ratio};
use crate::statistics::{median, quantile};

/// Below this nothing is called noise or loss.
const LEAST: f64 = 0.01;

/// Whether Vaquita is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    Win,
    Loss,
    /// No more than the noise lies between both.
    Same,
}

/// What all runs of a workload came to.
pub(super) struct Results {
    pub(super) measures: Vec<Measure>,
    pub(super) cases: Vec<CaseResults>,
}

/// What the runs of a case came to.
pub(super) struct CaseResults {
    pub(super) case: Case,
    /// What came, if the runs tell it.
    pub(super) answer: Option<String>,
    /// Of each runner the figures of each run, in the order of the measures.
    pub(super) samples: BTreeMap<Runner, Vec<Vec<f64>>>,
}

impl Results {
    /// Nothing yet.
    pub(super) fn new(measures: Vec<Measure>, cases: Vec<Case>) -> Results {
        let empty = |case| CaseResults { case, answer: None, samples: BTreeMap::new() };
        Results { measures, cases: cases.into_iter().map(empty).collect() }
    }

    /// Adds a run of a case.
    ///
    /// # Errors
    /// Its answer is not that of the runs before.
    pub(super) fn add(
        &mut self,
        case: usize,
        runner: Runner,
        outcome: Outcome,
        counts: bool,
    ) -> Result<(), String> {
        let results = self.cases.get_mut(case).ok_or("there is no such case")?;
        match (&results.answer, outcome.answer) {
            (Some(before), Some(now)) if *before != now => {
                let Case { group, name, .. } = &results.case;
                return Err(format!("{group}, {name}: {} has {now}, not {before}", runner.name()));
            }
            (None, now @ Some(_)) => results.answer = now,
            _ => {}
        }
        if counts {
            results.samples.entry(runner).or_default().push(outcome.figures);
        }
        Ok(())
    }

    /// The results of a case by its names.
    pub(super) fn of(&self, group: &str, name: &str) -> Option<&CaseResults> {
        self.cases.iter().find(|it| it.case.group == group && it.case.name == name)
    }

    /// The groups, in the order of the cases.
    pub(super) fn groups(&self) -> Vec<&str> {
        let mut groups = Vec::new();
        for results in &self.cases {
            if !groups.contains(&&*results.case.group) {
                groups.push(&*results.case.group);
            }
        }
        groups
    }

    /// The cases of a group.
    pub(super) fn group(&self, group: &str) -> impl Iterator<Item = &CaseResults> {
        self.cases.iter().filter(move |it| it.case.group == group)
    }

    /// In how many cases Vaquita needs more of a measure, beyond the noise; `None`: none can be judged.
    pub(super) fn count_losses(&self, at: usize) -> Option<f64> {
        let measure = self.measures.get(at)?;
        let mut judged = self.cases.iter().filter_map(|case| case.judge(at, measure)).peekable();
        judged.peek()?;
        Some(judged.filter(|it| *it == Judgement::Loss).fold(0.0, |count, _| count + 1.0))
    }

    /// Where Vaquita is worse beyond the noise, in words.
    pub(super) fn losses(&self) -> Vec<String> {
        let mut losses = Vec::new();
        for (at, measure) in self.measures.iter().enumerate() {
            for results in
                self.cases.iter().filter(|it| it.judge(at, measure) == Some(Judgement::Loss))
            {
                let Case { group, name, .. } = &results.case;
                let noise =
                    results.noise(at).map_or("not known".to_owned(), |it| format!("{it:.3}"));
                let [stock, vaquita] =
                    [Runner::Stock, Runner::Vaquita].map(|it| Figure(results.median(it, at)));
                let (measure, unit, ratio) = (measure.name, measure.unit, Ratio(results.ratio(at)));
                losses.push(format!(
                    "{group}: {name}, {measure}: {stock} on stock, {vaquita} {unit} on Vaquita; ratio {ratio}, noise {noise}"
                ));
            }
        }
        losses
    }
}

impl CaseResults {
    /// The figures of a measure, run by run.
    pub(super) fn figures(&self, runner: Runner, measure: usize) -> Vec<f64> {
        let runs = self.samples.get(&runner).map(Vec::as_slice).unwrap_or_default();
        runs.iter().filter_map(|run| run.get(measure).copied()).collect()
    }

    /// The middle one; `None`: it was not run.
    pub(super) fn median(&self, runner: Runner, measure: usize) -> Option<f64> {
        let figures = self.figures(runner, measure);
        (!figures.is_empty()).then(|| median(figures))
    }

    /// The quarters of the runs around the middle: half of all lie between these.
    pub(super) fn quarters(&self, runner: Runner, measure: usize) -> Option<[f64; 2]> {
        let figures = self.figures(runner, measure);
        Some([quantile(&figures, 0.25)?, quantile(&figures, 0.75)?])
    }

    /// How many times more one needs than the other: the median of each round's own ratio, for what slows a round slows both.
    pub(super) fn ratio_of(&self, of: Runner, to: Runner, measure: usize) -> Option<f64> {
        let ratios = self.ratios(of, to, measure);
        (!ratios.is_empty()).then(|| median(ratios))
    }

    /// How many times better Vaquita is.
    pub(super) fn ratio(&self, measure: usize) -> Option<f64> {
        self.ratio_of(Runner::Stock, Runner::Vaquita, measure)
    }

    /// How far stock is from itself: half of the ratios of stock to stock, round by round, lie so near to 1, or their middle is as far from it.
    pub(super) fn noise(&self, measure: usize) -> Option<f64> {
        let ratios = self.ratios(Runner::Stock, Runner::StockAgain, measure);
        let half = (quantile(&ratios, 0.75)? - quantile(&ratios, 0.25)?) / 2.0;
        Some(half.max((median(ratios) - 1.0).abs()))
    }

    /// Whether Vaquita is better beyond the noise; `None`: not both were run, or it is not to be judged.
    pub(super) fn judge(&self, at: usize, measure: &Measure) -> Option<Judgement> {
        let same_within = measure.same_within?;
        let [stock, vaquita] = [Runner::Stock, Runner::Vaquita].map(|it| self.median(it, at));
        let (apart, ratio) = ((stock? - vaquita?).abs(), self.ratio(at)?);
        let noise = self.noise(at).unwrap_or_default().max(LEAST);
        Some(match ratio {
            _ if apart <= same_within => Judgement::Same,
            _ if ratio < 1.0 - noise => Judgement::Loss,
            _ if ratio > 1.0 + noise => Judgement::Win,
            _ => Judgement::Same,
        })
    }

    fn ratios(&self, of: Runner, to: Runner, measure: usize) -> Vec<f64> {
        let (of, to) = (self.figures(of, measure), self.figures(to, measure));
        // Neither needs anything: that is the same.
        let ratio = |(of, to): (f64, f64)| if of == to { 1.0 } else { of / to };
        of.into_iter().zip(to).map(ratio).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::workload::{ALL, WITH_NOISE};
    use super::*;

    /// The results of a case with these figures, round by round, of stock, Vaquita and stock again.
    pub(in super::super) fn results(rounds: &[[f64; 3]]) -> Results {
        let case = Case { group: "T".to_owned(), name: "way".to_owned(), runners: WITH_NOISE };
        let mut results = Results::new(vec![Measure::new("wall", "ms")], vec![case]);
        for round in rounds {
            for (runner, figure) in WITH_NOISE.iter().zip(round) {
                let outcome = Outcome { answer: Some("x".to_owned()), figures: vec![*figure] };
                results.add(0, *runner, outcome, true).unwrap();
            }
        }
        results
    }

    #[test]
    fn ratios_are_those_of_rounds() {
        // In the second round somebody else was at work.
        let all = results(&[[10.0, 5.0, 10.0], [100.0, 50.0, 100.0], [12.0, 6.0, 12.0]]);
        let case = all.of("T", "way").unwrap();
        assert_eq!(case.ratio(0), Some(2.0));
        assert_eq!(case.median(Runner::Stock, 0), Some(12.0));
        assert_eq!(case.noise(0), Some(0.0));
        assert_eq!(case.ratio_of(Runner::C, Runner::Stock, 0), None);
        assert_eq!(case.median(Runner::C, 0), None);
        assert!(all.losses().is_empty());
        assert!(ALL.starts_with(WITH_NOISE));
    }

    #[test]
    fn a_loss_is_beyond_the_noise() {
        let quiet = [[10.0, 10.5, 10.0], [10.0, 10.5, 10.0]];
        assert_eq!(
            results(&quiet).losses(),
            ["T: way, wall: 10.0 on stock, 10.5 ms on Vaquita; ratio 0.95, noise 0.000"]
        );
        // Stock is as far from itself.
        let noisy = [[10.0, 10.5, 11.0], [10.0, 10.5, 9.0]];
        assert!(results(&noisy).losses().is_empty());
        // Every time the second run is slower: that is noise too.
        let drifting = [[10.0, 10.5, 11.0], [10.0, 10.5, 11.0]];
        assert!(results(&drifting).losses().is_empty());
    }

    #[test]
    fn what_is_hardly_apart_is_the_same() {
        let judge = |vaquita, measure: Measure| {
            let all = results(&[[10.0, vaquita, 10.0]]);
            all.of("T", "way").unwrap().judge(0, &measure)
        };
        let exact = Measure::new("wall", "ms");
        assert_eq!(
            [11.0, 9.0, 10.0].map(|it| judge(it, exact)),
            [Some(Judgement::Loss), Some(Judgement::Win), Some(Judgement::Same)]
        );
        assert_eq!(judge(11.0, Measure::within("wall", "ms", 1.0)), Some(Judgement::Same));
        assert_eq!(judge(11.0, Measure::told("wall", "ms")), None);
    }

    #[test]
    fn losses_are_counted_where_both_were_run() {
        let count = |rounds: &[[f64; 3]]| results(rounds).count_losses(0);
        assert_eq!(
            [count(&[[10.0, 20.0, 10.0]]), count(&[[10.0, 5.0, 10.0]]), count(&[])],
            [Some(1.0), Some(0.0), None]
        );
    }

    #[test]
    fn nothing_beside_nothing_is_the_same() {
        let all = results(&[[0.0, 0.0, 0.0]]);
        assert_eq!(all.of("T", "way").unwrap().ratio(0), Some(1.0));
        let all = results(&[[7.0, 0.0, 7.0]]);
        assert_eq!(all.of("T", "way").unwrap().ratio(0), Some(f64::INFINITY));
    }

    #[test]
    fn another_answer_is_an_error() {
        let mut all = results(&[[1.0, 1.0, 1.0]]);
        let other = Outcome { answer: Some("y".to_owned()), figures: vec![1.0] };
        let error = all.add(0, Runner::Vaquita, other, false).unwrap_err();
        assert_eq!(error, "T, way: Vaquita has y, not x");
        // Who can't tell is not asked.
        let silent = Outcome { answer: None, figures: vec![1.0] };
        assert!(all.add(0, Runner::C, silent, true).is_ok());
    }
}
