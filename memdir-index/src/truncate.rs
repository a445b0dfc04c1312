//! Cutting an index to its two caps, and saying what was cut.

use std::borrow::Cow;
use std::fmt;

use crate::Entry;
use crate::strip::trim;

/// The most lines of an index that are loaded: 200, the limit of the format.
pub const MAX_LINES: usize = 200;

/// The most bytes of an index that are loaded: 25,000 (not 25,600), the limit of the format.
/// With [`Measure::Utf16`] the same number counts UTF-16 code units.
pub const MAX_BYTES: usize = 25_000;

/// In which unit the size of a text is counted.
///
/// Deliberately closed: the format knows these two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Measure {
    /// Bytes of UTF-8, as the format is documented.
    #[default]
    Bytes,
    /// UTF-16 code units, as Claude Code counts. The same for ASCII.
    Utf16,
}

impl Measure {
    /// The size of a text in this unit.
    pub fn size(self, text: &str) -> usize {
        match self {
            Measure::Bytes => text.len(),
            Measure::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }

    /// The longest prefix of at most `limit` units, cut at a character boundary, in bytes.
    fn prefix(self, text: &str, limit: usize) -> usize {
        match self {
            Measure::Bytes => {
                let mut end = limit.min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                end
            }
            Measure::Utf16 => {
                let mut units = 0;
                text.char_indices()
                    .find(|(_, c)| {
                        units += c.len_utf16();
                        units > limit
                    })
                    .map_or(text.len(), |(at, _)| at)
            }
        }
    }
}

/// The two caps and the unit of the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Limits {
    /// The most lines; [`MAX_LINES`] unless set.
    pub lines: usize,
    /// The most units of [`measure`](Limits::measure); [`MAX_BYTES`] unless set.
    pub size: usize,
    /// The unit of the size; [`Measure::Bytes`] unless set.
    pub measure: Measure,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::new(Measure::Bytes)
    }
}

/// The caps of the format, in that unit.
impl From<Measure> for Limits {
    fn from(measure: Measure) -> Limits {
        Limits::new(measure)
    }
}

impl Limits {
    /// The caps of the format, in that unit.
    pub const fn new(measure: Measure) -> Limits {
        Limits {
            lines: MAX_LINES,
            size: MAX_BYTES,
            measure,
        }
    }

    /// Sets the most lines.
    #[must_use]
    pub fn lines(mut self, lines: usize) -> Limits {
        self.lines = lines;
        self
    }

    /// Sets the most units of size.
    #[must_use]
    pub fn size(mut self, units: usize) -> Limits {
        self.size = units;
        self
    }
}

/// Which caps the whole text exceeds, also if the cut for one also satisfied the other.
///
/// Deliberately closed: there are two caps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Exceeded {
    /// More lines than allowed.
    Lines,
    /// A greater size than allowed.
    Size,
    /// Both.
    Both,
}

/// One word: `lines`, `bytes` or `both`.
impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exceeded::Lines => "lines",
            Exceeded::Size => "bytes",
            Exceeded::Both => "both",
        })
    }
}

/// What a notice says, apart from its wording.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NoticeFacts {
    /// Which caps it names.
    pub kind: Exceeded,
    /// The line count of the whole text, if the line cap is named.
    pub lines: Option<usize>,
    /// The size of the whole text as [`size_figure`](crate::size_figure) writes it, if the size
    /// cap is named.
    pub size: Option<String>,
}

/// An entry that did not fit, or did not fit whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Dropped {
    /// Its line in the text before the cut, counted from 1.
    pub line: usize,
    /// What the line says.
    pub entry: Entry,
}

/// What [`truncate`] keeps of a text, and the account of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Truncated<'a> {
    /// What is kept; borrowed, as the cut is always at the end.
    pub text: Cow<'a, str>,
    /// Lines of the whole text.
    pub total_lines: usize,
    /// Size of the whole text, in units of the measure.
    pub total_size: usize,
    /// Lines that are kept.
    pub kept_lines: usize,
    /// Size of what is kept, in units of the measure.
    pub kept_size: usize,
    /// The caps that applied.
    pub limits: Limits,
    /// Which caps the whole text exceeds; `None` if nothing is cut.
    pub exceeded: Option<Exceeded>,
    /// The entries that are not in the kept text, in order.
    pub dropped: Vec<Dropped>,
}

