//! Who asks by hand, and hosts with a loop of their own.

use std::fs;
use std::path::Path;

use autodream::{
    Allowed, Begun, Dream, DreamKind, DreamOutcome, Host, Opening, StageOptions, TaskEnd,
    TaskHandle, ToolUse, Verdict, dream,
};

use crate::night::{Agent, Night, clock, done, memory, merge, on};
use crate::world::{Broken, file, hours, minutes, now, now_or_never, process};

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
fn searches_with_the_shell_find_what_is_in_the_copy() {
    let mut night = Night::new();
    let job = night.job();
    let Begun::Ready(begun) = Dream::begin(night.ticket(), &job, now()) else {
        panic!("it ended");
    };
    let stage = begun.directory().display().to_string();
    for line in [
        "grep -rl API {} | wc -l",
        "find {} -name '*.md' | grep -c API -v",
        "ls {}/*.md | wc -l",
        "cat {}/project_*.md | grep -c name:",
    ] {
        let command = line.replace("{}", &stage);
        let Verdict::Allow(Allowed::Run(script)) =
            begun.task().policy.judge(&ToolUse::Shell { command })
        else {
            panic!("{line}");
        };
        let shown = crate::shell_run::run(&script);
        let count: usize = shown.text.trim().parse().unwrap();
        assert!((3..=4).contains(&count), "{line}: {count}");
    }
    let _ = begun.abort(now());
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
    let end = now_or_never(dream(ticket, &job, &agent, &task, clock));
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
fn who_asks_for_the_logs_gets_a_run_though_nothing_is_new() {
    let mut night = Night::new();
    let job = night.job();
    let ticket = night.ticket();
    let agent = Agent(|_: &Path| done("All is in order."));
    let task = TaskHandle::new();
    let end = now_or_never(dream(ticket, &job, &agent, &task, clock));
    assert!(end.counts());
    for n in 0..5 {
        fs::remove_file(night.world.transcripts.join(format!("s{n}.jsonl"))).unwrap();
    }
    for (kind, asked) in [(DreamKind::Automatic, false), (DreamKind::Logs, true)] {
        let opening = night.gate.manual(now(), &Host::default(), &process(7));
        let Opening::Open(ticket) = opening.unwrap() else {
            panic!("closed");
        };
        let job = night.job().kind(kind);
        let end = now_or_never(dream(ticket, &job, &agent, &TaskHandle::new(), clock));
        let was_asked = matches!(end.outcome, DreamOutcome::NothingToDo(_));
        assert_eq!(was_asked, asked, "{end:?}");
    }
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

#[cfg(all(feature = "runner", unix))]
#[test]
fn a_dream_over_the_runner_works_on_its_copy_with_every_tool() {
    use autodream::{ChatReply, ChatRequest, ProcessExecutor, Runner, chat_fn};
    use serde_json::json;

    use crate::scripted::{call, says, uses};

    let mut night = Night::new();
    let job = night.job();
    let seen = std::sync::Mutex::new(Vec::new());
    let chat = chat_fn(|request: &ChatRequest| {
        seen.lock().unwrap().push(request.messages_json());
        let (_, rest) = seen.lock().unwrap()[0]
            .split_once("The memory is in `")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        let stage = rest.split_once('`').unwrap().0.to_owned();
        let file = |name: &str| format!("{stage}/{name}");
        let api = file("project_api.md");
        let transcript = night.world.transcripts.join("s1.jsonl");
        let reply: ChatReply = match request.messages.len() {
            1 => uses([
                call(
                    "Bash",
                    &json!({"command": format!("ls {stage} | sort; grep -c . {}", transcript.display())}),
                ),
                call(
                    "Grep",
                    &json!({"pattern": "API is", "path": stage, "output_mode": "content"}),
                ),
                call("Glob", &json!({"pattern": "*.md", "path": stage})),
                call("Read", &json!({"file_path": file("MEMORY.md")})),
                call("LS", &json!({"path": stage})),
            ]),
            3 => uses([
                call(
                    "MultiEdit",
                    &json!({"file_path": api, "edits": [
                        {"old_string": "The API is v1.", "new_string": "The API is v2 since 2026-05-01."},
                    ]}),
                ),
                call(
                    "Write",
                    &json!({"file_path": file("project_api_2.md"), "content": ""}),
                ),
                call(
                    "Edit",
                    &json!({"file_path": file("MEMORY.md"), "old_string": "— v1\n- [API again](project_api_2.md) ", "new_string": ""}),
                ),
            ]),
            _ => says("Merged."),
        };
        std::future::ready(Ok::<_, Broken>(reply))
    });
    let task = TaskHandle::new();
    let ticket = match night.gate.check(now(), &on(), &process(7)).unwrap() {
        Opening::Open(ticket) => ticket,
        Opening::Closed(closed) => panic!("{closed}"),
    };
    let runner = Runner::new(chat, ProcessExecutor::new());
    let end = now_or_never(dream(ticket, &job, &runner, &task, clock));
    let last = seen.lock().unwrap().pop().unwrap();
    assert!(!last.contains(r#""is_error":true"#), "{last}");
    assert!(
        last.contains(r"project_api.md\nproject_api_2.md\nproject_queue.md\n1\n"),
        "{last}"
    );
    let DreamOutcome::Improved(report) = &end.outcome else {
        panic!("{end:?}");
    };
    assert_eq!(report.changes.len(), 3);
    assert_eq!(
        task.snapshot().files,
        ["project_api.md", "project_api_2.md", "MEMORY.md"]
    );
    night.check_kept();
}

#[test]
fn a_clock_that_jumps_during_a_run_loses_nothing_and_closes_the_gate_for_no_longer() {
    for end in [
        now() - hours(72),
        now() - hours(24 * 4_000),
        now() + hours(24 * 4_000),
    ] {
        let mut night = Night::new();
        let before = night.files();
        let job = night.job();
        let Begun::Ready(begun) = Dream::begin(night.ticket(), &job, now()) else {
            panic!("it ended");
        };
        merge(begun.directory());
        let ended: Result<_, Broken> = done("Merged.");
        let ended = begun.finish(ended, end);
        assert!(ended.lock.is_none(), "{ended:?}");
        let DreamOutcome::Improved(report) = ended.outcome else {
            panic!("{ended:?}");
        };
        let stamp = night.world.lock_state().unwrap();
        assert_eq!(stamp, (String::new(), end));
        // A time that cannot be is no reason to wait: the next session asks as it would have.
        let opening = Night::gate(&night.world).check(now() + hours(30), &on(), &process(7));
        assert!(matches!(opening, Ok(Opening::Open(_))), "{opening:?}");
        drop(opening);
        autodream::undo(&night.world.dir, &report.run, end).unwrap();
        let texts = |files: &std::collections::BTreeMap<String, (String, _)>| -> Vec<_> {
            let texts = files
                .iter()
                .map(|(name, (text, _))| (name.clone(), text.clone()));
            texts.collect()
        };
        assert_eq!(texts(&night.files()), texts(&before));
    }
}
