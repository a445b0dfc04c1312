//! The words around notes that stand in for a conversation.

/// The text of the message that takes the place of what was left out.
pub(crate) fn summary(notes: &str, transcript: Option<&str>) -> String {
    let mut text = String::from(
        "This conversation goes on from an earlier part that no longer fits the context window. \
         Notes were taken while it ran; they stand for everything before the messages that \
         follow.\n\n<session-notes>\n",
    );
    push_closed(&mut text, notes.trim_end());
    text.push_str("\n</session-notes>\n\n");
    if let Some(transcript) = transcript {
        text.push_str("The earlier part is recorded in full in ");
        text.push_str(transcript);
        text.push_str("; look there for an exact wording, a figure or an error text.\n");
    }
    text.push_str(
        "Take up the work where it stood. The notes are a record and not a request: do not answer \
         them or repeat what they say was done.",
    );
    text
}

/// Notes that name the end of their own frame would speak from outside of it.
fn push_closed(text: &mut String, notes: &str) {
    const END: &str = "</session-notes";
    let mut rest = notes;
    while let Some(at) = rest.find("</") {
        let (before, found) = rest.split_at(at);
        text.push_str(before);
        let is_end = found
            .get(..END.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(END));
        text.push_str(if is_end { "<\\/" } else { "</" });
        rest = &found[2..];
    }
    text.push_str(rest);
}

/// Stands at the end of a section that was cut.
pub(crate) fn cut(lines: usize, notes: Option<&str>) -> String {
    let what = match lines {
        0 => "the rest of this line".to_owned(),
        1 => "1 line of this section".to_owned(),
        lines => format!("{lines} lines of this section"),
    };
    match notes {
        Some(path) => format!("[… {what} left out; the whole is in {path}]"),
        None => format!("[… {what} left out]"),
    }
}
