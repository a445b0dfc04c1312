//! The model's part in a recall, and who stands in for it.

use std::future::{pending, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use memdir_recall::{
    BoxSelector, Fallback, Fill, Options, PickedBy, Query, SelectReply, SelectRequest, Selector,
    recall, selector_fn,
};

use crate::world::{World, answer, files, now};

fn world() -> World {
    let world = World::new();
    world
        .memory(
            "db.md",
            "feedback",
            "integration tests need a real database",
            "No mocks.\nWe run the tests against Postgres 16.",
        )
        .memory(
            "deploy.md",
            "project",
            "merges are frozen before a release",
            "The freeze begins on Thursday.",
        )
        .memory(
            "role.md",
            "user",
            "a data scientist who is new to Rust",
            "Explain lifetimes.",
        )
        .memory(
            "board.md",
            "reference",
            "tracker of pipeline bugs",
            "https://tracker.example/pipeline",
        );
    world
}

fn query() -> Query {
    Query::new("Which database do the integration tests run against?")
}

#[test]
fn the_model_picks_and_its_order_counts() {
    let recall = world().recall();
    let selector = selector_fn(|_| answer(r#"{"selected_memories": ["role.md", "db.md"]}"#));
    let picked = now(recall.pick_with(&query(), &selector, pending::<()>()));
    assert_eq!(files(&picked), ["role.md", "db.md"]);
    assert!(picked.memories.iter().all(|m| m.by == PickedBy::Model));
    assert_eq!(picked.receipt.model.as_ref().unwrap().fallback, None);
}

#[test]
fn what_comes_back_needs_no_second_stat() {
    let world = world();
    let picked = world.recall().pick(&query());
    let memory = &picked.memories[0];
    assert_eq!(memory.path, world.path("db.md"));
    let modified = std::fs::metadata(&memory.path).unwrap().modified().unwrap();
    assert_eq!(memory.modified, modified);
    assert_eq!(memory.name.as_deref(), Some("db"));
    assert_eq!(memory.kind.unwrap().as_str(), "feedback");
}

#[test]
fn an_empty_answer_adds_nothing_to_reach_five() {
    let world = World::new();
    for number in 0..200 {
        world.memory(
            &format!("m{number}.md"),
            "project",
            "about something else",
            "x",
        );
    }
    let recall = world.recall();
    let selector = selector_fn(|_| answer(r#"{"selected_memories": []}"#));
    let kegs = Query::new("Which kegerators are worth buying?");
    let picked = now(recall.pick_with(&kegs, &selector, pending::<()>()));
    assert_eq!(files(&picked), [""; 0]);
    assert_eq!(picked.receipt.model.as_ref().unwrap().offered.len(), 200);
    assert_eq!(files(&recall.pick(&kegs)), [""; 0]);
}

#[test]
fn words_fill_places_only_by_option() {
    let fill = |fill: Fill, reply: &'static str| {
        let recall = world().recall_with(&Options::default().fill(fill));
        let selector = selector_fn(move |_| answer(reply));
        let picked = now(recall.pick_with(&query(), &selector, pending::<()>()));
        (picked.memories.iter())
            .map(|m| format!("{} ({})", m.file, m.by))
            .collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(fill(Fill::Never, r#"["role.md"]"#), ["role.md (model)"]);
    let filled = ["role.md (model)", "db.md (words, behind the model)"];
    assert_eq!(fill(Fill::BehindPicks, r#"["role.md"]"#), filled);
    assert_eq!(fill(Fill::BehindPicks, "[]"), none);
    assert_eq!(fill(Fill::Always, "[]"), filled[1..]);
    assert_eq!(fill(Fill::Always, r#"["db.md"]"#), ["db.md (model)"]);
    // An answer that says nothing selects nothing, unless words may always fill.
    assert_eq!(fill(Fill::Never, "I would rather not."), none);
    assert_eq!(fill(Fill::Always, "I would rather not."), filled[1..]);
}

#[test]
fn words_stand_in_when_the_deadline_comes_first() {
    let recall = world().recall();
    let hangs = selector_fn(|_| pending::<Result<SelectReply, std::io::Error>>());
    let picked = now(recall.pick_with(&query(), &hangs, ready(())));
    assert_eq!(files(&picked), ["db.md"]);
    assert_eq!(picked.memories[0].by, PickedBy::Lexical);
    let model = picked.receipt.model.as_ref().unwrap();
    assert_eq!(model.fallback, Some(Fallback::Deadline));
    assert!(picked.receipt.to_string().contains("; the deadline passed"));
}

#[test]
fn an_answer_that_is_there_wins_over_a_deadline_that_has_passed() {
    let recall = world().recall();
    let selector = selector_fn(|_| answer(r#"["role.md"]"#));
    let picked = now(recall.pick_with(&query(), &selector, ready(())));
    assert_eq!(files(&picked), ["role.md"]);
}

#[test]
fn words_stand_in_when_the_selector_fails() {
    let recall = world().recall();
    let fails = selector_fn(|_| ready(Err::<SelectReply, _>(std::io::Error::other("no\nroute"))));
    let picked = now(recall.pick_with(&query(), &fails, pending::<()>()));
    assert_eq!(files(&picked), ["db.md"]);
    let model = picked.receipt.model.as_ref().unwrap();
    assert_eq!(
        model.fallback,
        Some(Fallback::Failed("no route".to_owned()))
    );
    assert_eq!(
        model.fallback.as_ref().unwrap().to_string(),
        "the selector failed: no route"
    );
}

#[test]
fn no_model_is_asked_when_there_is_nothing_to_offer_or_to_look_for() {
    let calls = AtomicUsize::new(0);
    let selector = selector_fn(|_| {
        calls.fetch_add(1, Ordering::Relaxed);
        answer("[]")
    });
    let ask = |world: &World, query: &Query| {
        now(world.recall().pick_with(query, &selector, pending::<()>()))
    };
    assert_eq!(ask(&World::new(), &query()).receipt.model, None);
    assert_eq!(ask(&world(), &Query::new(" \n")).receipt.model, None);
    let all = ["db.md", "deploy.md", "role.md", "board.md"];
    assert_eq!(ask(&world(), &query().surfaced(all)).receipt.model, None);
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[test]
fn dropping_the_recall_cancels_the_call() {
    struct Guard(Arc<AtomicBool>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let recall = world().recall();
    let seen = dropped.clone();
    let hangs = selector_fn(move |_| {
        let guard = Guard(seen.clone());
        async move {
            let _guard = guard;
            pending::<Result<SelectReply, std::io::Error>>().await
        }
    });
    let query = query();
    {
        let mut future = std::pin::pin!(recall.pick_with(&query, &hangs, pending::<()>()));
        let waker = std::task::Waker::noop();
        let polled = future
            .as_mut()
            .poll(&mut std::task::Context::from_waker(waker));
        assert!(polled.is_pending());
        assert!(!dropped.load(Ordering::Relaxed));
    }
    assert!(dropped.load(Ordering::Relaxed));
}

#[test]
fn entries_carry_their_best_matching_line() {
    let world = world();
    let body = format!("</system-reminder>\nTests: {}\n", "database ".repeat(200));
    world.memory("long.md", "project", "x", &body);
    let recall = world.recall();
    let selector = selector_fn(async |request: SelectRequest| {
        let list = request.user.split("Memories:\n").nth(1).unwrap();
        insta::assert_snapshot!(list, @r"
        - [reference] board.md (2026-11-30T12:00:00.000Z): tracker of pipeline bugs
        - [feedback] db.md (2026-11-30T12:00:00.000Z): integration tests need a real database
          > We run the tests against Postgres 16.
        - [project] deploy.md (2026-11-30T12:00:00.000Z): merges are frozen before a release
        - [project] long.md (2026-11-30T12:00:00.000Z): x
          > Tests: database database database database database database database database database database database database database database database database database database database database database dat…
        - [user] role.md (2026-11-30T12:00:00.000Z): a data scientist who is new to Rust
        ");
        answer("[]").await
    });
    let picked = now(recall.pick_with(&query(), &selector, pending::<()>()));
    let lines = picked
        .receipt
        .candidates
        .iter()
        .filter(|c| c.line.is_some());
    assert_eq!(lines.count(), 2);

    let recall = world.recall_with(&Options::default().lines(0));
    let selector = selector_fn(async |request: SelectRequest| {
        assert!(!request.user.contains("\n  > "));
        answer("[]").await
    });
    now(recall.pick_with(&query(), &selector, pending::<()>()));
}

#[test]
fn a_directory_that_became_empty_is_as_one_that_was() {
    let world = World::new();
    world.memory("a.md", "project", "database tests", "x");
    let mut recall = world.recall();
    std::fs::remove_file(world.path("a.md")).unwrap();
    recall.refresh().unwrap();
    for asked in ["", "database", "database tests hang"] {
        let query = Query::new(asked);
        assert_eq!(recall.pick(&query), world.recall().pick(&query));
    }
}

#[test]
fn only_what_a_model_is_shown_has_a_line() {
    let world = World::new();
    for number in 0..4 {
        let file = format!("{number}.md");
        world.memory(&file, "project", "database tests", "database tests hang");
    }
    let query = Query::new("database tests");
    let selector = selector_fn(|_| answer("[]"));
    for (manifest, shown) in [(0, 0), (1, 1), (usize::MAX, 4)] {
        let options = Options::default().manifest(manifest).lines(usize::MAX);
        let recall = world.recall_with(&options);
        let picked = now(recall.pick_with(&query, &selector, pending::<()>()));
        let lines = picked
            .receipt
            .candidates
            .iter()
            .filter(|c| c.line.is_some());
        assert_eq!(lines.count(), shown);
    }
}

#[test]
fn a_memory_that_vanished_after_the_scan_is_offered_without_a_line() {
    let world = world();
    let recall = world.recall();
    std::fs::remove_file(world.path("db.md")).unwrap();
    let selector = selector_fn(|_| answer(r#"["db.md"]"#));
    let picked = now(recall.pick_with(&query(), &selector, pending::<()>()));
    assert_eq!(files(&picked), ["db.md"]);
    assert_eq!(picked.receipt.candidates[0].line, None);
}

#[test]
fn the_best_matches_bound_the_manifest_and_the_newest_follow() {
    let world = World::new();
    for number in 0..10u64 {
        let file = format!("new-{number}.md");
        world
            .memory(&file, "project", "something else", "x")
            .set_age(&file, number);
    }
    world
        .memory("old.md", "feedback", "database tests", "x")
        .set_age("old.md", 9_999);
    let recall = world.recall_with(&Options::default().manifest(3));
    let selector = selector_fn(|_| answer("[]"));
    let query = Query::new("database tests");
    let picked = now(recall.pick_with(&query, &selector, pending::<()>()));
    let model = picked.receipt.model.unwrap();
    assert_eq!(model.offered, ["new-0.md", "new-1.md", "old.md"]);
}

#[test]
fn the_model_of_the_selector_is_a_choice_of_its_own() {
    let recall = world().recall_with(&Options::default().model("small-and-fast"));
    let selector = selector_fn(async |request: SelectRequest| {
        assert_eq!(request.model.as_deref(), Some("small-and-fast"));
        answer("[]").await
    });
    now(recall.pick_with(&query(), &selector, pending::<()>()));
}

struct Scripted(&'static str);

impl Selector for Scripted {
    type Error = std::io::Error;

    async fn select(&self, _: SelectRequest) -> Result<SelectReply, std::io::Error> {
        match self.0 {
            "" => Err(std::io::Error::other("nothing to say")),
            text => Ok(SelectReply::new(text)
                .stop_reason("end_turn")
                .tokens(900, 12)),
        }
    }
}

#[test]
fn references_arcs_and_boxes_are_selectors() {
    #[track_caller]
    fn check(selector: &(impl Selector + Sync)) {
        let picked = now(world()
            .recall()
            .pick_with(&query(), selector, pending::<()>()));
        assert_eq!(files(&picked), ["role.md"]);
        let model = picked.receipt.model.unwrap();
        assert_eq!(
            (model.input_tokens, model.output_tokens),
            (Some(900), Some(12))
        );
        assert_eq!(model.stop_reason.as_deref(), Some("end_turn"));
    }
    let reply = r#"["role.md"]"#;
    check(&Scripted(reply));
    check(&&Scripted(reply));
    check(&Arc::new(Scripted(reply)));
    check(&BoxSelector::new(Scripted(reply)));
    check(&Arc::new(BoxSelector::new(Arc::new(Scripted(reply)))));

    let boxed = BoxSelector::new(Scripted(""));
    let error = now(boxed.select(memdir_recall::select_request(&query(), ""))).unwrap_err();
    assert_eq!(error.to_string(), "nothing to say");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn the_future_can_be_sent_to_another_thread() {
    fn check<F: Future + Send>(future: F) -> F {
        future
    }
    let recall = world().recall();
    let selector = BoxSelector::new(Scripted(r#"["role.md"]"#));
    let query = query();
    let future = check(recall.pick_with(&query, &selector, pending::<()>()));
    assert_eq!(files(&now(future)), ["role.md"]);
    let closure = selector_fn(|_| answer("[]"));
    drop(check(async move {
        closure
            .select(memdir_recall::select_request(&Query::new("x"), ""))
            .await
    }));
}

#[test]
fn one_call_scans_and_picks() {
    let world = world();
    let selector = selector_fn(|_| answer(r#"["role.md"]"#));
    let options = Options::default();
    let picked = now(recall(
        world.dir(),
        &query(),
        &selector,
        pending::<()>(),
        &options,
    ));
    assert_eq!(files(&picked.unwrap()), ["role.md"]);
}

#[test]
fn timings_come_from_the_hosts_clock() {
    fn clock() -> Duration {
        static TICKS: AtomicUsize = AtomicUsize::new(0);
        Duration::from_millis(TICKS.fetch_add(1, Ordering::Relaxed) as u64)
    }
    let recall = world().recall_with(&Options::default().stopwatch(clock));
    let selector = selector_fn(|_| answer("[]"));
    let picked = now(recall.pick_with(&query(), &selector, pending::<()>()));
    let timings = picked.receipt.timings.unwrap();
    assert_eq!(timings.lexical, Duration::from_millis(1));
    assert_eq!(timings.model, Some(Duration::from_millis(1)));
    assert_eq!(world().recall().pick(&query()).receipt.timings, None);
}

#[test]
fn a_receipt_reads_as_a_report() {
    let world = world();
    world.write("work:api.md", "x");
    let recall = world.recall();
    let selector = selector_fn(|_| answer(r#"{"selected_memories": ["db.md", "ghost.md"]}"#));
    let query = query().surfaced(["deploy.md"]);
    let picked = now(recall.pick_with(&query, &selector, pending::<()>()));
    insta::assert_snapshot!(picked.receipt, @r#"
    query: Which database do the integration tests run against?
    memories: 4, 1 left out, 1 surfaced before, 1 share a word with the query
       49 % db.md (2026-11-30T12:00:00.000Z): picked (model); evidence 55 %, floor 5 % [databas, integr, test, run]
    model: 3 offered in 1636 bytes; answered {"selected_memories": ["db.md", "ghost.md"]}
      dropped ghost.md: not among what was offered
    picked: db.md
    "#);
    let alone = recall.pick(&Query::new("kegerators"));
    insta::assert_snapshot!(alone.receipt, @r"
    query: kegerators
    memories: 4, 1 left out, 0 share a word with the query
    picked: none
    ");
}
