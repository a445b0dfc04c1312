//! A consolidation from the gate to its undo, with a model that is a script: `dream`.
//!
//! Works in a temporary directory; there is no network.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program, not a library"
)]

use std::convert::Infallible;
use std::error::Error;
use std::fs;
use std::future::{Future, ready};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{Thread, current, park};
use std::time::SystemTime;

use autodream::memdir_paths::MemoryDir;
use autodream::{
    ChatBlock, ChatReply, ChatRequest, Config, DreamJob, DreamOutcome, Gate, Host, Opening,
    Process, Runner, StopReason, TaskHandle, Transcripts, chat_fn, dream, undo,
};

fn main() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let memory = home.path().join("memory");
    fs::create_dir(&memory)?;
    for (file, text) in [
        ("project_api.md", "The API is v1."),
        ("project_api_2.md", "The API is v2 since 2026-05-01."),
        ("project_queue.md", "The queue stays until October 2026."),
    ] {
        let front = format!("---\nname: {file}\ndescription: how it is\ntype: project\n---\n");
        fs::write(memory.join(file), format!("{front}\n{text}\n"))?;
    }
    let index = "- [API](project_api.md) — v1\n- [API again](project_api_2.md) — v2\n\
                 - [Queue](project_queue.md) — stays until October\n";
    fs::write(memory.join("MEMORY.md"), index)?;

    // A person asks; at the end of a turn it would be `gate.check`.
    let dir = MemoryDir::new(&memory);
    let transcripts = Transcripts::new([home.path()]);
    let mut gate = Gate::new(dir.clone(), transcripts, Config::default());
    let opening = gate.manual(SystemTime::now(), &Host::default(), &Process::current())?;
    let Opening::Open(ticket) = opening else {
        return Err("somebody else consolidates".into());
    };

    // What a UI would poll; here it is printed whenever the model is asked.
    let task = TaskHandle::new();
    let shown = task.clone();
    let chat = chat_fn(move |request: &ChatRequest| {
        println!("[{}]", shown.snapshot().label());
        ready(Ok::<_, Infallible>(script(request)))
    });
    #[cfg(unix)]
    let shell = autodream::ProcessExecutor::new();
    #[cfg(not(unix))]
    let shell = autodream::NoShell::new();

    let job = DreamJob::new(home.path());
    let agent = Runner::new(chat, shell);
    let end = block_on(dream(ticket, &job, &agent, &task, SystemTime::now));

    println!("\n{}\n", task.snapshot().details());
    let DreamOutcome::Improved(report) = end.outcome else {
        return Err(format!("{:?}", end.outcome).into());
    };
    println!("{report}");
    println!("{}\n", task.snapshot().notice().unwrap_or_default());

    let undone = undo(&dir, &report.run, SystemTime::now())?;
    println!("undone: {} restored", undone.restored.len());
    assert_eq!(fs::read_to_string(memory.join("MEMORY.md"))?, index);
    Ok(())
}

/// What the model answers in each of its turns.
fn script(request: &ChatRequest) -> ChatReply {
    let stage = staged(request).unwrap_or_default();
    let file = |name: &str| Path::new(stage).join(name).display().to_string();
    let (text, calls) = match request.messages.len() {
        1 => (
            "First, what is there.",
            vec![
                (
                    "Bash",
                    serde_json::json!({"command": format!("ls -l {stage} | tail -n 5")}),
                ),
                ("Read", serde_json::json!({"file_path": file("MEMORY.md")})),
            ],
        ),
        3 => (
            "Two memories speak of the API, and the newer one holds.",
            vec![
                (
                    "Grep",
                    serde_json::json!({"pattern": "API is", "path": stage, "output_mode": "content"}),
                ),
                (
                    "Edit",
                    serde_json::json!({"file_path": file("project_api.md"), "old_string": "The API is v1.\n", "new_string": "The API is v2 since 2026-05-01.\n"}),
                ),
                (
                    "Write",
                    serde_json::json!({"file_path": file("project_api_2.md"), "content": ""}),
                ),
            ],
        ),
        5 => (
            "Now the index.",
            vec![(
                "Edit",
                serde_json::json!({"file_path": file("MEMORY.md"), "old_string": "— v1\n- [API again](project_api_2.md) ", "new_string": ""}),
            )],
        ),
        _ => (
            "Merged two memories about the API; the index has one line less.",
            vec![],
        ),
    };
    let stop = match calls.is_empty() {
        true => StopReason::EndTurn,
        false => StopReason::ToolUse,
    };
    let mut blocks = vec![ChatBlock::Text(text.to_owned())];
    for (at, (name, input)) in calls.into_iter().enumerate() {
        blocks.push(ChatBlock::ToolUse {
            id: format!("use-{}-{at}", request.messages.len()),
            name: name.to_owned(),
            input: input.to_string(),
        });
    }
    ChatReply::new(blocks, stop)
}

/// The directory that the prompt names.
fn staged(request: &ChatRequest) -> Option<&str> {
    let Some(ChatBlock::Text(prompt)) = request.messages.first()?.blocks.first() else {
        return None;
    };
    let (_, rest) = prompt.split_once("The memory is in `")?;
    Some(rest.split_once('`')?.0)
}

/// The smallest runtime there is.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => park(),
        }
    }
}
