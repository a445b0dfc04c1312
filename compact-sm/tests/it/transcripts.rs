//! Lines of a transcript, and the conversation that they hold.

use std::io::{self, BufReader, Read};

use compact_sm::{
    Block, Boundary, By, Chain, Line, LineKind, MAX_LINE_BYTES, MAX_SKIPPED, Message, Origin,
    Parent, Reader, SkipReason, Transcript, Usage, validate,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world;

fn user(uuid: &str, parent: Option<&str>, content: Value) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "isSidechain": false,
        "timestamp": "2026-05-01T10:00:00.000Z", "sessionId": "s", "cwd": "/p", "gitBranch": "HEAD",
        "message": {"role": "user", "content": content}})
}

fn model(uuid: &str, parent: Option<&str>, id: &str, content: Value) -> Value {
    json!({"type": "assistant", "uuid": uuid, "parentUuid": parent, "isSidechain": false,
        "timestamp": "2026-05-01T10:00:05.000Z", "requestId": "r",
        "message": {"role": "assistant", "id": id, "type": "message", "content": content,
            "usage": {"input_tokens": 10, "output_tokens": 5}}})
}

fn called(id: &str) -> Value {
    json!([{"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "/a"}}])
}

fn answered(id: &str) -> Value {
    json!([{"tool_use_id": id, "type": "tool_result", "content": "text of the file"}])
}

fn boundary(uuid: &str, data: Value) -> Value {
    json!({"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": null,
        "logicalParentUuid": "u9", "isSidechain": false, "content": "Conversation compacted",
        "level": "info", "isMeta": false, "timestamp": "2026-05-01T11:00:00.000Z",
        "compactMetadata": data})
}

fn summary(uuid: &str, parent: &str) -> Value {
    let mut line = user(uuid, Some(parent), json!("what was said"));
    line["isCompactSummary"] = json!(true);
    line
}

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn read(lines: &[Value]) -> Transcript {
    Transcript::read(file(lines).as_bytes())
}

fn uuids(transcript: &Transcript) -> Vec<&str> {
    transcript
        .messages
        .iter()
        .map(|message| message.uuid.as_deref().unwrap())
        .collect()
}

#[test]
fn lines_are_read_and_written_alike() {
    let mut meta = user("u1", None, json!("caveat"));
    meta["isMeta"] = json!(true);
    meta["toolUseResult"] = json!({"stdout": "x", "n": [1, null]});
    for line in [
        meta,
        model("a1", Some("u1"), "msg_1", called("t1")),
        boundary("b", json!({"trigger": "auto", "preTokens": 1})),
        json!({"type": "summary", "summary": "A title", "leafUuid": "a1"}),
        json!({"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}}),
        json!({"type": "user", "message": {"role": "system", "content": "?"}, "uuid": 7}),
        json!({"type": 3, "isSidechain": "no", "parentUuid": 5}),
        json!({}),
    ] {
        let parsed: Line = serde_json::from_value(line.clone()).unwrap();
        assert_eq!(parsed.to_json(), line);
    }
}

#[test]
fn a_message_becomes_a_line_and_comes_back() {
    let message = Message::user("short").uuid("u7").origin(Origin::Summary);
    let mut line = Line::from_message(message.clone(), Parent::Uuid("b".to_owned()));
    line.timestamp = Some("2026-05-01T10:00:00Z".to_owned());
    line.extra.insert("sessionId", "s".into());
    assert_eq!(
        line.to_json(),
        json!({"type": "user", "uuid": "u7", "parentUuid": "b", "isSidechain": false,
            "timestamp": "2026-05-01T10:00:00Z", "sessionId": "s", "isCompactSummary": true,
            "message": {"role": "user", "content": "short"}})
    );
    let text = line.to_json().to_string();
    let back = Reader::new(text.as_bytes()).next().unwrap().unwrap();
    assert_eq!(back, line);
    assert_eq!(back.into_message(), Some(message));
}

#[test]
fn a_conversation_is_read_in_its_order() {
    let transcript = read(&[
        json!({"type": "summary", "summary": "A title", "leafUuid": "a1"}),
        user("u1", None, json!("hi")),
        json!({"type": "mode", "mode": "x"}),
        model("a1", Some("u1"), "msg_1", called("t1")),
        user("u2", Some("a1"), answered("t1")),
        json!({"type": "progress", "uuid": "p1", "parentUuid": "u2", "data": {}}),
        model(
            "a2",
            Some("p1"),
            "msg_2",
            json!([{"type": "text", "text": "done"}]),
        ),
    ]);
    assert_eq!(uuids(&transcript), ["u1", "a1", "u2", "a2"]);
    assert_eq!(transcript.titles, ["A title"]);
    assert_eq!(
        transcript.answered.as_deref(),
        Some("2026-05-01T10:00:05.000Z")
    );
    assert_eq!(transcript.skipped, []);
    assert_eq!(validate(&transcript.messages), []);
    assert_eq!(transcript.messages[1].usage, Some(Usage::new(10, 5)));
}

#[test]
fn branches_that_were_left_are_not_part_of_it() {
    let transcript = read(&[
        user("u1", None, json!("hi")),
        model(
            "a1",
            Some("u1"),
            "msg_1",
            json!([{"type": "text", "text": "no"}]),
        ),
        user("u2", Some("u1"), json!("hi again")),
        model(
            "a2",
            Some("u2"),
            "msg_2",
            json!([{"type": "text", "text": "yes"}]),
        ),
    ]);
    assert_eq!(uuids(&transcript), ["u1", "u2", "a2"]);
}

#[test]
fn parallel_calls_branch_and_are_put_together() {
    let transcript = read(&[
        user("u1", None, json!("go")),
        model(
            "a1",
            Some("u1"),
            "msg_1",
            json!([{"type": "thinking", "thinking": "t", "signature": "s"}]),
        ),
        model("a2", Some("a1"), "msg_1", called("t1")),
        model("a3", Some("a2"), "msg_1", called("t2")),
        user("r1", Some("a2"), answered("t1")),
        user("r2", Some("a3"), answered("t2")),
        model(
            "a4",
            Some("r1"),
            "msg_2",
            json!([{"type": "text", "text": "done"}]),
        ),
    ]);
    assert_eq!(
        uuids(&transcript),
        ["u1", "a1", "a2", "a3", "r1", "r2", "a4"]
    );
    assert_eq!(validate(&transcript.messages), []);
    let other = read(&[
        user("u1", None, json!("go")),
        model("a2", Some("u1"), "msg_1", called("t1")),
        model("a3", Some("u1"), "msg_1", called("t2")),
        user("r1", Some("a2"), answered("t1")),
        user("r2", Some("a3"), answered("t2")),
        model(
            "a4",
            Some("r2"),
            "msg_2",
            json!([{"type": "text", "text": "done"}]),
        ),
    ]);
    assert_eq!(validate(&other.messages), []);
    assert_eq!(other.messages.len(), 6);
}

#[test]
fn side_chains_are_left_out_unless_the_file_is_one() {
    let mut side = model(
        "s1",
        Some("u1"),
        "msg_9",
        json!([{"type": "text", "text": "sub"}]),
    );
    side["isSidechain"] = json!(true);
    let main = user("u1", None, json!("go"));
    assert_eq!(uuids(&read(&[main.clone(), side.clone()])), ["u1"]);
    let mut task = main;
    task["isSidechain"] = json!(true);
    assert_eq!(uuids(&read(&[task, side])), ["u1", "s1"]);
}

#[test]
fn reading_begins_at_the_last_boundary() {
    let transcript = read(&[
        user("u1", None, json!("long ago")),
        model(
            "a1",
            Some("u1"),
            "msg_1",
            json!([{"type": "text", "text": "x"}]),
        ),
        boundary("b1", json!({"trigger": "auto", "preTokens": 167_189})),
        summary("s1", "b1"),
        user("u2", Some("s1"), json!("on")),
    ]);
    assert_eq!(uuids(&transcript), ["s1", "u2"]);
    assert_eq!(transcript.messages[0].origin, Origin::Summary);
    assert_eq!(transcript.boundaries[0].pre_tokens, Some(167_189));
    assert_eq!(transcript.boundaries[0].trigger, By::Auto);
}

#[test]
fn the_kept_tail_follows_the_summary_and_its_usage_is_gone() {
    let data = json!({"trigger": "manual", "preTokens": 9, "postTokens": 3, "durationMs": 1500,
        "cumulativeDroppedTokens": 6,
        "preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"},
        "preservedMessages": {"anchorUuid": "s1", "uuids": ["u2", "a2"], "allUuids": ["u2", "a2"]}});
    let start = [
        user("u1", None, json!("long ago")),
        model(
            "a1",
            Some("u1"),
            "msg_1",
            json!([{"type": "text", "text": "x"}]),
        ),
        user("u2", Some("a1"), json!("kept")),
        model(
            "a2",
            Some("u2"),
            "msg_2",
            json!([{"type": "text", "text": "kept too"}]),
        ),
        boundary("b1", data),
        summary("s1", "b1"),
    ];
    // The next line follows the tail or the summary: both have been seen.
    for parent in ["a2", "s1"] {
        let next = user("u3", Some(parent), json!("on"));
        let transcript = read(&[&start[..], &[next]].concat());
        assert_eq!(
            uuids(&transcript),
            ["s1", "u2", "a2", "u3"],
            "after {parent}"
        );
        assert_eq!(transcript.messages[2].usage, None);
        assert_eq!(
            transcript.boundaries[0].duration.unwrap().as_millis(),
            1_500
        );
    }
    assert_eq!(uuids(&read(&start)), ["s1", "u2", "a2"]);
}

#[test]
fn a_broken_boundary_is_passed_over() {
    for data in [
        json!(null),
        json!("x"),
        json!({"trigger": 5}),
        json!({"trigger": "later"}),
    ] {
        let mut broken = boundary("b2", data);
        broken["parentUuid"] = json!("u2");
        let transcript = read(&[
            boundary("b1", json!({"trigger": "auto", "preTokens": 1})),
            summary("s1", "b1"),
            user("u2", Some("s1"), json!("on")),
            broken,
            user("u3", Some("b2"), json!("and on")),
        ]);
        assert_eq!(uuids(&transcript), ["s1", "u2", "u3"]);
        assert_eq!(transcript.boundaries.len(), 1);
    }
}

#[test]
fn a_missing_parent_does_not_end_the_conversation() {
    let transcript = read(&[
        user("u1", None, json!("hi")),
        model(
            "a1",
            Some("lost"),
            "msg_1",
            json!([{"type": "text", "text": "x"}]),
        ),
        user("u2", Some("a1"), json!("on")),
    ]);
    assert_eq!(uuids(&transcript), ["u1", "a1", "u2"]);
    assert_eq!(transcript.orphans, 1);
    // Lines in a ring end the walk.
    let ring = read(&[
        user("x", Some("y"), json!("1")),
        user("y", Some("x"), json!("2")),
    ]);
    assert_eq!(ring.messages.len(), 2);
}

#[test]
fn lines_without_ids_are_a_conversation_too() {
    let text = concat!(
        r#"{"type":"user","message":{"role":"user","content":"hi"}}"#,
        "\n",
        r#"{"type":"assistant","message":{"role":"assistant","content":"hello"}}"#,
        "\n",
    );
    let transcript = Transcript::read(text.as_bytes());
    assert_eq!(
        transcript.messages,
        [Message::user("hi"), Message::assistant("hello")]
    );
}

#[test]
fn what_only_the_person_sees_is_left_out() {
    let mut error = model(
        "a1",
        Some("u1"),
        "x",
        json!([{"type": "text", "text": "API Error"}]),
    );
    error["isApiErrorMessage"] = json!(true);
    let transcript = read(&[
        user("u1", None, json!("hi")),
        error,
        user("u2", Some("a1"), json!("again")),
    ]);
    assert_eq!(uuids(&transcript), ["u1", "u2"]);
}

#[test]
fn a_broken_last_line_is_reported_and_nothing_else_is_lost() {
    let whole = file(&[
        user("u1", None, json!("hi")),
        user("u2", Some("u1"), json!("so")),
    ]);
    let start = whole.find('\n').unwrap() + 1;
    for cut in start..whole.len() {
        let transcript = Transcript::read(&whole.as_bytes()[..cut]);
        if cut == start {
            assert_eq!(transcript.skipped, []);
        } else if cut == whole.len() - 1 {
            // Only the line feed is missing.
            assert_eq!(transcript.messages.len(), 2);
            continue;
        } else {
            assert_eq!(transcript.skipped.len(), 1, "{cut}");
            assert_eq!(transcript.skipped[0].reason, SkipReason::Unfinished);
            assert_eq!(transcript.skipped[0].line, 2);
        }
        assert_eq!(uuids(&transcript), ["u1"]);
    }
}

#[test]
fn foreign_lines_are_skipped_with_a_reason_that_quotes_nothing() {
    let text = "\u{feff}{\"type\":\"mode\"}\r\n\nnot json secret\n\"secret\"\n{\"type\":\"a\"}{\"type\":\"b\"} \n[1]\n{\"a\":\n\0\0\n{\"type\":\"c\"}";
    let mut kinds = Vec::new();
    let mut skipped = Vec::new();
    for line in Reader::new(text.as_bytes()) {
        match line {
            Ok(line) => kinds.push(line.kind.as_str().to_owned()),
            Err(why) => skipped.push(why),
        }
    }
    assert_eq!(kinds, ["mode", "a", "b", "c"]);
    let lines: Vec<u64> = skipped.iter().map(|s| s.line).collect();
    assert_eq!(lines, [3, 4, 6, 7, 8]);
    for why in &skipped {
        assert!(!why.to_string().contains("secret"), "{why}");
        assert!(why.to_string().contains("expected a JSON object"), "{why}");
    }
    let bytes: &[u8] =
        b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"\xff\"}}\n{}\n";
    let found: Vec<bool> = Reader::new(bytes).map(|line| line.is_ok()).collect();
    assert_eq!(found, [false, true]);
}

#[test]
fn deep_lines_are_refused_by_name() {
    let deep = format!(
        "{{\"a\":{}1{}}}\n{{}}\n",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    let found: Vec<_> = Reader::new(deep.as_bytes()).collect();
    assert_eq!(found.len(), 2);
    assert!(matches!(
        &found[0].as_ref().unwrap_err().reason,
        SkipReason::NotJson(_)
    ));
}

#[test]
fn a_line_without_end_is_passed_over_in_bounded_memory() {
    let long = io::repeat(b'x').take(MAX_LINE_BYTES as u64 + 4_096);
    let source = BufReader::new(long.chain(&b"\n{\"type\":\"mode\"}\n"[..]));
    let found: Vec<_> = Reader::new(source).collect();
    let first = found[0].as_ref().unwrap_err();
    assert_eq!((first.line, &first.reason), (1, &SkipReason::TooLong));
    assert_eq!(found[1].as_ref().unwrap().kind.as_str(), "mode");
    assert_eq!(found.len(), 2);
}

#[test]
fn a_source_that_fails_ends_the_reading_with_a_reason() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }
    let source = BufReader::new(b"{\"type\":\"mode\"}\n".chain(Failing));
    let found: Vec<_> = Reader::new(source).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[1].as_ref().unwrap_err().to_string(),
        "line 2: the file could not be read on: gone"
    );
}

#[test]
fn a_file_of_garbage_lists_a_bounded_number() {
    let garbage = "{\n".repeat(MAX_SKIPPED + 500);
    let transcript = Transcript::read(garbage.as_bytes());
    assert_eq!(transcript.skipped.len(), MAX_SKIPPED);
    assert_eq!(transcript.skipped_total, MAX_SKIPPED as u64 + 500);
    assert_eq!(transcript.messages, []);
}

#[test]
fn chains_and_kinds_are_plain_values() {
    let line: Line = serde_json::from_str(r#"{"type":"attachment","isSidechain":true}"#).unwrap();
    assert_eq!(
        (line.kind, line.chain),
        (LineKind::Attachment, Some(Chain::Side))
    );
    assert_eq!(line.parent, Parent::Unsaid);
    assert!(Boundary::from_json(&json!({"type": "system"})).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_is_read_back(rounds in world::rounds(), open: bool) {
        let list = world::conversation(&rounds, open);
        let mut text = String::new();
        let mut parent = Parent::None;
        for message in &list {
            let uuid = message.uuid.clone().unwrap();
            let line = Line::from_message(message.clone(), std::mem::replace(&mut parent, Parent::Uuid(uuid)));
            text.push_str(&line.to_json().to_string());
            text.push('\n');
        }
        let transcript = Transcript::read(text.as_bytes());
        prop_assert_eq!(transcript.messages, list);
        prop_assert_eq!(transcript.skipped, vec![]);
    }

    #[test]
    fn any_bytes_are_lines_or_skipped(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let count = Reader::new(&bytes[..]).count();
        prop_assert!(count <= bytes.len());
        let _ = Transcript::read(&bytes[..]);
    }

    #[test]
    fn any_tree_of_lines_ends(parents in proptest::collection::vec((0..9_u8, 0..9_u8, any::<bool>()), 0..30)) {
        let lines: Vec<Value> = parents.iter().enumerate().map(|(at, (uuid, parent, speaks))| {
            let (uuid, parent) = (format!("n{uuid}"), format!("n{parent}"));
            let id = format!("msg_{}", at % 3);
            if *speaks { model(&uuid, Some(&parent), &id, called(&format!("t{at}"))) }
            else { user(&uuid, Some(&parent), answered(&format!("t{}", at / 2))) }
        }).collect();
        let transcript = read(&lines);
        prop_assert!(transcript.messages.len() <= lines.len());
        prop_assert_eq!(validate(&transcript.into_conversation().messages), vec![]);
    }

    #[test]
    fn a_summary_survives_the_text_form(summary in "(?s).{0,80}|(\\]|\n|__COMPACT_BOUNDARY__|\\[earlier conversation truncated - ){0,6}") {
        let text = compact_sm::boundary_text(&summary);
        prop_assert_eq!(compact_sm::read_boundary_text(&text), Some(summary.as_str()));
    }
}

#[test]
fn texts_that_only_speak_of_a_boundary_are_none() {
    for text in [
        "__COMPACT_BOUNDARY__",
        "see __COMPACT_BOUNDARY__\n[earlier conversation truncated - x]",
        "__COMPACT_BOUNDARY__\n[earlier conversation truncated - x] and more",
        "__COMPACT_BOUNDARY__ [earlier conversation truncated - x]",
        "[earlier conversation truncated - x]",
        "",
    ] {
        assert_eq!(compact_sm::read_boundary_text(text), None, "{text}");
    }
    assert!(Message::user([Block::text("x")]).has_text());
}

#[test]
fn the_record_of_a_boundary_has_the_fields_of_the_format() {
    let data = json!({"trigger": "manual", "preTokens": 9, "postTokens": 3, "durationMs": 1500,
        "cumulativeDroppedTokens": 6,
        "preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"},
        "preservedMessages": {"anchorUuid": "s1", "uuids": ["u2"], "allUuids": ["u2", "a2"]}});
    let mut line = boundary("b1", data);
    line["slug"] = json!("happy-fox");
    let record = Boundary::from_json(&line).unwrap();
    assert_eq!(record.to_json(), line);
    let old = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b",
        "session_id": "s", "compact_metadata": {"trigger": "auto", "pre_tokens": 5}});
    assert_eq!(Boundary::from_json(&old).unwrap().pre_tokens, Some(5));
}
