//! Small tools for texts that end up in a prompt or a message.

/// Text for a message: control characters and what hides text are shown as escapes, the rest as
/// it is.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_line_breaking(c) || hides_text(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Text as part of one line of a prompt: white space and control characters become single
/// blanks, what hides text is left out, what poses as a tag of the prompt is escaped, and at most
/// `max` characters remain.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let mut out = String::new();
    let mut chars = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || is_line_breaking(c) {
            gap = !out.is_empty();
            continue;
        }
        if hides_text(c) {
            continue;
        }
        let room = chars + usize::from(gap) < max;
        if !room {
            // The ellipsis takes the place of the last character.
            while chars + 1 > max && out.pop().is_some() {
                chars -= 1;
            }
            out.push('…');
            break;
        }
        if std::mem::take(&mut gap) {
            out.push(' ');
            chars += 1;
        }
        out.push(c);
        chars += 1;
    }
    // Many signs beyond ASCII look like the one that opens a tag.
    if out.contains('<') || !out.is_ascii() {
        return disarm(&out);
    }
    out
}

/// A text whose prompt tags are escaped, so that it cannot end the place where it stands.
pub(crate) fn disarm(text: &str) -> String {
    match memdir_types::gate_text(text, memdir_types::Audience::Private) {
        Ok(cleared) => cleared.into_inner(),
        // The private audience is never refused; should it be one day, no tag is left either way.
        Err(_) => text.replace('<', "&lt;"),
    }
}

fn is_line_breaking(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Characters that a person does not see and a model does: marks of writing direction, tags,
/// invisible spaces and operators. Joiners and the selectors of emoji stay, scripts need them.
fn hides_text(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The longest start of a text that has at most `bytes` bytes and ends between characters.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
