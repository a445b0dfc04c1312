//! What whoever takes notes may write: one file, by edits, without touching its form.

use std::fmt;

use serde_json::Value;

use super::is_italic;
use super::sections::fenced;

/// The largest notes file. In bytes; our own choice, many times the budget of the notes.
pub const MAX_NOTES_BYTES: usize = 1 << 20;

/// What the host's gate says to a text that is about to be written, for example because a secret
/// stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gated {
    /// It may be written.
    Pass,
    /// It may not.
    Refuse {
        /// Why, without the text itself.
        reason: String,
    },
}

/// Why an edit is refused. The old notes stay.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum EditRefused {
    /// Another tool than `Edit`.
    OtherTool,
    /// Another file than the notes.
    OtherFile,
    /// `old_string` or `new_string` is missing or no text, or they are the same.
    BadInput,
    /// The text to replace is not there.
    NotFound,
    /// It is there more than once, and `replace_all` is not set.
    NotUnique {
        /// How often.
        times: usize,
    },
    /// A heading or the description below it would change.
    FormChanged,
    /// The notes would be larger than [`MAX_NOTES_BYTES`].
    TooLarge,
    /// The host's gate says no.
    Gate {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for EditRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditRefused::OtherTool => f.write_str("expected the tool `Edit` and no other"),
            EditRefused::OtherFile => f.write_str("expected an edit of the notes file"),
            EditRefused::BadInput => f.write_str("expected `old_string` and another `new_string`"),
            EditRefused::NotFound => f.write_str("`old_string` is not in the notes"),
            EditRefused::NotUnique { times } => {
                write!(
                    f,
                    "`old_string` is in the notes {times} times, expected once"
                )
            }
            EditRefused::FormChanged => {
                f.write_str("headings and the lines in italics below them have to stay")
            }
            EditRefused::TooLarge => {
                write!(f, "expected notes of at most {MAX_NOTES_BYTES} bytes")
            }
            EditRefused::Gate { reason } => write!(f, "the notes may not hold this: {reason}"),
        }
    }
}

impl std::error::Error for EditRefused {}

/// Lets edits of one file through, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditGuard {
    path: String,
}

impl EditGuard {
    /// A guard for the notes at this path, spelled as in the prompt.
    pub fn new(path: impl Into<String>) -> EditGuard {
        EditGuard { path: path.into() }
    }

    /// May this call run? Says nothing yet about what it would write.
    ///
    /// # Errors
    ///
    /// Why it may not, for the model.
    pub fn judge(&self, tool: &str, input: &Value) -> Result<(), EditRefused> {
        self.read(tool, input).map(|_| ())
    }

    fn read<'a>(
        &self,
        tool: &str,
        input: &'a Value,
    ) -> Result<(&'a str, &'a str, bool), EditRefused> {
        if tool != "Edit" {
            return Err(EditRefused::OtherTool);
        }
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        if text("file_path") != Some(&self.path) {
            return Err(EditRefused::OtherFile);
        }
        match (text("old_string"), text("new_string")) {
            (Some(old), Some(new)) if !old.is_empty() && old != new => {
                let all = input.get("replace_all").and_then(Value::as_bool);
                Ok((old, new, all == Some(true)))
            }
            _ => Err(EditRefused::BadInput),
        }
    }

    /// The notes after an edit, once the host's gate has seen all of them. The host writes them.
    ///
    /// # Errors
    ///
    /// Why it is refused, for the model; the notes stay as they are.
    pub fn apply(
        &self,
        notes: &str,
        tool: &str,
        input: &Value,
        gate: &dyn Fn(&str) -> Gated,
    ) -> Result<String, EditRefused> {
        let (old, new, all) = self.read(tool, input)?;
        let times = notes.matches(old).count();
        match times {
            0 => return Err(EditRefused::NotFound),
            1 => {}
            _ if all => {}
            times => return Err(EditRefused::NotUnique { times }),
        }
        let size = notes.len() - times * old.len();
        let size = new
            .len()
            .checked_mul(times)
            .and_then(|n| n.checked_add(size));
        if size.is_none_or(|size| size > MAX_NOTES_BYTES) {
            return Err(EditRefused::TooLarge);
        }
        let edited = notes.replace(old, new);
        if form(notes) != form(&edited) {
            return Err(EditRefused::FormChanged);
        }
        match gate(&edited) {
            Gated::Pass => Ok(edited),
            Gated::Refuse { reason } => Err(EditRefused::Gate { reason }),
        }
    }
}

/// Headings of the first level, and the line in italics below each.
fn form(text: &str) -> Vec<&str> {
    let mut form = Vec::new();
    let mut is_below = false;
    let mut fence = None;
    for line in text.lines() {
        let line = line.trim_end();
        if fence.is_none() && line.starts_with("# ") {
            form.push(line);
            is_below = true;
        } else if is_below && !line.trim().is_empty() {
            if is_italic(line.trim()) {
                form.push(line);
            }
            is_below = false;
        }
        fence = fenced(fence, line);
    }
    form
}
