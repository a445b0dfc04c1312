//! The daily log: one line per event, appended with one write to the file of that day.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memdir_paths::{Date, MemoryDir};
use memdir_types::Cleared;

use super::{Durability, Store, Wait, atomic};
use crate::entry::single_line;
use crate::{Error, ErrorKind};

/// The most bytes of one line: 64 KiB. An event that needs more is a memory, and one write of more
/// may be split by the system.
pub(crate) const MAX_LOG_LINE_BYTES: usize = 64 * 1024;

/// A time of day, local to the person: hours and minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Time {
    hour: u8,
    minute: u8,
}

impl Time {
    /// A time of day; `None` beyond 23:59.
    pub const fn new(hour: u8, minute: u8) -> Option<Time> {
        if hour < 24 && minute < 60 {
            Some(Time { hour, minute })
        } else {
            None
        }
    }

    /// The hour, 0 to 23.
    pub const fn hour(self) -> u8 {
        self.hour
    }

    /// The minute, 0 to 59.
    pub const fn minute(self) -> u8 {
        self.minute
    }
}

/// `HH:MM`.
impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

/// The local date and time of an instant, `utc_offset_seconds` east of UTC (+08:00 is 28,800).
///
/// A log is named by the day of the person, not by that of UTC; call this when the entry is
/// written, not when the session begins. Years are clamped to 0 to 9999.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// // 2026-04-11T19:53Z in a zone eight hours east.
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_775_937_180);
/// let (date, time) = memdir_index::local_date_time(now, 8 * 3_600);
/// assert_eq!((date.year, date.month, date.day), (2026, 4, 12));
/// assert_eq!(time.to_string(), "03:53");
/// ```
pub fn local_date_time(now: SystemTime, utc_offset_seconds: i32) -> (Date, Time) {
    // Days before the epoch and after it, by the civil calendar; the bounds are the first and the
    // last second of the years 0 and 9999.
    const FIRST: i64 = -62_167_219_200;
    const LAST: i64 = 253_402_300_799;
    let seconds = match now.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(LAST),
        Err(before) => {
            let before = before.duration();
            let whole = i64::try_from(before.as_secs()).unwrap_or(i64::MAX / 2);
            -whole - i64::from(before.subsec_nanos() > 0)
        }
    };
    let local = seconds
        .saturating_add(i64::from(utc_offset_seconds))
        .clamp(FIRST, LAST);
    let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    // Years counted from March of year 0, in eras of 400 years (146,097 days); 719,468 days lie
    // between that March and the epoch.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let date = Date {
        year: year as i32,
        month: month as u8,
        day: day as u8,
    };
    let time = Time {
        hour: (second / 3_600) as u8,
        minute: (second / 60 % 60) as u8,
    };
    (date, time)
}

impl Store {
    /// Appends `- HH:MM text` to the log of that day, and answers where it is.
    ///
    /// The line is one write to a file opened for appending, so writers tear no line, with or
    /// without a lock. The text is made one line. Folders of the log are made; the memory directory is not.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoDirectory`], [`ErrorKind::ReadOnly`], [`ErrorKind::LeadsOut`],
    /// [`ErrorKind::Audience`], [`ErrorKind::TooLarge`] for a line beyond 64 KiB,
    /// [`ErrorKind::Io`].
    pub fn append_log(
        &self,
        date: Date,
        time: Time,
        text: Cleared<String>,
    ) -> Result<PathBuf, Error> {
        self.check_writable()?;
        self.check_audience(text.audience())?;
        if !self.dir.is_dir() {
            return Err(Error::new(ErrorKind::NoDirectory, &self.dir));
        }
        let path = MemoryDir::new(self.dir.clone()).daily_log(date);
        let mut line = format!("- {time} {}", single_line(&text));
        line.truncate(line.trim_end().len());
        line.push('\n');
        if line.len() > MAX_LOG_LINE_BYTES {
            let kind = ErrorKind::TooLarge {
                bytes: line.len() as u64,
                limit: MAX_LOG_LINE_BYTES as u64,
            };
            return Err(Error::new(kind, path));
        }
        self.append(&path, line)?;
        Ok(path)
    }

    fn append(&self, path: &Path, mut line: String) -> Result<(), Error> {
        let fail = |e| Error::io(path, e);
        let folder = path.parent().unwrap_or(path);
        // Asked before and after the folders are made: neither they nor the file may lead out.
        if !memdir_paths::contains(&self.dir, folder) {
            return Err(Error::new(ErrorKind::LeadsOut, folder));
        }
        fs::create_dir_all(folder).map_err(fail)?;
        if !memdir_paths::contains(&self.dir, path) {
            return Err(Error::new(ErrorKind::LeadsOut, path));
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        atomic::no_follow(&mut options, 0o666);
        let mut file = match options.open(path) {
            Ok(file) => file,
            Err(_) if path.is_symlink() => return Err(Error::new(ErrorKind::LeadsOut, path)),
            Err(e) => return Err(fail(e)),
        };
        if !file.metadata().map_err(fail)?.is_file() {
            return Err(Error::new(ErrorKind::NotAFile, path));
        }
        // Another writer's line may be half visible while it is written, and would look as if it
        // had no end. The lock is for this look only; where there is none, the worst is a blank
        // line, as each line is one write.
        let _ = match self.options.wait {
            Wait::ForTurn => file.lock().is_ok(),
            Wait::Never => file.try_lock().is_ok(),
        };
        if !ends_with_newline(&mut file).map_err(fail)? {
            // An editor left the last line open; ours must not be glued to it.
            line.insert(0, '\n');
        }
        // One call: `write_all` would split what the system takes in parts, and another writer
        // could come between.
        let written = file.write(line.as_bytes()).map_err(fail)?;
        if written != line.len() {
            return Err(fail(std::io::Error::from(std::io::ErrorKind::WriteZero)));
        }
        if self.options.durability == Durability::PowerLoss {
            file.sync_data().map_err(fail)?;
        }
        Ok(())
    }
}

fn ends_with_newline(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0; 1];
    Ok(file.read(&mut last)? == 0 || last == *b"\n")
}
