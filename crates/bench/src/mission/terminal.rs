//! The report on a terminal: a table for each group and measure, losses and promises below.

use std::fmt;

use super::report::{Report, Section};
use super::results::{CaseResults, Judgement, Results};
use super::workload::Runner;
use crate::figure::{Figure, Ratio};
use crate::promise::Promises;

/// How wide the names of cases are.
const NAME: usize = 30;
const FIGURE: usize = 10;

/// Written by `Display`.
pub(super) struct Terminal<'a>(pub(super) &'a Report);

impl fmt::Display for Terminal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.0;
        report.about.iter().try_for_each(|(name, what)| writeln!(f, "{name:<10}{what}"))?;
        for Section { title, results, notes, .. } in &report.sections {
            writeln!(f, "\n== {title}")?;
            results.groups().into_iter().try_for_each(|group| table(f, group, results))?;
            let first = if notes.is_empty() { "" } else { "\n" };
            write!(f, "{first}")?;
            notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        }
        writeln!(
            f,
            "\nratio: stock / Vaquita, above 1 Vaquita is better. noise: how far stock is from itself. <: stock is better beyond the noise."
        )?;
        writeln!(f, "{}", report.counted())?;
        for Section { promises, title, .. } in &report.sections {
            if !promises.is_empty() {
                writeln!(f, "\n{title}. {}", Promises(promises))?;
            }
        }
        Ok(())
    }
}

fn table(f: &mut fmt::Formatter<'_>, group: &str, results: &Results) -> fmt::Result {
    let is_there = |runner| results.group(group).any(|it| it.samples.contains_key(&runner));
    let runners: Vec<Runner> = [Runner::Stock, Runner::Vaquita, Runner::C]
        .into_iter()
        .filter(|it| is_there(*it))
        .collect();
    for (at, measure) in results.measures.iter().enumerate() {
        let title = if at == 0 { group } else { "" };
        writeln!(
            f,
            "\n{title}{}{}, {}",
            if at == 0 { ": " } else { "  " },
            measure.name,
            measure.unit
        )?;
        write!(f, "  {:<NAME$}", "")?;
        runners.iter().try_for_each(|runner| write!(f, "{:>FIGURE$}", runner.name()))?;
        writeln!(f, "{:>FIGURE$}{:>FIGURE$}", "ratio", "noise")?;
        for case in results.group(group) {
            let CaseResults { case: named, .. } = case;
            write!(f, "  {:<NAME$}", named.name)?;
            runners.iter().try_for_each(|runner| {
                write!(f, "{:>FIGURE$}", Figure(case.median(*runner, at)))
            })?;
            let noise = case.noise(at).map_or("-".to_owned(), |it| format!("{it:.3}"));
            let mark = if case.judge(at, measure) == Some(Judgement::Loss) { " <" } else { "" };
            writeln!(f, "{:>FIGURE$}{noise:>FIGURE$}{mark}", Ratio(case.ratio(at)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::report;
    use super::*;

    #[test]
    fn a_loss_is_marked() {
        let line = |vaquita| {
            let text = Terminal(&report(vaquita)).to_string();
            let line =
                text.lines().find(|line| line.trim_start().starts_with("way")).map(str::to_owned);
            line.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line(20.0), "way 10.0 20.0 0.50 0.000 <");
        assert_eq!(line(5.0), "way 10.0 5.00 2.00 0.000");
    }

    #[test]
    fn notes_and_promises_stand_below() {
        let text = Terminal(&report(5.0)).to_string();
        assert!(text.contains("\n\nothers: <2\n"), "{text}");
        assert!(
            text.trim_end().ends_with("  held    faster\n  missed  smaller\n1 held, 1 missed"),
            "{text}"
        );
    }
}
