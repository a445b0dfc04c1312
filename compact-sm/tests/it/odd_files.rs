//! Transcripts that were branched, compacted several times, cut short or written by odd clients.

use std::fmt::Write as _;

use compact_sm::{Line, Message, Origin, Reader, SkipReason, Transcript, validate};
use serde_json::{Value, json};

use crate::transcripts::{boundary, called, model, user};

fn say(uuid: &str, parent: &str) -> Value {
    match uuid.starts_with('a') {
        true => {
            let text = json!([{"type": "text", "text": uuid}]);
            model(uuid, Some(parent), &format!("msg_{uuid}"), text)
        }
        false => user(uuid, Some(parent), json!(uuid)),
    }
}

fn kept(uuid: &str, head: &str, anchor: &str, tail: &str) -> Value {
    let ends = json!({"headUuid": head, "anchorUuid": anchor, "tailUuid": tail});
    boundary(
        uuid,
        json!({"trigger": "auto", "preTokens": 1, "preservedSegment": ends}),
    )
}

fn summary(uuid: &str, parent: &str) -> Value {
    let mut line = user(uuid, Some(parent), json!("what was said"));
    line["isCompactSummary"] = json!(true);
    line
}

#[track_caller]
fn check(lines: &[Value], wanted: &str) -> Transcript {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let transcript = Transcript::read(text.as_bytes());
    let uuids = transcript.messages.iter();
    let uuids: Vec<&str> = uuids.map(|m| m.uuid.as_deref().unwrap_or("?")).collect();
    assert_eq!(uuids.join(" "), wanted);
    transcript
}

/// Two exchanges, of which the second is kept.
fn once() -> Vec<Value> {
    vec![
        user("u1", None, json!("hi")),
        say("a1", "u1"),
        say("u2", "a1"),
        say("a2", "u2"),
        kept("b1", "u2", "s1", "a2"),
        summary("s1", "b1"),
    ]
}

#[test]
fn a_summary_that_is_only_visible_in_the_transcript_goes_to_the_model() {
    let mut lines = once();
    lines[5]["isVisibleInTranscriptOnly"] = json!(true);
    let transcript = check(&[&lines[..], &[say("u3", "a2")]].concat(), "s1 u2 a2 u3");
    assert_eq!(transcript.messages[0].origin, Origin::Summary);
    // Other lines of that kind do not.
    let mut note = say("u3", "a2");
    note["isVisibleInTranscriptOnly"] = json!(true);
    check(
        &[&lines[..], &[note, say("u4", "u3")]].concat(),
        "s1 u2 a2 u4",
    );
}

#[test]
fn a_compaction_of_a_side_chain_does_not_lose_the_kept_tail() {
    let mut side = boundary("b9", json!({"trigger": "auto", "preTokens": 1}));
    side["isSidechain"] = json!(true);
    for parent in ["s1", "a2"] {
        let lines = [&once()[..], &[side.clone(), say("u3", parent)]].concat();
        check(&lines, "s1 u2 a2 u3");
    }
}

#[test]
fn each_of_several_boundaries_has_its_own_kept_tail() {
    let mut lines = once();
    lines.extend([
        say("u3", "a2"),
        say("a3", "u3"),
        kept("b2", "a2", "s2", "a3"),
        summary("s2", "b2"),
        say("u4", "a3"),
        say("a4", "u4"),
        kept("b3", "u4", "s3", "a4"),
        summary("s3", "b3"),
    ]);
    check(&lines[..8], "s1 u2 a2 u3 a3");
    check(&lines[..12], "s2 a2 u3 a3 u4 a4");
    check(&lines, "s3 u4 a4");
    // Somebody goes back to before the last compaction, or to before the second.
    let back = |parent: &str| [&lines[..], &[say("u9", parent)]].concat();
    check(&back("a4"), "s3 u4 a4 u9");
    check(&back("s2"), "s2 a2 u3 a3 u9");
    check(&back("s1"), "s1 u2 a2 u9");
    check(&back("a1"), "u1 a1 u9");
    // Or to the middle of what was kept: the rest of it was left.
    check(&back("u4"), "s3 u4 u9");
    check(&back("u3"), "s2 a2 u3 u9");
    check(&back("u2"), "s1 u2 u9");
}

