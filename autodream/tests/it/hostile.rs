//! Records that somebody planted or damaged, and runs that meet another: nothing is lost over it.

use std::fs;

use autodream::{KeptReason, LossLimits, StageOptions, What, runs, undo};
use memdir_index::{ENTRYPOINT, Fingerprint};

use crate::directory::{Directory, body, changes, done, edit, kept, line, memory};
use crate::world::now;

const FIVE: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Every fact of a body, worded anew.
fn reworded(name: &str) -> String {
    let lines =
        (0..6).map(|n| format!("For {name}, {name}{n} holds; that is fact {n} of {name}.\n"));
    lines.collect()
}

#[test]
fn text_that_was_worded_anew_in_a_file_that_is_kept_back_keeps_its_old_place() {
    let directory = Directory::with(&FIVE);
    let stage = directory.begin();
    let merged = memory("a", &(body("a") + &reworded("b")));
    edit(&stage, &[("a.md", Some(&merged)), ("b.md", None)]);
    directory.save("a.md", &memory("a", &(body("a") + "From a session.\n")));
    let report = done(stage);
    assert_eq!(
        kept(&report),
        [
            ("a.md", &KeptReason::ChangedMeanwhile),
            (
                "b.md",
                &KeptReason::Together {
                    file: "a.md".to_owned()
                }
            )
        ]
    );
    assert!(directory.read("b.md").contains(&body("b")));
    directory.check_clean();
}

#[test]
fn a_deletion_that_has_nothing_to_do_with_what_is_kept_back_goes_on() {
    let directory = Directory::with(&FIVE);
    let stage = directory.begin();
    let more = memory(
        "a",
        &(body("a") + "And it is that of which a holds more.\n"),
    );
    edit(&stage, &[("a.md", Some(&more)), ("b.md", None)]);
    directory.save("a.md", &memory("a", &(body("a") + "From a session.\n")));
    let report = done(stage);
    assert_eq!(kept(&report), [("a.md", &KeptReason::ChangedMeanwhile)]);
    assert!(!directory.has("b.md"));
}

#[cfg(unix)]
#[test]
fn a_memory_that_only_its_owner_reads_is_moved_and_reworded_as_one() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::with(&FIVE);
    fs::set_permissions(directory.path("a.md"), fs::Permissions::from_mode(0o600)).unwrap();
    let text = directory.read("a.md").replace("about a", "worded anew");
    let report = directory.dream(&[("a.md", None), ("z.md", Some(&text))]);
    assert!(matches!(&report.changes[1].what, What::Moved { from } if from == "a.md"));
    let mode = |file: &str| {
        fs::metadata(directory.path(file))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("z.md"), 0o600);
    directory.undo(&report);
    assert_eq!(mode("a.md"), 0o600);
}

/// A file of ours that is something else, or far too large.
fn plant(directory: &Directory, file: &str, how: usize) {
    let path = directory.path(file);
    let _ = fs::remove_file(&path);
    match how {
        0 => fs::create_dir_all(&path).unwrap(),
        1 => {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let planted = fs::File::create(&path).unwrap();
            planted.set_len(100 << 20).unwrap();
        }
        _ => directory.write(file, "[".repeat(100_000)),
    }
}

#[test]
fn records_that_cannot_be_read_stand_in_the_way_of_no_run_and_no_undo() {
    for how in 0..3 {
        let directory = Directory::with(&FIVE);
        let before = directory.tree();
        let report = directory.dream(&[("a.md", None)]);
        let after = directory.tree();
        plant(&directory, ".autodream/state", how);
        plant(&directory, ".autodream/tombstones", how);
        plant(&directory, ".autodream/runs/7-planted/run.json", how);
        plant(&directory, ".autodream/runs/8-planted/run.json", how);
        directory.write(".autodream/runs/8-planted/pending", "");
        let listed = runs(&directory.world.dir).unwrap();
        assert_eq!(listed.len(), 1, "{how}");
        drop(directory.begin());
        assert_eq!(directory.tree(), after);
        undo(&directory.world.dir, &report.run, now()).unwrap();
        assert_eq!(directory.tree(), before, "{how}");
    }
}

#[test]
fn planted_records_do_not_push_real_ones_out() {
    let directory = Directory::with(&FIVE);
    for planted in ["18446744073709551615-x", "9-x", "8-x", "7-x"] {
        fs::create_dir_all(directory.path(".autodream/runs").join(planted)).unwrap();
    }
    let before = directory.tree();
    let first = directory.dream(&[("a.md", None)]);
    let second = directory.dream(&[("b.md", None)]);
    assert_ne!(first.run, second.run);
    directory.undo(&second);
    directory.undo(&first);
    assert_eq!(directory.tree(), before);
}

