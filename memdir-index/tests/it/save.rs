//! Saving, removing and renaming: the file first, then its one line.

use std::fs;

use memdir_index::{
    Access, Change, Durability, ENTRYPOINT, ErrorKind, Fingerprint, Shrink, Store, StoreOptions,
    Wait, Written,
};
use memdir_types::{Audience, Memory, MemoryType, Scope, gate};

use crate::world::{World, cleared, memory_text, text};

#[test]
fn a_save_writes_the_memory_and_its_line() {
    let world = World::new();
    let memory = cleared(
        MemoryType::Feedback,
        "Real database",
        "integration tests, mocks",
    );
    let saved = world.store().save(memory, None).unwrap();
    assert_eq!(saved.file, "feedback_real_database.md");
    assert_eq!(saved.path, world.path(&saved.file));
    assert_eq!(
        (saved.written, &saved.index),
        (Written::Created, &Change::Added { line: 1 })
    );
    assert_eq!(
        world.index(),
        "- [Real database](feedback_real_database.md) — integration tests, mocks\n"
    );
    let (memory, seen) = world.store().read(&saved.file).unwrap();
    assert_eq!(memory.name(), Some("Real database"));
    assert_eq!(seen, saved.fingerprint);
    // Nothing else is left behind but the lock, which stays.
    assert_eq!(
        world.names(),
        [
            ".memdir-index.lock",
            ENTRYPOINT,
            "feedback_real_database.md"
        ]
    );
}

#[test]
fn the_same_name_updates_and_another_name_never_overwrites() {
    let world = World::new();
    let save = |name: &str, description: &str| {
        let memory = cleared(MemoryType::User, name, description);
        world.store().save(memory, None).unwrap()
    };
    assert_eq!(save("Role", "one").file, "user_role.md");
    let again = save("Role", "two");
    assert_eq!(
        (&*again.file, again.written),
        ("user_role.md", Written::Updated)
    );
    // Same file name, another memory.
    let other = save("role!", "three");
    assert_eq!(
        (&*other.file, other.written),
        ("user_role_2.md", Written::Created)
    );
    assert_eq!(save("role!", "four").file, "user_role_2.md");
    assert_eq!(
        world.store().read("user_role.md").unwrap().0.description(),
        Some("two")
    );
    assert_eq!(
        world.index(),
        "- [Role](user_role.md) — two\n- [role!](user_role_2.md) — four\n"
    );
}

#[test]
fn a_file_that_cannot_be_read_as_the_same_memory_is_left_alone() {
    let world = World::new();
    world.write("user_role.md", "no frontmatter at all");
    fs::create_dir(world.path("user_role_2.md")).unwrap();
    let saved = world
        .store()
        .save(cleared(MemoryType::User, "Role", "d"), None)
        .unwrap();
    assert_eq!(saved.file, "user_role_3.md");
    assert_eq!(world.read("user_role.md"), "no frontmatter at all");
}

#[test]
fn a_memory_without_name_or_type_needs_a_file_name() {
    let world = World::new();
    let bare = || gate(&Memory::parse("just text\n"), Audience::Private).unwrap();
    let error = world.store().save(bare(), None).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unnamed);
    world.store().save_as("note.md", bare(), None).unwrap();
    assert_eq!(world.index(), "- [note.md](note.md)\n");
}

#[test]
fn saving_again_with_a_new_title_leaves_one_line() {
    let world = World::with("- [X](./x.md) — old\n", &["x.md"]);
    let saved = world.save_as("x.md", "New title", "new hook");
    assert_eq!(
        saved.index,
        Change::Updated {
            line: 1,
            duplicates: vec![]
        }
    );
    assert_eq!(world.index(), "- [New title](x.md) — new hook\n");
}

#[test]
fn adding_to_a_long_index_changes_one_line_only() {
    let before: String = (0..120)
        .map(|n| format!("- [N{n}](n{n}.md) — hook {n}\n"))
        .collect();
    let world = World::with(&before, &[]);
    world.save_as("new.md", "New", "hook");
    assert_eq!(world.index(), format!("{before}- [New](new.md) — hook\n"));
}

