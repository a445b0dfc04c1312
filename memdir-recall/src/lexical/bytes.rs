//! Numbers in bytes.

/// A number in seven bits per byte, the low ones first; all bytes but the last have a top bit.
pub(super) fn write(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads such numbers, and bytes between them.
#[derive(Debug, Clone)]
pub(super) struct Reader<'b> {
    rest: std::slice::Iter<'b, u8>,
}

impl<'b> Reader<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Reader<'b> {
        Reader { rest: bytes.iter() }
    }

    /// How many bytes are not read yet.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'b [u8] {
        self.rest.as_slice()
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        self.rest.next().copied()
    }

    #[inline]
    pub(super) fn number(&mut self) -> Option<u32> {
        match self.byte()? {
            byte if byte < 0x80 => Some(u32::from(byte)),
            first => self.behind(first),
        }
    }

    /// A number of several bytes, of which the first was read.
    fn behind(&mut self, first: u8) -> Option<u32> {
        let (mut number, mut shift) = (u32::from(first & 0x7f), 0);
        loop {
            let byte = self.byte()?;
            shift += 7;
            number |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
    }

    #[inline]
    pub(super) fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.as_slice().split_at_checked(length)?;
        self.rest = rest.iter();
        Some(taken)
    }
}
