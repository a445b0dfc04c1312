//! The last phase: the index, within its limits.

use memdir_index::{ENTRYPOINT, Limits, MAX_ENTRY_CHARS, Measure};

use super::DreamKind;

pub(super) fn text(kind: DreamKind, limits: Limits) -> String {
    let aim = match kind {
        DreamKind::Automatic => "Bring the index in line with the files",
        DreamKind::Logs => "Bring the index in line with the memories that you wrote",
    };
    let unit = match limits.measure {
        Measure::Utf16 => "UTF-16 units",
        _ => "bytes",
    };
    format!(
        "\
## Phase 4: prune

{aim}. `{ENTRYPOINT}` is an index, not a place for memories:

- At most {} lines and {} {unit}, or its end is not loaded. One line for each memory, \
`- [Title](file.md) — hook`, of about {MAX_ENTRY_CHARS} characters; what does not fit belongs in \
the file of the memory.
- Drop lines whose file is gone, replaced or of no more use. Add a line for every memory that has \
none. No file has two.
- Shorten lines that say more than what the memory is found by.
- Put what is needed most first.",
        thousands(limits.lines),
        thousands(limits.size)
    )
}

/// A number as a person reads it: `25,000`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}