#[test]
fn a_boundary_that_nothing_follows_takes_nothing_away() {
    let lines = once();
    check(&lines[..5], "u1 a1 u2 a2");
    let transcript = check(&lines[..4], "u1 a1 u2 a2");
    assert_eq!(validate(&transcript.messages), []);
    check(&[boundary("b", json!({"trigger": "auto"}))], "");
}

#[test]
fn ends_of_a_kept_tail_that_are_nowhere_are_passed_over() {
    for (head, anchor, tail) in [
        ("x", "s1", "a2"),
        ("u2", "x", "a2"),
        ("u2", "s1", "x"),
        ("a2", "s1", "u2"),
        ("s1", "s1", "s1"),
        ("u2", "u1", "a2"),
        ("b1", "b1", "b1"),
    ] {
        let mut lines = once();
        lines[4] = kept("b1", head, anchor, tail);
        check(&[&lines[..], &[say("u3", "s1")]].concat(), "s1 u3");
        // Nobody knows what was kept, so nothing is lost.
        check(&[&lines[..], &[say("u3", "a2")]].concat(), "u1 a1 u2 a2 u3");
    }
}

#[test]
fn the_list_of_what_was_kept_has_the_ends_too() {
    let mut lines = once();
    lines[4] = boundary(
        "b1",
        json!({"trigger": "auto", "preTokens": 1, "preservedMessages":
        {"anchorUuid": "s1", "uuids": ["u2", "a2"], "allUuids": ["u2", "p", "a2"]}}),
    );
    check(&[&lines[..], &[say("u3", "s1")]].concat(), "s1 u2 a2 u3");
    for list in [json!([]), json!([5]), json!(null)] {
        lines[4]["compactMetadata"]["preservedMessages"] =
            json!({"anchorUuid": "s1", "uuids": list});
        check(&[&lines[..], &[say("u3", "s1")]].concat(), "s1 u3");
    }
}

#[test]
fn many_boundaries_that_point_everywhere_end_soon() {
    let count = 3_000;
    let mut text = String::new();
    for at in 0..count {
        let line = user(&format!("n{at}"), None, json!("x"));
        writeln!(text, "{line}").unwrap();
    }
    for at in 0..count {
        let (head, tail) = (format!("n{}", at / 2), format!("n{}", count - 1 - at / 2));
        let line = kept(&format!("b{at}"), &head, &format!("s{}", at % 7), &tail);
        writeln!(text, "{line}").unwrap();
        let parent = format!("n{}", (at * 7) % count);
        writeln!(text, "{}", summary(&format!("s{at}"), &parent)).unwrap();
    }
    let transcript = Transcript::read(text.as_bytes());
    assert!(transcript.messages.len() <= 2 * count);
}