#[test]
fn an_unchanged_memory_is_not_touched() {
    let world = World::new();
    world.save_as("a.md", "A", "hook");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(86_400);
    fs::File::open(world.path("a.md"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    let saved = world.save_as("a.md", "A", "hook");
    assert_eq!(
        (saved.written, saved.index),
        (Written::Unchanged, Change::Unchanged)
    );
    assert_eq!(
        fs::metadata(world.path("a.md"))
            .unwrap()
            .modified()
            .unwrap(),
        old
    );
}

#[test]
fn a_shortened_line_is_reported_and_the_memory_has_the_full_text() {
    let world = World::new();
    let long = "wörter ".repeat(60).trim().to_owned();
    let saved = world.save_as("a.md", "A", &long);
    assert!(saved.shortened);
    let line = world.index().trim_end().to_owned();
    // The last word ends in a space, which goes before the ellipsis.
    assert!(
        (149..=150).contains(&line.chars().count()) && line.ends_with('…'),
        "{line}"
    );
    assert_eq!(
        world.store().read("a.md").unwrap().0.description(),
        Some(&*saved.entry.hook)
    );
    assert_eq!(saved.entry.hook, long);
}

#[test]
fn a_fingerprint_that_no_longer_holds_is_a_conflict_and_nothing_is_written() {
    let world = World::new();
    world.save_as("a.md", "A", "one");
    let (_, seen) = world.store().read("a.md").unwrap();
    world.write("a.md", memory_text("A", "from an editor"));
    let before = (world.read("a.md"), world.index());
    let save = |expected| {
        let memory = cleared(MemoryType::User, "A", "two");
        world
            .store()
            .save_as("a.md", memory, expected)
            .map_err(|e| e.kind().clone())
    };
    assert_eq!(save(Some(seen)).unwrap_err(), ErrorKind::Conflict);
    assert_eq!(
        save(Some(Fingerprint::ABSENT)).unwrap_err(),
        ErrorKind::Conflict
    );
    assert_eq!((world.read("a.md"), world.index()), before);
    let now = world.store().fingerprint("a.md").unwrap();
    assert_eq!(save(Some(now)).unwrap().written, Written::Updated);
    assert_eq!(save(None).unwrap().written, Written::Unchanged);
    // A file that is gone is a conflict too.
    fs::remove_file(world.path("a.md")).unwrap();
    assert_eq!(save(Some(now)).unwrap_err(), ErrorKind::Conflict);
    assert_eq!(
        save(Some(Fingerprint::ABSENT)).unwrap().written,
        Written::Created
    );
}

#[test]
fn fingerprints_read_back() {
    for fingerprint in [
        Fingerprint::ABSENT,
        Fingerprint::of(b""),
        Fingerprint::of(b"x"),
    ] {
        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
    }
    assert_ne!(Fingerprint::of(b""), Fingerprint::ABSENT);
    assert_ne!(Fingerprint::of(b"ab"), Fingerprint::of(b"ba"));
    for text in [
        "",
        "1",
        "1-",
        "-1",
        "1-00",
        "x-00000000000000000000000000000000",
        "1-+0000000000000000000000000000000",
    ] {
        let error = text.parse::<Fingerprint>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a fingerprint: a length and 32 hexadecimal digits, or `absent`"
        );
    }
}

#[test]
fn sub_folders_are_part_of_the_store() {
    let world = World::new();
    world.save_as("rust/a b.md", "A", "hook");
    assert_eq!(world.index(), "- [A](<rust/a b.md>) — hook\n");
    assert_eq!(
        world.store().read("rust/a b.md").unwrap().0.name(),
        Some("A")
    );
    assert!(world.store().check().unwrap().is_clean());
}

#[test]
fn names_that_are_no_memories_are_refused() {
    let world = World::new();
    for name in [
        "",
        "a",
        "a.txt",
        ".md",
        "../a.md",
        "/a.md",
        "a/../../b.md",
        "a\nb.md",
        "MEMORY.md",
        "memory.md",
        "sub/MEMORY.md",
        ".hidden.md",
        ".git/a.md",
        "logs/2026.md",
        "team/a.md",
        "TEAM/a.md",
        "a\0.md",
        "C:a.md",
    ] {
        let memory = cleared(MemoryType::User, "A", "d");
        let error = world.store().save_as(name, memory, None).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Name { .. }),
            "{name:?}: {error}"
        );
    }
    assert!(world.names().is_empty());
}

