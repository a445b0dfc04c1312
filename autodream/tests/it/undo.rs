//! Taking runs back, and what a crash in the middle of one leaves.

use std::fs;
use std::time::SystemTime;

use autodream::{ErrorKind, Gate, KeptReason, RunId, What, recover, runs, undo};
use memdir_index::{ENTRYPOINT, Fingerprint, Store};

use crate::directory::{Directory, body, changes, edit, line, memory};
use crate::world::{file, hours, now, process};

/// A directory after a run that created, changed, deleted and moved; and how it was before.
fn after_a_run() -> (
    Directory,
    autodream::Report,
    std::collections::BTreeMap<String, Vec<u8>>,
) {
    let directory = Directory::with(&["a", "b", "c", "d", "e", "f"]);
    directory.write("f.md", b"---\nname: f\n---\n\nnot \xff text\r\n");
    let before = directory.tree();
    let both = memory("a", &(body("a") + &body("b")));
    let report = directory.dream(&[
        ("a.md", Some(&both)),
        ("b.md", None),
        ("c.md", None),
        ("sub/c.md", Some(&directory.read("c.md"))),
        ("d.md", None),
        (
            "other.md",
            Some(&directory.read("d.md").replace("about d", "worded anew")),
        ),
        ("n.md", Some(&memory("n", "New."))),
    ]);
    assert_eq!(report.changes.len(), 6, "{report}");
    (directory, report, before)
}

#[test]
fn undone_at_once_the_directory_is_as_it_was_byte_for_byte() {
    let (directory, report, before) = after_a_run();
    assert_ne!(directory.tree(), before);
    let undone = directory.undo(&report);
    assert_eq!(directory.tree(), before);
    assert_eq!(undone.kept, []);
    assert_eq!(undone.removed, ["n.md", "other.md", "sub/c.md"]);
    assert_eq!(
        undone.restored,
        ["a.md", "b.md", "d.md", "c.md", ENTRYPOINT]
    );
    let listed = runs(&directory.world.dir).unwrap();
    assert_eq!(listed[0].undone, Some(now() + hours(2)));
    // Once more, nothing is left to do.
    let again = directory.undo(&report);
    assert_eq!(
        (again.kept, again.removed, again.restored),
        (vec![], vec![], vec![])
    );
    assert_eq!(directory.tree(), before);
}

