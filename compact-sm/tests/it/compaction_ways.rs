//! Which way is taken, and which part of a conversation.

use compact_sm::{
    Breaker, Cause, Compact, Counter, Fallback, Flags, Message, MicroOptions, NoHooks, Notes,
    Origin, Overrides, PassedOver, Policy, Refused, Settings, Source, Summarized, Way, WhyNot,
    Window, compact, validate,
};

use crate::compaction::{counter, full, history};
use crate::scripted::{SUMMARY, Scripted, now};

#[test]
fn notes_come_first_and_the_summary_only_if_they_will_not_do() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let notes = Notes::new("# State\n\nthe build is fixed\n").summarized(Summarized::Count(41));
    let how = Compact::new(&breaker, &counter).notes(&notes);
    let model = Scripted::says("s");
    let done = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap();
    assert_eq!((done.by, model.requests()), (Way::Notes, 0));
    assert_eq!(done.attempts.len(), 1);
    assert!(validate(&done.into_messages()).is_empty());

    let done = now(compact(
        &list,
        &Cause::manual(Some("names")),
        &how,
        &model,
        &NoHooks,
    ))
    .unwrap();
    assert_eq!(done.by, Way::Summary);
    let whys: Vec<_> = done
        .attempts
        .iter()
        .map(|tried| (tried.way, tried.why.clone()))
        .collect();
    assert_eq!(
        whys,
        [
            (Way::Micro, PassedOver::PersonAsked),
            (Way::Notes, PassedOver::Notes(Fallback::Instructions)),
        ]
    );
    let seen = model.seen.lock().unwrap();
    let prompt = seen[0].messages.last().unwrap().texts().last().unwrap();
    assert!(prompt.contains("Additional Instructions:\nnames\n"));
}

#[test]
fn notes_that_are_the_template_lead_to_a_summary() {
    let (breaker, counter) = (Breaker::new(), counter());
    let notes = Notes::new(compact_sm::notes_template());
    let how = Compact::new(&breaker, &counter).notes(&notes);
    let done = now(compact(
        &history(),
        &Cause::manual(None),
        &how,
        &Scripted::says("s"),
        &NoHooks,
    ))
    .unwrap();
    assert_eq!(done.by, Way::Summary);
    assert_eq!(done.attempts[1].why, PassedOver::Notes(Fallback::Template));
}

#[test]
fn notes_that_are_switched_off_say_what_decided() {
    let list = full(30_000);
    let window = Window::new(60_000, 8_000);
    let policy = Policy::new(
        &window,
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    );
    let (breaker, counter) = (Breaker::new(), counter());
    let notes = Notes::new("# State\n\nx\n");
    let how = Compact::new(&breaker, &counter)
        .policy(&policy)
        .notes(&notes);
    let done = now(compact(
        &list,
        &Cause::manual(None),
        &how,
        &Scripted::says("s"),
        &NoHooks,
    ))
    .unwrap();
    assert!(matches!(&done.attempts[1].why, PassedOver::SwitchedOff(by) if !by.is_empty()));
}

#[test]
fn micro_compaction_is_enough_if_it_stays_below_the_threshold() {
    let list = full(28_000);
    let window = Window::new(60_000, 20_000);
    let policy = Policy::new(
        &window,
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    );
    let (breaker, counter) = (Breaker::new(), counter());
    let decision = policy.decide(&list, &counter, Source::Main);
    assert!(decision.compacts(), "{decision}");
    let options = MicroOptions::default().protect_tokens(3_000);
    let how = Compact::new(&breaker, &counter)
        .policy(&policy)
        .micro(compact_sm::When::Budget, options);
    let model = Scripted::says("s");
    let done = now(compact(
        &list,
        &Cause::Auto(&decision),
        &how,
        &model,
        &NoHooks,
    ))
    .unwrap();
    assert_eq!((done.by, model.requests()), (Way::Micro, 0));
    assert!(!done.cleared.is_empty() && done.boundary.is_none() && done.attempts.is_empty());
    // What was cleared is not present any more.
    assert_eq!(done.restored.present.len() + done.cleared.len(), 20);
    let messages = done.into_messages();
    assert_eq!(messages.len(), list.len());
    assert!(validate(&messages).is_empty());
}

#[test]
fn micro_compaction_that_is_not_enough_is_passed_over() {
    let mut list = full(35_000);
    list[0] = Message::user("x ".repeat(30_000));
    let window = Window::new(60_000, 20_000);
    let policy = Policy::new(
        &window,
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    );
    let (breaker, counter) = (Breaker::new(), counter());
    let decision = policy.decide(&list, &counter, Source::Main);
    let options = MicroOptions::default().protect_tokens(19_500);
    let how = Compact::new(&breaker, &counter)
        .policy(&policy)
        .micro(compact_sm::When::Budget, options);
    let done = now(compact(
        &list,
        &Cause::Auto(&decision),
        &how,
        &Scripted::says(SUMMARY),
        &NoHooks,
    ))
    .unwrap();
    assert_eq!(done.by, Way::Summary);
    assert!(matches!(
        done.attempts[0].why,
        PassedOver::NotEnough { limit: Some(_), .. }
    ));
    assert_eq!(done.attempts[1].why, PassedOver::NotOffered);
}

