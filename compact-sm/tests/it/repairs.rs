//! Lists from elsewhere, made valid.

use compact_sm::{Block, Message, RepairKind, Role, Rule, repair, validate};
use proptest::prelude::*;
use serde_json::json;

use crate::world;

fn call(id: &str) -> Block {
    Block::tool_use(id, "Bash", json!({"command": "ls"}))
}

fn result(id: &str) -> Block {
    Block::tool_result(id, "ok")
}

#[track_caller]
fn check(list: Vec<Message>, wanted: &[Message], repairs: &[(usize, RepairKind)]) {
    let repaired = repair(list);
    assert_eq!(repaired.messages, wanted);
    let found: Vec<_> = repaired.repairs.iter().map(|r| (r.index, r.kind)).collect();
    assert_eq!(found, repairs);
    assert_eq!(validate(&repaired.messages), []);
}

#[test]
fn responses_stopped_while_thinking_are_left_out() {
    let go = || Message::user("go");
    let stopped = Message::assistant([Block::thinking("hm", "s")]).id("m");
    check(
        vec![
            go(),
            stopped,
            Message::user("again"),
            Message::assistant(" \n "),
        ],
        &[go(), Message::user("again")],
        &[
            (1, RepairKind::Thinking),
            (1, RepairKind::Dropped),
            (3, RepairKind::EmptyText),
            (3, RepairKind::Dropped),
        ],
    );
}

#[test]
fn an_interrupted_call_is_answered_once_the_conversation_went_on() {
    let start = vec![Message::user("go"), Message::assistant([call("a")])];
    check(start.clone(), &start, &[]);
    let mut list = start.clone();
    list.push(Message::user("never mind"));
    let error = Block::tool_error("a", "The call was interrupted and has no result.");
    let wanted = [
        start[0].clone(),
        start[1].clone(),
        Message::user([error, Block::text("never mind")]),
    ];
    let repaired = repair(list);
    assert_eq!(repaired.messages.len(), 3);
    assert_eq!(
        repaired.messages[2].content.blocks,
        wanted[2].content.blocks
    );
    assert_eq!(repaired.repairs[0].kind, RepairKind::Interrupted);
    assert_eq!(validate(&repaired.messages), []);
}

#[test]
fn results_find_their_call() {
    let repaired = repair(vec![
        Message::user("go"),
        Message::assistant([call("a")]),
        Message::user("wait"),
        Message::assistant("yes?"),
        Message::user([result("a"), result("ghost"), Block::text("there")]),
    ]);
    assert_eq!(validate(&repaired.messages), []);
    assert_eq!(repaired.messages[2].results().collect::<Vec<_>>(), ["a"]);
    assert_eq!(repaired.messages[4].results().count(), 0);
    let behind = repair(vec![
        Message::user("go"),
        Message::assistant([call("a"), call("b")]),
        Message::user([Block::text("x"), result("b")]),
        Message::user([result("a")]),
    ]);
    assert_eq!(validate(&behind.messages), []);
    assert_eq!(behind.messages[2].content.blocks.len(), 3);
}

#[test]
fn a_list_that_begins_with_the_model_is_opened() {
    let repaired = repair(vec![Message::assistant("so")]);
    assert_eq!(repaired.messages.len(), 2);
    assert_eq!(repaired.messages[0].role, Role::User);
    assert_eq!(repaired.repairs[0].kind, RepairKind::Opened);
}

fn any_message() -> impl Strategy<Value = Message> {
    let block = (0..11_u8, 0..6_u8).prop_map(|(kind, id)| {
        let id = format!("id{id}");
        match kind {
            0 => Block::text(" "),
            1 => Block::thinking("t", "s"),
            2 => Block::thinking("t", ""),
            3 => Block::redacted_thinking("d"),
            4 => Block::tool_use(id, "Read", json!({})),
            5 => Block::tool_use(id, "Read", json!(7)),
            6 => Block::tool_result(id, vec![Block::text("")]),
            7 => Block::tool_error(id, ""),
            8 => Block::image("image/png", "aQ=="),
            9 => Block::tool_result(id, "r"),
            _ => Block::text("x"),
        }
    });
    let blocks = proptest::collection::vec(block, 0..4);
    (any::<bool>(), blocks, proptest::option::of(0..3_u8)).prop_map(|(user, blocks, id)| {
        let message = Message::new(if user { Role::User } else { Role::Assistant }, blocks);
        match id {
            Some(id) if !user => message.id(format!("m{id}")),
            _ => message,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_list_becomes_valid(list in proptest::collection::vec(any_message(), 0..12)) {
        let repaired = repair(list);
        let counts = |rule: &Rule| matches!(rule, Rule::TooManyImages { .. });
        let left: Vec<_> = validate(&repaired.messages).into_iter().filter(|v| !counts(&v.rule)).collect();
        prop_assert_eq!(left, vec![], "{:#?}", repaired.messages);
        // Nothing is left to do.
        let again = repair(repaired.messages.clone());
        prop_assert_eq!(again.repairs, vec![]);
        prop_assert_eq!(again.messages, repaired.messages);
    }

    #[test]
    fn a_valid_list_stays_as_it_is(rounds in world::rounds(), open: bool) {
        let list = world::conversation(&rounds, open);
        let repaired = repair(list.clone());
        prop_assert_eq!(repaired.repairs, vec![]);
        prop_assert_eq!(repaired.messages, list);
    }
}
