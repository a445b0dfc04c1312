//! The law, table by table, and the cache, the streams and the faults over real connections.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Action, Answer, Server, law};

fn request(messages: Value) -> Value {
    let tool = json!({ "name": "Read", "input_schema": { "type": "object" } });
    json!({ "model": "m", "max_tokens": 100, "tools": [tool], "messages": messages })
}

fn call(id: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "Read", "input": {} })
}

fn result(id: &str) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id, "content": "text" })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[track_caller]
fn passes(messages: Value) {
    if let Err(refused) = law::check(&request(messages)) {
        panic!("{}", refused.message);
    }
}

#[track_caller]
fn refused(body: &Value, why: &str) {
    match law::check(body) {
        Ok(()) => panic!("passed, expected {why:?}"),
        Err(refused) => assert!(refused.message.contains(why), "{}", refused.message),
    }
}

#[test]
fn conversations_that_the_api_takes() {
    passes(json!([{ "role": "user", "content": "a" }]));
    passes(json!([
        { "role": "user", "content": [text("a")] },
        { "role": "assistant", "content": [text("b"), call("1"), call("2")] },
        { "role": "user", "content": [result("2"), result("1"), text("and?")] },
        { "role": "assistant", "content": "c" },
        { "role": "user", "content": "d" },
    ]));
    // Neighbors of one role are one turn.
    passes(json!([
        { "role": "user", "content": "a" },
        { "role": "assistant", "content": [law::thinking_block("hm"), text("b")] },
        { "role": "assistant", "content": [call("1")] },
        { "role": "user", "content": [result("1")] },
        { "role": "user", "content": "d" },
    ]));
}

#[test]
fn conversations_that_the_api_refuses() {
    let user = json!({ "role": "user", "content": "a" });
    let asked = json!({ "role": "assistant", "content": [call("1")] });
    let answered = json!({ "role": "user", "content": [result("1")] });
    let mut changed = law::thinking_block("hm");
    changed["thinking"] = json!("other");
    let rows: Vec<(Value, &str)> = vec![
        (json!([]), "at least one message"),
        (
            json!([{ "role": "assistant", "content": "a" }, user]),
            "first message",
        ),
        (
            json!([user, { "role": "assistant", "content": "b" }]),
            "prefill",
        ),
        (json!([{ "role": "user", "content": "" }]), "non-empty"),
        (json!([{ "role": "user", "content": [] }]), "non-empty"),
        (
            json!([{ "role": "user", "content": [text("")] }]),
            "non-empty",
        ),
        (
            json!([{ "role": "user", "content": [text(" \n")] }]),
            "non-whitespace",
        ),
        (
            json!([{ "role": "system", "content": "a" }]),
            "expected user or assistant",
        ),
        (
            json!([{ "role": "user", "content": "a", "id": "x" }]),
            "Extra inputs",
        ),
        (json!([user, asked, user]), "without `tool_result`"),
        (
            json!([user, { "role": "assistant", "content": "b" }, answered]),
            "unexpected `tool_use_id`",
        ),
        (
            json!([user, asked, { "role": "user", "content": [text("a"), result("1")] }]),
            "must come first",
        ),
        (
            json!([user, asked, { "role": "user", "content": [result("1"), result("1")] }]),
            "single result",
        ),
        (json!([user, asked, answered, asked, answered]), "unique"),
        (
            json!([user, { "role": "assistant", "content": [changed, text("b")] }, user]),
            "signature",
        ),
        (
            json!([user, { "role": "assistant", "content": [text("b"), law::thinking_block("hm")] }, user]),
            "cannot be `thinking`",
        ),
        (
            json!([{ "role": "user", "content": [call("1")] }]),
            "may not stand",
        ),
        (
            json!([{ "role": "user", "content": [{ "type": "poem" }] }]),
            "expected tags",
        ),
    ];
    for (messages, why) in rows {
        refused(&request(messages), why);
    }
}

#[test]
fn requests_that_the_api_refuses() {
    let good = request(json!([{ "role": "user", "content": "a" }]));
    let with = |key: &str, value: Value| {
        let mut body = good.clone();
        body[key] = value;
        body
    };
    let marked = json!({ "type": "text", "text": "a", "cache_control": { "type": "ephemeral" } });
    let picture = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } });
    refused(&with("max_tokens", json!(0)), "max_tokens");
    refused(&with("surprise", json!(1)), "Extra inputs");
    refused(&with("system", json!([text("")])), "non-empty");
    refused(
        &with("system", json!(vec![marked.clone(); 5])),
        "maximum of 4",
    );
    refused(
        &with(
            "messages",
            json!([{ "role": "user", "content": vec![picture.clone(); 101] }]),
        ),
        "Too many images",
    );
    refused(
        &with(
            "thinking",
            json!({ "type": "enabled", "budget_tokens": 2_000 }),
        ),
        "greater than",
    );
    refused(
        &with(
            "tools",
            json!([{ "name": "a b", "input_schema": { "type": "object" } }]),
        ),
        "name",
    );
    let mut odd = picture;
    odd["source"]["data"] = json!("not base64");
    refused(
        &with("messages", json!([{ "role": "user", "content": [odd] }])),
        "base64",
    );
    let loop_of_tools = json!([
        { "role": "user", "content": "a" },
        { "role": "assistant", "content": [call("1")] },
        { "role": "user", "content": [result("1")] },
    ]);
    let mut body = request(loop_of_tools.clone());
    body["thinking"] = json!({ "type": "adaptive" });
    refused(&body, "must start with a thinking block");
    let mut body = request(loop_of_tools);
    body["tools"] = Value::Null;
    refused(&body, "must define tools");
}

