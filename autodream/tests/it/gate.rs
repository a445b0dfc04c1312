//! The gates, one after the other.

use std::fs;
use std::time::{Duration, SystemTime};

use autodream::{
    Acquired, Closed, ClosedReason, Config, Enabled, Flags, Gate, Host, Lock, Opening, Recovered,
    Settings, Transcripts, enabled,
};

use crate::world::{World, hours, minutes, now, process};

fn on() -> Enabled {
    enabled(
        &Settings::default().auto_dream_enabled(true),
        &Flags::default(),
        &Host::default(),
    )
}

fn gate(world: &World) -> Gate {
    let transcripts = Transcripts::new([&world.transcripts]).exclude("current");
    Gate::new(world.dir.clone(), transcripts, Config::default())
}

fn with_sessions(count: usize) -> World {
    let world = World::new();
    world.session("current", now());
    for n in 0..count {
        world.session(&format!("s{n}"), now() - minutes(n as u64));
    }
    world
}

#[track_caller]
fn closed(gate: &mut Gate, now: SystemTime) -> Closed {
    match gate.check(now, &on(), &process(7)).unwrap() {
        Opening::Closed(closed) => closed,
        Opening::Open(_) => panic!("open"),
    }
}

#[track_caller]
fn open(gate: &mut Gate, now: SystemTime) -> autodream::Ticket {
    match gate.check(now, &on(), &process(7)).unwrap() {
        Opening::Open(ticket) => ticket,
        Opening::Closed(closed) => panic!("{closed}"),
    }
}

#[test]
fn with_all_gates_open_the_lock_is_held_and_the_sessions_are_named() {
    let world = with_sessions(5);
    let ticket = open(&mut gate(&world), now());
    assert_eq!(ticket.sessions.len(), 5);
    assert_eq!(ticket.last, None);
    assert_eq!(world.lock_state().unwrap(), ("7".to_owned(), now()));
    ticket.lock.keep(now() + minutes(2)).unwrap();
    assert_eq!(
        world.lock_state().unwrap(),
        (String::new(), now() + minutes(2))
    );
}

#[test]
fn a_gate_that_is_off_says_what_decided_and_looks_at_nothing() {
    let world = with_sessions(9);
    let off = enabled(&Settings::default(), &Flags::default(), &Host::default());
    let Opening::Closed(closed) = gate(&world).check(now(), &off, &process(7)).unwrap() else {
        panic!("open");
    };
    assert_eq!(
        (closed.to_string().as_str(), closed.ask_again),
        (
            "off: neither the setting autoDreamEnabled nor the flag tengu_onyx_plover says on",
            None
        )
    );
    assert_eq!(world.lock_state(), None);
}

#[test]
fn less_than_a_day_after_the_last_one_it_is_too_soon() {
    let world = with_sessions(9);
    let last = now() - hours(20) - minutes(48);
    world.lock_file("", last);
    let answer = closed(&mut gate(&world), now());
    assert_eq!(answer.to_string(), "too soon: 3 h 12 min left");
    assert_eq!(answer.ask_again, Some(last + hours(24)));
    assert_eq!(
        answer.reason,
        ClosedReason::TooSoon {
            last,
            remaining: hours(3) + minutes(12)
        }
    );
    assert_eq!(open(&mut gate(&world), last + hours(24)).last, Some(last));
}

#[test]
fn too_few_sessions_are_counted_and_the_next_look_is_ten_minutes_later() {
    let world = with_sessions(4);
    let mut gate = gate(&world);
    let answer = closed(&mut gate, now());
    assert_eq!(answer.to_string(), "too few sessions: 4 of 5");
    assert_eq!(answer.ask_again, Some(now() + minutes(10)));
    world.session("fifth", now());
    let answer = closed(&mut gate, now() + minutes(9));
    assert_eq!(answer.to_string(), "looked a moment ago: 1 min left");
    assert_eq!(answer.ask_again, Some(now() + minutes(10)));
    assert_eq!(open(&mut gate, now() + minutes(10)).sessions.len(), 5);
}