#[test]
fn files_that_come_back_have_the_times_that_they_had() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let old = now() - hours(1_000);
    for name in ["a.md", "b.md", "c.md"] {
        let text = directory.read(name);
        file(&directory.path(name), &text, old);
    }
    let modified = |name: &str| -> SystemTime {
        fs::metadata(directory.path(name))
            .unwrap()
            .modified()
            .unwrap()
    };
    let report = directory.dream(&[
        ("a.md", Some(&memory("a", &(body("a") + "More.\n")))),
        ("b.md", None),
        ("c.md", None),
        ("z.md", Some(&directory.read("c.md"))),
    ]);
    assert_eq!(
        modified("z.md"),
        old,
        "a file that only moved is as old as it was"
    );
    assert_ne!(modified("a.md"), old);
    directory.undo(&report);
    for name in ["a.md", "b.md", "c.md"] {
        assert_eq!(modified(name), old, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn files_that_come_back_have_the_modes_that_they_had() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let mode = |name: &str| {
        fs::metadata(directory.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    for name in ["a.md", "b.md"] {
        let permissions = fs::Permissions::from_mode(0o600);
        fs::set_permissions(directory.path(name), permissions).unwrap();
    }
    let more = memory("a", &(body("a") + "More.\n"));
    let report = directory.dream(&[("a.md", Some(&more)), ("b.md", None)]);
    assert_eq!(mode("a.md"), 0o600);
    directory.undo(&report);
    assert_eq!((mode("a.md"), mode("b.md")), (0o600, 0o600));
}

#[test]
fn what_was_changed_since_stays_and_is_reported() {
    let (directory, report, _) = after_a_run();
    let by_hand = memory("a", "By hand.");
    directory.save("a.md", &by_hand);
    directory.save("b.md", &memory("b", "Written again."));
    directory.save("sub/c.md", &memory("c", "Worded anew."));
    directory.save("s.md", &memory("s", "By a session."));
    let undone = directory.undo(&report);
    let kept: Vec<(&str, &What)> = undone
        .kept
        .iter()
        .map(|kept| (&*kept.file, &kept.what))
        .collect();
    let moved = What::Moved {
        from: "sub/c.md".to_owned(),
    };
    let expected = [
        ("a.md", &What::Changed),
        ("b.md", &What::Created),
        ("c.md", &moved),
    ];
    assert_eq!(kept, expected);
    assert!(
        undone
            .kept
            .iter()
            .all(|kept| kept.reason == KeptReason::ChangedMeanwhile)
    );
    assert_eq!(undone.removed, ["n.md", "other.md"]);
    assert_eq!(undone.restored, ["d.md"]);
    assert_eq!(directory.read("a.md"), by_hand);
    assert!(directory.has("s.md") && directory.has("d.md") && !directory.has("n.md"));
    directory.check_clean();
}

#[test]
fn an_older_run_can_be_taken_back_as_far_as_it_stands() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let first = directory.dream(&[("n.md", Some(&memory("n", "New.")))]);
    let second = directory.dream(&[("a.md", Some(&memory("a", &(body("a") + "More.\n"))))]);
    let third = directory.dream(&[("a.md", Some(&memory("a", &(body("a") + "Even more.\n"))))]);
    let undone = directory.undo(&first);
    assert_eq!(
        (undone.removed, undone.kept.len()),
        (vec!["n.md".to_owned()], 0)
    );
    let undone = directory.undo(&second);
    assert_eq!((undone.restored.len(), undone.kept.len()), (0, 1));
    directory.undo(&third);
    let undone = directory.undo(&second);
    assert_eq!((undone.restored.len(), undone.kept.len()), (1, 0));
    assert_eq!(directory.read("a.md"), memory("a", &body("a")));
    directory.check_clean();
}

#[test]
fn only_runs_that_are_recorded_can_be_taken_back() {
    let directory = Directory::with(&["a"]);
    let report = directory.dream(&[("n.md", Some(&memory("n", "New.")))]);
    for name in ["", "1", "..", "../runs", "9-20260101T0000Z", "/etc", "1-"] {
        let error = undo(&directory.world.dir, &RunId::new(name), now()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::NoRun, "{name:?}");
    }
    let record = directory.path(&format!(".autodream/runs/{}/run.json", report.run));
    for damaged in ["", "{", "[]", r#"{"at":[1,0],"changes":[{}]}"#] {
        fs::write(&record, damaged).unwrap();
        assert_eq!(runs(&directory.world.dir).unwrap(), []);
        let error = undo(&directory.world.dir, &report.run, now()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::NoRun);
    }
    assert!(directory.has("n.md"));
}

#[test]
fn a_hostile_record_leads_nowhere() {
    let directory = Directory::with(&["a"]);
    let report = directory.dream(&[("n.md", Some(&memory("n", "New.")))]);
    let victim = directory.world.transcripts.join("victim.md");
    fs::write(&victim, "mine").unwrap();
    let record = directory.path(&format!(".autodream/runs/{}/run.json", report.run));
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("n.md", "../victim.md")).unwrap();
    let undone = undo(&directory.world.dir, &report.run, now()).unwrap();
    assert_eq!(undone.kept[0].file, "../victim.md");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

/// The record of a run whose writer died: it is there, and so is its mark.
fn mark_as_pending(directory: &Directory, report: &autodream::Report) {
    directory.write(&format!(".autodream/runs/{}/pending", report.run), "");
}

#[test]
fn a_run_that_was_written_and_not_marked_so_can_be_taken_back() {
    let (directory, report, before) = after_a_run();
    mark_as_pending(&directory, &report);
    assert_eq!(runs(&directory.world.dir).unwrap().len(), 1);
    // What it deleted is not taken for deleted by the person.
    let state = directory.path(".autodream/state");
    fs::remove_file(state).unwrap();
    drop(directory.begin());
    assert!(
        !directory
            .path(&format!(".autodream/runs/{}/pending", report.run))
            .exists()
    );
    directory.undo(&report);
    assert_eq!(directory.tree(), before);
}

#[test]
fn a_run_that_died_before_it_was_written_is_none() {
    let (directory, report, before) = after_a_run();
    directory.undo(&report);
    assert_eq!(directory.tree(), before);
    mark_as_pending(&directory, &report);
    assert_eq!(runs(&directory.world.dir).unwrap(), []);
    let error = undo(&directory.world.dir, &report.run, now()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NoRun);
    assert!(
        !directory
            .path(&format!(".autodream/runs/{}", report.run))
            .exists()
    );
}

#[test]
fn what_a_run_deleted_before_it_died_was_not_deleted_by_the_person() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    directory.dream(&[]);
    let state = fs::read(directory.path(".autodream/state")).unwrap();
    let gone = directory.read("a.md");
    let report = directory.dream(&[("a.md", None)]);
    // It died right after it was written: the state is that of the run before.
    fs::write(directory.path(".autodream/state"), state).unwrap();
    mark_as_pending(&directory, &report);
    let report = directory.dream(&[("a.md", Some(&gone))]);
    assert_eq!(report.kept_back, []);
    assert_eq!(changes(&report), ["changed MEMORY.md", "created a.md"]);
}

/// Leaves the journal of a run that was killed after its first file.
fn kill_in_the_middle(directory: &Directory) {
    let (old, new) = (directory.read("a.md"), memory("a", "New."));
    let (index, after) = (directory.index(), directory.index() + &line("n.md"));
    let of = |text: &str| Fingerprint::of(text.as_bytes());
    let created = memory("n", "New.");
    let steps = [
        format!("{} {}\na.md\n", of(&old), of(&new)),
        format!("absent {}\nn.md\n", of(&created)),
        format!("{} {}\n{ENTRYPOINT}\n", of(&index), of(&after)),
    ];
    directory.write(".memdir-batch/0.was", &old);
    directory.write("a.md", &new);
    directory.write(".memdir-batch/1", created);
    directory.write(".memdir-batch/2", after);
    directory.write(".memdir-batch/forward", "");
    let journal = format!("memdir-index journal 1\nbatch\n{}end\n", steps.concat());
    directory.write(".memdir-index.journal", journal);
}

#[test]
fn the_start_of_a_session_a_save_and_the_next_run_complete_what_was_interrupted() {
    type Complete = fn(&Directory);
    let ways: [Complete; 5] = [
        |directory| {
            recover(&directory.world.dir, &process(1)).unwrap();
        },
        |directory| {
            let gate = Gate::new(
                directory.world.dir.clone(),
                autodream::Transcripts::default(),
                autodream::Config::default(),
            );
            gate.recover(&process(1)).unwrap();
        },
        |directory| directory.save("s.md", &memory("s", "x")),
        |directory| drop(directory.begin()),
        |directory| drop(Store::open(directory.world.dir.path()).unwrap()),
    ];
    for complete in ways {
        let directory = Directory::with(&["a", "b"]);
        kill_in_the_middle(&directory);
        complete(&directory);
        assert!(directory.has("n.md") && !directory.has(".memdir-index.journal"));
        assert!(!directory.has(".memdir-batch"));
        assert_eq!(directory.read("a.md"), memory("a", "New."));
        directory.check_clean();
    }
}

#[test]
fn a_run_of_a_session_that_saves_while_it_is_taken_back_is_not_disturbed() {
    let (directory, report, _) = after_a_run();
    let stage = directory.begin();
    edit(
        &stage,
        &[("e.md", Some(&memory("e", &(body("e") + "More.\n"))))],
    );
    directory.undo(&report);
    let next = crate::directory::done(stage);
    assert_eq!(changes(&next), ["changed e.md"]);
    assert!(directory.has("b.md") && !directory.has("n.md"));
    directory.check_clean();
}
