//! No result is longer than the conversation was, whatever comes back and whatever hooks say.

use compact_sm::{
    AttachmentKind, Block, Breaker, Cause, Compact, Compaction, Counter, HookResult, Hooks,
    Message, NoHooks, NotCompacted, Notes, Origin, RecentFile, Refused, Restore, Summarized,
    WhyNot, WhyNotRestored, compact, files_fn, validate,
};
use proptest::prelude::*;

use crate::compaction::{counter, history};
use crate::scripted::{SUMMARY, Scripted, now};
use crate::world::{self, words};

struct Says(usize);

impl Hooks for Says {
    async fn session_start(&self) -> Vec<HookResult> {
        vec![HookResult::new("greet", words(self.0))]
    }
}

fn tokens(list: &[Message]) -> u64 {
    list.iter().map(|message| counter().message(message)).sum()
}

fn refused() -> Cause<'static> {
    let text = "prompt is too long: 10601 tokens > 10000 maximum";
    Cause::Refused(Refused::read(text).unwrap())
}

/// A conversation that read six files of which a page each is left.
fn read_six() -> Vec<Message> {
    let mut list = vec![Message::user("read them")];
    for at in 0..6 {
        let (id, path) = (format!("read_{at}"), format!("/file_{at}"));
        let input = serde_json::json!({"file_path": path, "limit": 100});
        list.push(Message::assistant([Block::tool_use(
            id.as_str(),
            "Read",
            input,
        )]));
        list.push(Message::user([Block::tool_result(id, words(1_700))]));
    }
    list.push(Message::assistant("I have read all of them."));
    list.push(Message::user("and now?"));
    list.push(Message::assistant("Now I write."));
    list
}

fn with_files<H: Hooks + Sync>(
    list: &[Message],
    cause: &Cause<'_>,
    size: usize,
    hooks: &H,
) -> (Result<Compaction, NotCompacted>, Breaker) {
    let (breaker, counter) = (Breaker::new(), counter());
    let files = files_fn(move |_: &str| Ok(words(size)));
    let how = Compact::new(&breaker, &counter).files(&files);
    let done = now(compact(list, cause, &how, &Scripted::says(SUMMARY), hooks));
    (done, breaker)
}

#[test]
fn after_a_refusal_files_come_back_only_as_long_as_the_result_is_clearly_shorter() {
    let list = read_six();
    for cause in [
        refused(),
        Cause::Refused(Refused::default()),
        Cause::manual(None),
    ] {
        for size in [100, 900, 2_400, 4_900] {
            let done = with_files(&list, &cause, size, &NoHooks).0.unwrap();
            let back = &done.restored.attachments;
            let gone: Vec<_> = done.restored.left_out.iter().collect();
            assert_eq!(back.len() + gone.len(), 6);
            // The newest stay.
            let names: Vec<_> = back.iter().map(|file| file.name.as_str()).collect();
            let newest = [
                "/file_5", "/file_4", "/file_3", "/file_2", "/file_1", "/file_0",
            ];
            let newest: Vec<_> = newest
                .into_iter()
                .filter(|f| done.restored.present.iter().any(|p| p == f))
                .collect();
            assert_eq!(names, newest);
            if size == 100 {
                assert_eq!(back.len(), 5);
            } else if size >= 2_400 {
                assert!(back.len() < 5, "{cause:?} {size}");
            }
            if size == 2_400 {
                assert!(gone.iter().any(|left| matches!(
                    left.why,
                    WhyNotRestored::NoRoom | WhyNotRestored::BeyondBudget
                )));
            }
            let after = done.after;
            let got = done.into_messages();
            assert_eq!(tokens(&got), after);
            assert!(
                after * 4 <= tokens(&list) * 3,
                "{after} of {}",
                tokens(&list)
            );
            assert_eq!(validate(&got), []);
        }
    }
}

#[test]
fn what_hooks_say_does_not_make_it_longer() {
    let list = history();
    let (done, breaker) = with_files(&list, &Cause::manual(None), 10, &Says(30_000));
    let failed = done.unwrap_err();
    assert!(
        matches!(failed.why, WhyNot::DoesNotShrink { .. }),
        "{failed}"
    );
    assert!(failed.to_string().contains("would not be fewer than"));
    // Nobody asked too early for automatic compaction.
    assert_eq!(breaker.state().failures, 0);
    let (done, breaker) = with_files(
        &list,
        &Cause::Refused(Refused::default()),
        10,
        &Says(30_000),
    );
    assert!(matches!(
        done.unwrap_err().why,
        WhyNot::DoesNotShrink { .. }
    ));
    assert_eq!(
        (breaker.state().failures, breaker.state().running),
        (1, false)
    );
    let (done, _) = with_files(&list, &Cause::manual(None), 10, &Says(3_000));
    assert!(done.unwrap().after < tokens(&list));
}

#[test]
fn files_are_given_up_before_skills_and_skills_before_the_plan() {
    let mut list = world::tool_loop(12, 1_000);
    list.push(Message::assistant("all done"));
    let (breaker, counter) = (Breaker::new(), counter());
    let files = files_fn(|_: &str| Ok(words(1_000)));
    let given_up = |skill: usize, plan: usize| {
        let restore = Restore::default()
            .plan("/plan", words(plan))
            .skill("new", words(skill))
            .skill("old", words(skill));
        let how = Compact::new(&breaker, &counter)
            .files(&files)
            .restore(restore);
        let model = Scripted::says(SUMMARY);
        let done = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap();
        let kinds = done
            .restored
            .attachments
            .iter()
            .map(|a| (a.kind, a.name.clone()));
        assert!(done.after * 4 <= tokens(&list) * 3);
        kinds.collect::<Vec<_>>()
    };
    let files = |kinds: &[(AttachmentKind, String)]| {
        let files = kinds
            .iter()
            .filter(|(kind, _)| *kind == AttachmentKind::File);
        files.count()
    };
    assert_eq!(files(&given_up(100, 100)), 5);
    let some = given_up(1_200, 1_200);
    assert_eq!((files(&some), some.len()), (2, 5));
    let few = given_up(4_900, 4_900);
    let names: Vec<_> = few.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["/plan"]);
}

