//! The second phase: what is new, the cheap and certain sources first.

use super::{DreamKind, DreamPrompt};

pub(super) fn text(prompt: &DreamPrompt) -> String {
    let mut text = match prompt.kind {
        DreamKind::Automatic => String::from(
            "\
## Phase 2: gather

Collect what is worth remembering and not remembered yet, in this order:

1. Daily logs, `logs/YYYY/MM/YYYY-MM-DD.md`, if there are any: they were written to be kept.
2. Memories that the code contradicts: where a memory names a file, a function, a flag or a \
command, look whether it is still so.",
        ),
        DreamKind::Logs => String::from(
            "\
## Phase 2: gather

Collect what is worth remembering, in this order:

1. The daily logs, `logs/YYYY/MM/YYYY-MM-DD.md`, from the oldest that is not distilled yet to the \
latest. Read these whole; where a later line corrects an earlier one, the later one holds.
2. Memories that the logs or the code contradict.",
        ),
    };
    if prompt.has_transcripts() {
        text.push_str(&format!(
            "
3. Transcripts, when you are after something particular: search {} with narrow words, for \
example `grep -n -m 20 \"the exact words\" FILE | cut -c 1-400`. Each line of a transcript is a \
long JSON object, and a file may have hundreds of megabytes: never read one as a whole, and do \
not go through them in search of things to find.",
            prompt.folders()
        ));
    }
    text
}
