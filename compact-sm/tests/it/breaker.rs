//! When to stop trying, and refusals.

use compact_sm::{
    Breaker, BreakerState, Decision, ErrorKind, Estimator, Flags, FromNotes, Message, Notes,
    Outcome, Overrides, Policy, Recovery, Refusal, Refused, Resend, Settings, Source, Usage,
    Window, from_notes,
};

use crate::world;

fn policy(overhead: u64) -> Policy {
    let window = Window::new(200_000, 32_000).overhead(overhead);
    Policy::new(
        &window,
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    )
}

/// A decision to compact a list of so many messages.
fn due(messages: usize) -> Decision {
    let mut list = world::tool_loop(messages / 2, 1);
    list[1].usage = Some(Usage::new(190_000, 0));
    list.truncate(messages);
    let decision = policy(0).decide(&list, &Estimator::default(), Source::Main);
    assert!(decision.compacts());
    assert_eq!(decision.messages, messages);
    decision
}

#[test]
fn three_failures_in_a_row_end_automatic_tries_but_not_manual_ones() {
    let breaker = Breaker::new();
    let due = due(20);
    for _ in 0..3 {
        breaker.begin(&due).unwrap().fail();
    }
    assert_eq!(
        breaker.begin(&due).unwrap_err(),
        Refusal::Failures { count: 3 }
    );
    assert_eq!(
        breaker.begin_refused(20).unwrap_err(),
        Refusal::Failures { count: 3 }
    );
    let attempt = breaker.begin_manual().unwrap();
    assert_eq!(attempt.end_manual(100, 10, 4), Outcome::Shrank);
    assert!(breaker.begin(&due).is_ok());
}

#[test]
fn a_success_forgets_failures() {
    let breaker = Breaker::new();
    for _ in 0..2 {
        breaker.begin(&due(20)).unwrap().fail();
    }
    breaker.begin(&due(20)).unwrap().end(100, 10, 4);
    assert_eq!(breaker.state().failures, 0);
}

#[test]
fn a_result_that_does_not_shrink_is_a_failure() {
    let breaker = Breaker::new();
    for (before, after) in [(100, 100), (100, 120), (0, 0)] {
        let attempt = breaker.begin(&due(20)).unwrap();
        assert_eq!(attempt.end(before, after, 20), Outcome::DidNotShrink);
    }
    assert!(matches!(
        breaker.begin(&due(20)),
        Err(Refusal::Failures { .. })
    ));
}

#[test]
fn a_dropped_attempt_is_a_failure_and_frees_the_place() {
    let breaker = Breaker::new();
    drop(breaker.begin(&due(20)).unwrap());
    assert_eq!(breaker.state().failures, 1);
    assert!(!breaker.state().running);
}

#[test]
fn one_compaction_runs_at_a_time() {
    let breaker = Breaker::new();
    let first = breaker.begin(&due(20)).unwrap();
    assert_eq!(breaker.begin(&due(20)).unwrap_err(), Refusal::Busy);
    assert_eq!(breaker.begin_manual().unwrap_err(), Refusal::Busy);
    first.end(100, 10, 4);
    assert!(breaker.begin_manual().is_ok());
    // Of many at once exactly one begins.
    let (breaker, due) = (Breaker::new(), due(20));
    let barrier = std::sync::Barrier::new(8);
    let began = std::thread::scope(|scope| {
        let race = || {
            let attempt = breaker.begin(&due);
            barrier.wait();
            attempt.map(|attempt| attempt.end(2, 1, 20)).is_ok()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(race)).collect();
        let began = threads.into_iter().map(|thread| thread.join().unwrap());
        began.filter(|began| *began).count()
    });
    assert_eq!(began, 1);
}

#[test]
fn three_rapid_refills_end_automatic_tries() {
    let breaker = Breaker::new();
    for refills in 0..3 {
        breaker.begin(&due(20)).unwrap().end(100, 10, 18);
        assert_eq!(breaker.state().rapid_refills, refills);
    }
    assert_eq!(
        breaker.begin(&due(20)).unwrap_err(),
        Refusal::RapidRefills { count: 3 }
    );
    assert_eq!(
        breaker.begin(&due(90)).unwrap_err(),
        Refusal::RapidRefills { count: 3 }
    );
    breaker.begin_manual().unwrap().end_manual(100, 10, 4);
    assert!(breaker.begin(&due(20)).is_ok());
}