#[test]
fn a_run_that_died_before_it_was_written_is_none_though_a_session_saved_since() {
    let directory = Directory::with(&FIVE);
    let report = directory.dream(&[("a.md", None), ("n.md", Some(&memory("n", "New.")))]);
    directory.undo(&report);
    directory.write(&format!(".autodream/runs/{}/pending", report.run), "");
    directory.save("s.md", &memory("s", "From a session."));
    assert_eq!(runs(&directory.world.dir).unwrap(), []);
    drop(directory.begin());
    assert!(
        !directory
            .path(&format!(".autodream/runs/{}", report.run))
            .exists()
    );
}

#[test]
fn what_was_kept_of_a_file_and_is_damaged_is_not_put_back_and_the_rest_is() {
    for damage in [None, Some("half of the te")] {
        let directory = Directory::with(&FIVE);
        let report = directory.dream(&[("a.md", None), ("b.md", None)]);
        let blob = format!(".autodream/runs/{}/", report.run);
        // The index is first, then a, then b.
        assert_eq!(
            changes(&report),
            ["changed MEMORY.md", "deleted a.md", "deleted b.md"]
        );
        match damage {
            None => directory.remove(&format!("{blob}1")),
            Some(text) => directory.write(&format!("{blob}1"), text),
        }
        let undone = directory.undo(&report);
        assert_eq!(undone.restored, ["b.md"]);
        assert_eq!(undone.kept.len(), 1);
        assert_eq!(undone.kept[0].reason, KeptReason::Unrecoverable);
        assert!(!directory.has("a.md") && directory.has("b.md"));
        directory.check_clean();
        assert!(directory.index().contains(&line("b.md")));
    }
}

#[test]
fn what_is_taken_back_while_another_run_works_stays_rejected() {
    let directory = Directory::with(&FIVE);
    let old = directory.read("a.md");
    let new = memory("a", &reworded("a"));
    let report = directory.dream(&[("a.md", Some(&new))]);
    let stage = directory.begin();
    edit(&stage, &[("n.md", Some(&memory("n", "New.")))]);
    directory.undo(&report);
    done(stage);
    assert_eq!(directory.read("a.md"), old);
    let again = directory.dream(&[("a.md", Some(&new))]);
    assert_eq!(again.kept_back.len(), 1, "{again}");
    assert_eq!(directory.read("a.md"), old);
}

#[test]
fn what_was_taken_back_stays_rejected_though_the_process_died_right_after() {
    let directory = Directory::with(&FIVE);
    let new = memory("a", &reworded("a"));
    let report = directory.dream(&[("a.md", Some(&new))]);
    let state = directory.read(".autodream/state");
    directory.undo(&report);
    // It knows of the undoing what the journal and the tombstones say.
    directory.write(".autodream/state", state);
    let again = directory.dream(&[("a.md", Some(&new))]);
    assert_eq!(again.kept_back.len(), 1, "{again}");
}

#[test]
fn a_title_of_any_length_is_remembered_in_few_bytes() {
    let directory = Directory::with(&FIVE);
    let long = "word ".repeat(200_000);
    directory.write("long.md", memory(&long, "Text."));
    directory.dream(&[]);
    let state = fs::metadata(directory.path(".autodream/state"))
        .unwrap()
        .len();
    assert!(state < 10_000, "{state}");
    directory.remove("long.md");
    let report = directory.dream(&[("other.md", Some(&memory(&long, "Other text.")))]);
    assert_eq!(report.kept_back.len(), 1, "{:?}", changes(&report));
}

