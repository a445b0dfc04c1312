//! The lock: who gets it, what it leaves, and what a dead holder leaves.

use std::fs;
use std::sync::Barrier;
use std::time::SystemTime;

use autodream::{Acquired, BusyReason, ErrorKind, Lock, Process, Recovered, recover};

use crate::world::{World, file, hours, minutes, now, process};

#[track_caller]
pub(crate) fn busy(acquired: Acquired) -> autodream::Busy {
    match acquired {
        Acquired::Busy(busy) => busy,
        Acquired::Yes(_) => panic!("free"),
    }
}

#[test]
fn a_lock_nobody_ever_held_is_free_and_leaves_nothing_when_rolled_back() {
    let world = World::new();
    let lock = world.locked(7, now());
    assert_eq!(lock.previous(), None);
    assert_eq!(world.lock_state(), Some(("7".to_owned(), now())));
    lock.roll_back().unwrap();
    assert_eq!(world.lock_state(), None);
    assert!(world.guard().exists());
}

#[test]
fn keeping_empties_the_body_and_the_same_process_may_go_on() {
    let world = World::new();
    world.locked(7, now()).keep(now() + minutes(3)).unwrap();
    assert_eq!(
        world.lock_state(),
        Some((String::new(), now() + minutes(3)))
    );
    let again = world.locked(7, now() + minutes(4));
    assert_eq!(again.previous(), Some(now() + minutes(3)));
    assert_eq!(
        world.lock_state(),
        Some(("7".to_owned(), now() + minutes(4)))
    );
    again.keep(now() + minutes(5)).unwrap();
    assert_eq!(
        world.lock_state(),
        Some((String::new(), now() + minutes(5)))
    );
}

#[test]
fn rolling_back_puts_the_exact_time_back() {
    let world = World::new();
    let last = now() - hours(72) + std::time::Duration::from_nanos(123_456_789);
    world.lock_file("", last);
    world.locked(7, now()).roll_back().unwrap();
    assert_eq!(world.lock_state(), Some((String::new(), last)));
}

#[test]
fn dropping_and_panicking_roll_back() {
    let world = World::new();
    let last = now() - hours(72);
    world.lock_file("", last);
    drop(world.locked(7, now()));
    assert_eq!(world.lock_state(), Some((String::new(), last)));
    let panicked = std::panic::catch_unwind(|| {
        let _lock = world.locked(7, now());
        panic!("in the middle of a consolidation");
    });
    assert!(panicked.is_err());
    assert_eq!(world.lock_state(), Some((String::new(), last)));
    drop(world.locked(8, now()));
}

#[test]
fn while_it_is_held_nobody_else_gets_it_whatever_the_clock_says() {
    let world = World::new();
    let lock = world.locked(7, now());
    for later in [minutes(0), minutes(61), hours(9_999)] {
        let busy = busy(world.acquire(8, now() + later));
        assert_eq!(
            (busy.reason.clone(), busy.holder, busy.since),
            (BusyReason::Running, Some(7), Some(now()))
        );
        assert_eq!(busy.stale_at(), None);
    }
    drop(lock);
    drop(world.locked(8, now()));
}

#[test]
fn another_programs_lock_holds_while_its_process_lives_but_no_longer_than_an_hour() {
    let world = World::new();
    let taken = now() - minutes(1);
    world.lock_file("12", taken);
    let answer = busy(world.acquire(7, now()));
    assert_eq!(
        (answer.reason.clone(), answer.holder),
        (BusyReason::Holder, Some(12))
    );
    assert_eq!(answer.stale_at(), Some(taken + minutes(60)));
    busy(world.acquire(7, taken + minutes(60) - minutes(1)));
    assert_eq!(world.locked(7, taken + minutes(60)).previous(), Some(taken));
}

#[test]
fn another_programs_dead_process_does_not_hold() {
    let world = World::new();
    world.lock_file("4000", now() - minutes(1));
    assert_eq!(world.locked(7, now()).previous(), Some(now() - minutes(1)));
}

