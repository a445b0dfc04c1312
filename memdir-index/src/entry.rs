//! One line of the index: reading both spellings seen in the wild, writing one.

use std::borrow::Cow;
use std::fmt;

/// The most characters of a whole index line: the guideline of the format, which this crate keeps
/// by cutting the hook. Counted in Unicode scalar values, the ellipsis included.
pub const MAX_ENTRY_CHARS: usize = 150;

/// One entry of the index: a title, the file it points at, and the hook after the dash.
///
/// ```
/// use memdir_index::Entry;
///
/// let entry = Entry::parse("- [Role](user_role.md) — ten years of Go, new to React").unwrap();
/// assert_eq!(entry.file, "user_role.md");
/// assert_eq!(Entry::parse("* [user_role.md](./user_role.md): ten years").unwrap().hook, "ten years");
/// assert_eq!(Entry::new("Role", "user_role.md", "").to_line(), "- [Role](user_role.md)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Entry {
    /// What stands between the brackets, without escapes.
    pub title: String,
    /// The file, relative to the memory directory, as the link names it once decoded.
    pub file: String,
    /// What stands after the separator; empty if there is none.
    pub hook: String,
}

impl Entry {
    /// An entry whose title and hook are made one line: control characters and runs of white
    /// space become one space, and the end of an HTML comment is broken up, so that no entry can
    /// close a comment that a person left open. An empty title becomes the file's name.
    pub fn new(title: &str, file: &str, hook: &str) -> Entry {
        let mut title = single_line(title);
        if title.is_empty() {
            title = single_line(file.rsplit('/').next().unwrap_or(file));
        }
        Entry {
            title,
            file: relative(file).to_owned(),
            hook: single_line(hook),
        }
    }

    /// Reads one line; `None` if it is not an entry.
    ///
    /// An entry is a bullet (`-`, `*` or `+`), a Markdown link to a relative or absolute `.md`
    /// file, and optionally a separator (`—`, `–`, `-`, `:`) and a hook. Indentation, bold marks
    /// around the link, `./`, angle brackets, escapes and percent-encoding are accepted.
    pub fn parse(line: &str) -> Option<Entry> {
        split_entry(line).map(|(_, entry)| entry)
    }

    /// The line of this entry, without a line end, of at most [`MAX_ENTRY_CHARS`] characters.
    ///
    /// The hook is shortened first, then dropped, then the title is shortened; a file name is
    /// never cut, so only an over-long file name makes an over-long line.
    pub fn to_line(&self) -> String {
        self.to_line_after("- ")
    }

    /// Whether [`to_line`](Entry::to_line) has to leave something out.
    pub fn is_shortened(&self) -> bool {
        let whole = Entry::new(&self.title, &self.file, &self.hook);
        Entry::parse(&self.to_line()).is_none_or(|read| read != whole)
    }

    /// The line with the indentation and bullet of the line that it replaces.
    pub(crate) fn to_line_after(&self, prefix: &str) -> String {
        let clean = Entry::new(&self.title, &self.file, &self.hook);
        let target = encode_target(&clean.file);
        let mut head = format!("{prefix}[{}]({target})", escape_title(&clean.title));
        let head_chars = head.chars().count();
        if head_chars > MAX_ENTRY_CHARS {
            let spare = MAX_ENTRY_CHARS
                .saturating_sub(prefix.chars().count() + 4)
                .saturating_sub(target.chars().count());
            let title = shorten_escaped(&clean.title, spare.max(1));
            head = format!("{prefix}[{title}]({target})");
        } else if !clean.hook.is_empty() {
            // " — " in front of the hook.
            let room = (MAX_ENTRY_CHARS - head_chars).saturating_sub(3);
            if let Some(hook) = shorten(&clean.hook, room) {
                head.push_str(" — ");
                head.push_str(&hook);
            }
        }
        head
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_line())
    }
}

/// The entry of a line together with what stands before its link: indentation, bullet, space.
pub(crate) fn split_entry(line: &str) -> Option<(&str, Entry)> {
    let line = line.trim_end_matches(['\r', '\n']);
    let body = line.trim_start();
    let after_bullet = body.strip_prefix(['-', '*', '+'])?;
    let link = after_bullet.trim_start();
    if link.len() == after_bullet.len() {
        return None; // `-[x](y.md)` is not a list item.
    }
    let prefix = &line[..line.len() - link.len()];
    let (link, bold) = match link.strip_prefix("**") {
        Some(rest) => (rest, true),
        None => (link, false),
    };
    let (title, rest) = bracketed(link.strip_prefix('[')?, '[', ']')?;
    let (target, rest) = link_target(rest.strip_prefix('(')?)?;
    let file = decode_target(target)?;
    let rest = if bold {
        rest.strip_prefix("**").unwrap_or(rest)
    } else {
        rest
    };
    let entry = Entry {
        title: unescape(title).trim().to_owned(),
        file,
        hook: strip_separator(rest.trim()).to_owned(),
    };
    Some((prefix, entry))
}

/// The text up to the bracket that closes the one already read, and what follows it.
fn bracketed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return Some((&text[..at], &text[at + close.len_utf8()..]));
            }
            depth -= 1;
        }
    }
    None
}