#[test]
fn half_a_character_does_not_cost_the_line() {
    // Clients that count in half characters cut between the two.
    let half = |text: &str| {
        format!(r#"{{"type":"user","uuid":"u","message":{{"role":"user","content":"{text}"}}}}"#)
    };
    for (text, wanted) in [
        (r"cut \ud83d", "cut \u{fffd}"),
        (r"\ude00 cut", "\u{fffd} cut"),
        (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
        (r"\ud83d\n\\ud83d \uD83Dx", "\u{fffd}\n\\ud83d \u{fffd}x"),
    ] {
        let file = format!(
            "{}\n{}\n",
            half(text),
            half("next").replace("\"u\"", "\"v\"")
        );
        let mut reader = Reader::new(file.as_bytes());
        let line = reader.next().unwrap().unwrap();
        assert_eq!(line.into_message().unwrap().texts().next(), Some(wanted));
        assert_eq!(reader.mended(), 1);
        assert!(reader.next().unwrap().is_ok() && reader.next().is_none());
        assert_eq!(reader.mended(), 1);
        let transcript = Transcript::read(file.as_bytes());
        assert_eq!((transcript.messages.len(), transcript.mended), (2, 1));
        assert_eq!(transcript.skipped, []);
    }
}

#[test]
fn bytes_that_are_no_text_do_not_cost_the_line() {
    let mut file = br#"{"type":"user","uuid":"u","message":{"role":"user","content":"a "#.to_vec();
    file.extend(b"\xff\xc3 b\"}}{\"type\":\"mode\"}\n{\"type\":\"user\"");
    let mut reader = Reader::new(&file[..]);
    let message = reader.next().unwrap().unwrap().into_message().unwrap();
    assert_eq!(message.texts().next(), Some("a \u{fffd}\u{fffd} b"));
    assert_eq!(reader.next().unwrap().unwrap().kind.as_str(), "mode");
    let cut = reader.next().unwrap().unwrap_err();
    assert_eq!((cut.line, cut.reason), (2, SkipReason::Unfinished));
    // What is broken in another way stays broken.
    let mut reader = Reader::new(&b"{\"a\":\"\\ud83d\xff\",}\n{}"[..]);
    assert!(matches!(
        reader.next().unwrap().unwrap_err().reason,
        SkipReason::NotJson(_)
    ));
    assert!(reader.next().unwrap().is_ok());
    assert_eq!(reader.mended(), 0);
}

#[test]
fn a_file_of_pretty_json_is_listed_and_no_conversation() {
    let pretty =
        serde_json::to_string_pretty(&json!({"messages": [user("u1", None, json!("hi"))]}));
    let transcript = Transcript::read(pretty.unwrap().as_bytes());
    assert_eq!(transcript.messages, []);
    assert!(transcript.skipped_total > 5);
}

#[test]
fn lines_of_ten_thousand_levels_are_passed_over_or_listed() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let file = format!(
        "{{\"type\":\"user\",\"uuid\":\"u1\",\"toolUseResult\":{deep},\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}\n{{\"type\":\"user\",\"uuid\":\"u2\",\"parentUuid\":\"u1\",\"message\":{{\"role\":\"user\",\"content\":{deep}}}}}\n{}",
        user("u3", Some("u2"), json!("on"))
    );
    let transcript = Transcript::read(file.as_bytes());
    assert_eq!(transcript.messages.len(), 2);
    assert_eq!((transcript.skipped_total, transcript.orphans), (1, 1));
}

#[test]
fn parallel_results_with_odd_parents_are_put_together() {
    let answer = |id: &str| json!([{"tool_use_id": id, "type": "tool_result", "content": "x"}]);
    let calls = json!([{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]);
    let transcript = check(
        &[
            user("u1", None, json!("go")),
            model("a1", Some("u1"), "m1", calls),
            user("r1", Some("a1"), answer("t1")),
            model("a2", Some("a1"), "m1", called("t2")),
            user("r2", Some("a2"), answer("t2")),
            user("r3", Some("a2"), answer("t2")),
            say("a3", "r2"),
        ],
        "u1 a1 r1 a2 r2 a3",
    );
    assert_eq!(validate(&transcript.messages), []);
}

#[test]
fn a_line_that_is_read_and_written_is_the_same_line() {
    let odd = json!({"type": "user", "uuid": "u", "parentUuid": null, "isSidechain": false,
        "isCompactSummary": true, "isMeta": true,
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": null}]}});
    let line: Line = serde_json::from_value(odd.clone()).unwrap();
    assert_eq!(line.to_json(), odd);
    let message: Message = line.into_message().unwrap();
    assert_eq!(message.origin, Origin::Summary);
}
