//! Which files a run may write: names, links, pinned memories, what is left out.

use std::collections::BTreeMap;
use std::fs;

use autodream::{KeptReason, LossLimits, StageOptions, runs};
use memdir_index::{ENTRYPOINT, Store};

use crate::directory::{Directory, body, changes, done, edit, kept, line, memory, put};

#[test]
fn pinned_memories_logs_and_what_is_no_memory_are_kept_back_and_the_rest_goes_on() {
    let directory = Directory::with(&["a", "b", "c", "d"]);
    let pinned = memory("b", &body("b")).replace("type:", "metadata:\n  pinned: true\ntype:");
    directory.write("b.md", &pinned);
    let log = "logs/2026/01/2026-01-02.md";
    directory.write(log, "- 10:00 said\n");
    let stage = directory.begin_with(&StageOptions::default().pinned("./a.md"));
    assert_eq!(stage.pinned(), ["a.md", "b.md"]);
    edit(
        &stage,
        &[
            ("a.md", None),
            ("b.md", Some(&memory("b", "rewritten"))),
            (log, Some("rewritten")),
            ("logs/2026/01/2026-01-03.md", Some("invented")),
            ("script.sh", Some("rm")),
            (".hidden.md", Some("hidden")),
            ("team/x.md", Some(&memory("x", "theirs"))),
            (
                "d.md",
                Some(&memory("d", &(body("d") + "One fact more.\n"))),
            ),
            (
                ENTRYPOINT,
                Some(&directory.index().replace(&line("a.md"), "")),
            ),
        ],
    );
    let report = done(stage);
    assert_eq!(changes(&report), ["changed d.md"]);
    let kept: Vec<&str> = kept(&report).into_iter().map(|(file, _)| file).collect();
    let expected = [
        ".hidden.md",
        "a.md",
        "b.md",
        log,
        "logs/2026/01/2026-01-03.md",
        "script.sh",
        "team/x.md",
    ];
    assert_eq!(kept, expected);
    assert_eq!(directory.read("b.md"), pinned);
    assert_eq!(directory.read(log), "- 10:00 said\n");
    assert!(!directory.has("script.sh") && !directory.has("team/x.md"));
    directory.check_clean();
}

#[test]
fn text_goes_nowhere_if_the_memory_that_takes_it_in_is_kept_back() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let stage = directory.begin_with(&StageOptions::default().pinned("b.md"));
    let both = memory("b", &(body("b") + &body("a")));
    edit(&stage, &[("a.md", None), ("b.md", Some(&both))]);
    let report = done(stage);
    let together = KeptReason::Together {
        file: "b.md".to_owned(),
    };
    assert_eq!(
        kept(&report),
        [("a.md", &together), ("b.md", &KeptReason::Pinned)]
    );
    assert!(report.is_empty() && directory.has("a.md"));
    directory.check_clean();
}

#[test]
fn names_that_no_memory_may_have_are_kept_back() {
    let directory = Directory::with(&["a", "b"]);
    let stage = directory.begin();
    let mut names = vec!["memory.md", "aux.md", "~x.md", "a.md/b.md"];
    if cfg!(unix) {
        names.extend(["back\\slash.md", "line\nbreak.md", "pipe|.md"]);
    }
    for name in &names {
        if *name == "a.md/b.md" {
            fs::remove_file(stage.path().join("a.md")).unwrap();
        }
        put(&stage.path().join(name), memory(name, "x"));
    }
    let report = stage.review().unwrap().report;
    for name in &names {
        assert!(
            report.kept_back.iter().any(|kept| kept.file == *name),
            "{name:?}: {report}"
        );
    }
    assert!(!report.to_string().contains("line\nbreak"));
}

#[test]
fn links_in_the_copy_are_kept_back_and_never_followed() {
    use std::os::unix::fs::symlink;
    let directory = Directory::with(&["a", "b"]);
    let secret = directory.world.transcripts.join("secret.md");
    fs::write(&secret, memory("secret", "outside")).unwrap();
    let before = directory.tree();
    let stage = directory.begin();
    fs::remove_file(stage.path().join("a.md")).unwrap();
    symlink(&secret, stage.path().join("a.md")).unwrap();
    symlink(&secret, stage.path().join("c.md")).unwrap();
    symlink(
        directory.world.transcripts.as_path(),
        stage.path().join("folder"),
    )
    .unwrap();
    let report = done(stage);
    assert!(report.is_empty(), "{report}");
    assert_eq!(report.kept_back.len(), 3);
    assert_eq!(directory.tree(), before);
}

#[test]
fn links_in_the_directory_are_written_through_and_links_out_are_left_alone() {
    use std::os::unix::fs::symlink;
    let directory = Directory::with(&["a", "b", "c"]);
    let secret = directory.world.transcripts.join("secret.md");
    fs::write(&secret, memory("secret", "outside")).unwrap();
    symlink("a.md", directory.path("link.md")).unwrap();
    symlink(&secret, directory.path("out.md")).unwrap();
    directory.write(
        ENTRYPOINT,
        directory.index() + "- [l](link.md)\n- [o](out.md)\n",
    );
    let stage = directory.begin();
    assert_eq!(stage.left_out().len(), 1, "{:?}", stage.left_out());
    assert!(!stage.path().join("link.md").is_symlink());
    let new = memory("a", &(body("a") + "More.\n"));
    edit(
        &stage,
        &[("link.md", Some(&new)), ("out.md", Some(&memory("o", "x")))],
    );
    let report = done(stage);
    assert_eq!(changes(&report), ["changed link.md"]);
    assert_eq!(kept(&report), [("out.md", &KeptReason::NameTaken)]);
    assert!(directory.path("link.md").is_symlink());
    assert_eq!(directory.read("a.md"), new);
    assert_eq!(
        fs::read_to_string(&secret).unwrap(),
        memory("secret", "outside")
    );
    // Both names at once, or what a name leads to: the name itself decides.
    let stage = directory.begin();
    edit(&stage, &[("a.md", None)]);
    assert_eq!(kept(&done(stage)), [("a.md", &KeptReason::Linked)]);
}

