//! Relative dates in English.

use super::{Found, When, words};

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

/// Words by which a weekday on the same line is one of many.
const HABITS: [&str; 6] = ["every", "each", "always", "never", "usually", "weekly"];

/// All phrases of a line.
pub(super) fn find(line: &str, has_date: &impl Fn() -> bool) -> Vec<Found> {
    let lower = line.to_ascii_lowercase();
    let words = words(&lower);
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
            Some(before) => words[before].text.as_ref(),
            None => "",
        };
        // Part of a name: `next-week`, `tomorrow.rs`, `last_week`, a quarter-final.
        let part_of_name = |length: usize| {
            let rest = &line[words[at + length - 1].end..];
            line[..words[at].at].ends_with(['-', '_', '/', '.', '@', '#'])
                || rest.starts_with(['-', '_', '/', '=', '('])
                || rest
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        };
        let habit = || {
            words
                .iter()
                .any(|word| HABITS.contains(&word.text.as_ref()))
        };
        let matched = phrase(&word, before, has_date).filter(|(length, when)| {
            let bare_weekday = matches!(when, When::ComingWeekday(_) | When::LastWeekday(_));
            !part_of_name(*length) && (!bare_weekday || !habit())
        });
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
    has_date: &impl Fn() -> bool,
) -> Option<(usize, When)> {
    let first = word(0);
    match first {
        "tomorrow" | "tomorrow's" => return Some((1, When::Day(1))),
        "yesterday" | "yesterday's" => return Some((1, When::Day(-1))),
        "today" | "tonight" if !has_date() => return Some((1, When::Day(0))),
        "day" if word(2) == "tomorrow" && word(1) == "after" => return Some((3, When::Day(2))),
        "day" if word(2) == "yesterday" && word(1) == "before" => {
            return Some((3, When::Day(-2)));
        }
        _ => {}
    }
    let step = match first {
        "next" | "coming" | "upcoming" => 1,
        "this" => 0,
        // Not "past": "over the past week" is a stretch of time.
        "last" | "previous" => -1,
        _ => 2,
    };
    // "the last quarter of the array", "over the last year": a part or a stretch.
    let stretch = before == "the" && matches!(first, "next" | "last" | "previous");
    if stretch && (unit(word(1), 1).is_some() || word(1) == "quarter") {
        return None;
    }
    if step < 2 {
        return pointed(step, first, word(1), has_date);
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
            // "in a day" is how long something takes.
            let a_day = when == When::Day(1) && word(2) == "day";
            // "in two weeks' time" is a date, "in one week of work" a duration.
            if !a_day && !matches!(word(3), "of" | "or" | "each" | "per") {
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
    ) && let Some(day) = weekday(word(1))
        && !matches!(
            word(2),
            "to" | "through" | "and" | "or" | "mornings" | "afternoons" | "evenings" | "nights"
        )
        && !has_date()
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
    has_date: &impl Fn() -> bool,
) -> Option<(usize, When)> {
    if let Some(day) = weekday(second) {
        if has_date() {
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
