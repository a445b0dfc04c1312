//! Thresholds, switches and decisions.

use compact_sm::{
    Block, Clamp, Decision, Estimate, Estimator, Flags, IgnoredReason, Level, Message, Overrides,
    Policy, Settings, Source, Thresholds, Trigger, Usage, Used, Verdict, Wait, Window,
};
use proptest::prelude::*;
use serde_json::json;

use crate::world;

pub(crate) fn of(window: &Window, overrides: &Overrides) -> Policy {
    Policy::new(window, overrides, &Settings::default(), &Flags::default())
}

pub(crate) fn haiku() -> Window {
    Window::new(200_000, 32_000)
}

fn thresholds(window: &Window, overrides: &Overrides) -> Thresholds {
    of(window, overrides).thresholds().unwrap().clone()
}

/// `trips` calls with results; the last response reports `usage`.
pub(crate) fn history(trips: usize, usage: Usage) -> Vec<Message> {
    let mut list = world::tool_loop(trips, 2);
    if let Some(last) = list.iter_mut().rev().find(|m| m.calls().next().is_some()) {
        last.usage = Some(usage);
    }
    list
}

pub(crate) fn decide(policy: &Policy, list: &[Message]) -> Decision {
    policy.decide(list, &Estimator::new(Estimate::BytesDiv4), Source::Main)
}

#[track_caller]
fn check(overrides: &Overrides, usage: Usage, compacts: bool) {
    let decision = decide(&of(&haiku(), overrides), &history(6, usage));
    assert_eq!(decision.compacts(), compacts, "{decision}");
}

#[test]
fn the_figures_of_a_window_of_200_000() {
    let found = thresholds(&haiku(), &Overrides::default());
    assert_eq!(
        (found.window, found.reserve, found.effective),
        (200_000, 20_000, 180_000)
    );
    assert_eq!((found.compact, found.blocking), (167_000, 177_000));
    assert_eq!((found.warning, found.error), (147_000, 160_000));
    assert_eq!(found.clamps, []);
    let small_answers = thresholds(&Window::new(200_000, 8_192), &Overrides::default());
    assert_eq!(small_answers.effective, 191_808);
    let million = thresholds(&Window::new(1_000_000, 32_000), &Overrides::default());
    assert_eq!(million.compact, 967_000);
}

#[test]
fn the_warning_comes_later_when_nothing_is_automatic() {
    let off = Overrides::default().disable_auto_compact("1");
    let found = thresholds(&haiku(), &off);
    assert_eq!((found.warning, found.error), (160_000, 160_000));
}

#[test]
fn the_threshold_is_reached_when_it_is_met() {
    let usage = |tokens| Usage::new(tokens, 0);
    check(&Overrides::default(), usage(166_000), false);
    check(&Overrides::default(), usage(167_000), true);
}

#[test]
fn the_window_variable_lowers_the_window() {
    let with = |word: &str| Overrides::default().window(word);
    for (word, tokens, compacts) in [
        ("100000", 66_000, false),
        ("100000", 67_100, true),
        ("150000", 116_500, false),
        ("150000", 118_000, true),
        ("500000", 166_000, false),
        ("500000", 168_000, true),
        ("20000", 30_000, false),
        ("20000", 66_000, false),
        ("20000", 67_100, true),
        ("120000.5", 90_000, true),
        ("500k", 67_100, true),
    ] {
        check(&with(word), Usage::new(tokens, 0), compacts);
    }
    let clamps = |word: &str| thresholds(&haiku(), &with(word)).clamps;
    assert_eq!(clamps("20000"), [Clamp::WindowTooLow { asked: 20_000 }]);
    assert_eq!(clamps("500000"), [Clamp::WindowTooHigh { asked: 500_000 }]);
    assert_eq!(clamps("150000"), []);
    let huge = "9".repeat(40);
    assert_eq!(clamps(&huge), [Clamp::WindowTooHigh { asked: u64::MAX }]);
}

#[test]
fn a_window_variable_that_says_nothing_is_ignored_with_a_reason() {
    for (word, reason) in [
        ("0", IgnoredReason::NotPositive),
        ("-5", IgnoredReason::NotPositive),
        ("abc", IgnoredReason::NotANumber),
        ("k500", IgnoredReason::NotANumber),
    ] {
        let policy = of(&haiku(), &Overrides::default().window(word));
        assert_eq!(policy.ignored()[0].reason, reason);
        assert_eq!(policy.ignored()[0].value, word);
        assert_eq!(policy.thresholds().unwrap().compact, 167_000);
    }
    assert_eq!(
        of(&haiku(), &Overrides::default().window(" ")).ignored(),
        []
    );
    let shown = of(&haiku(), &Overrides::default().window("abc")).ignored()[0].to_string();
    assert_eq!(
        shown,
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW=\"abc\" is ignored: expected a number"
    );
}

