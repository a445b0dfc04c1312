//! The list of memories that a model picks from: one line each, always the same bytes.

use std::time::SystemTime;

use crate::MemoryFile;
use crate::text::one_line;

/// How much of a description a line shows: 500 characters, this crate's own choice. The format
/// knows no limit; a description that long is a body in the wrong place.
pub const MAX_SHOWN_CHARS: usize = 500;

/// One line of the manifest: `- [type] file (ISO time): description`.
///
/// Without a type the tag is missing, without a description the colon. Line breaks and control
/// characters become blanks, and what poses as a tag of a prompt is escaped, so that no memory
/// can add a line or end the list.
#[must_use]
pub fn manifest_line(memory: &MemoryFile) -> String {
    let mut line = "- ".to_owned();
    if let Some(kind) = memory.header.kind {
        line.push('[');
        line.push_str(kind.as_str());
        line.push_str("] ");
    }
    line.push_str(&memory.file);
    line.push_str(" (");
    line.push_str(&iso_time(memory.modified));
    line.push(')');
    let description = memory.header.description.as_deref().unwrap_or_default();
    let description = one_line(description, MAX_SHOWN_CHARS);
    if !description.is_empty() {
        line.push_str(": ");
        line.push_str(&description);
    }
    line
}

/// The lines of several memories in the order given, without a line end behind the last.
#[must_use]
pub fn manifest<'a>(memories: impl IntoIterator<Item = &'a MemoryFile>) -> String {
    manifest_with(memories.into_iter().map(|memory| (memory, None)))
}

/// The same, below some of them a line of their body.
pub(crate) fn manifest_with<'a>(
    memories: impl IntoIterator<Item = (&'a MemoryFile, Option<&'a str>)>,
) -> String {
    let mut text = String::new();
    for (memory, line) in memories {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&manifest_line(memory));
        if let Some(line) = line {
            text.push_str("\n  > ");
            text.push_str(line);
        }
    }
    text
}

/// A time as manifests have it: `2026-04-01T09:30:00.000Z`.
///
/// Years before 0 or after 9999 are shown as those.
#[must_use]
pub fn iso_time(time: SystemTime) -> String {
    // 0000-01-01 and 9999-12-31, in milliseconds.
    const FIRST: i128 = -62_167_219_200_000;
    const LAST: i128 = 253_402_300_799_999;
    let millis = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_millis()).unwrap_or(LAST),
        Err(before) => {
            // Rounded down, as a time after the epoch is.
            let nanos = i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX);
            (-nanos).div_euclid(1_000_000)
        }
    };
    let millis = i64::try_from(millis.clamp(FIRST, LAST)).unwrap_or(0);
    let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1_000 % 60, rest % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Year, month and day of a count of days since 1970-01-01, in the calendar of today. The year
/// begins in March here, so that the leap day is its last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}
