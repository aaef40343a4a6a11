//! What the report says, whatever it is written as: on what it was measured, and a section for each workload.

use super::plot::Plot;
use super::results::{Judgement, Results};
use super::workload::Workload;
use crate::promise::Promise;

/// All of it.
pub(super) struct Report {
    /// On what: names and what they are.
    pub(super) about: Vec<(&'static str, String)>,
    pub(super) rounds: usize,
    pub(super) sections: Vec<Section>,
}

/// A workload.
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) about: String,
    pub(super) results: Results,
    pub(super) promises: Vec<Promise>,
    pub(super) notes: Vec<String>,
    pub(super) plots: Vec<Plot>,
}

impl Section {
    /// What became of a workload.
    pub(super) fn new(workload: &dyn Workload, results: Results) -> Section {
        Section {
            name: workload.name(),
            title: workload.title(),
            about: workload.about(),
            promises: workload.promises(&results),
            notes: workload.notes(&results),
            plots: workload.plots(&results),
            results,
        }
    }
}

/// How the judged figures of all sections came out.
pub(super) struct Count {
    pub(super) wins: usize,
    pub(super) losses: usize,
    pub(super) same: usize,
}

impl Report {
    /// How the judged figures came out.
    pub(super) fn count(&self) -> Count {
        let mut count = Count { wins: 0, losses: 0, same: 0 };
        for Results { measures, cases } in self.sections.iter().map(|it| &it.results) {
            for (at, measure) in measures.iter().enumerate() {
                for judgement in cases.iter().filter_map(|case| case.judge(at, measure)) {
                    match judgement {
                        Judgement::Win => count.wins += 1,
                        Judgement::Loss => count.losses += 1,
                        Judgement::Same => count.same += 1,
                    }
                }
            }
        }
        count
    }

    /// How the count is said.
    pub(super) fn counted(&self) -> String {
        let Count { wins, losses, same } = self.count();
        format!(
            "Of {} figures that are compared Vaquita is better in {wins}, stock in {losses}; {same} differ by no more than the noise.",
            wins + losses + same
        )
    }

    /// All promises.
    pub(super) fn promises(&self) -> impl Iterator<Item = &Promise> {
        self.sections.iter().flat_map(|section| &section.promises)
    }

    /// How many promises are held, of how many.
    pub(super) fn held(&self) -> [usize; 2] {
        [self.promises().filter(|it| it.is_held).count(), self.promises().count()]
    }

    /// Where stock is better, a line each.
    pub(super) fn losses(&self) -> Vec<String> {
        self.sections.iter().flat_map(|section| section.results.losses()).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::plot;
    use super::super::results::tests::results;
    use super::*;

    /// A report with a win, or with a loss.
    pub(in super::super) fn report(vaquita: f64) -> Report {
        let results = results(&[[10.0, vaquita, 10.0], [10.0, vaquita, 10.0]]);
        let promise = |what: &str, is_held| Promise { what: what.to_owned(), is_held };
        let plots = vec![plot::bars(&results, "T", 0)];
        let section = Section {
            name: "fetch",
            title: "Fetching <rows>",
            about: "How & why.".to_owned(),
            promises: vec![promise("faster", true), promise("smaller", false)],
            notes: vec!["others: <2".to_owned()],
            plots,
            results,
        };
        Report {
            about: vec![("machine", "a \"box\"".to_owned())],
            rounds: 2,
            sections: vec![section],
        }
    }

    #[test]
    fn wins_and_losses_are_counted() {
        let of = |vaquita| {
            let Count { wins, losses, same } = report(vaquita).count();
            [wins, losses, same]
        };
        assert_eq!([of(5.0), of(20.0), of(10.0)], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        assert_eq!(report(5.0).held(), [1, 2]);
        assert_eq!(report(20.0).losses().len(), 1);
        assert!(
            report(5.0)
                .counted()
                .starts_with("Of 1 figures that are compared Vaquita is better in 1, stock in 0")
        );
    }
}
