//! What a killed writer leaves, step by step, and what the next open or write makes of it.

use std::fs;

use memdir_index::{
    Access, ENTRYPOINT, Fault, Fingerprint, Outcome, Recovery, Store, StoreOptions,
};

use crate::world::{World, memory_text};

const JOURNAL: &str = ".memdir-index.journal";

/// Leaves the journal of an interrupted write, then opens the store.
#[track_caller]
fn recovered(world: &World, intent: &str) -> Outcome {
    world.write(JOURNAL, format!("memdir-index journal 1\n{intent}\nend\n"));
    assert_eq!(
        world
            .store_with(StoreOptions::default().access(Access::ReadOnly))
            .check()
            .unwrap()
            .faults
            .last(),
        Some(&Fault::Interrupted)
    );
    let outcome = world.store().recovered().unwrap().outcome.clone();
    assert!(!world.path(JOURNAL).exists());
    outcome
}

fn save(before: &str, after: &str) -> String {
    let print = |text: &str| match text {
        "" => Fingerprint::ABSENT,
        text => Fingerprint::of(text.as_bytes()),
    };
    format!("save\na.md\n{}\n{}", print(before), print(after))
}

#[test]
fn a_save_that_was_killed_before_the_rename_has_not_happened() {
    let (old, new) = (memory_text("A", "old"), memory_text("A", "new"));
    let world = World::new();
    assert_eq!(recovered(&world, &save("", &new)), Outcome::NotHappened);
    assert!(!world.path("a.md").exists() && !world.path(ENTRYPOINT).exists());

    let world = World::with("- [A](a.md) — old\n", &[]);
    world.write("a.md", &old);
    world.write(".memdir-abc123.tmp", "half of the new mem");
    assert_eq!(recovered(&world, &save(&old, &new)), Outcome::NotHappened);
    assert_eq!(world.index(), "- [A](a.md) — old\n");
    assert!(!world.path(".memdir-abc123.tmp").exists());
    assert!(world.store().check().unwrap().is_clean());
}

#[test]
fn a_save_that_was_killed_between_its_steps_gets_its_line() {
    let new = memory_text("A", "new");
    let world = World::with("- [X](x.md)\n", &["x.md"]);
    world.write("a.md", &new);
    assert_eq!(recovered(&world, &save("", &new)), Outcome::Completed);
    assert_eq!(world.index(), "- [X](x.md)\n- [A](a.md) — new\n");
    assert!(world.store().check().unwrap().is_clean());
    // Killed after the second step: nothing is left to do.
    assert_eq!(recovered(&world, &save("", &new)), Outcome::Completed);
    assert_eq!(world.index(), "- [X](x.md)\n- [A](a.md) — new\n");
}

#[test]
fn a_memory_that_somebody_changed_since_is_left_alone_and_reported() {
    let world = World::with("", &[]);
    world.write("a.md", memory_text("A", "from an editor"));
    assert_eq!(
        recovered(&world, &save("", &memory_text("A", "new"))),
        Outcome::ChangedSince
    );
    assert_eq!(world.index(), "");
    let orphan = Fault::Orphan {
        file: "a.md".to_owned(),
    };
    assert_eq!(world.store().check().unwrap().faults, [orphan]);
}

#[test]
fn a_remove_is_completed_once_the_file_is_gone() {
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    assert_eq!(recovered(&world, "remove\na.md"), Outcome::NotHappened);
    assert_eq!(world.index(), "- [A](a.md)\n");
    fs::remove_file(world.path("a.md")).unwrap();
    assert_eq!(recovered(&world, "remove\na.md"), Outcome::Completed);
    assert_eq!(world.index(), "");
}

