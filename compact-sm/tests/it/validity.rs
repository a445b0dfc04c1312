//! The law of a valid conversation.

use compact_sm::{Block, Limits, Message, Rule, Violation, validate, validate_with};
use proptest::prelude::*;
use serde_json::json;

use crate::world;

fn call(id: &str) -> Block {
    Block::tool_use(id, "Bash", json!({"command": "ls"}))
}

fn result(id: &str) -> Block {
    Block::tool_result(id, "ok")
}

fn think() -> Block {
    Block::thinking("hm", "sig")
}

#[track_caller]
fn check(messages: &[Message], wanted: &[(usize, Option<usize>, &str)]) {
    check_with(messages, &Limits::default(), wanted);
}

#[track_caller]
fn check_with(messages: &[Message], limits: &Limits, wanted: &[(usize, Option<usize>, &str)]) {
    let found = validate_with(messages, limits);
    let shown: Vec<_> = found
        .iter()
        .map(|v| (v.index, v.block, v.rule.to_string()))
        .collect();
    let shown: Vec<_> = shown.iter().map(|(i, b, r)| (*i, *b, r.as_str())).collect();
    assert_eq!(shown, wanted);
}

#[test]
fn ordinary_conversations_are_valid() {
    check(&[], &[]);
    check(&[Message::user("hi"), Message::assistant("hello")], &[]);
    check(&world::tool_loop(40, 5), &[]);
    // Neighbors of one role are one turn.
    check(
        &[
            Message::user("a"),
            Message::user("b"),
            Message::assistant("c"),
        ],
        &[],
    );
}

#[test]
fn parallel_calls_are_paired_by_id() {
    let ask = Message::user("go");
    let both = Message::assistant([call("a"), call("b")]);
    let backwards = Message::user([result("b"), result("a")]);
    check(&[ask.clone(), both.clone(), backwards], &[]);
    let apart = [Message::user([result("b")]), Message::user([result("a")])];
    check(&[&[ask.clone(), both.clone()][..], &apart].concat(), &[]);
    let one = Message::user([result("a")]);
    check(
        &[ask, both, one, Message::assistant("so")],
        &[(
            1,
            Some(1),
            "expected the result of \"b\" in the next message",
        )],
    );
}

#[test]
fn the_last_calls_may_wait_but_not_in_a_request() {
    let list = [
        Message::user("go"),
        Message::assistant([call("a"), call("b")]),
    ];
    check(&list, &[]);
    let partly = [&list[..], &[Message::user([result("a")])]].concat();
    check(&partly, &[]);
    check_with(
        &partly,
        &Limits::request(),
        &[(
            1,
            Some(1),
            "expected the result of \"b\" in the next message",
        )],
    );
    check_with(
        &list,
        &Limits::request(),
        &[
            (1, None, "expected the user to speak last"),
            (
                1,
                Some(0),
                "expected the result of \"a\" in the next message",
            ),
            (
                1,
                Some(1),
                "expected the result of \"b\" in the next message",
            ),
        ],
    );
    check_with(
        &[],
        &Limits::request(),
        &[(0, None, "expected the user to speak last")],
    );
}

#[test]
fn results_need_their_call_directly_before() {
    check(
        &[Message::user([result("a")])],
        &[(0, Some(0), "expected the call \"a\" in the message before")],
    );
    let late = [
        Message::user("go"),
        Message::assistant([call("a")]),
        Message::user("wait"),
        Message::assistant("yes?"),
        Message::user([result("a")]),
    ];
    check(
        &late,
        &[
            (
                1,
                Some(0),
                "expected the result of \"a\" in the next message",
            ),
            (4, Some(0), "expected the call \"a\" in the message before"),
        ],
    );
    let twice = [
        Message::user("go"),
        Message::assistant([call("a")]),
        Message::user([result("a"), result("a")]),
    ];
    check(&twice, &[(2, Some(1), "the call \"a\" has two results")]);
}

#[test]
fn results_come_first_in_their_turn() {
    let list = |answers: Vec<Message>| {
        [
            vec![Message::user("go"), Message::assistant([call("a")])],
            answers,
        ]
        .concat()
    };
    check(
        &list(vec![Message::user([result("a"), Block::text("and")])]),
        &[],
    );
    let behind = Message::user([Block::text("and"), result("a")]);
    let what = "expected tool results before anything else";
    check(&list(vec![behind]), &[(2, Some(1), what)]);
    let apart = vec![Message::user("and"), Message::user([result("a")])];
    check(&list(apart), &[(3, Some(0), what)]);
}

#[test]
fn the_user_speaks_first() {
    check(
        &[Message::assistant("hi")],
        &[(0, None, "expected the user to speak first")],
    );
}

