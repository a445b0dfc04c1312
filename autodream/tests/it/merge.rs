//! Sessions that save while a run lasts, what the person deleted or rejected, and idle runs.

use autodream::{
    KeptReason, LossLimits, RecognizedBy, Repair, StageOptions, Transcripts, touched_since,
};
use memdir_index::{Durability, ENTRYPOINT, Store, StoreOptions};
use memdir_types::{Audience, Memory, gate};

use crate::directory::{Directory, body, changes, done, edit, kept, line, memory, staged_index};
use crate::world::now;

#[test]
fn what_a_session_saves_meanwhile_is_there_afterwards_with_its_line() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let stage = directory.begin();
    let index = format!(
        "# Tidied\n\n{}",
        directory.index().replace(&line("e.md"), "")
    );
    edit(
        &stage,
        &[
            ("a.md", Some(&memory("a", &(body("a") + "By the run.\n")))),
            ("b.md", None),
            ("e.md", None),
            (
                "c.md",
                Some(&memory("c", &(body("c") + &body("b") + &body("e")))),
            ),
            (ENTRYPOINT, Some(&index)),
        ],
    );
    // Meanwhile: one changed that the run changed, one that it deletes, and a new one.
    let session = memory("a", &(body("a") + "By a session.\n"));
    directory.save("a.md", &session);
    let still_needed = memory("b", "Still needed.");
    directory.save("b.md", &still_needed);
    directory.save("s.md", &memory("s", "From a session."));
    let report = done(stage);
    assert_eq!(
        changes(&report),
        ["changed MEMORY.md", "changed c.md", "deleted e.md"]
    );
    let meanwhile = &KeptReason::ChangedMeanwhile;
    assert_eq!(kept(&report), [("a.md", meanwhile), ("b.md", meanwhile)]);
    assert_eq!(directory.read("a.md"), session);
    assert_eq!(directory.read("b.md"), still_needed);
    let index = directory.index();
    assert!(index.starts_with("# Tidied\n\n"), "{index}");
    for file in ["a.md", "b.md", "c.md", "d.md", "s.md"] {
        assert_eq!(
            index.matches(&format!("({file})")).count(),
            1,
            "{file}:\n{index}"
        );
    }
    directory.check_clean();
}

#[test]
fn what_a_session_deletes_or_renames_meanwhile_stays_so() {
    let directory = Directory::with(&["a", "b", "c", "d"]);
    let stage = directory.begin();
    edit(
        &stage,
        &[
            ("a.md", Some(&memory("a", &(body("a") + "By the run.\n")))),
            ("d.md", Some(&memory("d", &(body("d") + "By the run.\n")))),
            (
                ENTRYPOINT,
                Some(&("# Tidied\n".to_owned() + &directory.index())),
            ),
        ],
    );
    let store = Store::open(directory.world.dir.path()).unwrap();
    store.remove("a.md", None).unwrap();
    store.rename("b.md", "sub/b.md").unwrap();
    let report = done(stage);
    assert_eq!(changes(&report), ["changed MEMORY.md", "changed d.md"]);
    assert_eq!(kept(&report), [("a.md", &KeptReason::ChangedMeanwhile)]);
    assert!(!directory.has("a.md") && directory.has("sub/b.md"));
    directory.check_clean();
}

#[test]
fn the_same_change_by_both_is_no_conflict() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let stage = directory.begin();
    let new = memory("a", &(body("a") + "Both.\n"));
    let created = memory("n", "Both.");
    edit(
        &stage,
        &[
            ("a.md", Some(&new)),
            ("e.md", None),
            ("n.md", Some(&created)),
        ],
    );
    directory.save("a.md", &new);
    directory.save("n.md", &created);
    Store::open(directory.world.dir.path())
        .unwrap()
        .remove("e.md", None)
        .unwrap();
    let report = done(stage);
    assert!(report.is_empty() && report.kept_back.is_empty(), "{report}");
    directory.check_clean();
}

#[test]
fn a_name_that_a_session_took_meanwhile_is_the_sessions() {
    let directory = Directory::with(&["a"]);
    let stage = directory.begin();
    edit(&stage, &[("n.md", Some(&memory("n", "By the run.")))]);
    let session = memory("n", "By a session.");
    directory.save("n.md", &session);
    let report = done(stage);
    assert_eq!(kept(&report), [("n.md", &KeptReason::ChangedMeanwhile)]);
    assert_eq!(directory.read("n.md"), session);
    directory.check_clean();
}

