//! A consolidation as a transaction: the copy, the commit, the report.

use std::fs;

use autodream::{ErrorKind, LossLimits, Repair, Stage, StageOptions, What, runs};
use memdir_index::{ENTRYPOINT, Store, StoreOptions, Wait};
use memdir_paths::MemoryDir;

use crate::directory::{Directory, body, changes, done, edit, line, memory, refused, tree};
use crate::world::{file, hours, now};

#[test]
fn the_copy_has_memories_index_and_logs_with_their_times_and_nothing_else() {
    let directory = Directory::with(&["a", "b"]);
    directory.write("sub/c.md", memory("c", "text"));
    directory.write("logs/2026/01/2026-01-02.md", "- 10:00 said\n");
    directory.write("team/t.md", memory("t", "theirs"));
    directory.write("notes.txt", "no memory");
    directory.write(".hidden.md", "no memory");
    file(
        &directory.path("a.md"),
        &memory("a", "old"),
        now() - hours(1000),
    );
    let stage = directory.begin();
    let names: Vec<String> = tree(stage.path()).into_keys().collect();
    let expected = [
        ENTRYPOINT,
        "a.md",
        "b.md",
        "logs/2026/01/2026-01-02.md",
        "sub/c.md",
    ];
    assert_eq!(names, expected);
    let modified = fs::metadata(stage.path().join("a.md")).unwrap().modified();
    assert_eq!(modified.unwrap(), now() - hours(1000));
    assert!(stage.left_out().is_empty());
}

#[test]
fn a_copy_that_is_dropped_or_discarded_leaves_the_directory_as_it_was() {
    let directory = Directory::with(&["a"]);
    let before = directory.tree();
    let stage = directory.begin();
    edit(&stage, &[("a.md", Some("rubbish")), ("b.md", Some("more"))]);
    let path = stage.path().to_owned();
    drop(stage);
    assert!(!path.exists());
    let stage = directory.begin();
    edit(&stage, &[("a.md", None)]);
    stage.discard().unwrap();
    assert!(!path.exists());
    assert_eq!(directory.tree(), before);
    assert_eq!(runs(&directory.world.dir).unwrap(), []);
}

#[test]
fn what_a_run_that_died_left_behind_is_cleared_away() {
    let directory = Directory::with(&["a"]);
    directory.write(".autodream/stage/old.md", "left behind");
    let stage = directory.begin();
    assert!(!stage.path().join("old.md").exists());
    assert_eq!(changes(&done(stage)), [] as [&str; 0]);
}

#[test]
fn the_copy_can_be_elsewhere() {
    let directory = Directory::with(&["a"]);
    let place = directory.world.transcripts.join("place");
    let stage = directory.begin_with(&StageOptions::default().place(&place));
    assert!(stage.path().starts_with(&place) && !directory.path(".autodream/stage").exists());
    edit(&stage, &[("b.md", Some(&memory("b", "new")))]);
    assert_eq!(changes(&done(stage)), ["changed MEMORY.md", "created b.md"]);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
}

#[test]
fn created_changed_deleted_and_moved_files_are_written_and_reported_with_their_lines() {
    let directory = Directory::with(&["a", "b", "c", "d", "e", "f", "g", "h"]);
    let changed = memory("a", &body("a").replace("Fact 2", "Certainty 2"));
    let index = directory
        .index()
        .replace("(c.md)", "(sub/c.md)")
        .replace(&line("b.md"), "");
    let both = memory("d", &(body("d") + &body("b")));
    let report = directory.dream(&[
        ("a.md", Some(&changed)),
        ("b.md", None),
        ("c.md", None),
        ("sub/c.md", Some(&directory.read("c.md"))),
        ("d.md", Some(&both)),
        ("new.md", Some(&memory("new", "something"))),
        (ENTRYPOINT, Some(&(index + "- [new](new.md) — about new\n"))),
    ]);
    let expected = [
        "changed MEMORY.md",
        "changed a.md",
        "deleted b.md",
        "changed d.md",
        "created new.md",
        "moved c.md to sub/c.md",
    ];
    assert_eq!(changes(&report), expected);
    assert_eq!(report.kept_back, []);
    assert_eq!(report.repairs, []);
    assert_eq!(directory.read("a.md"), changed);
    assert!(!directory.has("b.md") && !directory.has("c.md") && directory.has("sub/c.md"));
    directory.check_clean();
    assert!(!directory.path(".autodream/stage").exists());
    let text = report.to_string();
    assert!(
        text.contains("    -Fact 2 of a is that a2 holds for a."),
        "{text}"
    );
    assert!(
        text.contains("    +Certainty 2 of a is that a2 holds for a."),
        "{text}"
    );
    let runs = runs(&directory.world.dir).unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(
        (&runs[0].id, &runs[0].changes, runs[0].undone),
        (&report.run, &report.changes, None)
    );
}

