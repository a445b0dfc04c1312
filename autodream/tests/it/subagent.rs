//! The port, and the ways to fill it.

use std::sync::Arc;

use autodream::{
    BoxSubagent, Cap, Caps, EndReason, LABEL, MAX_TOKENS, MAX_TURNS, Roots, Subagent, SubagentEnd,
    SubagentTask, ToolPolicy, Turn, TurnTool, Usage, subagent_fn,
};

use crate::world::{Broken, World, now_or_never};

fn task(world: &World) -> SubagentTask {
    let roots = Roots::new(&world.transcripts, &world.dir);
    SubagentTask::new("Go.", ToolPolicy::new(roots, &world.transcripts))
}

/// Runs a subagent, and what it said in its turns.
fn run(agent: impl Subagent) -> (String, Vec<String>) {
    let world = World::new();
    let mut turns = Vec::new();
    let end = now_or_never(agent.run(task(&world), &mut |turn| turns.push(turn.text.clone())));
    (end.unwrap().text, turns)
}

fn run_borrowed<S: Subagent + Sync>(agent: &S) -> (String, Vec<String>) {
    run(agent)
}

#[test]
fn closures_references_arcs_and_boxes_are_subagents() {
    let agent = subagent_fn(|task: SubagentTask, mut on_turn| {
        Box::pin(async move {
            on_turn.turn(&Turn::new("one"));
            on_turn.turn(&Turn::new("two"));
            Ok::<_, Broken>(SubagentEnd::finished(task.prompt))
        })
    });
    let wanted = ("Go.".to_owned(), vec!["one".to_owned(), "two".to_owned()]);
    assert_eq!(run_borrowed(&agent), wanted);
    assert_eq!(run(Arc::new(agent)), wanted);
    assert_eq!(run(BoxSubagent::new(agent)), wanted);
    assert_eq!(run(Arc::new(BoxSubagent::new(agent))), wanted);
}

#[test]
fn the_error_of_a_boxed_subagent_reads_as_the_one_inside() {
    let world = World::new();
    let agent = BoxSubagent::new(subagent_fn(|_, _| Box::pin(async { Err(Broken) })));
    let error = now_or_never(agent.run(task(&world), &mut |_| {})).unwrap_err();
    assert_eq!(error.to_string(), "the line is down");
    assert!(std::error::Error::source(&error).unwrap().is::<Broken>());
}

#[test]
fn a_run_can_be_spawned_on_another_thread() {
    fn check<T: Send>(_: T) {}
    let world = World::new();
    let agent = BoxSubagent::new(subagent_fn(|_, _| {
        Box::pin(async { Ok::<_, Broken>(SubagentEnd::finished("")) })
    }));
    check(agent.run(task(&world), &mut |_| {}));
}

#[test]
fn a_task_has_the_label_and_the_caps_of_the_crate() {
    let task = task(&World::new());
    assert_eq!((task.label.as_str(), LABEL), ("auto_dream", "auto_dream"));
    assert_eq!((task.caps.turns, task.caps.tokens), (MAX_TURNS, MAX_TOKENS));
    let task = task.caps(Caps::default().turns(3).tokens(4)).label("x");
    assert_eq!(
        (task.caps.turns, task.caps.tokens, &*task.label),
        (3, 4, "x")
    );
}

#[test]
fn ends_can_be_told_apart() {
    let reasons = [
        SubagentEnd::finished("").reason,
        SubagentEnd::declined("").reason,
        SubagentEnd::cap_reached(Cap::Tokens, "").reason,
    ];
    assert_eq!(
        reasons,
        [
            EndReason::Finished,
            EndReason::Declined,
            EndReason::CapReached(Cap::Tokens)
        ]
    );
}

#[test]
fn the_path_of_a_tool_use_is_taken_from_its_input() {
    let path = |input| TurnTool::from_json("Read", input).path;
    assert_eq!(path(r#"{"file_path": "/a"}"#).as_deref(), Some("/a"));
    assert_eq!(
        path(r#"{"path": "/b", "pattern": "x"}"#).as_deref(),
        Some("/b")
    );
    assert_eq!(path(r#"{"file_path": 7}"#), None);
    assert_eq!(path("no JSON"), None);
}

#[test]
fn no_sum_of_tokens_overflows() {
    let most = Usage::new(u64::MAX, u64::MAX).cache(u64::MAX, 1);
    assert_eq!(most.total(), u64::MAX);
}
