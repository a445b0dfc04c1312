//! What a conversation holds, when reports and configuration are odd.

use compact_sm::{
    Block, Counter, Estimator, FromNotes, IgnoredReason, KeepConfig, Message, Notes, NotesConfig,
    Policy, Settings, Source, Usage, Used, Verdict, Wait, Window, from_notes, used, validate,
};
use serde_json::json;

use crate::world;

fn call(id: &str) -> Block {
    Block::tool_use(id, "Read", json!({}))
}

/// A response whose second call comes after the result of its first.
fn streamed(first: usize) -> Vec<Message> {
    let record = |block| {
        Message::assistant([block])
            .id("msg_1")
            .usage(Usage::new(900, 100))
    };
    vec![
        Message::user("go"),
        record(call("a")),
        Message::user([Block::tool_result("a", world::words(first))]),
        record(call("b")),
        Message::user([Block::tool_result("b", "ok")]),
    ]
}

#[test]
fn results_between_the_records_of_a_response_are_not_in_its_report() {
    let counter = Estimator::default();
    let list = streamed(50_000);
    assert_eq!(validate(&list), []);
    let results = counter.message(&list[2]) + counter.message(&list[4]);
    let now = used(&list, &counter);
    assert_eq!((now.base, now.base_index), (1_000, Some(3)));
    assert_eq!(now.pending, counter.padded(results));
    // Results before the response are in it.
    let mut list = streamed(50_000);
    list[3].id = Some("msg_2".to_owned());
    assert_eq!(
        used(&list, &counter).pending,
        counter.padded(counter.message(&list[4]))
    );
    // A policy that decides inside the loop sees them.
    let mut list = streamed(150_000);
    list.splice(0..0, [Message::user("hi"), Message::assistant("hello")]);
    let policy = Policy::new(
        &Window::new(200_000, 32_000),
        &Default::default(),
        &Default::default(),
        &Default::default(),
    );
    assert!(policy.decide(&list, &counter, Source::Main).compacts());
}

#[test]
fn a_response_that_was_answered_in_parts_is_one_round_trip() {
    let counter = Estimator::default();
    let policy = Policy::new(
        &Window::new(200_000, 32_000),
        &Default::default(),
        &Default::default(),
        &Default::default(),
    );
    let mut list = streamed(200_000);
    let decision = policy.decide(&list, &counter, Source::Main);
    let little = Wait::TooLittleHistory { round_trips: 1 };
    assert_eq!(decision.verdict, Verdict::Wait(little));
    list.extend([Message::assistant("done"), Message::user("on")]);
    assert!(policy.decide(&list, &counter, Source::Main).compacts());
}

#[test]
fn results_between_records_are_no_overhead_of_a_plan() {
    let counter = Estimator::default();
    let mut list = vec![
        Message::user("start"),
        Message::assistant("word ".repeat(60_000)),
    ];
    list.extend(streamed(20_000));
    let overhead = 7_000;
    let all = |list: &[Message]| list.iter().map(|m| counter.message(m)).sum::<u64>();
    let real = all(&list[..4]) + overhead;
    for message in &mut list {
        if message.id.is_some() {
            message.usage = Some(Usage::new(real, 0));
        }
    }
    let plan = from_notes(
        &list,
        &Notes::new("going on"),
        &FromNotes::default(),
        &counter,
    )
    .unwrap();
    let done = plan.apply(list).unwrap();
    let off = done.after.abs_diff(all(&done.messages) + overhead);
    assert!(off < 100, "{off} off, {}", done.after);
}

#[test]
fn figures_beyond_all_bounds_are_taken_as_they_are() {
    let counter = Estimator::default();
    let most = Usage::new(u64::MAX, u64::MAX)
        .cache_read(u64::MAX)
        .cache_creation(u64::MAX);
    let mut list = world::tool_loop(60, 600);
    list[119].usage = Some(most);
    assert_eq!(used(&list, &counter).total(), u64::MAX);
    let notes = Notes::new("going on");
    let _ = from_notes(&list, &notes, &FromNotes::default(), &counter);
    for index in [None, Some(0), Some(119), Some(5_000), Some(usize::MAX)] {
        for (base, pending) in [(0, 0), (5, u64::MAX), (u64::MAX, u64::MAX)] {
            let mut used = Used::exact(base);
            (used.base_index, used.pending) = (index, pending);
            let keep = KeepConfig::default()
                .min_tokens(u64::MAX)
                .max_tokens(u64::MAX);
            for options in [FromNotes::default(), FromNotes::default().keep(keep)] {
                let options = options
                    .used(used)
                    .threshold(u64::MAX)
                    .dropped_before(u64::MAX);
                let _ = from_notes(&list, &notes, &options, &counter);
            }
        }
    }
}

#[test]
fn settings_and_flags_that_are_no_objects_are_reported() {
    for json in [json!([1]), json!("x"), json!(5), json!(true)] {
        let (settings, ignored) = Settings::from_json(&json);
        assert_eq!(settings, Settings::default());
        assert_eq!(ignored[0].reason, IgnoredReason::WrongType);
        let (flags, ignored) = compact_sm::Flags::from_json(&json);
        assert_eq!(flags, compact_sm::Flags::default());
        assert_eq!(ignored[0].reason, IgnoredReason::WrongType);
        assert_eq!(KeepConfig::from_json(&json).1.len(), 1);
        assert_eq!(NotesConfig::from_json(&json).1.len(), 1);
    }
    // Nothing at all is nothing to report.
    assert_eq!(Settings::from_json(&json!(null)).1, []);
    assert_eq!(compact_sm::Flags::from_json(&json!(null)).1, []);
}

#[test]
fn a_window_in_the_settings_may_be_written_as_any_number() {
    for (json, tokens) in [
        (json!(150_000), Some(150_000)),
        (json!(150_000.0), Some(150_000)),
        (json!(150_000.9), Some(150_000)),
        (json!(1e300), Some(u64::MAX)),
        (json!(0.5), None),
        (json!(0), None),
        (json!(-3), None),
        (json!("150000"), None),
    ] {
        let (settings, ignored) = Settings::from_json(&json!({ "autoCompactWindow": json }));
        assert_eq!(settings.auto_compact_window, tokens, "{json}");
        assert_eq!(ignored.len(), usize::from(tokens.is_none()), "{json}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_breaker_that_was_stored_with_fewer_fields_goes_on() {
    let state: compact_sm::BreakerState =
        serde_json::from_str(r#"{"failures": 2, "later": 1}"#).unwrap();
    assert_eq!(
        (state.failures, state.rapid_refills, state.messages_after),
        (2, 0, None)
    );
    let state: compact_sm::BreakerState = serde_json::from_str("{}").unwrap();
    assert_eq!(state, compact_sm::BreakerState::default());
}
