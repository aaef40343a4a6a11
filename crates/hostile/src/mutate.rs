//! Changes to bytes, drawn from a seed: the same each time, on every machine.

/// Bytes that mean something where a length or a header stands.
const TELLING: [u8; 12] = [0, 1, 0x0C, 0x7F, 0x80, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF, b'#'];
/// The most changes to one input.
const MOST_CHANGES: usize = 4;

/// A source of changes.
#[derive(Clone, Debug)]
pub struct Mutator {
    state: u64,
}

impl Mutator {
    /// A source that gives the same changes for the same seed.
    pub fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Mutator { state: seed | 1 }
    }

    /// A number below the limit, which is not 0. (xorshift64*, Vigna 2016)
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let number = self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap_or_default() % limit.max(1)
    }

    fn telling_byte(&mut self) -> u8 {
        let index = self.below(TELLING.len() + 4);
        let any = self.below(256);
        TELLING.get(index).copied().unwrap_or(u8::try_from(any).unwrap_or_default())
    }

    /// The input with one to four changes; `other` is what parts may be taken from.
    pub fn mutate(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..=self.below(MOST_CHANGES) {
            self.change(&mut bytes, other);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + 1 + self.below(9)).min(bytes.len());
        let new = self.telling_byte();
        match self.below(7) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, new),
            2 => drop(bytes.drain(at..end.max(at))),
            3 => {
                let part = bytes.get(at..end).unwrap_or_default().to_vec();
                bytes.splice(at..at, part);
            }
            4 => {
                let from = self.below(other.len() + 1);
                let part: Vec<u8> =
                    other.iter().skip(from).take(end.saturating_sub(at)).copied().collect();
                bytes.splice(at..end.max(at), part);
            }
            5 => {
                let bit = self.below(8);
                bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << bit);
            }
            _ => bytes.get_mut(at).into_iter().for_each(|byte| *byte = new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_changes_and_many_of_them() {
        let draw = |seed| {
            let mut mutator = Mutator::new(seed);
            (0..1000).map(|_| mutator.mutate(b"some bytes", b"others")).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        let distinct: std::collections::BTreeSet<_> = draw(7).into_iter().collect();
        assert!(distinct.len() > 500, "{}", distinct.len());
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn nothing_can_be_changed_too() {
        let mut mutator = Mutator::new(1);
        assert!((0..100).any(|_| !mutator.mutate(b"", b"").is_empty()));
    }
}
