//! From the open gate to every end.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::future::{Future, pending};
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::SystemTime;

use autodream::{
    Begun, Cap, ClosedReason, Config, Dream, DreamEnd, DreamJob, DreamKind, DreamMode,
    DreamOutcome, Enabled, EndReason, ErrorKind, Flags, Gate, Host, Opening, Settings,
    StageOptions, Subagent, SubagentEnd, SubagentTask, TaskEnd, TaskHandle, TaskState, Ticket,
    ToolUse, Transcripts, Turn, TurnTool, Verdict, dream, enabled, runs, undo,
};
use memdir_types::Date;

use crate::world::{World, file, hours, minutes, now, process};

#[derive(Debug)]
pub(crate) struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the line is down")
    }
}

impl std::error::Error for Broken {}

/// Polls a future that never waits.
#[track_caller]
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

/// When a run begins, and when it ends.
fn clock() -> SystemTime {
    thread_local!(static LOOKS: Cell<u64> = const { Cell::new(0) });
    let _ = LOOKS.with(|looks| looks.replace(looks.get() + 1));
    now() + minutes(5)
}

fn on() -> Enabled {
    enabled(
        &Settings::default().auto_dream_enabled(true),
        &Flags::default(),
        &Host::default(),
    )
}

/// A memory directory with three memories and five sessions, and its gates.
struct Night {
    world: World,
    gate: Gate,
}

fn memory(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\ntype: project\n---\n\n{body}\n")
}

