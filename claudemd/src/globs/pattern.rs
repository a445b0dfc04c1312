//! One pattern without braces: what it means, and whether it is plain.

use std::ops::Range;

use super::{Folded, PathGlobs, fold};

/// A pattern, read.
#[derive(Debug)]
pub(super) struct Parsed {
    /// Whether it takes back.
    pub(super) negative: bool,
    /// What the pattern covers, or more than it.
    pub(super) plain: Plain,
    /// Whether `plain` covers just what the pattern does.
    pub(super) exact: bool,
    /// A folder that every path of the pattern has, where a part in the middle of it is literal:
    /// covers more than the pattern, and mostly less than `plain`.
    pub(super) within: Option<Plain>,
    /// The pattern for the engine, without `!`; empty if it is plain.
    pub(super) line: String,
    /// What the first part below the folder of `plain` begins with.
    head: Box<str>,
    /// The longest run of literal characters.
    needle: Box<str>,
}

/// A pattern that needs no engine: below a folder, one part that is a name or ends in something.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    /// Parts before the last, all literal, in lower case; empty for the base.
    pub(crate) dir: Box<str>,
    /// Whether the last part may be anywhere below `dir` or only directly in it.
    pub(crate) deep: bool,
    /// The last part.
    pub(crate) tail: Tail,
    /// Whether the last part has to be a folder.
    pub(crate) only_dir: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    Name(Box<str>),
    Suffix(Box<str>),
}

impl Tail {
    fn is_match(&self, part: &str) -> bool {
        match self {
            Tail::Name(name) => **name == *part,
            Tail::Suffix(suffix) => part.ends_with(&**suffix),
        }
    }
}

impl Plain {
    /// Whether the pattern matches the path or one of its parent folders.
    pub(crate) fn covers(&self, path: &Folded) -> bool {
        self.first(path).is_some_and(|first| {
            self.range(first, path)
                .any(|at| self.tail.is_match(path.part(at)))
        })
    }

    /// The number of the first part below the folder, if the path is below it.
    fn first(&self, path: &Folded) -> Option<usize> {
        if self.dir.is_empty() {
            return Some(0);
        }
        let below = path.text().strip_prefix(&*self.dir)?;
        below
            .starts_with('/')
            .then(|| self.dir.bytes().filter(|byte| *byte == b'/').count() + 1)
    }

    /// The parts that may be the last one of the pattern.
    fn range(&self, first: usize, path: &Folded) -> Range<usize> {
        let last = path.len() - usize::from(self.only_dir);
        first..if self.deep { last } else { last.min(first + 1) }
    }
}

impl Parsed {
    /// Adds the parts of a path at which the pattern may end, going by its literal characters: a
    /// cheap answer that is mostly none.
    pub(super) fn ends(&self, path: &Folded, ends: &mut [bool]) {
        let Some(first) = self.plain.first(path) else {
            return;
        };
        let begins = first < path.len() && path.part(first).starts_with(&*self.head);
        if !begins || !path.text().contains(&*self.needle) {
            return;
        }
        for at in self.plain.range(first, path) {
            ends[at] |= self.plain.tail.is_match(path.part(at));
        }
    }
}

const META: [char; 7] = ['*', '?', '[', ']', '\\', '{', '}'];