#[test]
fn a_run_that_changes_nothing_is_no_run_to_undo() {
    let directory = Directory::with(&["a"]);
    let before = directory.tree();
    let report = directory.dream(&[]);
    assert!(report.is_empty());
    assert_eq!(report.to_string(), "Nothing changed.\n");
    assert_eq!(directory.tree(), before);
    assert_eq!(runs(&directory.world.dir).unwrap(), []);
}

#[test]
fn a_review_says_what_a_commit_would_do_and_writes_nothing() {
    let directory = Directory::with(&["a", "b", "c"]);
    let before = directory.tree();
    let stage = directory.begin();
    edit(
        &stage,
        &[
            ("a.md", None),
            ("b.md", Some(&memory("b", &(body("b") + &body("a"))))),
        ],
    );
    let review = stage.review().unwrap();
    assert_eq!(
        changes(&review.report),
        ["changed MEMORY.md", "deleted a.md", "changed b.md"]
    );
    assert_eq!(review.refused, []);
    assert_eq!(directory.tree(), before);
    assert_eq!(runs(&directory.world.dir).unwrap(), []);
    let report = done(stage);
    assert_eq!(changes(&report), changes(&review.report));
}

#[test]
fn lines_of_the_index_are_put_right_where_there_is_one_way_to() {
    let directory = Directory::with(&["a", "b", "c", "d"]);
    let both = memory("b", &(body("b") + &body("a")));
    // One goes and its line stays; one comes and has none; one moves and its line does not.
    let report = directory.dream(&[
        ("a.md", None),
        ("b.md", Some(&both)),
        ("e.md", Some(&memory("e", "new"))),
        ("c.md", None),
        ("f.md", Some(&directory.read("c.md"))),
    ]);
    let expected = [
        Repair::LineDropped {
            file: "a.md".to_owned(),
        },
        Repair::LineAdded {
            file: "e.md".to_owned(),
        },
    ];
    assert_eq!(report.repairs, expected);
    let index = [
        line("b.md"),
        "- [c](f.md) — about c\n".into(),
        line("d.md"),
        line("e.md"),
    ];
    assert_eq!(directory.index(), index.concat());
    directory.check_clean();
}

#[test]
fn orphans_and_lines_without_a_file_that_were_there_before_may_stay() {
    let directory = Directory::with(&["a"]);
    directory.write("orphan.md", memory("orphan", "text"));
    let index = directory.index() + "- [gone](gone.md)\n# kept\n";
    directory.write(ENTRYPOINT, &index);
    let report = directory.dream(&[("b.md", Some(&memory("b", "new")))]);
    let added = Repair::LineAdded {
        file: "b.md".to_owned(),
    };
    assert_eq!(report.repairs, [added]);
    let expected = line("a.md") + "- [gone](gone.md)\n" + &line("b.md") + "# kept\n";
    assert_eq!(directory.index(), expected);
}

#[cfg(unix)]
#[cfg(unix)]
#[test]
fn a_directory_that_is_not_there_or_planted_or_busy_is_an_error_of_its_kind() {
    let directory = Directory::with(&["a"]);
    let options = StageOptions::default();
    let missing = MemoryDir::new(directory.path("none"));
    let error = Stage::begin(&missing, &options, now()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NoDirectory);
    let busy = options
        .clone()
        .store(StoreOptions::default().wait(Wait::Never));
    let store = Store::open(directory.world.dir.path()).unwrap();
    let held = store.exclusive().unwrap();
    let error = Stage::begin(&directory.world.dir, &busy, now()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Index);
    drop(held);
    // A file in the place of our folder: this is also what a full or read-only disk comes to.
    directory.write(".autodream", "in the way");
    let before = directory.tree();
    let error = Stage::begin(&directory.world.dir, &options, now()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotAFolder);
    assert_eq!(directory.tree(), before);
}

#[test]
fn a_commit_that_cannot_be_recorded_or_written_leaves_the_directory_as_before() {
    for in_the_way in [".autodream/runs", ".memdir-index.lock"] {
        let directory = Directory::with(&["a", "b"]);
        let before = directory.tree();
        let stage = directory.begin();
        edit(&stage, &[("c.md", Some(&memory("c", "new")))]);
        match in_the_way {
            ".autodream/runs" => directory.write(in_the_way, "a file"),
            _ => {
                directory.remove(in_the_way);
                directory.write(&format!("{in_the_way}/x"), "a folder");
            }
        }
        let error = stage.commit(now()).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::NotAFolder | ErrorKind::Index),
            "{error}"
        );
        assert_eq!(directory.tree(), before);
        let path = directory.path(in_the_way);
        match path.is_dir() {
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
        assert_eq!(runs(&directory.world.dir).unwrap(), []);
        assert_eq!(
            directory
                .dream(&[("c.md", Some(&memory("c", "new")))])
                .changes
                .len(),
            2
        );
    }
}