/// The target between the parentheses, and what follows them.
fn link_target(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    if let Some(inner) = text.strip_prefix('<') {
        // Inside angle brackets parentheses mean nothing.
        let (_, after) = bracketed(inner, '\0', '>')?;
        let (_, rest) = bracketed(after, '(', ')')?;
        return Some((&text[..text.len() - after.len()], rest));
    }
    let (target, rest) = bracketed(text, '(', ')')?;
    let target = target.trim();
    // A link title, `(file.md "Title")`, is no part of the name.
    let cut = target
        .find(" \"")
        .or_else(|| target.find(" '"))
        .filter(|_| target.ends_with(['"', '\'']));
    Some((cut.map_or(target, |at| target[..at].trim_end()), rest))
}

/// The file that a link target names; `None` if it is not a Markdown file of this machine.
fn decode_target(target: &str) -> Option<String> {
    let raw = target
        .strip_prefix('<')
        .and_then(|t| t.strip_suffix('>'))
        .unwrap_or(target);
    // `x.md#section` points into a file; `#` elsewhere may be part of a name.
    let raw = match raw.find('#') {
        Some(at) if is_markdown(&raw[..at]) => &raw[..at],
        _ => raw,
    };
    let raw = raw.trim();
    if raw.contains("://") || raw.starts_with("mailto:") {
        return None;
    }
    let raw = unescape(raw);
    let file = percent_decode(&raw);
    is_markdown(&file).then(|| relative(&file).to_owned())
}

/// The name without a leading `./`.
pub(crate) fn relative(mut file: &str) -> &str {
    while let Some(rest) = file.strip_prefix("./") {
        file = rest.trim_start_matches('/');
    }
    file
}

/// Whether a name ends in `.md`, in any case, with something before it.
pub(crate) fn is_markdown(name: &str) -> bool {
    name.len() > 3 && name.is_char_boundary(name.len() - 3) && {
        let (stem, end) = name.split_at(name.len() - 3);
        end.eq_ignore_ascii_case(".md") && !stem.ends_with('/')
    }
}

fn strip_separator(rest: &str) -> &str {
    let stripped = match rest.chars().next() {
        Some('-') => rest.trim_start_matches('-'),
        Some(c @ ('—' | '–' | ':' | '：')) => &rest[c.len_utf8()..],
        _ => rest,
    };
    stripped.trim_start()
}

/// Removes the backslash before ASCII punctuation, as Markdown does.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation) {
            out.extend(chars.next());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn escape_title(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    for c in title.chars() {
        if matches!(c, '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Percent-decodes if the result is text; else the text as it is.
fn percent_decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let hex = |b: Option<&u8>| b.and_then(|b| char::from(*b).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// A link target that reads back as `file`: bare where Markdown allows it, else in angle brackets.
fn encode_target(file: &str) -> String {
    let mut out = String::with_capacity(file.len());
    let mut angle = false;
    for c in file.chars() {
        match c {
            // Characters that end a line, start an escape or cut the name are percent-encoded.
            '%' | '#' | '\\' | '<' | '>' | '"' | '\'' => percent_encode(c, &mut out),
            c if c.is_control() || (c.is_whitespace() && c != ' ') => percent_encode(c, &mut out),
            ' ' | '(' | ')' => {
                angle = true;
                out.push(c);
            }
            c => out.push(c),
        }
    }
    // A space at either end would be trimmed away, and a leading `./` taken for the directory.
    if out.starts_with(' ') {
        out.replace_range(..1, "%20");
    }
    if out.ends_with(' ') {
        out.replace_range(out.len() - 1.., "%20");
    }
    if angle { format!("<{out}>") } else { out }
}

fn percent_encode(c: char, out: &mut String) {
    let mut buffer = [0; 4];
    for byte in c.encode_utf8(&mut buffer).bytes() {
        out.push_str(&format!("%{byte:02X}"));
    }
}

/// One line: control characters and runs of white space become one space, ends are trimmed, and
/// `-->` is broken up.
pub(crate) fn single_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else if c == '>' && out.ends_with("--") {
            while out.ends_with("--") {
                out.pop();
            }
            out.push('>');
        } else {
            out.push(c);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Text for a message: control characters are shown as escapes, the rest as it is.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// At most `room` characters, with an ellipsis if something is cut; `None` if nothing useful fits.
fn shorten(text: &str, room: usize) -> Option<String> {
    if text.chars().count() <= room {
        return Some(text.to_owned());
    }
    // One character and the ellipsis are the least that says anything.
    if room < 2 {
        return None;
    }
    let end = text
        .char_indices()
        .nth(room - 1)
        .map_or(text.len(), |(at, _)| at);
    // A joiner at the end would bind the ellipsis to the emoji before it.
    let kept = text[..end].trim_end_matches(|c: char| c.is_whitespace() || c == '\u{200d}');
    Some(format!("{kept}…"))
}

/// A title of at most `room` characters after escaping.
fn shorten_escaped(title: &str, room: usize) -> String {
    let mut out = String::new();
    let mut left = room.saturating_sub(1); // for the ellipsis
    for c in title.chars() {
        let escaped = escape_title(c.encode_utf8(&mut [0; 4]));
        let chars = escaped.chars().count();
        if chars > left {
            break;
        }
        left -= chars;
        out.push_str(&escaped);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}
