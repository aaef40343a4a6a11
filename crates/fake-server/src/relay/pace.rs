//! When bytes go on, and in which pieces: what a network may do to them without losing any.

use std::time::Duration;

/// The pause of a random piece, at the most.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);
/// Every so many random pieces are followed by a pause; the others are too many for that.
const PIECES_PER_PAUSE: u64 = 8;
/// A random piece, at the most.
const LONGEST_PIECE: u64 = 3000;

/// How bytes go. By default as they come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// How long each byte is on its way.
    pub delay: Duration,
    /// The longest write.
    pub piece: Option<usize>,
    /// For how long bytes are collected, to go in one write.
    pub gathering: Duration,
    /// How many go in a second.
    pub bytes_per_second: Option<u64>,
    /// Pieces of random lengths with random pauses between them, the same for the same seed.
    pub seed: Option<u64>,
}

/// What a connection needs to keep a pace.
#[derive(Debug, Default)]
pub(super) struct Paced {
    drawn: u64,
}

impl Paced {
    /// How many of these bytes may go at once.
    pub(super) fn piece(&mut self, pace: &Pace, bytes: usize) -> usize {
        let by_rate = pace.bytes_per_second.map(|rate| (rate / 100).max(1));
        let random = pace.seed.map(|seed| 1 + self.draw(seed) % LONGEST_PIECE);
        let most = [by_rate, random].into_iter().flatten().min().unwrap_or(u64::MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        bytes.min(most).min(pace.piece.unwrap_or(usize::MAX))
    }

    /// How long to wait after so many.
    pub(super) fn pause(&mut self, pace: &Pace, bytes: usize) -> Duration {
        let by_rate = pace.bytes_per_second.map_or(Duration::ZERO, |rate| {
            Duration::from_nanos((bytes as u64).saturating_mul(1_000_000_000) / rate.max(1))
        });
        let random = pace.seed.map_or(Duration::ZERO, |seed| {
            let drawn = self.draw(seed);
            let thousandths = u32::try_from(drawn / PIECES_PER_PAUSE % 1000).unwrap_or_default();
            if drawn.is_multiple_of(PIECES_PER_PAUSE) {
                LONGEST_PAUSE * thousandths / 1000
            } else {
                Duration::ZERO
            }
        });
        by_rate.max(random)
    }

    /// The next of the numbers of a seed (SplitMix64).
    fn draw(&mut self, seed: u64) -> u64 {
        self.drawn += 1;
        let mut number = seed.wrapping_add(self.drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        number ^ (number >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_kept() {
        let pace = Pace { bytes_per_second: Some(10_000), ..Pace::default() };
        let mut paced = Paced::default();
        assert_eq!(paced.piece(&pace, 5000), 100);
        assert_eq!(paced.pause(&pace, 100), Duration::from_millis(10));
    }

    #[test]
    fn pieces_are_the_same_for_the_same_seed() {
        let pieces = |seed| {
            let pace = Pace { seed: Some(seed), ..Pace::default() };
            let mut paced = Paced::default();
            (0..20).map(|_| (paced.piece(&pace, 9999), paced.pause(&pace, 1))).collect::<Vec<_>>()
        };
        assert_eq!(pieces(1), pieces(1));
        assert_ne!(pieces(1), pieces(2));
        assert!(pieces(1).iter().any(|(_, pause)| !pause.is_zero()));
    }

    #[test]
    fn nothing_is_changed_by_default() {
        let mut paced = Paced::default();
        assert_eq!(paced.piece(&Pace::default(), 70_000), 70_000);
        assert_eq!(paced.pause(&Pace::default(), 70_000), Duration::ZERO);
    }
}
