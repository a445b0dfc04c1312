//! Reads the start of a file: its header, or as much as the lexical stage looks at.

use std::fs::File;
use std::io::{self, Read};

use memdir_types::{HEADER_LINES, Header};

use super::{MAX_MEMORY_BYTES, flat};

/// How far a file is read. Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// As far as the header may go.
    Header,
    /// Up to [`MAX_MEMORY_BYTES`].
    Whole,
}

/// The first read: 1 KiB holds nearly every header.
const FIRST_HEADER_BYTES: usize = 1024;

/// The first read of a whole file: 8 KiB hold nearly every memory.
const FIRST_WHOLE_BYTES: usize = 8 * 1024;

/// The most that is read for a header: what the parser looks at, and the line behind it.
const HEADER_BYTES: usize = memdir_types::MAX_FRONTMATTER_BYTES + 1024;

/// What was read of a file.
pub(super) struct Start<'a> {
    /// The header, if it is a plain one.
    pub(super) plain: Option<Header>,
    /// As far as the file was read, or as what is there changes the header.
    pub(super) bytes: &'a [u8],
}

/// Reads the start of a file into `buffer`. It keeps its length from file to file, so that no
/// file pays for clearing it: what is behind the start is left from others.
pub(super) fn read_start<'a>(
    file: &mut File,
    depth: Depth,
    buffer: &'a mut Vec<u8>,
) -> io::Result<Start<'a>> {
    let (mut room, cap) = match depth {
        Depth::Header => (FIRST_HEADER_BYTES, HEADER_BYTES),
        Depth::Whole => (FIRST_WHOLE_BYTES, MAX_MEMORY_BYTES),
    };
    let mut filled = 0;
    loop {
        let want = (filled + room).min(cap);
        if buffer.len() < want {
            buffer.resize(want, 0);
        }
        let count = match file.read(&mut buffer[filled..want]) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            result => result?,
        };
        filled += count;
        let is_all = count == 0 || filled >= cap;
        if is_all || depth == Depth::Header {
            let plain = flat::header(&buffer[..filled]);
            let end = match (&plain, depth) {
                (None, Depth::Header) => header_end(&buffer[..filled]),
                _ => Some(filled),
            };
            if is_all || end.is_some() {
                let bytes = &buffer[..end.unwrap_or(filled)];
                return Ok(Start { plain, bytes });
            }
        }
        room = filled;
    }
}

/// The longest character in UTF-8: 4 bytes.
const MAX_CHAR_BYTES: usize = 4;

/// Where the part ends behind which nothing changes the header: at the end of the line that
/// closes the block, or one character behind the lines that count.
fn header_end(start: &[u8]) -> Option<usize> {
    let mut from = 0;
    for line in 0..HEADER_LINES {
        let end = from + start[from..].iter().position(|b| *b == b'\n')?;
        if line > 0 && is_fence(&start[from..end]) {
            return Some(end + 1);
        }
        from = end + 1;
    }
    (from + MAX_CHAR_BYTES <= start.len()).then_some(from + MAX_CHAR_BYTES)
}

/// Whether a line closes a block; what is less than sure may stay open, as more is read then.
fn is_fence(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let blank = |b: &&u8| matches!(**b, b' ' | b'\t');
    let behind = line.iter().rev().take_while(blank).count();
    &line[..line.len() - behind] == b"---"
}

/// The text of a start of a file: what is not UTF-8 is replaced, a character that the end of the
/// start cut in two is left out.
pub(crate) fn read_text(start: &[u8]) -> std::borrow::Cow<'_, str> {
    let whole = match std::str::from_utf8(start) {
        Err(e) if e.error_len().is_none() => &start[..e.valid_up_to()],
        _ => start,
    };
    String::from_utf8_lossy(whole)
}
