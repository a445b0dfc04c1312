//! Numbers in as few bytes as the highest of them takes.

use std::ops::Range;

/// Numbers in one, two or four bytes each.
#[derive(Debug)]
pub(crate) enum Numbers {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers::Byte(Vec::new())
    }
}

impl Numbers {
    /// So many zeros, with room for numbers up to `most`.
    pub(crate) fn zeros(count: usize, most: usize) -> Numbers {
        if u8::try_from(most).is_ok() {
            Numbers::Byte(vec![0; count])
        } else if u16::try_from(most).is_ok() {
            Numbers::Short(vec![0; count])
        } else {
            Numbers::Long(vec![0; count])
        }
    }

    /// These numbers, none of which is beyond `most`.
    pub(crate) fn of(numbers: Vec<u32>, most: usize) -> Numbers {
        let mut narrow = Numbers::zeros(numbers.len(), most);
        if matches!(narrow, Numbers::Long(_)) {
            return Numbers::Long(numbers);
        }
        for (place, number) in numbers.into_iter().enumerate() {
            narrow.put(place, number);
        }
        narrow
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Numbers::Byte(numbers) => numbers.len(),
            Numbers::Short(numbers) => numbers.len(),
            Numbers::Long(numbers) => numbers.len(),
        }
    }

    /// Whether there is room for this number.
    pub(crate) fn holds(&self, number: u32) -> bool {
        match self {
            Numbers::Byte(_) => u8::try_from(number).is_ok(),
            Numbers::Short(_) => u16::try_from(number).is_ok(),
            Numbers::Long(_) => true,
        }
    }

    /// The number at a place; 0 beyond the last.
    pub(crate) fn at(&self, place: usize) -> u32 {
        match self {
            Numbers::Byte(numbers) => numbers.get(place).map_or(0, |n| u32::from(*n)),
            Numbers::Short(numbers) => numbers.get(place).map_or(0, |n| u32::from(*n)),
            Numbers::Long(numbers) => numbers.get(place).copied().unwrap_or(0),
        }
    }

    /// Puts a number that there is [room](Numbers::holds) for.
    pub(crate) fn put(&mut self, place: usize, number: u32) {
        match self {
            Numbers::Byte(numbers) => put(numbers, place, number),
            Numbers::Short(numbers) => put(numbers, place, number),
            Numbers::Long(numbers) => put(numbers, place, number),
        }
    }

    /// Where in a range of ascending numbers one is.
    pub(crate) fn find(&self, range: Range<usize>, number: u32) -> Option<usize> {
        let start = range.start;
        let found = match self {
            Numbers::Byte(numbers) => find(numbers.get(range)?, number),
            Numbers::Short(numbers) => find(numbers.get(range)?, number),
            Numbers::Long(numbers) => find(numbers.get(range)?, number),
        };
        found.map(|at| start + at)
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Numbers::Byte(numbers) => numbers.capacity(),
            Numbers::Short(numbers) => numbers.capacity() * size_of::<u16>(),
            Numbers::Long(numbers) => numbers.capacity() * size_of::<u32>(),
        }
    }
}

fn put<N: TryFrom<u32>>(numbers: &mut [N], place: usize, number: u32) {
    if let (Some(place), Ok(number)) = (numbers.get_mut(place), N::try_from(number)) {
        *place = number;
    }
}

fn find<N: TryFrom<u32> + Ord>(numbers: &[N], number: u32) -> Option<usize> {
    numbers.binary_search(&N::try_from(number).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_whatever_the_highest_takes() {
        for most in [255, 256, 65_535, 65_536, 70_000] {
            let plain: Vec<u32> = (0..=most).step_by(7).collect();
            let numbers = Numbers::of(plain.clone(), most as usize);
            let width = match numbers {
                Numbers::Byte(_) => 1,
                Numbers::Short(_) => 2,
                Numbers::Long(_) => 4,
            };
            assert_eq!(width == 1, most <= 255);
            assert_eq!(width == 4, most > 65_535);
            assert_eq!(numbers.bytes(), plain.len() * width);
            assert!(numbers.holds(most));
            assert_eq!(numbers.holds(u32::MAX), width == 4);
            let half = plain.len() / 2;
            for (place, number) in plain.iter().enumerate().skip(half) {
                assert_eq!(numbers.at(place), *number);
                let found = numbers.find(half..plain.len(), *number);
                assert_eq!(found, Some(place), "{number} of {most}");
                assert_eq!(numbers.find(half..plain.len(), *number + 1), None);
            }
            assert_eq!(numbers.find(half..plain.len(), 0), None);
            assert_eq!(numbers.find(0..plain.len(), most + 7), None);
            assert_eq!(numbers.find(0..plain.len() + 1, 0), None);
            assert_eq!(numbers.at(plain.len()), 0);
        }
    }

    #[test]
    fn a_number_without_room_is_not_put() {
        let mut numbers = Numbers::zeros(2, 200);
        numbers.put(0, 255);
        numbers.put(1, 256);
        numbers.put(2, 1);
        assert_eq!((numbers.at(0), numbers.at(1), numbers.len()), (255, 0, 2));
    }
}
