//! How runs over a model end, and the form of what is sent.

use std::future::ready;
use std::sync::Arc;

use autodream::{
    Cap, Caps, ChatBlock, ChatReply, ChatRequest, EndReason, NoShell, Runner, StopReason, Subagent,
    SubagentEnd, Usage, chat_fn,
};
use serde_json::{Value, json};

use super::scripted::{
    MEMORY, Scripted, call, check_messages, end_of, looks, raw_call, run_task, says, task, uses,
};
use super::shell_world::ShellWorld;
use crate::world::{Broken, now_or_never};

#[test]
fn an_endless_run_ends_at_its_turns() {
    let world = ShellWorld::new();
    let again = || uses([call("LS", &json!({"path": world.memory}))]);
    let chat = Scripted::new((0..100).map(|_| again()));
    let (end, turns) = run_task(&chat, task(&world).caps(Caps::default().turns(7)));
    assert_eq!(end.unwrap().reason, EndReason::CapReached(Cap::Turns));
    assert_eq!((turns.len(), chat.requests().len()), (7, 7));
    let (end, _) = run_task(&chat, task(&world).caps(Caps::default().turns(0)));
    assert_eq!(end.unwrap().reason, EndReason::CapReached(Cap::Turns));
}

#[test]
fn a_costly_run_ends_at_its_tokens_and_does_nothing_more() {
    let world = ShellWorld::new();
    let file = world.memory.join("late.md");
    let write = uses([call(
        "Write",
        &json!({"file_path": file, "content": MEMORY}),
    )]);
    let chat = Scripted::new([
        uses([call("LS", &json!({"path": world.memory}))]).usage(Usage::new(600, 0)),
        write.usage(Usage::new(100, 100).cache(250, 0)),
    ]);
    let (end, turns) = run_task(&chat, task(&world).caps(Caps::default().tokens(1_000)));
    assert_eq!(end.unwrap().reason, EndReason::CapReached(Cap::Tokens));
    assert!(!file.exists());
    assert!(!turns[1].tools[0].succeeded);
    // What is done is done, whatever it cost.
    let chat = Scripted::new([looks(), says("Done.").usage(Usage::new(u64::MAX, 9))]);
    assert_eq!(
        run_task(&chat, task(&world)).0.unwrap().reason,
        EndReason::Finished
    );
}

#[test]
fn a_refusal_and_an_unknown_stop_are_no_good_ends() {
    let no = ChatReply::new(
        [ChatBlock::Text("I would rather not.".to_owned())],
        StopReason::Refusal,
    );
    assert_eq!(end_of([no]), SubagentEnd::declined("I would rather not."));
    let other = ChatReply::new(
        [],
        StopReason::Other("model_context_window_exceeded".to_owned()),
    );
    assert_eq!(
        end_of([other]),
        SubagentEnd::declined("the model stopped: model_context_window_exceeded")
    );
}

#[test]
fn who_has_looked_at_nothing_does_not_know_that_there_is_nothing_to_do() {
    let text = "I'm sorry, I can't help with that.";
    assert_eq!(end_of([says(text)]), SubagentEnd::declined(text));
    let refused = uses([call("LS", &json!({"path": "/"}))]);
    assert_eq!(end_of([refused, says(text)]), SubagentEnd::declined(text));
    let text = "All is in order.";
    assert_eq!(end_of([looks(), says(text)]), SubagentEnd::finished(text));
}

#[test]
fn a_refused_answer_does_nothing() {
    let world = ShellWorld::new();
    let file = world.memory.join("refused.md");
    let write = call("Write", &json!({"file_path": file, "content": MEMORY}));
    let chat = Scripted::new([ChatReply::new([write], StopReason::Refusal)]);
    let (end, _) = run_task(&chat, task(&world));
    assert_eq!(end.unwrap().reason, EndReason::Declined);
    assert!(!file.exists());
}

#[test]
fn an_answer_that_was_cut_off_goes_on_twice_and_then_ends() {
    let world = ShellWorld::new();
    let cut = || {
        ChatReply::new(
            [ChatBlock::Text("and so".to_owned())],
            StopReason::MaxTokens,
        )
    };
    let chat = Scripted::new([looks(), cut(), cut(), says("on.")]);
    assert_eq!(
        run_task(&chat, task(&world)).0.unwrap(),
        SubagentEnd::finished("on.")
    );
    check_messages(&chat.requests()[3].messages);
    let chat = Scripted::new([cut(), cut(), cut(), says("never")]);
    let (end, turns) = run_task(&chat, task(&world));
    assert_eq!(end.unwrap().reason, EndReason::CapReached(Cap::Answer));
    assert_eq!(turns.len(), 3);
    // All of it thinking: there is nothing to go on from.
    let thinking = ChatReply::new([ChatBlock::Raw("{}".to_owned())], StopReason::MaxTokens);
    assert_eq!(
        end_of([thinking]).reason,
        EndReason::CapReached(Cap::Answer)
    );
}