pub(super) fn parse(pattern: &str) -> Result<Parsed, String> {
    let (negative, rest) = match pattern.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    if !negative && rest.starts_with('#') {
        return Err(r"is a comment in this pattern language: write `\#` for the character".into());
    }
    // Three stars and more are two.
    let stars = |part: &str| part.len() > 2 && part.bytes().all(|byte| byte == b'*');
    let fewer: String;
    let rest = match rest.split('/').any(stars) {
        true => {
            let parts = rest
                .split('/')
                .map(|part| if stars(part) { "**" } else { part });
            fewer = parts.collect::<Vec<_>>().join("/");
            &fewer
        }
        false => rest,
    };
    let rest = match rest.strip_suffix("/**") {
        Some("") => "**",
        Some(rest) => rest,
        None => rest,
    };
    // `**/` stands for any number of folders, none included, so this is the folder itself.
    let folder;
    let rest = match rest.strip_suffix("/**/") {
        Some(dir) if !dir.is_empty() && dir != "**" => {
            folder = format!("/{}/", dir.strip_prefix('/').unwrap_or(dir));
            &folder
        }
        _ => rest,
    };
    let anchored = rest.starts_with('/');
    let body = rest.strip_prefix('/').unwrap_or(rest);
    let only_dir = body.ends_with('/');
    let body = body.strip_suffix('/').unwrap_or(body);
    check(body)?;

    let parts: Vec<&str> = body.split('/').collect();
    let literal = |part: &&str| !part.contains(META);
    let mut head = "";
    let mut within = None;
    let (plain, exact) = if parts.len() == 1 && !anchored {
        let (tail, exact) = tail(body);
        (plain(&[], true, tail, only_dir), exact)
    } else {
        let fixed = parts[..parts.len() - 1]
            .iter()
            .take_while(|part| literal(part))
            .count();
        let (dir, open) = parts.split_at(fixed);
        let (tail, exact) = tail(open[open.len() - 1]);
        if open[0] != "**" {
            head = open[0].split(META).next().unwrap_or_default();
        }
        let middle = open[..open.len() - 1].iter().filter(|part| literal(part));
        within = middle.max_by_key(|part| part.len()).map(|part| {
            let name = Tail::Name(fold(part).into());
            plain(dir, true, name, true)
        });
        match open {
            ["**"] => (plain(dir, true, tail, only_dir), true),
            [_] => (plain(dir, false, tail, only_dir), exact),
            ["**", _] => (plain(dir, true, tail, only_dir), exact),
            _ => (plain(dir, true, tail, only_dir), false),
        }
    };
    if !exact && rest.len() > PathGlobs::MAX_PATTERN_BYTES {
        return Err(format!(
            "is longer than {} bytes",
            PathGlobs::MAX_PATTERN_BYTES
        ));
    }
    Ok(Parsed {
        negative,
        plain,
        exact,
        within: within.filter(|_| !exact),
        line: match exact {
            true => String::new(),
            // After `!` these two are characters like any other.
            false if rest.starts_with(['!', '#']) => format!(r"\{rest}"),
            false => rest.to_owned(),
        },
        head: fold(head).into(),
        needle: fold(if exact { "" } else { needle(body) }).into(),
    })
}

fn plain(dir: &[&str], deep: bool, tail: Tail, only_dir: bool) -> Plain {
    Plain {
        dir: fold(&dir.join("/")).into(),
        deep,
        tail,
        only_dir,
    }
}

/// The longest run of characters that stand for themselves. Whether a slash or the first and the
/// last characters of a class are needed depends, so they are left out.
fn needle(body: &str) -> &str {
    let mut longest = "";
    let mut rest = body;
    while let Some(at) = rest.find(|c: char| c == '/' || META.contains(&c)) {
        if at > longest.len() {
            longest = &rest[..at];
        }
        // The members of a class are no run, and after a stray bracket nothing is certain.
        match rest.as_bytes()[at] {
            b'[' => match class_end(&rest[at..]) {
                Some(len) => rest = &rest[at + len..],
                None => return longest,
            },
            b'\\' => {
                let mut after = rest[at + 1..].chars();
                after.next();
                rest = after.as_str();
            }
            _ => rest = &rest[at + 1..],
        }
    }
    if rest.len() > longest.len() {
        rest
    } else {
        longest
    }
}

/// The length of a class that begins the text, or `None` if it is one of those with names in it.
fn class_end(text: &str) -> Option<usize> {
    let inner = text[1..].trim_start_matches(['!', '^']);
    let start = text.len() - inner.len();
    if inner.contains("[:") {
        return None;
    }
    let skip = usize::from(inner.starts_with(']'));
    Some(start + skip + inner[skip..].find(']')? + 1)
}

/// The last part of a pattern, and whether nothing of it was lost.
fn tail(part: &str) -> (Tail, bool) {
    let Some(meta) = part.rfind(META) else {
        return (Tail::Name(fold(part).into()), true);
    };
    // A wildcard character is one byte long.
    let suffix = &part[meta + 1..];
    (
        Tail::Suffix(fold(suffix).into()),
        part == "**" || (meta == 0 && part.starts_with('*')),
    )
}

/// Refuses what can match no path below the base.
fn check(body: &str) -> Result<(), String> {
    let refuse = |reason: &str| Err(reason.to_owned());
    if body.is_empty() {
        return refuse("names nothing");
    }
    let drive = body.as_bytes();
    if drive.len() > 2
        && drive[0].is_ascii_alphabetic()
        && drive[1] == b':'
        && matches!(drive[2], b'/' | b'\\')
    {
        return refuse("is an absolute path: patterns are relative to the folder of the rule");
    }
    for (at, part) in body.split('/').enumerate() {
        match part {
            "~" if at == 0 => {
                return refuse("begins with `~`: patterns are relative to the folder of the rule");
            }
            "." if at == 0 && body.len() > 1 => {
                return refuse("begins with `./`, which never matches: leave it out");
            }
            "." | ".." => return refuse("has a `.` or `..` part, which never matches"),
            "" => return refuse("has an empty part: two slashes in a row"),
            _ => {}
        }
    }
    Ok(())
}
