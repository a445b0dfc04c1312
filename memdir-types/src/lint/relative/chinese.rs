//! Relative dates in Chinese.

use super::{Found, When};

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
    ("前天", When::Day(-2), "目之以当提眼面", "性线"),
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
    ("明年", When::Year(1), "说证表声透文", "度"),
    ("去年", When::Year(-1), "过失减除", "度"),
    ("前年", When::Year(-2), "目之以当提年", "度轻"),
    ("后年", When::Year(2), "然之以最", "度"),
    ("大后年", When::Year(3), "", ""),
    ("上半年", When::Unclear, "", ""),
    ("下半年", When::Unclear, "", ""),
];

/// What the words above and the weekdays begin with.
const FIRST: [char; 14] = [
    '上', '下', '今', '前', '去', '后', '周', '大', '明', '星', '昨', '本', '礼', '这',
];

/// All phrases of a line.
pub(super) fn find(line: &str, has_date: &impl Fn() -> bool) -> Vec<Found> {
    let mut found = Vec::new();
    if line.is_ascii() {
        return found;
    }
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let before = line[..at].chars().next_back();
        let matched = if c.is_ascii_digit() || CHINESE_DIGITS.contains(c) {
            counted(rest, before)
        } else if FIRST.contains(&c) {
            chinese_word(rest, &line[..at], has_date)
        } else {
            None
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
fn chinese_word(
    rest: &str,
    line_before: &str,
    has_date: &impl Fn() -> bool,
) -> Option<(usize, When)> {
    let mut behind = line_before.chars().rev();
    let before = behind.next();
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
        // "下周末" is its Saturday.
        let weekday = |c| {
            if c == '末' {
                Some(5)
            } else {
                chinese_weekday(c)
            }
        };
        if let (When::Week(weeks), Some(day)) = (when, next.and_then(weekday)) {
            let length = word.len() + next.map_or(0, char::len_utf8);
            // "下周四 (2026-03-05)" says which day it is.
            return (!has_date()).then_some((length, When::WeekdayIn(weeks, day)));
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
    // "周一到周五" is a habit, "冻结到周五" a date.
    let ends_range = before.is_some_and(|c| "至到、和".contains(c))
        && behind.next().and_then(chinese_weekday).is_some();
    let habit = ends_range
        || before.is_some_and(|c| "每逢个一二三四五六两几单双工".contains(c))
        || next.is_some_and(|c| "至到、和".contains(c));
    (!habit && !has_date()).then_some((name.len() + day.len_utf8(), When::ComingWeekday(weekday)))
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
    // "3天后端" is backend, "两年前端" frontend, "五天前后" a stretch, "30天后过期" a duration.
    let behind = &after[direction.len()..];
    let other = ["端", "缀", "台", "后", "过期", "失效", "到期", "自动"];
    if other.into_iter().any(|word| behind.starts_with(word)) {
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
