//! Whatever goes wrong: the reason is typed, the breaker counts, the history stays.

use compact_sm::{
    BadSummary, Block, Breaker, Cause, Compact, Counter, Flags, Message, NoHooks, Notes, NotesJob,
    Refusal, Refused, Restore, Source, SummaryReply, Used, WhyNot, compact, compact_within,
    files_fn, notes_task, validate,
};

use crate::scripted::{Answer, SUMMARY, Scripted, now, once, says};
use crate::world::tool_loop;

use crate::compaction::{counter, full, history, manual, policy};

#[test]
fn answers_that_are_no_summary_leave_everything_as_it_was_and_count() {
    let list = history();
    let before = list.clone();
    let call = Block::tool_use("t", "Read", serde_json::json!({}));
    let thinking = Message::assistant([Block::thinking("hm", "c2ln")]);
    let cases = [
        says(""),
        says(" \n "),
        says("{\"tool\":1}"),
        Answer::Says(SummaryReply::from_message(Message::assistant(
            Vec::<Block>::new(),
        ))),
        Answer::Says(SummaryReply::from_message(thinking)),
        Answer::Says(SummaryReply::from_message(Message::assistant([call]))),
        Answer::Says(SummaryReply::text("no").stop_reason("refusal")),
        says(&"long ".repeat(60_000)),
    ];
    for answer in cases {
        let (breaker, counter) = (Breaker::new(), counter());
        let how = Compact::new(&breaker, &counter);
        let model = Scripted::new([answer]);
        let failed = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap_err();
        assert!(matches!(failed.why, WhyNot::BadSummary(_)), "{failed}");
        assert_eq!(breaker.state().failures, 1);
        assert!(!breaker.state().running);
        assert_eq!(list, before);
    }
}

#[test]
fn prose_with_json_in_it_is_a_summary() {
    assert!(
        manual(
            &history(),
            &Scripted::says("prose with {\"json\":1} inside")
        )
        .is_ok()
    );
}

#[test]
fn an_answer_that_calls_a_tool_is_asked_for_again_once_and_no_tool_runs() {
    let call = || {
        let call = Block::tool_use("t", "Bash", serde_json::json!({"command": "rm -rf /"}));
        Answer::Says(SummaryReply::from_message(Message::assistant([call])))
    };
    let model = Scripted::new([call(), says("fine")]);
    assert!(manual(&history(), &model).is_ok());
    assert_eq!(model.requests(), 2);
    let model = Scripted::new([call()]);
    let failed = manual(&history(), &model).unwrap_err();
    let name = Some("Bash".to_owned());
    assert!(
        matches!(failed.why, WhyNot::BadSummary(BadSummary::CalledTool { name: n }) if n == name)
    );
    assert_eq!(model.requests(), 2);
}

#[test]
fn a_summary_that_echoes_its_input_is_refused_as_not_shorter() {
    let list = tool_loop(40, 1_000);
    let echo = serde_json::to_string(&list).unwrap();
    // Bounded to 20,000 tokens it would be shorter.
    let failed = manual(&list, &Scripted::says(&echo.replace('{', ""))).unwrap_err();
    assert!(
        matches!(
            failed.why,
            WhyNot::BadSummary(BadSummary::NotShorter { .. })
        ),
        "{failed}"
    );
}

#[test]
fn too_long_is_trimmed_three_times_and_then_an_error() {
    let list = history();
    let model = Scripted::new([
        Answer::TooLong(Some(3_000)),
        Answer::TooLong(None),
        says("s"),
    ]);
    let done = manual(&list, &model).unwrap();
    assert_eq!(model.requests(), 3);
    assert!(done.trimmed > 6, "{}", done.trimmed);
    let seen = model.seen.lock().unwrap();
    assert!(
        seen.windows(2)
            .all(|two| two[0].messages.len() > two[1].messages.len())
    );
    drop(seen);

    let model = Scripted::new([Answer::TooLong(None)]);
    let failed = manual(&list, &model).unwrap_err();
    assert!(
        matches!(failed.why, WhyNot::TooLong { requests: 4 }),
        "{failed:?}"
    );
}

#[test]
fn an_error_of_the_service_is_typed_and_not_tried_again() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let model = Scripted::new([Answer::Fails("overloaded")]);
    let failed = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap_err();
    assert!(matches!(&failed.why, WhyNot::Summarizer(why) if why.to_string() == "overloaded"));
    assert!(std::error::Error::source(&failed).is_some());
    assert_eq!(model.requests(), 1);
    // The next try is free to succeed.
    let done = now(compact(
        &list,
        &Cause::manual(None),
        &how,
        &Scripted::says("s"),
        &NoHooks,
    ));
    assert!(done.is_ok());
    assert_eq!(breaker.state().failures, 0);
}

#[test]
fn a_dropped_future_is_a_failure_and_leaves_nothing_behind() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let model = Scripted::new([Answer::Hangs]);
    assert!(once(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).is_pending());
    assert_eq!(breaker.state().failures, 1);
    assert!(!breaker.state().running);
}

