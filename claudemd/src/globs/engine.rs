//! The patterns that are not plain, asked through the gitignore matcher.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::pattern::Parsed;
use super::{Folded, PathGlobs, fold_char};

/// Where compiled patterns may stay in memory.
#[derive(Debug)]
pub(crate) enum Keep<'a> {
    /// For a single rule, which is bounded by itself.
    Always,
    /// As long as all rules together stay below a limit.
    Below(&'a KeepBelow),
}

/// How many bytes of patterns are compiled and kept.
#[derive(Debug, Default)]
pub(crate) struct KeepBelow(AtomicUsize);

/// What all rules together may keep compiled, in bytes of pattern text; a thousand times that is
/// memory. What does not fit is compiled for each question again: slow, and never wrong.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// Pattern bytes times path bytes (of the path and all its parents) above which these patterns
/// are not asked: about two seconds. Only hostile names on both sides come near.
const MAX_WORK: usize = 1_000_000_000;

#[derive(Debug, Default)]
pub(super) struct Engine {
    sets: Vec<Set>,
    bytes: usize,
}

/// Patterns that share one alphabet.
#[derive(Debug)]
struct Set {
    /// The place of each pattern in its rule, and the pattern.
    lines: Vec<(usize, String)>,
    bytes: usize,
    alphabet: Alphabet,
    built: OnceLock<Gitignore>,
}

impl Engine {
    /// Adds patterns with their places in the rule, ascending; all or nothing.
    pub(super) fn add<'a>(
        &mut self,
        lines: impl Iterator<Item = (usize, &'a str)>,
    ) -> Result<(), String> {
        let mut bytes = self.bytes;
        let mut accepted = Vec::new();
        for (at, line) in lines {
            bytes += line.len();
            if bytes > PathGlobs::MAX_COMPILED_BYTES {
                return Err(format!(
                    "has wildcards in too much text: a rule may have {} bytes of it",
                    PathGlobs::MAX_COMPILED_BYTES
                ));
            }
            let alphabet = Alphabet::of(line)?;
            let line = alphabet.spell(line).into_owned();
            add_line(&mut builder(), at, &line)?;
            accepted.push((at, line, alphabet));
        }
        self.bytes = bytes;
        for (at, line, alphabet) in accepted {
            match self.sets.iter_mut().find(|set| set.alphabet == alphabet) {
                Some(set) => {
                    set.bytes += line.len();
                    set.lines.push((at, line));
                }
                None => self.sets.push(Set {
                    bytes: line.len(),
                    lines: vec![(at, line)],
                    alphabet,
                    built: OnceLock::new(),
                }),
            }
        }
        Ok(())
    }

    /// The place of the last pattern that matches the path or one of its parents.
    pub(super) fn last_cover(
        &self,
        path: &Folded,
        patterns: &[Parsed],
        keep: &Keep<'_>,
    ) -> Option<usize> {
        let mut ends = Vec::new();
        let last = self.sets.iter().filter_map(|set| {
            ends.clear();
            ends.resize(path.len(), false);
            for (at, _) in &set.lines {
                patterns[*at].ends(path, &mut ends);
            }
            set.last_cover(path, &ends, keep)
        });
        last.max()
    }
}

impl Set {
    /// The same, asking only for paths that end with a marked part.
    fn last_cover(&self, path: &Folded, ends: &[bool], keep: &Keep<'_>) -> Option<usize> {
        let marked = || (0..ends.len()).filter(|at| ends[*at]);
        let work: usize = marked().map(|at| path.head(at + 1).len()).sum();
        if work == 0 || work.saturating_mul(self.bytes) > MAX_WORK {
            return None;
        }
        let built = match (self.built.get(), keep) {
            (Some(built), _) => Cow::Borrowed(built),
            (None, Keep::Below(kept)) if !kept.take(self.bytes) => Cow::Owned(self.build()),
            (None, _) => Cow::Borrowed(self.built.get_or_init(|| self.build())),
        };
        let covers = marked().filter_map(|at| {
            let head = self.alphabet.write(path.head(at + 1));
            let found = built.matched(Path::new(&*head), at + 1 < path.len());
            // The place was filed as the origin of the pattern.
            found
                .inner()
                .and_then(|glob| glob.from()?.to_str()?.parse().ok())
        });
        covers.max()
    }