/// Cuts a text to its first lines, then to the last line end at or before the size limit or,
/// without one, at a character boundary.
///
/// The text is trimmed at both ends first, as the format counts; [`strip`](crate::strip) does the
/// rest of what the format removes before it measures.
///
/// ```
/// use memdir_index::{Exceeded, Limits, truncate};
///
/// let cut = truncate("- [A](a.md)\n- [B](b.md)\n- [C](c.md)", Limits::default().lines(2));
/// assert_eq!(cut.text, "- [A](a.md)\n- [B](b.md)");
/// assert_eq!(cut.exceeded, Some(Exceeded::Lines));
/// assert_eq!(cut.dropped[0].entry.file, "c.md");
/// ```
pub fn truncate(text: &str, limits: Limits) -> Truncated<'_> {
    let whole = trim(text);
    let measure = limits.measure;
    let total_lines = count_lines(whole);
    let total_size = measure.size(whole);
    let exceeded = match (total_lines > limits.lines, total_size > limits.size) {
        (true, true) => Some(Exceeded::Both),
        (true, false) => Some(Exceeded::Lines),
        (false, true) => Some(Exceeded::Size),
        (false, false) => None,
    };

    let mut end = whole.len();
    if total_lines > limits.lines {
        end = match limits.lines.checked_sub(1) {
            None => 0,
            Some(n) => whole.match_indices('\n').nth(n).map_or(end, |(at, _)| at),
        };
    }
    if measure.size(&whole[..end]) > limits.size {
        let fits = measure.prefix(&whole[..end], limits.size);
        // A newline that stands exactly at the limit counts: the text before it fits.
        let bytes = &whole.as_bytes()[..end];
        let looked_at = bytes.get(..=fits).unwrap_or(bytes);
        end = match looked_at.iter().rposition(|b| *b == b'\n') {
            Some(newline) => newline,
            None => fits,
        };
    }

    let kept = &whole[..end];
    let dropped = if exceeded.is_some() {
        dropped_after(whole, end)
    } else {
        Vec::new()
    };
    Truncated {
        text: Cow::Borrowed(kept),
        total_lines,
        total_size,
        kept_lines: count_lines(kept),
        kept_size: measure.size(kept),
        limits,
        exceeded,
        dropped,
    }
}

fn count_lines(text: &str) -> usize {
    if text.is_empty() {
        0
    } else {
        text.bytes().filter(|b| *b == b'\n').count() + 1
    }
}

/// The entries of the lines that `end` cuts off. Only a first line is ever cut in the middle, and
/// then nothing else is kept.
fn dropped_after(whole: &str, end: usize) -> Vec<Dropped> {
    let (first, rest) = match whole[end..].strip_prefix('\n') {
        Some(rest) => (count_lines(&whole[..end]) + 1, rest),
        None => (1, whole),
    };
    rest.split('\n')
        .enumerate()
        .filter_map(|(i, line)| {
            Entry::parse(line).map(|entry| Dropped {
                line: first + i,
                entry,
            })
        })
        .collect()
}

impl Truncated<'_> {
    /// The line that tells a model what was cut, naming the caps that fired; `None` if nothing was.
    pub fn notice(&self) -> Option<String> {
        crate::notice::notice(self)
    }

    /// The facts of that notice.
    pub fn notice_facts(&self) -> Option<NoticeFacts> {
        let kind = self.exceeded?;
        Some(NoticeFacts {
            kind,
            lines: (kind != Exceeded::Size).then_some(self.total_lines),
            size: (kind != Exceeded::Lines).then(|| crate::size_figure(self.total_size)),
        })
    }

    /// The same report, owning its text.
    pub fn into_owned(self) -> Truncated<'static> {
        Truncated {
            text: Cow::Owned(self.text.into_owned()),
            total_lines: self.total_lines,
            total_size: self.total_size,
            kept_lines: self.kept_lines,
            kept_size: self.kept_size,
            limits: self.limits,
            exceeded: self.exceeded,
            dropped: self.dropped,
        }
    }
}