#[test]
fn sessions_from_before_the_last_one_do_not_count() {
    let world = with_sessions(5);
    let last = now() - hours(30);
    world.lock_file("", last);
    for n in 0..3 {
        world.session(&format!("s{n}"), last - minutes(1));
    }
    assert_eq!(
        closed(&mut gate(&world), now()).to_string(),
        "too few sessions: 2 of 5"
    );
}

#[test]
fn a_holder_that_lives_closes_the_last_gate() {
    let world = with_sessions(5);
    let mut config = Flags::default().min_age(Duration::ZERO);
    config.consolidation.min_sessions = 5;
    let mut gate = Gate::new(
        world.dir.clone(),
        Transcripts::new([&world.transcripts]),
        Config::new(&config),
    );
    world.lock_file("12", now() - minutes(1));
    let answer = closed(&mut gate, now());
    // The time of the lock is the time that the sessions are counted from.
    assert_eq!(answer.to_string(), "too few sessions: 2 of 5");
    for n in 0..9 {
        world.session(&format!("s{n}"), now());
    }
    let answer = closed(&mut gate, now() + minutes(10));
    assert_eq!(
        answer.to_string(),
        "locked: another program consolidates (process 12)"
    );
    assert_eq!(answer.ask_again, Some(now() - minutes(1) + minutes(60)));
}

#[test]
fn a_lock_that_is_a_link_or_a_folder_is_busy() {
    let world = with_sessions(5);
    fs::create_dir(world.dir.lock_file()).unwrap();
    let answer = closed(&mut gate(&world), now());
    assert_eq!(
        answer.to_string(),
        "locked: the lock cannot be read: it is no regular file"
    );
    assert_eq!(answer.ask_again, Some(now() + minutes(10)));
}

#[test]
fn a_ticket_that_is_dropped_leaves_the_gates_as_they_were() {
    let world = with_sessions(5);
    let last = now() - hours(30);
    world.lock_file("", last);
    drop(open(&mut gate(&world), now()));
    assert_eq!(world.lock_state().unwrap(), (String::new(), last));
    assert_eq!(open(&mut gate(&world), now() + minutes(1)).last, Some(last));
}

#[test]
fn a_run_that_was_killed_does_not_count_once_it_is_recovered() {
    let world = with_sessions(5);
    let last = now() - hours(72);
    world.lock_file("", last);
    // What a process that is killed leaves: its number, and the record with the time before.
    let ticket = open(&mut gate(&world), now());
    let record = fs::read(world.guard()).unwrap();
    let held = world.lock_state().unwrap();
    drop(ticket);
    world.lock_file(&held.0, held.1);
    fs::write(world.guard(), record).unwrap();

    let mut next = gate(&world);
    assert_eq!(
        closed(&mut next, now() + minutes(1)).to_string(),
        "too soon: 23 h 59 min left"
    );
    assert_eq!(
        next.recover(&process(8)).unwrap(),
        Recovered::Restored { last: Some(last) }
    );
    assert_eq!(next.recover(&process(8)).unwrap(), Recovered::Nothing);
    assert_eq!(open(&mut next, now() + minutes(1)).last, Some(last));
}

#[test]
fn somebody_who_finished_between_the_first_gate_and_the_last_closes_it() {
    let world = with_sessions(5);
    // Two sessions pass the first gates together; one of them is done before the other asks for
    // the lock. The lock tells.
    let lock = world.locked(9, now());
    lock.keep(now()).unwrap();
    let answer = closed(&mut gate(&world), now() + minutes(1));
    assert!(matches!(answer.reason, ClosedReason::TooSoon { .. }));
}

#[test]
fn after_a_person_stopped_it_the_gates_stay_closed_for_the_session() {
    let world = with_sessions(5);
    let mut first = gate(&world);
    drop(open(&mut first, now()));
    first.hold();
    let answer = closed(&mut first, now() + hours(99));
    assert_eq!(
        (answer.to_string().as_str(), answer.ask_again),
        ("stopped: until the next session", None)
    );
    drop(open(&mut gate(&world), now()));
}

