//! What environment, settings and flags switch.

use std::ffi::OsString;

use compact_sm::{
    Decider, Flags, IgnoredReason, KeepConfig, LastTurn, Level, NotesConfig, Overrides, Policy,
    Settings, Usage, Verdict, Wait,
};
use serde_json::json;

use crate::window::{decide, haiku, history, of};

#[test]
fn disable_compact_stops_every_compaction() {
    for word in ["1", "true", "YES", "on"] {
        let policy = of(&haiku(), &Overrides::default().disable_compact(word));
        for switch in [
            policy.manual(),
            policy.automatic(),
            policy.notes_taking(),
            policy.notes_compaction(),
        ] {
            assert!(!switch.on);
            assert_eq!(switch.decided_by, Decider::DisableCompact);
        }
        let decision = decide(&policy, &history(6, Usage::new(199_000, 0)));
        assert_eq!(
            decision.verdict,
            Verdict::Wait(Wait::Disabled(Decider::DisableCompact))
        );
    }
    for word in ["0", "false", "", "2"] {
        assert!(
            of(&haiku(), &Overrides::default().disable_compact(word))
                .automatic()
                .on
        );
    }
}

#[test]
fn disable_auto_compact_leaves_the_manual_one() {
    let policy = of(&haiku(), &Overrides::default().disable_auto_compact("1"));
    assert!(policy.manual().on);
    assert_eq!(policy.automatic().decided_by, Decider::DisableAutoCompact);
    assert!(!policy.notes_taking().on);
    assert!(!decide(&policy, &history(6, Usage::new(199_000, 0))).compacts());
}

#[test]
fn environment_and_setting_each_switch_off_and_neither_on() {
    let setting = |on| Settings::default().auto_compact_enabled(on);
    let of = |overrides: &Overrides, settings: &Settings| {
        Policy::new(&haiku(), overrides, settings, &Flags::default()).automatic()
    };
    let off = Overrides::default().disable_auto_compact("1");
    assert!(!of(&off, &setting(true)).on);
    let by = of(
        &Overrides::default().disable_auto_compact("0"),
        &setting(false),
    );
    assert_eq!((by.on, by.decided_by), (false, Decider::AutoCompactEnabled));
    assert!(of(&Overrides::default(), &setting(true)).on);
}

#[test]
fn the_setting_of_a_window_yields_to_the_variable() {
    let settings = Settings::default().auto_compact_window(150_000);
    let of = |overrides: &Overrides| {
        let policy = Policy::new(&haiku(), overrides, &settings, &Flags::default());
        policy.thresholds().unwrap().compact
    };
    assert_eq!(of(&Overrides::default()), 117_000);
    assert_eq!(of(&Overrides::default().window("100000")), 67_000);
    assert_eq!(of(&Overrides::default().window("abc")), 117_000);
    let (read, ignored) = Settings::from_json(&json!({
        "autoCompactEnabled": false, "autoCompactWindow": 150_000, "theme": "dark"}));
    assert_eq!(read, settings.auto_compact_enabled(false));
    assert_eq!(ignored, []);
    let (read, ignored) =
        Settings::from_json(&json!({"autoCompactEnabled": "no", "autoCompactWindow": 0}));
    assert_eq!(read, Settings::default());
    assert_eq!(ignored.len(), 2);
}

#[test]
fn enabling_notes_compaction_needs_no_flag() {
    let switch = of(&haiku(), &Overrides::default().enable_notes("1")).notes_compaction();
    assert_eq!((switch.on, switch.decided_by), (true, Decider::EnableNotes));
}

#[test]
fn disabling_notes_compaction_beats_enabling() {
    let both = Overrides::default().enable_notes("1").disable_notes("1");
    let flags = Flags::default().session_memory(true).notes_compaction(true);
    let policy = Policy::new(&haiku(), &both, &Settings::default(), &flags);
    let switch = policy.notes_compaction();
    assert_eq!(
        (switch.on, switch.decided_by),
        (false, Decider::DisableNotes)
    );
}

#[test]
fn notes_are_taken_only_with_their_flag() {
    let with = |flags: &Flags| {
        let overrides = Overrides::default();
        Policy::new(&haiku(), &overrides, &Settings::default(), flags).notes_taking()
    };
    assert!(!with(&Flags::default()).on);
    let on = with(&Flags::default().session_memory(true));
    assert_eq!((on.on, on.decided_by), (true, Decider::SessionMemory));
}

