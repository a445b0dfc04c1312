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

/// The first read: 4 KiB hold nearly every header.
const FIRST_BYTES: usize = 4 * 1024;

/// The most that is read for a header: what the parser looks at, and the line behind it.
const HEADER_BYTES: usize = memdir_types::MAX_FRONTMATTER_BYTES + 1024;

/// Fills `buffer` with the start of the file.
pub(crate) fn read_start(file: &mut File, depth: Depth, buffer: &mut Vec<u8>) -> io::Result<()> {
    let cap = match depth {
        Depth::Header => HEADER_BYTES,
        Depth::Whole => MAX_MEMORY_BYTES,
    };
    buffer.clear();
    let mut room = FIRST_BYTES;
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
        let is_enough =
            count == 0 || buffer.len() >= cap || depth == Depth::Header && holds_header(buffer);
        if is_enough {
            return Ok(());
        }
        room = buffer.len().max(FIRST_BYTES);
    }
}

/// Whether what follows cannot change the header: the block is closed, or the lines that count
/// are there and one more has begun.
fn holds_header(start: &[u8]) -> bool {
    let mut rest = start;
    for line in 0..HEADER_LINES {
        let Some(end) = rest.iter().position(|b| *b == b'\n') else {
            return false;
        };
        if line > 0 && rest[..end].trim_ascii_end() == b"---" && end + 1 < rest.len() {
            return true;
        }
        rest = &rest[end + 1..];
    }
    !rest.is_empty()
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
