//! What a UI sees of a run.

use std::sync::Arc;

use autodream::{
    Cap, DreamKind, DreamTask, KEPT_TURNS, Phase, SHOWN_TURNS, TaskEnd, TaskHandle, TaskState,
    Turn, TurnTool, Usage,
};

use crate::world::{minutes, now};

fn task() -> DreamTask {
    DreamTask::new(DreamKind::Automatic, 7, now()).directory("/m/stage")
}

fn used(name: &str, path: &str) -> Turn {
    Turn::new("").tool(TurnTool::new(name, Some(path.to_owned())))
}

/// The phase after each of these turns.
#[track_caller]
fn phases(turns: &[Turn], wanted: &[Phase]) {
    let mut task = task();
    let seen: Vec<Phase> = turns
        .iter()
        .map(|turn| {
            task.turn(turn);
            task.phase
        })
        .collect();
    assert_eq!(seen, wanted);
}

#[test]
fn a_task_starts_runs_and_ends() {
    let mut task = task();
    assert_eq!(
        (&task.state, task.phase),
        (&TaskState::Starting, Phase::Starting)
    );
    assert_eq!(task.label(), "dreaming: starting, 7 sessions");
    task.turn(&Turn::new("Looking around."));
    assert_eq!(task.label(), "dreaming: orienting, 7 sessions");
    task.finishing();
    assert_eq!(task.label(), "dreaming: checking the result, 7 sessions");
    assert!(!task.can_abort() && !task.is_over());
    task.end(TaskEnd::Improved { files: 2 }, now() + minutes(3));
    assert_eq!(task.label(), "dream: improved 2 files");
    assert_eq!(
        (task.started, task.ended),
        (Some(now()), Some(now() + minutes(3)))
    );
}

