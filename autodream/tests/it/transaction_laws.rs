//! Laws over directories, runs and sessions of every kind.

use std::collections::BTreeMap;

use autodream::{Committed, LossLimits, Stage, StageOptions, undo};
use memdir_index::{ENTRYPOINT, Fault, Store};
use memdir_types::{Audience, Memory, gate};
use proptest::prelude::*;

use crate::directory::{Directory, body, line, memory, put, tree};
use crate::world::{hours, now};

const FILES: [&str; 7] = [
    "a.md", "b.md", "c.md", "d.md", "sub/e.md", "sub/f.md", "é.md",
];

fn text(file: usize, version: usize) -> String {
    let name = FILES[file].trim_end_matches(".md").replace('/', " ");
    match version {
        0 => memory(&name, &body(&name)),
        1 => memory(&name, &(body(&name) + &body("more"))),
        2 => memory("the same", &body("the same")),
        3 => memory(&name, "Short."),
        _ => memory("other", &body(&format!("other {version}"))),
    }
}

#[derive(Clone, Debug)]
enum Act {
    Write(usize, usize),
    Delete(usize),
    Move(usize, usize),
    /// The index loses the line of a file.
    Unlist(usize),
    /// The index gets a line of its own.
    Heading(usize),
    /// The index says other words.
    Reword(usize),
    ClearIndex,
}

fn act() -> impl Strategy<Value = Act> {
    let file = || 0..FILES.len();
    prop_oneof![
        6 => (file(), 0..6_usize).prop_map(|(file, version)| Act::Write(file, version)),
        3 => file().prop_map(Act::Delete),
        2 => (file(), file()).prop_map(|(from, to)| Act::Move(from, to)),
        2 => file().prop_map(Act::Unlist),
        1 => (0..3_usize).prop_map(Act::Heading),
        2 => file().prop_map(Act::Reword),
        1 => Just(Act::ClearIndex),
    ]
}

/// What a run does, with plain files.
fn perform(stage: &Stage, act: &Act) {
    let path = |file: usize| stage.path().join(FILES[file]);
    let index = || std::fs::read_to_string(stage.path().join(ENTRYPOINT)).unwrap_or_default();
    let write_index = |text: String| put(&stage.path().join(ENTRYPOINT), text);
    match act {
        Act::Write(file, version) => put(&path(*file), text(*file, *version)),
        Act::Delete(file) => drop(std::fs::remove_file(path(*file))),
        Act::Move(from, to) => {
            if let Ok(text) = std::fs::read(path(*from)) {
                let _ = std::fs::remove_file(path(*from));
                put(&path(*to), text);
            }
        }
        Act::Unlist(file) => {
            let name = format!("({})", FILES[*file]);
            let lines = index();
            let lines = lines
                .split_inclusive('\n')
                .filter(|line| !line.contains(&name));
            write_index(lines.collect());
        }
        Act::Heading(n) => write_index(format!("# Part {n}\n{}", index())),
        Act::Reword(file) => {
            let line = format!("- [x]({}) — reworded\n", FILES[*file]);
            write_index(index() + &line);
        }
        Act::ClearIndex => write_index(String::new()),
    }
}

/// What a session does, through the store; answers what it was told is there, or gone.
fn session(directory: &Directory, act: &Act, told: &mut BTreeMap<String, Option<Vec<u8>>>) {
    let store = Store::open(directory.world.dir.path()).unwrap();
    match act {
        Act::Write(file, version) => {
            let text = text(*file, version + 10);
            let cleared = gate(&Memory::parse(&text), Audience::Private).unwrap();
            if store.save_as(FILES[*file], cleared, None).is_ok() {
                told.insert(FILES[*file].to_owned(), Some(text.into_bytes()));
            }
        }
        Act::Delete(file) if store.remove(FILES[*file], None).is_ok() => {
            told.insert(FILES[*file].to_owned(), None);
        }
        Act::Move(from, to) if store.rename(FILES[*from], FILES[*to]).is_ok() => {
            let bytes = store.read_bytes(FILES[*to]).unwrap();
            told.insert(FILES[*from].to_owned(), None);
            told.insert(FILES[*to].to_owned(), bytes);
        }
        _ => {}
    }
}

/// Index and files agree: no memory without a line, no line without a file.
#[track_caller]
fn agree(directory: &Directory) -> Result<(), TestCaseError> {
    let check = Store::open(directory.world.dir.path())
        .unwrap()
        .check()
        .unwrap();
    let bad = check.faults.iter().any(|fault| {
        matches!(
            fault,
            Fault::Orphan { .. } | Fault::Dangling { .. } | Fault::Interrupted
        )
    });
    prop_assert!(!bad, "{:?}\n{}", check.faults, directory.index());
    Ok(())
}