#[test]
fn a_body_that_is_no_process_holds_for_an_hour() {
    for body in [
        "nonsense",
        "-5",
        "12 13",
        "99999999999999999999",
        "12345678901234567890",
        "\u{0}",
    ] {
        let world = World::new();
        world.lock_file(body, now() - minutes(1));
        assert_eq!(
            busy(world.acquire(7, now())).reason,
            BusyReason::Unknown,
            "{body:?}"
        );
        drop(world.locked(7, now() + minutes(59)));
    }
    let world = World::new();
    world.lock_file(" \n", now() - minutes(1));
    drop(world.locked(7, now()));
}

#[test]
fn what_is_no_regular_file_is_busy_and_stays_as_it_is() {
    let world = World::new();
    fs::create_dir(world.dir.lock_file()).unwrap();
    assert!(matches!(
        busy(world.acquire(7, now() + hours(99))).reason,
        BusyReason::Unreadable(_)
    ));
    fs::remove_dir(world.dir.lock_file()).unwrap();
    #[cfg(unix)]
    {
        let outside = world.transcripts.join("outside");
        file(&outside, "12", now());
        std::os::unix::fs::symlink(&outside, world.dir.lock_file()).unwrap();
        assert!(matches!(
            busy(world.acquire(7, now())).reason,
            BusyReason::Unreadable(_)
        ));
        assert_eq!(fs::read_to_string(&outside).unwrap(), "12");
        fs::remove_file(world.dir.lock_file()).unwrap();
        fs::remove_file(world.guard()).unwrap();
        std::os::unix::fs::symlink(&outside, world.guard()).unwrap();
        assert!(Lock::acquire(&world.dir, now(), &process(7)).is_err());
        world.lock_file("4000", now());
        assert!(recover(&world.dir, &process(7)).is_err());
        assert_eq!(fs::read_to_string(&outside).unwrap(), "12");
    }
}

#[test]
fn a_directory_that_is_not_there_is_said_to_be_missing() {
    let world = World::new();
    let none = memdir_paths::MemoryDir::new(world.transcripts.join("none"));
    let error = Lock::acquire(&none, now(), &process(7)).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NoDirectory);
    assert!(!none.path().exists());
}

/// Leaves what a process leaves that is killed while it holds the lock.
pub(crate) fn killed(world: &World, holder: &Process, at: SystemTime) {
    let Acquired::Yes(lock) = Lock::acquire(&world.dir, at, holder).unwrap() else {
        panic!("busy");
    };
    let record = fs::read(world.guard()).unwrap();
    let (body, modified) = world.lock_state().unwrap();
    drop(lock);
    world.lock_file(&body, modified);
    fs::write(world.guard(), record).unwrap();
}

#[test]
fn a_killed_holder_counts_for_nothing_even_if_its_number_lives_again() {
    for pid in [7, 4_000] {
        let world = World::new();
        let last = now() - hours(72);
        world.lock_file("", last);
        killed(&world, &process(pid), now());
        assert_eq!(
            world.locked(8, now() + minutes(1)).previous(),
            Some(last),
            "{pid}"
        );
        assert_eq!(world.lock_state(), Some((String::new(), last)));
    }
}

#[test]
fn recovering_puts_back_the_time_before_or_removes_the_file() {
    let world = World::new();
    killed(&world, &process(7), now());
    assert_eq!(
        recover(&world.dir, &process(8)).unwrap(),
        Recovered::Restored { last: None }
    );
    assert_eq!(world.lock_state(), None);
    let last = now() - hours(72);
    world.lock_file("", last);
    killed(&world, &process(7), now());
    assert_eq!(
        recover(&world.dir, &process(8)).unwrap(),
        Recovered::Restored { last: Some(last) }
    );
    assert_eq!(world.lock_state(), Some((String::new(), last)));
    assert_eq!(
        recover(&world.dir, &process(8)).unwrap(),
        Recovered::Nothing
    );
}

#[test]
fn recovering_leaves_a_running_consolidation_and_other_programs_alone() {
    let world = World::new();
    assert_eq!(
        recover(&world.dir, &process(8)).unwrap(),
        Recovered::Nothing
    );
    assert!(!world.guard().exists());
    let lock = world.locked(7, now());
    assert_eq!(
        recover(&world.dir, &process(8)).unwrap(),
        Recovered::Running
    );
    lock.keep(now()).unwrap();
    for body in ["12", "4000"] {
        world.lock_file(body, now());
        assert_eq!(
            recover(&world.dir, &process(8)).unwrap(),
            Recovered::Nothing
        );
        assert_eq!(world.lock_state(), Some((body.to_owned(), now())));
    }
}

