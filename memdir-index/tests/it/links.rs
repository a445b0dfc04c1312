//! Links: inside the directory they are written through, out of it they are refused.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use memdir_index::{ENTRYPOINT, ErrorKind, Fault, Measure, NoIndex, Store};
use memdir_types::MemoryType;

use crate::world::{World, cleared, memory_text};

#[test]
fn a_link_inside_the_directory_is_written_through() {
    let world = World::with("", &[]);
    world.write("real.md", memory_text("R", "old"));
    world.write("kept/index.md", "- [Y](y.md)\n");
    fs::remove_file(world.path(ENTRYPOINT)).unwrap();
    symlink("kept/index.md", world.path(ENTRYPOINT)).unwrap();
    symlink("real.md", world.path("link.md")).unwrap();

    world.save_as("link.md", "L", "new");
    assert!(world.path("link.md").is_symlink() && world.path(ENTRYPOINT).is_symlink());
    assert_eq!(
        world.store().read("real.md").unwrap().0.description(),
        Some("new")
    );
    assert_eq!(
        world.read("kept/index.md"),
        "- [Y](y.md)\n- [L](link.md) — new\n"
    );
}

#[test]
fn a_link_that_leads_out_is_refused_and_its_target_untouched() {
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    let victim = world.outside("victim.md");
    fs::write(&victim, "mine").unwrap();
    symlink(&victim, world.path("out.md")).unwrap();
    symlink(world.outside("nothing.md"), world.path("dangling.md")).unwrap();
    symlink(victim.parent().unwrap(), world.path("folder")).unwrap();
    for file in ["out.md", "dangling.md", "folder/victim.md", "folder/new.md"] {
        let memory = cleared(MemoryType::User, "A", "d");
        let error = world.store().save_as(file, memory, None).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::LeadsOut, "{file}");
    }
    assert_eq!(
        *world.store().read("out.md").unwrap_err().kind(),
        ErrorKind::LeadsOut
    );
    assert_eq!(
        *world
            .store()
            .rename("a.md", "folder/b.md")
            .unwrap_err()
            .kind(),
        ErrorKind::LeadsOut
    );
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert!(!world.outside("nothing.md").exists() && !world.outside("new.md").exists());
    let faults = world.store().check().unwrap().faults;
    let leads_out = |file: &str| Fault::LeadsOut {
        line: None,
        file: file.to_owned(),
    };
    assert!(
        faults.contains(&leads_out("out.md")) && faults.contains(&leads_out("dangling.md")),
        "{faults:?}"
    );
    // The link itself can go.
    world.store().remove("out.md", None).unwrap();
    assert!(!world.path("out.md").is_symlink());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[test]
fn a_memory_cannot_be_a_link_to_the_index_or_the_lock() {
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    world.save_as("a.md", "A", "d");
    let index = world.index();
    symlink(ENTRYPOINT, world.path("i.md")).unwrap();
    symlink(".memdir-index.lock", world.path("l.md")).unwrap();
    for file in ["i.md", "l.md"] {
        let memory = cleared(MemoryType::User, "A", "d");
        let error = world.store().save_as(file, memory, None).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Name { .. }), "{error}");
    }
    assert_eq!(world.index(), index);
}

#[test]
fn an_index_that_links_out_is_neither_loaded_nor_written() {
    let world = World::new();
    let victim = world.outside("secrets.md");
    fs::write(&victim, "- [S](s.md)\n").unwrap();
    symlink(&victim, world.path(ENTRYPOINT)).unwrap();
    let loaded = world.store().load(Measure::Bytes).unwrap();
    assert_eq!(
        (loaded.text, loaded.missing),
        (None, Some(NoIndex::LeadsOut))
    );
    let memory = cleared(MemoryType::User, "A", "d");
    let error = world.store().save_as("a.md", memory, None).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::LeadsOut);
    assert!(!world.path("a.md").exists());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "- [S](s.md)\n");
    assert!(matches!(
        &world.store().check().unwrap().faults[..],
        [Fault::IndexUnreadable { .. }]
    ));
}

#[test]
fn a_directory_that_is_itself_a_link_works() {
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    let link = world.outside("link");
    symlink(world.dir(), &link).unwrap();
    let store = Store::open(&link).unwrap();
    assert_eq!(
        store.load(Measure::Bytes).unwrap().text.as_deref(),
        Some("- [A](a.md)")
    );
    store
        .save_as("b.md", cleared(MemoryType::User, "B", "d"), None)
        .unwrap();
    assert_eq!(world.index(), "- [A](a.md)\n- [B](b.md) — d\n");
    assert!(store.check().unwrap().is_clean());
}

#[test]
fn planted_links_under_the_stores_own_names_are_not_followed() {
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    let victim = world.outside("victim");
    symlink(&victim, world.path(".memdir-index.lock")).unwrap();
    let error = world.store().remove("a.md", None).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::LeadsOut);
    fs::remove_file(world.path(".memdir-index.lock")).unwrap();
    fs::write(&victim, "mine").unwrap();
    symlink(&victim, world.path(".memdir-index.journal")).unwrap();
    world.save_as("b.md", "B", "d");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_no_index_and_nobody_waits_for_it() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let world = World::new();
    let mode = Mode::from_raw_mode(0o600);
    mknodat(CWD, world.path(ENTRYPOINT), FileType::Fifo, mode, 0).unwrap();
    let loaded = world.store().load(Measure::Bytes).unwrap();
    assert_eq!(loaded.missing, Some(NoIndex::NotAFile));
}