#[test]
fn clocks_that_jump_close_nothing_for_long() {
    let world = with_sessions(5);
    // The stamp of a clock that ran a year ahead.
    world.lock_file("", now() + hours(24 * 365));
    assert_eq!(open(&mut gate(&world), now()).last, None);
    // A little ahead is a clock that was corrected.
    world.lock_file("", now() + minutes(5));
    assert_eq!(
        closed(&mut gate(&world), now()).to_string(),
        "too soon: 1 d left"
    );
    // Set back within a session, the throttle does not wait for the old time.
    let few = with_sessions(1);
    let mut gate = gate(&few);
    closed(&mut gate, now());
    assert_eq!(
        closed(&mut gate, now() - hours(5)).to_string(),
        "too few sessions: 1 of 5"
    );
}

#[test]
fn without_a_memory_directory_there_is_nothing_to_consolidate() {
    let world = with_sessions(5);
    fs::remove_dir(world.dir.path()).unwrap();
    let error = gate(&world).check(now(), &on(), &process(7)).unwrap_err();
    assert_eq!(*error.kind(), autodream::ErrorKind::NoDirectory);
    assert!(!world.dir.path().exists());
}

#[test]
fn a_look_tells_all_gates_and_changes_nothing() {
    let world = with_sessions(5);
    let last = now() - hours(30);
    world.lock_file("", last);
    let mut gate = gate(&world);
    let outlook = gate.look(now(), &on(), &process(7));
    assert_eq!(
        (outlook.closed, outlook.last, outlook.touched.sessions.len()),
        (None, Some(last), 5)
    );
    assert!(!world.guard().exists());
    let ticket = open(&mut gate, now());
    let outlook = gate.look(now() + minutes(1), &on(), &process(8));
    assert_eq!(
        outlook.busy.map(|busy| busy.to_string()).as_deref(),
        Some("another consolidation runs (process 7)")
    );
    ticket.lock.keep(now()).unwrap();
    let outlook = gate.look(now() + hours(1), &on(), &process(8));
    assert_eq!(
        outlook.closed.map(|closed| closed.to_string()).as_deref(),
        Some("too soon: 23 h left")
    );
    assert_eq!(outlook.busy, None);
}

#[test]
fn sessions_that_somebody_went_through_meanwhile_are_not_gone_through_again() {
    let world = with_sessions(5);
    let config = Config::new(&Flags::default().min_age(Duration::ZERO));
    let transcripts = Transcripts::new([world.transcripts.as_path()]);
    let mut eager = Gate::new(world.dir.clone(), transcripts, config);
    // The stamp is a little ahead: another clock. That is no reason to start from the beginning.
    world.lock_file("", now() + minutes(5));
    assert!(matches!(
        closed(&mut eager, now()).reason,
        ClosedReason::TooSoon { .. }
    ));
    assert!(matches!(
        closed(&mut eager, now() + minutes(6)).reason,
        ClosedReason::TooFewSessions { found: 0, .. }
    ));
}

#[test]
fn after_one_that_died_all_sessions_since_the_one_before_are_named() {
    let world = with_sessions(6);
    let last = now() - hours(24 * 30);
    world.lock_file("", last);
    // It died two days ago, after all sessions but the latest five.
    let Acquired::Yes(lock) = Lock::acquire(&world.dir, now() - hours(48), &process(9)).unwrap()
    else {
        panic!("busy");
    };
    let record = fs::read(world.guard()).unwrap();
    drop(lock);
    fs::write(world.guard(), record).unwrap();
    world.session("before-it-died", now() - hours(72));
    world.lock_file("9", now() - hours(48));
    let ticket = open(&mut gate(&world), now());
    assert_eq!(ticket.last, Some(last));
    assert!(ticket.sessions.iter().any(|s| s.id == "before-it-died"));
}

#[test]
fn sessions_that_are_left_out_later_do_not_count_either() {
    let world = with_sessions(5);
    let mut gate = gate(&world);
    gate.exclude("s2");
    let closed = closed(&mut gate, now());
    assert_eq!(closed.to_string(), "too few sessions: 4 of 5");
}
