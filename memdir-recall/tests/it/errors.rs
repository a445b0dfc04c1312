//! The exact texts of errors.

use memdir_recall::{Error, ErrorKind, Options, Recall, ScanOptions, scan};

use crate::world::World;

#[track_caller]
fn check(error: &Error, kind: ErrorKind, text: &str) {
    assert_eq!(error.kind(), &kind);
    assert_eq!(error.to_string(), text);
    assert!(error.path().is_some());
}

#[test]
fn errors_name_the_directory_and_what_was_expected() {
    let world = World::new();
    world.write("a.md", "x");
    let file = world.path("a.md");
    check(
        &scan(&file, &ScanOptions::default()).unwrap_err(),
        ErrorKind::NotADirectory,
        &format!("{}: expected a directory", file.display()),
    );
    check(
        &Recall::scan("x\n/memory", &Options::default()).unwrap_err(),
        ErrorKind::RelativePath,
        "x\\n/memory: expected an absolute path",
    );
}

#[test]
fn a_failed_refresh_leaves_everything_as_it_was() {
    let world = World::new();
    world.memory("a.md", "user", "tabs", "x");
    let mut recall = world.recall();
    std::fs::rename(world.dir(), world.outside("moved")).unwrap();
    std::fs::write(world.dir(), "a file").unwrap();
    assert_eq!(
        recall.refresh().unwrap_err().kind(),
        &ErrorKind::NotADirectory
    );
    assert_eq!(recall.memories().len(), 1);
}