#[test]
fn a_refill_after_some_work_is_not_rapid() {
    let breaker = Breaker::new();
    for _ in 0..10 {
        breaker.begin(&due(20)).unwrap().end(100, 10, 4);
    }
    assert_eq!(breaker.state().rapid_refills, 0);
}

#[test]
fn nothing_to_gain_counts_as_a_failure() {
    let breaker = Breaker::new();
    let list = [Message::user("hi")];
    let decision = policy(175_000).decide(&list, &Estimator::default(), Source::Main);
    for failures in 1..4 {
        assert_eq!(breaker.begin(&decision).unwrap_err(), Refusal::NotDue);
        assert_eq!(breaker.state().failures, failures);
    }
    let room = policy(0).decide(&list, &Estimator::default(), Source::Main);
    assert_eq!(breaker.begin(&room).unwrap_err(), Refusal::NotDue);
    assert_eq!(breaker.state().failures, 3);
}

#[test]
fn a_stored_breaker_goes_on_where_it_was() {
    let breaker = Breaker::new();
    breaker.begin(&due(20)).unwrap().fail();
    let running = breaker.begin(&due(20)).unwrap();
    let stored: BreakerState = breaker.state();
    assert!(stored.running);
    let later = Breaker::from_state(stored);
    assert_eq!(later.state().failures, 1);
    assert!(later.begin_manual().is_ok());
    running.fail();
}

#[test]
fn refusals_say_what_to_do() {
    for (refusal, text) in [
        (Refusal::Busy, "another compaction is running"),
        (
            Refusal::Failures { count: 3 },
            "3 compactions failed in a row; a manual one is still possible",
        ),
    ] {
        assert_eq!(refusal.to_string(), text);
    }
}

#[test]
fn the_forms_of_too_long_are_recognized() {
    let check = |text: &str, tokens: Option<u64>, limit: Option<u64>| {
        let found = Refused::read(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((found.tokens, found.limit), (tokens, limit), "{text}");
    };
    check(
        "prompt is too long: 215000 tokens > 200000 maximum",
        Some(215_000),
        Some(200_000),
    );
    check("Prompt is too long", None, None);
    check("Input is too long for requested model.", None, None);
    check("capability_rejected: prompt_too_long", None, None);
    check(
        "input length and `max_tokens` exceed context limit: 190,000 + 20,000 > 200,000, decrease one",
        Some(210_000),
        Some(200_000),
    );
    check("model_context_window_exceeded", None, None);
    check(
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        Some(9_000),
        Some(8_192),
    );
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 7 tokens > 5 maximum"}}"#;
    check(body, Some(7), Some(5));
    assert_eq!(Refused::read(body).unwrap().over_by(), Some(2));
    for other in [
        "",
        "overloaded_error",
        "rate_limit_error: 5 > 3",
        "too long",
    ] {
        assert_eq!(Refused::read(other), None);
    }
    let padded = format!("{}prompt is too long", "é".repeat(5_000));
    assert_eq!(Refused::read(&padded), None);
}

#[test]
fn a_window_that_is_served_smaller_than_configured_is_learned_from_the_refusal() {
    let refused = Refused::read("prompt is too long: 30000 tokens > 8192 maximum").unwrap();
    let served = Window::new(65_536, 8_192).served(refused.limit.unwrap());
    let policy = Policy::new(
        &served,
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    );
    let list = world::tool_loop(60, 500);
    let counter = Estimator::default();
    let decision = policy.decide(&list, &counter, Source::Main);
    let options = FromNotes::of(&policy, &decision);
    let plan = from_notes(&list, &Notes::new("fixing"), &options, &counter).unwrap();
    // The kept tail is as small as the window asks for.
    assert!(plan.after < policy.thresholds().unwrap().compact);
    assert!(plan.after < 8_192 / 2);
}

#[test]
fn a_refused_request_is_compacted_once_and_sent_again() {
    let mut recovery = Recovery::new();
    let refused = Refused::read("prompt is too long: 9000 tokens > 8192 maximum").unwrap();
    assert_eq!(recovery.refused(&refused).unwrap(), Resend::AfterCompaction);
    let error = recovery.refused(&refused).unwrap_err();
    assert_eq!(
        error.kind(),
        &ErrorKind::StillTooLong {
            tokens: Some(9_000),
            limit: Some(8_192)
        }
    );
    assert_eq!(
        error.to_string(),
        "the compacted request is still too long: 9000 tokens, expected at most 8192"
    );
    assert_eq!(
        Recovery::new().refused(&Refused::default()).unwrap(),
        Resend::AfterCompaction
    );
}
