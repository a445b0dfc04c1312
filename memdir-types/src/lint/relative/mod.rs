//! Finds dates that depend on the day of reading, in English and Chinese, and says what they
//! meant on the day of writing.
//!
//! The aim is few false alarms: only phrases that name a time, outside code, and none that is
//! a habit ("every Friday"), a duration ("expires in 7 days") or already explained by a date on
//! the same line ("Thursday, 2026-03-05").

mod chinese;
mod english;

use std::borrow::Cow;
use std::cell::LazyCell;

use crate::Date;

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// A value of the frontmatter.
    OneLine,
    /// A body, with code blocks.
    Markdown,
}

/// One relative date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relative {
    /// The line within the text, counted from 0.
    pub(super) line: usize,
    /// The words, from a fixed vocabulary and numbers.
    pub(super) phrase: String,
    pub(super) suggestion: String,
}

/// A stretch of time that a phrase means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Day(i64),
    /// The weekday (0 is Monday) of the week that many weeks away.
    WeekdayIn(i64, i64),
    /// "next Thursday": the next such day, or that of the next week.
    NextWeekday(i64),
    /// The last such day before today.
    LastWeekday(i64),
    /// The next such day, today included.
    ComingWeekday(i64),
    Week(i64),
    Month(i64),
    /// The day that many months away.
    DayInMonths(i64),
    Quarter(i64),
    Year(i64),
    Unclear,
}

/// The relative dates of a text, in order, at most `limit` of them.
pub(super) fn find(text: &str, form: Text, today: Date, limit: usize) -> Vec<Relative> {
    let mut found = Vec::new();
    let mut code_block: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        if found.len() >= limit {
            break;
        }
        if form == Text::Markdown {
            let trimmed = line.trim_start();
            match code_block {
                Some(fence) => {
                    if trimmed.starts_with(fence) {
                        code_block = None;
                    }
                    continue;
                }
                None => {
                    code_block = ["```", "~~~"]
                        .into_iter()
                        .find(|fence| trimmed.starts_with(fence));
                    if code_block.is_some() {
                        continue;
                    }
                }
            }
        }
        // A longer line is not prose, and looking at pairs of words in it would take long.
        if line.len() > MAX_LINE_BYTES {
            continue;
        }
        let line = without_code_spans(line);
        // Asked only where a phrase depends on it, and then once.
        let has_date = LazyCell::new(|| has_absolute_date(&line));
        let has_date = || *has_date;
        let mut on_line = english::find(&line, &has_date);
        on_line.extend(chinese::find(&line, &has_date));
        on_line.retain(|(at, phrase, _)| {
            let (before, after) = (&line[..*at], &line[at + phrase.len()..]);
            !is_dated(before, after) && !is_quoted(before, after)
        });
        on_line.sort_by_key(|(at, _, _)| *at);
        for (_, phrase, when) in on_line {
            found.push(Relative {
                line: number,
                suggestion: suggestion(when, today),
                phrase,
            });
        }
    }
    found.truncate(limit);
    found
}

