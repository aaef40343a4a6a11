//! Bytes as a source of decisions: what a fuzzer changes in them changes what is decided, and nothing else.

/// What is decided; when the bytes are at their end, everything is 0.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    rest: &'a [u8],
}

impl<'a> Choices<'a> {
    /// Those of an input.
    pub fn new(data: &'a [u8]) -> Self {
        Choices { rest: data }
    }

    /// Whether nothing is left to decide with.
    pub fn is_over(&self) -> bool {
        self.rest.is_empty()
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        let (byte, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.rest = rest;
        *byte
    }

    /// A number below the limit.
    pub fn below(&mut self, limit: u8) -> u8 {
        self.byte() % limit.max(1)
    }

    /// One of these.
    pub fn one_of<T: Copy, const N: usize>(&mut self, from: [T; N]) -> T {
        const { assert!(N > 0) };
        let [first, ..] = from[..] else { unreachable!("there is one") };
        from.get(usize::from(self.byte()) % N).copied().unwrap_or(first)
    }

    /// So many bytes, or what is left.
    pub fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (bytes, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        self.rest = rest;
        bytes
    }

    /// So many bytes, with zeros where there are too few.
    pub fn exactly(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = self.bytes(length).to_vec();
        bytes.resize(length, 0);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_0() {
        let mut choices = Choices::new(&[7, 9, 1, 2, 3]);
        assert_eq!((choices.below(5), choices.one_of([4, 5, 6])), (2, 4));
        assert_eq!(choices.bytes(2), [1, 2]);
        assert_eq!(choices.exactly(3), [3, 0, 0]);
        assert!(choices.is_over() && choices.byte() == 0 && choices.bytes(1).is_empty());
    }
}
