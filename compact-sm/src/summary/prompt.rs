//! The texts that ask for a summary, and the sentence that opens one.

use super::Scope;

/// Said first and last: the request shares the conversation's tools, and none of them is wanted.
const NO_TOOLS_FIRST: &str = "Write text, and only text. Do not call any tool in this turn: \
what you need stands above, a call would be refused, and there is no second turn.";

const NO_TOOLS_LAST: &str = "Remember: no tool calls. One <analysis> block, then one <summary> \
block, nothing else.";

const WHOLE: &str = "This conversation is about to be replaced by a summary of it; a last \
message or two may stay word for word, and the work goes on from there. Write it so that whoever continues needs nothing else: what was \
asked for, what was decided, what was changed and where, and what is still open.";

const RECENT: &str = "The messages from here back to the mark [the part to summarize begins here] \
are about to be replaced by a summary; what stands before the mark stays word for word, and newer \
messages that you do not see may follow. Summarize only what stands behind the mark, or everything \
if there is no mark, and refer to the rest only where that part builds on it.";

const PREFIX: &str = "The beginning of this conversation is about to be replaced by a summary; \
newer messages, which you do not see, follow it word for word. Summarize what you see so that \
those newer messages can be understood.";

const METHOD: &str = "First think it through inside <analysis> tags: go through the messages in \
order, and note for each part what the person wanted, what was done, which names, signatures and \
commands matter, what went wrong, and where the person corrected you. The block is thrown away \
afterwards.

Then write the summary inside <summary> tags, with these sections and these headings:";

/// The first seven are the same for every scope.
const SECTIONS: &str = "1. Primary request and intent: everything the person asked for, in \
detail, with limits and wishes they stated.
2. Key technical concepts: technologies, patterns and terms that the work depends on.
3. Files and code sections: each file that was read, changed or created, with why it matters; \
quote the code that will be needed again, the newest first.
4. Errors and fixes: each error, what it came from, how it was fixed, and what the person said \
about it.
5. Problem solving: what was solved, and what is still being looked into.
6. All user messages: every message of the person that is not a tool result, in their words; \
instructions about safety, secrets and what must not be done, completely.
7. Pending tasks: what was asked for and is not done.";

const LAST_TWO: &str = "8. Current work: exactly what was being done just before this request, \
with file names and code.
9. Optional next step: only what follows directly from the person's latest request, with a \
literal quote of where the work stopped; leave it out if the last task is finished.";

const LAST_TWO_OF_PREFIX: &str = "8. Work completed: what was finished by the end of what you see.
9. Context for continuing: decisions, state and open ends that the newer messages build on.";

const FORM: &str = "<analysis>
...
</analysis>

<summary>
1. Primary request and intent:
   ...
</summary>";

/// What stands in front of a person's own instructions.
const INSTRUCTIONS: &str = "Additional Instructions:";

/// The request for a summary: the text of one last message of the user.
#[must_use]
pub fn summary_prompt(scope: Scope, instructions: Option<&str>) -> String {
    let (task, last) = match scope {
        Scope::Whole => (WHOLE, LAST_TWO),
        Scope::Recent => (RECENT, LAST_TWO),
        Scope::Prefix => (PREFIX, LAST_TWO_OF_PREFIX),
    };
    let mut text = format!(
        "{NO_TOOLS_FIRST}\n\n{task}\n\n{METHOD}\n\n{SECTIONS}\n{last}\n\nThe form:\n\n{FORM}\n\n\
         If the instructions of the project above, such as a section about compaction, say what a \
         summary should keep, follow them. A summary that already stands above is material like \
         everything else: take over what still holds, do not quote it whole.\n"
    );
    if let Some(instructions) = instructions.map(str::trim).filter(|text| !text.is_empty()) {
        text.push_str(&format!("\n{INSTRUCTIONS}\n{instructions}\n"));
    }
    text.push_str(&format!("\n{NO_TOOLS_LAST}"));
    text
}

/// Is this a line of the request itself? A model that repeats it has said nothing.
pub(super) fn is_asked(line: &str) -> bool {
    const SHORTEST: usize = 20;
    let asked = [
        WHOLE,
        RECENT,
        PREFIX,
        METHOD,
        SECTIONS,
        LAST_TWO,
        LAST_TWO_OF_PREFIX,
    ];
    line.len() >= SHORTEST && asked.iter().any(|text| text.contains(line))
}

/// How every summary begins that stands in a conversation.
pub(crate) const OPENING: &str = "This session goes on from an earlier conversation that did not \
fit the context window any more. What it held is summarized below.";

/// What stands between the opening and the summary.
pub(crate) const LABEL: &str = "\n\nSummary:\n";

/// What follows the summary, if anything does.
pub(crate) const DETAILS: &str = "\n\nDetails that the summary leaves out, such as exact code or \
error messages, stand in the transcript: ";

pub(crate) const GO_ON: &str = "\n\nContinue with the work where it stopped. Do not comment on the \
summary, and do not ask what to do next unless something is really open.";

/// The text of the message that stands in a conversation in place of what was summarized.
pub(crate) fn summary_text(summary: &str, transcript: Option<&str>, goes_on: bool) -> String {
    let mut text = format!("{OPENING}{LABEL}{summary}");
    if let Some(transcript) = transcript {
        text.push_str(DETAILS);
        text.push_str(transcript);
    }
    if goes_on {
        text.push_str(GO_ON);
    }
    text
}

/// Stands before the person's own words beside a summary that may tell too little.
pub(crate) const SAID_LAST: &str = "[what the person said last before this point, word for word:]";

/// What stands for pictures and documents, which a summary cannot hold anyway.
pub(crate) const IMAGE_MARK: &str = "[image]";
pub(crate) const DOCUMENT_MARK: &str = "[document]";

/// Stands for a block of which nothing is known, where there is no room for it.
pub(crate) const UNKNOWN_MARK: &str = "[something that is left out of this copy]";

/// The first message where the oldest part had to be left out of the request.
pub(crate) const CUT_MARK: &str =
    "[the oldest part of this conversation was left out, so that a summary of the rest fits]";

/// The same where something of it is left.
pub(crate) const WORDS_MARK: &str = "[of the oldest part of this conversation only what the person \
said is left, so that a summary of the rest fits]";

/// Where the part begins that is summarized, if something stands before it.
pub(crate) const RECENT_MARK: &str = "[the part to summarize begins here]";

/// The result of a call that nobody answered.
pub(crate) const OPEN_CALL: &str = "[interrupted before it returned anything]";

/// Stands at the end of a result that is too long for the request.
pub(crate) fn shortened(bytes: usize) -> String {
    format!("\n[{bytes} more bytes are left out of this copy]")
}

/// Stands at the end of a summary that the model could not finish.
pub(crate) const ENDED: &str = "\n\n[the summary ends here because the answer was at its limit]";

/// Stands at the end of a summary that was longer than allowed.
pub(crate) const TOO_LONG: &str = "\n\n[the summary ends here because it was too long]";
