//! Lines of a transcript, one by one.

use std::io::{self, BufReader, Read};

use compact_sm::{
    Block, Boundary, Chain, Line, LineKind, MAX_LINE_BYTES, Message, Origin, Parent, Reader,
    SkipReason,
};
use serde_json::json;

use crate::transcripts::{boundary, called, model, user};

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
fn chains_and_kinds_are_plain_values() {
    let line: Line = serde_json::from_str(r#"{"type":"attachment","isSidechain":true}"#).unwrap();
    assert_eq!(
        (line.kind, line.chain),
        (LineKind::Attachment, Some(Chain::Side))
    );
    assert_eq!(line.parent, Parent::Unsaid);
    assert!(Boundary::from_json(&json!({"type": "system"})).is_none());
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
