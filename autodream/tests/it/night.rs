//! A memory directory that is due, and agents that work on its copy.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use autodream::{
    ClosedReason, Config, DreamEnd, DreamJob, Enabled, Flags, Gate, Host, Opening, Settings,
    Subagent, SubagentEnd, SubagentTask, TaskHandle, Ticket, ToolUse, Transcripts, Turn, TurnTool,
    Verdict, dream, enabled,
};

use crate::world::{Broken, World, file, hours, minutes, now, now_or_never, process};

/// The clock of a run.
pub(crate) fn clock() -> SystemTime {
    now() + minutes(5)
}

pub(crate) fn on() -> Enabled {
    enabled(
        &Settings::default().auto_dream_enabled(true),
        &Flags::default(),
        &Host::default(),
    )
}

/// A memory directory with three memories and five sessions, and its gates.
pub(crate) struct Night {
    pub(crate) world: World,
    pub(crate) gate: Gate,
}

pub(crate) fn memory(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\ntype: project\n---\n\n{body}\n")
}

impl Night {
    pub(crate) fn new() -> Night {
        let world = World::new();
        for n in 0..5 {
            world.session(&format!("s{n}"), now() - minutes(n));
        }
        let old = now() - hours(50);
        let put = |name: &str, text: &str| file(&world.dir.path().join(name), text, old);
        put(
            "project_api.md",
            &memory("API", "The API is v1. It is served by the old host."),
        );
        put(
            "project_api_2.md",
            &memory("API again", "The API is v2 since 2026-05-01."),
        );
        put(
            "project_queue.md",
            &memory("Queue", "The queue stays until October 2026."),
        );
        put(
            "MEMORY.md",
            "- [API](project_api.md) — v1\n- [API again](project_api_2.md) — v2\n\
             - [Queue](project_queue.md) — until October\n",
        );
        world.lock_file("", now() - hours(30));
        let gate = Night::gate(&world);
        Night { world, gate }
    }

    /// The gates of another session.
    pub(crate) fn gate(world: &World) -> Gate {
        let transcripts = Transcripts::new([&world.transcripts]).exclude("current");
        Gate::new(world.dir.clone(), transcripts, Config::default())
    }

    #[track_caller]
    pub(crate) fn ticket(&mut self) -> Ticket {
        match self.gate.check(now(), &on(), &process(7)).unwrap() {
            Opening::Open(ticket) => ticket,
            Opening::Closed(closed) => panic!("{closed}"),
        }
    }

    pub(crate) fn job(&self) -> DreamJob {
        let project = self.world.transcripts.join("project");
        fs::create_dir_all(&project).unwrap();
        DreamJob::new(project)
    }

    /// Everything in the memory directory but our bookkeeping: content and time.
    pub(crate) fn files(&self) -> BTreeMap<String, (String, SystemTime)> {
        self.all()
            .into_iter()
            .filter(|(name, _)| !name.starts_with('.'))
            .collect()
    }

    pub(crate) fn all(&self) -> BTreeMap<String, (String, SystemTime)> {
        let mut all = BTreeMap::new();
        let mut open = vec![self.world.dir.path().to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let name = path.strip_prefix(self.world.dir.path()).unwrap();
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                let modified = fs::metadata(&path).unwrap().modified().unwrap();
                all.insert(name.display().to_string(), (text, modified));
            }
        }
        all
    }

    pub(crate) fn staged(&self) -> usize {
        let names = self.all().into_keys();
        names.filter(|name| name.contains("stage")).count()
    }

    /// Time and body of the lock are as before the run.
    #[track_caller]
    pub(crate) fn check_rolled_back(&self) {
        let wanted = (String::new(), now() - hours(30));
        assert_eq!(self.world.lock_state(), Some(wanted));
        assert_eq!(self.staged(), 0, "nothing staged is left");
    }

    #[track_caller]
    pub(crate) fn check_kept(&self) {
        let wanted = (String::new(), now() + minutes(5));
        assert_eq!(self.world.lock_state(), Some(wanted));
        assert_eq!(self.staged(), 0, "nothing staged is left");
    }

    /// What the gates of this session say later, and those of the next.
    #[track_caller]
    pub(crate) fn check_gates(&mut self, reason: &ClosedReason) {
        let later = now() + hours(2);
        match self.gate.check(later, &on(), &process(7)).unwrap() {
            Opening::Closed(closed) => {
                assert_eq!((&closed.reason, closed.ask_again), (reason, None));
            }
            Opening::Open(_) => panic!("open in the same session"),
        }
        match Night::gate(&self.world)
            .check(later, &on(), &process(8))
            .unwrap()
        {
            Opening::Open(ticket) => assert_eq!(ticket.last, Some(now() - hours(30))),
            Opening::Closed(closed) => panic!("in the next session: {closed}"),
        }
    }
}

/// An agent whose work is a function over the staged directory.
pub(crate) struct Agent<F>(pub(crate) F);

impl<F: Fn(&Path) -> Result<SubagentEnd, Broken> + Sync> Subagent for Agent<F> {
    type Error = Broken;

    async fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> Result<SubagentEnd, Broken> {
        let stage = staged_in(&task);
        let index = stage.join("MEMORY.md").display().to_string();
        on_turn(&Turn::new("Reading.").tool(TurnTool::new("Read", Some(index))));
        (self.0)(&stage)
    }
}

/// The directory that a task names: the only one in which the policy lets it write.
#[track_caller]
pub(crate) fn staged_in(task: &SubagentTask) -> std::path::PathBuf {
    let (_, rest) = task.prompt.split_once("The memory is in `").unwrap();
    let (path, _) = rest.split_once('`').unwrap();
    assert_eq!(task.directory(), Path::new(path));
    let probe = ToolUse::Write {
        path: format!("{path}/probe.md"),
    };
    assert!(
        matches!(task.policy.judge(&probe), Verdict::Allow(_)),
        "{path}"
    );
    path.into()
}

/// Merges the two memories about the API.
pub(crate) fn merge(stage: &Path) {
    fs::write(
        stage.join("project_api.md"),
        memory(
            "API",
            "The API is v2 since 2026-05-01. It is served by the old host.",
        ),
    )
    .unwrap();
    fs::remove_file(stage.join("project_api_2.md")).unwrap();
    fs::write(
        stage.join("MEMORY.md"),
        "- [API](project_api.md) — v2\n- [Queue](project_queue.md) — until October\n",
    )
    .unwrap();
}

pub(crate) fn done(text: &str) -> Result<SubagentEnd, Broken> {
    Ok(SubagentEnd::finished(text))
}

/// A run to its end, and the task as the UI sees it then.
pub(crate) fn run<F>(night: &mut Night, job: &DreamJob, work: F) -> (DreamEnd, TaskHandle)
where
    F: Fn(&Path) -> Result<SubagentEnd, Broken> + Sync,
{
    let task = TaskHandle::new();
    let agent = Agent(work);
    let ticket = night.ticket();
    let end = now_or_never(dream(ticket, job, &agent, &task, clock));
    (end, task)
}