#[test]
fn remove_takes_the_file_and_its_line() {
    let world = World::with("- [X](x.md)\n- [Y](y.md)\n", &["x.md", "y.md"]);
    let seen = world.store().fingerprint("x.md").unwrap();
    let removed = world.store().remove("x.md", Some(seen)).unwrap();
    assert_eq!(
        (removed.fingerprint, removed.index),
        (seen, Change::Removed { lines: vec![1] })
    );
    assert_eq!(world.index(), "- [Y](y.md)\n");
    assert!(!world.path("x.md").exists());
    let error = world.store().remove("x.md", None).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotFound);
    let error = world.store().remove("y.md", Some(seen)).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Conflict);
}

#[test]
fn remove_takes_a_line_whose_file_is_gone() {
    let world = World::with("- [X](x.md)\n", &[]);
    let removed = world.store().remove("x.md", None).unwrap();
    assert_eq!(removed.fingerprint, Fingerprint::ABSENT);
    assert_eq!(world.index(), "");
}

#[test]
fn rename_moves_the_file_and_its_line() {
    let world = World::with("- [X](x.md) — hook\n- [Y](y.md)\n", &["x.md", "y.md"]);
    let content = world.read("x.md");
    world.store().rename("x.md", "sub/z.md").unwrap();
    assert_eq!(world.index(), "- [X](sub/z.md) — hook\n- [Y](y.md)\n");
    assert_eq!(world.read("sub/z.md"), content);
    assert!(!world.path("x.md").exists());
    let error = world.store().rename("sub/z.md", "y.md").unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Exists);
    let error = world.store().rename("gone.md", "new.md").unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotFound);
    // A name for itself changes nothing.
    let before = world.index();
    world.store().rename("y.md", "y.md").unwrap();
    assert_eq!(world.index(), before);
    assert!(world.path("y.md").exists());
    assert!(world.store().check().unwrap().is_clean());
}

#[test]
fn two_names_of_one_file_are_two_memories() {
    let world = World::with("- [X](x.md)\n- [Y](y.md)\n", &["x.md"]);
    fs::hard_link(world.path("x.md"), world.path("y.md")).unwrap();
    let error = world.store().rename("x.md", "y.md").unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Exists);
    assert!(world.path("x.md").exists() && world.path("y.md").exists());
}

#[test]
fn an_index_that_would_shrink_sharply_is_refused_with_the_numbers() {
    let before: String = (0..120)
        .map(|n| format!("- [N{n}](n{n}.md) — hook {n}\n"))
        .collect();
    let world = World::with(&before, &[]);
    let store = world.store();
    let replace = |new: &str, shrink| store.replace_index(text(new), None, shrink);
    let error = replace("(the other lines stay as they are)\n", Shrink::Refuse).unwrap_err();
    let expected = ErrorKind::Shrinks {
        bytes_before: before.len(),
        bytes_after: 35,
        entries_before: 120,
        entries_after: 0,
    };
    assert_eq!(*error.kind(), expected);
    assert_eq!(world.index(), before);
    // As many bytes, but hardly an entry: refused as well.
    assert!(replace(&"prose\n".repeat(before.len()), Shrink::Refuse).is_err());
    // Half of it may go.
    let half: String = before
        .lines()
        .take(62)
        .map(|line| format!("{line}\n"))
        .collect();
    replace(&half, Shrink::Refuse).unwrap();
    replace("- [N](n.md)\n", Shrink::Allow).unwrap();
    assert_eq!(world.index(), "- [N](n.md)\n");
}

#[test]
fn replacing_the_index_expects_what_was_seen() {
    let world = World::with("- [X](x.md)\n", &[]);
    let store = world.store();
    let seen = store.index_fingerprint().unwrap();
    world.write(ENTRYPOINT, "- [Y](y.md)\n");
    let error = store
        .replace_index(text("- [Z](z.md)\n"), Some(seen), Shrink::Refuse)
        .unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Conflict);
    assert_eq!(world.index(), "- [Y](y.md)\n");
    let seen = store.index_fingerprint().unwrap();
    let written = store
        .replace_index(text("- [Z](z.md)\n"), Some(seen), Shrink::Refuse)
        .unwrap();
    assert_eq!(written.fingerprint, store.index_fingerprint().unwrap());
}