#[test]
fn a_rename_is_completed_once_the_new_name_is_there() {
    let intent = "rename\na.md\nb.md";
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    assert_eq!(recovered(&world, intent), Outcome::NotHappened);
    fs::hard_link(world.path("a.md"), world.path("b.md")).unwrap();
    assert_eq!(recovered(&world, intent), Outcome::Completed);
    assert_eq!(world.index(), "- [A](b.md)\n");
    assert!(!world.path("a.md").exists());
    assert_eq!(recovered(&world, intent), Outcome::Completed);
    world.write("a.md", "another memory");
    assert_eq!(recovered(&world, intent), Outcome::ChangedSince);
    assert_eq!(world.read("a.md"), "another memory");
}

#[test]
fn a_damaged_or_hostile_journal_does_nothing() {
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    let victim = world.outside("victim.md");
    fs::write(&victim, "mine").unwrap();
    for intent in [
        "",
        "save\na.md",
        "remove\n../victim.md",
        "remove\nMEMORY.md",
        "rename\na.md\n../x.md",
        "dance\na.md",
        "remove\na.md\nend\nmore",
    ] {
        assert_eq!(recovered(&world, intent), Outcome::Unreadable, "{intent:?}");
    }
    world.write(JOURNAL, vec![0xff; 100_000]);
    assert_eq!(
        world.store().recovered().unwrap().outcome,
        Outcome::Unreadable
    );
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert_eq!(world.index(), "- [A](a.md)\n");
}

#[test]
fn a_write_completes_what_was_left_since_the_store_was_opened() {
    let world = World::new();
    let store = world.store();
    let new = memory_text("A", "new");
    world.write("a.md", &new);
    world.write(
        JOURNAL,
        format!("memdir-index journal 1\n{}\nend\n", save("", &new)),
    );
    let saved = store
        .save_as(
            "b.md",
            crate::world::cleared(memdir_types::MemoryType::User, "B", "d"),
            None,
        )
        .unwrap();
    let recovery = saved.recovered.unwrap();
    assert_eq!(
        (&*recovery.file, &recovery.outcome),
        ("a.md", &Outcome::Completed)
    );
    assert_eq!(world.index(), "- [A](a.md) — new\n- [B](b.md) — d\n");
}

#[test]
fn what_a_live_writer_has_in_hand_is_not_touched() {
    let world = World::new();
    world.save_as("x.md", "X", "d");
    let held = fs::File::open(world.path(".memdir-index.lock")).unwrap();
    held.lock().unwrap();
    world.write(JOURNAL, "memdir-index journal 1\nremove\nx.md\nend\n");
    world.write(".memdir-abc.tmp", "");
    assert_eq!(world.store().recovered(), None);
    assert!(world.path(JOURNAL).exists() && world.path(".memdir-abc.tmp").exists());
    drop(held);
    assert!(world.store().recovered().is_some());
    assert!(!world.path(".memdir-abc.tmp").exists());
}

#[test]
fn leftovers_of_a_crash_are_no_memories() {
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    world.write(".memdir-abc.tmp", "half");
    world.write(".a.md.swp.md", "an editor's");
    let store = world.store_with(StoreOptions::default().access(Access::ReadOnly));
    assert!(store.check().unwrap().is_clean());
    assert!(
        world.path(".memdir-abc.tmp").exists(),
        "reading cleans nothing"
    );
}

#[cfg(unix)]
#[test]
fn a_store_that_cannot_be_written_opens_and_says_that_the_write_is_pending() {
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    let elsewhere = world.outside("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, world.path(".memdir-index.lock")).unwrap();
    world.write(JOURNAL, "memdir-index journal 1\nremove\na.md\nend\n");
    let store = Store::open(world.dir()).unwrap();
    let Some(Recovery {
        outcome: Outcome::Pending { reason },
        ..
    }) = store.recovered()
    else {
        panic!("{:?}", store.recovered());
    };
    assert!(
        reason.ends_with("a link that leads out of the memory directory"),
        "{reason}"
    );
    assert!(
        store
            .load(memdir_index::Measure::Bytes)
            .unwrap()
            .text
            .is_some()
    );
}