impl Night {
    fn new() -> Night {
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
    fn gate(world: &World) -> Gate {
        let transcripts = Transcripts::new([&world.transcripts]).exclude("current");
        Gate::new(world.dir.clone(), transcripts, Config::default())
    }

    #[track_caller]
    fn ticket(&mut self) -> Ticket {
        match self.gate.check(now(), &on(), &process(7)).unwrap() {
            Opening::Open(ticket) => ticket,
            Opening::Closed(closed) => panic!("{closed}"),
        }
    }

    fn job(&self) -> DreamJob {
        let project = self.world.transcripts.join("project");
        fs::create_dir_all(&project).unwrap();
        DreamJob::new(project)
    }

    /// Everything in the memory directory but our bookkeeping: content and time.
    fn files(&self) -> BTreeMap<String, (String, SystemTime)> {
        self.all()
            .into_iter()
            .filter(|(name, _)| !name.starts_with('.'))
            .collect()
    }

    fn all(&self) -> BTreeMap<String, (String, SystemTime)> {
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

    fn staged(&self) -> usize {
        let names = self.all().into_keys();
        names.filter(|name| name.contains("stage")).count()
    }

    /// Time and body of the lock are as before the run.
    #[track_caller]
    fn check_rolled_back(&self) {
        let wanted = (String::new(), now() - hours(30));
        assert_eq!(self.world.lock_state(), Some(wanted));
        assert_eq!(self.staged(), 0, "nothing staged is left");
    }

    #[track_caller]
    fn check_kept(&self) {
        let wanted = (String::new(), now() + minutes(5));
        assert_eq!(self.world.lock_state(), Some(wanted));
        assert_eq!(self.staged(), 0, "nothing staged is left");
    }

    /// What the gates of this session say later, and those of the next.
    #[track_caller]
    fn check_gates(&mut self, reason: &ClosedReason) {
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
struct Agent<F>(F);

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
fn staged_in(task: &SubagentTask) -> std::path::PathBuf {
    let (_, rest) = task.prompt.split_once("The memory is in `").unwrap();
    let (path, _) = rest.split_once('`').unwrap();
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
fn merge(stage: &Path) {
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

fn done(text: &str) -> Result<SubagentEnd, Broken> {
    Ok(SubagentEnd::finished(text))
}

/// A run to its end, and the task as the UI sees it then.
fn run<F>(night: &mut Night, job: &DreamJob, work: F) -> (DreamEnd, TaskHandle)
where
    F: Fn(&Path) -> Result<SubagentEnd, Broken> + Sync,
{
    let task = TaskHandle::new();
    let agent = Agent(work);
    let ticket = night.ticket();
    let end = block_on(dream(ticket, job, &agent, &task, clock));
    (end, task)
}

#[test]
fn a_run_that_improves_is_written_recorded_and_counts() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job().today(Date::new(2026, 5, 28).unwrap());
    let (end, task) = run(&mut night, &job, |stage| {
        merge(stage);
        done("Merged two memories about the API.")
    });
    let DreamOutcome::Improved(report) = &end.outcome else {
        panic!("{end:?}");
    };
    let changed: Vec<&str> = report.changes.iter().map(|change| &*change.file).collect();
    assert_eq!(changed, ["MEMORY.md", "project_api.md", "project_api_2.md"]);
    assert_eq!(end.said, "Merged two memories about the API.");
    assert!(end.lock.is_none() && end.counts());
    let task = task.snapshot();
    assert_eq!(task.notice().as_deref(), Some("Improved 3 files"));
    assert_eq!((task.sessions, task.turn_count), (5, 1));
    night.check_kept();
    assert!(!night.files().contains_key("project_api_2.md"));
    // And back.
    let run = &runs(&night.world.dir).unwrap()[0].id;
    assert_eq!(run, &report.run);
    undo(&night.world.dir, run, now() + hours(1)).unwrap();
    let texts = |files: BTreeMap<String, (String, SystemTime)>| -> BTreeMap<String, String> {
        files
            .into_iter()
            .map(|(name, (text, _))| (name, text))
            .collect()
    };
    assert_eq!(texts(night.files()), texts(before));
}

#[test]
fn the_same_process_may_consolidate_again_right_away() {
    let mut night = Night::new();
    let job = night.job();
    let _ = run(&mut night, &job, |stage| {
        merge(stage);
        done("")
    });
    let opening = night
        .gate
        .manual(now() + minutes(6), &Host::default(), &process(7));
    assert!(matches!(opening.unwrap(), Opening::Open(_)));
}

#[test]
fn honestly_nothing_to_do_counts() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let (end, task) = run(&mut night, &job, |_| done("All is in order."));
    assert!(
        matches!(end.outcome, DreamOutcome::NothingToDo(_)),
        "{end:?}"
    );
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::NothingToDo));
    assert_eq!(task.snapshot().notice(), None);
    night.check_kept();
    assert_eq!(night.files(), before);
}

#[test]
fn an_agent_that_declines_does_not_count_and_its_work_is_given_up() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let (end, task) = run(&mut night, &job, |stage| {
        merge(stage);
        Ok(SubagentEnd::declined("I would rather not."))
    });
    assert!(matches!(end.outcome, DreamOutcome::Declined), "{end:?}");
    let why = "I would rather not.".to_owned();
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::Declined { why }));
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    night.check_gates(&ClosedReason::Failed);
}

#[test]
fn an_agent_at_its_cap_does_not_count() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let (end, task) = run(&mut night, &job, |stage| {
        merge(stage);
        Ok(SubagentEnd::cap_reached(Cap::Turns, "And then"))
    });
    assert!(
        matches!(end.outcome, DreamOutcome::CapReached(Cap::Turns)),
        "{end:?}"
    );
    assert_eq!(
        task.snapshot().ended_as(),
        Some(&TaskEnd::CapReached(Cap::Turns))
    );
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    night.check_gates(&ClosedReason::Failed);
}

#[test]
fn an_agent_that_fails_does_not_count() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let (end, task) = run(&mut night, &job, |stage| {
        merge(stage);
        Err(Broken)
    });
    let DreamOutcome::Failed(error) = &end.outcome else {
        panic!("{end:?}");
    };
    assert_eq!(error.kind(), &ErrorKind::Subagent);
    assert_eq!(
        error.to_string(),
        "the agent could not go on (the line is down)"
    );
    assert!(matches!(
        task.snapshot().ended_as(),
        Some(TaskEnd::Failed { .. })
    ));
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    night.check_gates(&ClosedReason::Failed);
}

