//! Several files in one write, and what a killed one leaves at each of its steps.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use memdir_index::{
    Batch, ENTRYPOINT, ErrorKind, Fault, Fingerprint, Outcome, Store, StoreOptions,
    check_memory_name, is_interrupted,
};
use memdir_types::{Audience, Cleared, Memory, Scope, gate};

use crate::world::{World, memory_text, text};

const JOURNAL: &str = ".memdir-index.journal";
const FOLDER: &str = ".memdir-batch";

fn cleared(text: &str) -> Cleared<Memory> {
    gate(&Memory::parse(text), Audience::Private).unwrap()
}

fn of(text: &str) -> Fingerprint {
    Fingerprint::of(text.as_bytes())
}

/// Memories a, b and c, and the edits: a is rewritten, b goes, c becomes sub/c, d is new.
fn world() -> World {
    let index = "- [a](a.md) — x\n- [b](b.md)\n- [c](c.md)\n";
    World::with(index, &["a.md", "b.md", "c.md"])
}

const INDEX: &str = "- [a](a.md) — y\n- [d](d.md)\n- [c](sub/c.md)\n";

fn before(file: &str) -> String {
    memory_text(file, "about it")
}

fn batch() -> Batch {
    let mut batch = Batch::new();
    batch.index(
        of("- [a](a.md) — x\n- [b](b.md)\n- [c](c.md)\n"),
        text(INDEX),
    );
    batch.remove("b.md", of(&before("b.md")));
    batch.rename("c.md", "sub/c.md", of(&before("c.md")));
    batch.save(
        "a.md",
        of(&before("a.md")),
        cleared(&memory_text("a", "new")),
    );
    batch.save(
        "d.md",
        Fingerprint::ABSENT,
        cleared(&memory_text("d", "new")),
    );
    batch
}

