//! Settings, flags, and which of them decides.

use std::time::Duration;

use autodream::{Config, DecidedBy, Flags, Host, Settings, enabled};

#[test]
fn the_flag_sets_hours_and_sessions() {
    let text = r#"{"tengu_onyx_plover": {"enabled": true, "minHours": 12, "minSessions": 3, "more": 1}, "other": 2}"#;
    let (flags, ignored) = Flags::from_json(text);
    assert_eq!(ignored, []);
    assert!(flags.consolidation.enabled);
    let config = Config::new(&flags);
    assert_eq!(config.min_age, Duration::from_secs(12 * 3600));
    assert_eq!(config.min_sessions, 3);
    assert_eq!(config.scan_interval, Duration::from_secs(600));
}

#[test]
fn without_a_flag_it_is_off_and_needs_a_day_and_five_sessions() {
    for text in [
        "{}",
        r#"{"tengu_onyx_plover": null}"#,
        r#"{"tengu_onyx_plover": {}}"#,
    ] {
        let (flags, ignored) = Flags::from_json(text);
        assert_eq!((flags, ignored.len()), (Flags::default(), 0));
    }
    let flags = Flags::default();
    assert!(!flags.consolidation.enabled);
    assert_eq!(flags.consolidation.min_age, Duration::from_secs(24 * 3600));
    assert_eq!(flags.consolidation.min_sessions, 5);
}

#[test]
fn bad_fields_keep_their_defaults_and_are_reported() {
    let text = r#"{"tengu_onyx_plover": {"enabled": 1, "minHours": -1, "minSessions": 2.5}}"#;
    let (flags, ignored) = Flags::from_json(text);
    assert_eq!(flags, Flags::default());
    let reports: Vec<_> = ignored.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(reports.join("\n"), @"
    tengu_onyx_plover.enabled is 1, expected true or false
    tengu_onyx_plover.minHours is -1, expected a number of hours, 0 or more
    tengu_onyx_plover.minSessions is 2.5, expected a whole number, 0 or more
    ");
    for text in [
        "[]",
        "nonsense",
        "",
        r#"{"tengu_onyx_plover": [1]}"#,
        r#"{"tengu_onyx_plover": {"minHours": 1e300}}"#,
    ] {
        let (flags, ignored) = Flags::from_json(text);
        assert_eq!((flags, ignored.len()), (Flags::default(), 1), "{text}");
    }
}

#[test]
fn the_setting_beats_the_flag_both_ways() {
    let host = Host::default();
    for (setting, flag, on, decided_by) in [
        (Some(true), false, true, DecidedBy::Setting),
        (Some(false), true, false, DecidedBy::Setting),
        (None, true, true, DecidedBy::Flag),
        (None, false, false, DecidedBy::Flag),
    ] {
        let settings = Settings::default().auto_dream_enabled(setting);
        let answer = enabled(&settings, &Flags::default().enabled(flag), &host);
        assert_eq!((answer.on, answer.decided_by), (on, decided_by));
    }
}

#[test]
fn no_setting_opens_it_in_a_session_that_does_not_consolidate() {
    let settings = Settings::default().auto_dream_enabled(true);
    for (host, decided_by) in [
        (Host::default().auto_memory(false), DecidedBy::AutoMemory),
        (Host::default().daily_log(true), DecidedBy::DailyLog),
        (Host::default().remote(true), DecidedBy::Remote),
        (Host::default().simple(true), DecidedBy::Simple),
        (Host::default().subagent(true), DecidedBy::Subagent),
    ] {
        let answer = enabled(&settings, &Flags::default().enabled(true), &host);
        assert_eq!((answer.on, answer.decided_by), (false, decided_by));
    }
}

#[test]
fn a_setting_of_the_wrong_type_is_reported() {
    let (settings, ignored) = Settings::from_json(r#"{"autoDreamEnabled": "true", "theme": 1}"#);
    assert_eq!((settings.auto_dream_enabled, ignored.len()), (None, 1));
    let (settings, ignored) = Settings::from_json(r#"{"autoDreamEnabled": false}"#);
    assert_eq!(
        (settings.auto_dream_enabled, ignored.len()),
        (Some(false), 0)
    );
}
