//! The loop over a model: uses, results, and who judges.

use std::fs;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use autodream::{
    Allowed, ChatBlock, ChatReply, EndReason, Execute, ExecuteEnd, ExecuteLimits, ExecuteOutput,
    Judge, NoShell, PlannedWrite, Refusal, RefusalKind, RunTask, Runner, Script, StopReason,
    Subagent, SubagentEnd, TaskHandle, ToolUse, Turn, Usage, Verdict, tools,
};
use serde_json::{Value, json};

use super::scripted::{
    MEMORY, Scripted, call, check_messages, raw_call, run_task, says, task, uses,
};
use super::shell_world::ShellWorld;
use crate::world::now_or_never;

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
    assert_eq!(end.unwrap().reason, EndReason::Declined);
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