fn directory(files: &[usize]) -> Directory {
    let directory = Directory::with(&[]);
    let mut index = String::new();
    for file in files {
        directory.write(FILES[*file], text(*file, 0));
        index.push_str(&line(FILES[*file]));
    }
    directory.write(ENTRYPOINT, &index);
    directory
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_run_loses_nothing_that_a_session_saved_and_leaves_index_and_files_agreeing(
        files in proptest::sample::subsequence((0..FILES.len()).collect::<Vec<_>>(), 0..=FILES.len()),
        run in proptest::collection::vec(act(), 0..8),
        meanwhile in proptest::collection::vec(act(), 0..5),
        afterwards in proptest::collection::vec(act(), 0..4),
        percent in prop_oneof![Just(100_u8), Just(25_u8)],
    ) {
        let directory = directory(&files);
        let before = directory.tree();
        let options = StageOptions::default().loss(LossLimits::all(percent));
        let stage = directory.begin_with(&options);
        for act in &run {
            perform(&stage, act);
        }
        let staged = tree(stage.path());
        let mut told = BTreeMap::new();
        for act in &meanwhile {
            session(&directory, act, &mut told);
        }
        let live = directory.tree();
        let committed = stage.commit(now() + hours(1)).unwrap();
        let after = directory.tree();
        agree(&directory)?;
        for (file, bytes) in &told {
            // What is as before was not changed: a session may have taken its own change back.
            if bytes.as_ref() == before.get(file) {
                continue;
            }
            prop_assert_eq!(after.get(file), bytes.as_ref(), "{} is not as the session left it", file);
        }
        let report = match committed {
            Committed::Refused(review) => {
                prop_assert!(!review.refused.is_empty());
                prop_assert_eq!(&after, &live);
                return Ok(());
            }
            Committed::Done(report) => report,
        };
        // Every file is whole: as before, as the run made it, or as the session left it.
        for (file, bytes) in after.iter().filter(|(file, _)| *file != ENTRYPOINT) {
            let known = [before.get(file), staged.get(file), live.get(file)];
            prop_assert!(known.contains(&Some(bytes)), "{} is none of the three", file);
        }
        // The report names every file that is not as before, and no other.
        let mut differ: Vec<&String> = before.keys().chain(live.keys()).chain(after.keys())
            .filter(|file| live.get(*file) != after.get(*file)).collect();
        differ.sort();
        differ.dedup();
        let mut reported: Vec<&String> = report.changes.iter().flat_map(|change| {
            let from = match &change.what {
                autodream::What::Moved { from } => Some(from),
                _ => None,
            };
            from.into_iter().chain([&change.file])
        }).collect();
        reported.sort();
        reported.dedup();
        prop_assert_eq!(reported, differ);
        if report.is_empty() {
            return Ok(());
        }
        // Undone, nothing of what sessions did before or after the commit is lost.
        let mut told = BTreeMap::new();
        for act in &afterwards {
            session(&directory, act, &mut told);
        }
        let undone = undo(&directory.world.dir, &report.run, now() + hours(2)).unwrap();
        let end = directory.tree();
        agree(&directory)?;
        for (file, bytes) in &told {
            let touched = undone.restored.contains(file) || undone.removed.contains(file);
            prop_assert!(touched || end.get(file) == bytes.as_ref(), "{}", file);
        }
        if told.is_empty() {
            prop_assert_eq!(end, live, "byte for byte as before the run");
            prop_assert!(undone.kept.is_empty());
        }
    }

    #[test]
    fn a_review_writes_nothing_and_says_what_the_commit_does(
        files in proptest::sample::subsequence((0..FILES.len()).collect::<Vec<_>>(), 0..=FILES.len()),
        run in proptest::collection::vec(act(), 0..8),
    ) {
        let directory = directory(&files);
        let before = directory.tree();
        let stage = directory.begin();
        for act in &run {
            perform(&stage, act);
        }
        let mut review = stage.review().unwrap();
        prop_assert_eq!(directory.tree(), before);
        review.report.at = now() + hours(1);
        match stage.commit(now() + hours(1)).unwrap() {
            Committed::Done(mut report) => {
                // A name has the time of its commit.
                report.run = review.report.run.clone();
                prop_assert_eq!(&report, &review.report);
            }
            Committed::Refused(mut refused) => {
                refused.report.run = review.report.run.clone();
                prop_assert_eq!(&refused, &review);
            }
        }
    }
}