#[test]
fn the_percentage_only_lowers_the_threshold() {
    let with = |word: &str| thresholds(&haiku(), &Overrides::default().percent(word));
    assert_eq!(with("83").compact, 149_400);
    assert_eq!(with("50").compact, 90_000);
    assert_eq!(with("50").clamps, []);
    assert_eq!(with("95").compact, 167_000);
    assert_eq!(
        with("95").clamps,
        [Clamp::PercentTooHigh { asked: 171_000 }]
    );
    assert_eq!(with("100").compact, 167_000);
    assert_eq!(with("1").compact, 1_800);
    let million = Window::new(1_000_000, 32_000);
    let forty = thresholds(&million, &Overrides::default().percent("40"));
    assert_eq!(forty.compact, 392_000);
    let both = Overrides::default().window("100000").percent("50");
    assert_eq!(thresholds(&haiku(), &both).compact, 40_000);
    for (word, reason) in [
        ("0", IgnoredReason::NotAPercentage),
        ("0.5", IgnoredReason::NotAPercentage),
        ("150", IgnoredReason::NotAPercentage),
        ("-3", IgnoredReason::NotAPercentage),
        ("half", IgnoredReason::NotANumber),
        ("NaN", IgnoredReason::NotANumber),
        ("inf", IgnoredReason::NotANumber),
    ] {
        let policy = of(&haiku(), &Overrides::default().percent(word));
        assert_eq!(policy.ignored()[0].reason, reason, "{word}");
        assert_eq!(policy.thresholds().unwrap().compact, 167_000);
    }
}

#[test]
fn cache_and_output_count() {
    check(
        &Overrides::default(),
        Usage::new(1_000, 10).cache_read(170_000),
        true,
    );
    check(&Overrides::default(), Usage::new(1_000, 170_000), true);
    check(
        &Overrides::default(),
        Usage::new(1_000, 10).cache_creation(170_000),
        true,
    );
}

#[test]
fn one_round_trip_is_too_little_history() {
    let policy = of(&haiku(), &Overrides::default());
    for (trips, verdict) in [
        (1, Verdict::Wait(Wait::TooLittleHistory { round_trips: 1 })),
        (2, Verdict::Compact(Trigger::Tokens)),
        (3, Verdict::Compact(Trigger::Tokens)),
    ] {
        let decision = decide(&policy, &history(trips, Usage::new(190_000, 0)));
        assert_eq!(decision.verdict, verdict);
    }
    // A conversation without tools has round trips too.
    let mut talk = vec![Message::user("a"), Message::assistant("b")];
    talk.extend([
        Message::user("c"),
        Message::assistant("d").usage(Usage::new(190_000, 0)),
    ]);
    assert!(!decide(&policy, &talk).compacts());
    talk.push(Message::user("e"));
    assert!(decide(&policy, &talk).compacts());
}

#[test]
fn decisions_are_made_inside_loops_of_tools_too() {
    let policy = of(&haiku(), &Overrides::default());
    let mut list = history(4, Usage::new(150_000, 0));
    assert!(!decide(&policy, &list).compacts());
    // A large result, and nobody has answered yet.
    list.push(Message::assistant([Block::tool_use(
        "big",
        "Read",
        json!({}),
    )]));
    list.push(Message::user([Block::tool_result(
        "big",
        world::words(15_000),
    )]));
    let decision = decide(&policy, &list);
    assert_eq!(decision.used.base, 150_000);
    assert!(decision.compacts(), "{decision}");
}

#[test]
fn what_the_fixed_part_fills_is_nothing_to_gain() {
    let policy = of(&haiku().overhead(175_000), &Overrides::default());
    let decision = decide(&policy, &[Message::user("hi")]);
    assert_eq!(
        decision.verdict,
        Verdict::Wait(Wait::NothingToGain { least: 185_000 })
    );
    let decision = decide(&policy, &history(6, Usage::new(190_000, 0)));
    assert!(!decision.compacts());
    let room = of(&haiku().overhead(20_000), &Overrides::default());
    assert!(decide(&room, &history(6, Usage::new(190_000, 0))).compacts());
}

#[test]
fn the_fixed_part_counts_until_usage_is_reported() {
    let policy = of(&haiku().overhead(20_000), &Overrides::default());
    let before = decide(&policy, &[Message::user("hi")]);
    assert!(before.used.total() > 20_000);
    let after = decide(&policy, &history(6, Usage::new(30_000, 0)));
    assert!(after.used.total() < 31_000);
}

#[test]
fn more_images_than_a_request_takes_are_a_trigger_of_their_own() {
    let image = || Block::image("image/png", "aWNvbg==");
    let list = [
        Message::user((0..101).map(|_| image()).collect::<Vec<_>>()),
        Message::assistant("seen").usage(Usage::new(30_000, 10)),
        Message::user("and"),
    ];
    let decision = decide(&of(&haiku(), &Overrides::default()), &list);
    let wanted = Trigger::Images {
        count: 101,
        max: 100,
    };
    assert_eq!(decision.verdict, Verdict::Compact(wanted));
    let more = of(&haiku().max_images(600), &Overrides::default());
    assert!(!decide(&more, &list).compacts());
}

