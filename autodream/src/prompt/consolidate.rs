//! The third phase: into the memories.

use memdir_types::guidance;

use super::{DreamKind, DreamPrompt};

pub(super) fn text(prompt: &DreamPrompt) -> String {
    let logs = match prompt.kind {
        DreamKind::Automatic => "Logs are read only: leave them as they are.",
        DreamKind::Logs => {
            "The logs stay as they are, distilled or not: never edit, move or empty one."
        }
    };
    format!(
        "\
## Phase 3: consolidate

- Merge: what belongs to a memory that exists goes into its file. Two memories on one topic \
become one, in the better file, and the other one is removed. Keep every fact that still holds; \
shorter must not mean poorer.
- Correct at the source: where a fact is contradicted, change or remove it in the file that says \
it. Do not write a second memory that says the opposite.
- Make dates absolute: \"yesterday\" and \"next week\" become dates, counted from the day on which \
they were written, not from today. Where that day is unknown, leave the words alone.
- A new memory is a file of its own with this frontmatter, and every file keeps its:

{}

- {logs}

{}",
        guidance::frontmatter_template(),
        guidance::what_not_to_save()
    )
}
