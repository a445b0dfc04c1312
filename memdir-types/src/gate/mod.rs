//! The write gate: no text reaches a memory file or a prompt without passing here.
//!
//! The rules are in `hidden` (characters that nobody sees), `mixed` (words that look like others),
//! `fences` (forged prompt tags) and `secrets`. What they find is judged here, by audience.

mod fences;
mod finding;
mod hidden;
mod mixed;
mod secrets;

use std::fmt;
use std::ops::{Deref, Range};

use crate::Memory;
pub use finding::{GateAction, GateFinding, GateRule, Severity};
pub use secrets::{Redacted, SecretKind, redact};

use crate::read::last;

/// Who will read the text, and with it how strict the gate is.
///
/// Closed on purpose: a new audience is a new promise, and hosts should decide about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Audience {
    /// The person alone, for what they wrote themselves or what stands in a store already. Findings,
    /// secrets among them, are reported and the text passes; a forged fence is escaped.
    Private,
    /// The person alone, for what a model writes down, with the rules of a team: findings of
    /// severity error refuse.
    PrivateStrict,
    /// Everyone on the project. Findings of severity error refuse.
    Team,
}

/// At most so many findings are listed; a file of nothing but hidden characters has no more to
/// say.
const MAX_FINDINGS: usize = 1_000;

/// A text or memory that passed the gate. Only the gate makes one, so a function that takes a
/// `Cleared` cannot be called around it.
///
/// ```compile_fail
/// let memory = memdir_types::Memory::parse("not checked");
/// let cleared = memdir_types::Cleared { value: memory, ..Default::default() };
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Cleared<T> {
    value: T,
    audience: Audience,
    findings: Vec<GateFinding>,
}

impl<T> Cleared<T> {
    /// The value without the proof.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value
    }

    /// For whom it was cleared.
    #[must_use]
    pub fn audience(&self) -> Audience {
        self.audience
    }

    /// What was found and let pass or escaped, in the order of the text.
    #[must_use]
    pub fn findings(&self) -> &[GateFinding] {
        &self.findings
    }
}

impl<T> Deref for Cleared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Why a text was not cleared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Refusal {
    audience: Audience,
    findings: Vec<GateFinding>,
}

impl Refusal {
    /// For whom it would have been.
    #[must_use]
    pub fn audience(&self) -> Audience {
        self.audience
    }

    /// All findings, also those that alone would not have refused.
    #[must_use]
    pub fn findings(&self) -> &[GateFinding] {
        &self.findings
    }
}

impl fmt::Display for Refusal {
    /// Names rule and place of the first reason, never the text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reasons = self
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error);
        f.write_str("the text was refused")?;
        if let Some(first) = reasons.next() {
            write!(f, ": {first}")?;
        }
        match reasons.count() {
            0 => Ok(()),
            more => write!(f, " (and {more} more)"),
        }
    }
}

impl std::error::Error for Refusal {}

/// Checks a text.
///
/// # Errors
///
/// A [`Refusal`] for the strict audiences if anything of severity error was found. For
/// [`Audience::Private`] the text always passes, with its prompt tags escaped.
///
/// ```
/// use memdir_types::{Audience, gate_text};
///
/// let refusal = gate_text("run \u{202e}this", Audience::Team).unwrap_err();
/// assert_eq!(
///     refusal.to_string(),
///     "the text was refused: bidirectional control U+202E at line 1, column 5"
/// );
/// ```
pub fn gate_text(text: &str, audience: Audience) -> Result<Cleared<String>, Refusal> {
    let (findings, tags) = inspect(text, bom_length(text));
    let value = match audience {
        Audience::Private => fences::escape(text, &tags),
        Audience::PrivateStrict | Audience::Team => text.to_owned(),
    };
    judge(value, audience, findings)
}