#[test]
fn a_result_that_is_not_good_enough_is_refused_as_a_whole() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let (end, task) = run(&mut night, &job, |stage| {
        for entry in fs::read_dir(stage).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::remove_file(path).unwrap();
            }
        }
        fs::write(stage.join("MEMORY.md"), "").unwrap();
        done("Tidied up.")
    });
    let DreamOutcome::Refused(review) = &end.outcome else {
        panic!("{end:?}");
    };
    assert!(!review.refused.is_empty());
    assert!(
        matches!(task.snapshot().ended_as(), Some(TaskEnd::Refused { why }) if !why.is_empty())
    );
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    night.check_gates(&ClosedReason::Failed);
}

#[test]
fn a_dry_run_writes_nothing_and_does_not_count() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job().mode(DreamMode::DryRun);
    let (end, task) = run(&mut night, &job, |stage| {
        merge(stage);
        done("")
    });
    let DreamOutcome::DryRun(review) = &end.outcome else {
        panic!("{end:?}");
    };
    assert_eq!(review.report.changes.len(), 3);
    assert_eq!(
        task.snapshot().ended_as(),
        Some(&TaskEnd::DryRun { files: 3 })
    );
    assert_eq!(task.snapshot().notice(), None);
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    assert!(runs(&night.world.dir).unwrap().is_empty());
}

#[test]
fn with_nothing_new_no_model_is_asked_and_it_counts() {
    let mut night = Night::new();
    let job = night.job();
    let _ = run(&mut night, &job, |stage| {
        merge(stage);
        done("")
    });
    // No session since, and no minimum of sessions.
    for n in 0..5 {
        fs::remove_file(night.world.transcripts.join(format!("s{n}.jsonl"))).unwrap();
    }
    let (flags, _) = Flags::from_json(r#"{"tengu_onyx_plover": {"minSessions": 0}}"#);
    let config = Config::new(&flags);
    let mut gate = Gate::new(
        night.world.dir.clone(),
        Transcripts::new([&night.world.transcripts]),
        config,
    );
    let Opening::Open(ticket) = gate.check(now() + hours(30), &on(), &process(7)).unwrap() else {
        panic!("closed");
    };
    let task = TaskHandle::new();
    let agent = Agent(|_: &Path| -> Result<SubagentEnd, Broken> { panic!("it was asked") });
    let end = block_on(dream(ticket, &job, &agent, &task, clock));
    assert!(matches!(end.outcome, DreamOutcome::Idle), "{end:?}");
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::Idle));
    night.check_kept();
}

#[test]
fn a_memory_that_is_emptied_is_removed() {
    let mut night = Night::new();
    let job = night.job();
    let (end, _) = run(&mut night, &job, |stage| {
        merge(stage);
        fs::write(stage.join("project_api_2.md"), "").unwrap();
        fs::write(stage.join("project_second_thought.md"), "\n").unwrap();
        done("")
    });
    let DreamOutcome::Improved(report) = &end.outcome else {
        panic!("{end:?}");
    };
    assert_eq!(report.changes.len(), 3);
    assert!(!night.files().contains_key("project_api_2.md"));
    assert!(!night.files().contains_key("project_second_thought.md"));
}

#[test]
fn without_a_directory_to_stage_it_fails_and_is_rolled_back() {
    let mut night = Night::new();
    let place = night.world.transcripts.join("a file");
    fs::write(&place, "").unwrap();
    let job = night.job().stage(StageOptions::default().place(&place));
    let (end, task) = run(&mut night, &job, |_| panic!("it was asked"));
    assert!(matches!(end.outcome, DreamOutcome::Failed(_)), "{end:?}");
    assert!(task.snapshot().is_over());
    night.check_rolled_back();
    night.check_gates(&ClosedReason::Failed);
}

#[test]
fn a_lock_that_another_program_took_over_is_told_and_left_alone() {
    let mut night = Night::new();
    let job = night.job();
    let lock = night.world.dir.lock_file();
    let (end, _) = run(&mut night, &job, |stage| {
        merge(stage);
        fs::write(&lock, "999").unwrap();
        done("")
    });
    assert!(matches!(end.outcome, DreamOutcome::Improved(_)), "{end:?}");
    assert_eq!(end.lock.unwrap().kind(), &ErrorKind::LostLock);
    assert_eq!(night.world.lock_state().unwrap().0, "999");
}

