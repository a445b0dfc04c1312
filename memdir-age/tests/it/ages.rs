//! Ages, their words, and the text for old memories.

use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use memdir_age::{FRESH_DAYS, Prefer, age_days, age_text, freshness, freshness_reminder};

const DAY: f64 = 86_400.0;

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_780_315_200)
}

/// `days` before now; negative ones lie in the future.
fn ago(days: f64) -> SystemTime {
    let distance = Duration::from_secs_f64(days.abs() * DAY);
    if days < 0.0 {
        now() + distance
    } else {
        now() - distance
    }
}

#[track_caller]
fn check(days: f64, age: u64, words: &str, noted: bool) {
    assert_eq!(age_days(ago(days), now()), age);
    assert_eq!(age_text(age), words);
    assert_eq!(freshness(ago(days), now()).is_some(), noted);
    assert_eq!(freshness_reminder(ago(days), now()).is_some(), noted);
}

#[test]
fn ages_are_whole_days_and_notes_begin_at_two() {
    check(0.0, 0, "today", false);
    check(0.5, 0, "today", false);
    check(0.999_9, 0, "today", false);
    check(1.0, 1, "yesterday", false);
    check(1.01, 1, "yesterday", false);
    check(1.999_9, 1, "yesterday", false);
    check(2.0, 2, "2 days ago", true);
    check(2.01, 2, "2 days ago", true);
    check(47.2, 47, "47 days ago", true);
    check(20_000.0, 20_000, "20000 days ago", true);
    assert_eq!(FRESH_DAYS, 1);
}

#[test]
fn the_future_is_age_zero() {
    check(-3.0, 0, "today", false);
    check(-0.000_1, 0, "today", false);
}

#[test]
fn times_before_1970_have_an_age() {
    let modified = SystemTime::UNIX_EPOCH - Duration::from_secs(10 * 86_400);
    assert_eq!(age_days(modified, SystemTime::UNIX_EPOCH), 10);
}

#[test]
fn times_at_the_ends_of_the_range_have_an_age() {
    let far = Duration::from_secs(1 << 62);
    let epoch = SystemTime::UNIX_EPOCH;
    // Not every platform has times that far away; those that have them answer.
    if let (Some(past), Some(future)) = (epoch.checked_sub(far), epoch.checked_add(far)) {
        assert_eq!(age_days(past, future), 2 * far.as_secs() / 86_400);
        assert_eq!(age_days(future, past), 0);
        assert!(freshness(past, future).is_some());
    }
    assert_eq!(age_text(u64::MAX), "18446744073709551615 days ago");
}

#[test]
fn the_last_nanosecond_of_a_day_counts() {
    let two_days = Duration::from_secs(2 * 86_400);
    assert_eq!(age_days(now() - two_days, now()), 2);
    assert_eq!(
        age_days(now() - two_days + Duration::from_nanos(1), now()),
        1
    );
}

#[test]
fn the_text_makes_four_statements() {
    let text = freshness(ago(47.2), now()).unwrap();
    assert_snapshot!(text, @"This memory is 47 days old. It notes what was seen at that time, not how things stand now. What it says about code, and above all any file:line it cites, may be outdated. Verify it against the current state before you assert it.");
}

#[test]
fn the_reminder_is_the_same_text_in_its_tag() {
    let text = freshness(ago(3.0), now()).unwrap();
    let reminder = freshness_reminder(ago(3.0), now()).unwrap();
    assert_eq!(
        reminder,
        format!("<system-reminder>\n{text}\n</system-reminder>\n")
    );
}

#[test]
fn reading_a_memory_leaves_its_time_and_its_warning_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.md");
    std::fs::write(&path, "---\nname: a\n---\n").unwrap();
    std::fs::File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .set_modified(ago(60.0))
        .unwrap();
    let ask = || freshness(std::fs::metadata(&path).unwrap().modified().unwrap(), now());
    let before = ask();
    std::fs::read(&path).unwrap();
    assert!(
        before
            .as_deref()
            .unwrap()
            .starts_with("This memory is 60 days old")
    );
    assert_eq!(ask(), before);
}

#[test]
fn public_types_cross_threads() {
    fn check<T: Send + Sync + Unpin + 'static>() {}
    check::<Prefer>();
}

#[cfg(feature = "serde")]
#[test]
fn the_preference_is_a_word_in_a_configuration() {
    let text = serde_json::to_string(&Prefer::FileTime).unwrap();
    assert_eq!(text, "\"file-time\"");
    assert_eq!(
        serde_json::from_str::<Prefer>("\"frontmatter\"").unwrap(),
        Prefer::Frontmatter
    );
}