#[test]
fn whoever_works_for_the_compaction_is_not_compacted() {
    let policy = of(&haiku(), &Overrides::default());
    let list = history(6, Usage::new(190_000, 0));
    let counter = Estimator::default();
    for source in [Source::Compaction, Source::Notes, Source::Context] {
        let decision = policy.decide(&list, &counter, source);
        assert_eq!(decision.verdict, Verdict::Wait(Wait::Recursion(source)));
    }
    for source in [Source::Main, Source::Subagent] {
        assert!(policy.decide(&list, &counter, source).compacts());
    }
}

#[test]
fn an_unknown_window_is_never_compacted_by_tokens() {
    let decision = decide(
        &of(&Window::new(0, 0), &Overrides::default()),
        &history(6, Usage::new(110_000, 0)),
    );
    assert_eq!(decision.verdict, Verdict::Wait(Wait::UnknownWindow));
    assert_eq!(decision.thresholds, None);
}

#[test]
fn a_limit_of_the_input_keeps_room_for_the_answer() {
    let policy = of(&haiku().input_limit(200_000), &Overrides::default());
    assert!(decide(&policy, &history(6, Usage::new(198_000, 0))).compacts());
    let low = of(&haiku().input_limit(100_000), &Overrides::default());
    assert_eq!(low.thresholds().unwrap().compact, 67_000);
    let served = of(
        &Window::new(65_536, 8_192).served(8_192),
        &Overrides::default(),
    );
    assert!(served.thresholds().unwrap().compact < 8_192);
}

#[test]
fn the_threshold_leaves_room_to_write_a_summary() {
    for (context, output) in [
        (200_000, 32_000),
        (200_000, 8_192),
        (32_768, 4_096),
        (8_192, 2_048),
    ] {
        let found = thresholds(&Window::new(context, output), &Overrides::default());
        assert!(found.compact + found.reserve < context, "{context}");
        assert!(found.reserve >= output.min(20_000).min(context / 2));
    }
    let decision = decide(
        &of(&haiku(), &Overrides::default()),
        &history(6, Usage::new(199_000, 0)),
    );
    assert!(decision.compacts());
    assert_eq!(decision.level, Level::Blocking);
}

#[test]
fn levels_rise_with_what_is_used() {
    let policy = of(&haiku(), &Overrides::default());
    let level = |tokens| {
        let decision = policy.decide_used(&[], Used::exact(tokens), Source::Main);
        decision.level
    };
    assert_eq!(level(146_999), Level::Free);
    assert_eq!(level(147_000), Level::Warning);
    assert_eq!(level(160_000), Level::Error);
    assert_eq!(level(176_999), Level::Error);
    assert_eq!(level(177_000), Level::Blocking);
}

#[test]
fn a_decision_says_its_rule_with_its_numbers() {
    let overrides = Overrides::default().percent("95");
    let policy = of(&haiku(), &overrides);
    let shown = decide(&policy, &history(6, Usage::new(168_000, 0))).to_string();
    insta::assert_snapshot!(shown, @"compact: the threshold is reached; 168036 tokens (168000 reported, 36 estimated), 84 % of 200000; threshold 167000; a percentage cannot raise the threshold to 171000");
    let policy = of(&haiku().overhead(175_000), &Overrides::default());
    insta::assert_snapshot!(decide(&policy, &[Message::user("hi")]), @"wait: nothing to gain, 185000 tokens stay in any case; 175008 tokens (0 reported, 175008 estimated), 87 % of 200000; threshold 167000");
    let policy = of(&haiku(), &Overrides::default().disable_auto_compact("1"));
    insta::assert_snapshot!(decide(&policy, &[]), @"wait: switched off by DISABLE_AUTO_COMPACT; 0 tokens (0 reported, 0 estimated), 0 % of 200000; threshold 167000");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn thresholds_stand_in_their_order(
        context in 1..2_000_000_u64, output in 0..200_000_u64,
        window in proptest::option::of(0..2_000_000_u64), percent in proptest::option::of(0..120_u8),
    ) {
        let mut overrides = Overrides::default();
        if let Some(window) = window { overrides = overrides.window(window.to_string()); }
        if let Some(percent) = percent { overrides = overrides.percent(percent.to_string()); }
        let t = thresholds(&Window::new(context, output), &overrides);
        prop_assert_eq!(t.window, t.reserve + t.effective);
        prop_assert!(t.window <= context && t.warning <= t.compact);
        prop_assert!(t.compact <= t.effective && t.blocking <= t.effective && t.error <= t.blocking);
        prop_assert!(t.effective > 0);
    }
}
