//! The patterns of one rule, compiled.

mod braces;
mod engine;
mod pattern;

use std::borrow::Cow;
use std::path::{Component, Path};
use std::sync::Arc;

use engine::Engine;
use pattern::Parsed;

pub(crate) use engine::{Keep, KeepBelow};
pub(crate) use pattern::{Plain, Tail};

/// A pattern that matches nothing, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PatternProblem {
    /// The pattern as written.
    pub pattern: String,
    /// Why it matches nothing.
    pub reason: String,
}

/// The patterns of one rule, compiled: the language of `.gitignore`, without case.
///
/// - A pattern without an inner slash matches at any depth, one with an inner or a leading slash is
///   anchored at the base of the rule. A folder covers everything below it.
/// - A final `/**` is dropped first: `src/**` is `src`, and so also matches `lib/src/a.ts`.
/// - Braces are written out before anything else: `*.{ts,tsx}` is two patterns. Groups do not
///   nest, and there are no ranges.
/// - `!pattern` takes back. Each pattern covers a path if it matches the path or one of its parent
///   folders; the last pattern of the list that covers the path decides. So, other than in a
///   `.gitignore`, a file below a covered folder can be taken back. A list of nothing but `!`
///   matches nothing.
/// - Leading `./`, `../` and `~/` never match, nor does a pattern with an empty part, a stray `[`
///   or an unclosed `{`, nor a comment (`#…`): each is one of the [`problems`](Self::problems).
/// - Where git works on bytes, this works on characters: `?` and `[!a]` stand for one of any script.
///   A backslash inside a class is a member of the class.
/// - `**` beside other characters is one `*`, as git's documentation says. (Git itself takes
///   `a**/b` for a match of `ab`.)
///
/// ```
/// use claudemd::PathGlobs;
///
/// let globs = PathGlobs::new(&["src/**/*.{ts,tsx}", "!src/node_modules/**", "docs/["]);
/// assert!(globs.is_match("src/view/a.tsx".as_ref()));
/// assert!(!globs.is_match("src/node_modules/p/a.ts".as_ref()));
/// assert_eq!(globs.problems()[0].pattern, "docs/[");
/// ```
#[derive(Debug, Clone)]
pub struct PathGlobs {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// In the order of the list, braces written out.
    patterns: Vec<Parsed>,
    /// The patterns that are not plain, by their place in `patterns`.
    engine: Engine,
    negations: bool,
    problems: Vec<PatternProblem>,
}

impl PathGlobs {
    /// The most patterns that the braces of one rule may be written out to. A pattern above it
    /// matches nothing. The number is the format's.
    pub const MAX_EXPANDED: usize = 1_000;

    /// The most bytes that the braces of one rule may be written out to. A pattern above it
    /// matches nothing. The number is the format's.
    pub const MAX_EXPANDED_BYTES: usize = 4 << 20;

    /// The longest pattern, in bytes, with wildcards other than one `*` at the start of its last
    /// part. Compiling takes about a thousand times the memory; no hand writes longer ones.
    pub const MAX_PATTERN_BYTES: usize = 1_024;

    /// The most bytes that all such patterns of one rule may have together, for the same reason:
    /// room for the 1,000 patterns of [`MAX_EXPANDED`](Self::MAX_EXPANDED) at 32 bytes each.
    pub const MAX_COMPILED_BYTES: usize = 32 << 10;

