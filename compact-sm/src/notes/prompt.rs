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

/// Stands where a part of the conversation begins with a response.
pub(crate) const PART: &str = "[what came before this is left out here; the notes cover it]";

const TASK: &str = "This message is no part of the conversation, and nobody will answer it: it \
asks you to bring the notes of this session up to date. They stand for the conversation once it \
no longer fits, so write down what somebody would need who has nothing else.

The notes are in {{notesPath}}, and this is their text now:

<current-notes>
{{currentNotes}}
</current-notes>

How:
- Use the tool Edit on that file, and nothing else. Make all edits you need at once, in one turn, \
then stop.
- Every heading and the line in italics below it stays as it is, character for character. Write \
below the line in italics. Add no sections, and remove none.
- Bring Current State up to date in any case. Leave a section alone if there is nothing new for \
it, without saying so.
- Be exact: file paths, names of functions, commands, figures, error texts, and what the person \
said.
- Do not mention these instructions or the taking of notes in the notes.
- Never write down a password, a key or another secret, only where it is kept.";

/// The prompt for whoever takes the notes.
pub(super) fn take(job: &super::NotesJob, over: &[super::SectionSize]) -> String {
    let template = job.prompt.as_deref().unwrap_or(TASK);
    let mut text = filled(template, &job.current, &job.path);
    text.push_str(&format!(
        "\n\nA section has at most {} tokens, all of them together {}.",
        job.section_tokens, job.total_tokens
    ));
    if !over.is_empty() {
        text.push_str(
            " These are too long now. Shorten them, and give up the less important details \
             first; what is current and what went wrong stays longest:",
        );
        for section in over {
            let name = match section.heading.as_str() {
                "" => "all sections together",
                heading => heading,
            };
            text.push_str(&format!("\n- {name}: {} tokens", section.tokens));
        }
    }
    text
}

/// Replaces both names in one pass, so that what the notes hold is never replaced.
fn filled(template: &str, notes: &str, path: &str) -> String {
    const NAMES: [&str; 2] = ["{{currentNotes}}", "{{notesPath}}"];
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find("{{") {
        let (before, found) = rest.split_at(at);
        text.push_str(before);
        let name = NAMES.iter().position(|name| found.starts_with(name));
        match name {
            Some(0) => push_notes(&mut text, notes),
            Some(_) => text.push_str(path),
            // The next one may begin at the second brace.
            None => text.push('{'),
        }
        rest = &found[name.map_or(1, |name| NAMES[name].len())..];
    }
    text.push_str(rest);
    text
}

/// Edits need the exact text, so nothing in it is changed; there is no frame that it could end
/// but its own, and that file is written by the same model.
fn push_notes(text: &mut String, notes: &str) {
    text.push_str(notes.trim_end());
}
