//! Grep: lines that match, file by file, in bounded memory.

use std::collections::VecDeque;
use std::path::Path;

use globset::GlobMatcher;
use regex::bytes::{Regex, RegexBuilder};

use super::input::{Fields, flag, needed, number, text};
use super::lines::Lines;
use super::list::matcher;
use super::walk::walk;
use super::{Context, Outcome, shown};

/// 250 lines of an answer, unless more or fewer are asked for.
const DEFAULT_LINES: usize = 250;
/// 400 bytes of a line are shown, around what matched. A line of a transcript is long.
const SHOWN_BYTES: usize = 400;
/// 20 lines around a match at most.
const MAX_AROUND: usize = 20;
/// 1,000 bytes: a longer expression is none that a person would read.
const MAX_PATTERN_BYTES: usize = 1_000;
/// 256 MiB: when so much was searched for an expression of up to [`SIMPLE_BYTES`], the rest of the
/// files is not; for one that is twice as large, half of that.
const MAX_SEARCHED_BYTES: u64 = 256 << 20;
/// 1 KiB, as a power of two: an expression that is no larger when compiled is searched for as fast
/// as a file is read. What a byte costs grows with the size, up to a second for a thousand of them.
const SIMPLE_BYTES: u32 = 10;
/// 4 MiB for a compiled expression.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// What is asked for.
struct Search {
    regex: Regex,
    glob: Option<GlobMatcher>,
    mode: Mode,
    is_numbered: bool,
    before: usize,
    after: usize,
    /// Lines of the answer that are still possible.
    lines: usize,
    /// Bytes of the answer that are still possible.
    room: usize,
    text: String,
    is_full: bool,
    /// Bytes that may still be searched.
    left: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Files,
    Content,
    Count,
}

pub(super) fn grep(context: &Context<'_>, base: &Path, fields: &Fields) -> Result<Outcome, String> {
    let mut search = Search::new(context, fields)?;
    let walk = walk(base, context.judge);
    if walk.files.is_empty() && !base.exists() {
        return Err(format!("{} does not exist", shown(base)));
    }
    let mut is_cut = walk.is_cut;
    for file in &walk.files {
        if search.is_full {
            break;
        }
        if search.left == 0 {
            is_cut = true;
            break;
        }
        if let Some(glob) = &search.glob {
            let below = file.strip_prefix(base).unwrap_or(file);
            let name = file.file_name().unwrap_or_default();
            if !glob.is_match(below) && !glob.is_match(name) {
                continue;
            }
        }
        // One that cannot be read is passed over, as one that went away.
        if let Ok(mut lines) = Lines::open(file) {
            is_cut |= lines.is_cut();
            let _ = search.file(file, &mut lines);
            is_cut |= search.left == 0;
        }
    }
    let mut text = search.text;
    if text.is_empty() {
        text.push_str("[no match]");
    }
    if search.is_full {
        text.push_str("\n[more matches: narrow the search]");
    }
    if is_cut {
        text.push_str("\n[not everything was searched: name a folder or file]");
    }
    Ok(Outcome::good(text))
}

