//! Reads a transcript line by line, however long it is, and says what it left out.

use std::fmt;
use std::io::{self, BufRead, Read};

use serde::de::Deserialize;
use serde_json::error::Category;

use super::Line;
use super::line::{Depth, Lean};
use super::mend;

/// A longer line is passed over. 64 MiB; a request takes at most 32 MB. In bytes.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// What was left out is listed up to this many items; [`Transcript`](super::Transcript) counts
/// all.
pub const MAX_SKIPPED: usize = 1_000;

/// A line that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Skipped {
    /// The line in the file, counted from 1.
    pub line: u64,
    /// Why.
    pub reason: SkipReason,
}

/// Why a line was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SkipReason {
    /// The last line is not finished: its writer was stopped, or is still at it.
    Unfinished,
    /// It is no JSON object; what the parser says, which never quotes the line.
    NotJson(String),
    /// It has more than [`MAX_LINE_BYTES`].
    TooLong,
    /// The system refused to read on, and the rest of the file is missing.
    Unreadable(String),
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.reason {
            SkipReason::Unfinished => f.write_str("the last line is not finished"),
            SkipReason::NotJson(why) => write!(f, "expected a JSON object: {why}"),
            SkipReason::TooLong => {
                write!(f, "expected at most {MAX_LINE_BYTES} bytes on a line")
            }
            SkipReason::Unreadable(why) => write!(f, "the file could not be read on: {why}"),
        }
    }
}

/// The lines of a transcript, one at a time.
///
/// Memory is bounded by the longest line. Two objects on one line are two lines; blank lines are
/// none; everything else is a line or a [`Skipped`]. Bytes that are no text, and halves of
/// characters, are replaced and counted: see [`Reader::mended`].
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    depth: Depth,
    buffer: Vec<u8>,
    /// How much of the buffer is used up.
    used: usize,
    line: u64,
    /// The buffer's line ends with a line feed.
    whole: bool,
    /// The buffer's line is not as it was in the file.
    mends: Mends,
    mended: u64,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads from a buffered source; a `File` needs a `BufReader` around it.
    pub fn new(source: R) -> Reader<R> {
        Reader::with_depth(source, Depth::Whole)
    }

    pub(super) fn with_depth(source: R, depth: Depth) -> Reader<R> {
        Reader {
            source,
            depth,
            buffer: Vec::new(),
            used: 0,
            line: 0,
            whole: true,
            mends: Mends::NotNeeded,
            mended: 0,
            ended: false,
        }
    }

    /// How many lines so far held bytes that are no text, or half a character, which was replaced
    /// by U+FFFD.
    #[must_use]
    pub fn mended(&self) -> u64 {
        self.mended
    }

    /// Replaces what is no text in the rest of the line; false if that changes nothing.
    fn mend(&mut self, from: usize) -> bool {
        if self.mends != Mends::NotNeeded {
            return false;
        }
        self.mends = Mends::Tried;
        let Some(text) = mend::text(&self.buffer[from..]) else {
            return false;
        };
        self.buffer = text.into_bytes();
        self.used = 0;
        true
    }

    /// Fills the buffer with the next line; false at the end.
    fn fill(&mut self) -> Result<bool, Skipped> {
        self.buffer.clear();
        // One long line should not keep its memory for the rest of the file.
        if self.buffer.capacity() > MAX_LINE_BYTES / 8 {
            self.buffer.shrink_to(0);
        }
        self.used = 0;
        self.mends = Mends::NotNeeded;
        self.line += 1;
        let limit = MAX_LINE_BYTES as u64 + 1;
        let mut limited = self.source.by_ref().take(limit);
        match limited.read_until(b'\n', &mut self.buffer) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(error) => {
                self.ended = true;
                return Err(self.skipped(SkipReason::Unreadable(error.to_string())));
            }
        }
        self.whole = self.buffer.last() == Some(&b'\n');
        if self.line == 1 && self.buffer.starts_with(b"\xEF\xBB\xBF") {
            self.used = 3;
        }
        if self.buffer.len() > MAX_LINE_BYTES && !self.whole {
            self.used = self.buffer.len();
            if let Err(error) = self.pass_line() {
                self.ended = true;
                return Err(self.skipped(SkipReason::Unreadable(error.to_string())));
            }
            return Err(self.skipped(SkipReason::TooLong));
        }
        Ok(true)
    }

    /// Reads to the end of the line without keeping it.
    fn pass_line(&mut self) -> io::Result<()> {
        loop {
            let (used, found) = match self.source.fill_buf() {
                Ok([]) => return Ok(()),
                Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                    Some(at) => (at + 1, true),
                    None => (bytes.len(), false),
                },
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.source.consume(used);
            if found {
                return Ok(());
            }
        }
    }

    fn skipped(&self, reason: SkipReason) -> Skipped {
        Skipped {
            line: self.line,
            reason,
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Line, Skipped>;

    fn next(&mut self) -> Option<Result<Line, Skipped>> {
        while !self.ended {
            let rest = self.buffer.get(self.used..).unwrap_or_default();
            let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
            let blank = blank.count();
            let rest = &rest[blank..];
            if rest.is_empty() {
                match self.fill() {
                    Ok(true) => continue,
                    Ok(false) => self.ended = true,
                    Err(skipped) => return Some(Err(skipped)),
                }
                continue;
            }
            let (parsed, used) = match self.depth {
                Depth::Whole => first::<Line>(rest),
                Depth::Lean => {
                    let (lean, used) = first::<Lean>(rest);
                    (lean.map(|Lean(line)| line), used)
                }
            };
            match parsed {
                Ok(line) => {
                    self.used += blank + used;
                    if self.mends == Mends::Tried {
                        self.mends = Mends::Counted;
                        self.mended += 1;
                    }
                    return Some(Ok(line));
                }
                Err(_) if self.mend(self.used + blank) => {}
                Err(error) => {
                    self.used = self.buffer.len();
                    let reason = if !self.whole && error.is_eof() {
                        SkipReason::Unfinished
                    } else {
                        SkipReason::NotJson(what(&error))
                    };
                    return Some(Err(self.skipped(reason)));
                }
            }
        }
        None
    }
}

/// What was done to a line that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mends {
    NotNeeded,
    Tried,
    Counted,
}

/// The first value, and where it ends.
fn first<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> (serde_json::Result<T>, usize) {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter();
    let value = values.next().unwrap_or_else(|| serde_json::from_str(""));
    (value, values.byte_offset())
}

/// Messages about types quote the text that they found; messages about syntax do not.
fn what(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Data => "another value".to_owned(),
        _ => error.to_string(),
    }
}
