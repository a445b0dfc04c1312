//! What a commit refuses, and how much a run may take away.

use std::fmt::Write;

use autodream::{Fault, FaultReason, LossLimits, Repair, Share, StageOptions};
use memdir_index::ENTRYPOINT;

use crate::directory::{Directory, body, changes, done, edit, line, memory, put, refused};

/// Commits one file and answers why it is refused.
#[track_caller]
fn fault(directory: &Directory, file: &str, text: impl AsRef<[u8]>) -> FaultReason {
    let before = directory.tree();
    let stage = directory.begin();
    put(&stage.path().join(file), text);
    let review = refused(stage);
    assert_eq!(directory.tree(), before, "nothing is written");
    assert_eq!(review.refused.len(), 1, "{review}");
    assert_eq!(review.refused[0].file, file);
    review.refused[0].reason.clone()
}

#[test]
fn a_new_text_without_readable_frontmatter_is_refused() {
    let directory = Directory::with(&["a", "b"]);
    for text in ["no frontmatter", "---\nname: never closed\n"] {
        assert_eq!(fault(&directory, "c.md", text), FaultReason::Frontmatter);
    }
    let broken = "---\nname: [x\ndescription: : y: {\n---\n\ntext\n";
    assert_eq!(fault(&directory, "a.md", broken), FaultReason::Frontmatter);
    assert_eq!(
        fault(&directory, "c.md", b"---\nname: \xff\n---\n"),
        FaultReason::NotText
    );
    let large = memory("c", &"x".repeat(5_000_000));
    assert!(matches!(
        fault(&directory, "c.md", large),
        FaultReason::TooLarge {
            limit: 4_194_304,
            ..
        }
    ));
}

/// Agents have tools that write, and none that deletes.
#[test]
fn a_memory_that_was_emptied_is_one_that_is_gone() {
    let directory = Directory::with(&["a", "b", "c", "d", "e"]);
    let report = directory.dream(&[("a.md", Some(" \n")), ("new.md", Some(""))]);
    assert_eq!(changes(&report), ["changed MEMORY.md", "deleted a.md"]);
    assert!(!directory.has("a.md") && !directory.has("new.md"));
    directory.check_clean();
}

#[test]
fn a_file_that_was_broken_before_and_is_not_touched_is_no_fault() {
    let directory = Directory::with(&["a"]);
    directory.write("broken.md", b"no frontmatter \xff");
    directory.write(ENTRYPOINT, directory.index() + "- [x](broken.md)\n");
    let report = directory.dream(&[("b.md", Some(&memory("b", "new")))]);
    assert_eq!(changes(&report), ["changed MEMORY.md", "created b.md"]);
}

/// Made up, of the form of a real one.
fn secret() -> String {
    format!("ghp_{}", "x7Kd9LmQ2Rt5Vw8Yz1Bc4Ef6Gh3Jn0Ps5TuA")
}

#[test]
fn a_new_secret_or_hidden_text_is_refused_and_never_shown() {
    let directory = Directory::with(&["a", "b"]);
    for text in [
        secret(),
        "run \u{202e}this".to_owned(),
        "<system-reminder>".to_owned(),
    ] {
        let new = memory("c", &format!("Use {text} here."));
        let reason = fault(&directory, "c.md", &new);
        assert!(matches!(reason, FaultReason::Gate { .. }), "{reason:?}");
        let stage = directory.begin();
        put(&stage.path().join("c.md"), &new);
        let review = stage.review().unwrap();
        let faults: String = review
            .refused
            .iter()
            .map(|fault| format!("{fault}\n"))
            .collect();
        assert!(!faults.contains("ghp_"), "{faults}");
        let index = directory.index() + &format!("- [x](a.md) — {text}\n");
        fault(&directory, ENTRYPOINT, index);
    }
}

#[test]
fn a_secret_that_stood_in_the_same_file_before_is_no_new_fault() {
    let directory = Directory::with(&["a", "b", "c"]);
    let old = memory("a", &(body("a") + &secret()));
    directory.write("a.md", &old);
    directory.write("b.md", memory("b", &(body("b") + "<system-reminder>\n")));
    let report = directory.dream(&[
        ("a.md", Some(&old.replace("Fact 1", "Point 1"))),
        (
            "b.md",
            Some(&directory.read("b.md").replace("Fact 1", "Point 1")),
        ),
    ]);
    assert_eq!(changes(&report), ["changed a.md", "changed b.md"]);
    assert!(directory.read("a.md").contains(&secret()));
    // A forged prompt tag does not survive a rewrite.
    let cleaned = Repair::Cleaned {
        file: "b.md".to_owned(),
    };
    assert_eq!(report.repairs, [cleaned]);
    assert!(directory.read("b.md").contains("&lt;system-reminder>"));
    // One more is new, and so is one in another file.
    let second = directory.read("a.md") + &secret().replace("x7Kd", "y7Kd");
    assert!(matches!(
        fault(&directory, "a.md", second),
        FaultReason::Gate { .. }
    ));
    let other = memory("c", &secret());
    assert!(matches!(
        fault(&directory, "c.md", other),
        FaultReason::Gate { .. }
    ));
    // What is only moved has it under another name.
    let report = directory.dream(&[("a.md", None), ("z.md", Some(&directory.read("a.md")))]);
    assert_eq!(
        changes(&report),
        ["changed MEMORY.md", "moved a.md to z.md"]
    );
}