#[test]
fn an_index_that_another_program_writes_meanwhile_keeps_its_lines_and_its_prose() {
    let directory = Directory::with(&["a", "b"]);
    let stage = directory.begin();
    let index = "# By the run\n".to_owned() + &directory.index();
    edit(&stage, &[(ENTRYPOINT, Some(&index))]);
    directory.write("c.md", memory("c", "by hand"));
    let theirs = directory.index().replace("about b", "worded anew") + &line("c.md") + "By hand.\n";
    directory.write(ENTRYPOINT, theirs);
    done(stage);
    let b = line("b.md").replace("about b", "worded anew");
    let expected = format!(
        "# By the run\n{}{b}{}By hand.\n",
        line("a.md"),
        line("c.md")
    );
    assert_eq!(directory.index(), expected);
}

#[test]
fn what_the_person_deleted_does_not_come_back_by_name_title_or_text() {
    let directory = Directory::with(&["a", "b", "c", "d"]);
    directory.dream(&[]);
    let gone = directory.read("a.md");
    directory.remove("a.md");
    directory.write(ENTRYPOINT, directory.index().replace(&line("a.md"), ""));
    let by = |by| KeptReason::Rejected { by };
    let title = memory("A!", "Other words.");
    let text = gone.replace("name: a", "name: other");
    let stage = directory.begin();
    edit(
        &stage,
        &[
            ("a.md", Some(&memory("z", "Other words."))),
            ("title.md", Some(&title)),
            ("text.md", Some(&text)),
            ("new.md", Some(&memory("new", "Other words."))),
        ],
    );
    let report = done(stage);
    assert_eq!(changes(&report), ["changed MEMORY.md", "created new.md"]);
    let expected = [
        ("a.md", &by(RecognizedBy::File)),
        ("text.md", &by(RecognizedBy::Body)),
        ("title.md", &by(RecognizedBy::Title)),
    ];
    assert_eq!(kept(&report), expected);
    directory.check_clean();
    // The next run knows it too, until the person wants it again.
    let report = directory.dream(&[("text.md", Some(&text))]);
    assert_eq!(kept(&report), [("text.md", &by(RecognizedBy::Body))]);
    directory.save("a.md", &gone);
    directory.dream(&[]);
    directory.remove("a.md");
    directory.save("a.md", &gone);
    let report = directory.dream(&[("text.md", Some(&text))]);
    assert_eq!(report.kept_back, []);
}

#[test]
fn what_the_person_only_moved_was_not_deleted() {
    let directory = Directory::with(&["a", "b"]);
    directory.dream(&[]);
    Store::open(directory.world.dir.path())
        .unwrap()
        .rename("a.md", "z.md")
        .unwrap();
    let report = directory.dream(&[("a.md", Some(&memory("again", "New.")))]);
    assert_eq!(report.kept_back, []);
}

#[test]
fn what_a_run_deleted_itself_may_come_back() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let gone = directory.read("a.md");
    directory.dream(&[("a.md", None)]);
    let report = directory.dream(&[("a.md", Some(&gone))]);
    assert_eq!(changes(&report), ["changed MEMORY.md", "created a.md"]);
}

#[test]
fn a_run_that_was_undone_does_not_repeat_itself() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let created = memory("n", "By the run.");
    let changed = memory("a", &(body("a") + "By the run.\n"));
    let edits: [(&str, Option<&str>); 2] = [("a.md", Some(&changed)), ("n.md", Some(&created))];
    let report = directory.dream(&edits);
    directory.undo(&report);
    let report = directory.dream(&edits);
    let by = |by| KeptReason::Rejected { by };
    let expected = [
        ("a.md", &by(RecognizedBy::Body)),
        ("n.md", &by(RecognizedBy::File)),
    ];
    assert_eq!(kept(&report), expected);
    assert!(report.is_empty());
}

