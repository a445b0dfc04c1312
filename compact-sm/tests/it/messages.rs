//! Messages and their JSON.

use compact_sm::{Block, Content, Message, Origin, Role, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world;

#[track_caller]
fn check_same(json: Value) -> Message {
    let message: Message = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&message).unwrap(), json);
    // Streamed in, the order of keys is that of the text.
    let streamed: Message = serde_json::from_str(&json.to_string()).unwrap();
    assert_eq!(streamed, message);
    message
}

#[test]
fn a_request_message_is_read_and_written_alike() {
    let message = check_same(json!({"role": "user", "content": "hello"}));
    assert_eq!(message, Message::user("hello"));
    let list = check_same(json!({"role": "user", "content": [{"type": "text", "text": "hello"}]}));
    assert_eq!(list, Message::user([Block::text("hello")]));
    assert_ne!(list.content, Content::from("hello"));
}

#[test]
fn a_response_keeps_what_has_no_name_here() {
    let message = check_same(json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": null,
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s", "later": 1},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "text", "text": "t", "citations": [{"a": 1}]},
            {"type": "tool_use", "id": "a", "name": "Read", "input": {"p": [1, 2.5, null]}},
            {"type": "server_tool_use", "id": "b", "name": "web", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "b", "content": [{"type": "web"}]},
        ],
        "usage": {"input_tokens": 3, "output_tokens": 4, "cache_creation_input_tokens": 5,
            "cache_read_input_tokens": 6, "service_tier": "standard"},
    }));
    assert_eq!(message.id.as_deref(), Some("msg_1"));
    assert_eq!(message.usage.as_ref().unwrap().total(), 18);
    assert_eq!(message.content.blocks.len(), 6);
    assert!(matches!(message.content.blocks[5], Block::Other(_)));
    assert_eq!(message.to_request()["content"].as_array().unwrap().len(), 6);
    assert_eq!(message.to_request().as_object().unwrap().len(), 2);
}

#[test]
fn results_are_read_whatever_comes_first() {
    for text in [
        r#"{"role":"user","content":[{"tool_use_id":"a","type":"tool_result","content":"ok"}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","content":"ok","tool_use_id":"a"}]}"#,
        r#"{"content":[{"content":"ok","tool_use_id":"a","type":"tool_result"}],"role":"user"}"#,
    ] {
        let message: Message = serde_json::from_str(text).unwrap();
        assert_eq!(
            message,
            Message::user([Block::tool_result("a", "ok")]),
            "{text}"
        );
    }
}

#[test]
fn blocks_that_do_not_fit_their_type_are_kept_as_they_are() {
    for block in [
        json!({"type": "text"}),
        json!({"type": "text", "text": 5}),
        json!({"type": "tool_use", "id": "a", "name": "Read"}),
        json!({"type": "tool_result", "tool_use_id": "a", "content": {"x": 1}}),
        json!({"type": "tool_result", "tool_use_id": "a", "is_error": "no"}),
        json!({"type": 7, "content": "x", "text": "y"}),
        json!({"content": [{"type": "text", "text": "y"}], "tool_use_id": "a"}),
        json!("just a string"),
        json!(5),
        json!(-5),
        json!(null),
        json!(true),
        json!(0.5),
        json!([1, "a"]),
    ] {
        let message = check_same(json!({"role": "user", "content": [block]}));
        assert!(matches!(message.content.blocks[0], Block::Other(_)));
    }
}

#[test]
fn what_is_no_message_is_refused() {
    for text in [
        "{}",
        r#"{"role":"user"}"#,
        r#"{"role":"system","content":"x"}"#,
        r#"{"role":"user","content":null}"#,
        "[]",
        "3",
        "null",
        r#""user""#,
    ] {
        let error = serde_json::from_str::<Message>(text).unwrap_err();
        assert!(
            error.to_string().starts_with("expected a message"),
            "{text}: {error}"
        );
    }
}

#[test]
fn the_host_may_store_its_own_fields_beside() {
    let message = Message::user("what was said")
        .origin(Origin::Summary)
        .uuid("u1");
    let json = serde_json::to_value(&message).unwrap();
    assert_eq!(
        json,
        json!({"role": "user", "content": "what was said", "uuid": "u1", "isCompactSummary": true})
    );
    assert_eq!(serde_json::from_value::<Message>(json).unwrap(), message);
    assert_eq!(
        message.to_request(),
        json!({"role": "user", "content": "what was said"})
    );
}

#[test]
fn usage_of_the_cache_counts_and_zeros_stay() {
    let usage = check_same(json!({"role": "assistant", "content": "x", "usage":
        {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 0}}))
    .usage
    .unwrap();
    assert_eq!(usage.total(), 3);
    let mut later = usage.cache_read(7).cache_creation(2);
    assert_eq!(later.total(), 12);
    assert_eq!(
        serde_json::to_value(&later).unwrap(),
        json!({"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 7,
            "cache_creation_input_tokens": 2})
    );
    later.input_tokens = u64::MAX;
    assert_eq!(later.total(), u64::MAX);
    assert_eq!(Usage::default().total(), 0);
}

#[test]
fn a_lone_text_that_got_fields_is_written_as_a_list() {
    let mut message = Message::new(Role::User, "hi");
    if let Block::Text { extra, .. } = &mut message.content.blocks[0] {
        extra.insert("cache_control", json!({"type": "ephemeral"}));
    }
    assert_eq!(
        message.to_request()["content"],
        json!([{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}])
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z中 ]{0,6}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("type"),
        Just("text"),
        Just("content"),
        Just("tool_use_id"),
        Just("input"),
        Just("id"),
        Just("name"),
        Just("source"),
        Just("x"),
        Just("is_error"),
        Just("role"),
        Just("usage"),
        Just("thinking"),
        Just("signature"),
    ];
    let kind = prop_oneof![
        Just("text"),
        Just("tool_use"),
        Just("tool_result"),
        Just("thinking"),
        Just("image"),
        Just("document"),
        Just("redacted_thinking"),
        Just("other"),
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            (
                proptest::collection::hash_map(key.clone().prop_map(str::to_owned), inner, 0..5),
                proptest::option::of(kind.clone())
            )
                .prop_map(|(map, kind)| {
                    let mut map: serde_json::Map<_, _> = map.into_iter().collect();
                    if let Some(kind) = kind {
                        map.insert("type".to_owned(), kind.into());
                    }
                    Value::Object(map)
                }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_content_survives_reading_and_writing(blocks in proptest::collection::vec(any_json(), 0..4)) {
        check_same(json!({"role": "assistant", "content": blocks}));
    }

    #[test]
    fn conversations_survive_reading_and_writing(rounds in world::rounds()) {
        let list = world::conversation(&rounds, true);
        let text = serde_json::to_string(&list).unwrap();
        let back: Vec<Message> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(back, list);
    }
}
