//! What must not come back: what was surfaced, and manuals of tools in use.

use memdir_recall::{Query, ScanOptions, scan, selector_fn};

use crate::world::{World, answer, files, now};

fn tools() -> World {
    let world = World::new();
    world
        .memory(
            "grep-usage.md",
            "reference",
            "Grep usage and flags for searching logs",
            "x",
        )
        .memory(
            "grep-trap.md",
            "reference",
            "Known issue: Grep hangs while searching huge logs",
            "x",
        )
        .memory(
            "searching.md",
            "feedback",
            "Prefer Grep for searching logs",
            "x",
        );
    world
}

#[test]
fn what_was_surfaced_is_offered_to_no_one() {
    let world = World::new();
    for number in 0..8 {
        world.memory(
            &format!("note-{number}.md"),
            "project",
            "database tests",
            "x",
        );
    }
    let recall = world.recall();
    let first = recall.pick(&Query::new("database tests"));
    assert_eq!(files(&first).len(), 5);
    // By absolute path, and by name.
    let seen: Vec<_> = first.memories.iter().map(|m| m.path.clone()).collect();
    let query = Query::new("database tests").surfaced(&seen);
    let second = recall.pick(&query);
    assert_eq!(files(&second), ["note-5.md", "note-6.md", "note-7.md"]);
    assert_eq!(second.receipt.surfaced.len(), 5);
    let by_name = recall.pick(&Query::new("database tests").surfaced(files(&first)));
    assert_eq!(files(&by_name), files(&second));

    let selector = selector_fn(async |request: memdir_recall::SelectRequest| {
        assert!(!request.user.contains("note-0.md"));
        assert!(request.user.contains("note-7.md"));
        answer(r#"["note-0.md", "note-7.md"]"#).await
    });
    let picked = now(recall.pick_with(&query, &selector, std::future::pending::<()>()));
    assert_eq!(files(&picked), ["note-7.md"]);
}

#[test]
fn a_surfaced_name_may_begin_with_a_dot_and_a_slash() {
    let world = World::new();
    world.memory("a.md", "project", "database tests", "x");
    let query = Query::new("database tests").surfaced(["./a.md"]);
    assert_eq!(world.recall().pick(&query).receipt.surfaced, ["a.md"]);
}

#[test]
fn a_host_with_its_own_loop_filters_by_itself() {
    let world = World::new();
    world.write("a.md", "x").write("b.md", "x");
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    let query = Query::new("x").surfaced(["a.md"]);
    let (fresh, before) = query.filter(found.memories.iter().map(AsRef::as_ref));
    assert_eq!(fresh.len(), 1);
    assert_eq!(fresh[0].file, "b.md");
    assert_eq!(before, ["a.md"]);
}

#[test]
fn manuals_of_tools_in_use_stay_out_and_their_known_issues_come() {
    let recall = tools().recall();
    let asked = "searching the logs with Grep";
    let without = recall.pick(&Query::new(asked));
    assert_eq!(files(&without).len(), 3);
    let with = recall.pick(&Query::new(asked).recent_tools(["Grep"]));
    let mut found = files(&with);
    found.sort_unstable();
    assert_eq!(found, ["grep-trap.md", "searching.md"]);
    let manual = with
        .receipt
        .candidates
        .iter()
        .find(|c| c.manual_of.is_some())
        .unwrap();
    assert_eq!(manual.file, "grep-usage.md");
    assert!(
        with.receipt
            .to_string()
            .contains("manual of Grep, which is in use")
    );
}

#[test]
fn names_of_tools_are_compared_with_their_case() {
    let recall = tools().recall();
    // The file name is in lower case, the descriptions are not.
    let upper = recall.pick(&Query::new("searching logs").recent_tools(["GREP"]));
    assert_eq!(files(&upper).len(), 3);
    let part = recall.pick(&Query::new("searching logs").recent_tools(["Gre", ""]));
    assert_eq!(files(&part).len(), 3);
}

#[test]
fn a_warning_is_said_in_whole_words() {
    for (description, is_manual) in [
        ("How to bootstrap scripts with Bash", true),
        ("Debug flags of Bash, nevertheless short", true),
        ("Trapezoid shapes in Bash", true),
        ("Bugs of Bash scripts", false),
        ("Scripts: avoiding Bash arrays", false),
        ("Carefully quote scripts in Bash", false),
        ("A trap of Bash scripts", false),
        ("Bash 脚本的陷阱", false),
    ] {
        let world = World::new();
        world.memory("a.md", "reference", description, "Scripts.");
        let query = Query::new("Bash scripts").recent_tools(["Bash"]);
        let receipt = world.recall().pick(&query).receipt;
        let manual_of = receipt.candidates[0].manual_of.as_deref();
        assert_eq!(manual_of, is_manual.then_some("Bash"), "{description}");
    }
}
