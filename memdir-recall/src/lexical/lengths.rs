//! Where pieces lie that stand one behind the other, in a byte and a quarter each.

/// How many pieces share one written place: 16 pieces, whose lengths are added up on the way to
/// the last.
const EVERY: usize = 16;

/// A length that takes more than a byte is written apart.
const APART: u8 = u8::MAX;

/// The lengths of pieces, and with them their places.
#[derive(Debug, Default)]
pub(crate) struct Lengths {
    /// Where every sixteenth piece begins.
    places: Vec<u32>,
    steps: Vec<u8>,
    /// The pieces whose length takes more than a byte, ascending, and their lengths.
    apart: Vec<(u32, u32)>,
    end: u32,
}

impl Lengths {
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds a piece; `None`, and nothing is added, if all of them would take more than 4 GiB.
    pub(crate) fn push(&mut self, length: usize) -> Option<()> {
        let length = u32::try_from(length).ok()?;
        let number = u32::try_from(self.steps.len()).ok()?;
        let end = self.end.checked_add(length)?;
        if self.steps.len().is_multiple_of(EVERY) {
            self.places.push(self.end);
        }
        let step = u8::try_from(length).unwrap_or(APART);
        if step == APART {
            self.apart.push((number, length));
        }
        self.steps.push(step);
        self.end = end;
        Some(())
    }

    /// Where a piece begins and ends; nothing if there is no such piece.
    pub(crate) fn range(&self, number: u32) -> std::ops::Range<usize> {
        let at = number as usize;
        let Some(step) = self.steps.get(at) else {
            return 0..0;
        };
        let first = at - at % EVERY;
        let before = &self.steps[first..at];
        let before: usize = if self.apart.is_empty() {
            before.iter().map(|step| usize::from(*step)).sum()
        } else {
            let pieces = (first..).zip(before);
            pieces.map(|(piece, step)| self.written(piece, *step)).sum()
        };
        let start = self.places[at / EVERY] as usize + before;
        start..start + self.written(at, *step)
    }

    /// How long a piece is; 0 if there is no such piece.
    pub(crate) fn length(&self, number: u32) -> usize {
        let at = number as usize;
        (self.steps.get(at)).map_or(0, |step| self.written(at, *step))
    }

    fn written(&self, number: usize, step: u8) -> usize {
        if step != APART {
            return usize::from(step);
        }
        let found = (self.apart).binary_search_by_key(&number, |(number, _)| *number as usize);
        found.map_or(0, |at| self.apart[at].1 as usize)
    }

    /// All lengths in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        (0..)
            .zip(&self.steps)
            .map(|(number, step)| self.written(number, *step))
    }

    pub(crate) fn shrink(&mut self) {
        self.places.shrink_to_fit();
        self.steps.shrink_to_fit();
        self.apart.shrink_to_fit();
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>()
            + self.steps.capacity()
            + self.apart.capacity() * size_of::<(u32, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_found_however_long() {
        let lengths: Vec<usize> = (0..1_000usize)
            .map(|n| match n % 7 {
                0 => 0,
                1 => 254,
                2 => 255,
                3 => 256 + n * 31,
                _ => n % 64,
            })
            .collect();
        let mut packed = Lengths::default();
        let mut end = 0;
        for length in &lengths {
            packed.push(*length).unwrap();
        }
        for (number, length) in (0..).zip(&lengths) {
            assert_eq!(packed.range(number), end..end + length, "{number}");
            assert_eq!(packed.length(number), *length, "{number}");
            end += length;
        }
        assert_eq!(packed.len(), 1_000);
        assert!(packed.iter().eq(lengths));
        assert_eq!(packed.range(1_000), 0..0);
        assert_eq!(packed.range(u32::MAX), 0..0);
    }

    #[test]
    fn what_does_not_fit_is_not_added() {
        let mut packed = Lengths::default();
        packed.push(u32::MAX as usize - 1).unwrap();
        assert_eq!(packed.push(2), None);
        packed.push(1).unwrap();
        assert_eq!(packed.len(), 2);
        assert_eq!(packed.range(1), u32::MAX as usize - 1..u32::MAX as usize);
    }
}
