//! Reads the start of a file: its header, or as much as the lexical stage looks at.

use std::fs::File;
use std::io::{self, Read};

use memdir_types::HEADER_LINES;

use super::MAX_MEMORY_BYTES;

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

/// Fills `buffer` with the start of the file.
pub(crate) fn read_start(file: &mut File, depth: Depth, buffer: &mut Vec<u8>) -> io::Result<()> {
    let (mut room, cap) = match depth {
        Depth::Header => (FIRST_HEADER_BYTES, HEADER_BYTES),
        Depth::Whole => (FIRST_WHOLE_BYTES, MAX_MEMORY_BYTES),
    };
    buffer.clear();
    loop {
        let start = buffer.len();
        buffer.resize(start + room.min(cap - start), 0);
        let count = loop {
            match file.read(&mut buffer[start..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    buffer.truncate(start);
                    return Err(e);
                }
                Ok(count) => break count,
            }
        };
        buffer.truncate(start + count);
        if depth == Depth::Header
            && let Some(end) = header_end(buffer)
        {
            buffer.truncate(end);
            return Ok(());
        }
        if count == 0 || buffer.len() >= cap {
            return Ok(());
        }
        room = buffer.len();
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
