//! The instructions for one private directory, and the parts that team mode shares.

use memdir_types::guidance;

use super::{Directory, IndexUse, Place, Prompt};
use crate::{ENTRYPOINT, MAX_ENTRY_CHARS, MAX_LINES};

pub(super) fn sections(options: &Prompt) -> Vec<String> {
    let mut sections = vec![
        intro(&options.private),
        format!(
            "## Types of memory\n\nEvery memory has one of four types:\n\n{}",
            guidance::types(guidance::Mode::Private)
        ),
        guidance::what_not_to_save().to_owned(),
        how_to_save(options),
    ];
    sections.extend(using());
    sections
}

/// When memory is used, what is checked first, and what is kept elsewhere.
pub(super) fn using() -> [String; 3] {
    [
        guidance::when_to_access().to_owned(),
        guidance::before_recommending().to_owned(),
        "\
## Memory and other ways to keep things

Memory is for later conversations. What matters only until this one ends has better places:

- A plan: when you are about to start something larger and want agreement on the way. If the way \
changes, change the plan; do not save a memory about it.
- A task list: the steps of the work at hand and how far they are."
            .to_owned(),
    ]
}

fn intro(place: &Place) -> String {
    let path = place.path();
    let exists = match place.directory {
        Directory::Exists => " The directory exists.",
        Directory::Unknown => "",
    };
    format!(
        "\
# auto memory

You have a memory that outlasts this conversation: the files in the directory `{path}`.{exists} \
{WRITE_DIRECTLY} It belongs to this person on this machine; it is not part of the repository and \
is never committed.

{AIM}"
    )
}

pub(super) const WRITE_DIRECTLY: &str = "Write to it directly with your write tool: no mkdir, \
    no check whether it exists.";

pub(super) const AIM: &str = "\
Fill it over time, so that a later conversation knows who the person is, how they want to work \
with you, what to repeat and what to avoid, and what stands behind the tasks they bring.

When the person asks you to remember something, save it at once under the type that fits. When \
they ask you to forget something, find its memory and remove it.";

fn how_to_save(options: &Prompt) -> String {
    let path = options.private.path();
    let template = guidance::frontmatter_template();
    let file = format!(
        "Write the memory to a file of its own in `{path}`, named by type and topic \
         (`user_role.md`, `feedback_testing.md`), with this frontmatter:\n\n{template}\n\n{SEARCH_KEY}"
    );
    match options.index {
        IndexUse::Skipped => format!("## How to save a memory\n\n{file}\n\n{CARE}"),
        IndexUse::Listed => format!(
            "## How to save a memory\n\nTwo steps:\n\n1. {file}\n\n2. {}\n\n{}\n{CARE}",
            index_step(&format!("`{}`", options.private.index())),
            index_care()
        ),
        IndexUse::Kept => format!(
            "## How to save a memory\n\n{file}\n\n{}\n{CARE}",
            index_kept(&format!("`{}` is", options.private.index()))
        ),
    }
}

pub(super) const SEARCH_KEY: &str = "`description` is the key by which the memory is found \
    again, not a summary of it: put in the words that a later task would use.";

/// The second step of saving, for the index of that name.
pub(super) fn index_step(index: &str) -> String {
    format!(
        "Give it one line in the index {index}: `- [Title](file.md) — hook`. The index lists \
         memories and holds none: no frontmatter, no content. Read {ENTRYPOINT} with your read tool \
         before you edit it, even if its text stands in the conversation already: an edit of a file that was \
         not read is refused. Change your one line and leave every other as it is."
    )
}

pub(super) fn index_care() -> String {
    format!(
        "- {ENTRYPOINT} is loaded into every conversation, up to {MAX_LINES} lines; what stands after that is not \
         seen. Keep each line within {MAX_ENTRY_CHARS} characters."
    )
}

/// What stands in place of the second step where the host writes the lines.
pub(super) fn index_kept(indexes: &str) -> String {
    format!(
        "- The index {indexes} not yours to write: each memory gets its line there when you write \
         its file, made of `name` and `description`. The first {MAX_LINES} lines are loaded into every \
         conversation."
    )
}

pub(super) const CARE: &str = "\
- Before you write a new memory, see whether one about the same thing exists, and update that \
one. Never save a fact twice.
- Keep `name`, `description` and `type` in step with the content.
- Order memories by topic, not by date.
- Correct or remove a memory that turns out to be wrong or outdated.";
