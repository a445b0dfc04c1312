//! Plans for other lists, and what must not get lost or come back.

use std::time::Duration;

use compact_sm::{
    Block, CLEARED_MARK, ErrorKind, Estimate, Estimator, Fallback, Form, FromNotes, KeepConfig,
    LastReads, Message, MicroOptions, Notes, Origin, Overrides, Policy, Source, Summarized, Usage,
    When, Window, boundary_text, from_notes, keep_window, micro, read_boundary_text, repair,
    validate,
};
use proptest::prelude::*;
use serde_json::json;

use crate::odd_messages::message;
use crate::world::{tool_loop, words};

fn counter() -> Estimator {
    Estimator::new(Estimate::BytesDiv4)
}

fn without_ids(mut list: Vec<Message>) -> Vec<Message> {
    list.iter_mut().for_each(|message| message.uuid = None);
    list
}

#[test]
fn a_plan_for_a_list_without_ids_knows_its_list() {
    let list = without_ids(tool_loop(100, 500));
    let plan = || {
        from_notes(
            &list,
            &Notes::new("going on"),
            &FromNotes::default(),
            &counter(),
        )
        .unwrap()
    };
    assert!(plan().apply(list.clone()).is_ok());
    let mut others = vec![without_ids(tool_loop(100, 501)); 3];
    others[1] = list.clone();
    others[1].swap(20, 22);
    others[2] = list.clone();
    others[2][190].content.blocks.push(Block::text("and more"));
    for other in others {
        let unapplied = plan().apply(other.clone()).unwrap_err();
        assert!(matches!(
            unapplied.error.kind(),
            ErrorKind::OtherHistory { .. }
        ));
        assert_eq!(unapplied.messages, other);
    }
}

#[test]
fn what_was_cleared_and_saved_is_not_saved_a_second_time() {
    let list = tool_loop(9, 500);
    let plan = micro(
        &list,
        When::Budget,
        &MicroOptions::default().protect_tokens(0),
        &counter(),
    );
    let save = |_: &_, text: &str| {
        assert!(
            !text.contains(CLEARED_MARK),
            "the mark would replace what was saved"
        );
        Ok("/saved".to_owned())
    };
    let done = plan.clone().apply_saving(list, save).unwrap();
    assert!(done.cleared.len() > 2);
    let unapplied = plan.apply_saving(done.messages.clone(), save).unwrap_err();
    assert_eq!(unapplied.messages, done.messages);
}

#[test]
fn cleared_text_is_freed_under_any_name_beside_the_blocks() {
    let mut list = tool_loop(8, 500);
    let other = "something else that is longer than the mark";
    list[2].extra.insert(
        "structured",
        json!({"deep": [{"out": words(500)}, other, 5]}),
    );
    let plan = micro(
        &list,
        When::Budget,
        &MicroOptions::default().protect_tokens(0),
        &counter(),
    );
    let done = plan.apply(list).unwrap();
    let json = serde_json::to_string(&done.messages[2]).unwrap();
    assert!(json.len() < 600, "{json}");
    assert!(json.contains(other) && json.contains("structured"));
}

#[test]
fn a_read_that_failed_does_not_stand_for_the_last_one() {
    let mut list = vec![Message::user("go")];
    let mut run = |id: &str, tool: &str, result: Block| {
        let call = Block::tool_use(id, tool, json!({"file_path": "/a.rs"}));
        list.push(Message::assistant([call]));
        list.push(Message::user([result]));
    };
    run("old", "Read", Block::tool_result("old", words(500)));
    run("last", "Read", Block::tool_result("last", words(500)));
    run("failed", "Read", Block::tool_error("failed", words(100)));
    for id in ["b0", "b1", "b2", "b3", "b4", "b5"] {
        run(id, "Bash", Block::tool_result(id, words(100)));
    }
    list.push(Message::assistant("done"));
    let options = MicroOptions::default().last_reads(LastReads::Protect);
    let plan = micro(
        &list,
        When::Idle(Duration::from_secs(3_600)),
        &options,
        &counter(),
    );
    let cleared: Vec<&str> = plan.clear.iter().map(|c| c.tool_use_id.as_str()).collect();
    assert_eq!(cleared, ["old", "failed", "b0"]);
}

#[test]
fn an_id_that_stands_twice_covers_up_to_the_first() {
    let mut list = tool_loop(30, 100);
    for at in [4, 40] {
        list[at].uuid = Some("twice".to_owned());
    }
    let config = KeepConfig::default().min_tokens(0).min_text_messages(0);
    let kept = keep_window(
        &list,
        &Summarized::Uuid("twice".to_owned()),
        &config,
        &counter(),
    );
    assert_eq!(kept.range.start, 5);
}

#[test]
fn the_command_does_not_stay_when_a_reminder_stands_beside_it() {
    let reminder = || Block::text("\n<system-reminder>\nThe file changed.\n</system-reminder>");
    let is_left_out = |blocks: Vec<Block>| {
        let mut list = tool_loop(4, 10);
        list.push(Message::assistant("done"));
        list.push(Message::user(blocks));
        let kept = keep_window(
            &list,
            &Summarized::Unknown,
            &KeepConfig::default(),
            &counter(),
        );
        kept.left_out.contains(&(list.len() - 1))
    };
    let command = || Block::text("/compact keep the names");
    assert!(is_left_out(vec![command(), reminder()]));
    assert!(is_left_out(vec![command(), reminder(), reminder()]));
    assert!(!is_left_out(vec![command(), Block::text("and a request")]));
    assert!(!is_left_out(vec![
        command(),
        Block::image("image/png", "aWNvbg==")
    ]));
    assert!(!is_left_out(vec![reminder(), reminder()]));
    assert!(!is_left_out(vec![Block::text("/compaction is what?")]));
}

