//! Collects compared fields and turns them into an outcome.

use serde_json::Value;

use super::case::{Field, Outcome};

/// The deviation rules. Each stands with its reason in the table of ARCHITECTURE.md; `tidy` checks.
pub(crate) const RULES: [&str; 15] = [
    "empty-config-dir",
    "submodule-worktree",
    "relative-backlink",
    "bare-folder",
    "index-link-out",
    "pointer-symlink",
    "import-punctuation",
    "import-whole-line",
    "import-real-path",
    "conditional-import",
    "negation",
    "class-negation",
    "rescue",
    "char-boundary",
    "proactive",
];

/// The compared fields of one case.
#[derive(Default)]
pub(super) struct Comparison {
    wrong: Vec<Field>,
    rules: Vec<&'static str>,
}

/// What a deviation rule says of one field: its name and its value.
pub(super) type Deviation = Option<(&'static str, Value)>;

impl Comparison {
    /// Strings exactly, `null` only with nothing.
    pub(super) fn field(&mut self, name: &str, expected: &Value, got: impl Into<Value>) {
        self.deviating(name, expected, got, None);
    }

    /// The same where a rule applies: if ours is not the vector's value, it has to be the rule's.
    pub(super) fn deviating(
        &mut self,
        name: &str,
        expected: &Value,
        got: impl Into<Value>,
        rule: Deviation,
    ) {
        let got = got.into();
        if got == *expected {
            return;
        }
        match rule {
            Some((rule, value)) if RULES.contains(&rule) && value == got && value != *expected => {
                if !self.rules.contains(&rule) {
                    self.rules.push(rule);
                }
            }
            _ => self.wrong.push(Field {
                name: name.to_owned(),
                expected: expected.clone(),
                got,
            }),
        }
    }

    /// Keys that the contract does not name fail the case.
    pub(super) fn unknown(&mut self, place: &str, keys: &[&str]) {
        for key in keys {
            self.wrong.push(Field {
                name: format!("{place}.{key}"),
                expected: Value::from("a key of the contract"),
                got: Value::from("an unknown key"),
            });
        }
    }

    pub(super) fn outcome(self) -> Outcome {
        match (self.wrong.is_empty(), self.rules.is_empty()) {
            (false, _) => Outcome::Failed(self.wrong),
            (true, false) => Outcome::Differs(self.rules),
            (true, true) => Outcome::Passed,
        }
    }
}