    /// Compiles patterns in their order. A bad one matches nothing, is reported, and spoils
    /// neither the others nor the rule. White space around a pattern is no part of it, and an
    /// empty one is skipped.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> PathGlobs {
        let mut found = Vec::new();
        let mut engine = Engine::default();
        let mut problems = Vec::new();
        let mut budget = braces::Budget::default();
        for pattern in patterns {
            let pattern = pattern.as_ref().trim();
            if pattern.is_empty() {
                continue;
            }
            if let Err(reason) = add(pattern, &mut budget, &mut found, &mut engine) {
                problems.push(PatternProblem {
                    pattern: pattern.to_owned(),
                    reason,
                });
            }
        }
        let negations = found.iter().any(|parsed: &Parsed| parsed.negative);
        if negations && found.iter().all(|parsed| parsed.negative) {
            let first = patterns.iter().map(|pattern| pattern.as_ref().trim());
            problems.push(PatternProblem {
                pattern: first
                    .into_iter()
                    .find(|pattern| pattern.starts_with('!'))
                    .unwrap_or("!")
                    .to_owned(),
                reason: "takes back what no pattern of the rule gives: add one without `!`"
                    .to_owned(),
            });
        }
        PathGlobs {
            inner: Arc::new(Inner {
                patterns: found,
                engine,
                negations,
                problems,
            }),
        }
    }

    /// The patterns that match nothing, and why.
    pub fn problems(&self) -> &[PatternProblem] {
        &self.inner.problems
    }

    /// Whether the rule applies to a path relative to its base. Absolute paths and paths with
    /// `..` never match. The path need not exist.
    pub fn is_match(&self, relative: &Path) -> bool {
        let mut text = String::new();
        for part in relative.components() {
            match part {
                Component::Normal(part) => {
                    if !text.is_empty() {
                        text.push('/');
                    }
                    text.push_str(&part.to_string_lossy());
                }
                Component::CurDir => {}
                _ => return false,
            }
        }
        self.decides(&Folded::new(&text), &Keep::Always)
    }

    /// Whether the last pattern that covers the path is one that includes.
    pub(crate) fn decides(&self, path: &Folded, keep: &Keep<'_>) -> bool {
        let Inner {
            patterns,
            engine,
            negations,
            ..
        } = &*self.inner;
        if path.is_empty() {
            return false;
        }
        let plain = patterns
            .iter()
            .rposition(|parsed| parsed.exact && parsed.plain.covers(path));
        // Without negations one cover is as good as another.
        if plain.is_some() && !negations {
            return true;
        }
        let last = plain.max(engine.last_cover(path, patterns, keep));
        last.is_some_and(|at| !patterns[at].negative)
    }

    /// Every including pattern as a plain one that covers at least the same paths, and whether it
    /// covers exactly what the rule does there, so that nothing needs to be asked again.
    pub(crate) fn plains(&self) -> impl Iterator<Item = (&Plain, bool)> {
        let certain = !self.inner.negations;
        let including = self.inner.patterns.iter().filter(|parsed| !parsed.negative);
        including.map(move |parsed| {
            let plain = parsed.within.as_ref().unwrap_or(&parsed.plain);
            (plain, certain && parsed.exact)
        })
    }
}

/// Writes out the braces of a pattern and adds what comes of it; all or nothing.
fn add(
    pattern: &str,
    budget: &mut braces::Budget,
    found: &mut Vec<Parsed>,
    engine: &mut Engine,
) -> Result<(), String> {
    let mut parsed = Vec::new();
    for one in braces::expand(pattern, budget)? {
        parsed.push(pattern::parse(&one)?);
    }
    let lines = parsed.iter().enumerate().filter(|(_, one)| !one.exact);
    engine.add(lines.map(|(at, one)| (found.len() + at, one.line.as_str())))?;
    found.append(&mut parsed);
    Ok(())
}

/// A relative path as patterns see it: lower case, `/` between its parts.
#[derive(Debug)]
pub(crate) struct Folded {
    text: String,
    /// Where each part ends.
    ends: Vec<usize>,
}

impl Folded {
    /// Folds a path whose parts are separated by single slashes, without `.` and `..`.
    pub(crate) fn new(text: &str) -> Folded {
        let text = fold(text).into_owned();
        let mut ends = Vec::with_capacity(8);
        if !text.is_empty() {
            ends.extend(
                text.bytes()
                    .enumerate()
                    .filter(|(_, byte)| *byte == b'/')
                    .map(|(at, _)| at),
            );
            ends.push(text.len());
        }
        Folded { text, ends }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many parts the path has.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn part(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] + 1 };
        &self.text[start..self.ends[at]]
    }

    /// The first parts of the path.
    pub(crate) fn head(&self, parts: usize) -> &str {
        match parts {
            0 => "",
            parts => &self.text[..self.ends[parts - 1]],
        }
    }
}

/// Text in lower case, character by character, so that its length in characters stays.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii())
    {
        return Cow::Owned(text.chars().map(fold_char).collect());
    }
    Cow::Borrowed(text)
}

fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}
