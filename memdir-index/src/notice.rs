//! The line after a cut index, and the way sizes are written in it.

use crate::MAX_ENTRY_CHARS;
use crate::truncate::{Exceeded, Truncated};

/// A size as the notice writes it: units / 1024 with one decimal and `KB`, from 1,048,576 units
/// on / 1,048,576 and `MB`; a decimal of zero is left out.
///
/// ```
/// use memdir_index::size_figure;
///
/// assert_eq!(size_figure(25_001), "24.4KB");
/// assert_eq!(size_figure(1_048_576), "1MB");
/// ```
pub fn size_figure(units: usize) -> String {
    const KILO: u128 = 1_024;
    const MEGA: u128 = 1_048_576;
    let units = units as u128;
    let (unit, name) = if units < MEGA {
        (KILO, "KB")
    } else {
        (MEGA, "MB")
    };
    // Halves round up, in whole numbers, so that no float decides.
    let tenths = (units * 10 + unit / 2) / unit;
    match tenths % 10 {
        0 => format!("{}{name}", tenths / 10),
        decimal => format!("{}.{decimal}{name}", tenths / 10),
    }
}

pub(crate) fn notice(cut: &Truncated<'_>) -> Option<String> {
    let exceeded = cut.exceeded?;
    let lines = cut.total_lines;
    let size = size_figure(cut.total_size);
    let max_lines = cut.limits.lines;
    let max_size = size_figure(cut.limits.size);
    let what = match exceeded {
        Exceeded::Lines => format!("{lines} lines long and at most {max_lines} are loaded"),
        Exceeded::Size => format!("{size} large and at most {max_size} are loaded"),
        Exceeded::Both => format!(
            "{lines} lines long and {size} large, and at most {max_lines} lines and {max_size} are loaded"
        ),
    };
    let dropped = match cut.dropped.len() {
        0 => String::new(),
        1 => " One entry is missing here.".to_owned(),
        n => format!(" {n} entries are missing here."),
    };
    Some(format!(
        "> WARNING: MEMORY.md is {what}: what follows after this point was left out.{dropped} \
         Give each memory one line of at most {MAX_ENTRY_CHARS} characters, and keep the detail in its own file."
    ))
}
