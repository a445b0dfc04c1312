//! What stands in the way of a write or of a look, and must stop nothing else.

use std::fs;

use memdir_index::{
    ENTRYPOINT, Entry, ErrorKind, ExistingLines, Fault, Index, MAX_READ_BYTES, Outcome,
    RebuildOptions, Shrink, StoreOptions, Time, Wait,
};
use memdir_paths::Date;
use memdir_types::MemoryType;

use crate::world::{World, cleared, memory_text, text};

const JOURNAL: &str = ".memdir-index.journal";

/// Two forms of one name: composed, and letter by letter.
const COMPOSED: &str = "caf\u{e9}.md";
const DECOMPOSED: &str = "cafe\u{301}.md";

#[track_caller]
fn does_not_block(obstacle: impl Fn(&World), intent: &str) {
    let world = World::with("- [X](x.md)\n", &["x.md"]);
    obstacle(&world);
    world.write(JOURNAL, format!("memdir-index journal 1\n{intent}\nend\n"));
    let saved = world
        .store()
        .save_as("b.md", cleared(MemoryType::User, "B", "d"), None);
    assert!(saved.is_ok(), "{intent:?}: {saved:?}");
    assert!(!world.path(JOURNAL).exists());
    world.write(JOURNAL, format!("memdir-index journal 1\n{intent}\nend\n"));
    let outcome = world.store().recovered().unwrap().outcome.clone();
    assert_eq!(outcome, Outcome::ChangedSince, "{intent:?}");
}

#[test]
fn an_interrupted_write_that_can_never_be_completed_blocks_no_other() {
    let save = "save\na.md\nabsent\n3-00000000000000000000000000000000";
    let folder = |world: &World| world.write("a.md/inner.md", "x");
    let huge = |world: &World| {
        let file = fs::File::create(world.path("a.md")).unwrap();
        file.set_len(MAX_READ_BYTES + 1).unwrap();
    };
    does_not_block(folder, save);
    does_not_block(folder, "remove\na.md");
    does_not_block(folder, "rename\nx.md\na.md");
    does_not_block(huge, save);
    #[cfg(unix)]
    {
        let link = |world: &World| {
            fs::write(world.outside("out.md"), "x").unwrap();
            std::os::unix::fs::symlink(world.outside("out.md"), world.path("a.md")).unwrap();
        };
        does_not_block(link, save);
    }
}

#[test]
fn a_save_that_would_make_the_index_too_large_writes_nothing_and_blocks_nothing() {
    let mut index = "# t\n".repeat(MAX_READ_BYTES as usize / 4 - 5);
    index.push_str("- [X](x.md)\n");
    let world = World::with(&index, &["x.md"]);
    let memory = || cleared(MemoryType::User, "A", "a description");
    let refused = world.store().save_as("a.md", memory(), None).unwrap_err();
    assert!(
        matches!(refused.kind(), ErrorKind::TooLarge { .. }),
        "{refused}"
    );
    assert!(!world.path("a.md").exists() && !world.path(JOURNAL).exists());
    assert_eq!(world.index(), index);
    world.store().remove("x.md", None).unwrap();
    // A line that an interrupted save still owes does not fit either, and is given up.
    world.write(ENTRYPOINT, "# t\n".repeat(MAX_READ_BYTES as usize / 4));
    let new = memory_text("A", "new");
    world.write("a.md", &new);
    let after = memdir_index::Fingerprint::of(new.as_bytes());
    world.write(
        JOURNAL,
        format!("memdir-index journal 1\nsave\na.md\nabsent\n{after}\nend\n"),
    );
    assert_eq!(
        world.store().recovered().unwrap().outcome,
        Outcome::ChangedSince
    );
    assert!(!world.path(JOURNAL).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_does_not_take_the_line_of_one_whose_name_has_another_unicode_form() {
    let world = World::new();
    world.save_as(COMPOSED, "One", "d");
    let store = world.store();
    let second = || cleared(MemoryType::User, "Two", "d");
    let refused = store.save_as(DECOMPOSED, second(), None).unwrap_err();
    assert_eq!(*refused.kind(), ErrorKind::Exists);
    assert_eq!(refused.path(), Some(&*world.path(COMPOSED)));
    store.save_as("x.md", second(), None).unwrap();
    let refused = store.rename("x.md", DECOMPOSED).unwrap_err();
    assert_eq!(*refused.kind(), ErrorKind::Exists);
    assert!(!world.path(DECOMPOSED).exists());
    assert!(store.check().unwrap().is_clean());

    // Somebody else made it: the line is that of the file that it spells.
    world.write(DECOMPOSED, memory_text("Two", "d"));
    let orphan = Fault::Orphan {
        file: DECOMPOSED.to_owned(),
    };
    assert_eq!(store.check().unwrap().faults, [orphan]);
    for existing in [ExistingLines::Keep, ExistingLines::Refresh] {
        let options = RebuildOptions::default().existing(existing);
        let rebuilt = store.rebuild_with(&options).unwrap();
        assert_eq!(rebuilt.unlisted[0].file, DECOMPOSED);
        assert_eq!(store.index().unwrap().find(COMPOSED).unwrap().title, "One");
    }
    fs::remove_file(world.path(ENTRYPOINT)).unwrap();
    let rebuilt = store.rebuild().unwrap();
    assert_eq!((rebuilt.added.len(), rebuilt.unlisted.len()), (2, 1));
}

#[test]
fn a_name_may_change_its_unicode_form() {
    let world = World::new();
    world.save_as(DECOMPOSED, "One", "d");
    world.store().rename(DECOMPOSED, COMPOSED).unwrap();
    assert_eq!(world.index(), format!("- [One]({COMPOSED}) — d\n"));
    assert!(world.store().check().unwrap().is_clean());
}

#[test]
fn a_memory_too_deep_to_be_found_is_not_saved() {
    let world = World::new();
    let deep = "d/".repeat(8) + "a.md";
    world.save_as(&deep, "A", "d");
    assert!(world.store().check().unwrap().is_clean());
    let deeper = "d/".repeat(9) + "a.md";
    let memory = cleared(MemoryType::User, "A", "d");
    let refused = world.store().save_as(&deeper, memory, None).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("{deeper}: not a name for a memory: more than 8 folder levels")
    );
    assert!(world.store().rename(&deep, &deeper).is_err());
    assert!(world.path(&deep).exists());
}

#[test]
fn a_line_for_a_memory_that_was_not_looked_at_is_not_taken_for_dangling() {
    let deep = "d/".repeat(9) + "a.md";
    let index = format!("- [Deep]({deep})\n- [A](a.md)\n- [Gone](gone.md)\n");
    let world = World::with(&index, &["a.md", &deep]);
    let faults = world.store().check().unwrap().faults;
    let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "line 3: gone.md does not exist",
            "d/d/d/d/d/d/d/d/d: the scan stopped here, there is too much"
        ]
    );
    let options = RebuildOptions::default().shrink(Shrink::Allow);
    let rebuilt = world.store().rebuild_with(&options).unwrap();
    assert_eq!(rebuilt.dangling, ["gone.md"]);
    assert_eq!(world.index(), format!("- [Deep]({deep})\n- [A](a.md)\n"));
}