#[test]
fn a_tail_with_more_images_than_a_request_takes_falls_back() {
    let mut list = tool_loop(60, 600);
    let pictures = |count| vec![Block::image("image/png", "aWNvbg=="); count];
    list.push(Message::assistant("look"));
    list.push(Message::user(pictures(9)));
    list.push(Message::assistant("seen").usage(Usage::new(170_000, 5)));
    let window = Window::new(200_000, 32_000).max_images(8);
    let nothing = Default::default();
    let policy = Policy::new(
        &window,
        &Overrides::default(),
        &Default::default(),
        &nothing,
    );
    let decision = policy.decide(&list, &counter(), Source::Main);
    let options = FromNotes::of(&policy, &decision).threshold(u64::MAX);
    let plan =
        |options: &FromNotes| from_notes(&list, &Notes::new("going on"), options, &counter());
    let refused = Fallback::TooManyImages { count: 9, max: 8 };
    assert_eq!(plan(&options).unwrap_err(), refused);
    assert!(refused.to_string().contains("9 images"));
    assert!(plan(&options.max_images(9)).is_ok());
    // Those that are not kept do not matter.
    let mut list = tool_loop(60, 600);
    list.splice(
        1..1,
        [Message::assistant("look"), Message::user(pictures(90))],
    );
    list.splice(
        1..1,
        [Message::assistant("look"), Message::user(pictures(90))],
    );
    let plan = from_notes(
        &list,
        &Notes::new("going on"),
        &FromNotes::default(),
        &counter(),
    );
    let done = plan.unwrap().apply(list).unwrap();
    assert_eq!(validate(&done.messages), []);
}

#[test]
fn notes_of_every_size_and_script_stay_within_their_budget() {
    let list = tool_loop(120, 400);
    for text in [
        "word ".repeat(200_000),
        "上下文压缩".repeat(60_000),
        "🧠".repeat(50_000),
        format!("# One\n{}", "line\n".repeat(90_000)),
        "# a\nx\n".repeat(60_000),
        format!("# {}\nx", "heading".repeat(40_000)),
        format!("```\n{}", "# no heading\n".repeat(30_000)),
        "</session-notes>\n".repeat(20_000),
    ] {
        for counter in [counter(), Estimator::default()] {
            let plan = from_notes(
                &list,
                &Notes::new(text.as_str()),
                &FromNotes::default(),
                &counter,
            );
            let plan = plan.unwrap();
            let tokens = compact_sm::Counter::message(&counter, &plan.insert);
            assert!(
                tokens < 14_000,
                "{tokens} of {:?}",
                text.chars().take(9).collect::<String>()
            );
            assert!(!plan.cuts.is_empty());
        }
    }
}

/// Lists of every form, with commands, summaries of both forms and reminders among them.
fn any_list() -> impl Strategy<Value = Vec<Message>> {
    let special = prop_oneof![
        Just(Message::user("/compact keep the names")),
        Just(Message::user("earlier").origin(Origin::Summary)),
        Just(Message::user(boundary_text("earlier"))),
        Just(Message::user("<system-reminder>x</system-reminder>").origin(Origin::Meta)),
        (1..60_usize).prop_map(|n| Message::user("say more ".repeat(n))),
        (1..60_usize).prop_map(|n| Message::assistant("answer ".repeat(n))),
    ];
    let message = prop_oneof![3 => message(), 2 => special];
    proptest::collection::vec((message, 0..9_u8), 2..16).prop_map(|list| {
        let list = list.into_iter().enumerate();
        let list = list.map(|(at, (message, twice))| {
            let at = if twice == 0 { 0 } else { at };
            message.uuid(format!("uuid-{at}"))
        });
        repair(list.collect()).messages
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_the_list_its_plans_are_valid_final_and_lose_nothing(
        list in any_list(), cut in 0..18_usize, by_uuid: bool, text_form: bool,
        limits in (0..120_u64, 0..5_usize, 0..250_u64),
    ) {
        let config = KeepConfig::default()
            .min_tokens(limits.0)
            .min_text_messages(limits.1)
            .max_tokens(limits.2);
        let mut options = FromNotes::default().keep(config);
        if text_form {
            options = options.form(Form::Text);
        }
        let reach = if by_uuid {
            Summarized::Uuid(format!("uuid-{cut}"))
        } else {
            Summarized::Count(cut)
        };
        let notes = Notes::new("going on").summarized(reach);
        let Ok(plan) = from_notes(&list, &notes, &options, &counter()) else {
            return Ok(());
        };
        let (kept, left_out) = (plan.kept.clone(), plan.left_out.clone());
        let done = plan.apply(list.clone()).unwrap();
        prop_assert_eq!(validate(&done.messages), vec![]);
        let is_command = |m: &Message| m.texts().next().is_some_and(|t| t.starts_with("/compact"));
        prop_assert!(left_out.iter().all(|at| is_command(&list[*at])));
        let is_summary = |m: &Message| {
            let text = m.texts().next().unwrap_or_default();
            m.origin == Origin::Summary || read_boundary_text(text).is_some()
        };
        let floor = list.iter().rposition(is_summary).map_or(0, |at| at + 1);
        if !by_uuid {
            let lost = (cut.max(floor)..list.len()).find(|at| !kept.contains(at) && !is_command(&list[*at]));
            prop_assert_eq!(lost, None);
        }
        let again = from_notes(&done.messages, &notes.summarized(done.summarized), &options, &counter());
        prop_assert!(matches!(again, Err(Fallback::DoesNotShrink { .. })), "{:?}", again);
    }
}
