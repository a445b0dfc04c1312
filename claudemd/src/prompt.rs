//! The words around instruction files. Every text here is under snapshot.

use std::borrow::Cow;

use crate::context::UserContext;
use crate::date::Date;
use crate::file::{Extent, LoadedFile};
use crate::layer::Layer;
use crate::paths::{is_invisible, printable};

const OPEN: &str = "<system-reminder>";
const CLOSE: &str = "</system-reminder>";
const TAG: &str = "system-reminder";

/// How the header of a file begins.
const HEADER: &str = "Contents of ";

const INTRODUCTION: &str = "Background for this session, gathered before its first message:";
const INSTRUCTIONS: &str = "The files below hold standing instructions, from general to specific. \
Follow them as written; where they ask for something else than your usual way of working, they \
win. If two of them contradict each other, the later one is closer to the task.";
const RELEVANCE: &str = "Parts of this may have nothing to do with the task at hand. Use what \
helps, and do not bring up the rest.";

/// What a layer is, for the header of a file.
const fn description(layer: Layer) -> &'static str {
    match layer {
        Layer::Managed => "policy of the organization, set by an administrator",
        Layer::User => "private instructions of the user, for every project",
        Layer::Project => "instructions of the project, shared in its repository",
        Layer::Local => "private instructions of the user, for this project",
    }
}

impl Layer {
    /// What the layer is, in words, as the header of a file says it.
    pub const fn description(self) -> &'static str {
        description(self)
    }
}

/// The text of the date.
pub(crate) fn current_date(today: Date) -> String {
    format!("Today's date is {today}.")
}

/// All files of the start with their headers; nothing if there are none.
pub(crate) fn claude_md(files: &[LoadedFile]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let length: usize = files
        .iter()
        .map(|file| file.text.len() + file.path.as_os_str().len() + 96)
        .sum();
    let mut out = String::with_capacity(INSTRUCTIONS.len() + length);
    out.push_str(INSTRUCTIONS);
    for file in files {
        let path = printable(&file.path);
        let layer = description(file.layer);
        for part in ["\n\n", HEADER, &path, " (", layer, "):\n\n"] {
            out.push_str(part);
        }
        push_text(&mut out, file);
    }
    Some(out)
}

fn push_text(out: &mut String, file: &LoadedFile) {
    push_honest(out, &file.text);
    if let Extent::Cut { of } = file.extent {
        let kept = file.text.len();
        out.push_str(&format!(
            "\n\n[The first {kept} of {of} bytes. Read the file for the rest.]"
        ));
    }
}

/// The message of a context.
pub(crate) fn message(context: &UserContext) -> String {
    let mut out = format!("{OPEN}\n{INTRODUCTION}\n");
    if let Some(text) = &context.claude_md {
        section(&mut out, "claudeMd", text);
    }
    for added in &context.sections {
        section(&mut out, &added.name, &added.text);
    }
    section(&mut out, "currentDate", &context.current_date);
    if context.claude_md.is_some() || !context.sections.is_empty() {
        out.push_str(&format!("\n{RELEVANCE}\n"));
    }
    out.push_str(CLOSE);
    out
}

fn section(out: &mut String, name: &str, text: &str) {
    let name = name.replace(['\n', '\r'], " ");
    out.push_str(&format!("\n# {}\n{}\n", escape(&name), escape(text)));
}

impl LoadedFile {
    /// The text of a message that brings this file in the middle of a session, as
    /// [`Session::for_path`](crate::Session::for_path) delivers it. Text that could close the tag
    /// is escaped.
    pub fn to_message_text(&self) -> String {
        let mut text = format!("{HEADER}{}:\n\n", printable(&self.path));
        push_text(&mut text, self);
        format!("{OPEN}\n{}\n{CLOSE}", escape(&text))
    }
}

/// The text with a backslash in every tag that could open or close a reminder.
fn escape(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('<') {
        if is_tag(&text[at + 1..]) {
            out.push_str(&text[copied..=at]);
            out.push('\\');
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Whether what follows `<` may be read as our tag: slashes, white space before the name and
/// invisible characters anywhere do not hide it.
fn is_tag(rest: &str) -> bool {
    let mut name = TAG.chars().peekable();
    let mut begun = false;
    for c in rest.chars() {
        if !begun && (c == '/' || c.is_whitespace()) || is_invisible(c) && !c.is_whitespace() {
            continue;
        }
        begun = true;
        if name
            .next()
            .is_none_or(|expected| !c.eq_ignore_ascii_case(&expected))
        {
            return false;
        }
        if name.peek().is_none() {
            return true;
        }
    }
    false
}

/// Adds a text in which lines that pose as the header of another file get a backslash.
fn push_honest(out: &mut String, text: &str) {
    if !text.contains(HEADER) {
        out.push_str(text);
        return;
    }
    for line in text.split_inclusive([
        '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
    ]) {
        let indent = line.len() - line.trim_start().len();
        let (indent, rest) = line.split_at(indent);
        out.push_str(indent);
        let label = rest
            .trim_end()
            .strip_suffix("):")
            .filter(|_| rest.starts_with(HEADER));
        let is_label = |label: &str| Layer::ALL.iter().any(|l| label.ends_with(l.description()));
        if label.is_some_and(is_label) {
            out.push('\\');
        }
        out.push_str(rest);
    }
}
