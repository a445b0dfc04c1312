//! The loop over a model: answers, results, caps and ends.

use std::collections::VecDeque;
use std::fmt;
use std::fs;
use std::future::{Future, poll_fn, ready};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use autodream::{
    Allowed, Cap, Caps, Chat, ChatBlock, ChatMessage, ChatReply, ChatRequest, ChatRole, EndReason,
    Execute, ExecuteEnd, ExecuteLimits, ExecuteOutput, Judge, NoShell, PlannedWrite, Refusal,
    RefusalKind, RunTask, Runner, Script, StopReason, Subagent, SubagentEnd, SubagentTask,
    TaskHandle, ToolPolicy, ToolUse, Turn, Usage, Verdict, chat_fn, tools,
};
use serde_json::{Value, json};

use super::shell_world::ShellWorld;

/// Never goes wrong.
#[derive(Debug)]
pub(crate) struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the line is down")
    }
}

impl std::error::Error for Broken {}

/// A model that answers from a list, and keeps what it was sent.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    replies: Arc<Mutex<VecDeque<ChatReply>>>,
    pub(crate) sent: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Scripted {
    pub(crate) fn new(replies: impl IntoIterator<Item = ChatReply>) -> Scripted {
        let scripted = Scripted::default();
        scripted.replies.lock().unwrap().extend(replies);
        scripted
    }

    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        self.sent.lock().unwrap().clone()
    }

    /// What the tools answered to the turn of this number, from 0: text, and whether it is an
    /// error.
    #[track_caller]
    pub(crate) fn results(&self, turn: usize) -> Vec<(String, bool)> {
        let requests = self.requests();
        let last = requests[turn + 1].messages.last().unwrap().clone();
        assert_eq!(last.role, ChatRole::User);
        last.blocks
            .into_iter()
            .map(|block| match block {
                ChatBlock::ToolResult { text, is_error, .. } => (text, is_error),
                other => panic!("{other:?}"),
            })
            .collect()
    }
}

impl Chat for Scripted {
    type Error = Broken;

    async fn send(&self, request: &ChatRequest) -> Result<ChatReply, Broken> {
        self.sent.lock().unwrap().push(request.clone());
        self.replies.lock().unwrap().pop_front().ok_or(Broken)
    }
}

/// Polls a future that waits for nobody, and only gives way.
#[track_caller]
pub(crate) fn now_or_never<F: Future>(future: F) -> F::Output {
    let mut context = Context::from_waker(Waker::noop());
    let mut future = pin!(future);
    for _ in 0..10_000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("it waits")
}

pub(crate) fn says(text: &str) -> ChatReply {
    ChatReply::new([ChatBlock::Text(text.to_owned())], StopReason::EndTurn)
}

pub(crate) fn call(name: &str, input: &Value) -> ChatBlock {
    raw_call(name, &input.to_string())
}

fn raw_call(name: &str, input: &str) -> ChatBlock {
    ChatBlock::ToolUse {
        id: format!("use-{name}-{}", input.len()),
        name: name.to_owned(),
        input: input.to_owned(),
    }
}

pub(crate) fn uses(blocks: impl Into<Vec<ChatBlock>>) -> ChatReply {
    ChatReply::new(blocks, StopReason::ToolUse)
}

/// The least that a memory is.
pub(crate) const MEMORY: &str = "---\nname: A\ndescription: d\ntype: user\n---\n\nbody\n";

fn policy(world: &ShellWorld) -> ToolPolicy {
    ToolPolicy::new(world.roots(), &world.project)
}

fn task(world: &ShellWorld) -> SubagentTask {
    SubagentTask::new("Put it in order.", policy(world))
}

/// Runs a script over a model, with everything that the run reported.
fn run_task(chat: &Scripted, task: SubagentTask) -> (Result<SubagentEnd, Broken>, Vec<Turn>) {
    let mut turns = Vec::new();
    let runner = Runner::new(chat.clone(), NoShell::new());
    let mut on_turn = |turn: &Turn| turns.push(turn.clone());
    let end = now_or_never(runner.run(task, &mut on_turn));
    (end, turns)
}

#[track_caller]
fn end_of(replies: impl IntoIterator<Item = ChatReply>) -> SubagentEnd {
    let world = ShellWorld::new();
    run_task(&Scripted::new(replies), task(&world)).0.unwrap()
}