#[test]
fn a_holder_on_another_machine_is_not_taken_for_dead_within_the_hour() {
    let world = World::new();
    killed(&world, &Process::new(7, |_| false).host("elsewhere"), now());
    assert_eq!(
        busy(world.acquire(8, now() + minutes(59))).reason,
        BusyReason::OtherHost
    );
    assert_eq!(
        recover(&world.dir, &process(8)).unwrap(),
        Recovered::Running
    );
    assert_eq!(world.locked(8, now() + minutes(60)).previous(), None);
}

#[test]
fn a_machine_without_a_name_is_not_another_one() {
    for (holder, asker) in [("", "here"), ("here", ""), ("", "")] {
        let world = World::new();
        killed(&world, &Process::new(7, |_| false).host(holder), now());
        let asker = Process::new(8, |_| false).host(asker);
        let acquired = Lock::acquire(&world.dir, now(), &asker).unwrap();
        assert!(matches!(acquired, Acquired::Yes(_)), "{holder:?}");
    }
}

#[test]
fn a_lock_that_another_program_took_over_is_left_alone() {
    let world = World::new();
    for end in [Lock::roll_back, |lock: Lock| lock.keep(now())] {
        let lock = world.locked(7, now());
        world.lock_file("12", now() + minutes(61));
        assert_eq!(*end(lock).unwrap_err().kind(), ErrorKind::LostLock);
        assert_eq!(
            world.lock_state(),
            Some(("12".to_owned(), now() + minutes(61)))
        );
        fs::remove_file(world.dir.lock_file()).unwrap();
    }
}

#[test]
fn a_lock_file_that_somebody_deleted_is_no_fault() {
    let world = World::new();
    let lock = world.locked(7, now());
    fs::remove_file(world.dir.lock_file()).unwrap();
    lock.roll_back().unwrap();
    assert_eq!(world.lock_state(), None);
    let lock = world.locked(7, now());
    fs::remove_file(world.dir.lock_file()).unwrap();
    lock.keep(now()).unwrap();
    assert_eq!(world.lock_state(), Some((String::new(), now())));
}

#[test]
fn a_damaged_guard_and_leftovers_do_not_matter() {
    let world = World::new();
    for guard in ["", "nonsense", "state held\npid 7\n"] {
        fs::write(world.guard(), guard).unwrap();
        fs::write(world.dir.path().join(".consolidate-lock.next"), "leftover").unwrap();
        world.locked(7, now()).keep(now()).unwrap();
        assert_eq!(world.lock_state(), Some((String::new(), now())));
        assert!(!world.dir.path().join(".consolidate-lock.next").exists());
    }
}

#[test]
fn of_many_threads_exactly_one_wins() {
    let world = World::new();
    for round in 0..20 {
        // A stale lock of another program is what makes the format's own protocol fail.
        world.lock_file("12", now() - hours(2));
        let barrier = Barrier::new(16);
        let winners: Vec<Lock> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        let acquired = Lock::acquire(&world.dir, now(), &process(7)).unwrap();
                        barrier.wait();
                        acquired
                    })
                })
                .collect();
            threads
                .into_iter()
                .filter_map(|thread| match thread.join().unwrap() {
                    Acquired::Yes(lock) => Some(lock),
                    Acquired::Busy(_) => None,
                })
                .collect()
        });
        assert_eq!(winners.len(), 1, "round {round}");
    }
}

#[test]
fn this_process_lives_and_number_zero_does_not() {
    let me = Process::current();
    assert!((me.is_alive)(me.pid));
    assert!(!(me.is_alive)(0));
    assert!(!(me.is_alive)(u32::MAX));
    #[cfg(target_os = "linux")]
    {
        assert!(me.started.is_some_and(|started| started > 0));
        assert!(!me.host.is_empty());
    }
}