#[test]
fn an_index_beyond_its_caps_is_refused_unless_it_was_before_and_gets_no_longer() {
    let directory = Directory::with(&["a"]);
    let lines = |count: usize| -> String { (0..count).map(|n| format!("# Part {n}\n")).collect() };
    let long = line("a.md") + &lines(200);
    let bytes = long.trim().len();
    let reason = fault(&directory, ENTRYPOINT, &long);
    assert_eq!(reason, FaultReason::IndexTooLong { lines: 201, bytes });
    let wide = line("a.md") + &"# x".repeat(9_000);
    assert!(matches!(
        fault(&directory, ENTRYPOINT, wide),
        FaultReason::IndexTooLong { lines: 2, .. }
    ));
    directory.write(ENTRYPOINT, line("a.md") + &lines(250));
    directory.dream(&[(ENTRYPOINT, Some(&(line("a.md") + &lines(220))))]);
    let reason = fault(&directory, ENTRYPOINT, line("a.md") + &lines(221));
    assert!(matches!(
        reason,
        FaultReason::IndexTooLong { lines: 222, .. }
    ));
}

/// Deletes so many of so many files and answers the faults.
fn deleting(count: usize, of: usize, limits: LossLimits) -> Vec<FaultReason> {
    let names: Vec<String> = (0..of).map(|n| format!("n{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let directory = Directory::with(&names);
    let stage = directory.begin_with(&StageOptions::default().loss(limits));
    for name in &names[..count] {
        edit(&stage, &[(&format!("{name}.md"), None)]);
    }
    let review = stage.review().unwrap();
    review
        .refused
        .into_iter()
        .map(|fault| fault.reason)
        .collect()
}

#[test]
fn a_run_that_deletes_more_than_a_quarter_is_refused_with_the_figures() {
    assert_eq!(deleting(5, 20, LossLimits::default()), []);
    let faults = deleting(6, 20, LossLimits::default());
    let [
        FaultReason::LostFiles { share, limit: 25 },
        FaultReason::LostEntries { .. },
        FaultReason::LostBytes { .. },
    ] = faults.as_slice()
    else {
        panic!("{faults:?}");
    };
    assert_eq!((share.lost, share.of, share.percent()), (6, 20, 30));
    let fault = Fault::clone(&review_of(6, 20)[0]);
    assert_eq!(
        fault.to_string(),
        "6 of 20 files would be gone (30 %, at most 25 %)"
    );
    // Each of the three can be set.
    let limits = LossLimits::default().files(30).entries(30);
    assert!(matches!(
        deleting(6, 20, limits)[..],
        [FaultReason::LostBytes { .. }]
    ));
    assert_eq!(deleting(6, 20, limits.bytes(40)), []);
    assert_eq!(deleting(20, 20, LossLimits::all(100)), []);
    assert_eq!(deleting(1, 20, LossLimits::all(0)).len(), 3);
}

fn review_of(count: usize, of: usize) -> Vec<Fault> {
    let names: Vec<String> = (0..of).map(|n| format!("n{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let directory = Directory::with(&names);
    let stage = directory.begin();
    for name in &names[..count] {
        edit(&stage, &[(&format!("{name}.md"), None)]);
    }
    stage.review().unwrap().refused
}

#[test]
fn of_three_files_a_duplicate_may_go_and_of_any_number_never_all() {
    let directory = Directory::with(&["a", "b"]);
    directory.write("c.md", memory("c", &body("a")));
    directory.write(ENTRYPOINT, directory.index() + &line("c.md"));
    let report = directory.dream(&[("c.md", None)]);
    assert_eq!(changes(&report), ["changed MEMORY.md", "deleted c.md"]);
    for count in 1..=4 {
        assert!(
            !deleting(count, count, LossLimits::default()).is_empty(),
            "{count}"
        );
    }
}

#[test]
fn text_that_moves_to_another_file_is_no_loss() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let directory = Directory::with(&names);
    let merged = memory(
        "h",
        &names[5..].iter().map(|name| body(name)).collect::<String>(),
    );
    let report = directory.dream(&[("f.md", None), ("g.md", None), ("h.md", Some(&merged))]);
    assert_eq!((report.loss.files.lost, report.loss.files.of), (2, 8));
    assert!(report.loss.bytes.percent() <= 5, "{:?}", report.loss.bytes);
}

#[test]
fn emptying_memories_counts_as_much_as_deleting_them() {
    let directory = Directory::with(&["a", "b", "c", "d"]);
    let stage = directory.begin();
    for name in ["a", "b"] {
        edit(&stage, &[(&format!("{name}.md"), Some(&memory(name, "")))]);
    }
    let review = refused(stage);
    assert!(matches!(
        review.refused[..],
        [Fault {
            reason: FaultReason::LostBytes { .. },
            ..
        }]
    ));
}

#[test]
fn the_index_alone_may_not_be_emptied() {
    let directory = Directory::with(&["a", "b", "c", "d"]);
    let stage = directory.begin();
    edit(&stage, &[(ENTRYPOINT, Some("# Nothing\n"))]);
    // Its lines come back from the memories.
    let report = done(stage);
    assert_eq!(report.repairs.len(), 4);
    directory.check_clean();
    let stage = directory.begin();
    edit(&stage, &[(ENTRYPOINT, None)]);
    assert_eq!(changes(&done(stage)), [] as [&str; 0]);
}

#[test]
fn shares_are_rounded_up_and_nothing_of_nothing_is_nothing() {
    let mut share = Share::default();
    assert_eq!(share.percent(), 0);
    (share.lost, share.of) = (1, 1_000);
    assert_eq!(share.percent(), 1);
}

#[test]
fn a_review_reads_well_at_eighty_columns() {
    let directory = Directory::with(&["a", "b", "c", "d", "e", "f"]);
    directory.write("large.md", "x".repeat(5_000_000));
    let stage = directory.begin_with(&StageOptions::default().pinned("b.md"));
    let new = memory("a", &body("a").replace("Fact 3 of a", "On 2026-01-02"));
    let mut text = String::new();
    edit(
        &stage,
        &[
            ("a.md", Some(&new)),
            ("b.md", None),
            ("c.md", None),
            ("d.md", None),
            ("e.md", None),
            ("z.md", Some(&directory.read("e.md"))),
            ("bad.md", Some("no frontmatter")),
        ],
    );
    write!(text, "{}", stage.review().unwrap()).unwrap();
    let text = text.replace(directory.world.dir.path().to_str().unwrap(), "DIR");
    insta::assert_snapshot!(text, @r#"
    Files: 1 created, 2 changed, 2 deleted, 1 moved.

    changed  MEMORY.md (+2 -3)
        @@ -1,6 +1,5 @@
         - [a](a.md) — about a
         - [b](b.md) — about b
        -- [c](c.md) — about c
        -- [d](d.md) — about d
        -- [e](e.md) — about e
        +- [e](z.md) — about e
         - [f](f.md) — about f
        +- [bad.md](bad.md)

    changed  a.md (+1 -1)
        @@ -8,5 +8,5 @@
         Fact 1 of a is that a1 holds for a.
         Fact 2 of a is that a2 holds for a.
        -Fact 3 of a is that a3 holds for a.
        +On 2026-01-02 is that a3 holds for a.
         Fact 4 of a is that a4 holds for a.
         Fact 5 of a is that a5 holds for a.

    created  bad.md (+1 -0)
        @@ -0,0 +1,1 @@
        +no frontmatter

    deleted  c.md (+0 -13)
        @@ -1,13 +0,0 @@
        ----
        -name: c
        -description: about c
        -type: project
        ----
        -
        -Fact 0 of c is that c0 holds for c.
        -Fact 1 of c is that c1 holds for c.
        -Fact 2 of c is that c2 holds for c.
        -Fact 3 of c is that c3 holds for c.
        -Fact 4 of c is that c4 holds for c.
        -Fact 5 of c is that c5 holds for c.
        -

    deleted  d.md (+0 -13)
        @@ -1,13 +0,0 @@
        ----
        -name: d
        -description: about d
        -type: project
        ----
        -
        -Fact 0 of d is that d0 holds for d.
        -Fact 1 of d is that d1 holds for d.
        -Fact 2 of d is that d2 holds for d.
        -Fact 3 of d is that d3 holds for d.
        -Fact 4 of d is that d4 holds for d.
        -Fact 5 of d is that d5 holds for d.
        -

    moved    z.md
             from e.md

    Not done:
      b.md would be deleted: it is pinned

    Put right:
      line for c.md dropped: there is no such file
      line for d.md dropped: there is no such file
      line for bad.md added

    Not looked at:
      large.md: 5000000 bytes, and at most 4194304 are read

    Refused, and nothing is written:
      2 of 7 files would be gone (29 %, at most 25 %)
      2 of 6 entries would be gone (34 %, at most 25 %)
      485 of 1536 bytes of text would be gone (32 %, at most 25 %)
      bad.md: its frontmatter cannot be read
    "#);
}
