//! A run over a model that answers anything: each use of a tool gets one result, nothing outside
//! of the directory changes, and the run ends.
#![no_main]

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{LazyLock, Mutex};
use std::task::{Context, Poll, Waker};

use autodream::memdir_paths::MemoryDir;
use autodream::{
    Caps, ChatBlock, ChatReply, ChatRequest, ChatRole, NoShell, Roots, RunTask, Runner,
    ToolPolicy, chat_fn,
};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const TURNS: usize = 6;
const SECRET: &str = "what stands outside\n";

struct World {
    _temp: TempDir,
    root: PathBuf,
    policy: ToolPolicy,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let temp = TempDir::new().expect("a temporary directory");
    let root = temp.path().canonicalize().expect("it is there");
    let memory = root.join("memory");
    let project = root.join("project");
    for folder in [&memory, &project] {
        std::fs::create_dir_all(folder).expect("it can be made");
    }
    std::fs::write(root.join("outside.md"), SECRET).expect("it can be written");
    std::fs::write(project.join("a.rs"), SECRET).expect("it can be written");
    let text = "---\nname: a\ndescription: b\ntype: user\n---\n\nText.\n";
    std::fs::write(memory.join("a.md"), text).expect("it can be written");
    std::fs::write(memory.join("MEMORY.md"), "- [a](a.md) — b\n").expect("it can be written");
    let policy = ToolPolicy::new(Roots::new(&project, &MemoryDir::new(&memory)), &project);
    World { _temp: temp, root, policy }
});

/// The model answers at once; between the uses of a turn the run gives others their turn, so it is
/// asked again, but not for ever.
fn now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..100_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
    }
    panic!("the run waits for nobody");
}

/// Every use has its result right behind it, and no result is without a use.
fn paired(request: &ChatRequest) {
    for (at, message) in request.messages.iter().enumerate() {
        assert!(!message.blocks.is_empty());
        let mut uses: Vec<&str> = Vec::new();
        for block in &message.blocks {
            if let ChatBlock::ToolUse { id, .. } = block {
                assert_eq!(message.role, ChatRole::Assistant);
                uses.push(id);
            }
        }
        if uses.is_empty() {
            continue;
        }
        let Some(next) = request.messages.get(at + 1) else {
            panic!("a use waits for its result");
        };
        let results: Vec<&str> = (next.blocks.iter())
            .filter_map(|block| match block {
                ChatBlock::ToolResult { id, .. } => Some(id.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(uses, results);
    }
}

fn untouched(path: &Path) {
    assert_eq!(std::fs::read_to_string(path).ok().as_deref(), Some(SECRET));
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data).replace("{M}", &WORLD.root.join("memory").to_string_lossy());
    let replies: Mutex<Vec<ChatReply>> = Mutex::new(
        text.split('\n').rev().filter_map(|line| ChatReply::from_json(line).ok()).collect(),
    );
    let chat = chat_fn(|request: &ChatRequest| {
        paired(request);
        let reply = replies.lock().ok().and_then(|mut replies| replies.pop());
        std::future::ready(reply.ok_or_else(|| std::io::Error::other("over")))
    });
    let runner = Runner::new(chat, NoShell::new());
    let task = RunTask::new("go", &WORLD.policy, "fuzz").caps(Caps::default().turns(TURNS));
    let mut turns = 0;
    let _ = now(runner.run_with(&task, &mut |_| turns += 1));
    assert!(turns <= TURNS);
    untouched(&WORLD.root.join("outside.md"));
    untouched(&WORLD.root.join("project/a.rs"));
    assert_eq!(std::fs::read_dir(&WORLD.root).map(Iterator::count).ok(), Some(3));
});