#[test]
fn a_selected_run_is_widened_and_the_rest_stays_word_for_word() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let model = Scripted::says("the middle");
    // From a result to a call.
    let cause = Cause::partial(4..8, None);
    let done = now(compact(&list, &cause, &how, &model, &NoHooks)).unwrap();
    assert_eq!((done.head.len(), done.kept.len()), (3, list.len() - 9));
    assert_eq!(done.head, list[..3]);
    assert_eq!(done.kept, list[9..]);
    let messages = done.into_messages();
    assert!(validate(&messages).is_empty());
    // Nothing before the summary may count as compacted.
    assert_eq!(messages[3].origin, Origin::Meta);
    let seen = model.seen.lock().unwrap();
    assert_eq!(seen[0].scope, compact_sm::Scope::Recent);
}

#[test]
fn a_selected_beginning_is_a_prefix_and_a_run_of_nothing_an_error() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let model = Scripted::says("the beginning");
    let done = now(compact(
        &list,
        &Cause::partial(0..5, None),
        &how,
        &model,
        &NoHooks,
    ))
    .unwrap();
    assert_eq!(
        model.seen.lock().unwrap()[0].scope,
        compact_sm::Scope::Prefix
    );
    assert!(done.head.is_empty());
    for run in [3..3, 900..901] {
        let cause = Cause::partial(run, None);
        let failed = now(compact(&list, &cause, &how, &model, &NoHooks)).unwrap_err();
        assert!(matches!(failed.why, WhyNot::BadRun));
    }
}

#[test]
fn notes_that_lag_behind_a_summary_never_take_its_place() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let notes = Notes::new("# State\n\nearly\n").summarized(Summarized::Uuid("uuid-4".to_owned()));
    let how = Compact::new(&breaker, &counter).notes(&notes);
    let model = Scripted::says(SUMMARY);
    let cause = Cause::manual(Some("all of it"));
    let done = now(compact(&list, &cause, &how, &model, &NoHooks)).unwrap();
    assert_eq!(done.summarized, Summarized::Count(0));
    let mut next = done.into_messages();
    next.push(Message::user("go on"));
    next.extend(history().into_iter().skip(1));
    let notes = Notes::new("# State\n\nearly\n").summarized(Summarized::Count(0));
    let how = Compact::new(&breaker, &counter).notes(&notes);
    let done = now(compact(&next, &Cause::manual(None), &how, &model, &NoHooks)).unwrap();
    assert_eq!(done.by, Way::Summary);
    assert!(matches!(
        done.attempts[1].why,
        PassedOver::Notes(Fallback::NotCovered { .. })
    ));
}

#[test]
fn the_mark_of_the_notes_moves_with_the_messages() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    // Eight messages become one: the last of the run is a call, whose result goes with it.
    let cases = [
        (2, 2),
        (3, 3),
        (6, 3),
        (10, 3),
        (11, 4),
        (12, 5),
        (list.len(), list.len() - 7),
    ];
    for (old, new) in cases {
        let notes = Notes::new("x").summarized(Summarized::Count(old));
        let how = Compact::new(&breaker, &counter).notes(&notes);
        let cause = Cause::partial(3..10, None);
        let done = now(compact(&list, &cause, &how, &Scripted::says("s"), &NoHooks)).unwrap();
        assert_eq!(done.summarized, Summarized::Count(new), "{old}");
    }
}

#[test]
fn a_service_with_a_smaller_window_than_was_said_is_asked_for_less() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter).room(45_000);
    let refused = Refused::read("prompt is too long: 21000 tokens > 8192 maximum").unwrap();
    let model = Scripted::says("s");
    let done = now(compact(
        &list,
        &Cause::Refused(refused),
        &how,
        &model,
        &NoHooks,
    ))
    .unwrap();
    assert!(done.after < 8_192);
    let seen = model.seen.lock().unwrap();
    let size: u64 = seen[0].messages.iter().map(|m| counter.message(m)).sum();
    // All results are short in the copy; what is still too much, a retry leaves out.
    assert!(size < 8_192, "{size}");
    assert_eq!(seen[0].max_tokens, 2_048);
}

#[test]
fn compaction_that_is_switched_off_does_not_begin() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let overrides = Overrides::from_lookup(|name| (name == "DISABLE_COMPACT").then(|| "1".into()));
    let window = Window::new(200_000, 32_000);
    let policy = Policy::new(&window, &overrides, &Settings::default(), &Flags::default());
    let how = Compact::new(&breaker, &counter).policy(&policy);
    let model = Scripted::says("s");
    for cause in [
        Cause::manual(None),
        Cause::partial(0..5, None),
        Cause::Refused(Refused::default()),
    ] {
        let failed = now(compact(&list, &cause, &how, &model, &NoHooks)).unwrap_err();
        assert!(
            matches!(&failed.why, WhyNot::SwitchedOff(by) if by.contains("DISABLE_COMPACT")),
            "{failed}"
        );
    }
    assert_eq!((model.requests(), breaker.state().failures), (0, 0));
}