#[test]
fn what_is_too_large_or_unreadable_is_left_out_and_never_touched() {
    let directory = Directory::with(&["a"]);
    directory.write("large.md", "x".repeat(5_000_000));
    directory.write(ENTRYPOINT, directory.index() + "- [l](large.md)\n");
    let stage = directory.begin();
    let left: Vec<&str> = stage.left_out().iter().map(|left| &*left.file).collect();
    assert_eq!(left, ["large.md"]);
    edit(
        &stage,
        &[
            ("b.md", Some(&memory("b", "x"))),
            ("large.md", Some(&memory("l", "x"))),
        ],
    );
    let report = done(stage);
    assert_eq!(kept(&report), [("large.md", &KeptReason::NameTaken)]);
    assert_eq!(
        fs::metadata(directory.path("large.md")).unwrap().len(),
        5_000_000
    );
    assert!(directory.index().contains("(large.md)"));
}

#[test]
fn nothing_of_ours_is_a_memory() {
    let directory = Directory::with(&["a", "b"]);
    directory.dream(&[("c.md", Some(&memory("c", "x")))]);
    let stage = directory.begin();
    let store = Store::open(directory.world.dir.path()).unwrap();
    assert_eq!(store.list().files, ["a.md", "b.md", "c.md"]);
    assert!(store.check().unwrap().is_clean());
    drop(stage);
}

#[test]
fn one_name_in_two_spellings_is_taken() {
    let directory = Directory::with(&["caf\u{e9}"]);
    let report = directory.dream(&[("cafe\u{301}.md", Some(&memory("other", "x")))]);
    assert_eq!(kept(&report), [("cafe\u{301}.md", &KeptReason::NameTaken)]);
    let report = directory.dream(&[
        ("no\u{308}.md", Some(&memory("one", "x"))),
        ("n\u{f6}.md", Some(&memory("two", "y"))),
    ]);
    assert_eq!(
        (report.changes.len(), report.kept_back.len()),
        (2, 1),
        "{report}"
    );
    directory.check_clean();
}

#[test]
fn two_names_of_one_file_are_not_written_at_once() {
    use std::os::unix::fs::symlink;
    let directory = Directory::with(&["a", "b", "c", "d"]);
    let index = directory.index() + &line("one.md") + &line("two.md");
    directory.write(ENTRYPOINT, index);
    symlink("a.md", directory.path("one.md")).unwrap();
    symlink("a.md", directory.path("two.md")).unwrap();
    let new = |word: &str| memory("a", &(body("a") + word));
    let report = directory.dream(&[
        ("one.md", Some(&new("First.\n"))),
        ("two.md", Some(&new("Second.\n"))),
    ]);
    assert_eq!(changes(&report), ["changed one.md"]);
    assert_eq!(kept(&report), [("two.md", &KeptReason::Linked)]);
    assert_eq!(directory.read("a.md"), new("First.\n"));
    // All three go together; what they lead to goes last.
    let before = directory.tree();
    let stage = directory.begin_with(&StageOptions::default().loss(LossLimits::all(100)));
    edit(
        &stage,
        &[("one.md", None), ("two.md", None), ("a.md", None)],
    );
    let report = done(stage);
    assert_eq!(report.kept_back, []);
    assert!(!directory.path("one.md").is_symlink() && !directory.has("a.md"));
    directory.undo(&report);
    assert_eq!(directory.tree(), before);
}

#[test]
fn neither_a_report_nor_a_debug_text_shows_a_secret() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let secret = format!("ghp_{}", "x7Kd9LmQ2Rt5Vw8Yz1Bc4Ef6Gh3Jn0Ps5TuA");
    directory.write("a.md", memory("a", &(body("a") + &secret)));
    let stage = directory.begin();
    assert!(!format!("{stage:?}").contains("Fact 1"));
    edit(&stage, &[("a.md", Some(&memory("a", &body("a"))))]);
    let report = done(stage);
    assert_eq!(changes(&report), ["changed a.md"]);
    let text = format!(
        "{report}{report:?}{:?}",
        runs(&directory.world.dir).unwrap()
    );
    assert!(
        !text.contains(&secret) && text.contains("[redacted: GitHub token]"),
        "{text}"
    );
}

#[test]
fn a_memory_that_goes_where_none_may_be_stays_where_it_was() {
    let names = ["a", "b", "c", "d", "e", "f"];
    for to in [
        "aux.md",
        "team/a.md",
        "notes.txt",
        "logs/2026/01/2026-01-02.md",
    ] {
        let directory = Directory::with(&names);
        let before = directory.tree();
        let index = directory.index().replace("(a.md)", &format!("({to})"));
        let report = directory.dream(&[
            ("a.md", Some("")),
            (to, Some(&directory.read("a.md"))),
            (ENTRYPOINT, Some(&index)),
        ]);
        let together = KeptReason::Together {
            file: to.to_owned(),
        };
        assert!(kept(&report).contains(&("a.md", &together)), "{report}");
        assert_eq!(directory.read("a.md"), memory("a", &body("a")));
        assert_eq!(directory.index().matches("(a.md)").count(), 1);
        let names = |tree: BTreeMap<String, Vec<u8>>| -> Vec<String> { tree.into_keys().collect() };
        assert_eq!(names(directory.tree()), names(before), "{to}");
    }
}