/// An agent that works, and then waits for ever.
struct Hangs;

impl Subagent for Hangs {
    type Error = Broken;

    async fn run(
        &self,
        task: SubagentTask,
        on_turn: &mut (dyn FnMut(&Turn) + Send),
    ) -> Result<SubagentEnd, Broken> {
        merge(&staged_in(&task));
        on_turn(&Turn::new("Merged."));
        pending().await
    }
}

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

type Running<'a> = Pin<Box<dyn Future<Output = DreamEnd> + Send + 'a>>;

/// Polls once, which has to be not enough.
#[track_caller]
fn poll_pending(running: &mut Running<'_>, woken: &Arc<Woken>) {
    let waker = Waker::from(Arc::clone(woken));
    let polled = running.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
}

#[test]
fn a_future_that_is_dropped_midway_rolls_back_once() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let task = TaskHandle::new();
    let mut running: Running<'_> = Box::pin(dream(night.ticket(), &job, &Hangs, &task, clock));
    poll_pending(&mut running, &Arc::default());
    assert_eq!(task.snapshot().state, TaskState::Running);
    assert!(night.staged() > 0);
    drop(running);
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::Aborted));
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    night.check_gates(&ClosedReason::OnHold);
    // A second roll-back would take this away again.
    night.world.lock_file("", now() - hours(1));
    drop(task);
    assert_eq!(night.world.lock_state().unwrap().1, now() - hours(1));
}

#[test]
fn a_future_that_is_never_polled_ends_too() {
    let mut night = Night::new();
    let job = night.job();
    let task = TaskHandle::new();
    drop(dream(night.ticket(), &job, &Hangs, &task, clock));
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::Aborted));
    night.check_rolled_back();
    night.check_gates(&ClosedReason::OnHold);
}

#[test]
fn a_run_that_is_stopped_is_woken_rolled_back_once_and_on_hold() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let task = TaskHandle::new();
    let woken = Arc::<Woken>::default();
    let mut running: Running<'_> = Box::pin(dream(night.ticket(), &job, &Hangs, &task, clock));
    poll_pending(&mut running, &woken);
    poll_pending(&mut running, &woken);
    assert!(task.abort(), "it runs");
    assert!(task.abort(), "until it is polled again");
    assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    let end = block_on(running);
    assert!(matches!(end.outcome, DreamOutcome::Aborted), "{end:?}");
    assert!(
        end.lock.is_none(),
        "a lock that is rolled back twice is lost"
    );
    assert!(!task.abort(), "it is over");
    assert_eq!(task.snapshot().ended_as(), Some(&TaskEnd::Aborted));
    night.check_rolled_back();
    assert_eq!(night.files(), before);
    night.check_gates(&ClosedReason::OnHold);
}

#[test]
fn stopping_wins_over_an_agent_that_is_done_in_the_same_moment() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let task = TaskHandle::new();
    let agent = Agent(|stage: &Path| {
        merge(stage);
        assert!(task.abort());
        done("Merged.")
    });
    let end = block_on(dream(night.ticket(), &job, &agent, &task, clock));
    assert!(matches!(end.outcome, DreamOutcome::Aborted), "{end:?}");
    night.check_rolled_back();
    assert_eq!(night.files(), before);
}

#[test]
fn a_task_that_is_stopped_before_it_starts_asks_no_model() {
    let mut night = Night::new();
    let job = night.job();
    let task = TaskHandle::new();
    assert!(task.abort());
    let agent = Agent(|_: &Path| -> Result<SubagentEnd, Broken> { panic!("it was asked") });
    let end = block_on(dream(night.ticket(), &job, &agent, &task, clock));
    assert!(matches!(end.outcome, DreamOutcome::Aborted), "{end:?}");
    night.check_rolled_back();
}

