//! A calendar date without a calendar library.

use std::fmt;

/// A date of the proleptic Gregorian calendar, local to the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

impl Date {
    /// A date; `None` if there is no such day. Years go from 0 to 9999.
    pub const fn new(year: i32, month: u8, day: u8) -> Option<Date> {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let last = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => return None,
        };
        if year < 0 || year > 9999 || day == 0 || day > last {
            return None;
        }
        Some(Date { year, month, day })
    }
}

/// `YYYY-MM-DD`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}