/// Everything below the directory but the lock, as path and content.
fn tree(world: &World) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(prefix) = folders.pop() {
        for entry in fs::read_dir(world.path(&prefix)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                folders.push(format!("{name}/"));
            } else if name != ".memdir-index.lock" {
                let bytes = fs::read(world.path(&name)).unwrap();
                found.push((name, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    found.sort();
    found
}

#[track_caller]
fn check_is_after(world: &World) {
    let expected = [
        (ENTRYPOINT.to_owned(), INDEX.to_owned()),
        ("a.md".to_owned(), memory_text("a", "new")),
        ("d.md".to_owned(), memory_text("d", "new")),
        ("sub/c.md".to_owned(), before("c.md")),
    ];
    assert_eq!(tree(world), expected);
    assert!(world.store().check().unwrap().is_clean());
}

#[test]
fn a_batch_writes_creates_moves_and_removes_and_leaves_nothing_behind() {
    let world = world();
    let old = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = fs::File::options()
        .write(true)
        .open(world.path("c.md"))
        .unwrap();
    file.set_modified(old).unwrap();
    let store = world.store();
    let applied = store.exclusive().unwrap().apply(&batch()).unwrap();
    assert_eq!(
        applied.files,
        ["sub/c.md", "a.md", "d.md", "b.md", "c.md", ENTRYPOINT]
    );
    assert!(applied.left.is_empty());
    assert_eq!(applied.index, of(INDEX));
    check_is_after(&world);
    let moved = fs::metadata(world.path("sub/c.md")).unwrap();
    assert_eq!(
        moved.modified().unwrap(),
        old,
        "a file that only moves keeps its time"
    );
}

#[cfg(unix)]
#[test]
fn modes_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = world();
    let mode = |file: &str| fs::metadata(world.path(file)).unwrap().permissions().mode() & 0o777;
    for (file, mode) in [("a.md", 0o600), ("c.md", 0o640)] {
        fs::set_permissions(world.path(file), fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::rename(world.path(ENTRYPOINT), world.path("index.txt")).unwrap();
    symlink("index.txt", world.path(ENTRYPOINT)).unwrap();
    symlink("b.md", world.path("link.md")).unwrap();
    let mut batch = batch();
    batch.remove("link.md", of(&before("b.md")));
    let store = world.store();
    // The link goes, and what it leads to goes as well, each for itself.
    store.exclusive().unwrap().apply(&batch).unwrap();
    assert_eq!((mode("a.md"), mode("sub/c.md")), (0o600, 0o640));
    assert!(world.path(ENTRYPOINT).is_symlink());
    assert_eq!(world.read("index.txt"), INDEX);
    assert!(!world.path("link.md").is_symlink() && !world.path("b.md").exists());
}

#[track_caller]
fn check_refused(world: &World, batch: &Batch, matches: impl Fn(&ErrorKind) -> bool) {
    let was = tree(world);
    let error = world.store().exclusive().unwrap().apply(batch).unwrap_err();
    assert!(matches(error.kind()), "{error}");
    assert_eq!(tree(world), was);
}

#[test]
fn a_batch_that_cannot_be_written_as_a_whole_writes_nothing() {
    let world = world();
    let ok = || {
        let mut batch = Batch::new();
        batch.save("a.md", of(&before("a.md")), cleared("new"));
        batch
    };
    let mut stale = ok();
    stale.remove("b.md", of("what it was"));
    check_refused(&world, &stale, |kind| *kind == ErrorKind::Conflict);
    let mut exists = ok();
    exists.save("b.md", Fingerprint::ABSENT, cleared("new"));
    check_refused(&world, &exists, |kind| *kind == ErrorKind::Conflict);
    let mut taken = ok();
    taken.rename("c.md", "b.md", of(&before("c.md")));
    check_refused(&world, &taken, |kind| *kind == ErrorKind::Exists);
    let mut twice = ok();
    twice.remove("a.md", of(&before("a.md")));
    check_refused(&world, &twice, |kind| *kind == ErrorKind::Exists);
    for name in [
        "../a.md",
        "/a.md",
        ".autodream/a.md",
        "logs/a.md",
        "a.txt",
        "x/../../a.md",
    ] {
        let mut outside = ok();
        outside.save(name, Fingerprint::ABSENT, cleared("new"));
        check_refused(&world, &outside, |kind| {
            matches!(kind, ErrorKind::Name { .. })
        });
        assert!(check_memory_name(name).is_err(), "{name}");
    }
    let mut large = ok();
    large.save("l.md", Fingerprint::ABSENT, cleared(&"x".repeat(5_000_000)));
    check_refused(&world, &large, |kind| {
        matches!(kind, ErrorKind::TooLarge { .. })
    });
    // A file in the place of the folder that a new one needs.
    let mut blocked = ok();
    blocked.save("b.md/x.md", Fingerprint::ABSENT, cleared("new"));
    check_refused(&world, &blocked, |_| true);
    let team = world.store_with(StoreOptions::default().scope(Scope::Team));
    let error = team.exclusive().unwrap().apply(&ok()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Audience);
}

#[test]
fn what_was_kept_is_put_back_byte_for_byte_with_its_time() {
    let world = world();
    let bytes = b"\xff\xfe not text \r\n<system-reminder>\n";
    world.write(".keep/1", bytes);
    let old = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = fs::File::options()
        .write(true)
        .open(world.path(".keep/1"))
        .unwrap();
    file.set_modified(old).unwrap();
    let mut batch = Batch::new();
    batch.put_back("a.md", of(&before("a.md")), ".keep/1");
    batch.put_back("gone.md", Fingerprint::ABSENT, ".keep/1");
    world.store().exclusive().unwrap().apply(&batch).unwrap();
    for file in ["a.md", "gone.md"] {
        assert_eq!(fs::read(world.path(file)).unwrap(), bytes);
        let modified = fs::metadata(world.path(file)).unwrap().modified().unwrap();
        assert_eq!(modified, old);
    }
    for kept in [
        "b.md",
        "../.keep/1",
        ".keep",
        ".keep/2",
        ".keep/../../x",
        "..keep/1",
    ] {
        let mut batch = Batch::new();
        batch.put_back("b.md", of(&before("b.md")), kept);
        check_refused(&world, &batch, |kind| {
            matches!(
                kind,
                ErrorKind::Name { .. } | ErrorKind::NotFound | ErrorKind::LeadsOut
            )
        });
    }
}

#[test]
fn two_writers_of_batches_take_turns() {
    let world = world();
    let store = world.store();
    let held = store.exclusive().unwrap();
    let other = world.store_with(StoreOptions::default().wait(memdir_index::Wait::Never));
    assert!(matches!(
        other.exclusive().unwrap_err().kind(),
        ErrorKind::Busy { .. }
    ));
    drop(held);
    assert!(other.exclusive().is_ok());
}

/// The steps of the batch above, in the order in which they are written.
const STEPS: [&str; 6] = ["sub/c.md", "a.md", "d.md", "b.md", "c.md", ENTRYPOINT];

fn contents(file: &str) -> (Option<String>, Option<String>) {
    match file {
        "sub/c.md" => (None, Some(before("c.md"))),
        "a.md" => (Some(before("a.md")), Some(memory_text("a", "new"))),
        "d.md" => (None, Some(memory_text("d", "new"))),
        ENTRYPOINT => (Some(world().index()), Some(INDEX.to_owned())),
        file => (Some(before(file)), None),
    }
}

/// A directory as a writer leaves it that is killed after so many steps, with journal and blobs.
fn killed_after(done: usize, forward: bool) -> World {
    let world = world();
    let print = |text: &Option<String>| match text {
        None => Fingerprint::ABSENT,
        Some(text) => of(text),
    };
    let mut journal = "memdir-index journal 1\nbatch\n".to_owned();
    for (number, file) in STEPS.iter().enumerate() {
        let (was, is) = contents(file);
        journal.push_str(&format!("{} {}\n{file}\n", print(&was), print(&is)));
        if number >= done {
            if let Some(is) = is {
                world.write(&format!("{FOLDER}/{number}"), is);
            }
            continue;
        }
        if let Some(was) = was {
            world.write(&format!("{FOLDER}/{number}.was"), was);
        }
        match is {
            Some(is) => world.write(file, is),
            None => fs::remove_file(world.path(file)).unwrap(),
        }
    }
    if forward {
        world.write(&format!("{FOLDER}/forward"), "");
    }
    world.write(JOURNAL, journal + "end\n");
    world
}

#[test]
fn a_batch_that_was_killed_anywhere_is_completed_by_the_next_open() {
    for done in 0..=STEPS.len() {
        let world = killed_after(done, true);
        assert!(is_interrupted(world.dir()));
        let store = world.store();
        let recovery = store.recovered().unwrap();
        assert_eq!(recovery.outcome, Outcome::Completed, "after {done} steps");
        assert!(!is_interrupted(world.dir()));
        check_is_after(&world);
    }
}

#[test]
fn a_batch_that_was_being_taken_back_is_taken_back() {
    for done in 0..=STEPS.len() {
        let world = killed_after(done, false);
        let expected: Vec<(String, String)> = tree(&self::world());
        let store = world.store();
        let recovery = store.recovered().unwrap();
        assert_eq!(recovery.outcome, Outcome::NotHappened, "after {done} steps");
        assert_eq!(tree(&world), expected, "after {done} steps");
    }
}

#[test]
fn blobs_without_a_journal_have_not_happened() {
    let world = world();
    let expected = tree(&world);
    world.write(&format!("{FOLDER}/0"), "new");
    world.write(&format!("{FOLDER}/forward"), "");
    assert_eq!(world.store().recovered(), None);
    assert_eq!(tree(&world), expected);
    assert!(!world.path(FOLDER).exists());
}

#[test]
fn what_somebody_changed_since_is_left_alone_and_has_its_line() {
    for done in 0..STEPS.len() {
        let world = killed_after(done, true);
        // In the middle an editor saves a memory that is rewritten, and one that goes; a new one
        // is there already; the index has a line more.
        world.write("a.md", memory_text("a", "from an editor"));
        world.write("b.md", memory_text("b", "from an editor"));
        world.write("d.md", memory_text("d", "from an editor"));
        let index = format!("{}- [e](e.md)\n", world.index());
        world.write(ENTRYPOINT, index);
        world.write("e.md", memory_text("e", "new"));
        let store = world.store();
        let recovery = store.recovered().unwrap();
        assert_eq!(recovery.outcome, Outcome::ChangedSince);
        for file in ["a.md", "b.md", "d.md"] {
            assert!(
                recovery.left.iter().any(|left| left == file),
                "{file}: {recovery:?}"
            );
            assert!(world.read(file).contains("from an editor"));
        }
        let check = store.check().unwrap();
        assert!(
            check.is_clean(),
            "after {done}: {:?}\n{}",
            check.faults,
            world.index()
        );
        assert!(!is_interrupted(world.dir()));
    }
}

#[test]
fn a_folder_in_the_place_of_a_memory_does_not_keep_later_writes_waiting() {
    let world = killed_after(0, true);
    fs::remove_file(world.path("b.md")).unwrap();
    fs::create_dir(world.path("b.md")).unwrap();
    let store = world.store();
    assert_eq!(store.recovered().unwrap().left, ["b.md"]);
    assert_eq!(store.recovered().unwrap().outcome, Outcome::ChangedSince);
    assert!(!is_interrupted(world.dir()));
    assert_eq!(world.read("a.md"), memory_text("a", "new"));
}

#[test]
fn a_hostile_journal_of_a_batch_does_nothing() {
    let world = world();
    let victim = world.outside("victim.md");
    fs::write(&victim, "mine").unwrap();
    let expected = tree(&world);
    for file in ["../victim.md", "/etc/x.md", ".git/x.md", "logs/x.md", ""] {
        let intent = format!("batch\n{} absent\n{file}", of("mine"));
        world.write(JOURNAL, format!("memdir-index journal 1\n{intent}\nend\n"));
        world.write(&format!("{FOLDER}/forward"), "");
        assert_eq!(
            world.store().recovered().unwrap().outcome,
            Outcome::Unreadable,
            "{file:?}"
        );
        assert_eq!(tree(&world), expected);
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_the_folder_goes_and_not_what_it_leads_to() {
    let world = world();
    let elsewhere = world.outside("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("0"), "mine").unwrap();
    std::os::unix::fs::symlink(&elsewhere, world.path(FOLDER)).unwrap();
    world.store().exclusive().unwrap().apply(&batch()).unwrap();
    check_is_after(&world);
    assert_eq!(fs::read_to_string(elsewhere.join("0")).unwrap(), "mine");
}

#[test]
fn blobs_that_are_gone_or_damaged_leave_files_as_they_are_and_the_index_right() {
    let world = killed_after(2, true);
    fs::remove_file(world.path(&format!("{FOLDER}/2"))).unwrap();
    world.write(&format!("{FOLDER}/5"), "half of the ind");
    let store = world.store();
    assert_eq!(store.recovered().unwrap().left, ["d.md", ENTRYPOINT]);
    assert_eq!(store.check().unwrap().faults, [] as [Fault; 0]);
    assert!(!world.path("d.md").exists());
}

#[test]
fn a_journal_that_cannot_be_written_stops_a_batch_before_anything_is_replaced() {
    let world = world();
    let expected = tree(&world);
    let store = Store::open(world.dir()).unwrap();
    let exclusive = store.exclusive().unwrap();
    // With the lock held, so that nobody clears it away before.
    world.write(&format!("{JOURNAL}/x"), "");
    assert!(exclusive.apply(&batch()).is_err());
    let _ = fs::remove_dir_all(world.path(JOURNAL));
    assert_eq!(tree(&world), expected);
}

#[cfg(unix)]
#[test]
fn a_journal_whose_folder_is_a_link_touches_nothing_where_it_leads() {
    for forward in [true, false] {
        let world = world();
        let elsewhere = world.outside("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("0.was"), "mine").unwrap();
        fs::write(elsewhere.join("1"), memory_text("b", "planted")).unwrap();
        if forward {
            fs::write(elsewhere.join("forward"), "").unwrap();
        }
        std::os::unix::fs::symlink(&elsewhere, world.path(FOLDER)).unwrap();
        let steps = format!(
            "{} absent\na.md\n{} {}\nb.md\n",
            of(&before("a.md")),
            of(&before("b.md")),
            of(&memory_text("b", "planted"))
        );
        world.write(
            JOURNAL,
            format!("memdir-index journal 1\nbatch\n{steps}end\n"),
        );
        let recovery = world.store().recovered().unwrap().outcome.clone();
        assert_eq!(recovery, Outcome::Unreadable);
        assert_eq!(world.read("a.md"), before("a.md"));
        assert_eq!(world.read("b.md"), before("b.md"));
        assert_eq!(fs::read_to_string(elsewhere.join("0.was")).unwrap(), "mine");
        assert!(elsewhere.join("1").exists());
        assert_eq!(elsewhere.join("forward").exists(), forward);
        assert!(!world.path(FOLDER).is_symlink() && !is_interrupted(world.dir()));
    }
}

#[test]
fn a_folder_in_the_place_of_the_journal_keeps_no_write_waiting() {
    let world = world();
    world.write(&format!("{JOURNAL}/x"), "planted");
    let store = world.store();
    assert_eq!(store.recovered().unwrap().outcome, Outcome::Unreadable);
    assert!(!is_interrupted(world.dir()));
    world.write(&format!("{JOURNAL}/x"), "planted");
    store.exclusive().unwrap().apply(&batch()).unwrap();
    check_is_after(&world);
}