#[test]
fn an_agent_that_panics_leaves_everything_as_it_was() {
    let mut night = Night::new();
    let before = night.files();
    let job = night.job();
    let task = TaskHandle::new();
    let ticket = night.ticket();
    let (shown, job) = (task.clone(), &job);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let agent = Agent(|stage: &Path| -> Result<SubagentEnd, Broken> {
            merge(stage);
            panic!("a fault in the agent")
        });
        block_on(dream(ticket, job, &agent, &shown, clock))
    }));
    assert!(caught.is_err());
    assert!(matches!(
        task.snapshot().ended_as(),
        Some(TaskEnd::Failed { .. })
    ));
    night.check_rolled_back();
    assert_eq!(night.files(), before);
}

#[test]
fn a_session_that_saves_meanwhile_loses_nothing() {
    let mut night = Night::new();
    let job = night.job();
    let saved = night.world.dir.path().join("project_queue.md");
    let text = memory("Queue", "The queue goes in June 2026.");
    let (end, _) = run(&mut night, &job, |stage| {
        merge(stage);
        fs::write(
            stage.join("project_queue.md"),
            memory("Queue", "The queue stays."),
        )
        .unwrap();
        fs::write(&saved, &text).unwrap();
        done("")
    });
    let DreamOutcome::Improved(report) = &end.outcome else {
        panic!("{end:?}");
    };
    assert_eq!(fs::read_to_string(&saved).unwrap(), text);
    assert_eq!(report.kept_back.len(), 1);
    assert!(!night.files().contains_key("project_api_2.md"));
}

#[test]
fn the_agent_is_told_of_its_sessions_and_may_read_transcripts_and_project() {
    let mut night = Night::new();
    let job = night
        .job()
        .stage(StageOptions::default().pinned("project_queue.md"));
    let Begun::Ready(begun) = Dream::begin(night.ticket(), &job, now()) else {
        panic!("it ended");
    };
    let task = begun.task();
    assert!(task.prompt.contains("5 sessions since"), "{}", task.prompt);
    assert!(
        task.prompt.contains("- `project_queue.md`"),
        "{}",
        task.prompt
    );
    assert!(!task.prompt.contains("current"), "{}", task.prompt);
    let read = |path: &Path| {
        let path = path.display().to_string();
        matches!(
            task.policy.judge(&ToolUse::Read { path }),
            Verdict::Allow(_)
        )
    };
    assert!(read(&night.world.transcripts.join("s1.jsonl")));
    assert!(read(&job.project.join("main.rs")));
    assert!(read(&begun.directory().join("MEMORY.md")));
    // The memories themselves are for the commit alone.
    let path = night
        .world
        .dir
        .path()
        .join("project_api.md")
        .display()
        .to_string();
    assert!(matches!(
        task.policy.judge(&ToolUse::Write { path }),
        Verdict::Refuse(_)
    ));
    let end = begun.abort(now());
    assert!(matches!(end.outcome, DreamOutcome::Aborted));
    night.check_rolled_back();
}

#[test]
fn a_host_with_a_loop_of_its_own_uses_the_two_halves() {
    let mut night = Night::new();
    let job = night.job();
    let Begun::Ready(begun) = Dream::begin(night.ticket(), &job, now()) else {
        panic!("it ended");
    };
    merge(begun.directory());
    let ended: Result<_, Broken> = done("Merged.");
    let end = begun.finish(ended, now() + minutes(5));
    assert!(matches!(end.outcome, DreamOutcome::Improved(_)), "{end:?}");
    assert_eq!(end.task_end(), TaskEnd::Improved { files: 3 });
    night.check_kept();
}

#[test]
fn a_dream_that_is_dropped_is_rolled_back_and_on_hold() {
    let mut night = Night::new();
    let job = night.job();
    drop(Dream::begin(night.ticket(), &job, now()));
    night.check_rolled_back();
    night.check_gates(&ClosedReason::OnHold);
}

#[test]
fn a_host_may_open_the_gates_again() {
    let mut night = Night::new();
    let job = night.job();
    let _ = run(&mut night, &job, |_| Err(Broken));
    night.gate.release();
    let opening = night
        .gate
        .check(now() + hours(1), &on(), &process(7))
        .unwrap();
    assert!(matches!(opening, Opening::Open(_)));
}

