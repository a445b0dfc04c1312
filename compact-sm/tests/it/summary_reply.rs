//! What is read from an answer, and what is refused.

use compact_sm::{BadSummary, Block, Extent, Message, SummaryReply, read_summary};

fn read(text: &str) -> Result<String, BadSummary> {
    read_summary(&SummaryReply::text(text)).map(|summary| summary.text)
}

#[test]
fn the_scratchpad_is_thrown_away_and_the_summary_is_read() {
    assert_eq!(
        read("<analysis>\nhm\n</analysis>\n\n<summary>\n1. All\n</summary>").unwrap(),
        "1. All"
    );
    assert_eq!(read("<summary>a</summary> bye").unwrap(), "a");
    assert_eq!(
        read("<analysis>x</analysis> plain words").unwrap(),
        "plain words"
    );
    assert_eq!(read("just words").unwrap(), "just words");
    assert_eq!(
        read("prose with {\"json\":1} inside").unwrap(),
        "prose with {\"json\":1} inside"
    );
}

#[test]
fn a_scratchpad_that_speaks_of_the_tags_does_not_leak() {
    let text = "<analysis>I will write <summary> next</analysis>\n<summary>real</summary>";
    assert_eq!(read(text).unwrap(), "real");
    let text =
        "First <analysis>, then a <summary>.\n<analysis>x</analysis>\n<summary>real</summary>";
    assert_eq!(read(text).unwrap(), "real");
    let text = "I think, then write a <summary>.\n<analysis>x</analysis>\n<summary>real</summary>";
    assert_eq!(read(text).unwrap(), "real");
    let text = "<analysis>I will write <summary> next</analysis>\nreal";
    assert_eq!(read(text).unwrap(), "real");
}

#[test]
fn a_summary_may_quote_the_tags() {
    let text = "<summary>the tags are <analysis> and <summary>x</summary>, see?</summary>";
    assert_eq!(
        read(text).unwrap(),
        "the tags are <analysis> and <summary>x</summary>, see?"
    );
}

#[test]
fn answers_without_text_are_no_summary() {
    assert_eq!(read(""), Err(BadSummary::Empty));
    assert_eq!(read(" \n "), Err(BadSummary::Empty));
    assert_eq!(read("<summary> </summary>"), Err(BadSummary::Empty));
    let none = SummaryReply::from_message(Message::assistant(Vec::<Block>::new()));
    assert_eq!(read_summary(&none), Err(BadSummary::Empty));
    let blanks =
        SummaryReply::from_message(Message::assistant([Block::text(""), Block::text("\n")]));
    assert_eq!(read_summary(&blanks), Err(BadSummary::Empty));
}

#[test]
fn reasoning_alone_is_no_summary() {
    let reply = SummaryReply::from_message(Message::assistant([
        Block::thinking("hm", "sig"),
        Block::text(" "),
    ]));
    assert_eq!(read_summary(&reply), Err(BadSummary::ReasoningOnly));
    assert_eq!(read("<analysis>all of it"), Err(BadSummary::ReasoningOnly));
}

#[test]
fn an_answer_that_calls_a_tool_is_no_summary_even_with_text() {
    let call = Block::tool_use("t", "Read", serde_json::json!({}));
    let reply = SummaryReply::from_message(Message::assistant([
        Block::text("<summary>s</summary>"),
        call,
    ]));
    assert_eq!(
        read_summary(&reply),
        Err(BadSummary::CalledTool {
            name: Some("Read".to_owned())
        })
    );
    let reply = SummaryReply::text("words").stop_reason("tool_use");
    assert_eq!(
        read_summary(&reply),
        Err(BadSummary::CalledTool { name: None })
    );
}

#[test]
fn a_tool_call_in_words_is_no_summary() {
    for text in [
        "<tool_call>\n{}</tool_call>",
        "<summary><invoke name=\"Read\"></summary>",
    ] {
        assert_eq!(
            read(text),
            Err(BadSummary::CalledTool { name: None }),
            "{text}"
        );
    }
    assert!(read("they wrote <tool_call> by hand").is_ok());
}

#[test]
fn words_before_a_tool_call_in_words_do_not_make_it_a_summary() {
    let call = "<function_calls>\n<invoke name=\"Read\"></invoke>\n</function_calls>";
    for text in [
        format!("Let me check.\n{call}"),
        format!("<summary>I will read it.\n{call}"),
    ] {
        assert_eq!(read(&text), Err(BadSummary::CalledTool { name: None }));
    }
    // A summary may quote one.
    let quotes = format!("4. The model wrote:\n{call}");
    let text = format!("<summary>{quotes}</summary>");
    assert_eq!(read(&text).as_ref(), Ok(&quotes));
}

#[test]
fn json_is_no_summary_in_a_fence_or_in_the_tag_either() {
    for text in [
        "{\"tool\":1}",
        " [1, 2] ",
        "```json\n{\"tool\": 1}\n```",
        "<summary>{\"a\": {}}</summary>",
        "<analysis>x</analysis>{\"a\":1}",
    ] {
        assert_eq!(read(text), Err(BadSummary::Json), "{text}");
    }
    assert!(read("[the list] was long").is_ok());
}

#[test]
fn a_refusal_is_no_summary() {
    let reply = SummaryReply::text("I cannot help").stop_reason("refusal");
    assert_eq!(read_summary(&reply), Err(BadSummary::Declined));
}