/// Lines above this length are not searched, in bytes.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// The line with its code spans blanked out, so that all positions stay.
fn without_code_spans(line: &str) -> Cow<'_, str> {
    if !line.contains('`') {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let ticks = rest[open..].len() - rest[open..].trim_start_matches('`').len();
        let after = open + ticks;
        let mark = &rest[open..after];
        let Some(close) = rest[after..].find(mark) else {
            break;
        };
        out.push_str(&rest[..open]);
        let end = after + close + ticks;
        out.extend(std::iter::repeat_n(' ', end - open));
        rest = &rest[end..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether the date itself stands right beside a phrase: "tomorrow (2026-12-01)", "12月1日（明天）".
fn is_dated(before: &str, after: &str) -> bool {
    let beside = [' ', ',', ':', '(', '，', '：', '（', '是', '即'];
    let after = after.trim_start_matches(beside);
    let before = before.trim_end_matches(beside);
    let digit = |c: char| c.is_ascii_digit();
    let year = after.find(|c| !digit(c)).unwrap_or(after.len()) == 4
        && (after[4..].is_empty() || after[4..].starts_with(['-', '/', '.', '年', ')', '）']));
    let day = before.strip_suffix(['日', '号']);
    let number = before.trim_end_matches(digit);
    let numeric = before.len() - number.len() == 2
        && number
            .strip_suffix(['-', '/', '.'])
            .is_some_and(|rest| rest.ends_with(digit));
    year || numeric || day.is_some_and(|rest| rest.ends_with(digit))
}

/// Whether a phrase is all that stands between two quotation marks: then it is spoken of.
fn is_quoted(before: &str, after: &str) -> bool {
    before.ends_with(['\'', '"', '‘', '“', '«', '「', '『'])
        && after.starts_with(['\'', '"', '’', '”', '»', '」', '』'])
}

fn suggestion(when: When, today: Date) -> String {
    let monday = today
        .is_valid()
        .then(|| today.plus_days(-today.weekday()))
        .flatten();
    let in_week = |weeks: i64, weekday: i64| monday?.plus_days(weeks * 7 + weekday);
    let text = match when {
        When::Day(days) => today.plus_days(days).map(|date| date.to_string()),
        When::WeekdayIn(weeks, weekday) => in_week(weeks, weekday).map(|date| date.to_string()),
        When::NextWeekday(weekday) => in_week(1, weekday).map(|far| {
            let near = in_week(0, weekday).filter(|near| *near > today);
            match near {
                Some(near) => format!("{far} (or {near}, if the nearer one is meant)"),
                None => far.to_string(),
            }
        }),
        When::LastWeekday(weekday) => in_week(0, weekday)
            .filter(|date| *date < today)
            .or_else(|| in_week(-1, weekday))
            .map(|date| date.to_string()),
        When::ComingWeekday(weekday) => in_week(0, weekday)
            .filter(|date| *date >= today)
            .or_else(|| in_week(1, weekday))
            .map(|date| date.to_string()),
        When::Week(weeks) => in_week(weeks, 0).and_then(|from| {
            let to = from.plus_days(6)?;
            Some(format!("the week from {from} to {to}"))
        }),
        When::Month(months) => today
            .plus_months(months)
            .map(|date| format!("{:04}-{:02}", date.year, date.month)),
        When::DayInMonths(months) => today.plus_months(months).map(|date| date.to_string()),
        When::Quarter(quarters) => today
            .plus_months(quarters * 3)
            .map(|date| format!("Q{} {:04}", (date.month - 1) / 3 + 1, date.year)),
        When::Year(years) => today
            .plus_months(years.saturating_mul(12))
            .map(|date| format!("{:04}", date.year)),
        When::Unclear => None,
    };
    match text {
        Some(text) => format!("write {text}"),
        None => "write the absolute date".to_owned(),
    }
}

/// Where a phrase begins, the phrase, and what it means.
type Found = (usize, String, When);

/// A word with its place. `text` is in lower case if the line that it was found in is.
struct Word<'l> {
    at: usize,
    end: usize,
    text: Cow<'l, str>,
}

fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in line
        .char_indices()
        .chain(std::iter::once((line.len(), ' ')))
    {
        let part = c.is_ascii_alphanumeric() || (matches!(c, '\'' | '’') && start.is_some());
        match (part, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                // The apostrophe of "two weeks' time" ends no word.
                let text = line[from..at].trim_end_matches(['\'', '’']);
                words.push(Word {
                    at: from,
                    end: from + text.len(),
                    text: if text.is_ascii() {
                        Cow::Borrowed(text)
                    } else {
                        Cow::Owned(text.replace('’', "'"))
                    },
                });
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Whether a calendar date stands on the line: `2026-03-05`, `3/5`, `March 5`, `3月5日`.
fn has_absolute_date(line: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let bytes = line.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let numeric = (1..bytes.len()).any(|at| {
        matches!(bytes[at], b'-' | b'/' | b'.') && digit(at - 1) && digit(at + 1) && {
            let left = (0..at).rev().take_while(|at| digit(*at)).count();
            let right = (at + 1..bytes.len()).take_while(|at| digit(*at)).count();
            let next = bytes.get(at + 1 + right);
            (left == 4 && right == 2 && next == Some(&bytes[at]))
                || (bytes[at] == b'/' && left <= 2 && right <= 2)
        }
    });
    let chinese = line
        .match_indices('月')
        .any(|(at, _)| at > 0 && digit(at - 1) && digit(at + '月'.len_utf8()));
    let line = line.to_ascii_lowercase();
    let words = words(&line);
    let named = words.windows(2).any(|pair| {
        let month = |word: &str| {
            word.len() >= 3 && MONTHS.iter().any(|month| word.starts_with(month)) && word.len() <= 9
        };
        let day = |word: &str| {
            let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            matches!(digits.len(), 1 | 2) && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        (month(&pair[0].text) && day(&pair[1].text)) || (day(&pair[0].text) && month(&pair[1].text))
    });
    numeric || chinese || named
}