#[test]
fn a_diff_shows_no_part_of_a_secret() {
    let token = format!("ghp_{}", "x7Kd9LmQ2Rt5Vw8Yz1Bc4Ef6Gh3Jn0Ps5TuA");
    let key: String = (0..12)
        .map(|n| format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB{n:02}\n"))
        .collect();
    let key = format!(
        "-----BEGIN {0}-----\n{key}-----END {0}-----\n",
        "PRIVATE KEY"
    );
    let directory = Directory::with(&FIVE);
    let padding = "x ".repeat(185);
    directory.write("a.md", memory("a", &format!("{padding}{token}\n\n{key}")));
    let stage = directory.begin_with(&StageOptions::default().loss(LossLimits::all(100)));
    edit(&stage, &[("a.md", None)]);
    let report = done(stage);
    let text = report.to_string();
    assert!(!text.contains("ghp_x7Kd9"), "{text}");
    assert!(!text.contains("MIIEvQIBADANB"), "{text}");
    let record = directory.read(&format!(".autodream/runs/{}/run.json", report.run));
    assert!(!record.contains("ghp_x7Kd9") && !record.contains("MIIEvQIBADANB"));
}

#[test]
fn older_runs_are_taken_back_after_later_ones_and_before_them() {
    for order in [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
        [0, 2, 1],
        [1, 2, 0],
        [2, 0, 1],
    ] {
        let directory = Directory::with(&FIVE);
        let before = directory.tree();
        let text = directory.read("c.md");
        let reports = [
            directory.dream(&[("a.md", None), ("c.md", None), ("x/c.md", Some(&text))]),
            directory.dream(&[
                ("b.md", Some(&memory("b", &reworded("b")))),
                ("n.md", Some(&memory("n", "New."))),
            ]),
            directory.dream(&[
                ("x/c.md", None),
                ("y.md", Some(&text)),
                (
                    "b.md",
                    Some(&memory(
                        "b",
                        "Short, and fact 1 of b is that b1 holds for b.",
                    )),
                ),
            ]),
        ];
        // Whatever the order, a second round completes what the first could not.
        for number in order.into_iter().chain(order).chain(order) {
            directory.undo(&reports[number]);
            directory.check_clean();
        }
        let (mut now, mut then) = (directory.tree(), before);
        let (index, old) = (
            now.remove(ENTRYPOINT).unwrap(),
            then.remove(ENTRYPOINT).unwrap(),
        );
        assert_eq!(now, then, "{order:?}");
        let sorted = |bytes: &[u8]| {
            let mut lines: Vec<String> = String::from_utf8_lossy(bytes)
                .lines()
                .map(str::to_owned)
                .collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&index), sorted(&old), "{order:?}");
    }
}

#[test]
fn a_planted_record_makes_undo_write_nothing_but_what_stood_there() {
    let directory = Directory::with(&FIVE);
    let before = directory.tree();
    let of = |text: &str| Fingerprint::of(text.as_bytes());
    let print = of(&directory.read("a.md"));
    let record = format!(
        r#"{{"at":[0,0],"changes":[{{"file":"a.md","what":"changed","from":null,"before":"{}","after":"{print}","bytes_before":0,"bytes_after":0,"added":0,"removed":0,"diff":""}}]}}"#,
        of("something that was never there")
    );
    directory.write(".autodream/runs/4-x/run.json", record);
    directory.write(".autodream/runs/4-x/0", "planted");
    let undone = undo(&directory.world.dir, &autodream::RunId::new("4-x"), now()).unwrap();
    assert_eq!(undone.restored, [] as [&str; 0]);
    assert_eq!(directory.tree(), before);
}

#[test]
fn what_a_task_shows_of_a_turn_reorders_nothing_and_holds_no_secret() {
    use autodream::{DreamKind, DreamTask, TaskEnd, Turn};
    let token = format!("ghp_{}", "x7Kd9LmQ2Rt5Vw8Yz1Bc4Ef6Gh3Jn0Ps5TuA");
    let mut task = DreamTask::new(DreamKind::Automatic, 1, now());
    // At the places where a kept text and a shown one are cut.
    for at in [0, 150, 190, 980, 995] {
        task.turn(&Turn::new(format!(
            "{} {token} \u{202e}fdp.exe",
            "x".repeat(at)
        )));
    }
    task.end(
        TaskEnd::Declined {
            why: format!("\u{2067}{token}"),
        },
        now(),
    );
    let shown = format!("{}{task:?}", task.details());
    assert!(!shown.contains("x7Kd9"), "{shown}");
    assert!(!shown.contains('\u{202e}') && !shown.contains("u{202e}"));
    assert!(!shown.contains('\u{2067}') && !shown.contains("u{2067}"));
}

#[test]
fn of_planted_tombstones_no_more_are_kept_than_are_written() {
    let directory = Directory::with(&FIVE);
    let planted: Vec<String> = (0..3_000)
        .map(|n| format!(r#"{{"file":"n{n}.md"}}"#))
        .collect();
    let nothing = "0,{},[],".repeat(1_000);
    directory.write(
        ".autodream/tombstones",
        format!("[{},{nothing}null]", planted.join(",")),
    );
    let report = directory.dream(&[("n2999.md", Some(&memory("n", "New.")))]);
    assert_eq!(report.kept_back.len(), 1);
    let written = directory.read(".autodream/tombstones");
    assert!(written.contains("n2000.md") && !written.contains("n1999.md"));
}
