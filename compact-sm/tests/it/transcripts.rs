//! Lines of a transcript, and the conversation that they hold.

use compact_sm::{
    By, Line, MAX_SKIPPED, Message, Origin, Parent, Reader, SkipReason, Transcript, Usage, validate,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world;

pub(crate) fn user(uuid: &str, parent: Option<&str>, content: Value) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "isSidechain": false,
        "timestamp": "2026-05-01T10:00:00.000Z", "sessionId": "s", "cwd": "/p", "gitBranch": "HEAD",
        "message": {"role": "user", "content": content}})
}

pub(crate) fn model(uuid: &str, parent: Option<&str>, id: &str, content: Value) -> Value {
    json!({"type": "assistant", "uuid": uuid, "parentUuid": parent, "isSidechain": false,
        "timestamp": "2026-05-01T10:00:05.000Z", "requestId": "r",
        "message": {"role": "assistant", "id": id, "type": "message", "content": content,
            "usage": {"input_tokens": 10, "output_tokens": 5}}})
}

pub(crate) fn called(id: &str) -> Value {
    json!([{"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "/a"}}])
}

fn answered(id: &str) -> Value {
    json!([{"tool_use_id": id, "type": "tool_result", "content": "text of the file"}])
}

pub(crate) fn boundary(uuid: &str, data: Value) -> Value {
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
fn a_file_of_garbage_lists_a_bounded_number() {
    let garbage = "{\n".repeat(MAX_SKIPPED + 500);
    let transcript = Transcript::read(garbage.as_bytes());
    assert_eq!(transcript.skipped.len(), MAX_SKIPPED);
    assert_eq!(transcript.skipped_total, MAX_SKIPPED as u64 + 500);
    assert_eq!(transcript.messages, []);
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
