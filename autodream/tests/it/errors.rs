//! Errors and promises of types.

use autodream::{Closed, Error, Gate, Lock, Process, Ticket};

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
