//! Laws of the runner, of the prompt and of the task, over made-up input.

use std::fs;

use autodream::{
    Cap, Caps, ChatBlock, ChatMessage, ChatReply, ChatRole, DreamKind, DreamPrompt, DreamTask,
    EndReason, NoShell, Runner, StopReason, Subagent, SubagentTask, TaskEnd, TaskState, ToolPolicy,
    Turn, TurnTool, Usage,
};
use proptest::prelude::*;

use super::scripted::Scripted;
use super::shell_run::tree;
use super::shell_world::ShellWorld;
use crate::world::{now, now_or_never};

/// What a model may answer, good and bad. `{M}` and the like stand for the folders.
fn block() -> impl Strategy<Value = ChatBlock> {
    let name = prop::sample::select(vec![
        "Read",
        "Grep",
        "Glob",
        "LS",
        "Edit",
        "MultiEdit",
        "Write",
        "Bash",
        "Task",
        "",
    ]);
    let path = prop::sample::select(vec![
        "{M}/MEMORY.md",
        "{M}/new.md",
        "{M}/../out.md",
        "{H}/out.md",
        "/etc/passwd",
        "{M}",
        "{P}",
        "{T}",
        "",
        "{P}/README.md",
        "{M}/a/b/c.md",
        "..",
    ]);
    let text = prop::sample::select(vec![
        "",
        "a",
        "**/*",
        "(",
        "---\nname: a\ndescription: b\n---\nc\n",
        "ls -l",
        "\u{0}",
        "ü*",
    ]);
    let input = (path, text.clone(), text.clone(), any::<bool>(), 0..9_u8).prop_map(
        |(path, a, b, flag, shape)| match shape {
            0 => a.to_owned(),
            1 => "[1]".to_owned(),
            _ => serde_json::json!({
                "file_path": path, "path": path, "pattern": a, "old_string": a, "new_string": b,
                "content": b, "command": a, "replace_all": flag, "offset": shape, "-n": flag,
                "edits": [{"old_string": a, "new_string": b}],
                "output_mode": if flag { "content" } else { "count" },
            })
            .to_string(),
        },
    );
    prop_oneof![
        1 => text.prop_map(|text| ChatBlock::Text(text.to_owned())),
        1 => Just(ChatBlock::Raw("{\"type\":\"thinking\"}".to_owned())),
        1 => Just(ChatBlock::ToolResult { id: "x".to_owned(), text: String::new(), is_error: false }),
        4 => (name, input, 0..1_000_u32).prop_map(|(name, input, id)| ChatBlock::ToolUse {
            id: id.to_string(),
            name: name.to_owned(),
            input,
        }),
    ]
}

fn reply() -> impl Strategy<Value = ChatReply> {
    let stop = prop::sample::select(vec![
        StopReason::EndTurn,
        StopReason::ToolUse,
        StopReason::ToolUse,
        StopReason::ToolUse,
        StopReason::MaxTokens,
        StopReason::Refusal,
        StopReason::Pause,
        StopReason::Other("odd".to_owned()),
    ]);
    (prop::collection::vec(block(), 0..5), stop, any::<u16>()).prop_map(|(blocks, stop, tokens)| {
        ChatReply::new(blocks, stop).usage(Usage::new(tokens.into(), 1))
    })
}

