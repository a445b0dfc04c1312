//! A request for a summary that is too long itself.

use compact_sm::{Block, Images, Limits, Message, Origin, SummaryOptions, Trim, validate_with};

use crate::summary_request::{counter, prompt, whole};
use crate::world::tool_loop;

#[test]
fn a_request_that_is_too_long_loses_as_many_rounds_as_cover_the_gap() {
    let list = tool_loop(10, 1_000);
    let mut request = whole(&list, &SummaryOptions::default());
    // The first round is what the person said; each of the others has a little more than 1,000.
    assert_eq!(
        request.trim(Some(2_000), &counter()),
        Trim::Dropped {
            groups: 3,
            messages: 5
        }
    );
    let first = &request.messages[0];
    assert!(first.texts().next().unwrap().contains("left out"));
    assert_eq!(request.messages.len(), 1 + list.len() - 5 + 1);
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
}

#[test]
fn without_a_figure_a_fifth_of_the_rounds_goes() {
    let list = tool_loop(9, 100);
    let mut request = whole(&list, &SummaryOptions::default());
    assert_eq!(
        request.trim(None, &counter()),
        Trim::Dropped {
            groups: 2,
            messages: 3
        }
    );
}

#[test]
fn the_mark_of_a_former_retry_is_replaced_and_not_repeated() {
    let list = tool_loop(10, 100);
    let mut request = whole(&list, &SummaryOptions::default());
    for _ in 0..3 {
        request.trim(None, &counter());
        let json = request.messages_json().to_string();
        assert_eq!(
            json.matches("the oldest part of this conversation").count(),
            1
        );
    }
}

#[test]
fn one_round_remains_whatever_is_asked() {
    let list = tool_loop(4, 100);
    let mut request = whole(&list, &SummaryOptions::default());
    assert!(matches!(
        request.trim(Some(u64::MAX), &counter()),
        Trim::Dropped { .. }
    ));
    assert_eq!(request.messages.len(), 4);
    assert_eq!(request.trim(None, &counter()), Trim::OneLeft);
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
    assert!(prompt(&request).contains("<summary>"));
}

#[test]
fn pictures_of_the_only_round_become_marks_before_it_is_given_up() {
    for over_by in [None, Some(10)] {
        let list = [Message::user(vec![
            Block::text("what is this?"),
            Block::image("image/png", "aWNvbg=="),
        ])];
        let mut request = whole(&list, &SummaryOptions::default().images(Images::Keep));
        assert!(request.messages_json().to_string().contains("aWNvbg"));
        assert_eq!(
            request.trim(over_by, &counter()),
            Trim::Dropped {
                groups: 0,
                messages: 0
            }
        );
        assert!(!request.messages_json().to_string().contains("aWNvbg"));
        assert_eq!(request.trim(over_by, &counter()), Trim::OneLeft);
    }
}

#[test]
fn an_earlier_summary_survives_the_trimming() {
    let mut list = vec![Message::user("facts of before").origin(Origin::Summary)];
    list.extend(tool_loop(10, 100).into_iter().skip(1));
    let mut request = whole(&list, &SummaryOptions::default());
    request.trim(Some(u64::MAX), &counter());
    assert_eq!(request.messages[0].texts().next(), Some("facts of before"));
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
}

#[test]
fn the_round_that_remains_is_shortened_before_it_is_given_up() {
    for over_by in [None, Some(20_000)] {
        let list = tool_loop(1, 60_000);
        let mut request = whole(&list, &SummaryOptions::default());
        request.trim(Some(0), &counter());
        let before = serde_json::to_string(&request.messages).unwrap().len();
        let trim = request.trim(over_by, &counter());
        let nothing = Trim::Dropped {
            groups: 0,
            messages: 0,
        };
        assert_eq!((trim, request.shortened), (nothing, 1));
        let after = serde_json::to_string(&request.messages).unwrap().len();
        assert!(after * 2 < before);
        assert!(validate_with(&request.messages, &Limits::request()).is_empty());
        assert!(prompt(&request).contains("<summary>"));
        // The second time there is nothing that could be shorter, or almost nothing.
        while request.trim(over_by, &counter()) != Trim::OneLeft {}
        assert!(validate_with(&request.messages, &Limits::request()).is_empty());
    }
}
