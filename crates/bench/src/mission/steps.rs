//! How long everything will take, from how long it took.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The steps of one round, and how long each took last.
pub(super) struct Steps<S> {
    rounds: usize,
    took: BTreeMap<S, Duration>,
    /// The time of this round so far.
    round: (usize, Duration),
}

impl<S: Ord> Steps<S> {
    /// Of so many rounds after the first, which is for finding out.
    pub(super) fn new(rounds: usize) -> Steps<S> {
        Steps { rounds, took: BTreeMap::new(), round: (0, Duration::ZERO) }
    }

    /// Does a step.
    pub(super) fn timed<T>(&mut self, round: usize, step: S, run: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = run();
        self.note(round, step, begun.elapsed());
        done
    }

    fn note(&mut self, round: usize, step: S, took: Duration) {
        if self.round.0 != round {
            self.round = (round, Duration::ZERO);
        }
        self.round.1 += took;
        self.took.insert(step, took);
    }

    /// Forgets the steps that will not come again.
    pub(super) fn keep(&mut self, comes_again: impl Fn(&S) -> bool) {
        self.took.retain(|step, _| comes_again(step));
    }

    /// Which round it is and how long all will still take, in words.
    pub(super) fn left(&self, round: usize) -> String {
        if round == 0 {
            return "warm-up".to_owned();
        }
        let whole: Duration = self.took.values().sum();
        let done = if self.round.0 == round { self.round.1 } else { Duration::ZERO };
        let others = u32::try_from(self.rounds.saturating_sub(round)).unwrap_or(u32::MAX);
        let left = whole.saturating_sub(done) + whole * others;
        let seconds = left.as_secs();
        format!("round {round} of {}, {}:{:02} left", self.rounds, seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_the_rounds_left() {
        let mut steps = Steps::new(3);
        assert_eq!(steps.left(0), "warm-up");
        for (step, seconds) in [('a', 10), ('b', 30), ('x', 100)] {
            steps.note(0, step, Duration::from_secs(seconds));
        }
        steps.keep(|step| *step != 'x');
        assert_eq!(steps.left(1), "round 1 of 3, 2:00 left");
        steps.note(1, 'a', Duration::from_secs(10));
        assert_eq!(steps.left(1), "round 1 of 3, 1:50 left");
        steps.note(1, 'b', Duration::from_secs(25));
        assert_eq!(steps.left(2), "round 2 of 3, 1:10 left");
        assert_eq!(steps.left(3), "round 3 of 3, 0:35 left");
        assert_eq!(steps.timed(3, 'a', || 7), 7);
    }
}
