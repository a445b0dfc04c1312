//! Writes out the braces of a pattern, within a budget.

use super::PathGlobs;

/// What the braces of one rule may still be written out to.
#[derive(Debug)]
pub(super) struct Budget {
    patterns: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            patterns: PathGlobs::MAX_EXPANDED,
            bytes: PathGlobs::MAX_EXPANDED_BYTES,
        }
    }
}

/// A piece of a pattern between braces, or the alternatives inside them.
enum Piece<'a> {
    Text(&'a str),
    Group(Vec<&'a str>),
}

/// All patterns that a pattern with braces stands for; itself if it has none. `{a, b}` may have
/// blanks, `{a}` is `a`, `{,a}` has an empty alternative, `{}` and a lone `}` are text.
pub(super) fn expand(pattern: &str, budget: &mut Budget) -> Result<Vec<String>, String> {
    let pieces = split(pattern)?;
    let mut count = 1_usize;
    for piece in &pieces {
        if let Piece::Group(group) = piece {
            count = count.saturating_mul(group.len());
        }
    }
    if !pieces.iter().any(|piece| matches!(piece, Piece::Group(_))) {
        return Ok(vec![pieces.iter().map(text).collect()]);
    }
    if count > budget.patterns {
        return Err(format!(
            "its braces stand for too many patterns: a rule may have {}",
            PathGlobs::MAX_EXPANDED
        ));
    }
    // Every alternative of a group stands in `count / group.len()` of the results.
    let bytes = pieces.iter().fold(0_usize, |sum, piece| {
        sum.saturating_add(match piece {
            Piece::Text(text) => text.len().saturating_mul(count),
            Piece::Group(group) => {
                let all: usize = group.iter().map(|one| one.len()).sum();
                all.saturating_mul(count / group.len())
            }
        })
    });
    if bytes > budget.bytes {
        return Err(format!(
            "its braces stand for too much text: a rule may have {} bytes",
            PathGlobs::MAX_EXPANDED_BYTES
        ));
    }
    budget.patterns -= count;
    budget.bytes -= bytes;

    let mut out = vec![String::new()];
    for piece in &pieces {
        match piece {
            Piece::Text(_) => out.iter_mut().for_each(|one| one.push_str(&text(piece))),
            Piece::Group(group) => {
                out = out
                    .iter()
                    .flat_map(|head| group.iter().map(move |one| format!("{head}{one}")))
                    .collect();
            }
        }
    }
    Ok(out)
}

/// A piece as the pattern language spells it: what is left of braces there is plain text.
fn text(piece: &Piece<'_>) -> String {
    let Piece::Text(text) = piece else {
        return String::new();
    };
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '{' | '}' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

fn split(pattern: &str) -> Result<Vec<Piece<'_>>, String> {
    let bytes = pattern.as_bytes();
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'{' => {
                let inner = &pattern[at + 1..];
                let Some(len) = inner.find('}') else {
                    return Err("has a `{` that is never closed".to_owned());
                };
                let inner = &inner[..len];
                if inner.contains('{') {
                    return Err("has braces inside braces, which are not expanded".to_owned());
                }
                if !inner.is_empty() {
                    pieces.push(Piece::Text(&pattern[start..at]));
                    pieces.push(Piece::Group(inner.split(',').map(str::trim).collect()));
                    start = at + len + 2;
                }
                at += len + 2;
            }
            _ => at += 1,
        }
    }
    pieces.push(Piece::Text(&pattern[start..]));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        let found = expand(pattern, &mut Budget::default());
        assert_eq!(
            found.as_deref(),
            Ok(&expected.iter().map(|&s| s.to_owned()).collect::<Vec<_>>()[..]),
            "{pattern}"
        );
    }

    #[test]
    fn groups_are_written_out_in_order() {
        check("a", &["a"]);
        check("*.{ts,tsx}", &["*.ts", "*.tsx"]);
        check("{a,b}/{c,d}", &["a/c", "a/d", "b/c", "b/d"]);
        check("a{,.test}.ts", &["a.ts", "a.test.ts"]);
        check("{a}.ts", &["a.ts"]);
        check("f{1..3}", &["f1..3"]);
        check("{a, b }c", &["ac", "bc"]);
        check("!x/{a,b}", &["!x/a", "!x/b"]);
    }

    #[test]
    fn what_is_no_group_is_text() {
        check("a}b", &[r"a\}b"]);
        check("a{}b", &[r"a\{\}b"]);
        check(r"\{a,b\}", &[r"\{a,b\}"]);
        check(r"{a,b}\", &[r"a\", r"b\"]);
    }

    #[test]
    fn unclosed_and_nested_groups_are_refused() {
        let reason = |pattern| expand(pattern, &mut Budget::default()).unwrap_err();
        assert_eq!(reason("a{b"), "has a `{` that is never closed");
        assert_eq!(
            reason("{a,{b,c}}"),
            "has braces inside braces, which are not expanded"
        );
    }

    #[test]
    fn a_rule_has_one_budget() {
        let mut budget = Budget::default();
        let ten = "{0,1,2,3,4,5,6,7,8,9}";
        assert_eq!(
            expand(&ten.repeat(2), &mut budget).map(|all| all.len()),
            Ok(100)
        );
        assert_eq!(
            expand(&ten.repeat(3), &mut budget).unwrap_err(),
            "its braces stand for too many patterns: a rule may have 1000"
        );
        assert_eq!(expand(ten, &mut budget).map(|all| all.len()), Ok(10));
        let long = format!("{ten}{}{ten}", "x".repeat(60_000));
        assert_eq!(
            expand(&long, &mut budget).unwrap_err(),
            "its braces stand for too much text: a rule may have 4194304 bytes"
        );
        assert!(expand(&ten.repeat(3_000), &mut budget).is_err());
    }
}
