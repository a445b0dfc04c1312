//! Messages as odd clients write them, and what no request takes.

use compact_sm::{
    Block, Content, Limits, Message, Origin, RepairKind, Role, Rule, Usage, repair, validate,
    validate_with,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(json: &Value) -> Message {
    let message: Message = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(&serde_json::to_value(&message).unwrap(), json);
    message
}

fn rules(messages: &[Message]) -> Vec<Rule> {
    let found = validate(messages).into_iter();
    found.map(|violation| violation.rule).collect()
}

fn called() -> Vec<Message> {
    let call = Block::tool_use("a", "Read", json!({}));
    vec![Message::user("go"), Message::assistant([call])]
}

#[test]
fn a_result_whose_fields_are_null_is_a_result() {
    let json = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": null, "is_error": null}]});
    let message = read(&json);
    assert_eq!(message.results().collect::<Vec<_>>(), ["a"]);
    let late = json!({"role": "user", "content": [
        {"content": null, "tool_use_id": "a", "type": "tool_result"}]});
    assert_eq!(read(&late).results().count(), 1);
    let mut list = called();
    list.push(message);
    assert_eq!(validate_with(&list, &Limits::request()), []);
    // What is set later takes the place of the null.
    let Block::ToolResult { content, .. } = &mut list[2].content.blocks[0] else {
        panic!("a result");
    };
    *content = Some(Content::from("text"));
    let text = serde_json::to_string(&list[2]).unwrap();
    assert_eq!(text.matches("content").count(), 2, "{text}");
}

#[test]
fn no_field_is_written_twice() {
    let odd = json!({"role": "assistant", "content": "x", "id": 5, "uuid": null, "isMeta": true,
        "isCompactSummary": true,
        "usage": {"input_tokens": null, "output_tokens": "many", "cache_read_input_tokens": 0,
            "cache_1h_input_tokens": 7}});
    let mut message = read(&odd);
    message.id = Some("msg".to_owned());
    message.uuid = Some("u".to_owned());
    message.origin = Origin::Meta;
    let usage = message.usage.as_mut().unwrap();
    (usage.input_tokens, usage.cache_read_input_tokens) = (3, 4);
    let text = serde_json::to_string(&message).unwrap();
    for key in [
        "id",
        "uuid",
        "isMeta",
        "input_tokens",
        "cache_read_input_tokens",
    ] {
        assert_eq!(
            text.matches(&format!("\"{key}\":")).count(),
            1,
            "{key} in {text}"
        );
    }
    let back: Message = serde_json::from_str(&text).unwrap();
    assert_eq!(
        back.usage.unwrap().total(),
        Usage::new(3, 0).cache_read(4).total()
    );
    for block in [
        Block::text("x"),
        Block::tool_use("a", "b", json!({})),
        Block::image("i", "d"),
    ] {
        let mut block = block;
        if let Block::Text { extra, .. }
        | Block::ToolUse { extra, .. }
        | Block::Image { extra, .. } = &mut block
        {
            for key in ["type", "text", "id", "input", "source"] {
                extra.insert(key, json!("again"));
            }
        }
        let text = serde_json::to_string(&block).unwrap();
        assert_eq!(
            text.matches("\"type\":").count(),
            1 + text.matches("base64").count(),
            "{text}"
        );
    }
}

#[test]
fn numbers_are_written_as_they_were_read() {
    let text = r#"{"role":"user","content":[{"type":"x","n":[0.1,13.404954,5e-324,1.7976931348623157e+308,30000000000000.004,2.2250738585072014e-308,9007199254740993,18446744073709551615]}]}"#;
    let message: Message = serde_json::from_str(text).unwrap();
    let Block::Other(value) = &message.content.blocks[0] else {
        panic!("unknown");
    };
    let written = value["n"].to_string();
    assert_eq!(
        written,
        "[0.1,13.404954,5e-324,1.7976931348623157e+308,30000000000000.004,2.2250738585072014e-308,9007199254740993,18446744073709551615]"
    );
}

#[test]
fn blocks_without_what_their_type_demands_are_reported_and_left_out() {
    for block in [
        json!({"type": "text"}),
        json!({"type": "text", "text": null}),
        json!({"type": "image"}),
        json!({"type": 5}),
        json!({"text": "no type"}),
        json!("text"),
        json!(null),
        json!(7),
        json!([]),
    ] {
        let list = vec![read(&json!({"role": "user", "content": [
            {"type": "text", "text": "so"}, block]}))];
        assert_eq!(rules(&list), [Rule::Malformed], "{list:?}");
        let repaired = repair(list);
        assert_eq!(rules(&repaired.messages), []);
        assert_eq!(repaired.messages[0].content.blocks.len(), 1);
        assert_eq!(repaired.repairs[0].kind, RepairKind::Malformed);
    }
    for block in [
        json!({"type": "thinking", "thinking": "no signature"}),
        json!({"type": "redacted_thinking"}),
        json!({"type": "tool_use", "id": "a", "name": "b"}),
    ] {
        let list = vec![
            Message::user("go"),
            read(&json!({"role": "assistant", "content": [
                block, {"type": "text", "text": "so"}]})),
        ];
        assert_eq!(rules(&list), [Rule::Malformed], "{list:?}");
        assert_eq!(rules(&repair(list).messages), []);
    }
}

#[test]
fn types_without_a_name_here_are_the_servers_business() {
    let server = json!({"role": "assistant", "content": [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {"type": "text", "text": "found", "citations": [{"type": "x"}]}]});
    let list = vec![Message::user("go"), read(&server)];
    assert_eq!(validate(&list), []);
    assert_eq!(repair(list.clone()).messages, list);
    // A block that was made by hand has all that it needs.
    let by_hand = Block::Other(json!({"type": "text", "text": "hi"}));
    assert_eq!(validate(&[Message::user([by_hand])]), []);
}

#[test]
fn no_calls_results_or_reasoning_stand_inside_a_result() {
    for inner in [
        Block::tool_use("b", "Read", json!({})),
        Block::tool_result("a", "x"),
        Block::thinking("x", "s"),
        Block::Other(json!({"type": "image"})),
    ] {
        let mut list = called();
        list.push(Message::user([Block::tool_result(
            "a",
            [Block::text("t"), inner],
        )]));
        assert_eq!(rules(&list), [Rule::Malformed]);
        assert_eq!(rules(&repair(list).messages), []);
    }
}

#[test]
fn calls_wait_no_longer_once_somebody_has_spoken() {
    let mut list = called();
    list.push(Message::user("never mind"));
    let id = || "a".to_owned();
    assert_eq!(rules(&list), [Rule::CallWithoutResult { id: id() }]);
    let repaired = repair(list).messages;
    assert_eq!(validate_with(&repaired, &Limits::request()), []);
    assert_eq!(repaired[2].texts().collect::<Vec<_>>(), ["never mind"]);
    // Some of the results may have come before the others.
    let mut list = called();
    let Content { blocks, .. } = &mut list[1].content;
    blocks.push(Block::tool_use("b", "Read", json!({})));
    list.push(Message::user([Block::tool_result("b", "x")]));
    assert_eq!(rules(&list), []);
}

#[test]
fn a_call_without_arguments_gets_none() {
    let call = Block::tool_use("a", "Read", Value::Null);
    let repaired = repair(vec![Message::user("go"), Message::assistant([call])]);
    let Block::ToolUse { input, .. } = &repaired.messages[1].content.blocks[0] else {
        panic!("a call");
    };
    assert_eq!(input, &json!({}));
}

#[test]
fn ids_and_names_of_other_services_are_reported_and_made_words() {
    let run = |id: &str, name: &str| {
        vec![
            Message::assistant([Block::tool_use(id, name, json!({}))]),
            Message::user([Block::tool_result(id, id)]),
        ]
    };
    let mut list = vec![Message::user("go")];
    for (id, name) in [
        ("functions.read:0", "mcp.read"),
        ("functions_read_0", "Read"),
        ("functions read 0", "Read"),
        ("调用", "读"),
        ("诶诶", "Read"),
        ("", ""),
    ] {
        list.extend(run(id, name));
    }
    let found = rules(&list);
    assert_eq!(
        found
            .iter()
            .filter(|rule| matches!(rule, Rule::BadId { .. }))
            .count(),
        5
    );
    assert_eq!(
        found
            .iter()
            .filter(|rule| matches!(rule, Rule::BadName { .. }))
            .count(),
        3
    );
    let repaired = repair(list);
    assert_eq!(validate_with(&repaired.messages, &Limits::request()), []);
    let results: Vec<&str> = repaired
        .messages
        .iter()
        .flat_map(Message::results)
        .collect();
    assert_eq!(
        results,
        [
            "functions_read_0_1",
            "functions_read_0",
            "functions_read_0_2",
            "__",
            "___1",
            "_"
        ]
    );
    assert_eq!(repaired.repairs[0].kind, RepairKind::Renamed);
    // However many there are that come out alike.
    let odd = (0..20_000_u32).map(|at| char::from_u32(0x4E00 + at).unwrap().to_string());
    let list: Vec<Message> = [Message::user("go")]
        .into_iter()
        .chain(odd.flat_map(|id| run(&id, "Read")))
        .collect();
    let repaired = repair(list);
    assert_eq!(repaired.messages.len(), 40_001);
    assert_eq!(rules(&repaired.messages), []);
}

#[test]
fn a_response_that_returns_and_then_thinks_stands_in_two_places() {
    let list = vec![
        Message::user("go"),
        Message::assistant("first").id("m"),
        Message::user("and"),
        Message::assistant("second").id("m"),
        Message::assistant([Block::thinking("hm", "sig"), Block::text("so")]).id("m"),
        Message::assistant([Block::thinking("hm", "sig"), Block::text("so")]).id("m"),
    ];
    let id = "m".to_owned();
    assert_eq!(rules(&list), [Rule::ResponseApart { id }]);
    assert_eq!(rules(&list[..4]), []);
    let repaired = repair(list);
    assert_eq!(rules(&repaired.messages), []);
    assert_eq!(repaired.messages.len(), 6);
}

/// Blocks of every kind, with few ids, so that everything meets everything.
fn block() -> impl Strategy<Value = Block> {
    let id = || (0..4_u8).prop_map(|id| format!("t{id}"));
    prop_oneof![
        4 => Just(Block::text("say")),
        1 => Just(Block::text(" \n")),
        4 => id().prop_map(|id| Block::tool_use(id, "Read", json!({}))),
        1 => id().prop_map(|id| Block::tool_use(id, "Read", json!(5))),
        4 => id().prop_map(|id| Block::tool_result(id, "found")),
        1 => Just(Block::tool_use("t.1", "a b", json!({}))),
        1 => Just(Block::tool_result("t.1", "found")),
        1 => id().prop_map(|id| Block::tool_error(id, " ")),
        1 => id().prop_map(|id| Block::tool_result(id, [Block::text(""), Block::image("i", "d")])),
        1 => id().prop_map(|id| Block::tool_result(id, [Block::thinking("x", "s")])),
        2 => Just(Block::thinking("hm", "sig")),
        1 => Just(Block::thinking("hm", "")),
        1 => Just(Block::redacted_thinking("opaque")),
        1 => Just(Block::image("image/png", "aWNvbg==")),
        1 => Just(Block::Other(json!({"type": "server_tool_use", "id": "s"}))),
        1 => Just(Block::Other(json!({"type": "tool_use", "id": "t1"}))),
        1 => Just(Block::Other(json!(null))),
    ]
}

pub(crate) fn message() -> impl Strategy<Value = Message> {
    let blocks = proptest::collection::vec(block(), 0..4);
    (any::<bool>(), blocks, 0..5_u8).prop_map(|(user, blocks, id)| {
        let role = if user { Role::User } else { Role::Assistant };
        let message = Message::new(role, blocks);
        if id < 3 && !user {
            message.id(format!("msg_{id}"))
        } else {
            message
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn whatever_the_list_its_repair_is_valid_and_final(list in proptest::collection::vec(message(), 0..9)) {
        let said = |list: &[Message]| list.iter().flat_map(Message::texts).filter(|t| *t == "say").count();
        let before = said(&list);
        let valid = validate(&list).is_empty();
        let repaired = repair(list.clone());
        prop_assert_eq!(validate(&repaired.messages), vec![]);
        prop_assert_eq!(said(&repaired.messages), before);
        if valid {
            prop_assert_eq!(&repaired.messages, &list);
            prop_assert_eq!(repaired.repairs, vec![]);
        }
        let again = repair(repaired.messages.clone());
        prop_assert_eq!(again.messages, repaired.messages);
        prop_assert_eq!(again.repairs, vec![]);
    }
}
