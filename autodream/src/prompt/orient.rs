//! The first phase: what is there.

use memdir_index::ENTRYPOINT;

pub(super) fn text(directory: &str) -> String {
    format!(
        "\
## Phase 1: orient

- List {directory} to see which files there are.
- Read `{ENTRYPOINT}`, the index: it is all that a session sees at its start.
- Skim the memories themselves, at least name, description and first lines of each, so that you \
improve what is there instead of writing it a second time.
- Where there is a folder `logs/` or one for sessions, see which of its files are recent."
    )
}