impl Search {
    fn new(context: &Context<'_>, fields: &Fields) -> Result<Search, String> {
        let pattern = needed(fields, "pattern")?;
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(format!(
                "An expression has at most {MAX_PATTERN_BYTES} bytes."
            ));
        }
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(flag(fields, "-i")?)
            .size_limit(MAX_COMPILED_BYTES)
            .build()
            .map_err(|error| format!("The expression is not understood: {error}"))?;
        let mode = match text(fields, "output_mode")? {
            None | Some("files_with_matches") => Mode::Files,
            Some("content") => Mode::Content,
            Some("count") => Mode::Count,
            Some(_) => {
                return Err(
                    "`output_mode`: files_with_matches, content or count is expected".to_owned(),
                );
            }
        };
        let around = number(fields, "-C")?;
        let side = |key| -> Result<usize, String> {
            let lines = number(fields, key)?.or(around).unwrap_or(0);
            Ok(lines.min(MAX_AROUND))
        };
        Ok(Search {
            regex,
            glob: text(fields, "glob")?.map(matcher).transpose()?,
            mode,
            is_numbered: flag(fields, "-n")?,
            before: side("-B")?,
            after: side("-A")?,
            lines: number(fields, "head_limit")?
                .filter(|lines| *lines > 0)
                .unwrap_or(DEFAULT_LINES),
            room: context.result_bytes.saturating_sub(200),
            text: String::new(),
            is_full: false,
            left: searched_bytes(pattern),
        })
    }

    fn file(&mut self, path: &Path, lines: &mut Lines) -> std::io::Result<()> {
        if lines.is_binary()? {
            return Ok(());
        }
        let name = shown(path);
        let mut count = 0_usize;
        let mut at = 0_usize;
        let mut earlier: VecDeque<(usize, String)> = VecDeque::new();
        let mut to_follow = 0_usize;
        let mut last_shown = 0_usize;
        while let Some(line) = lines.next()? {
            at += 1;
            if self.left == 0 {
                return Ok(());
            }
            self.left = self.left.saturating_sub(line.len() as u64 + 1);
            let found = self.regex.find(line);
            if found.is_some() {
                count += 1;
            }
            match (self.mode, found) {
                (Mode::Files, Some(_)) => {
                    self.push(&name);
                    return Ok(());
                }
                (Mode::Content, Some(found)) => {
                    let shown = around(line, found.start());
                    let first = earlier.front().map_or(at, |(at, _)| *at);
                    let is_apart = last_shown > 0 && first > last_shown + 1;
                    if is_apart && self.before + self.after > 0 {
                        self.push("--");
                    }
                    for (at, line) in std::mem::take(&mut earlier) {
                        self.line(&name, '-', at, &line);
                    }
                    self.line(&name, ':', at, &shown);
                    last_shown = at;
                    to_follow = self.after;
                }
                (Mode::Content, None) if to_follow > 0 => {
                    let shown = around(line, 0);
                    self.line(&name, '-', at, &shown);
                    last_shown = at;
                    to_follow -= 1;
                }
                (Mode::Content, None) if self.before > 0 => {
                    if earlier.len() == self.before {
                        earlier.pop_front();
                    }
                    earlier.push_back((at, around(line, 0)));
                }
                _ => {}
            }
            if self.is_full {
                return Ok(());
            }
        }
        if self.mode == Mode::Count && count > 0 {
            self.push(&format!("{name}:{count}"));
        }
        Ok(())
    }

    fn line(&mut self, name: &str, mark: char, at: usize, line: &str) {
        let text = if self.is_numbered {
            format!("{name}{mark}{at}{mark}{line}")
        } else {
            format!("{name}{mark}{line}")
        };
        self.push(&text);
    }

    fn push(&mut self, line: &str) {
        if self.lines == 0 || line.len() + 1 > self.room {
            self.is_full = true;
        }
        if self.is_full {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.lines -= 1;
        self.room -= line.len() + 1;
    }
}

/// How much is searched for an expression, by its size when compiled: without the tables of Unicode,
/// which make one large and not slow, if it means anything without them.
fn searched_bytes(pattern: &str) -> u64 {
    let fits = |unicode: bool, size: u32| {
        let mut builder = RegexBuilder::new(pattern);
        let limit = 1_usize << size;
        builder.unicode(unicode).size_limit(limit).build().is_ok()
    };
    let most = MAX_COMPILED_BYTES.ilog2();
    let mut sizes = (SIMPLE_BYTES..=most).flat_map(|size| [(false, size), (true, size)]);
    let size = sizes
        .find(|(unicode, size)| fits(*unicode, *size))
        .map_or(most, |(_, size)| size);
    MAX_SEARCHED_BYTES >> (size - SIMPLE_BYTES)
}

/// The part of a line around a byte.
fn around(line: &[u8], at: usize) -> String {
    let start = if line.len() <= SHOWN_BYTES {
        0
    } else {
        at.saturating_sub(SHOWN_BYTES / 4)
            .min(line.len() - SHOWN_BYTES)
    };
    let end = line.len().min(start + SHOWN_BYTES);
    let mut text = String::new();
    if start > 0 {
        text.push('…');
    }
    text.push_str(String::from_utf8_lossy(&line[start..end]).trim_matches('\u{fffd}'));
    if end < line.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_costlier_an_expression_the_less_is_searched() {
        for simple in [
            "error|warn",
            r"\bfoo\w*",
            r"(?i)fact\s+\w+",
            r"20\d\d-\d\d",
            "决定",
        ] {
            assert_eq!(searched_bytes(simple), MAX_SEARCHED_BYTES, "{simple}");
        }
        for (pattern, most) in [
            ("[ab]*a[ab]{50}c", 64 << 20),
            ("[ab]*a[ab]{200}c", 16 << 20),
            ("[ab]*a[ab]{900}c", 4 << 20),
            (r"\w{1,30}@\w{1,30}.com", 64 << 20),
            (r"\p{L}*a\p{L}{50}c", 1 << 20),
        ] {
            assert!(
                searched_bytes(pattern) <= most,
                "{pattern}: {}",
                searched_bytes(pattern)
            );
        }
    }
}
