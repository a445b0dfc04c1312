//! What is read from a model's answer.

use memdir_recall::{DropReason, MAX_REPLY_BYTES, ReplyProblem, read_reply};

const OFFERED: [&str; 7] = ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md", "sub/g.md"];

#[track_caller]
fn check(reply: &str, picks: &[&str], problem: Option<ReplyProblem>) {
    let read = read_reply(reply, &OFFERED);
    assert_eq!(read.picks, picks, "{reply}");
    assert_eq!(read.problem, problem, "{reply}");
}

#[test]
fn an_empty_list_is_a_good_answer() {
    check(r#"{"selected_memories": []}"#, &[], None);
    check("[]", &[], None);
    check("```json\n[]\n```", &[], None);
    check(r#"{"selected_memories": null}"#, &[], None);
}

#[test]
fn names_outside_the_list_are_dropped_and_the_order_is_kept() {
    let read = read_reply(
        r#"["a.md","ghost.md","../x.md","a.md","A.MD","b.md","c.md","d.md","e.md","f.md"]"#,
        &OFFERED,
    );
    assert_eq!(read.picks, ["a.md", "b.md", "c.md", "d.md", "e.md"]);
    let dropped: Vec<(&str, DropReason)> = read
        .dropped
        .iter()
        .map(|d| (d.name.as_str(), d.reason))
        .collect();
    assert_eq!(
        dropped,
        [
            ("ghost.md", DropReason::NotOffered),
            ("../x.md", DropReason::Unsafe),
            ("a.md", DropReason::Duplicate),
            ("A.MD", DropReason::NotOffered),
            ("f.md", DropReason::BeyondFive),
        ]
    );
    assert_eq!(read.problem, None);
}

#[test]
fn fences_prose_and_reasoning_around_the_object_are_tolerated() {
    let plain = r#"{"selected_memories": ["b.md", "a.md"]}"#;
    let picks = ["b.md", "a.md"];
    check(plain, &picks, None);
    check(&format!("```json\n{plain}\n```"), &picks, None);
    check(
        &format!("Here you are:\n\n{plain}\n\nAnything else?"),
        &picks,
        None,
    );
    check(
        &format!("<think>maybe [c.md] or {{x}}</think>\n{plain}"),
        &picks,
        None,
    );
    check(
        &format!("{{\"selected_memories\": [\"c.md\"]}} no, rather\n{plain}"),
        &picks,
        None,
    );
    check(
        r#"{"reasoning": "…", "selected_memories": ["a.md"], "more": 1}"#,
        &["a.md"],
        None,
    );
    check(r#"{"selected_memories": "a.md"}"#, &["a.md"], None);
    check(r#"["a.md", "b.md"]"#, &["a.md", "b.md"], None);
    check(r#"I choose ["a.md"]."#, &["a.md"], None);
    check(
        r#"{"selected_memories": ["./a.md", " b.md "]}"#,
        &["a.md", "b.md"],
        None,
    );
    check(r#"{"selected_memories": ["a.md",]}"#, &["a.md"], None);
    check(
        "{\"selected_memories\":[\"sub\\u002fg.md\"]}",
        &["sub/g.md"],
        None,
    );
}

#[test]
fn an_answer_that_ends_inside_the_list_counts_up_to_there() {
    let truncated = Some(ReplyProblem::Truncated);
    check(
        r#"{"selected_memories": ["a.md", "b.m"#,
        &["a.md"],
        truncated,
    );
    check(r#"{"selected_memories": ["a.md","#, &["a.md"], truncated);
    check(r#"{"selected_memories": ["a.md""#, &["a.md"], truncated);
    check(r#"{"selected_memories": ["#, &[], truncated);
}

#[test]
fn an_answer_without_a_list_selects_nothing_and_says_why() {
    let none = Some(ReplyProblem::NoList);
    check("The user asks about tests. a.md could help, but", &[], none);
    check("<think>a.md fits", &[], none);
    check("None of the memories [see above] helps.", &[], none);
    check(r#"{"selected_memories": "#, &[], none);
    check(r#"{"memories": 5}"#, &[], none);
    check("", &[], Some(ReplyProblem::Empty));
    check(" \n", &[], Some(ReplyProblem::Empty));
    assert_eq!(
        ReplyProblem::NoList.to_string(),
        "the answer holds no list of memories"
    );
}

#[test]
fn what_the_model_thought_aloud_is_no_answer() {
    let none = Some(ReplyProblem::NoList);
    let thought = r#"<think>{"selected_memories": ["c.md"]} is one way, ["a.md"] another</think>"#;
    check(&format!("{thought}\n[]"), &[], None);
    check(&format!("{thought}\nNone of them fits."), &[], none);
    check(&format!("{thought}\n[\"b.md\"]"), &["b.md"], None);
    for tag in ["think", "thinking", "reasoning", "analysis"] {
        let text = format!("<{tag}>[\"c.md\"]?</{tag}>```json\n[\"a.md\"]\n```");
        check(&text, &["a.md"], None);
    }
    // The block was closed too late, or not at all: there is no other answer.
    check(
        r#"<think>hm {"selected_memories": ["a.md"]}</think> "#,
        &["a.md"],
        None,
    );
    check(
        r#"<think>hm {"selected_memories": ["a.md"]}"#,
        &["a.md"],
        None,
    );
    check(
        r#"<think>the key "selected_memories"</think>["a.md"]"#,
        &["a.md"],
        None,
    );
}

#[test]
fn a_bare_list_that_was_cut_counts_if_nothing_else_is_said() {
    let truncated = Some(ReplyProblem::Truncated);
    check(r#"["a.md", "b.m"#, &["a.md"], truncated);
    check("```json\n[\"a.md\", \"b.m", &["a.md"], truncated);
    check(
        r#"I looked at ["a.md", "b.m"#,
        &[],
        Some(ReplyProblem::NoList),
    );
    check("[", &[], Some(ReplyProblem::NoList));
}

#[test]
fn composed_and_decomposed_spellings_are_one_name() {
    let offered = ["cafe\u{301}.md", "b\u{e9}.md", "be\u{301}.md", "plain.md"];
    let read = read_reply("[\"caf\u{e9}.md\", \"cafe\u{301}.md\"]", &offered);
    assert_eq!(read.picks, ["cafe\u{301}.md"]);
    assert_eq!(read.dropped[0].reason, DropReason::Duplicate);
    // Each of two names that look alike is itself and no other.
    let read = read_reply("[\"be\u{301}.md\"]", &offered);
    assert_eq!(read.picks, ["be\u{301}.md"]);
    let read = read_reply("[\"b\u{e9}.md\"]", &offered);
    assert_eq!(read.picks, ["b\u{e9}.md"]);
}

#[test]
fn dropped_names_hide_nothing() {
    let read = read_reply("[\"x\u{202e}dm.\u{e0041}\"]", &OFFERED);
    assert_eq!(read.dropped[0].name, "x\\u{202e}dm.\\u{e0041}");
}

#[test]
fn what_is_no_text_is_dropped() {
    let read = read_reply(
        r#"{"selected_memories": [1, {"file": "a.md"}, "b.md"]}"#,
        &OFFERED,
    );
    assert_eq!(read.picks, ["b.md"]);
    assert!(read.dropped.iter().all(|d| d.reason == DropReason::NotText));
}

#[test]
fn a_huge_answer_is_read_up_to_its_cap() {
    let late = format!(
        "{}{}",
        " ".repeat(MAX_REPLY_BYTES),
        r#"{"selected_memories": ["a.md"]}"#
    );
    check(&late, &[], Some(ReplyProblem::Empty));
    let many = format!("[{}]", vec![r#""x\u0007""#; 5_000].join(","));
    let read = read_reply(&many, &OFFERED);
    assert_eq!(read.dropped.len(), 50);
    assert_eq!(read.dropped[0].name, "x\\u{7}");
    check(&"[".repeat(60_000), &[], Some(ReplyProblem::NoList));
    check(
        &"\"selected_memories\":[".repeat(3_000),
        &[],
        Some(ReplyProblem::Truncated),
    );
}

#[test]
fn a_name_that_begins_with_a_blank_is_itself() {
    assert_eq!(read_reply(r#"[" a.md"]"#, &[" a.md"]).picks, [" a.md"]);
    let both = [" a.md", "a.md"];
    assert_eq!(read_reply(r#"[" a.md", "a.md"]"#, &both).picks, both);
    assert_eq!(read_reply(r#"[" b.md "]"#, &["b.md"]).picks, ["b.md"]);
}