#[test]
fn the_phase_follows_from_the_tools() {
    phases(
        &[
            used("Read", "/m/stage/MEMORY.md"),
            used("LS", "/m/stage"),
            used("Read", "/m/stage/logs/2026/05/2026-05-28.md"),
            used("Edit", "/m/stage/user_role.md"),
            used("Read", "/m/stage/MEMORY.md"),
            used("Write", "/m/stage/MEMORY.md"),
            used("Edit", "/m/stage/user_role.md"),
        ],
        &[
            Phase::Orienting,
            Phase::Orienting,
            Phase::Gathering,
            Phase::Consolidating,
            Phase::Consolidating,
            Phase::Pruning,
            Phase::Pruning,
        ],
    );
    phases(&[used("Read", "/p/src/main.rs")], &[Phase::Gathering]);
    phases(&[used("Grep", "/m/stage")], &[Phase::Gathering]);
    phases(
        &[Turn::new("").tool(TurnTool::from_json("Bash", r#"{"command": "ls"}"#))],
        &[Phase::Orienting],
    );
}

#[test]
fn what_was_refused_touched_nothing() {
    let mut task = task();
    task.turn(
        &Turn::new("").tool(TurnTool::new("Write", Some("/m/stage/a.md".to_owned())).failed()),
    );
    assert_eq!((task.phase, task.files.len()), (Phase::Orienting, 0));
    task.turn(&used("Write", "/elsewhere/b.md"));
    assert_eq!(task.files.len(), 0);
}

#[test]
fn files_are_named_below_the_directory_and_once() {
    let mut task = task();
    for path in ["/m/stage/a.md", "/m/stage/x/b.md", "/m/stage/a.md"] {
        task.turn(&used("Edit", path));
    }
    assert_eq!(task.files, ["a.md", "x/b.md"]);
    assert_eq!(task.label(), "dreaming: consolidating, 7 sessions, 2 files");
}

#[test]
fn thirty_turns_are_kept_and_six_shown() {
    let mut task = task();
    for n in 1..=100 {
        task.turn(&Turn::new(format!("turn number {n}")).usage(Usage::new(10, 1)));
    }
    assert_eq!((task.turns.len(), task.turn_count), (KEPT_TURNS, 100));
    assert_eq!(task.turns[0].text, "turn number 71");
    let details = task.details();
    assert_eq!(details.matches("turn number").count(), SHOWN_TURNS);
    assert!(
        details.contains("(94 earlier turns)\n- turn number 95\n"),
        "{details}"
    );
    assert!(
        details.contains("spent: 100 turns, 1,100 tokens"),
        "{details}"
    );
}

#[test]
fn the_view_behind_the_label_tells_what_happened() {
    let mut task = task();
    task.turn(
        &Turn::new("Reading the index.\nIt has 3 entries.")
            .tool(TurnTool::new("Read", Some("/m/stage/MEMORY.md".to_owned()))),
    );
    task.turn(
        &Turn::new("")
            .tool(TurnTool::new("Edit", Some("/m/stage/a.md".to_owned())))
            .tool(TurnTool::new("Edit", Some("/m/stage/b.md".to_owned())))
            .usage(Usage::new(1_200, 300).cache(20_000, 5)),
    );
    insta::assert_snapshot!(task.details(), @r"
dreaming: consolidating, 7 sessions, 2 files
reviewed: 7 sessions
touched: 2 files
  a.md
  b.md
spent: 2 turns, 21,505 tokens
- Reading the index. It has 3 entries. (1 tool)
- … (2 tools)
");
    task.end(
        TaskEnd::Refused {
            why: "a.md: no frontmatter".to_owned(),
        },
        now(),
    );
    insta::assert_snapshot!(task.details(), @r"
dream: result refused, nothing written
  a.md: no frontmatter
reviewed: 7 sessions
touched: 2 files
  a.md
  b.md
spent: 2 turns, 21,505 tokens
- Reading the index. It has 3 entries. (1 tool)
- … (2 tools)
");
}

#[test]
fn what_a_model_says_cannot_steer_a_terminal() {
    let mut task = task();
    let long = "x".repeat(5_000);
    task.turn(&Turn::new(format!("\u{1b}[31mred\u{7}\r\n{long}")));
    let kept = &task.turns[0].text;
    assert!(!kept.contains(['\u{1b}', '\u{7}', '\r']), "{kept:?}");
    assert_eq!(kept.chars().count(), 1_001);
    assert!(
        task.details()
            .lines()
            .all(|line| line.chars().count() < 220)
    );
}

#[test]
fn a_reason_is_bounded_and_cannot_steer_a_terminal_either() {
    let mut task = task();
    let why = format!("\u{1b}[2J{}", "x".repeat(5_000));
    task.end(TaskEnd::Declined { why }, now());
    let Some(TaskEnd::Declined { why }) = task.ended_as() else {
        panic!("{task:?}");
    };
    assert_eq!(why.chars().count(), 1_001);
    assert!(why.starts_with("[2J"), "{why}");
}

#[test]
fn every_end_has_a_label_and_only_three_count() {
    let why = || "the reason".to_owned();
    let ends = [
        TaskEnd::Improved { files: 1 },
        TaskEnd::NothingToDo,
        TaskEnd::Idle,
        TaskEnd::DryRun { files: 3 },
        TaskEnd::Refused { why: why() },
        TaskEnd::Declined { why: why() },
        TaskEnd::CapReached(Cap::Turns),
        TaskEnd::Failed { why: why() },
        TaskEnd::Aborted,
    ];
    let mut shown = String::new();
    for end in ends {
        let mut task = task();
        let counts = end.counts();
        task.end(end, now());
        assert!(task.is_over() && !task.can_abort());
        shown += &format!("{} [{counts}] {:?}\n", task.label(), task.notice());
    }
    insta::assert_snapshot!(shown, @r#"
dream: improved 1 file [true] Some("Improved 1 file")
dream: nothing to do [true] None
dream: nothing new since the last one [true] None
dream: would improve 3 files [false] None
dream: result refused, nothing written [false] None
dream: declined, nothing written [false] None
dream: it took as many turns as it may, nothing written [false] None
dream: failed, nothing written [false] None
dream: stopped, nothing written [false] None
"#);
}

#[test]
fn the_notice_is_one_line_and_only_for_changes() {
    let notice = |end| {
        let mut task = task();
        task.end(end, now());
        task.notice()
    };
    assert_eq!(
        notice(TaskEnd::Improved { files: 1 }).as_deref(),
        Some("Improved 1 file")
    );
    assert_eq!(
        notice(TaskEnd::Improved { files: 12 }).as_deref(),
        Some("Improved 12 files")
    );
    assert_eq!(notice(TaskEnd::Improved { files: 0 }), None);
    assert_eq!(task().notice(), None);
}

#[test]
fn the_first_end_holds_and_nothing_comes_after_it() {
    let mut task = task();
    task.end(TaskEnd::Aborted, now());
    task.end(TaskEnd::Improved { files: 3 }, now() + minutes(1));
    task.turn(&Turn::new("late"));
    task.finishing();
    assert_eq!(task.ended_as(), Some(&TaskEnd::Aborted));
    assert_eq!((task.ended, task.turn_count), (Some(now()), 0));
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let handle = TaskHandle::new();
    handle.turn(&Turn::new("one"));
    let before = handle.snapshot();
    assert!(
        Arc::ptr_eq(&before, &handle.snapshot()),
        "nothing is copied"
    );
    handle.turn(&Turn::new("two"));
    assert_eq!((before.turn_count, handle.snapshot().turn_count), (1, 2));
}

#[test]
fn a_handle_is_stopped_once() {
    let handle = TaskHandle::new();
    assert!(!handle.is_aborted());
    assert!(handle.abort() && handle.clone().is_aborted());
}

#[cfg(feature = "serde")]
#[test]
fn a_task_is_read_back_as_it_was_written() {
    let mut task = task();
    task.turn(&used("Edit", "/m/stage/a.md"));
    task.end(TaskEnd::CapReached(Cap::Tokens), now());
    let text = serde_json::to_string(&task).unwrap();
    let back: DreamTask = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    assert_eq!(
        (back.ended_as(), back.files.clone()),
        (task.ended_as(), task.files.clone())
    );
}