/// Roles take turns, every use has one result right behind it, and nothing is empty: what a
/// strict service asks for.
#[track_caller]
fn check_messages(messages: &[ChatMessage]) {
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 {
            ChatRole::User
        } else {
            ChatRole::Assistant
        };
        assert_eq!(message.role, role, "message {at}");
        assert!(!message.blocks.is_empty(), "message {at}");
        let uses: Vec<&str> = message
            .blocks
            .iter()
            .filter_map(|block| match block {
                ChatBlock::ToolUse { id, .. } => Some(id.as_str()),
                _ => None,
            })
            .collect();
        let Some(next) = messages.get(at + 1) else {
            continue;
        };
        let results: Vec<&str> = next
            .blocks
            .iter()
            .filter_map(|block| match block {
                ChatBlock::ToolResult { id, .. } => Some(id.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(uses, results, "message {at}");
    }
}

#[test]
fn a_run_reads_edits_and_ends() {
    let world = ShellWorld::new();
    let index = world.memory.join("MEMORY.md");
    fs::write(&index, "- [A](a.md) — old\n").unwrap();
    let thinking = r#"{"type":"thinking","thinking":"hm","signature":"s=="}"#;
    let chat = Scripted::new([
        uses([
            ChatBlock::Raw(thinking.to_owned()),
            ChatBlock::Text("Looking.".to_owned()),
            call("Read", &json!({"file_path": index})),
        ])
        .usage(Usage::new(100, 10)),
        uses([call(
            "Edit",
            &json!({"file_path": index, "old_string": "old", "new_string": "new"}),
        )]),
        says("Done: one line."),
    ]);
    let (end, turns) = run_task(&chat, task(&world));
    assert_eq!(end.unwrap(), SubagentEnd::finished("Done: one line."));
    assert_eq!(fs::read_to_string(&index).unwrap(), "- [A](a.md) — new\n");
    assert_eq!(
        chat.results(0),
        [("     1\t- [A](a.md) — old\n".to_owned(), false)]
    );
    let requests = chat.requests();
    for request in &requests {
        check_messages(&request.messages);
        assert_eq!(request.label, "auto_dream");
    }
    // Thinking goes back as it came.
    assert_eq!(
        requests[1].messages[1].blocks[0],
        ChatBlock::Raw(thinking.to_owned())
    );
    // Without a shell none is offered.
    let offered: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name).collect();
    assert_eq!(
        offered,
        ["Read", "Grep", "Glob", "LS", "Edit", "MultiEdit", "Write"]
    );
    let seen: Vec<(&str, usize, u64)> = turns
        .iter()
        .map(|turn| (turn.text.as_str(), turn.tools.len(), turn.usage.total()))
        .collect();
    assert_eq!(
        seen,
        [("Looking.", 1, 110), ("", 1, 0), ("Done: one line.", 0, 0)]
    );
}

#[test]
fn every_use_is_answered_once_whatever_it_is() {
    let world = ShellWorld::new();
    let chat = Scripted::new([
        uses([
            raw_call("Read", "no JSON"),
            raw_call("Read", "[]"),
            raw_call("Read", "{}"),
            call("Task", &json!({"prompt": "do it for me"})),
            call("mcp__files__write", &json!({"path": "/x"})),
            call("Bash", &json!({"command": "ls; rm -rf /"})),
            call("Bash", &json!({"command": "ls"})),
            call("Read", &json!({"file_path": world.memory.join("none.md")})),
            call("Read", &json!({"file_path": world.memory})),
            call(
                "Edit",
                &json!({"file_path": world.memory.join("none.md"), "old_string": "a", "new_string": "b"}),
            ),
            call("Grep", &json!({"pattern": "(", "path": world.memory})),
            call("Grep", &json!({"pattern": 7, "path": world.memory})),
            call("Glob", &json!({"pattern": "a[", "path": world.memory})),
            call("Write", &json!({"file_path": world.memory.join("a.md")})),
            call(
                "MultiEdit",
                &json!({"file_path": world.memory.join("MEMORY.md"), "edits": 1}),
            ),
        ]),
        says("That did not work."),
    ]);
    let (end, turns) = run_task(&chat, task(&world));
    assert_eq!(end.unwrap().reason, EndReason::Finished);
    check_messages(&chat.requests()[1].messages);
    let results = chat.results(0);
    assert_eq!(results.len(), 15);
    for (text, is_error) in &results {
        assert!(*is_error && !text.is_empty() && text.len() < 400, "{text}");
    }
    assert!(turns[0].tools.iter().all(|tool| !tool.succeeded));
}

#[test]
fn what_leads_out_is_neither_read_nor_written() {
    let world = ShellWorld::new();
    let outside = world.project.parent().unwrap().join("outside.md");
    fs::write(&outside, "kept").unwrap();
    let memory = world.memory.display();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, world.memory.join("link.md")).unwrap();
        std::os::unix::fs::symlink(outside.parent().unwrap(), world.memory.join("folder")).unwrap();
    }
    let ways = [
        "../outside.md".to_owned(),
        outside.display().to_string(),
        format!("{memory}/../outside.md"),
        format!("{memory}/x/../../outside.md"),
        format!("{memory}/./../outside.md"),
        format!("{memory}/link.md"),
        format!("{memory}/folder/outside.md"),
        format!("{memory}/.hidden.md"),
        format!("{memory}/script.sh"),
        format!("{memory}/.autodream/runs/a.md"),
        format!("{memory}/a\0.md"),
        world.project.join("README.md").display().to_string(),
        "~/outside.md".to_owned(),
        String::new(),
    ];
    for way in &ways {
        let chat = Scripted::new([
            uses([
                call("Write", &json!({"file_path": way, "content": "gone"})),
                call(
                    "Edit",
                    &json!({"file_path": way, "old_string": "kept", "new_string": "gone"}),
                ),
                call(
                    "MultiEdit",
                    &json!({"file_path": way, "edits": [{"old_string": "kept", "new_string": "gone"}]}),
                ),
            ]),
            says("No."),
        ]);
        run_task(&chat, task(&world)).0.unwrap();
        for (text, is_error) in chat.results(0) {
            assert!(is_error && text.starts_with("Refused"), "{way}: {text}");
        }
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "kept");
    for way in &ways[..7] {
        let chat = Scripted::new([
            uses([
                call("Read", &json!({"file_path": way})),
                call(
                    "Grep",
                    &json!({"pattern": "kept", "path": way, "output_mode": "content"}),
                ),
            ]),
            says("No."),
        ]);
        run_task(&chat, task(&world)).0.unwrap();
        for (text, is_error) in chat.results(0) {
            assert!(is_error && !text.contains("kept"), "{way}: {text}");
        }
    }
}

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
    let chat = Scripted::new([says("Done.").usage(Usage::new(u64::MAX, 9))]);
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
    let chat = Scripted::new([cut(), cut(), says("on.")]);
    assert_eq!(
        run_task(&chat, task(&world)).0.unwrap(),
        SubagentEnd::finished("on.")
    );
    check_messages(&chat.requests()[2].messages);
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
fn empty_texts_and_made_up_results_are_not_sent_back() {
    let world = ShellWorld::new();
    let chat = Scripted::new([
        uses([
            ChatBlock::Text("  \n".to_owned()),
            ChatBlock::ToolResult {
                id: "made up".to_owned(),
                text: "yes".to_owned(),
                is_error: false,
            },
            call("LS", &json!({"path": world.memory})),
        ]),
        ChatReply::new([], StopReason::EndTurn),
    ]);
    let (end, _) = run_task(&chat, task(&world));
    assert_eq!(end.unwrap(), SubagentEnd::finished(""));
    let sent = &chat.requests()[1].messages;
    check_messages(sent);
    assert_eq!(sent[1].blocks.len(), 1);
}

