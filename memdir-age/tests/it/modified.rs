//! The `modified` key of the frontmatter.

use std::time::{Duration, SystemTime};

use memdir_age::{Prefer, modified_time, parse_modified};

#[track_caller]
fn check(text: &str, seconds: Option<f64>) {
    let parsed =
        parse_modified(text).map(|time| match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => after.as_secs_f64(),
            Err(before) => -before.duration().as_secs_f64(),
        });
    assert_eq!(parsed, seconds, "{text}");
}

/// The seconds were computed with GNU `date -u -d TEXT +%s`.
#[test]
fn times_of_the_format_are_read() {
    check("2026-04-01T12:00:00Z", Some(1_775_044_800.0));
    check("2026-04-01T12:00:00.500Z", Some(1_775_044_800.5));
    check("2026-04-01t12:00:00z", Some(1_775_044_800.0));
    check(" 2026-04-01 12:00:00Z ", Some(1_775_044_800.0));
    check("2026-04-01T20:00:00+08:00", Some(1_775_044_800.0));
    check("2026-04-01T06:30:00-0530", Some(1_775_044_800.0));
    check("2026-04-01T20:00+08", Some(1_775_044_800.0));
    check("2026-04-01 20:00:00 +0800", Some(1_775_044_800.0));
    check("2026-04-01T12:00", Some(1_775_044_800.0));
    check("2026-04-01", Some(1_775_001_600.0));
    check("2016-12-31T23:59:60Z", Some(1_483_228_800.0));
    check("1970-01-01T00:00:00Z", Some(0.0));
    check("1969-12-31T23:59:59Z", Some(-1.0));
    check("2000-02-29T00:00:00Z", Some(951_782_400.0));
    check("1900-03-01T00:00:00Z", Some(-2_203_891_200.0));
    check("0000-01-01T00:00:00Z", Some(-62_167_219_200.0));
    check("9999-12-31T23:59:59Z", Some(253_402_300_799.0));
}

#[test]
fn anything_else_is_no_time() {
    for text in [
        "",
        "now",
        "2026",
        "2026-4-1",
        "2026-13-01",
        "2026-00-01",
        "2026-02-29",
        "2100-02-29",
        "2026-04-31",
        "2026-04-01T",
        "2026-04-01T24:00:00Z",
        "2026-04-01T12:60:00Z",
        "2026-04-01T12:00:61Z",
        "2026-04-01T12:00:00.Z",
        "2026-04-01T12:00:00.x5Z",
        "2026-04-01T12:00:00:00Z",
        "2026-04-01T12:00:00+24:00",
        "2026-04-01T12:00:00+8",
        "2026-04-01T12:00:00  Z",
        "2026-04-01T12:00:00+ 08:00",
        "2026-04-01T12:00:00+08:0",
        "2026-04-01X12:00:00Z",
        "+026-04-01T12:00:00Z",
        "2026-04-０1T12:00:00Z",
        "二〇二六年四月一日",
    ] {
        check(text, None);
    }
}

#[test]
fn the_file_time_counts_unless_the_key_is_preferred_and_readable() {
    let file = SystemTime::UNIX_EPOCH + Duration::from_secs(1_780_000_000);
    let key = Some("2026-04-01T12:00:00Z");
    let written = SystemTime::UNIX_EPOCH + Duration::from_secs(1_775_044_800);
    assert_eq!(modified_time(file, key, Prefer::default()), file);
    assert_eq!(modified_time(file, key, Prefer::Frontmatter), written);
    assert_eq!(modified_time(file, None, Prefer::Frontmatter), file);
    assert_eq!(modified_time(file, Some("soon"), Prefer::Frontmatter), file);
}
