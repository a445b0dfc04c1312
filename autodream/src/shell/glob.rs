//! Unquoted `*`, `?` and `[…]`: replaced by the names that they stand for before anything is
//! judged, so that no shell has to.

use std::fs;
use std::path::{Path, PathBuf};

use super::lex::Word;
use crate::policy::{Refusal, RefusalKind, Roots};

/// 500 names: a glob that stands for more is refused. Far more than one command needs.
const MAX_MATCHES: usize = 500;

/// 20,000 entries of folders: so many are looked at for one command line. At most some tens of
/// milliseconds.
const MAX_ENTRIES: usize = 20_000;

/// What is left of [`MAX_ENTRIES`].
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Budget {
        Budget(MAX_ENTRIES)
    }
}

fn refuse<T>(word: &Word, why: &'static str) -> Result<T, Refusal> {
    Err(Refusal::new(RefusalKind::Glob, &word.text, why))
}

/// One component of a pattern, as tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Literal(char),
    One,
    Many,
    /// What stands between the brackets.
    Class(&'a str),
}

/// The names that a word with globs stands for, sorted, each beginning with `./` or `/`.
///
/// A word that looks like an option and matches nothing stays as it is, as in a shell: that is
/// how `--include=*.md` is meant.
pub(super) fn expand(
    word: Word,
    cwd: &Path,
    roots: &Roots,
    budget: &mut Budget,
    into: &mut Vec<Word>,
) -> Result<(), Refusal> {
    if word.is_quoted
        && word
            .globs
            .iter()
            .any(|at| word.text[*at..].starts_with('['))
    {
        return refuse(&word, "quotes and brackets may not be mixed in a glob");
    }
    let is_absolute = word.text.starts_with('/');
    let mut found = vec![if is_absolute {
        String::from("/")
    } else {
        String::from("./")
    }];
    let mut start = 0;
    for part in word.text.split('/') {
        if found.is_empty() {
            break;
        }
        let range = start..start + part.len();
        start = range.end + 1;
        if part.is_empty() {
            continue;
        }
        let globs: Vec<usize> = word
            .globs
            .iter()
            .filter(|at| range.contains(at))
            .map(|at| at - range.start)
            .collect();
        let mut next = Vec::new();
        if globs.is_empty() {
            for base in found {
                let name = format!("{base}{part}");
                if fs::symlink_metadata(cwd.join(&name)).is_ok() {
                    next.push(name + "/");
                }
            }
        } else {
            let Some(tokens) = tokens(part, &globs) else {
                return refuse(
                    &word,
                    "only simple globs are understood: `*`, `?`, `[abc]`, `[a-z]`",
                );
            };
            if matches!(tokens.first(), Some(Token::Literal('.'))) && part != ".." {
                return refuse(&word, "hidden names are not expanded");
            }
            for base in found {
                let is_folder = range.end < word.text.len();
                list(
                    &word, &tokens, &base, is_folder, cwd, roots, budget, &mut next,
                )?;
            }
        }
        found = next;
    }
    if found.is_empty() {
        if word.text.starts_with('-') {
            into.push(Word {
                globs: Vec::new(),
                ..word
            });
            return Ok(());
        }
        return refuse(
            &word,
            "it matches no file; put it in quotes if it is a pattern for the program",
        );
    }
    if word.text.starts_with('-') {
        return refuse(&word, "it matches a file whose name looks like an option");
    }
    let is_folder = word.text.ends_with('/');
    for mut name in found {
        if !is_folder {
            name.pop();
        }
        into.push(Word {
            text: name,
            is_match: true,
            ..Word::default()
        });
    }
    Ok(())
}

/// Adds the entries of one folder that match, or those of them that are folders.
#[expect(
    clippy::too_many_arguments,
    reason = "the pieces of one call, used once"
)]
fn list(
    word: &Word,
    tokens: &[Token<'_>],
    base: &str,
    is_folder: bool,
    cwd: &Path,
    roots: &Roots,
    budget: &mut Budget,
    into: &mut Vec<String>,
) -> Result<(), Refusal> {
    let folder: PathBuf = cwd.join(base);
    let folder = roots.may_read(&folder)?;
    let Ok(entries) = fs::read_dir(&folder) else {
        return Ok(());
    };
    let mut names = Vec::new();
    for entry in entries {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return refuse(word, "a file there has a name that is not text");
        };
        // A match of long names against many stars costs more than one against few.
        let cost = 1 + tokens.len() * name.len() / 1_024;
        let Some(rest) = budget.0.checked_sub(cost) else {
            return refuse(word, "too many files would have to be looked at");
        };
        budget.0 = rest;
        let is_wanted = !name.starts_with('.')
            && is_match(tokens, name)
            && (!is_folder || fs::metadata(folder.join(name)).is_ok_and(|meta| meta.is_dir()));
        if is_wanted {
            names.push(name.to_owned());
        }
    }
    if into.len() + names.len() > MAX_MATCHES {
        return refuse(word, "it matches too many files");
    }
    names.sort_unstable();
    into.extend(names.iter().map(|name| format!("{base}{name}/")));
    Ok(())
}

fn tokens<'a>(part: &'a str, globs: &[usize]) -> Option<Vec<Token<'a>>> {
    // No name is longer.
    if part.len() > 255 {
        return None;
    }
    let mut tokens = Vec::new();
    let mut skip_to = 0;
    for (at, c) in part.char_indices() {
        if at < skip_to {
            continue;
        }
        tokens.push(match c {
            _ if !globs.contains(&at) => Token::Literal(c),
            '*' => Token::Many,
            '?' => Token::One,
            _ => {
                // A `]` that comes first stands for itself; classes and equivalents do not occur.
                let body = &part[at + 1..];
                let first = usize::from(body.starts_with('^'));
                let first = first + usize::from(body[first..].starts_with(']'));
                let end = first + body[first..].find(']')?;
                let body = &body[..end];
                if !body.is_ascii() || body.contains('[') || body.len() > 64 {
                    return None;
                }
                skip_to = at + 1 + end + 1;
                Token::Class(body)
            }
        });
    }
    Some(tokens)
}

/// With one place to fall back to, so that the time is at most the product of both lengths.
fn is_match(tokens: &[Token<'_>], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut token) = (0, 0);
    let mut fall_back: Option<(usize, usize)> = None;
    loop {
        let fits = match (tokens.get(token), name.get(at)) {
            (None, None) => return true,
            (Some(Token::Many), _) => {
                fall_back = Some((token + 1, at));
                token += 1;
                continue;
            }
            (Some(Token::Literal(want)), Some(c)) => want == c,
            (Some(Token::One), Some(_)) => true,
            (Some(Token::Class(body)), Some(c)) => in_class(body, *c),
            _ => false,
        };
        if fits {
            at += 1;
            token += 1;
            continue;
        }
        match fall_back {
            Some((after, from)) if from < name.len() => {
                fall_back = Some((after, from + 1));
                (token, at) = (after, from + 1);
            }
            _ => return false,
        }
    }
}

fn in_class(body: &str, c: char) -> bool {
    let (negated, set) = match body.strip_prefix('^') {
        Some(set) => (true, set.as_bytes()),
        None => (false, body.as_bytes()),
    };
    let mut found = false;
    let mut at = 0;
    while at < set.len() {
        let low = char::from(set[at]);
        if at + 2 < set.len() && set[at + 1] == b'-' {
            found |= (low..=char::from(set[at + 2])).contains(&c);
            at += 3;
        } else {
            found |= low == c;
            at += 1;
        }
    }
    found != negated
}