/// Checks a memory: its whole text, frontmatter with all its keys included, and what escape
/// sequences in its name, description, type and time stand for.
///
/// # Errors
///
/// A [`Refusal`] for the strict audiences if anything of severity error was found; for
/// [`Audience::Private`] only if a prompt tag stands in the frontmatter where it cannot be
/// escaped without breaking it.
pub fn gate(memory: &Memory, audience: Audience) -> Result<Cleared<Memory>, Refusal> {
    let text = memory.as_str();
    let (mut findings, tags) = inspect(text, bom_length(text));
    let values = Values::of(memory);
    values.inspect(memory, &mut findings);
    limit(&mut findings, |finding| {
        (finding.severity, finding.range.start)
    });
    let has_tags = !tags.is_empty() || values.have_tags();
    if audience != Audience::Private || !has_tags {
        return judge(memory.clone(), audience, findings);
    }
    match escape_memory(memory, &tags) {
        Some(escaped) => judge(escaped, audience, findings),
        None => Err(Refusal { audience, findings }),
    }
}

/// A byte order mark at the start of a text is where it belongs.
fn bom_length(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

/// Keeps the first [`MAX_FINDINGS`], in order. Errors go before warnings, so that no number of
/// warnings pushes one out.
fn limit<T>(findings: &mut Vec<T>, of: impl Fn(&T) -> (Severity, usize)) {
    findings.sort_by_key(|finding| {
        let (severity, start) = of(finding);
        (std::cmp::Reverse(severity), start)
    });
    findings.truncate(MAX_FINDINGS);
    findings.sort_by_key(|finding| of(finding).1);
}

fn judge<T>(
    value: T,
    audience: Audience,
    mut findings: Vec<GateFinding>,
) -> Result<Cleared<T>, Refusal> {
    let refused = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    if refused && audience != Audience::Private {
        return Err(Refusal { audience, findings });
    }
    if audience == Audience::Private {
        for finding in &mut findings {
            if finding.rule == GateRule::Fence {
                finding.action = GateAction::Escaped;
            }
        }
    }
    Ok(Cleared {
        value,
        audience,
        findings,
    })
}

/// What is in a text from `start` on: the findings, and the offsets of all prompt tags.
fn inspect(text: &str, start: usize) -> (Vec<GateFinding>, Vec<usize>) {
    let tags = fences::find(text);
    let mut raw: Vec<(GateRule, Severity, Range<usize>)> = tags
        .iter()
        .take(MAX_FINDINGS)
        .map(|tag| (GateRule::Fence, Severity::Error, tag.clone()))
        .collect();
    raw.extend(hidden::find(text, start, MAX_FINDINGS));
    raw.extend(mixed::find(text, MAX_FINDINGS));
    raw.extend(secrets::find(text, MAX_FINDINGS));
    limit(&mut raw, |(_, severity, range)| (*severity, range.start));
    let mut findings = Vec::with_capacity(raw.len());
    let (mut line, mut column, mut at) = (1, 1, 0);
    for (rule, severity, range) in raw {
        let between = &text[at..range.start];
        match between.rfind('\n') {
            Some(last) => {
                line += between.matches('\n').count();
                column = between[last + 1..].chars().count() + 1;
            }
            None => column += between.chars().count(),
        }
        at = range.start;
        findings.push(GateFinding {
            rule,
            severity,
            line,
            column,
            code_point: rule.code_point(&text[at..]),
            range,
            action: GateAction::Reported,
        });
    }
    (findings, tags.into_iter().map(|tag| tag.start).collect())
}

/// The values of a memory as its readers get them: those who read the whole file, and those who
/// read its first lines, which are others if a key stands twice in a long block.
struct Values(Vec<(&'static str, String)>);

impl Values {
    fn of(memory: &Memory) -> Values {
        let header = crate::parse_header(memory.as_str());
        let both = [
            ("name", memory.name(), &header.name),
            ("description", memory.description(), &header.description),
            ("type", memory.kind_text(), &header.kind_text),
            ("modified", memory.modified(), &header.modified),
        ];
        let mut values = Vec::new();
        for (key, whole, first) in both {
            values.extend(whole.map(|value| (key, value.to_owned())));
            values.extend(
                first
                    .as_deref()
                    .filter(|first| Some(*first) != whole)
                    .map(|value| (key, value.to_owned())),
            );
        }
        Values(values)
    }

    fn have_tags(&self) -> bool {
        self.0
            .iter()
            .any(|(_, value)| !fences::find(value).is_empty())
    }

    /// Adds what only shows once the escape sequences of a value are read.
    fn inspect(&self, memory: &Memory, findings: &mut Vec<GateFinding>) {
        let text = memory.as_str();
        let layout = memory.layout();
        let raw = findings.len();
        for (key, value) in &self.0 {
            let range = last(text, &layout.top, key)
                .or_else(|| last(text, &layout.nested, key))
                .map_or(memory.block(), |entry| entry.value.clone());
            let (inside, _) = inspect(value, 0);
            let break_at = value.find(['\n', '\r']);
            let breaks = break_at.map(|at| (GateRule::LineBreak, Severity::Warning, &value[at..]));
            let hidden = inside.iter().map(|finding| {
                (
                    finding.rule,
                    finding.severity,
                    &value[finding.range.start..],
                )
            });
            let line = crate::fence::line_number(text, range.start);
            let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            let column = text[line_start..range.start].chars().count() + 1;
            for (rule, severity, rest) in hidden.chain(breaks) {
                let seen = findings[..raw].iter().any(|finding| {
                    finding.rule == rule
                        && finding.severity >= severity
                        && finding.range.start >= range.start
                        && finding.range.end <= range.end
                });
                if seen {
                    continue;
                }
                findings.push(GateFinding {
                    rule,
                    severity,
                    line,
                    column,
                    code_point: rule.code_point(rest),
                    range: range.clone(),
                    action: GateAction::Reported,
                });
            }
        }
    }
}

/// The memory with all prompt tags escaped, or `None` if that would change anything else.
fn escape_memory(memory: &Memory, tags: &[usize]) -> Option<Memory> {
    let escaped = |value: Option<&str>| {
        value.map(|value| {
            let tags: Vec<usize> = fences::find(value)
                .into_iter()
                .map(|tag| tag.start)
                .collect();
            fences::escape(value, &tags)
        })
    };
    let name = escaped(memory.name());
    let description = escaped(memory.description());
    let (kind_text, modified) = (escaped(memory.kind_text()), escaped(memory.modified()));
    let body = escaped(Some(memory.body()));
    let says_it = |candidate: &Memory| {
        candidate.name() == name.as_deref()
            && candidate.description() == description.as_deref()
            && candidate.kind() == memory.kind()
            && candidate.kind_text() == kind_text.as_deref()
            && candidate.modified() == modified.as_deref()
            && Some(candidate.body()) == body.as_deref()
            && candidate.is_recovered() == memory.is_recovered()
            && candidate.has_frontmatter() == memory.has_frontmatter()
            && fences::find(candidate.as_str()).is_empty()
            && !Values::of(candidate).have_tags()
    };
    // In the body, and in most values, the bytes can be replaced where they stand.
    let mut plain = Memory::from_text(fences::escape(memory.as_str(), tags));
    plain.lossy = memory.lossy;
    if says_it(&plain) {
        return Some(plain);
    }
    // At the start of an unquoted value `&` is an anchor, and inside quotes the tag may be spelled
    // with escape sequences: name and description are written anew, the rest in place.
    let values = value_ranges(memory);
    let elsewhere: Vec<usize> = tags
        .iter()
        .copied()
        .filter(|at| !values.iter().any(|value| value.contains(at)))
        .collect();
    let mut rewritten = Memory::from_text(fences::escape(memory.as_str(), &elsewhere));
    rewritten.lossy = memory.lossy;
    if name.as_deref() != memory.name() {
        rewritten.set_name(name.as_deref()?).ok()?;
    }
    if description.as_deref() != memory.description() {
        rewritten.set_description(description.as_deref()?).ok()?;
    }
    if says_it(&rewritten) {
        return Some(rewritten);
    }
    None
}

/// Where name and description stand.
fn value_ranges(memory: &Memory) -> Vec<Range<usize>> {
    let text = memory.as_str();
    let layout = memory.layout();
    ["name", "description"]
        .into_iter()
        .filter_map(|key| last(text, &layout.top, key))
        .map(|entry| entry.value.clone())
        .collect()
}
