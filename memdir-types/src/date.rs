//! A calendar date, just large enough for reminders such as "next Thursday".

use std::fmt;
use std::str::FromStr;

use crate::{Error, ErrorKind};

/// A date of the Gregorian calendar, without time and time zone.
///
/// Which day it is depends on where the person sits, so the host says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Date {
    /// The year, for example 2026.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, 1 to 31.
    pub day: u8,
}

impl Date {
    /// The date, if there is such a day.
    ///
    /// ```
    /// use memdir_types::Date;
    ///
    /// assert!(Date::new(2024, 2, 29).is_some());
    /// assert!(Date::new(2026, 2, 29).is_none());
    /// ```
    #[must_use]
    pub fn new(year: i32, month: u8, day: u8) -> Option<Date> {
        let date = Date { year, month, day };
        date.is_valid().then_some(date)
    }

    /// Whether there is such a day. The fields are public, so there need not be.
    pub(crate) fn is_valid(self) -> bool {
        // Years outside four digits have no place in `YYYY-MM-DD`.
        (0..=9999).contains(&self.year)
            && (1..=12).contains(&self.month)
            && self.day >= 1
            && self.day <= days_in_month(self.year, self.month)
    }

    /// Days since 1970-01-01. Valid dates only.
    fn day_number(self) -> i64 {
        // Counting from March puts the leap day at the end of a year, where it disturbs nothing.
        let (year, month) = (i64::from(self.year), i64::from(self.month));
        let (year, month) = if month > 2 {
            (year, month - 3)
        } else {
            (year - 1, month + 9)
        };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
            - 719_468
    }

    fn from_day_number(days: i64) -> Option<Date> {
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Date::new(
            i32::try_from(year).ok()?,
            u8::try_from(month).ok()?,
            u8::try_from(day).ok()?,
        )
    }

    /// The date that many days later, or `None` outside the years 0 to 9999.
    pub(crate) fn plus_days(self, days: i64) -> Option<Date> {
        if !self.is_valid() || days.abs() > 4_000_000 {
            return None;
        }
        Date::from_day_number(self.day_number() + days)
    }

    /// The same day in another month, moved back to the last day where a month is shorter.
    pub(crate) fn plus_months(self, months: i64) -> Option<Date> {
        if !self.is_valid() || months.abs() > 120_000 {
            return None;
        }
        let index = i64::from(self.year) * 12 + i64::from(self.month) - 1 + months;
        let year = i32::try_from(index.div_euclid(12)).ok()?;
        let month = u8::try_from(index.rem_euclid(12) + 1).ok()?;
        let day = self.day.min(days_in_month(year, month));
        Date::new(year, month, day)
    }

    /// 0 for Monday to 6 for Sunday. Valid dates only.
    pub(crate) fn weekday(self) -> i64 {
        // 1970-01-01 was a Thursday.
        (self.day_number() + 3).rem_euclid(7)
    }
}

fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Date {
    type Err = Error;

    /// Reads `YYYY-MM-DD`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadDate`] for any other form, and for days that do not exist.
    fn from_str(text: &str) -> Result<Date, Error> {
        let bad = || Error::new(ErrorKind::BadDate);
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return Err(bad());
        }
        let year = text[..4].parse().map_err(|_| bad())?;
        let month = text[5..7].parse().map_err(|_| bad())?;
        let day = text[8..].parse().map_err(|_| bad())?;
        Date::new(year, month, day).ok_or_else(bad)
    }
}