#[test]
fn a_deadline_is_a_typed_failure_and_what_is_done_wins() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let cause = Cause::manual(None);
    let hangs = Scripted::new([Answer::Hangs]);
    let passed = || std::future::ready(());
    let failed = now(compact_within(
        &list,
        &cause,
        &how,
        &hangs,
        &NoHooks,
        passed(),
    ))
    .unwrap_err();
    assert!(matches!(failed.why, WhyNot::Deadline));
    assert_eq!(
        (breaker.state().failures, breaker.state().running),
        (1, false)
    );
    let model = Scripted::says("s");
    assert!(
        now(compact_within(
            &list,
            &cause,
            &how,
            &model,
            &NoHooks,
            passed()
        ))
        .is_ok()
    );
}

#[test]
fn two_at_once_make_one_summary() {
    let list = history();
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let running = breaker.begin_manual().unwrap();
    let model = Scripted::says("s");
    let failed = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap_err();
    assert!(matches!(failed.why, WhyNot::NotStarted(Refusal::Busy)));
    assert_eq!(model.requests(), 0);
    drop(running);
}

#[test]
fn after_three_failures_only_a_person_may_try() {
    let list = full(170_000);
    let (breaker, counter, policy) = (Breaker::new(), counter(), policy(Flags::default()));
    let decision = policy.decide(&list, &counter, Source::Main);
    let how = Compact::new(&breaker, &counter).policy(&policy);
    let bad = Scripted::says("");
    for _ in 0..3 {
        assert!(
            now(compact(
                &list,
                &Cause::Auto(&decision),
                &how,
                &bad,
                &NoHooks
            ))
            .is_err()
        );
    }
    let asked = bad.requests();
    let failed = now(compact(
        &list,
        &Cause::Auto(&decision),
        &how,
        &bad,
        &NoHooks,
    ))
    .unwrap_err();
    assert!(matches!(
        failed.why,
        WhyNot::NotStarted(Refusal::Failures { count: 3 })
    ));
    assert_eq!(bad.requests(), asked);
    let good = Scripted::says("s");
    assert!(now(compact(&list, &Cause::manual(None), &how, &good, &NoHooks)).is_ok());
    assert_eq!(breaker.state().failures, 0);
}

#[test]
fn too_few_messages_are_not_compacted() {
    let list = [Message::user("hi")];
    let failed = manual(&list, &Scripted::says("s")).unwrap_err();
    assert!(matches!(failed.why, WhyNot::TooFewMessages));
    assert!(matches!(
        manual(&[], &Scripted::says("s")).unwrap_err().why,
        WhyNot::TooFewMessages
    ));
}

#[test]
fn a_person_who_asks_too_early_does_not_stop_automatic_compaction() {
    let list = [Message::user("hi"), Message::assistant("hello")];
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let model = Scripted::says("s");
    for cause in [Cause::manual(None), Cause::partial(7..9, None)] {
        for _ in 0..3 {
            let failed = now(compact(&list[..1], &cause, &how, &model, &NoHooks)).unwrap_err();
            assert!(matches!(
                failed.why,
                WhyNot::TooFewMessages | WhyNot::BadRun
            ));
        }
    }
    assert_eq!(breaker.state().failures, 0);
    assert!(!breaker.state().running && model.seen.lock().unwrap().is_empty());
    let refused = Cause::Refused(Refused::default());
    let failed = now(compact(&list[..1], &refused, &how, &model, &NoHooks)).unwrap_err();
    assert!(matches!(failed.why, WhyNot::TooFewMessages));
    assert_eq!(breaker.state().failures, 1);
}

#[test]
fn more_images_than_a_request_takes_do_not_stay_and_are_not_sent() {
    let mut list = history();
    list.push(Message::user(vec![Block::image("image/png", "aGk="); 101]));
    let model = Scripted::says(SUMMARY);
    let done = manual(&list, &model).unwrap();
    assert!(validate(&done.into_messages()).is_empty());
    let sent = model.seen.lock().unwrap()[0].messages_json().to_string();
    assert!(!sent.contains("base64"));
}

#[test]
fn figures_of_any_size_do_not_overflow() {
    struct Huge(u64);
    impl Counter for Huge {
        fn text(&self, _: &str) -> u64 {
            self.0
        }
    }
    let list = history();
    let files = files_fn(|_: &str| Ok("text\n".repeat(9_000)));
    for size in [0, 1, u64::MAX / 2, u64::MAX] {
        for used in [0, u64::MAX] {
            for room in [0, u64::MAX] {
                let (breaker, counter) = (Breaker::new(), Huge(size));
                let notes = Notes::new("# A\nx\n# B\ny\n");
                let how = Compact::new(&breaker, &counter)
                    .room(room)
                    .files(&files)
                    .notes(&notes)
                    .figures(|figures| figures.used(Used::exact(used)).threshold(used))
                    .restore(Restore::default().skill("s", "text\n".repeat(9_000)));
                let refused = Refused::read("prompt is too long: 18446744073709551615 tokens > 1");
                let causes = [
                    Cause::manual(None),
                    Cause::partial(3..9, None),
                    Cause::Refused(refused.unwrap()),
                ];
                for cause in causes {
                    let model = Scripted::new([
                        Answer::TooLong(Some(u64::MAX)),
                        says(&"s ".repeat(30_000)),
                    ]);
                    let _ = now(compact(&list, &cause, &how, &model, &NoHooks));
                }
                let job = NotesJob::new("/n", "# A\nx\n")
                    .max_input_tokens(room)
                    .budgets(used, room);
                let task = notes_task(&list, &job, &counter);
                assert!(!task.messages.is_empty());
            }
        }
    }
}
