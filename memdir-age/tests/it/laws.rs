//! Laws that hold for every pair of times and every text.

use std::time::{Duration, SystemTime};

use memdir_age::{FRESH_DAYS, age_days, age_text, freshness, parse_modified};
use proptest::prelude::*;

/// Any time that the system can represent within some 290,000 years of 1970.
fn time() -> impl Strategy<Value = SystemTime> {
    let distance = (0..9_000_000_000_000u64, 0..1_000_000_000u32);
    (distance, any::<bool>()).prop_map(|((seconds, nanos), before)| {
        let distance = Duration::new(seconds, nanos);
        let epoch = SystemTime::UNIX_EPOCH;
        let time = if before {
            epoch.checked_sub(distance)
        } else {
            epoch.checked_add(distance)
        };
        time.unwrap_or(epoch)
    })
}

proptest! {
    #[test]
    fn the_age_never_decreases_as_time_goes_on(modified in time(), now in time(), more in 0..10_000_000u64) {
        let later = now.checked_add(Duration::from_secs(more)).unwrap_or(now);
        prop_assert!(age_days(modified, now) <= age_days(modified, later));
    }

    #[test]
    fn a_day_more_is_a_day_older(modified in time(), days in 0..100_000u64) {
        let now = modified.checked_add(Duration::from_secs(days * 86_400));
        prop_assume!(now.is_some());
        prop_assert_eq!(age_days(modified, now.unwrap()), days);
    }

    #[test]
    fn there_is_a_text_exactly_when_the_memory_is_not_fresh(modified in time(), now in time()) {
        let days = age_days(modified, now);
        let text = freshness(modified, now);
        prop_assert_eq!(text.is_some(), days > FRESH_DAYS);
        if let Some(text) = text {
            let begin = format!("This memory is {days} days old");
            prop_assert!(text.starts_with(&begin));
            prop_assert!(age_text(days).starts_with(&days.to_string()));
        }
    }

    #[test]
    fn no_text_makes_reading_a_time_panic(text in "\\PC*") {
        let _ = parse_modified(&text);
    }

    #[test]
    fn nearly_right_times_do_not_panic(text in "[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}[Tt ]?[0-9:.,+Zz-]{0,16}") {
        let _ = parse_modified(&text);
    }
}
