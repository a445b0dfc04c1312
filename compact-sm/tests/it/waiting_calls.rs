//! A call whose result is still to come stays, so that the result finds it.

use compact_sm::{Block, Breaker, Cause, Compact, Message, NoHooks, WhyNot, compact, validate};
use serde_json::json;

use crate::compaction::counter;
use crate::scripted::{SUMMARY, Scripted, now};
use crate::world::words;

fn waiting(size: usize) -> Vec<Message> {
    let write = |id: &str| {
        let input = json!({"file_path": "/a", "content": words(size)});
        Block::tool_use(id, "Write", input)
    };
    vec![
        Message::user(words(50)),
        Message::assistant(words(500)),
        Message::user("write both ".repeat(300)),
        Message::assistant([write("one")]).id("msg"),
        Message::assistant([write("two")]).id("msg"),
    ]
}

#[test]
fn a_selected_run_ends_before_calls_that_wait() {
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let list = waiting(10);
    for run in [0..2, 0..5, 1..4, 2..5, 0..usize::MAX] {
        let cause = Cause::partial(run, None);
        let model = Scripted::says(SUMMARY);
        let done = now(compact(&list, &cause, &how, &model, &NoHooks)).unwrap();
        let mut messages = done.into_messages();
        messages.push(Message::user([
            Block::tool_result("one", "done"),
            Block::tool_result("two", "done"),
        ]));
        assert_eq!(validate(&messages), []);
    }
    let cause = Cause::partial(3..5, None);
    let failed = now(compact(&list, &cause, &how, &Scripted::says("s"), &NoHooks));
    assert!(matches!(failed.unwrap_err().why, WhyNot::BadRun));
}

#[test]
fn calls_that_wait_stay_even_if_they_are_longer_than_a_tail_may_be() {
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let list = waiting(60_000);
    let model = Scripted::says("s");
    let done = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap();
    let mut messages = done.into_messages();
    messages.push(Message::user([
        Block::tool_result("one", "done"),
        Block::tool_result("two", "done"),
    ]));
    assert_eq!(validate(&messages), []);
}
