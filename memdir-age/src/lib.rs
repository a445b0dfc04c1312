#![doc = include_str!("../README.md")]

mod modified;

use std::time::{Duration, SystemTime};

pub use modified::{Prefer, modified_time, parse_modified};

/// Up to this age, in days, a memory needs no warning: one day, so that the first warning comes
/// at two full days, as in Claude Code.
pub const FRESH_DAYS: u64 = 1;

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// The age of a memory in whole days of 24 hours; part of a day does not count.
///
/// Midnights, time zones and calendars play no part. A time in the future is age 0: clocks go
/// wrong, and files come from machines with other clocks.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// let now = SystemTime::now();
/// let hours = |n: u64| Duration::from_secs(n * 3600);
/// assert_eq!(memdir_age::age_days(now - hours(47), now), 1);
/// assert_eq!(memdir_age::age_days(now - hours(48), now), 2);
/// assert_eq!(memdir_age::age_days(now + hours(48), now), 0);
/// ```
pub fn age_days(modified: SystemTime, now: SystemTime) -> u64 {
    let age = now.duration_since(modified).unwrap_or(Duration::ZERO);
    age.as_secs() / SECONDS_PER_DAY
}

/// An age in days, in words: `today`, `yesterday`, `5 days ago`.
pub fn age_text(days: u64) -> String {
    match days {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    }
}

/// What to tell a model that reads a memory of this age, or `None` while it is fresh.
///
/// The text begins with `This memory is N days old`, as the format has it, and makes four
/// statements: the age; that it is an observation of that time; that claims about code may be
/// outdated; that they are to be verified before they are asserted.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// let now = SystemTime::now();
/// let days = |n: u64| Duration::from_secs(n * 24 * 3600);
/// assert_eq!(memdir_age::freshness(now - days(1), now), None);
/// let note = memdir_age::freshness(now - days(47), now).unwrap();
/// assert!(note.starts_with("This memory is 47 days old"));
/// ```
pub fn freshness(modified: SystemTime, now: SystemTime) -> Option<String> {
    let days = age_days(modified, now);
    (days > FRESH_DAYS).then(|| {
        format!(
            "This memory is {days} days old. It notes what was seen at that time, not how things \
             stand now. What it says about code, and above all any file:line it cites, may be \
             outdated. Verify it against the current state before you assert it."
        )
    })
}

/// The text of [`freshness`] in a `system-reminder` tag, each on a line of its own, with a final
/// line end: to be placed before the text of the memory.
pub fn freshness_reminder(modified: SystemTime, now: SystemTime) -> Option<String> {
    let text = freshness(modified, now)?;
    Some(format!("<system-reminder>\n{text}\n</system-reminder>\n"))
}
