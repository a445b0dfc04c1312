//! The `modified` key of the frontmatter, as an alternative to the file's own time.

use std::time::{Duration, SystemTime};

/// Which time says when a memory was last changed, if both are known.
///
/// Deliberately exhaustive: there are only these two places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Prefer {
    /// The file's modification time. It is always there, and Claude Code goes by it.
    #[default]
    FileTime,
    /// The `modified` key, where it is readable: it survives a copy, a checkout, a restored
    /// backup, all of which give a file a new time.
    Frontmatter,
}

/// The time that an age is counted from: the file's, or that of the `modified` key if it is
/// preferred and readable.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use memdir_age::{Prefer, modified_time};
///
/// let file = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// let key = Some("2026-04-01T12:00:00Z");
/// assert_eq!(modified_time(file, key, Prefer::FileTime), file);
/// assert!(modified_time(file, key, Prefer::Frontmatter) < file);
/// assert_eq!(modified_time(file, Some("last week"), Prefer::Frontmatter), file);
/// ```
pub fn modified_time(file: SystemTime, frontmatter: Option<&str>, prefer: Prefer) -> SystemTime {
    match prefer {
        Prefer::FileTime => file,
        Prefer::Frontmatter => frontmatter.and_then(parse_modified).unwrap_or(file),
    }
}

/// Reads an ISO 8601 time as the `modified` key has it: `2026-04-01T12:00:00.000Z`.
///
/// An offset (`+08:00`, `-0530`, a space before it or not) is applied; without one, and for a date alone, the time is taken
/// as UTC. A space may stand for the `T`. Fractions are kept to the nanosecond. `None` for
/// anything else, and for times that the system cannot represent.
pub fn parse_modified(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let (date, time) = match text.split_at_checked(10)? {
        (date, "") => (date, "00:00:00Z"),
        (date, rest) => (date, rest.strip_prefix(['T', 't', ' '])?),
    };
    let days = days_since_1970(date)?;
    let (clock, offset) = split_offset(time)?;
    // `git log --date=iso` puts a space before the offset.
    let clock = clock.strip_suffix(' ').unwrap_or(clock);
    let (seconds, nanos) = seconds_of_day(clock)?;
    let seconds = days * 86_400 + seconds - offset;
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let time = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(whole)?
    } else {
        SystemTime::UNIX_EPOCH.checked_add(whole)?
    };
    time.checked_add(Duration::from_nanos(nanos))
}

/// Exactly `digits` ASCII digits. More than nine are never asked for.
fn number(text: &str, digits: usize) -> Option<i64> {
    let sound = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if sound { text.parse().ok() } else { None }
}

/// `YYYY-MM-DD` as days, by the proleptic Gregorian calendar.
fn days_since_1970(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4)?;
    let month = number(parts.next()?, 2)?;
    let day = number(parts.next()?, 2)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if parts.next().is_some() || !(1..=length).contains(&day) {
        return None;
    }
    // Counted from March, so that the leap day is the last of its year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    Some(365 * year + leaps + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// The clock time, and how many seconds its zone is ahead of UTC.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else {
        return Some((time, 0));
    };
    let (clock, zone) = time.split_at(at);
    let (sign, zone) = zone.split_at(1);
    let (hours, minutes) = match zone.split_once(':') {
        Some(parts) => parts,
        None if zone.len() == 2 => (zone, "00"),
        None => zone.split_at_checked(2)?,
    };
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = hours * 3_600 + minutes * 60;
    Some((clock, if sign == "-" { -seconds } else { seconds }))
}

/// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction`, as seconds and nanoseconds.
fn seconds_of_day(clock: &str) -> Option<(i64, u64)> {
    let (clock, fraction) = match clock.split_once(['.', ',']) {
        Some((_, "")) => return None,
        Some((clock, fraction)) => (clock, fraction),
        None => (clock, "0"),
    };
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanos = nanos.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = number(parts.next()?, 2)?;
    let second = parts.next().map_or(Some(0), |second| number(second, 2))?;
    // A leap second is the first of the next minute.
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some((hour * 3_600 + minute * 60 + second, nanos))
}