#[test]
fn texts_say_something() {
    let what = "expected a text that is not empty";
    check(&[Message::user(" \n")], &[(0, Some(0), what)]);
    check(
        &[Message::user(Vec::new())],
        &[(0, None, "expected at least one block")],
    );
    let inside = Block::tool_result("a", vec![Block::text("")]);
    let list = [
        Message::user("go"),
        Message::assistant([call("a")]),
        Message::user([inside]),
    ];
    check(&list, &[(2, Some(0), what)]);
    // An empty string is a result like any other, unless it is an error.
    let list = |block| {
        [
            Message::user("go"),
            Message::assistant([call("a")]),
            Message::user([block]),
        ]
    };
    check(&list(Block::tool_result("a", "")), &[]);
    check(
        &list(Block::tool_error("a", "")),
        &[(2, Some(0), "expected an error to say something")],
    );
}

#[test]
fn roles_say_what_they_may() {
    let image = || Block::image("image/png", "aQ==");
    let document = || Block::document("application/pdf", "aQ==");
    check(
        &[
            Message::user([call("a"), think(), image(), document()]),
            Message::assistant([result("b"), image(), document()]),
        ],
        &[
            (0, Some(0), "a tool call from the user"),
            (0, Some(1), "reasoning from the user"),
            (1, Some(0), "a tool result from the assistant"),
            (1, Some(1), "an image from the assistant"),
            (1, Some(2), "a document from the assistant"),
        ],
    );
}

#[test]
fn reasoning_is_signed_and_followed_by_something() {
    let list = |blocks: Vec<Block>| [Message::user("go"), Message::assistant(blocks)];
    check(&list(vec![think(), Block::text("yes")]), &[]);
    let ends = "expected something after the reasoning";
    check(&list(vec![think()]), &[(1, Some(0), ends)]);
    check(
        &list(vec![Block::text("a"), Block::redacted_thinking("x")]),
        &[(1, Some(1), ends)],
    );
    let unsigned = Block::thinking("hm", "");
    check(
        &list(vec![unsigned, Block::text("yes")]),
        &[(1, Some(0), "expected reasoning to be signed")],
    );
}

#[test]
fn a_response_that_thinks_stands_in_one_place() {
    let part = |blocks: Vec<Block>| Message::assistant(blocks).id("msg_1");
    let streamed = [
        Message::user("go"),
        part(vec![think()]),
        part(vec![call("a")]),
        Message::user([result("a")]),
        part(vec![call("b")]),
        Message::user([result("b")]),
    ];
    check(&streamed, &[]);
    let apart = [
        Message::user("go"),
        part(vec![think(), Block::text("a")]),
        Message::user("stop"),
        part(vec![Block::text("b")]),
    ];
    let what = "the response \"msg_1\" thinks and stands in two places";
    check(&apart, &[(3, None, what)]);
}

#[test]
fn calls_have_arguments_and_ids_of_their_own() {
    let list = [
        Message::user("go"),
        Message::assistant([Block::tool_use("a", "Bash", json!("ls"))]),
        Message::user([result("a")]),
        Message::assistant([call("a")]),
        Message::user([result("a")]),
    ];
    check(
        &list,
        &[
            (1, Some(0), "expected the arguments to be an object"),
            (3, Some(0), "the id \"a\" names two calls"),
        ],
    );
}

#[test]
fn images_documents_and_cache_marks_are_counted_inside_results_too() {
    let image = || Block::image("image/png", "aQ==");
    let nested = Block::tool_result("a", (0..60).map(|_| image()).collect::<Vec<_>>());
    let list = [
        Message::user((0..41).map(|_| image()).collect::<Vec<_>>()),
        Message::assistant([call("a")]),
        Message::user([nested]),
    ];
    check(&list, &[(2, Some(0), "expected at most 100 images")]);
    check_with(&list, &Limits::default().images(600), &[]);
    let document = || Block::document("application/pdf", "aQ==");
    let many = [Message::user([document(), document()])];
    let limits = Limits::default().documents(1);
    check_with(
        &many,
        &limits,
        &[(0, Some(1), "expected at most 1 documents")],
    );
    let marked = |at: usize| {
        let json =
            json!({"type": "text", "text": at.to_string(), "cache_control": {"type": "ephemeral"}});
        serde_json::from_value::<Block>(json).unwrap()
    };
    let list = [Message::user((0..5).map(marked).collect::<Vec<_>>())];
    check(&list, &[(0, Some(4), "expected at most 4 cache marks")]);
    let own = Limits::default().cache_marks(2);
    check_with(
        &list,
        &own,
        &[(0, Some(2), "expected at most 2 cache marks")],
    );
}

#[test]
fn a_violation_says_where() {
    let found = validate(&[Message::user([call("a")])]);
    assert_eq!(
        found[0].to_string(),
        "message 0, block 0: a tool call from the user"
    );
    let Violation { rule, .. } = validate(&[Message::assistant("x")]).remove(0);
    assert_eq!(rule, Rule::FirstNotUser);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn generated_conversations_are_valid(rounds in world::rounds(), open: bool) {
        prop_assert_eq!(validate(&world::conversation(&rounds, open)), vec![]);
    }
}