#[test]
fn a_summary_that_was_cut_says_so_and_one_that_never_began_is_refused() {
    let reply =
        SummaryReply::text("<analysis>a</analysis><summary>half of").stop_reason("max_tokens");
    let summary = read_summary(&reply).unwrap();
    assert_eq!(summary.extent, Extent::Ended);
    assert!(summary.text.starts_with("half of") && summary.text.contains("at its limit"));
    let reply = SummaryReply::text("<summary>all</summary> and").stop_reason("max_tokens");
    assert_eq!(read_summary(&reply).unwrap().extent, Extent::Whole);
    let reply = SummaryReply::text("<analysis>long").stop_reason("max_tokens");
    assert_eq!(read_summary(&reply), Err(BadSummary::EndedInScratchpad));
}

#[test]
fn wherever_an_answer_is_cut_no_piece_of_a_tag_is_a_summary() {
    let whole = "<analysis>\n1 2 3\n</analysis>\n\n<summary>\n压缩 all\n</summary>";
    let begins = whole.find('压').unwrap();
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        let reply = SummaryReply::text(&whole[..end]).stop_reason("max_tokens");
        match read_summary(&reply) {
            Ok(summary) => {
                assert!(end > begins, "{end}: {}", summary.text);
                assert!(!summary.text.contains('<'), "{}", summary.text);
            }
            Err(why) => {
                assert!(end <= begins, "{end}: {why}");
            }
        }
    }
}

#[test]
fn tags_dots_and_fences_alone_are_no_summary() {
    for text in [
        "...",
        "…",
        "</summary>",
        "</analysis>",
        "``` ```",
        "\u{200b}",
        "- \n- ",
    ] {
        assert_eq!(read(text), Err(BadSummary::Empty), "{text:?}");
        let tagged = format!("<summary>{text}</summary>");
        assert_eq!(read(&tagged), Err(BadSummary::Empty), "{text:?}");
    }
}

#[test]
fn json_that_is_cut_off_or_in_several_values_is_no_summary() {
    for text in [
        r#"{"name": "Read", "input": {"file_path": "/a"#,
        "```json\n{\"name\": \"Read\"",
        "{\"a\": 1}\n{\"b\": 2}",
        "[",
    ] {
        assert_eq!(read(text), Err(BadSummary::Json), "{text:?}");
    }
    for text in [
        "[1] is the first source",
        "{\"a\": 1} is what the file holds",
        "[x] done",
    ] {
        assert_eq!(read(text).as_deref(), Ok(text));
    }
}

#[test]
fn the_stop_reason_of_a_response_is_read() {
    let json = r#"{"role": "assistant", "content": [{"type": "text", "text": "no"}], "stop_reason": "refusal"}"#;
    let reply = SummaryReply::from_message(serde_json::from_str(json).unwrap());
    assert_eq!(read_summary(&reply), Err(BadSummary::Declined));
}

#[test]
fn long_hostile_answers_are_read_in_linear_time() {
    let pieces = [
        "<analysis>",
        "</analysis>",
        "<summary>",
        "</summary>",
        "[",
        "{",
        " ",
        "```",
    ];
    for piece in pieces {
        let _ = read(&piece.repeat(200_000));
        let _ = read(&format!("<analysis>{}", piece.repeat(200_000)));
    }
    let long = read(&"x".repeat(5 << 20)).unwrap();
    assert_eq!(long.len(), compact_sm::MAX_SUMMARY_BYTES);
}

#[test]
fn a_scratchpad_in_any_letter_case_is_thrown_away() {
    for tag in ["Analysis", "ANALYSIS", "aNaLySiS", "analysis "] {
        let close = tag.trim();
        assert_eq!(
            read(&format!("<{tag}>secret thoughts</{close}>real")).unwrap(),
            "real"
        );
        let whole = format!("<{tag}>secret thoughts</{close}>\n<Summary>real</SUMMARY>");
        assert_eq!(read(&whole).unwrap(), "real");
        let nested = format!("<summary><{tag}>secret thoughts</{close}>real</summary>");
        assert_eq!(read(&nested).unwrap(), "real");
        assert_eq!(
            read(&format!("<{tag}>secret thoughts")),
            Err(BadSummary::ReasoningOnly)
        );
    }
}

#[test]
fn what_a_model_thought_before_it_answered_is_thrown_away() {
    for tag in ["think", "Thinking", "reasoning"] {
        let text = format!("<{tag}>a <summary> comes</{tag}>\n\n<summary>real</summary>");
        assert_eq!(read(&text).unwrap(), "real");
        assert_eq!(
            read(&format!("<{tag}>hm</{tag}>")),
            Err(BadSummary::ReasoningOnly)
        );
    }
    let quotes = "The model writes <think>hm</think> before it answers.";
    assert_eq!(read(quotes).unwrap(), quotes);
}

#[test]
fn several_summaries_in_one_answer_are_read_without_their_tags() {
    assert_eq!(
        read("<summary>a</summary><summary>b</summary>").unwrap(),
        "a\n\nb"
    );
    let text = "<analysis>x</analysis>\n<summary>one</summary>\n\nAnd the rest:\n\
                <analysis>y</analysis>\n<Summary>\ntwo\n</Summary>\n<summary>three</summary> bye";
    assert_eq!(read(text).unwrap(), "one\n\ntwo\n\nthree");
    assert_eq!(
        read("<summary>one</summary> <summary> </summary>").unwrap(),
        "one"
    );
    // Where the tags do not match, one of them is quoted.
    assert_eq!(
        read("<summary>a </summary> is the end tag</summary>").unwrap(),
        "a </summary> is the end tag"
    );
}