#[test]
fn a_person_who_compacts_a_greeting_three_times_does_not_stop_automatic_compaction() {
    let list = [
        Message::user("hi"),
        Message::assistant("hello"),
        Message::user("well?"),
        Message::assistant("well."),
    ];
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    for answer in [SUMMARY, "<summary>They greet.</summary>", "They greet."] {
        let model = Scripted::says(answer);
        let failed = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap_err();
        let is_typed = matches!(
            failed.why,
            WhyNot::DoesNotShrink { .. } | WhyNot::BadSummary(_)
        );
        assert!(is_typed, "{failed}");
    }
    assert_eq!(breaker.state().failures, 0);
}

#[test]
fn lists_without_a_word_of_the_person_are_compacted_or_refused_and_stay_valid() {
    let meta = |text: String| Message::user(text).origin(Origin::Meta);
    let attached: Vec<Message> = (0..9).map(|_| meta(words(400))).collect();
    let blank = vec![
        Message::user(""),
        Message::assistant(words(900)),
        Message::user(" "),
        Message::assistant(words(900)),
    ];
    let only_results = world::tool_loop(12, 300).split_off(1);
    for list in [
        attached,
        blank,
        only_results,
        vec![],
        vec![Message::assistant("x")],
    ] {
        for cause in [
            Cause::manual(None),
            Cause::Refused(Refused::default()),
            Cause::partial(0..9, None),
        ] {
            for answer in [SUMMARY, "Sajnos nem.", ""] {
                let (breaker, counter) = (Breaker::new(), counter());
                let how = Compact::new(&breaker, &counter);
                let before = list.clone();
                let result = now(compact(
                    &list,
                    &cause,
                    &how,
                    &Scripted::says(answer),
                    &NoHooks,
                ));
                assert_eq!(list, before);
                if let Ok(done) = result {
                    let got = done.into_messages();
                    assert!(tokens(&got) < tokens(&list));
                    if validate(&list).is_empty() {
                        assert_eq!(validate(&got), []);
                    }
                }
            }
        }
    }
}

#[test]
fn compactions_right_after_each_other_never_lose_what_was_said_last() {
    for answer in ["Sajnos nem.", SUMMARY] {
        let mut list = history();
        list.push(Message::user("write the docs"));
        list.push(Message::assistant(words(300)));
        for _ in 0..20 {
            let (breaker, counter) = (Breaker::new(), counter());
            let how = Compact::new(&breaker, &counter);
            let model = Scripted::says(answer);
            match now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)) {
                Ok(done) => list = done.into_messages(),
                Err(failed) => assert!(matches!(
                    failed.why,
                    WhyNot::TooFewMessages | WhyNot::DoesNotShrink { .. } | WhyNot::BadSummary(_)
                )),
            }
            assert_eq!(validate(&list), []);
            let said = list.iter().flat_map(Message::texts);
            let kept = said
                .filter(|text| *text == "write the docs" || *text == words(300))
                .count();
            assert!(kept > usize::from(answer != SUMMARY), "{answer}");
        }
    }
}

fn cause() -> impl Strategy<Value = Cause<'static>> {
    prop_oneof![
        Just(Cause::manual(None)),
        Just(Cause::Refused(Refused::default())),
        Just(refused()),
        (0..30_usize, 1..60_usize).prop_map(|(from, len)| Cause::partial(from..from + len, None)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_comes_back_the_result_is_shorter_or_there_is_none(
        rounds in world::rounds(), open: bool, cause in cause(),
        file in 0..3_000_usize, skill in 0..3_000_usize, hook in prop_oneof![Just(0_usize), 0..3_000_usize],
        long in 0..9_000_usize, with_notes: bool, free: bool,
    ) {
        let mut list = world::conversation(&rounds, open);
        list.insert(0, Message::user(words(long + 1)));
        prop_assume!(validate(&list).is_empty());
        let files = files_fn(move |_: &str| Ok(words(file)));
        let recent = (0..9).map(|at| RecentFile::new(format!("/{at}"))).collect::<Vec<_>>();
        let mut restore = Restore::default().plan("/plan", words(skill / 3)).skill("s", words(skill));
        restore.recent = Some(recent);
        let notes = Notes::new(format!("# State\n{}\n", words(200))).summarized(Summarized::Count(list.len() / 2));
        let (breaker, counter) = (Breaker::new(), counter());
        let mut how = Compact::new(&breaker, &counter).files(&files).restore(restore);
        if with_notes {
            how = how.notes(&notes);
        }
        let model = Scripted::says(if free { "Sajnos nem." } else { SUMMARY });
        let result = now(compact(&list, &cause, &how, &model, &Says(hook)));
        let Ok(done) = result else { return Ok(()); };
        let (before, base) = (tokens(&list), done.after);
        let back: u64 = done.restored.attachments.iter().map(|a| a.tokens).sum();
        let got = done.into_messages();
        prop_assert_eq!(validate(&got), vec![]);
        prop_assert_eq!(tokens(&got), base);
        prop_assert!(base < before);
        // What came back has at most half of what was gained.
        prop_assert!(back * 2 <= before - (base - back));
    }
}
