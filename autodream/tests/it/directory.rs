//! A memory directory with a stage over it, and short ways to fill and read both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use autodream::{Committed, KeptReason, Report, Review, Stage, StageOptions, What, undo};
use memdir_index::{ENTRYPOINT, Store};
use memdir_types::{Audience, Memory, gate};

use crate::world::{World, hours, now};

pub(crate) struct Directory {
    pub(crate) world: World,
}

/// A memory of that name and body.
pub(crate) fn memory(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\ntype: project\n---\n\n{body}\n")
}

/// The line that the index has for [`memory`].
pub(crate) fn line(file: &str) -> String {
    let name = file.trim_end_matches(".md");
    format!("- [{name}]({file}) — about {name}\n")
}

/// A body that no other memory has.
pub(crate) fn body(name: &str) -> String {
    let lines = (0..6).map(|n| format!("Fact {n} of {name} is that {name}{n} holds for {name}.\n"));
    lines.collect()
}

impl Directory {
    /// Memories `NAME.md` with their lines, each with a body of its own.
    pub(crate) fn with(names: &[&str]) -> Directory {
        let directory = Directory {
            world: World::new(),
        };
        let mut index = String::new();
        for name in names {
            directory.write(&format!("{name}.md"), memory(name, &body(name)));
            index.push_str(&line(&format!("{name}.md")));
        }
        directory.write(ENTRYPOINT, &index);
        directory
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.world.dir.path().join(file)
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        put(&self.path(file), text);
    }

    #[track_caller]
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    pub(crate) fn remove(&self, file: &str) {
        fs::remove_file(self.path(file)).unwrap();
    }

    pub(crate) fn has(&self, file: &str) -> bool {
        self.path(file).exists()
    }

    pub(crate) fn index(&self) -> String {
        self.read(ENTRYPOINT)
    }

    #[track_caller]
    pub(crate) fn begin(&self) -> Stage {
        self.begin_with(&StageOptions::default())
    }

    #[track_caller]
    pub(crate) fn begin_with(&self, options: &StageOptions) -> Stage {
        Stage::begin(&self.world.dir, options, now()).unwrap()
    }

    /// What a session does: a memory saved through the store.
    #[track_caller]
    pub(crate) fn save(&self, file: &str, text: &str) {
        let store = Store::open(self.world.dir.path()).unwrap();
        let memory = gate(&Memory::parse(text), Audience::Private).unwrap();
        store.save_as(file, memory, None).unwrap();
    }

    /// A run that makes those edits: a text, or nothing for a file that goes.
    #[track_caller]
    pub(crate) fn dream(&self, edits: &[(&str, Option<&str>)]) -> Report {
        let stage = self.begin();
        edit(&stage, edits);
        done(stage)
    }

    #[track_caller]
    pub(crate) fn undo(&self, report: &Report) -> autodream::Undone {
        undo(&self.world.dir, &report.run, now() + hours(2)).unwrap()
    }

    /// All that is not hidden, by name.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        tree(self.world.dir.path())
    }

    #[track_caller]
    pub(crate) fn check_clean(&self) {
        let check = Store::open(self.world.dir.path()).unwrap().check().unwrap();
        assert!(check.is_clean(), "{:?}\n{}", check.faults, self.index());
    }
}

/// All files below a folder that are not hidden, by name.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![String::new()];
    while let Some(prefix) = folders.pop() {
        for entry in fs::read_dir(root.join(&prefix)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with('.') {
                continue;
            }
            let name = format!("{prefix}{name}");
            if entry.path().is_dir() {
                folders.push(format!("{name}/"));
            } else {
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

pub(crate) fn put(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// What the agent does with its copy.
pub(crate) fn edit(stage: &Stage, edits: &[(&str, Option<&str>)]) {
    for (file, text) in edits {
        match text {
            Some(text) => put(&stage.path().join(file), text),
            None => fs::remove_file(stage.path().join(file)).unwrap(),
        }
    }
}

pub(crate) fn staged_index(stage: &Stage) -> String {
    fs::read_to_string(stage.path().join(ENTRYPOINT)).unwrap()
}

#[track_caller]
pub(crate) fn done(stage: Stage) -> Report {
    match stage.commit(now() + hours(1)).unwrap() {
        Committed::Done(report) => report,
        Committed::Refused(review) => panic!("{review}"),
    }
}

#[track_caller]
pub(crate) fn refused(stage: Stage) -> Review {
    match stage.commit(now() + hours(1)).unwrap() {
        Committed::Refused(review) => review,
        Committed::Done(report) => panic!("{report}"),
    }
}

/// The changes as words: `created a.md`.
pub(crate) fn changes(report: &Report) -> Vec<String> {
    let word = |what: &What| match what {
        What::Created => "created".to_owned(),
        What::Changed => "changed".to_owned(),
        What::Deleted => "deleted".to_owned(),
        What::Moved { from } => format!("moved {from} to"),
        _ => "?".to_owned(),
    };
    let changes = report.changes.iter();
    changes
        .map(|change| format!("{} {}", word(&change.what), change.file))
        .collect()
}

/// What was kept back, with its reason.
pub(crate) fn kept(report: &Report) -> Vec<(&str, &KeptReason)> {
    let kept = report.kept_back.iter();
    kept.map(|kept| (kept.file.as_str(), &kept.reason))
        .collect()
}
