//! From the open gate to every end.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use autodream::{
    Cap, ClosedReason, Config, DreamMode, DreamOutcome, EndReason, ErrorKind, Flags, Gate, Host,
    Opening, StageOptions, SubagentEnd, TaskEnd, TaskHandle, Transcripts, dream, runs, undo,
};
use memdir_types::Date;

use crate::night::{Agent, Night, clock, done, memory, merge, on, run};
use crate::world::{Broken, hours, minutes, now, now_or_never, process};

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
    night.check_gates(&ClosedReason::Tried);
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
    night.check_gates(&ClosedReason::Tried);
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
    night.check_gates(&ClosedReason::Tried);
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
    night.check_gates(&ClosedReason::Tried);
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
    night.check_gates(&ClosedReason::Tried);
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
    let end = now_or_never(dream(ticket, &job, &agent, &task, clock));
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
    night.check_gates(&ClosedReason::Tried);
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