#[test]
fn a_run_is_idle_if_nothing_happened_since_the_last() {
    let directory = Directory::with(&["a", "b"]);
    assert!(!directory.begin().is_idle(&[]), "there was no run yet");
    directory.dream(&[("c.md", Some(&memory("c", "x")))]);
    assert!(directory.begin().is_idle(&[]));
    // A session, a log, a memory, a line, a memory that is gone.
    directory.world.session("s", now());
    let touched = touched_since(&Transcripts::new([&directory.world.transcripts]), None);
    assert!(!directory.begin().is_idle(&touched.sessions));
    directory.write("logs/2026/01/2026-01-02.md", "- 10:00 said\n");
    assert!(!directory.begin().is_idle(&[]));
    directory.dream(&[]);
    assert!(directory.begin().is_idle(&[]));
    directory.save("s.md", &memory("s", "x"));
    assert!(!directory.begin().is_idle(&[]));
    directory.dream(&[]);
    directory.write(ENTRYPOINT, directory.index() + "# by hand\n");
    assert!(!directory.begin().is_idle(&[]));
    directory.dream(&[]);
    directory.remove("b.md");
    assert!(!directory.begin().is_idle(&[]));
}

#[test]
fn what_a_session_saved_while_a_run_lasted_is_news_to_the_next() {
    let directory = Directory::with(&["a", "b"]);
    let stage = directory.begin();
    edit(&stage, &[("c.md", Some(&memory("c", "x")))]);
    directory.save("a.md", &memory("a", "By a session."));
    done(stage);
    assert!(!directory.begin().is_idle(&[]));
}

#[test]
fn a_directory_without_memories_and_logs_is_idle_from_the_start() {
    let directory = Directory::with(&[]);
    directory.remove(ENTRYPOINT);
    assert!(directory.begin().is_idle(&[]));
    let report = directory.dream(&[("a.md", Some(&memory("a", "First.")))]);
    assert_eq!(changes(&report), ["created MEMORY.md", "created a.md"]);
    let added = Repair::LineAdded {
        file: "a.md".to_owned(),
    };
    assert_eq!(report.repairs, [added]);
    directory.undo(&report);
    assert_eq!(directory.tree().len(), 0);
}

#[test]
fn a_memory_that_cannot_be_staged_any_more_was_not_deleted() {
    let directory = Directory::with(&["a", "b"]);
    directory.dream(&[]);
    let text = directory.read("a.md");
    directory.write("a.md", "x".repeat(5_000_000));
    directory.dream(&[]);
    directory.remove("a.md");
    directory.write("a.md", &text);
    let report = directory.dream(&[("z.md", Some(&text)), ("a.md", None)]);
    assert_eq!(report.kept_back, []);
}

/// Sessions that never stop saving while runs come and go and are taken back.
#[test]
fn no_session_loses_an_entry_to_any_number_of_runs() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let store = StoreOptions::default().durability(Durability::ProcessDeath);
    let limits = LossLimits::all(100);
    let options = StageOptions::default().store(store.clone()).loss(limits);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (directory, store) = (&directory, store.clone());
            scope.spawn(move || {
                for n in 0..12 {
                    let name = format!("s{thread}x{n}");
                    let text = memory(&name, &format!("From {name}."));
                    let cleared = gate(&Memory::parse(&text), Audience::Private).unwrap();
                    let store = Store::open_with(directory.world.dir.path(), store.clone());
                    let store = store.unwrap();
                    store.save_as(&format!("{name}.md"), cleared, None).unwrap();
                }
            });
        }
        for n in 0..8 {
            let stage = directory.begin_with(&options);
            // The index anew, as a run words it that sees none of what comes meanwhile.
            let index = staged_index(&stage);
            let lines: Vec<&str> = index.lines().rev().collect();
            let index = format!("# Run {n}\n{}\n", lines.join("\n"));
            let text = memory("a", &format!("By run {n}."));
            let new = memory(&format!("n{n}"), &format!("By run {n} as well."));
            edit(&stage, &[("a.md", Some(&text)), (ENTRYPOINT, Some(&index))]);
            edit(&stage, &[(&format!("n{n}.md"), Some(&new))]);
            let report = done(stage);
            if n % 3 == 0 {
                directory.undo(&report);
            }
        }
    });
    let index = directory.index();
    for thread in 0..3 {
        for n in 0..12 {
            let name = format!("s{thread}x{n}");
            let listed = index.matches(&format!("({name}.md)")).count();
            assert_eq!(listed, 1, "{name}:\n{index}");
            assert!(
                directory
                    .read(&format!("{name}.md"))
                    .contains(&format!("From {name}."))
            );
        }
    }
    directory.check_clean();
}