#[test]
fn more_calls_than_a_turn_may_have_are_answered_and_not_done() {
    let world = ShellWorld::new();
    let many: Vec<ChatBlock> = (0..100)
        .map(|n| {
            let file = world.memory.join(format!("many{n}.md"));
            call("Write", &json!({"file_path": file, "content": MEMORY}))
        })
        .collect();
    let chat = Scripted::new([uses(many), says("Done.")]);
    run_task(&chat, task(&world)).0.unwrap();
    let results = chat.results(0);
    assert_eq!(results.len(), 100);
    assert_eq!(results.iter().filter(|(_, error)| !error).count(), 40);
}

#[test]
fn an_error_of_the_port_is_the_error_of_the_run() {
    let world = ShellWorld::new();
    let (end, turns) = run_task(&Scripted::default(), task(&world));
    assert_eq!(end.unwrap_err().to_string(), "the line is down");
    assert!(turns.is_empty());
}

/// A shell that a person stops while it runs.
struct Stopping<'a>(&'a TaskHandle);

impl Execute for Stopping<'_> {
    fn run(&self, _: &Script, _: &ExecuteLimits) -> ExecuteOutput {
        self.0.abort();
        ExecuteOutput::new("out", "", ExecuteEnd::Exited { status: 0 })
    }
}

#[test]
fn a_run_that_is_stopped_does_not_do_its_other_calls() {
    let world = ShellWorld::new();
    let file = world.memory.join("late.md");
    let chat = Scripted::new([uses([
        call("Bash", &json!({"command": "ls"})),
        call("Write", &json!({"file_path": file, "content": MEMORY})),
    ])]);
    let stop = TaskHandle::new();
    let runner = Runner::new(chat, Stopping(&stop));
    let mut on_turn = |_: &Turn| {};
    let mut run = pin!(runner.run(task(&world), &mut on_turn));
    let mut aborted = pin!(stop.aborted());
    now_or_never(poll_fn(|context| {
        if aborted.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        assert!(run.as_mut().poll(context).is_pending());
        Poll::Pending
    }));
    assert!(!file.exists());
}

