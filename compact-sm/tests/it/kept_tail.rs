//! Which messages stay.

use compact_sm::{
    Block, Counter, Estimate, Estimator, Flags, KeepConfig, Kept, MESSAGE_TOKENS, Message, Origin,
    Overrides, Policy, Settings, Stop, Summarized, Window, keep_window, validate,
};
use serde_json::json;

use crate::world::{self, words};

pub(crate) fn counter() -> Estimator {
    Estimator::new(Estimate::BytesDiv4)
}

pub(crate) fn keep(messages: &[Message], summarized: &Summarized, config: &KeepConfig) -> Kept {
    keep_window(messages, summarized, config, &counter())
}

pub(crate) fn none() -> KeepConfig {
    KeepConfig::default().min_tokens(0).min_text_messages(0)
}

pub(crate) fn call(id: &str) -> Block {
    Block::tool_use(id, "Read", json!({"file_path": "/a"}))
}

pub(crate) fn result(id: &str) -> Block {
    Block::tool_result(id, "ok")
}

/// Text messages in turns, each of about `tokens` tokens.
pub(crate) fn talk(count: usize, tokens: usize) -> Vec<Message> {
    let text = words(tokens - MESSAGE_TOKENS as usize);
    let pairs = (0..count).map(|at| match at % 2 {
        0 => Message::user(text.as_str()),
        _ => Message::assistant(text.as_str()),
    });
    pairs.collect()
}

#[test]
fn a_minimum_of_messages_is_kept() {
    let kept = keep(
        &talk(4, 10),
        &Summarized::Unknown,
        &none().min_text_messages(2),
    );
    assert_eq!((kept.range, kept.stop), (2..4, Stop::Minima));
}

#[test]
fn both_minima_have_to_be_reached() {
    let list = talk(40, 1_000);
    let kept = keep(&list, &Summarized::Unknown, &KeepConfig::default());
    assert_eq!(kept.range, 30..40);
    assert_eq!((kept.tokens, kept.text_messages), (10_000, 10));
    let few = talk(40, 4_000);
    let kept = keep(&few, &Summarized::Unknown, &KeepConfig::default());
    assert_eq!((kept.range, kept.tokens), (35..40, 20_000));
}

#[test]
fn the_maximum_stops_the_tail() {
    let list = talk(40, 15_000);
    let kept = keep(&list, &Summarized::Unknown, &KeepConfig::default());
    assert_eq!((kept.range, kept.stop), (38..40, Stop::Maximum));
    assert_eq!(kept.tokens, 30_000);
}

#[test]
fn one_turn_above_the_maximum_is_kept_alone() {
    let mut list = talk(6, 100);
    list.push(Message::user("read them"));
    list.push(Message::assistant([call("a"), call("b")]));
    list.push(Message::user([
        Block::tool_result("b", words(30_000)),
        Block::tool_result("a", words(30_000)),
    ]));
    let kept = keep(&list, &Summarized::Unknown, &KeepConfig::default());
    assert_eq!((kept.range, kept.stop), (7..9, Stop::Maximum));
    assert!(kept.tokens > 60_000);
}

#[test]
fn the_kept_tail_follows_its_configuration() {
    let (flags, ignored) = Flags::from_json(&json!({"tengu_sm_compact_config":
        {"minTokens": 2_000, "minTextBlockMessages": 3, "maxTokens": 5_000}}));
    assert_eq!(ignored, []);
    let window = Window::new(200_000, 32_000);
    let of =
        |window: &Window| Policy::new(window, &Overrides::default(), &Settings::default(), &flags);
    let config = *of(&window).keep();
    assert_eq!(config, flags.keep);
    let kept = |tokens| keep(&talk(40, tokens), &Summarized::Unknown, &config);
    assert_eq!(kept(1_000).range, 37..40);
    assert_eq!(kept(500).range, 36..40);
    assert_eq!(kept(3_000).range, 39..40);
    // The lowest window that can be configured affords the defaults, a small one does not.
    assert_eq!(KeepConfig::default().fitted(67_000), KeepConfig::default());
    let small = *of(&Window::new(8_192, 2_048)).keep();
    assert!(small.max_tokens < 3_000 && small.min_tokens < 1_000);
}

#[test]
fn what_the_notes_do_not_cover_is_kept_whatever_the_minima() {
    let list = talk(40, 1_000);
    let kept = |count| keep(&list, &Summarized::Count(count), &none());
    assert_eq!(kept(20).range, 20..40);
    assert_eq!(kept(40).range, 39..40);
    assert_eq!(kept(400).range, 39..40);
    let kept = keep(&list, &Summarized::Count(38), &KeepConfig::default());
    assert_eq!(kept.range, 30..40);
    let longer = talk(42, 1_000);
    let not = keep(&longer, &Summarized::Count(0), &KeepConfig::default());
    assert_eq!((not.range, not.stop), (0..42, Stop::NotCovered));
    let all = keep(&list, &Summarized::Count(0), &none());
    assert_eq!((all.range, all.stop), (0..40, Stop::Minima));
}

#[test]
fn the_mark_of_the_notes_is_found_by_its_id() {
    let list = world::tool_loop(20, 10);
    let kept = |uuid: &str| keep(&list, &Summarized::Uuid(uuid.to_owned()), &none()).range;
    assert_eq!(kept("uuid-20"), 21..41);
    assert_eq!(kept("gone"), 39..41);
}

#[test]
fn a_call_is_never_cut_from_its_result_wherever_the_cut() {
    let list = world::tool_loop(40, 50);
    for count in 0..=list.len() {
        let kept = keep(&list, &Summarized::Count(count), &none());
        let tail = &list[kept.range.clone()];
        assert!(kept.range.start <= count);
        assert_eq!(tail[0].results().count(), 0, "{count}");
        let whole = [&[Message::user("notes")], tail].concat();
        assert_eq!(validate(&whole), [], "{count}");
    }
}

