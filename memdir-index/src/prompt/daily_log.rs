//! The instructions for a log that is only appended to.

use memdir_types::guidance;

use super::{Directory, IndexUse, Prompt};
use crate::ENTRYPOINT;
use crate::entry::printable;

pub(super) fn sections(options: &Prompt) -> Vec<String> {
    let pattern = printable(&options.private.dir.daily_log_pattern());
    let path = options.private.path();
    let exists = match options.private.directory {
        Directory::Exists => " The directory exists.",
        Directory::Unknown => "",
    };
    let mut sections = vec![
        format!(
            "\
# auto memory, daily log

You have a memory that outlasts this conversation, in the directory `{path}`.{exists} It is not \
part of the repository and is never committed. As this session may run for days, you do not \
arrange memories: you append to the log of the day, and a later run distils the logs into \
memories."
        ),
        format!(
            "\
## How to log

Append to `{pattern}`, where YYYY, MM and DD are the local date at the moment of writing. When \
the day changes, go on in the file of the new day. If the file or its folders are missing, your \
write tool makes them: no mkdir, no check whether they exist.

- One line for each entry, with the local time: `- HH:MM what happened`.
- Append only. Never rewrite, reorder or remove earlier lines, also not to correct them: write a \
new line that says what changed.
- Log when it happens, not at the end."
        ),
        "\
## What to log

- Corrections by the person, and what they confirmed, each with the reason.
- Who the person is and how they like to work.
- Goals, deadlines, decisions and their reasons, so far as the code does not show them.
- Where things are to be found outside the project.
- Whatever the person asks you to remember."
            .to_owned(),
        guidance::what_not_to_save().to_owned(),
    ];
    if options.index != IndexUse::Skipped {
        let index = options.private.index();
        sections.push(format!(
            "\
## {ENTRYPOINT}

`{index}` is the distilled index of the memories. Read it for orientation and leave it to the \
run that distils the logs: you do not edit it."
        ));
    }
    sections.push(guidance::when_to_access().to_owned());
    sections.push(guidance::before_recommending().to_owned());
    sections
}
