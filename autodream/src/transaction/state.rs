//! What is remembered from run to run: how the last one left the directory, and what the person
//! deleted or rejected since.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use memdir_index::Fingerprint;
use memdir_types::Memory;
use serde_json::{Value, json};

use super::base::{Base, BaseFile};
use super::report::RecognizedBy;
use super::{body_of, place, title_of};
use crate::Error;

/// The most that is remembered of what was deleted or rejected, the latest first. Ours.
const MAX_TOMBSTONES: usize = 1_000;

const STATE: &str = "state";
const TOMBSTONES: &str = "tombstones";

/// What a memory is recognized by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) print: Fingerprint,
    pub(super) title: Option<String>,
    pub(super) body: Option<String>,
}

impl Known {
    pub(super) fn of(bytes: &[u8]) -> Known {
        let memory = Memory::from_bytes(bytes);
        Known {
            print: Fingerprint::of(bytes),
            title: title_of(&memory),
            body: body_of(&memory),
        }
    }
}

impl From<&BaseFile> for Known {
    fn from(file: &BaseFile) -> Known {
        Known {
            print: file.fingerprint,
            title: file.title.clone(),
            body: file.body.clone(),
        }
    }
}

/// The directory as a run left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) files: BTreeMap<String, Known>,
    pub(super) index: Fingerprint,
    pub(super) logs: Fingerprint,
}

impl State {
    pub(super) fn of(base: &Base) -> State {
        let files = base.files.iter();
        State {
            files: files
                .map(|(name, file)| (name.clone(), file.into()))
                .collect(),
            index: super::print(base.index.as_deref()),
            logs: base.logs_fingerprint(),
        }
    }

    /// `None` if there was no run, or what it wrote cannot be read: then nothing is known.
    pub(super) fn read(dir: &Path) -> Result<Option<State>, Error> {
        let bytes = place::read_if_whole(&place::own(dir, Some(STATE)))?;
        Ok(bytes.and_then(|bytes| State::parse(&serde_json::from_slice(&bytes).ok()?)))
    }

    fn parse(value: &Value) -> Option<State> {
        let print = |value: &Value| value.as_str()?.parse().ok();
        let mut files = BTreeMap::new();
        for (name, known) in value.get("files")?.as_object()? {
            let known = Known {
                print: print(known.get("print")?)?,
                title: text(known, "title"),
                body: text(known, "body"),
            };
            files.insert(name.clone(), known);
        }
        Some(State {
            files,
            index: print(value.get("index")?)?,
            logs: print(value.get("logs")?)?,
        })
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), Error> {
        let files = self.files.iter().map(|(name, known)| {
            let print = known.print.to_string();
            let known = json!({"print": print, "title": known.title, "body": known.body});
            (name.clone(), known)
        });
        let value = json!({
            "files": files.collect::<serde_json::Map<String, Value>>(),
            "index": self.index.to_string(),
            "logs": self.logs.to_string(),
        });
        let own = place::ensure(dir, None)?;
        place::write(&own.join(STATE), value.to_string().as_bytes())
    }
}

/// What the person deleted or rejected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tombstones {
    all: Vec<Tombstone>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tombstone {
    file: Option<String>,
    title: Option<String>,
    body: Option<String>,
}

impl Tombstones {
    pub(super) fn read(dir: &Path) -> Result<Tombstones, Error> {
        let bytes = place::read_if_whole(&place::own(dir, Some(TOMBSTONES)))?.unwrap_or_default();
        let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        // No more than was written, whatever was planted.
        let latest = value.as_array().into_iter().flatten().rev();
        let mut all: Vec<Tombstone> = latest
            .map(|value| Tombstone {
                file: text(value, "file"),
                title: text(value, "title"),
                body: text(value, "body"),
            })
            .filter(|one| one.file.is_some() || one.title.is_some() || one.body.is_some())
            .take(MAX_TOMBSTONES)
            .collect();
        all.reverse();
        Ok(Tombstones { all })
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), Error> {
        let all = self.all.iter().rev().take(MAX_TOMBSTONES).rev();
        let all: Vec<Value> = all
            .map(|one| json!({"file": one.file, "title": one.title, "body": one.body}))
            .collect();
        let own = place::ensure(dir, None)?;
        place::write(
            &own.join(TOMBSTONES),
            Value::Array(all).to_string().as_bytes(),
        )
    }

    /// Learns from how the directory differs from what the last run left: a memory that is gone,
    /// and whose body is not under another name, was deleted by the person. What is there again
    /// is wanted again. `may_be_there` knows of files that are not in `now` for another reason.
    pub(super) fn observe(
        &mut self,
        last: Option<&State>,
        now: &State,
        may_be_there: &dyn Fn(&str) -> bool,
    ) {
        let bodies: BTreeSet<&String> =
            now.files.values().filter_map(|f| f.body.as_ref()).collect();
        for (file, known) in last.into_iter().flat_map(|state| &state.files) {
            let moved = known
                .body
                .as_ref()
                .is_some_and(|body| bodies.contains(body));
            if !now.files.contains_key(file) && !moved && !may_be_there(file) {
                self.bury(file, known);
            }
        }
        let titles: BTreeSet<&String> = now
            .files
            .values()
            .filter_map(|f| f.title.as_ref())
            .collect();
        self.all.retain(|one| {
            let there = one
                .file
                .as_ref()
                .is_some_and(|file| now.files.contains_key(file))
                || one
                    .title
                    .as_ref()
                    .is_some_and(|title| titles.contains(title))
                || one.body.as_ref().is_some_and(|body| bodies.contains(body));
            !there
        });
    }

    /// The memory is not to come back.
    pub(super) fn bury(&mut self, file: &str, known: &Known) {
        self.push(Tombstone {
            file: Some(file.to_owned()),
            title: known.title.clone(),
            body: known.body.clone(),
        });
    }

    /// The text is not to come back.
    pub(super) fn bury_text(&mut self, known: &Known) {
        if known.body.is_some() {
            self.push(Tombstone {
                file: None,
                title: None,
                body: known.body.clone(),
            });
        }
    }

    /// Adds what was buried since `then`, which is what was read when this was made.
    pub(super) fn add_since(&mut self, then: &Tombstones, now: &Tombstones) {
        for one in now.all.iter().filter(|one| !then.all.contains(one)) {
            self.push(one.clone());
        }
    }

    fn push(&mut self, one: Tombstone) {
        self.all.retain(|other| *other != one);
        self.all.push(one);
    }

    /// Whether a new memory was deleted or rejected before.
    pub(super) fn recognize(&self, file: &str, known: &Known) -> Option<RecognizedBy> {
        let any = |of: fn(&Tombstone) -> Option<&String>, value: Option<&str>| {
            value.is_some_and(|value| {
                self.all
                    .iter()
                    .any(|one| of(one).is_some_and(|o| o == value))
            })
        };
        if any(|one| one.file.as_ref(), Some(file)) {
            Some(RecognizedBy::File)
        } else if any(|one| one.title.as_ref(), known.title.as_deref()) {
            Some(RecognizedBy::Title)
        } else {
            self.recognize_text(known)
        }
    }

    /// Whether the new text of a memory was deleted or rejected before.
    pub(super) fn recognize_text(&self, known: &Known) -> Option<RecognizedBy> {
        let body = known.body.as_ref()?;
        let mut bodies = self.all.iter().filter_map(|one| one.body.as_ref());
        bodies.any(|one| one == body).then_some(RecognizedBy::Body)
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    Some(value.get(key)?.as_str()?.to_owned())
}
