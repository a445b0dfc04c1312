//! A request for a summary that has more than its room: what is shortened, what goes, what stays.

use compact_sm::{
    Block, Breaker, Cause, Compact, Counter, Limits, Message, NoHooks, Origin, Role, Scope,
    SummaryOptions, SummaryRequest, Trim, compact, summary_request, validate, validate_with,
};
use proptest::prelude::*;

use crate::compaction::counter;
use crate::scripted::{SUMMARY, Scripted, now};
use crate::summary_request::whole;
use crate::world::{self, tool_loop, words};

/// Tokens without the prompt, which the room is not for.
fn size(request: &SummaryRequest) -> u64 {
    let prompt = request.messages.last().unwrap().texts().last().unwrap();
    let all = request.messages.iter().map(|m| counter().message(m));
    all.sum::<u64>() - counter().text(prompt)
}

#[track_caller]
fn fits(list: &[Message], room: u64) -> SummaryRequest {
    let request = whole(list, &SummaryOptions::default().room(room));
    assert!(size(&request) <= room, "{} of {room}", size(&request));
    assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
    request
}

fn json(request: &SummaryRequest) -> String {
    request.messages_json().to_string()
}

#[test]
fn thousands_of_small_results_lose_their_oldest_rounds_and_the_request_says_how_many() {
    let list = tool_loop(4_000, 90);
    let request = fits(&list, 50_000);
    assert!(request.left_out > 4_000, "{}", request.left_out);
    assert_eq!(request.messages.len(), list.len() - request.left_out + 2);
    // The newest are there, and what the person said.
    let json = json(&request);
    assert!(json.contains("please fix the build") && json.contains("step 3999"));
    assert!(json.contains("only what the person said is left"));
}

#[test]
fn one_round_that_cannot_be_shortened_goes_too_and_what_the_person_said_stays() {
    let reasoning = Block::thinking(words(30_000), "c2ln");
    let call = |id: &str| Block::tool_use(id, "Read", serde_json::json!({"file_path": "/a"}));
    let many = (0..3_000).map(|at| format!("call_{at}"));
    let many: Vec<String> = many.collect();
    let rounds = [
        vec![
            Message::assistant([reasoning.clone(), call("one")]).id("m"),
            Message::user([Block::tool_result("one", "x")]),
        ],
        // Its calls wait.
        vec![Message::assistant([reasoning, call("one"), call("two")]).id("m")],
        vec![
            Message::assistant(many.iter().map(|id| call(id)).collect::<Vec<_>>()).id("m"),
            Message::user(
                many.iter()
                    .map(|id| Block::tool_result(id.as_str(), "x"))
                    .collect::<Vec<_>>(),
            ),
        ],
    ];
    for round in rounds {
        for earlier in [0, 3_000] {
            let mut list = vec![
                Message::user("a wish"),
                Message::assistant("yes"),
                Message::user("another"),
            ];
            list.extend(round.clone());
            if earlier > 0 {
                list.insert(0, Message::user(words(earlier)).origin(Origin::Summary));
            }
            assert_eq!(validate(&list), []);
            let request = fits(&list, 10_000);
            let json = json(&request);
            assert!(json.contains("\"a wish\"") && json.contains("\"another\""));
            assert_eq!(request.left_out, 1 + round.len());
        }
    }
}

#[test]
fn an_earlier_summary_that_has_more_than_the_room_alone_does_not_cost_the_round() {
    let mut list = vec![Message::user(words(5_000)).origin(Origin::Summary)];
    list.extend(tool_loop(1, 50));
    let request = whole(&list, &SummaryOptions::default().room(1_000));
    assert!(json(&request).contains("step 0"));
    assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
}

#[test]
fn blocks_of_which_nothing_is_known_become_marks_where_there_is_no_room() {
    let unknown = |kind: &str, size: usize| {
        Block::Other(serde_json::json!({"type": kind, "id": "srv_1", "data": words(size)}))
    };
    let list = vec![
        Message::user("search for it"),
        Message::assistant([
            unknown("server_call", 1),
            unknown("server_result", 40_000),
            Block::text("found"),
        ]),
        Message::user([unknown("later_block", 9)]),
        Message::assistant("and read"),
    ];
    assert_eq!(validate(&list), []);
    let request = fits(&list, 10_000);
    let json = json(&request);
    // All of them, because one may be the result of another; what was said stays.
    assert_eq!(
        json.matches("[something that is left out of this copy]")
            .count(),
        3
    );
    assert!(json.contains("found") && !json.contains("srv_1"));
    assert_eq!((request.left_out, request.shortened), (0, 2));
    // With room for them they are as they were.
    assert!(self::json(&fits(&list, 90_000)).contains("srv_1"));
}

#[test]
fn long_results_are_shortened_before_anything_goes() {
    let list = tool_loop(20, 5_000);
    let request = fits(&list, 60_000);
    assert_eq!(request.left_out, 0);
    assert!(
        (8..=12).contains(&request.shortened),
        "{}",
        request.shortened
    );
    let last = request.messages[list.len() - 1].to_request();
    assert_eq!(last, list[list.len() - 1].to_request());
    let none = whole(&list, &SummaryOptions::default());
    assert_eq!((none.shortened, none.left_out), (0, 0));
}

