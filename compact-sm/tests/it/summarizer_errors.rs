//! What a service answers in place of a summary.

use std::error::Error as _;

use compact_sm::{Block, Message, SummarizeError, SummaryOptions};

use crate::summary_request::whole;

#[test]
fn too_long_is_recognized_with_and_without_figures() {
    let cases = [
        (
            "prompt is too long: 215000 tokens > 200000 maximum",
            Some(15_000),
        ),
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Prompt is too long"}}"#,
            None,
        ),
        ("Input is too long for requested model", None),
        ("capability_rejected: prompt_too_long", None),
        (r#"{"error": {"type": "request_too_large"}}"#, None),
    ];
    for (text, expected) in cases {
        match SummarizeError::read(text) {
            SummarizeError::TooLong { over_by } => assert_eq!(over_by, expected, "{text}"),
            other => panic!("{text}: {other}"),
        }
    }
}

#[test]
fn bodies_of_any_kind_become_a_short_error() {
    let huge = format!("<html>{}</html>", "ü".repeat(10 << 20));
    for text in [
        "",
        "<html>502 Bad Gateway</html>",
        "{\"error\": {\"mess",
        huge.as_str(),
    ] {
        let error = SummarizeError::read(text);
        assert!(matches!(error, SummarizeError::Other(_)));
        assert!(error.to_string().len() <= 500);
    }
}

#[derive(Debug)]
struct Outer(SummarizeError);

impl std::fmt::Display for Outer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no luck")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn the_source_of_an_error_is_kept() {
    let inner = SummarizeError::TooLong { over_by: Some(7) };
    let error = SummarizeError::other(Outer(inner));
    assert_eq!(error.to_string(), "no luck");
    assert_eq!(
        error.source().unwrap().to_string(),
        "the request is 7 tokens too long"
    );
    assert!(SummarizeError::TooLong { over_by: None }.source().is_none());
    let texts = [None, Some(7)].map(|over_by| SummarizeError::TooLong { over_by }.to_string());
    assert_eq!(
        texts,
        [
            "the request is too long",
            "the request is 7 tokens too long"
        ]
    );
}

#[test]
fn thirty_two_screenshots_leave_a_small_request() {
    let shot = "A".repeat(400_000);
    let mut list = vec![Message::user("look at these")];
    for at in 0..32 {
        let id = format!("t{at}");
        list.push(Message::assistant([Block::tool_use(
            id.as_str(),
            "Screenshot",
            serde_json::json!({}),
        )]));
        list.push(Message::user([Block::tool_result(
            id,
            vec![Block::image("image/png", shot.as_str())],
        )]));
    }
    let bytes = whole(&list, &SummaryOptions::default())
        .messages_json()
        .to_string()
        .len();
    assert!(bytes < 20_000, "{bytes}");
}