#[test]
fn parallel_calls_stay_together_whatever_the_order_of_results() {
    let list = [
        Message::user("go"),
        Message::assistant([call("a"), call("b")]),
        Message::user([result("b")]),
        Message::user([result("a")]),
        Message::assistant("done"),
    ];
    for count in 2..4 {
        let kept = keep(&list, &Summarized::Count(count), &none());
        assert_eq!(kept.range, 1..5);
    }
}

#[test]
fn a_response_is_kept_whole_over_all_its_records() {
    let part = |block: Block| Message::assistant([block]).id("msg_1");
    let list = [
        Message::user("go"),
        part(Block::thinking("hm", "sig")),
        part(Block::text("let me look")),
        part(call("a")),
        Message::user([result("a")]),
        part(call("b")),
        Message::user([result("b")]),
        Message::assistant("done").id("msg_2"),
    ];
    for count in 1..7 {
        let kept = keep(&list, &Summarized::Count(count), &none());
        assert_eq!(kept.range, 1..8, "{count}");
    }
    assert_eq!(keep(&list, &Summarized::Count(7), &none()).range, 7..8);
    // Records without an id belong to their neighbors.
    let mut plain = list.to_vec();
    plain.iter_mut().for_each(|message| message.id = None);
    let kept = |count| keep(&plain, &Summarized::Count(count), &none()).range;
    assert_eq!((kept(2), kept(3)), (1..8, 1..8));
}

#[test]
fn open_calls_at_the_end_stay() {
    let mut list = talk(10, 100);
    list.push(Message::user("go"));
    list.push(Message::assistant([call("a"), call("b")]));
    assert_eq!(keep(&list, &Summarized::Unknown, &none()).range, 11..12);
    list.push(Message::user([result("a")]));
    assert_eq!(keep(&list, &Summarized::Unknown, &none()).range, 11..13);
}

#[test]
fn nothing_before_the_last_summary_is_kept() {
    let mut list = talk(10, 1_000);
    list.push(Message::user("what was said").origin(Origin::Summary));
    list.extend(talk(4, 1_000));
    let kept = keep(&list, &Summarized::Unknown, &KeepConfig::default());
    assert_eq!((kept.range, kept.stop), (11..15, Stop::Floor));
    list[10] = Message::user(compact_sm::boundary_text("what was said"));
    let kept = keep(&list, &Summarized::Count(3), &KeepConfig::default());
    assert_eq!((kept.range, kept.stop), (11..15, Stop::Floor));
    // Whoever only quotes the mark does not move the floor.
    list[10] = Message::user("what is __COMPACT_BOUNDARY__ for?");
    let kept = keep(&list, &Summarized::Unknown, &KeepConfig::default());
    assert_eq!(kept.range, 4..15);
}

#[test]
fn the_command_that_asks_for_a_compaction_does_not_stay() {
    let instructions = "keep every figure ".repeat(190);
    for command in [
        format!("/compact {instructions}"),
        "/compact".to_owned(),
        format!(
            "<command-name>/compact</command-name>\n<command-args>{instructions}</command-args>"
        ),
        "<command-message>compact</command-message>\n<command-name>/compact</command-name>"
            .to_owned(),
    ] {
        let mut list = talk(10, 1_000);
        list.push(Message::user(command.as_str()));
        let kept = keep(&list, &Summarized::Unknown, &none().min_text_messages(2));
        assert_eq!((kept.range, kept.left_out), (8..11, vec![10]));
        assert_eq!((kept.tokens, kept.text_messages), (2_000, 2));
        // One in the middle, from a compaction that failed.
        list.extend([
            Message::assistant("that did not work"),
            Message::user("go on"),
        ]);
        let kept = keep(&list, &Summarized::Count(10), &none());
        assert_eq!((kept.range, kept.left_out), (11..13, vec![]));
        let kept = keep(&list, &Summarized::Count(9), &none());
        assert_eq!((kept.range, kept.left_out), (9..13, vec![10]));
    }
    for other in [
        "/compacted",
        "please /compact later",
        "the /compact command",
    ] {
        let kept = keep(&[Message::user(other)], &Summarized::Unknown, &none());
        assert!(kept.left_out.is_empty());
    }
}

#[test]
fn a_list_that_cannot_be_cut_says_so() {
    let list = [
        Message::user("go"),
        Message::assistant("x"),
        Message::user([result("ghost")]),
    ];
    let kept = keep(&list, &Summarized::Unknown, &none());
    assert_eq!((kept.range, kept.stop), (0..3, Stop::NoCut));
    let behind = [&list[..], &talk(4, 10)].concat();
    assert_eq!(keep(&behind, &Summarized::Unknown, &none()).range, 6..7);
    assert_eq!(
        keep(&behind, &Summarized::Count(1), &none()).stop,
        Stop::NoCut
    );
    let empty = keep(&[], &Summarized::Unknown, &KeepConfig::default());
    assert_eq!((empty.range, empty.tokens), (0..0, 0));
}

#[test]
fn the_counter_is_asked_about_the_tail_alone() {
    struct Watched(std::cell::Cell<usize>);
    impl Counter for Watched {
        fn text(&self, text: &str) -> u64 {
            self.0.set(self.0.get() + 1);
            text.len() as u64 / 4
        }
    }
    let watched = Watched(std::cell::Cell::new(0));
    let list = talk(10_000, 1_000);
    let kept = keep_window(
        &list,
        &Summarized::Unknown,
        &KeepConfig::default(),
        &watched,
    );
    assert_eq!(kept.range.len(), 10);
    assert!(watched.0.get() <= 11);
}
