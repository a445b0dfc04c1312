//! Finds dates that depend on the day of reading, in English and Chinese, and says what they
//! meant on the day of writing.
//!
//! The aim is few false alarms: only phrases that name a time, outside code, and none that is
//! a habit ("every Friday"), a duration ("expires in 7 days") or already explained by a date on
//! the same line ("Thursday, 2026-03-05").

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

/// All relative dates of a text, in order.
pub(super) fn find(text: &str, form: Text, today: Date) -> Vec<Relative> {
    let mut found = Vec::new();
    let mut code_block: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
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
        let mut on_line = english(&line);
        on_line.extend(chinese(&line));
        on_line.sort_by_key(|(at, _, _)| *at);
        for (_, phrase, when) in on_line {
            found.push(Relative {
                line: number,
                suggestion: suggestion(when, today),
                phrase,
            });
        }
    }
    found
}

/// Lines above this length are not searched, in bytes.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// The line with its code spans blanked out, so that all positions stay.
fn without_code_spans(line: &str) -> String {
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
    out
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

/// A word with its place, in lower case.
struct Word {
    at: usize,
    end: usize,
    text: String,
}

fn words(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in line
        .char_indices()
        .chain(std::iter::once((line.len(), ' ')))
    {
        let part = c.is_ascii_alphanumeric() || (c == '\'' && start.is_some()) || c == '’';
        match (part, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(Word {
                    at: from,
                    end: at,
                    text: line[from..at].to_ascii_lowercase().replace('’', "'"),
                });
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Monday is 0.
fn weekday(word: &str) -> Option<i64> {
    const NAMES: [[&str; 3]; 7] = [
        ["monday", "mon", "monday's"],
        ["tuesday", "tue", "tuesday's"],
        ["wednesday", "wed", "wednesday's"],
        ["thursday", "thu", "thursday's"],
        ["friday", "fri", "friday's"],
        ["saturday", "sat", "saturday's"],
        ["sunday", "sun", "sunday's"],
    ];
    NAMES
        .iter()
        .position(|names| names.contains(&word))
        .and_then(|at| i64::try_from(at).ok())
}

fn number(word: &str) -> Option<i64> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    match word {
        "a" | "an" => Some(1),
        word if word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit()) => {
            word.parse().ok()
        }
        word => WORDS
            .iter()
            .position(|name| *name == word)
            .and_then(|at| i64::try_from(at).ok()),
    }
}

/// "days", "weeks" and so on, as the time that so many of them away is.
fn unit(word: &str, count: i64) -> Option<When> {
    match word {
        "day" | "days" => Some(When::Day(count)),
        "week" | "weeks" => Some(When::Day(count.saturating_mul(7))),
        "month" | "months" => Some(When::DayInMonths(count)),
        "year" | "years" => Some(When::DayInMonths(count.saturating_mul(12))),
        _ => None,
    }
}

type Found = (usize, String, When);

fn english(line: &str) -> Vec<Found> {
    let words = words(line);
    let has_date = has_absolute_date(line);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        // Words that belong together have nothing but blanks between them.
        let word = |offset: usize| -> &str {
            let Some(word) = words.get(at + offset) else {
                return "";
            };
            let joined = (1..=offset).all(|step| {
                line[words[at + step - 1].end..words[at + step].at]
                    .chars()
                    .all(|c| c == ' ')
            });
            if joined { &word.text } else { "" }
        };
        let before = match at.checked_sub(1) {
            Some(before) => words[before].text.as_str(),
            None => "",
        };
        // Part of a name: `next-week`, `tomorrow.rs`, `last_week`.
        let part_of_name = line[..words[at].at].ends_with(['-', '_', '/', '.', '@', '#'])
            || line[words[at].end..].starts_with(['-', '_', '/', '=', '('])
            || line[words[at].end..]
                .strip_prefix('.')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
        let matched = if part_of_name {
            None
        } else {
            phrase(&word, before, has_date)
        };
        match matched {
            Some((length, when)) => {
                let (from, to) = (words[at].at, words[at + length - 1].end);
                found.push((from, line[from..to].to_owned(), when));
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// The phrase that begins with `word(0)`: its length in words and its meaning.
fn phrase<'w>(
    word: &impl Fn(usize) -> &'w str,
    before: &str,
    has_date: bool,
) -> Option<(usize, When)> {
    let first = word(0);
    match first {
        "tomorrow" | "tomorrow's" => return Some((1, When::Day(1))),
        "yesterday" | "yesterday's" => return Some((1, When::Day(-1))),
        "today" | "tonight" if !has_date => return Some((1, When::Day(0))),
        "day" if word(2) == "tomorrow" && word(1) == "after" => return Some((3, When::Day(2))),
        "day" if word(2) == "yesterday" && word(1) == "before" => {
            return Some((3, When::Day(-2)));
        }
        _ => {}
    }
    let step = match first {
        "next" | "coming" | "upcoming" => 1,
        "this" => 0,
        "last" | "previous" | "past" => -1,
        _ => 2,
    };
    if step < 2 {
        return pointed(step, first, word(1), before, has_date);
    }
    // "in two weeks", "in a few days", "within" is a duration.
    if first == "in" && !is_duration(before) {
        let vague = word(1) == "a" && matches!(word(2), "few" | "couple");
        if vague {
            let of = usize::from(word(3) == "of");
            if unit(word(3 + of), 1).is_some() {
                return Some((4 + of, When::Unclear));
            }
        }
        if let Some(when) = number(word(1)).and_then(|count| unit(word(2), count)) {
            // "in two weeks' time" is a date, "in one week of work" a duration.
            if !matches!(word(3), "of" | "or" | "each" | "per") {
                return Some((3, when));
            }
        }
    }
    // "two weeks ago", "a few days ago".
    if word(2) == "ago"
        && let Some(when) = number(first).and_then(|count| unit(word(1), -count))
    {
        return Some((3, when));
    }
    if first == "a" && matches!(word(1), "few" | "couple") {
        let of = usize::from(word(2) == "of");
        if word(3 + of) == "ago" && unit(word(2 + of), 1).is_some() {
            return Some((4 + of, When::Unclear));
        }
    }
    // "by Friday", unless the date stands beside it.
    if matches!(
        first,
        "on" | "by" | "until" | "till" | "before" | "after" | "from" | "since" | "due" | "starting"
    ) && !has_date
        && !matches!(word(2), "to" | "through" | "and" | "or")
        && !matches!(before, "every" | "each")
        && let Some(day) = weekday(word(1))
    {
        let when = match first {
            "since" => When::LastWeekday(day),
            _ => When::ComingWeekday(day),
        };
        return Some((2, when));
    }
    None
}

/// "next week", "last Thursday", "this quarter".
fn pointed(
    step: i64,
    first: &str,
    second: &str,
    before: &str,
    has_date: bool,
) -> Option<(usize, When)> {
    // "the past week" is a stretch that ends now; "past year 2020" and "in the last month of" are
    // rare enough.
    if first == "past" && before != "the" {
        return None;
    }
    if let Some(day) = weekday(second) {
        if has_date {
            return None;
        }
        return Some((
            2,
            match (first, step) {
                ("coming" | "upcoming", _) => When::ComingWeekday(day),
                (_, 1) => When::NextWeekday(day),
                (_, 0) => When::WeekdayIn(0, day),
                _ => When::LastWeekday(day),
            },
        ));
    }
    let when = match second {
        "week" | "week's" => When::Week(step),
        "weekend" => When::WeekdayIn(step, 5),
        "month" | "month's" => When::Month(step),
        "quarter" | "quarter's" => When::Quarter(step),
        "year" | "year's" => When::Year(step),
        "morning" | "afternoon" | "evening" if step == 0 => When::Day(0),
        "night" if step == -1 && first == "last" => When::Day(-1),
        "sprint" | "spring" | "summer" | "autumn" | "winter" => When::Unclear,
        _ => return None,
    };
    Some((2, when))
}

/// Words after which "in 7 days" says how long something takes, not when it is.
fn is_duration(before: &str) -> bool {
    const WORDS: [&str; 16] = [
        "expire",
        "expires",
        "expired",
        "expiring",
        "rotates",
        "renews",
        "lapses",
        "runs",
        "done",
        "finishes",
        "finish",
        "completes",
        "times",
        "once",
        "twice",
        "hours",
    ];
    WORDS.contains(&before)
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
    let words = words(line);
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

/// Words of Chinese, with characters before or behind them that make another word of it.
const CHINESE: [(&str, When, &str, &str); 46] = [
    ("大后天", When::Day(3), "", ""),
    ("大前天", When::Day(-3), "", ""),
    ("今天", When::Day(0), "", ""),
    ("今晚", When::Day(0), "", ""),
    ("明天", When::Day(1), "说证表声透文", ""),
    ("明早", When::Day(1), "说证表声透文", ""),
    ("明晚", When::Day(1), "说证表声透文", ""),
    ("后天", When::Day(2), "然之以最", "性"),
    ("昨天", When::Day(-1), "", ""),
    ("昨晚", When::Day(-1), "", ""),
    ("前天", When::Day(-2), "目之以当提", "性"),
    ("下下周", When::Week(2), "", "期边"),
    ("上上周", When::Week(-2), "", "期边"),
    ("下个星期", When::Week(1), "", ""),
    ("上个星期", When::Week(-1), "", ""),
    ("这个星期", When::Week(0), "", ""),
    ("下星期", When::Week(1), "", ""),
    ("上星期", When::Week(-1), "", ""),
    ("本星期", When::Week(0), "", ""),
    ("下礼拜", When::Week(1), "", ""),
    ("上礼拜", When::Week(-1), "", ""),
    ("这礼拜", When::Week(0), "", ""),
    ("下周", When::Week(1), "", "期边"),
    ("上周", When::Week(-1), "", "期边"),
    ("本周", When::Week(0), "基版样文原", "期边"),
    ("这周", When::Week(0), "", "期边"),
    ("下个月", When::Month(1), "", ""),
    ("上个月", When::Month(-1), "", ""),
    ("这个月", When::Month(0), "", ""),
    ("下月", When::Month(1), "", ""),
    ("上月", When::Month(-1), "", ""),
    ("本月", When::Month(0), "基版样文原", ""),
    ("下个季度", When::Quarter(1), "", ""),
    ("上个季度", When::Quarter(-1), "", ""),
    ("这个季度", When::Quarter(0), "", ""),
    ("下季度", When::Quarter(1), "", ""),
    ("上季度", When::Quarter(-1), "", ""),
    ("本季度", When::Quarter(0), "基版样文原", ""),
    ("今年", When::Year(0), "", ""),
    ("明年", When::Year(1), "说证表声透文", ""),
    ("去年", When::Year(-1), "过失减除", ""),
    ("前年", When::Year(-2), "目之以当提", "度"),
    ("后年", When::Year(2), "然之以最", "度"),
    ("大后年", When::Year(3), "", ""),
    ("上半年", When::Unclear, "", ""),
    ("下半年", When::Unclear, "", ""),
];

fn chinese(line: &str) -> Vec<Found> {
    let mut found = Vec::new();
    if line.is_ascii() {
        return found;
    }
    let has_date = has_absolute_date(line);
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let before = line[..at].chars().next_back();
        let matched = if c.is_ascii_digit() || CHINESE_DIGITS.contains(c) {
            counted(rest, before)
        } else {
            chinese_word(rest, before, has_date)
        };
        match matched {
            Some((length, when)) => {
                found.push((at, rest[..length].to_owned(), when));
                at += length;
            }
            None => at += c.len_utf8(),
        }
    }
    found
}

/// "下周四", "明天", "周五".
fn chinese_word(rest: &str, before: Option<char>, has_date: bool) -> Option<(usize, When)> {
    for (word, when, not_before, not_behind) in CHINESE {
        let Some(behind) = rest.strip_prefix(word) else {
            continue;
        };
        let next = behind.chars().next();
        if before.is_some_and(|c| not_before.contains(c))
            || next.is_some_and(|c| not_behind.contains(c))
        {
            continue;
        }
        if let (When::Week(weeks), Some(day)) = (when, next.and_then(chinese_weekday)) {
            let length = word.len() + next.map_or(0, char::len_utf8);
            // "下周四 (2026-03-05)" says which day it is.
            return (!has_date).then_some((length, When::WeekdayIn(weeks, day)));
        }
        return Some((word.len(), when));
    }
    // A bare weekday, unless it is a habit or the date stands beside it.
    let name = ["周", "星期", "礼拜"]
        .into_iter()
        .find(|name| rest.starts_with(name))?;
    let day = rest[name.len()..].chars().next()?;
    let weekday = chinese_weekday(day)?;
    let next = rest[name.len() + day.len_utf8()..].chars().next();
    let habit = before.is_some_and(|c| "每逢个一二三四五六两几单双工".contains(c))
        || next.is_some_and(|c| "至到、和".contains(c));
    (!has_date && !habit).then_some((name.len() + day.len_utf8(), When::ComingWeekday(weekday)))
}

fn chinese_weekday(c: char) -> Option<i64> {
    match c {
        '一' => Some(0),
        '二' => Some(1),
        '三' => Some(2),
        '四' => Some(3),
        '五' => Some(4),
        '六' => Some(5),
        '日' | '天' => Some(6),
        _ => None,
    }
}

const CHINESE_DIGITS: &str = "一二两三四五六七八九十几";

/// "3天后", "两周前", "三个月之后".
fn counted(rest: &str, before: Option<char>) -> Option<(usize, When)> {
    // Part of a larger number, or the end of "第三周".
    if before
        .is_some_and(|c| c.is_ascii_digit() || CHINESE_DIGITS.contains(c) || "第周.".contains(c))
    {
        return None;
    }
    let digits = rest
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_digit() || CHINESE_DIGITS.contains(*c)))
        .map(|(at, _)| at)?;
    let count = chinese_number(&rest[..digits]);
    let after = rest[digits..].trim_start_matches(' ');
    let (unit, days) = [
        ("天", 1),
        ("周", 7),
        ("个星期", 7),
        ("个礼拜", 7),
        ("个月", 0),
        ("年", 0),
    ]
    .into_iter()
    .find(|(unit, _)| after.starts_with(unit))?;
    let after = &after[unit.len()..];
    let (direction, sign) = [
        ("之后", 1),
        ("以后", 1),
        ("后", 1),
        ("之前", -1),
        ("以前", -1),
        ("前", -1),
    ]
    .into_iter()
    .find(|(word, _)| after.starts_with(word))?;
    // "3天后端" is backend, "两年前端" frontend.
    let next = after[direction.len()..].chars().next();
    if next.is_some_and(|c| "端缀台".contains(c)) {
        return None;
    }
    let length = rest.len() - after.len() + direction.len();
    let when = match (count, unit) {
        (None, _) => When::Unclear,
        (Some(count), "个月") => When::DayInMonths(sign * count),
        (Some(count), "年") => When::DayInMonths(sign * count * 12),
        (Some(count), _) => When::Day(sign * count * days),
    };
    Some((length, when))
}

fn chinese_number(text: &str) -> Option<i64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return (text.len() <= 4).then(|| text.parse().ok()).flatten();
    }
    let digit = |c: char| match c {
        '两' => Some(2),
        c => "一二三四五六七八九"
            .chars()
            .position(|other| other == c)
            .and_then(|at| i64::try_from(at + 1).ok()),
    };
    let (tens, ones) = match text.split_once('十') {
        Some((tens, ones)) => (tens, ones),
        None => {
            let mut chars = text.chars();
            let first = chars.next()?;
            return chars.next().is_none().then(|| digit(first)).flatten();
        }
    };
    let part = |text: &str, empty: i64| -> Option<i64> {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (None, _) => Some(empty),
            (Some(c), None) => digit(c),
            _ => None,
        }
    };
    Some(part(tens, 1)? * 10 + part(ones, 0)?)
}