fn send(server: &Server, body: &Value) -> String {
    let body = body.to_string();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\nanthropic-version: 2023-06-01\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn answers_come_whole_and_as_events() {
    let server = Server::start().unwrap();
    let mut body = request(json!([{ "role": "user", "content": "a" }]));
    server.next([
        Action::text("hello"),
        Action::Answer(Answer::call("1", "Read", json!({ "a": 1 }))),
    ]);
    assert!(send(&server, &body).contains("\"text\":\"hello\""));
    body["stream"] = json!(true);
    let events = send(&server, &body);
    for part in [
        "event: message_start",
        "input_json_delta",
        "\"stop_reason\":\"tool_use\"",
        "event: message_stop",
        "\r\n0\r\n",
    ] {
        assert!(events.contains(part), "{part}: {events}");
    }
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn faults_come_on_command() {
    let server = Server::start().unwrap();
    let body = request(json!([{ "role": "user", "content": "a" }]));
    server.next([
        Action::refuse(429, "rate_limit_error", Some(3)),
        Action::TooLong { over: 17 },
        Action::CutBody,
        Action::Html,
    ]);
    assert!(send(&server, &body).contains("retry-after: 3"));
    assert!(send(&server, &body).contains("prompt is too long: 200017 tokens > 200000 maximum"));
    assert!(send(&server, &body).ends_with("{\"type\":\"mess"));
    assert!(send(&server, &body).starts_with("HTTP/1.1 502"));
    server.window(1);
    assert!(send(&server, &body).contains("prompt is too long"));
    let refused = server
        .seen()
        .iter()
        .filter(|seen| seen.refused.is_some())
        .count();
    assert_eq!(refused, 3);
}

#[test]
fn a_stream_is_cut_in_the_middle_of_a_text() {
    let server = Server::start().unwrap();
    let mut body = request(json!([{ "role": "user", "content": "a" }]));
    body["stream"] = json!(true);
    server.next([Action::CutBody]);
    let events = send(&server, &body);
    assert!(events.contains("text_delta"), "{events}");
    assert!(
        !events.contains("message_stop") && !events.ends_with("\r\n0\r\n\r\n"),
        "{events}"
    );
}

#[test]
fn the_cache_reads_a_prefix_and_nothing_else() {
    let server = Server::start().unwrap();
    let marked = |text: &str| json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } });
    let body = |system: &str, more: &[Value]| {
        let mut messages = vec![json!({ "role": "user", "content": [marked("the question")] })];
        messages.extend_from_slice(more);
        let mut body = request(json!(messages));
        body["system"] = json!([marked(system)]);
        body
    };
    let more = [
        json!({ "role": "assistant", "content": "an answer" }),
        json!({ "role": "user", "content": [marked("and then?")] }),
    ];
    for body in [body("s", &[]), body("s", &more), body("other", &more)] {
        send(&server, &body);
    }
    let usage: Vec<Value> = server.seen().into_iter().map(|seen| seen.usage).collect();
    let read = |at: usize| usage[at]["cache_read_input_tokens"].as_u64().unwrap();
    let written = |at: usize| usage[at]["cache_creation_input_tokens"].as_u64().unwrap();
    assert_eq!(read(0), 0);
    assert_eq!(read(1), written(0));
    assert!(written(1) > 0);
    // Another system prompt leaves the tools alone, which no mark covers.
    assert_eq!(read(2), 0);
}

#[test]
fn a_hanging_request_ends_with_the_server() {
    let server = Server::start().unwrap();
    server.next([Action::Hang]);
    let address = server.address;
    let body = request(json!([{ "role": "user", "content": "a" }]));
    let client = std::thread::spawn(move || {
        let body = body.to_string();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "POST /v1/messages HTTP/1.1\r\nx-api-key: k\r\nanthropic-version: 2023-06-01\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    });
    while server.seen().is_empty() {
        std::thread::yield_now();
    }
    drop(server);
    assert_eq!(client.join().unwrap(), "");
}