#[test]
fn daily_logs_are_distilled_on_request_and_stay() {
    let night = Night::new();
    let log = night.world.dir.path().join("logs/2026/05/2026-05-28.md");
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    file(&log, "- 10:00 the API moved to the new host\n", now());
    // Neither time nor sessions, nor the setting, and in a session of daily logs.
    night.world.lock_file("", now() - hours(1));
    for n in 0..5 {
        fs::remove_file(night.world.transcripts.join(format!("s{n}.jsonl"))).unwrap();
    }
    let host = Host::default().daily_log(true).remote(true);
    let mut gate = Night::gate(&night.world);
    let Opening::Open(ticket) = gate.manual(now(), &host, &process(7)).unwrap() else {
        panic!("closed");
    };
    let job = night.job().kind(DreamKind::Logs);
    let task = TaskHandle::new();
    let agent = Agent(|stage: &Path| {
        let read = fs::read_to_string(stage.join("logs/2026/05/2026-05-28.md")).unwrap();
        assert!(read.contains("new host"));
        fs::write(stage.join("logs/2026/05/2026-05-28.md"), "").unwrap();
        fs::write(
            stage.join("project_api.md"),
            memory("API", "The API is v1. It is served by the new host."),
        )
        .unwrap();
        done("Distilled one day.")
    });
    let end = block_on(dream(ticket, &job, &agent, &task, clock));
    let DreamOutcome::Improved(report) = &end.outcome else {
        panic!("{end:?}");
    };
    assert_eq!(report.changes.len(), 1);
    assert_eq!(report.kept_back.len(), 1, "the log");
    assert_eq!(
        fs::read_to_string(&log).unwrap(),
        "- 10:00 the API moved to the new host\n"
    );
    assert_eq!(task.snapshot().kind, DreamKind::Logs);
    night.check_kept();
}

#[test]
fn who_asks_by_hand_is_not_let_in_without_memory_or_beside_another() {
    let night = Night::new();
    let mut gate = Night::gate(&night.world);
    for (host, why) in [
        (
            Host::default().auto_memory(false),
            "off: auto memory is off",
        ),
        (Host::default().subagent(true), "off: a subagent asks"),
    ] {
        match gate.manual(now(), &host, &process(7)).unwrap() {
            Opening::Closed(closed) => assert_eq!(closed.to_string(), why),
            Opening::Open(_) => panic!("open"),
        }
    }
    let held = night.world.locked(9, now());
    let Opening::Closed(closed) = gate.manual(now(), &Host::default(), &process(7)).unwrap() else {
        panic!("open");
    };
    assert_eq!(
        closed.to_string(),
        "locked: another consolidation runs (process 9)"
    );
    drop(held);
}

#[test]
fn who_asks_by_hand_is_let_in_after_a_stop() {
    let mut night = Night::new();
    night.gate.hold();
    let opening = night
        .gate
        .manual(now(), &Host::default(), &process(7))
        .unwrap();
    let Opening::Open(ticket) = opening else {
        panic!("closed");
    };
    assert_eq!(
        (ticket.sessions.len(), ticket.last),
        (5, Some(now() - hours(30)))
    );
}

#[test]
fn a_host_with_a_loop_of_its_own_hears_of_a_stop() {
    let task = TaskHandle::new();
    let mut waiting: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(task.aborted());
    let woken = Arc::<Woken>::default();
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    task.abort();
    assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    assert!(waiting.as_mut().poll(&mut context).is_ready());
}

#[test]
fn a_finished_end_is_the_only_one_that_may_be_written() {
    for reason in [EndReason::Declined, EndReason::CapReached(Cap::Tokens)] {
        let mut night = Night::new();
        let before = night.files();
        let job = night.job();
        let (end, _) = run(&mut night, &job, |stage| {
            merge(stage);
            let mut end = SubagentEnd::finished("");
            end.reason = reason;
            Ok(end)
        });
        assert!(!end.counts());
        assert_eq!(night.files(), before);
    }
}
