//! Which transcripts count.

use std::fs;

use autodream::{Transcripts, touched_since};

use crate::world::{World, file, hours, minutes, now};

fn ids(transcripts: &Transcripts, since: Option<std::time::SystemTime>) -> Vec<String> {
    touched_since(transcripts, since)
        .sessions
        .into_iter()
        .map(|session| session.id)
        .collect()
}

#[test]
fn only_what_was_written_later_counts_and_the_latest_comes_first() {
    let world = World::new();
    let since = now() - hours(24);
    world.session("before", since - minutes(1));
    world.session("same-instant", since);
    world.session("first", since + minutes(1));
    world.session("b", now());
    world.session("a", now());
    let transcripts = Transcripts::new([&world.transcripts]);
    assert_eq!(ids(&transcripts, Some(since)), ["a", "b", "first"]);
    assert_eq!(ids(&transcripts, None).len(), 5);
}

#[test]
fn a_session_that_was_resumed_counts_again() {
    let world = World::new();
    world.session("a", now() - hours(48));
    let transcripts = Transcripts::new([&world.transcripts]);
    assert_eq!(ids(&transcripts, Some(now() - hours(24))), [""; 0]);
    world.session("a", now());
    assert_eq!(ids(&transcripts, Some(now() - hours(24))), ["a"]);
}

#[test]
fn the_current_session_and_those_of_consolidations_do_not_count() {
    let world = World::new();
    for id in ["a", "b", "c", "current", "dream"] {
        world.session(id, now());
    }
    let transcripts = Transcripts::new([&world.transcripts])
        .exclude("current")
        .exclude("dream");
    assert_eq!(ids(&transcripts, None).len(), 3);
}

#[test]
fn subagents_other_files_and_folders_do_not_count() {
    let world = World::new();
    world.session("a", now());
    world.session("agent-1", now());
    let below = world.transcripts.join("a/subagents");
    fs::create_dir_all(&below).unwrap();
    file(&below.join("agent-2.jsonl"), "{}\n", now());
    fs::create_dir(world.transcripts.join("folder.jsonl")).unwrap();
    for name in ["notes.txt", "a.jsonl.bak", ".jsonl", "a.json"] {
        file(&world.transcripts.join(name), "x", now());
    }
    assert_eq!(ids(&Transcripts::new([&world.transcripts]), None), ["a"]);
}

#[test]
fn the_folders_of_all_worktrees_count_and_a_session_in_two_of_them_once() {
    let world = World::new();
    let other = world.transcripts.with_file_name("-project-worktree");
    fs::create_dir(&other).unwrap();
    world.session("a", now() - hours(1));
    file(&other.join("a.jsonl"), "{}\n", now());
    file(&other.join("b.jsonl"), "{}\n", now());
    let transcripts = Transcripts::new([&world.transcripts, &other, &other]);
    let touched = touched_since(&transcripts, None);
    assert_eq!(ids(&transcripts, None), ["a", "b"]);
    assert_eq!(touched.sessions[0].modified, now());
    assert_eq!(touched.sessions[0].bytes, 3);
}

#[test]
fn a_missing_folder_is_no_session_and_no_fault() {
    let world = World::new();
    let touched = touched_since(&Transcripts::new([world.transcripts.join("none")]), None);
    assert_eq!((touched.sessions.len(), touched.skipped.len()), (0, 0));
}

#[cfg(unix)]
#[test]
fn links_and_names_that_are_no_text_are_left_out() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    world.session("a", now());
    std::os::unix::fs::symlink("a.jsonl", world.transcripts.join("link.jsonl")).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"\xff.jsonl");
    file(&world.transcripts.join(odd), "{}\n", now());
    let touched = touched_since(&Transcripts::new([&world.transcripts]), None);
    assert_eq!(touched.sessions.len(), 1);
    let reasons: Vec<_> = touched
        .skipped
        .iter()
        .map(|skipped| skipped.reason.as_str())
        .collect();
    assert_eq!(reasons, ["a link, expected a file"]);
    // A file in the place of a folder is reported.
    let touched = touched_since(&Transcripts::new([world.transcripts.join("a.jsonl")]), None);
    assert_eq!(touched.skipped.len(), 1);
}

#[test]
fn many_finished_sessions_do_not_hide_an_older_one() {
    let world = World::new();
    let since = now() - hours(24);
    for n in 0..100 {
        world.session(&format!("done-{n}"), since - minutes(n));
    }
    world.session("pending", since + minutes(1));
    assert_eq!(
        ids(&Transcripts::new([&world.transcripts]), Some(since)),
        ["pending"]
    );
}
