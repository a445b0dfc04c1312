//! What the gate says about a place: rule, weight, position, and never the text.

use std::fmt;
use std::ops::Range;

use super::SecretKind;

/// What the gate looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum GateRule {
    /// A control that reorders text (embedding, override, isolate), or a direction mark that no
    /// right-to-left letter calls for.
    Bidirectional,
    /// A tag character outside the sequence of a regional flag.
    Tag,
    /// A variation selector that its base does not take.
    VariationSelector,
    /// A zero-width space or joiner that neither script nor emoji calls for.
    ZeroWidth,
    /// A letter or symbol without a visible form, such as the Hangul fillers.
    Filler,
    /// A soft hyphen.
    SoftHyphen,
    /// An interlinear annotation control.
    Annotation,
    /// A C0 or C1 control other than tab, line feed and carriage return.
    Control,
    /// Any other character that is never seen.
    Invisible,
    /// A line or paragraph separator, or a line end inside a name or a description.
    LineBreak,
    /// A word in which letters of another alphabet stand for Latin ones that look the same.
    MixedScript,
    /// Text that opens or closes a tag by which prompts mark where text comes from.
    Fence,
    /// A token, key or password.
    Secret(SecretKind),
}

impl GateRule {
    /// The rule in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            GateRule::Bidirectional => "bidirectional control",
            GateRule::Tag => "tag character",
            GateRule::VariationSelector => "stray variation selector",
            GateRule::ZeroWidth => "zero-width character",
            GateRule::Filler => "invisible filler",
            GateRule::SoftHyphen => "soft hyphen",
            GateRule::Annotation => "interlinear annotation",
            GateRule::Control => "control character",
            GateRule::Invisible => "invisible character",
            GateRule::LineBreak => "hidden line break",
            GateRule::MixedScript => "letters that look like others",
            GateRule::Fence => "prompt tag",
            GateRule::Secret(kind) => kind.as_str(),
        }
    }

    /// The character that a finding names: the first of its place, but none of a secret.
    pub(super) fn code_point(self, place: &str) -> Option<char> {
        match self {
            GateRule::Secret(_) => None,
            _ => place.chars().next(),
        }
    }
}

impl fmt::Display for GateRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How much a finding weighs.
///
/// Closed on purpose: it is the question "does this refuse", and there are two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Severity {
    /// Odd, and with innocent causes.
    Warning,
    /// Refused by the strict audiences.
    Error,
}

/// What the gate did about a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum GateAction {
    /// Nothing: the text passed as it is, or was refused as a whole.
    Reported,
    /// The `<` of a prompt tag was written as `&lt;`.
    Escaped,
}

/// One place that the gate objects to. Never holds the text itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GateFinding {
    /// What was found.
    pub rule: GateRule,
    /// Where, in bytes of the text that was handed in (for a memory: of its rendered text). For
    /// a character that an escape sequence of the frontmatter stands for, the whole value.
    pub range: Range<usize>,
    /// How much it weighs.
    pub severity: Severity,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, in characters, counted from 1.
    pub column: usize,
    /// The first character of the place; nothing of a secret.
    pub code_point: Option<char>,
    /// What was done about it.
    pub action: GateAction,
}

impl fmt::Display for GateFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rule)?;
        if let Some(code_point) = self.code_point.filter(|_| self.rule != GateRule::Fence) {
            write!(f, " U+{:04X}", u32::from(code_point))?;
        }
        write!(f, " at line {}, column {}", self.line, self.column)?;
        if self.action == GateAction::Escaped {
            f.write_str(", escaped")?;
        }
        Ok(())
    }
}