#[test]
fn notes_compaction_needs_both_flags() {
    for (taking, compacting) in [(false, false), (true, false), (false, true), (true, true)] {
        let flags = Flags::default()
            .session_memory(taking)
            .notes_compaction(compacting);
        let overrides = Overrides::default();
        let policy = Policy::new(&haiku(), &overrides, &Settings::default(), &flags);
        assert_eq!(policy.notes_compaction().on, taking && compacting);
    }
}

#[test]
fn extraction_follows_its_configuration() {
    let (flags, ignored) = Flags::from_json(&json!({
        "tengu_session_memory": true,
        "tengu_sm_config": {"startTokens": 20_000, "growthTokens": 0, "toolCalls": "x", "more": 1},
        "another_flag": 5,
    }));
    assert_eq!(flags.notes.start_tokens, 20_000);
    assert_eq!(
        (flags.notes.growth_tokens, flags.notes.tool_calls),
        (5_000, 3)
    );
    let reasons: Vec<_> = ignored
        .iter()
        .map(|i| (i.name.as_str(), i.reason))
        .collect();
    assert_eq!(
        reasons,
        [
            ("tengu_sm_config.growthTokens", IgnoredReason::NotPositive),
            ("tengu_sm_config.more", IgnoredReason::Unknown),
            ("tengu_sm_config.toolCalls", IgnoredReason::WrongType),
        ]
    );
    let notes = NotesConfig::default();
    assert!(!notes.is_due(9_999, None, 50, LastTurn::Rests));
    assert!(notes.is_due(10_000, None, 0, LastTurn::Calls));
    assert!(!notes.is_due(14_999, Some(10_000), 9, LastTurn::Rests));
    assert!(!notes.is_due(15_000, Some(10_000), 2, LastTurn::Calls));
    assert!(notes.is_due(15_000, Some(10_000), 3, LastTurn::Calls));
    assert!(notes.is_due(15_000, Some(10_000), 0, LastTurn::Rests));
    assert!(!flags.notes.is_due(19_999, None, 0, LastTurn::Rests));
    let sooner = NotesConfig::default()
        .start_tokens(1_000)
        .growth_tokens(500)
        .tool_calls(1);
    assert!(sooner.is_due(1_000, None, 0, LastTurn::Calls));
    assert!(sooner.is_due(1_500, Some(1_000), 1, LastTurn::Calls));
    // After a compaction the conversation is shorter than it was.
    assert!(!notes.is_due(12_000, Some(160_000), 9, LastTurn::Rests));
}

#[test]
fn flags_of_another_type_are_ignored() {
    let (flags, ignored) = Flags::from_json(&json!({
        "tengu_sm_compact": "yes", "tengu_cobalt_raccoon": true, "tengu_sm_compact_config": []}));
    assert_eq!(flags, Flags::default().reactive(true));
    assert_eq!(ignored.len(), 2);
    let (keep, ignored) = KeepConfig::from_json(&json!({"minTokens": 12.9, "maxTokens": -1}));
    assert_eq!(keep, KeepConfig::default().min_tokens(12));
    assert_eq!(ignored[0].reason, IgnoredReason::NotPositive);
}

#[test]
fn reactive_mode_waits_for_the_refusal() {
    let flags = Flags::default().reactive(true);
    let policy = Policy::new(
        &haiku(),
        &Overrides::default(),
        &Settings::default(),
        &flags,
    );
    let decision = decide(&policy, &history(6, Usage::new(199_999, 0)));
    assert_eq!(decision.verdict, Verdict::Wait(Wait::Reactive));
    assert_eq!(decision.level, Level::Blocking);
}

#[test]
fn variables_are_looked_up_by_name() {
    let found = Overrides::from_lookup(|name| Some(OsString::from(name)));
    let of = |word: &Option<OsString>| word.clone().unwrap().into_string().unwrap();
    assert_eq!(of(&found.disable_compact), "DISABLE_COMPACT");
    assert_eq!(of(&found.disable_auto_compact), "DISABLE_AUTO_COMPACT");
    assert_eq!(of(&found.window), "CLAUDE_CODE_AUTO_COMPACT_WINDOW");
    assert_eq!(of(&found.percent), "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE");
    assert_eq!(of(&found.enable_notes), "ENABLE_CLAUDE_CODE_SM_COMPACT");
    assert_eq!(of(&found.disable_notes), "DISABLE_CLAUDE_CODE_SM_COMPACT");
    assert_eq!(Overrides::from_lookup(|_| None), Overrides::default());
}
