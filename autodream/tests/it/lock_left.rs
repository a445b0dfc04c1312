//! What those who ended or died left beside the lock, and what can be told from it.

use std::fs;

use autodream::{
    BusyReason, Config, Enabled, Flags, Gate, Host, Lock, Process, Recovered, Settings,
    Transcripts, enabled, recover,
};

use crate::lock::{busy, killed};
use crate::world::{World, hours, minutes, now, process};

/// The numbers of processes are given anew: the next one with ours may be another program.
#[test]
fn what_ended_says_nothing_about_another_program_with_the_same_number() {
    type End = fn(&World, Lock);
    let ends: [(&str, End); 4] = [
        ("kept", |_, lock| lock.keep(now()).unwrap()),
        ("rolled back", |_, lock| lock.roll_back().unwrap()),
        ("lost", |world, lock| {
            world.lock_file("12", now());
            lock.roll_back().unwrap_err();
        }),
        ("recovered", |world, lock| {
            drop(lock);
            killed(world, &process(7), now());
            let recovered = recover(&world.dir, &process(8)).unwrap();
            assert!(matches!(recovered, Recovered::Restored { .. }));
        }),
    ];
    for (name, end) in ends {
        let world = World::new();
        end(&world, world.locked(7, now() - minutes(1)));
        world.lock_file("7", now());
        assert_eq!(
            recover(&world.dir, &process(8)).unwrap(),
            Recovered::Nothing,
            "{name}"
        );
        assert_eq!(world.lock_state(), Some(("7".to_owned(), now())), "{name}");
        assert_eq!(
            busy(world.acquire(8, now())).reason,
            BusyReason::Holder,
            "{name}"
        );
        assert_eq!(
            world.locked(8, now() + minutes(60)).previous(),
            Some(now()),
            "{name}"
        );
    }
}

/// After one of ours was killed, another program may have taken the lock over.
#[test]
fn the_record_of_a_killed_holder_says_nothing_about_another_process() {
    for host in ["here", "elsewhere"] {
        let gone = Process::new(7, |_| false).host(host);
        let world = World::new();
        killed(&world, &gone, now() - hours(2));
        world.lock_file("12", now());
        assert_eq!(busy(world.acquire(8, now())).reason, BusyReason::Holder);
        world.lock_file("4000", now());
        assert_eq!(world.locked(8, now()).previous(), Some(now()));

        killed(&world, &gone, now() - hours(2));
        world.lock_file("12", now());
        assert_eq!(
            recover(&world.dir, &process(8)).unwrap(),
            Recovered::Nothing
        );
        assert_eq!(world.lock_state(), Some(("12".to_owned(), now())));
        // Now the record is closed, and the number of the dead is a number like any other.
        world.lock_file("7", now());
        assert_eq!(busy(world.acquire(8, now())).reason, BusyReason::Holder);
    }
}

#[test]
fn recovering_where_ours_never_was_leaves_no_guard() {
    let world = World::new();
    world.lock_file("4000", now());
    assert_eq!(
        recover(&world.dir, &process(8)).unwrap(),
        Recovered::Nothing
    );
    assert!(!world.guard().exists());
    assert_eq!(world.lock_state(), Some(("4000".to_owned(), now())));
}

#[test]
fn a_lock_that_could_not_be_written_leaves_no_record_of_a_holder() {
    let world = World::new();
    let last = now() - hours(2);
    world.lock_file("7", last);
    let next = world.dir.path().join(".consolidate-lock.next");
    fs::create_dir_all(next.join("x")).unwrap();
    Lock::acquire(&world.dir, now(), &process(7)).unwrap_err();
    fs::remove_dir_all(&next).unwrap();
    assert_eq!(
        recover(&world.dir, &process(8)).unwrap(),
        Recovered::Nothing
    );
    assert_eq!(world.lock_state(), Some(("7".to_owned(), last)));
}

#[test]
fn between_guard_and_record_the_holder_is_not_known() {
    let world = World::new();
    world.locked(7, now()).roll_back().unwrap();
    let guard = fs::File::open(world.guard()).unwrap();
    guard.lock().unwrap();
    let busy = busy(world.acquire(8, now()));
    assert_eq!(
        (busy.reason, busy.holder, busy.since),
        (BusyReason::Running, None, None)
    );
}

/// Some file systems end in the 25th century, and some know whole seconds only.
#[test]
fn what_the_file_system_makes_of_the_time_is_no_loss() {
    let world = World::new();
    let far = now() + hours(24 * 365 * 1_000);
    drop(world.locked(7, far));
    assert_eq!(world.lock_state(), None);
}

#[test]
#[cfg(unix)]
fn a_pipe_in_the_place_of_the_lock_file_is_not_taken_for_free() {
    let world = World::new();
    let (path, mode) = (world.dir.lock_file(), rustix::fs::Mode::RWXU);
    rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
    assert!(matches!(
        busy(world.acquire(7, now() + hours(99))).reason,
        BusyReason::Unreadable(_)
    ));
}

/// Looking tells what asking would, and takes nothing.
#[test]
fn a_look_tells_who_holds_the_lock_and_since_when() {
    let on: Enabled = enabled(
        &Settings::default().auto_dream_enabled(true),
        &Flags::default(),
        &Host::default(),
    );
    let look = |world: &World| {
        let transcripts = Transcripts::new([&world.transcripts]);
        let gate = Gate::new(world.dir.clone(), transcripts, Config::default());
        let seen = gate.look(now(), &on, &process(8)).busy;
        seen.map(|busy| (busy.reason, busy.holder, busy.since))
    };
    let began = now() - minutes(5);

    let world = World::new();
    let lock = world.locked(7, began);
    // The record says since when, whatever touched the file.
    world.lock_file("7", now());
    assert_eq!(
        look(&world),
        Some((BusyReason::Running, Some(7), Some(began)))
    );
    world.lock_file("12", now());
    assert_eq!(
        look(&world),
        Some((BusyReason::Holder, Some(12), Some(now())))
    );
    drop(lock);
    // Nobody of ours any more: another program with the same number.
    world.lock_file("7", now());
    assert_eq!(
        look(&world),
        Some((BusyReason::Holder, Some(7), Some(now())))
    );

    let world = World::new();
    killed(&world, &process(4_000), began);
    assert_eq!(look(&world), None);
    let world = World::new();
    killed(
        &world,
        &Process::new(4_000, |_| false).host("elsewhere"),
        began,
    );
    assert_eq!(
        look(&world),
        Some((BusyReason::OtherHost, Some(4_000), Some(began)))
    );
}