    fn build(&self) -> Gitignore {
        let build = |lines: &[(usize, String)]| {
            let mut builder = builder();
            for (at, line) in lines {
                // Each was accepted before.
                let _ = add_line(&mut builder, *at, line);
            }
            builder.build().ok()
        };
        build(&self.lines).unwrap_or_else(|| {
            // One that cannot be compiled must not take the others along.
            let good = self
                .lines
                .iter()
                .filter(|line| build(std::slice::from_ref(line)).is_some());
            build(&good.cloned().collect::<Vec<_>>()).unwrap_or_else(Gitignore::empty)
        })
    }
}

impl KeepBelow {
    /// Whether as many bytes more may be kept; if so, they are taken.
    fn take(&self, bytes: usize) -> bool {
        let more = |kept: usize| kept.checked_add(bytes).filter(|sum| *sum <= MAX_KEPT_BYTES);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
    }
}

fn builder() -> GitignoreBuilder {
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(false);
    // The answer is always the builder.
    let _ = builder.case_insensitive(true);
    builder
}

fn add_line(builder: &mut GitignoreBuilder, at: usize, line: &str) -> Result<(), String> {
    match builder.add_line(Some(PathBuf::from(at.to_string())), line) {
        Ok(_) => Ok(()),
        Err(ignore::Error::Glob { err, .. }) => Err(format!("cannot be read: {err}")),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

/// Stand-ins for characters beyond ASCII. The matcher works on bytes: without them, `?` and
/// `[!a]` would stand for a third of a Chinese character.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Alphabet {
    /// The characters of the patterns beyond ASCII, each with its own stand-in; `None` if there
    /// are too many, then bytes are compared.
    chars: Option<Vec<char>>,
    /// Whether there are such characters at all.
    any: bool,
}

/// Stands for every character that no pattern names.
const OTHER: char = '\u{1}';
/// The first stand-in of a character that a pattern names. Control characters are not letters, so
/// that case does not matter, and they are in no name.
const FIRST: u8 = 2;
const MAX_CHARS: usize = 29;

impl Alphabet {
    fn of(line: &str) -> Result<Alphabet, String> {
        if line.is_ascii() && !line.contains(|c: char| c.is_ascii_control()) {
            return Ok(Alphabet::default());
        }
        let mut chars = Vec::new();
        for c in line.chars().filter(|c| !c.is_ascii()).map(fold_char) {
            if !chars.contains(&c) && chars.len() <= MAX_CHARS {
                chars.push(c);
            }
        }
        if has_wide_range(line) {
            return Err("has a range of characters beyond ASCII: list them one by one".to_owned());
        }
        let fits = chars.len() <= MAX_CHARS && !line.contains(|c: char| c.is_ascii_control());
        Ok(Alphabet {
            chars: fits.then_some(chars),
            any: true,
        })
    }

    /// A pattern in stand-ins.
    fn spell<'a>(&self, line: &'a str) -> Cow<'a, str> {
        match (self.any, &self.chars) {
            (true, Some(chars)) => Cow::Owned(
                line.chars()
                    .map(|c| {
                        if c.is_ascii() {
                            c
                        } else {
                            stand_in(chars, fold_char(c))
                        }
                    })
                    .collect(),
            ),
            _ => Cow::Borrowed(line),
        }
    }

    /// A folded path in stand-ins.
    fn write<'a>(&self, path: &'a str) -> Cow<'a, str> {
        let plain = |c: char| c.is_ascii() && !c.is_ascii_control();
        match (self.any, &self.chars) {
            (true, None) => Cow::Borrowed(path),
            _ if path.chars().all(plain) => Cow::Borrowed(path),
            (_, chars) => {
                let chars = chars.as_deref().unwrap_or_default();
                let write = |c: char| if plain(c) { c } else { stand_in(chars, c) };
                Cow::Owned(path.chars().map(write).collect())
            }
        }
    }
}

fn stand_in(chars: &[char], c: char) -> char {
    match chars.iter().position(|known| *known == c) {
        // At most 29 characters: the sum stays below the blank.
        Some(at) => char::from(FIRST + at as u8),
        None => OTHER,
    }
}

/// Whether a class has a range with an end beyond ASCII: order is lost in stand-ins.
fn has_wide_range(line: &str) -> bool {
    let mut inside = false;
    let mut before = ['\0'; 2];
    for c in line.chars() {
        match (inside, c) {
            (false, '[') if before[1] != '\\' => inside = true,
            (true, ']') if !matches!(before[1], '[' | '!' | '^') => inside = false,
            (true, '-') => {}
            (true, _)
                if before[1] == '-'
                    && before[0] != '['
                    && !(c.is_ascii() && before[0].is_ascii()) =>
            {
                return true;
            }
            _ => {}
        }
        before = [before[1], c];
    }
    false
}