#[test]
fn comments_between_the_lines_do_not_shift_their_numbers() {
    let index =
        "<!-- one -->\n\n<!-- two\nlines -->\n\ntext\n\n<!-- three -->\n- [Gone](gone.md)\n";
    let faults = World::with(index, &[]).store().check().unwrap().faults;
    let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "line 6: text that belongs into a memory",
            "line 9: gone.md does not exist"
        ]
    );
}

#[test]
fn many_comments_and_many_lines_for_one_file_are_no_burden() {
    let comments = "<!-- c -->\n\n".repeat(100_000);
    let world = World::with(&comments, &[]);
    assert!(world.store().check().unwrap().is_clean());
    let mut index = Index::parse(&"- [A](a.md)\n\n# h\n".repeat(100_000));
    index.upsert(&Entry::new("A", "a.md", "one"));
    assert_eq!(index.entries().count(), 1);
    assert_eq!(index.line_count(), 200_001);
}

#[test]
fn a_log_in_other_hands_makes_nobody_wait_who_may_not() {
    let world = World::new();
    let (date, time) = (
        Date {
            year: 2026,
            month: 4,
            day: 12,
        },
        Time::new(3, 4).unwrap(),
    );
    let store = world.store_with(StoreOptions::default().wait(Wait::Never));
    let path = store.append_log(date, time, text("one")).unwrap();
    let held = fs::File::open(&path).unwrap();
    held.lock().unwrap();
    store.append_log(date, time, text("two")).unwrap();
    drop(held);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "- 03:04 one\n- 03:04 two\n"
    );
}

#[test]
fn the_log_of_a_team_takes_only_what_was_cleared_for_the_team() {
    let world = World::new();
    let options = StoreOptions::default().scope(memdir_types::Scope::Team);
    let date = Date {
        year: 2026,
        month: 4,
        day: 12,
    };
    let time = Time::new(3, 4).unwrap();
    let refused = world
        .store_with(options)
        .append_log(date, time, text("mine"))
        .unwrap_err();
    assert_eq!(*refused.kind(), ErrorKind::Audience);
    assert!(!world.path("logs").exists());
}

#[cfg(unix)]
#[test]
fn a_socket_is_neither_index_nor_memory() {
    use std::os::unix::net::UnixListener;

    let world = World::new();
    let _index = UnixListener::bind(world.path(ENTRYPOINT)).unwrap();
    let loaded = world.store().load(memdir_index::Measure::Bytes).unwrap();
    assert_eq!(loaded.missing, Some(memdir_index::NoIndex::NotAFile));
    fs::remove_file(world.path(ENTRYPOINT)).unwrap();
    let _memory = UnixListener::bind(world.path("a.md")).unwrap();
    for refused in [
        world.store().rename("a.md", "b.md").unwrap_err(),
        world.store().remove("a.md", None).unwrap_err(),
        world.store().read("a.md").unwrap_err(),
    ] {
        let path = world.path("a.md");
        assert_eq!(
            refused.to_string(),
            format!("{}: expected a regular file", path.display())
        );
    }
    assert!(world.path("a.md").exists());
}