#[test]
fn what_the_person_said_stays_longer_than_the_rounds_it_was_said_in() {
    let mut list = Vec::new();
    for at in 0..30 {
        list.push(Message::user(format!("wish {at}")));
        list.push(Message::assistant(words(400)));
        list.push(Message::user("<a reminder>").origin(Origin::Meta));
    }
    list.push(Message::assistant("done"));
    let request = fits(&list, 2_000);
    let json = json(&request);
    for at in 0..30 {
        assert!(json.contains(&format!("\"wish {at}\"")), "{at}");
    }
    assert!(request.left_out >= 50);
    // With less room it goes too, the oldest first.
    let request = fits(&list, 150);
    assert!(request.messages_json().to_string().contains("wish 29"));
    assert!(!request.messages_json().to_string().contains("\"wish 0\""));
}

#[test]
fn what_was_said_beside_a_result_stays_without_it() {
    let mut list = tool_loop(60, 90);
    list[2].content.blocks.push(Block::text("not that way"));
    list[4]
        .content
        .blocks
        .push(Block::image("image/png", "aGk="));
    let request = fits(&list, 2_000);
    let said: Vec<_> = request
        .messages
        .iter()
        .take(4)
        .map(Message::to_request)
        .collect();
    assert_eq!(
        said[2]["content"],
        serde_json::json!([{"type": "text", "text": "not that way"}])
    );
    assert_eq!(
        said[3]["content"],
        serde_json::json!([{"type": "text", "text": "[image]"}])
    );
}

#[test]
fn an_earlier_summary_stays_whole() {
    let mut list = vec![Message::user(words(2_000)).origin(Origin::Summary)];
    list.extend(tool_loop(300, 90).into_iter().skip(1));
    let request = fits(&list, 6_000);
    assert_eq!(request.messages[0].to_request(), list[0].to_request());
    assert!(request.left_out > 0);
}

#[test]
fn a_request_that_was_too_long_even_so_loses_more() {
    let mut request = fits(&tool_loop(400, 90), 10_000);
    let before = request.messages.len();
    let trimmed = request.trim(Some(3_000), &counter());
    assert!(matches!(trimmed, Trim::Dropped { messages, .. } if messages > 10));
    assert!(request.messages.len() < before);
    assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
    let marks = json(&request).matches("of this conversation").count();
    assert!(marks >= 1 && !json(&request).contains("only what the person said"));
}

#[test]
fn a_compaction_tells_what_not_even_the_summary_knows_of() {
    let list = tool_loop(2_000, 90);
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter).room(60_000);
    let model = Scripted::says(SUMMARY);
    let done = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap();
    let seen = model.seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert!(done.trimmed > 2_000);
    assert_eq!(done.trimmed, seen[0].left_out);
    let sent: u64 = seen[0].messages.iter().map(|m| counter.message(m)).sum();
    assert!(sent <= 60_000, "{sent}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// With room for one round's short pieces, no request has more than its room; what is not
    /// counted as left out is there, in order.
    #[test]
    fn every_request_has_room(
        rounds in world::rounds(), open: bool, room in 900..8_000_u64, scope in 0..3_u8, start in 0..40_usize,
    ) {
        let list = world::conversation(&rounds, open);
        prop_assume!(validate(&list).is_empty());
        let scope = [Scope::Whole, Scope::Recent, Scope::Prefix][usize::from(scope)];
        // A part begins with what the person says.
        let says = |at: &usize| list[*at].role == Role::User && list[*at].results().next().is_none();
        let turns: Vec<usize> = (0..list.len()).filter(says).collect();
        let start = turns[start % turns.len()];
        let options = SummaryOptions::new(scope).room(room);
        let request = summary_request(&list, &(start..list.len()), &options, &counter());
        prop_assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
        prop_assert!(size(&request) <= room, "{} of {}", size(&request), room);
        let plain = summary_request(&list, &(start..list.len()), &SummaryOptions::new(scope), &counter());
        let marks = usize::from(request.left_out > 0);
        prop_assert_eq!(request.messages.len() + request.left_out, plain.messages.len() + marks);
        let said = |request: &SummaryRequest| -> Vec<String> {
            let calls = request.messages.iter().flat_map(|m| m.calls().map(str::to_owned));
            calls.collect()
        };
        let (some, all) = (said(&request), said(&plain));
        prop_assert!(all.ends_with(&some));
    }

    /// With any room at all, and after each trimming.
    #[test]
    fn no_room_is_too_small_for_a_valid_request(
        rounds in world::rounds(), open: bool, room in 0..900_u64, over in proptest::option::of(0..2_000_u64),
    ) {
        let list = world::conversation(&rounds, open);
        prop_assume!(validate(&list).is_empty());
        let mut request = whole(&list, &SummaryOptions::default().room(room));
        for _ in 0..4 {
            prop_assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
            request.trim(over, &counter());
        }
    }
}