#[test]
fn the_last_call_of_an_answer_that_was_cut_off_is_not_done() {
    let world = ShellWorld::new();
    let (a, b) = (world.memory.join("a1.md"), world.memory.join("b1.md"));
    let chat = Scripted::new([
        ChatReply::new(
            [
                call("Write", &json!({"file_path": a, "content": MEMORY})),
                call("Write", &json!({"file_path": b, "content": MEMORY})),
            ],
            StopReason::MaxTokens,
        ),
        says("I see."),
    ]);
    run_task(&chat, task(&world)).0.unwrap();
    assert!(a.exists() && !b.exists());
    let errors: Vec<bool> = chat
        .results(0)
        .into_iter()
        .map(|(_, error)| error)
        .collect();
    assert_eq!(errors, [false, true]);
    check_messages(&chat.requests()[1].messages);
}

#[test]
fn a_pause_goes_on_and_calls_are_done_whatever_the_stop_says() {
    let world = ShellWorld::new();
    let chat = Scripted::new([
        ChatReply::new([ChatBlock::Text("wait".to_owned())], StopReason::Pause),
        ChatReply::new([], StopReason::Pause),
        ChatReply::new(
            [call("LS", &json!({"path": world.memory}))],
            StopReason::EndTurn,
        ),
        says("Done."),
    ]);
    let (end, _) = run_task(&chat, task(&world));
    assert_eq!(end.unwrap(), SubagentEnd::finished("Done."));
    assert!(!chat.results(2)[0].1);
}

#[test]
fn an_error_of_the_port_is_the_error_of_the_run() {
    let world = ShellWorld::new();
    let (end, turns) = run_task(&Scripted::default(), task(&world));
    assert_eq!(end.unwrap_err().to_string(), "the line is down");
    assert!(turns.is_empty());
}

#[test]
fn a_closure_is_a_model() {
    let world = ShellWorld::new();
    let chat = chat_fn(|request: &ChatRequest| {
        let sent: Value = serde_json::from_str(&request.messages_json()).unwrap();
        let text = sent[0]["content"][0]["text"].as_str().unwrap().to_owned();
        ready(Ok::<_, Broken>(says(&format!("You said: {text}"))))
    });
    let runner = Runner::new(Arc::new(&chat), NoShell::new());
    let end = now_or_never(runner.run(task(&world), &mut |_| {})).unwrap();
    assert_eq!(end.text, "You said: Put it in order.");
}

#[test]
fn requests_and_answers_have_the_form_of_the_messages_api() {
    let world = ShellWorld::new();
    let chat = Scripted::new([
        uses([
            ChatBlock::Raw(r#"{"type":"redacted_thinking","data":"x"}"#.to_owned()),
            raw_call("LS", "{not json"),
        ]),
        says("Done."),
    ]);
    run_task(&chat, task(&world)).0.unwrap();
    let request = &chat.requests()[1];
    let messages: Value = serde_json::from_str(&request.messages_json()).unwrap();
    assert_eq!(messages[1]["content"][0]["type"], "redacted_thinking");
    assert_eq!(messages[1]["content"][1]["input"], json!({}));
    assert_eq!(messages[2]["content"][0]["is_error"], true);
    assert_eq!(
        messages[2]["content"][0]["tool_use_id"],
        messages[1]["content"][1]["id"]
    );
    for tool in serde_json::from_str::<Vec<Value>>(&request.tools_json()).unwrap() {
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
        assert!(tool["input_schema"]["properties"].is_object(), "{tool}");
    }
    let reply = ChatReply::from_json(
        &json!({
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "hi"},
                {"type": "tool_use", "id": "t1", "name": "LS", "input": {"path": "/m"}},
            ],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 9},
        })
        .to_string(),
    )
    .unwrap();
    assert_eq!(
        (reply.stop, reply.usage),
        (StopReason::ToolUse, Usage::new(5, 2).cache(9, 0))
    );
    assert_eq!(reply.blocks.len(), 3);
    for bad in [
        "",
        "[]",
        r#"{"type":"error"}"#,
        r#"{"content":[{}],"stop_reason":"end_turn"}"#,
        r#"{"content":[]}"#,
    ] {
        assert!(ChatReply::from_json(bad).is_err(), "{bad}");
    }
}
