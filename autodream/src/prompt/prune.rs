//! The last phase: the index, within its limits.

use memdir_index::{ENTRYPOINT, MAX_BYTES, MAX_ENTRY_CHARS, MAX_LINES};

use super::DreamKind;

pub(super) fn text(kind: DreamKind) -> String {
    let aim = match kind {
        DreamKind::Automatic => "Bring the index in line with the files",
        DreamKind::Logs => "Bring the index in line with the memories that you wrote",
    };
    format!(
        "\
## Phase 4: prune

{aim}. `{ENTRYPOINT}` is an index, not a place for memories:

- At most {MAX_LINES} lines and {} bytes, or its end is not loaded. One line for each memory, \
`- [Title](file.md) — hook`, of about {MAX_ENTRY_CHARS} characters; what does not fit belongs in \
the file of the memory.
- Drop lines whose file is gone, replaced or of no more use. Add a line for every memory that has \
none. No file has two.
- Shorten lines that say more than what the memory is found by.
- Put what is needed most first.",
        thousands(MAX_BYTES)
    )
}

fn thousands(number: usize) -> String {
    if number < 1_000 {
        number.to_string()
    } else {
        format!("{},{:03}", number / 1_000, number % 1_000)
    }
}