#[test]
fn a_lock_that_cannot_be_kept_counts_for_nothing() {
    for last in [None, Some(now() - hours(72))] {
        let world = World::new();
        if let Some(last) = last {
            world.lock_file("", last);
        }
        let lock = world.locked(7, now());
        // What stands in the way of the next lock file: a folder with something in it.
        let next = world.dir.path().join(".consolidate-lock.next");
        fs::create_dir_all(next.join("x")).unwrap();
        lock.keep(now() + minutes(1)).unwrap_err();
        // To remove the file nothing stands in the way.
        assert_eq!(world.lock_state().is_none(), last.is_none());
        fs::remove_dir_all(&next).unwrap();
        // The process lives on, and nobody waits for it.
        assert_eq!(world.locked(8, now() + minutes(2)).previous(), last);
        assert!(world.lock_state().is_none_or(|(body, _)| body.is_empty()));
        let _ = recover(&world.dir, &process(8)).unwrap();
        assert_eq!(world.lock_state().map(|(_, modified)| modified), last);
    }
}

#[test]
fn what_a_failed_keep_left_behind_is_recovered() {
    let world = World::new();
    let last = now() - hours(72);
    world.lock_file("", last);
    let lock = world.locked(7, now());
    let next = world.dir.path().join(".consolidate-lock.next");
    fs::create_dir_all(next.join("x")).unwrap();
    lock.keep(now() + minutes(1)).unwrap_err();
    fs::remove_dir_all(&next).unwrap();
    assert_eq!(
        recover(&world.dir, &process(7)).unwrap(),
        Recovered::Restored { last: Some(last) }
    );
    assert_eq!(world.lock_state(), Some((String::new(), last)));
}

#[test]
fn a_lock_from_far_ahead_is_stale_too() {
    for body in ["12", "no process"] {
        let world = World::new();
        world.lock_file(body, now() + minutes(59));
        assert!(matches!(world.acquire(7, now()), Acquired::Busy(_)));
        for ahead in [minutes(60), hours(24 * 365)] {
            world.lock_file(body, now() + ahead);
            assert!(
                matches!(world.acquire(7, now()), Acquired::Yes(_)),
                "{body}"
            );
        }
    }
}

#[test]
fn a_container_that_is_gone_is_no_other_machine() {
    let world = World::new();
    let last = now() - hours(72);
    world.lock_file("", last);
    let gone = Process::new(7, |_| true).host("container-1").boot("run-1");
    killed(&world, &gone, now());
    let next = Process::new(7, |_| true).host("container-2").boot("run-1");
    assert_eq!(
        recover(&world.dir, &next).unwrap(),
        Recovered::Restored { last: Some(last) }
    );
    // A machine that started anew since is the same one.
    killed(&world, &gone, now());
    let same = Process::new(7, |_| true).host("container-1").boot("run-2");
    assert_eq!(
        recover(&world.dir, &same).unwrap(),
        Recovered::Restored { last: Some(last) }
    );
    killed(&world, &gone, now());
    let other = Process::new(7, |_| true).host("machine-2").boot("run-3");
    assert_eq!(recover(&world.dir, &other).unwrap(), Recovered::Running);
}

#[test]
fn any_time_before_is_put_back_to_the_nanosecond() {
    let times = [
        std::time::UNIX_EPOCH - std::time::Duration::new(86_400, 5),
        std::time::UNIX_EPOCH,
        now() - std::time::Duration::from_nanos(1),
        now() + hours(24 * 365 * 20),
    ];
    for time in times {
        let world = World::new();
        world.lock_file("", time);
        // What the file system makes of it is what counts.
        let stored = world.lock_state();
        world.locked(7, now()).roll_back().unwrap();
        assert_eq!(world.lock_state(), stored);
        killed(&world, &process(7), now());
        let _ = recover(&world.dir, &process(8)).unwrap();
        assert_eq!(world.lock_state(), stored);
    }
}

#[test]
#[cfg(unix)]
fn processes_that_are_started_meanwhile_keep_no_lock() {
    let world = World::new();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100 {
                std::process::Command::new("true").status().unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            drop(world.locked(7, now()));
        }
    });
}
