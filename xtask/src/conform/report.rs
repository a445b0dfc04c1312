//! The report: `FAIL` blocks, a table, one last line; or one JSON object.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::case::{Case, Outcome};

/// Longer values are cut around the first difference. In characters.
const MAX_SHOWN: usize = 200;

/// The results in the order of the table's columns.
const WORDS: [&str; 5] = ["passed", "differs", "failed", "optional", "unsupported"];

pub(super) fn text(done: &[(Case, Outcome)], verbose: bool) -> String {
    let mut out = String::new();
    for (case, outcome) in done {
        let name = format!("{}/{} {}", case.krate, case.kind(), case.id);
        match outcome {
            Outcome::Failed(fields) => {
                for field in fields {
                    let expected = field.expected.to_string();
                    let got = field.got.to_string();
                    let (expected, got) = (excerpt(&expected, &got), excerpt(&got, &expected));
                    let _ = writeln!(out, "FAIL {name} {}", field.name);
                    let _ = writeln!(out, "  expected {expected}\n  got      {got}");
                }
            }
            Outcome::Passed => {}
            Outcome::Differs(rules) if verbose => {
                let _ = writeln!(out, "differs {name}: {}", rules.join(", "));
            }
            Outcome::Optional(reason) | Outcome::Unsupported(reason) if verbose => {
                let _ = writeln!(out, "{} {name}: {reason}", outcome.word());
            }
            _ => {}
        }
    }
    table(done, &mut out);
    let counts: Vec<String> = WORDS
        .iter()
        .map(|word| format!("{} {word}", count(done.iter(), word)))
        .collect();
    let _ = writeln!(out, "conform: {} cases, {}", done.len(), counts.join(", "));
    out
}

fn count<'a>(done: impl Iterator<Item = &'a (Case, Outcome)>, word: &str) -> usize {
    done.filter(|(_, outcome)| outcome.word() == word).count()
}

fn table(done: &[(Case, Outcome)], out: &mut String) {
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for (case, _) in done {
        let row = (case.krate.as_str(), case.kind());
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let width = |of: fn(&(&str, &str)) -> usize, head: &str| {
        rows.iter()
            .map(of)
            .max()
            .unwrap_or_default()
            .max(head.len())
    };
    let (first, second) = (
        width(|row| row.0.len(), "crate"),
        width(|row| row.1.len(), "kind"),
    );
    let _ = writeln!(
        out,
        "{:<first$} {:<second$} {}",
        "crate",
        "kind",
        WORDS.join(" ")
    );
    for (krate, kind) in rows {
        let _ = write!(out, "{krate:<first$} {kind:<second$}");
        for word in WORDS {
            let own = done
                .iter()
                .filter(|(case, _)| case.krate == krate && case.kind() == kind);
            let _ = write!(out, " {:>width$}", count(own, word), width = word.len());
        }
        out.push('\n');
    }
}

/// At most [`MAX_SHOWN`] characters of `text`, around where it first differs from `other`.
fn excerpt(text: &str, other: &str) -> String {
    let length = text.chars().count();
    if length <= MAX_SHOWN {
        return text.to_owned();
    }
    let same = text
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let start = same.saturating_sub(MAX_SHOWN / 2).min(length - MAX_SHOWN);
    let shown: String = text.chars().skip(start).take(MAX_SHOWN).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + MAX_SHOWN < length {
        "…"
    } else {
        ""
    };
    format!("{before}{shown}{after}")
}

pub(super) fn json(done: &[(Case, Outcome)]) -> String {
    let cases: Vec<Value> = done
        .iter()
        .map(|(case, outcome)| one(case, outcome))
        .collect();
    let mut totals = serde_json::Map::new();
    totals.insert("cases".to_owned(), done.len().into());
    for word in WORDS {
        totals.insert(word.to_owned(), count(done.iter(), word).into());
    }
    format!("{}\n", json!({ "cases": cases, "totals": totals }))
}

fn one(case: &Case, outcome: &Outcome) -> Value {
    let mut value = json!({
        "id": case.id, "crate": case.krate, "kind": case.kind(), "result": outcome.word(),
    });
    match outcome {
        Outcome::Passed => {}
        Outcome::Differs(rules) => value["rule"] = rules.join(", ").into(),
        Outcome::Optional(reason) | Outcome::Unsupported(reason) => {
            value["reason"] = reason.as_str().into();
        }
        Outcome::Failed(fields) => {
            let fields = fields.iter().map(
                |field| json!({ "name": field.name, "expected": field.expected, "got": field.got }),
            );
            value["fields"] = fields.collect();
        }
    }
    value
}