/// Every use has its one result right behind it, results answer a use, and nothing is empty.
fn check_messages(messages: &[ChatMessage]) {
    let ids = |message: &ChatMessage| -> (Vec<String>, Vec<String>) {
        let mut uses = Vec::new();
        let mut results = Vec::new();
        for block in &message.blocks {
            match block {
                ChatBlock::ToolUse { id, .. } => uses.push(id.clone()),
                ChatBlock::ToolResult { id, .. } => results.push(id.clone()),
                ChatBlock::Text(text) => assert!(!text.trim().is_empty()),
                ChatBlock::Raw(_) => {}
            }
        }
        (uses, results)
    };
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        assert!(!message.blocks.is_empty());
        let (uses, results) = ids(message);
        assert_eq!(results, open);
        assert!(message.role == ChatRole::User || results.is_empty());
        assert!(message.role == ChatRole::Assistant || uses.is_empty());
        open = uses;
    }
    assert!(open.is_empty());
    assert_eq!(messages.last().unwrap().role, ChatRole::User);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_a_model_answers_every_request_is_valid_and_only_memories_change(
        replies in prop::collection::vec(reply(), 0..6),
    ) {
        let world = ShellWorld::new();
        fs::write(world.home.join("out.md"), "a").unwrap();
        let replies: Vec<ChatReply> = replies
            .into_iter()
            .map(|mut reply| {
                for block in &mut reply.blocks {
                    if let ChatBlock::ToolUse { input, .. } = block {
                        *input = world.line(input);
                    }
                }
                reply
            })
            .collect();
        let outside = |world: &ShellWorld| {
            let mut all = tree(&world.home);
            let memory = world.memory.display().to_string();
            all.retain(|name, _| !name.starts_with(&memory));
            all
        };
        let before = outside(&world);
        let is_paused = |reply: &ChatReply| reply.stop == StopReason::Pause;
        let pauses = replies.iter().any(is_paused);
        let chat = Scripted::new(replies);
        let policy = ToolPolicy::new(world.roots(), &world.project);
        let task = SubagentTask::new("Go.", policy).caps(Caps::default().turns(5).tokens(100_000));
        let mut turns = 0;
        let mut on_turn = |_: &Turn| turns += 1;
        let runner = Runner::new(chat.clone(), NoShell::new());
        let end = now_or_never(runner.run(task, &mut on_turn));
        for request in chat.requests() {
            // After a pause the model goes on with its own message.
            if !pauses {
                check_messages(&request.messages);
            }
        }
        prop_assert!(turns <= 5);
        if let Ok(end) = end {
            prop_assert!(end.reason != EndReason::CapReached(Cap::Turns) || turns == 5);
        }
        prop_assert_eq!(outside(&world), before);
    }
}

/// Short and long, with characters of every kind.
fn text() -> impl Strategy<Value = String> {
    ("\\PC{0,12}|[\\n\\r\u{1b}\u{7}a]{0,9}", 1..300_usize)
        .prop_map(|(text, times)| text.repeat(times))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_name_leaves_its_quotes(name in "\\PC{0,40}|[`\\n\\r\\t #*\u{200b}\u{202e}]{0,20}") {
        let plain = DreamPrompt::new("/m").pinned(["x"]).text();
        let text = DreamPrompt::new("/m").pinned([name.as_str()]).text();
        prop_assert_eq!(text.lines().count(), plain.lines().count());
        prop_assert_eq!(text.matches('`').count(), plain.matches('`').count());
    }

    #[test]
    fn a_task_never_goes_back_and_keeps_little(
        turns in prop::collection::vec((text(), 0..4_usize, 0..1_000_u32, any::<bool>()), 0..50),
        end in prop::option::of(0..50_usize),
    ) {
        let mut task = DreamTask::new(DreamKind::Automatic, 3, now()).directory("/m");
        for (at, (text, tool, file, succeeded)) in turns.iter().enumerate() {
            if end == Some(at) {
                task.end(TaskEnd::Aborted, now());
            }
            let before = task.clone();
            let name = ["Read", "Grep", "Edit", "Write"][*tool];
            let path = if file % 7 == 0 { "/m/MEMORY.md".to_owned() } else { format!("/m/{file}.md") };
            let used = TurnTool::new(name, Some(path));
            let used = if *succeeded { used } else { used.failed() };
            task.turn(&Turn::new(text.as_str()).tool(used).usage(Usage::new(u64::MAX / 7, 1)));
            prop_assert!(task.phase >= before.phase);
            prop_assert!(task.turns.len() <= 30 && task.files.len() <= 500);
            if before.is_over() {
                prop_assert_eq!(&task, &before);
            } else {
                prop_assert_eq!(&task.state, &TaskState::Running);
                prop_assert_eq!(task.turn_count, before.turn_count + 1);
            }
            prop_assert_eq!(task.label().lines().count(), 1);
            prop_assert!(task.details().lines().count() < 25);
        }
    }
}
