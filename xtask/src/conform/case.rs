//! One vector as it stands in a file, and what can come of it.

use std::path::Path;

use serde_json::Value;

use crate::Result;

/// One vector.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) id: String,
    /// The crate it is about.
    pub(super) krate: String,
    pub(super) body: Body,
}

/// The two formats.
#[derive(Clone)]
pub(super) enum Body {
    Interop {
        setup: Value,
        observed: Value,
    },
    Peer {
        kind: String,
        input: Value,
        expected: Value,
        stance: Stance,
    },
}

/// What a peer case binds to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    Adopt,
    Differs,
    Decide,
}

impl Case {
    /// The kind: written in a peer case, derived from the keys of `observed` in an interop case.
    pub(super) fn kind(&self) -> &str {
        match &self.body {
            Body::Interop { observed, .. } => interop_kind(observed),
            Body::Peer { kind, .. } => kind,
        }
    }
}

fn interop_kind(observed: &Value) -> &'static str {
    const KINDS: [(&str, &str); 10] = [
        ("memory_slug", "slug"),
        ("system_section", "switch"),
        ("injected", "inject"),
        ("note_in_tool_result", "note"),
        ("loaded", "load"),
        ("injected_on_read_of", "rule"),
        ("injected_after_each_step", "nested"),
        ("compacted", "auto"),
        ("boundaries", "boundary"),
        ("writes", "write"),
    ];
    for (key, kind) in KINDS {
        if observed.get(key).is_some() {
            return kind;
        }
    }
    let mut keys = observed.as_object().into_iter().flat_map(|map| map.keys());
    if keys.any(|key| key.starts_with("new_text_visible_per_turn")) {
        "memo"
    } else {
        "unknown"
    }
}

/// One compared value that is not as expected.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) expected: Value,
    pub(super) got: Value,
}

/// What came of a case.
pub(super) enum Outcome {
    Passed,
    /// Ours is the value of these deviation rules.
    Differs(Vec<&'static str>),
    Failed(Vec<Field>),
    Optional(String),
    Unsupported(String),
}

impl Outcome {
    /// A case that came to no value at all.
    pub(super) fn broken(what: impl Into<String>) -> Outcome {
        let (name, expected) = ("case".to_owned(), Value::from("a value"));
        Outcome::Failed(vec![Field {
            name,
            expected,
            got: Value::from(what.into()),
        }])
    }

    pub(super) fn unsupported(reason: impl Into<String>) -> Outcome {
        Outcome::Unsupported(reason.into())
    }

    /// The word of the contract.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Differs(_) => "differs",
            Outcome::Failed(_) => "failed",
            Outcome::Optional(_) => "optional",
            Outcome::Unsupported(_) => "unsupported",
        }
    }
}

/// Reads a vector file: a JSON array of objects of either format.
pub(super) fn read(path: &Path) -> Result<Vec<Case>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
    let list = value
        .as_array()
        .ok_or_else(|| format!("{shown}: not a JSON array"))?;
    let cases = list.iter().enumerate().map(|(at, item)| {
        one(item).ok_or_else(|| format!("{shown}: item {at} is neither of the two formats").into())
    });
    cases.collect()
}

fn one(item: &Value) -> Option<Case> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    let value = |key: &str| item.get(key).cloned();
    let body = if let (Some(setup), Some(observed)) = (value("setup"), value("observed")) {
        Body::Interop { setup, observed }
    } else {
        let stance = match item.get("stance").and_then(Value::as_str)? {
            "adopt" => Stance::Adopt,
            "differs" => Stance::Differs,
            "decide" => Stance::Decide,
            _ => return None,
        };
        let (kind, input, expected) = (text("kind")?, value("input")?, value("expected")?);
        Body::Peer {
            kind,
            input,
            expected,
            stance,
        }
    };
    Some(Case {
        id: text("id")?,
        krate: text("crate")?,
        body,
    })
}