#[test]
fn only_the_last_runs_are_kept_whatever_the_clock_says() {
    let directory = Directory::with(&["a"]);
    let mut ids = Vec::new();
    for n in 0..5 {
        let stage = Stage::begin(&directory.world.dir, &StageOptions::default(), now()).unwrap();
        edit(
            &stage,
            &[(&format!("n{n}.md"), Some(&memory(&format!("n{n}"), "x")))],
        );
        // A clock that goes backwards.
        let report = match stage.commit(now() - hours(n)).unwrap() {
            autodream::Committed::Done(report) => report,
            other => panic!("{other:?}"),
        };
        ids.push(report.run);
    }
    let listed: Vec<_> = runs(&directory.world.dir)
        .unwrap()
        .into_iter()
        .map(|run| run.id)
        .collect();
    ids.reverse();
    assert_eq!(listed, ids[..3]);
    assert_eq!(ids[0].as_str(), "5-20260528T1626Z");
    assert_eq!(
        fs::read_dir(directory.path(".autodream/runs"))
            .unwrap()
            .count(),
        3
    );
}

#[test]
fn a_result_that_is_refused_leaves_the_directory_as_it_was() {
    let directory = Directory::with(&["a", "b"]);
    let before = directory.tree();
    let stage = directory.begin_with(&StageOptions::default().loss(LossLimits::all(0)));
    edit(&stage, &[("a.md", None)]);
    assert!(!refused(stage).refused.is_empty());
    assert_eq!(directory.tree(), before);
    assert!(!directory.path(".autodream/stage").exists());
}

/// A night's work that nobody saw: it is refused, and every file is named.
#[test]
fn a_run_that_deletes_twenty_three_files_is_refused_and_names_each_of_them() {
    let names: Vec<String> = (0..40).map(|n| format!("n{n:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let directory = Directory::with(&names);
    let before = directory.tree();
    let stage = directory.begin();
    for name in &names[..23] {
        edit(&stage, &[(&format!("{name}.md"), None)]);
    }
    let review = refused(stage);
    let deleted = review
        .report
        .changes
        .iter()
        .filter(|change| change.what == What::Deleted);
    let deleted: Vec<String> = deleted.map(|change| change.file.clone()).collect();
    let expected: Vec<String> = names[..23]
        .iter()
        .map(|name| format!("{name}.md"))
        .collect();
    assert_eq!(deleted, expected);
    assert_eq!(directory.tree(), before);
    // Asked for, it is done, recorded, and taken back with one call.
    let stage = directory.begin_with(&StageOptions::default().loss(LossLimits::all(100)));
    for name in &names[..23] {
        edit(&stage, &[(&format!("{name}.md"), None)]);
    }
    let report = done(stage);
    assert_eq!(report.changes.len(), 24);
    directory.undo(&report);
    assert_eq!(directory.tree(), before);
}

#[cfg(unix)]
#[cfg(feature = "serde")]
#[test]
fn reports_reviews_runs_and_undos_are_written_and_read_back() {
    #[track_caller]
    fn check<T>(value: &T)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let text = serde_json::to_string(value).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value);
    }
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    directory.write("large.md", "x".repeat(5_000_000));
    let stage = directory.begin_with(&StageOptions::default().pinned("b.md"));
    edit(
        &stage,
        &[
            ("a.md", None),
            ("z.md", Some(&directory.read("a.md"))),
            ("b.md", Some("x")),
            ("c.md", Some("no frontmatter")),
            ("d.md", None),
            ("e.md", None),
            ("n.md", Some(&memory("n", "new"))),
        ],
    );
    let review = stage.review().unwrap();
    assert!(review.refused.len() > 1 && !review.report.kept_back.is_empty());
    check(&review);
    check(&autodream::Committed::Refused(review));
    drop(stage);
    let report = directory.dream(&[("n.md", Some(&memory("n", "new")))]);
    check(&report);
    check(&runs(&directory.world.dir).unwrap());
    check(&autodream::Committed::Done(report.clone()));
    directory.save("n.md", &memory("n", "changed"));
    let undone = directory.undo(&report);
    assert_eq!(undone.kept.len(), 1);
    check(&undone);
    check(&LossLimits::default());
}
