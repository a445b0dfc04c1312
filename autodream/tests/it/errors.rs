//! Errors and promises of types.

use autodream::{
    BoxSubagent, Closed, Dream, DreamEnd, DreamJob, DreamTask, Error, Gate, Lock, Process, RunId,
    Stage, StageOptions, SubagentTask, TaskHandle, Ticket, undo,
};

use crate::world::{World, now, process};

#[test]
fn public_values_can_cross_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Error>();
    check::<Gate>();
    check::<Lock>();
    check::<Ticket>();
    check::<Closed>();
    check::<Process>();
    check::<Stage>();
    check::<BoxSubagent>();
    check::<Dream>();
    check::<DreamEnd>();
    check::<DreamJob>();
    check::<DreamTask>();
    check::<SubagentTask>();
    check::<TaskHandle>();
}

#[test]
fn an_error_names_the_path_and_what_was_expected() {
    let world = World::new();
    std::fs::remove_dir(world.dir.path()).unwrap();
    let error = Lock::acquire(&world.dir, now(), &process(7)).unwrap_err();
    let shown = error.to_string();
    assert!(
        shown.starts_with("the memory directory does not exist: "),
        "{shown}"
    );
    assert_eq!(error.path(), Some(world.dir.path()));
}

#[test]
fn the_errors_of_a_transaction_say_what_was_in_the_way() {
    let world = World::new();
    let dir = world.dir.path().to_owned();
    let shown = |error: Error| error.to_string().replace(dir.to_str().unwrap(), "DIR");
    let undone = undo(&world.dir, &RunId::new("1-20260101T0000Z"), now());
    assert_eq!(
        shown(undone.unwrap_err()),
        "no such run: DIR/.autodream/runs"
    );
    std::fs::write(dir.join(".autodream"), "").unwrap();
    let begun = Stage::begin(&world.dir, &StageOptions::default(), now());
    assert_eq!(
        shown(begun.unwrap_err()),
        "expected a folder, and no link: DIR/.autodream"
    );
    std::fs::remove_file(dir.join(".autodream")).unwrap();
    std::fs::create_dir(dir.join("MEMORY.md")).unwrap();
    let begun = Stage::begin(&world.dir, &StageOptions::default(), now()).unwrap_err();
    let cause = "(DIR/MEMORY.md: expected a regular file)";
    let expected = format!("the memory directory could not be read or written {cause}");
    assert_eq!(shown(begun), expected);
    std::fs::remove_dir_all(&dir).unwrap();
    let begun = Stage::begin(&world.dir, &StageOptions::default(), now()).unwrap_err();
    assert_eq!(*begun.kind(), autodream::ErrorKind::NoDirectory);
}