#[test]
fn what_the_shell_says_comes_with_how_it_ended() {
    struct Says(ExecuteEnd);
    impl Execute for Says {
        fn run(&self, _: &Script, _: &ExecuteLimits) -> ExecuteOutput {
            ExecuteOutput::new("out", "err\n", self.0.clone())
        }
    }
    let ends = [
        (ExecuteEnd::Exited { status: 0 }, "out\nerr\n", false),
        (
            ExecuteEnd::Exited { status: 1 },
            "out\nerr\n[exit status 1]",
            false,
        ),
        (
            ExecuteEnd::TimedOut,
            "out\nerr\n[stopped after 30 seconds; look at less]",
            true,
        ),
        (
            ExecuteEnd::TooMuchOutput,
            "out\nerr\n[stopped: too much output; narrow it, for example with `head`]",
            true,
        ),
        (
            ExecuteEnd::NotRun {
                why: "why".to_owned(),
            },
            "out\nerr\n[not run: why]",
            true,
        ),
    ];
    let world = ShellWorld::new();
    for (end, text, is_error) in ends {
        let chat = Scripted::new([
            uses([call("Bash", &json!({"command": "ls"}))]),
            says("Done."),
        ]);
        let runner = Runner::new(chat.clone(), Says(end));
        now_or_never(runner.run(task(&world), &mut |_| {})).unwrap();
        assert_eq!(chat.results(0), [(text.to_owned(), is_error)]);
    }
}

#[test]
fn all_answers_of_a_turn_together_are_bounded() {
    let world = ShellWorld::new();
    let file = world.memory.join("large.md");
    fs::write(&file, "a line of some length\n".repeat(5_000)).unwrap();
    let reads: Vec<ChatBlock> = (0..40)
        .map(|_| call("Read", &json!({"file_path": file})))
        .collect();
    let chat = Scripted::new([uses(reads), says("Done.")]);
    run_task(&chat, task(&world)).0.unwrap();
    let sum: usize = chat.results(0).iter().map(|(text, _)| text.len()).sum();
    assert!((100_000..200_000).contains(&sum), "{sum}");
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

/// Edits of one file, and nothing else.
struct OneFile(std::path::PathBuf);

impl Judge for OneFile {
    fn judge(&self, tool: &ToolUse) -> Verdict {
        match tool {
            ToolUse::Edit { path } if *path == self.0.display().to_string() => {
                Verdict::Allow(Allowed::Write(self.0.clone()))
            }
            _ => Verdict::Refuse(Refusal::new(
                RefusalKind::Tool,
                "",
                "only the notes are edited",
            )),
        }
    }

    fn may_read(&self, path: &std::path::Path) -> Result<std::path::PathBuf, Refusal> {
        Err(Refusal::new(
            RefusalKind::Outside,
            path.to_string_lossy(),
            "nothing is read",
        ))
    }

    fn may_write(&self, write: &PlannedWrite<'_>) -> Result<(), String> {
        if write.before.is_some_and(|before| before.starts_with('#'))
            && !write.after.starts_with('#')
        {
            return Err(format!("{}: the heading stays", write.tool));
        }
        Ok(())
    }
}

#[test]
fn another_judge_makes_it_an_agent_that_edits_one_file() {
    let world = ShellWorld::new();
    let notes = world.project.join("notes.txt");
    fs::write(&notes, "# Title\nold\n").unwrap();
    let edit = |old: &str, new: &str| {
        call(
            "Edit",
            &json!({"file_path": notes, "old_string": old, "new_string": new}),
        )
    };
    let chat = Scripted::new([
        uses([
            edit("old", "new"),
            edit("# Title", "gone"),
            call("Read", &json!({"file_path": notes})),
            call("Write", &json!({"file_path": notes, "content": "gone"})),
        ]),
        says("Done."),
    ]);
    let judge = OneFile(notes.clone());
    let task = RunTask::new("Take notes.", &judge, "notes").tools(&["Edit"]);
    let runner = Runner::new(chat.clone(), NoShell::new());
    let end = now_or_never(runner.run_with(&task, &mut |_| {})).unwrap();
    assert_eq!(end.reason, EndReason::Finished);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "# Title\nnew\n");
    let errors: Vec<bool> = chat
        .results(0)
        .into_iter()
        .map(|(_, error)| error)
        .collect();
    assert_eq!(errors, [false, true, true, true]);
    let request = &chat.requests()[0];
    assert_eq!((request.tools.len(), request.label.as_str()), (1, "notes"));
}

#[test]
fn the_tools_are_those_that_the_policy_knows() {
    let world = ShellWorld::new();
    for tool in tools() {
        let known = ToolUse::from_json(tool.name, "{}");
        assert!(!matches!(known, Ok(ToolUse::Other { .. })), "{}", tool.name);
        let schema: Value = serde_json::from_str(tool.schema).unwrap();
        assert_eq!(schema["additionalProperties"], false);
    }
    drop(world);
}