#[test]
fn a_missing_directory_is_not_made() {
    let world = World::new();
    let missing = world.outside("missing");
    let store = Store::open(&missing).unwrap();
    let error = store
        .save(cleared(MemoryType::User, "A", "d"), None)
        .unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NoDirectory);
    assert!(!missing.exists());
    assert_eq!(*store.read("a.md").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_store_for_reading_writes_nothing() {
    let world = World::with("- [X](x.md)\n", &["x.md"]);
    let store = world.store_with(StoreOptions::default().access(Access::ReadOnly));
    let kinds = [
        store
            .save(cleared(MemoryType::User, "A", "d"), None)
            .map(drop),
        store.remove("x.md", None).map(drop),
        store.rename("x.md", "y.md").map(drop),
        store.rebuild().map(drop),
        store.replace_index(text(""), None, Shrink::Allow).map(drop),
    ];
    for result in kinds {
        assert_eq!(*result.unwrap_err().kind(), ErrorKind::ReadOnly);
    }
    assert!(store.read("x.md").is_ok() && store.check().unwrap().is_clean());
    assert_eq!(world.names(), [ENTRYPOINT, "x.md"]);
}

#[test]
fn a_team_store_takes_only_what_was_cleared_for_the_team() {
    let world = World::new();
    let store = world.store_with(StoreOptions::default().scope(Scope::Team));
    let error = store
        .save(cleared(MemoryType::User, "A", "d"), None)
        .unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Audience);
    let memory = Memory::new(MemoryType::Reference, "A", "d", "body\n");
    store
        .save(gate(&memory, Audience::Team).unwrap(), None)
        .unwrap();
}

#[test]
fn a_host_that_may_not_wait_is_told_that_the_store_is_busy() {
    let world = World::new();
    world.save_as("a.md", "A", "d");
    let held = fs::File::open(world.path(".memdir-index.lock")).unwrap();
    held.lock().unwrap();
    let options = StoreOptions::default()
        .wait(Wait::Never)
        .durability(Durability::ProcessDeath);
    let error = world.store_with(options).remove("a.md", None).unwrap_err();
    assert_eq!(
        *error.kind(),
        ErrorKind::Busy {
            reason: "another writer is at work".to_owned()
        }
    );
    // Reading needs no lock.
    assert!(
        world
            .store()
            .load(memdir_index::Measure::Bytes)
            .unwrap()
            .text
            .is_some()
    );
}

#[test]
fn an_index_that_cannot_be_written_refuses_the_save_before_anything_is_on_disk() {
    let world = World::new();
    fs::create_dir(world.path(ENTRYPOINT)).unwrap();
    let memory = cleared(MemoryType::User, "A", "d");
    let error = world.store().save_as("a.md", memory, None).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotAFile);
    assert_eq!(world.names(), [".memdir-index.lock", ENTRYPOINT]);
}

#[test]
fn a_memory_beyond_the_limit_is_refused() {
    let world = World::new();
    let memory = Memory::new(MemoryType::User, "A", "d", &"x".repeat(5 << 20));
    let memory = gate(&memory, Audience::Private).unwrap();
    let error = world.store().save(memory, None).unwrap_err();
    assert!(
        matches!(
            error.kind(),
            ErrorKind::TooLarge {
                limit: 4_194_304,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(world.names(), [".memdir-index.lock"]);
}

#[cfg(unix)]
#[test]
fn modes_are_kept_and_new_files_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    let mode = |file: &str| fs::metadata(world.path(file)).unwrap().permissions().mode() & 0o777;
    world.write("plain", "");
    for (file, bits) in [("a.md", 0o640), (ENTRYPOINT, 0o600)] {
        fs::set_permissions(world.path(file), fs::Permissions::from_mode(bits)).unwrap();
    }
    world.save_as("a.md", "A", "new");
    world.save_as("b.md", "B", "new");
    assert_eq!(
        (mode("a.md"), mode(ENTRYPOINT), mode("b.md")),
        (0o640, 0o600, mode("plain"))
    );
    // People who share a directory can share its lock.
    assert_eq!(mode(".memdir-index.lock"), mode("plain"));
}

#[test]
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "a process that is started is what the lock has to bear"
)]
fn processes_that_are_started_meanwhile_keep_no_lock() {
    let world = World::new();
    let options = StoreOptions::default()
        .wait(Wait::Never)
        .durability(Durability::ProcessDeath);
    let store = world.store_with(options);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100 {
                std::process::Command::new("true").status().unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            let memory = cleared(MemoryType::User, "A", "d");
            store.save_as("a.md", memory, None).unwrap();
        }
    });
}
