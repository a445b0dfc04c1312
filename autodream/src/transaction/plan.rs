//! What a commit writes: the agent's changes, without those that have to stay undone, and what is
//! wrong with them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use memdir_index::{Batch, ENTRYPOINT, Fingerprint, StoreOptions};
use memdir_types::{Audience, Cleared, GateFinding, Memory, Refusal, Severity, gate, gate_text};

use super::base::Base;
use super::diff::Differ;
use super::index::{Files, Indexes, beyond};
use super::live::Live;
use super::loss::{guard, lost_text};
use super::report::{
    Fault, FaultReason, FileChange, KeptBack, Loss, Repair, Report, Review, RunId, Share, What,
};
use super::staged::Staged;
use super::state::{Known, Tombstones};
use super::{StageOptions, print};

/// A change of one memory, by its name; a move is one, by its new name.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) what: What,
    /// The new bytes; none if it is deleted.
    pub(super) bytes: Option<Vec<u8>>,
}

pub(super) type Changes = BTreeMap<String, Change>;

/// What is to be written, and what a person gets to see of it.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) review: Review,
    pub(super) batch: Batch,
    pub(super) changes: Changes,
    /// The index, if it is written.
    pub(super) index: Option<Vec<u8>>,
}

/// What a plan is made from.
pub(super) struct Planner<'a> {
    pub(super) base: &'a Base,
    pub(super) live: &'a Live,
    pub(super) options: &'a StageOptions,
    pub(super) tombstones: &'a Tombstones,
}

impl Planner<'_> {
    pub(super) fn plan(&self, staged: Staged, run: RunId, at: SystemTime) -> Plan {
        let Staged {
            changed,
            index: staged_index,
            mut kept_back,
            texts,
            mut faults,
        } = staged;
        let mut changes = self.changes(changed);
        self.keep_back(&mut changes, &mut kept_back, texts);
        let indexes = Indexes {
            base: self.base.index(),
            live: self.live.index(),
            staged: staged_index.as_deref().unwrap_or_default(),
            case: self.options.store.name_case,
        };
        let after = self.after(&changes);
        let moved: Vec<(&str, &str)> = moved(&changes).collect();
        let files = Files {
            live: self.live.files.keys().map(String::as_str).collect(),
            kept_back: kept_files(&kept_back),
            after: after.clone(),
            moved: moved.clone(),
            may_be_there: &|file| self.live.may_be_there(file),
        };
        let (index, mut repairs) = indexes.merge(&files);
        let (lost, of) = indexes.lost(&index, &files);
        let loss = Loss {
            files: self.lost_files(&changes),
            entries: Share { lost, of },
            bytes: self.lost_bytes(&after),
        };
        faults.extend(guard(&loss, &self.options.loss));
        let mut batch = Batch::new();
        for (file, change) in &mut changes {
            self.write(file, change, &mut batch, &mut repairs, &mut faults);
        }
        let mut index = (index != self.live.index()).then_some(index);
        if let Some(index) = &mut index {
            self.write_index(index, &mut batch, &mut repairs, &mut faults);
        }
        let mut differ = Differ::default();
        let mut list: Vec<FileChange> = changes
            .iter()
            .map(|(file, change)| self.describe(file, change, &mut differ))
            .collect();
        if let Some(index) = &index {
            let what = match self.live.index {
                Some(_) => What::Changed,
                None => What::Created,
            };
            list.push(describe(
                ENTRYPOINT,
                what,
                self.live.index(),
                index,
                &mut differ,
            ));
            let before = self.live.index_print();
            if let Some(change) = list.last_mut() {
                change.before = before;
            }
        }
        list.sort_by(|a, b| a.file.cmp(&b.file));
        kept_back.sort_by(|a, b| a.file.cmp(&b.file));
        faults.sort_by(|a, b| a.file.cmp(&b.file));
        Plan {
            review: Review {
                report: Report {
                    run,
                    at,
                    changes: list,
                    kept_back,
                    repairs,
                    left_out: self.base.left_out.clone(),
                    loss,
                },
                refused: faults,
            },
            batch,
            changes,
            index,
        }
    }

    /// What was created, changed and deleted, and of these what was moved: the body of a file that
    /// is gone stands in one that is new.
    fn changes(&self, changed: BTreeMap<String, Option<Vec<u8>>>) -> Changes {
        let mut gone: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for file in changed
            .iter()
            .filter(|(_, bytes)| bytes.is_none())
            .map(|(file, _)| file)
        {
            if let Some(body) = self.base.files.get(file).and_then(|file| file.body.clone()) {
                gone.entry(body).or_default().push(file);
            }
        }
        let mut from = BTreeMap::new();
        for (file, bytes) in &changed {
            let Some(bytes) = bytes
                .as_ref()
                .filter(|_| !self.base.files.contains_key(file))
            else {
                continue;
            };
            let known = Known::of(bytes);
            let Some(candidates) = known.body.and_then(|body| gone.get_mut(&body)) else {
                continue;
            };
            // The same bytes before the same body.
            let same = candidates
                .iter()
                .position(|name| self.base.files[*name].fingerprint == known.print);
            if !candidates.is_empty() {
                from.insert(file.clone(), candidates.remove(same.unwrap_or(0)).clone());
            }
        }
        let moved: BTreeSet<String> = from.values().cloned().collect();
        let mut changes = Changes::new();
        for (file, bytes) in changed {
            let what = match (&bytes, self.base.files.contains_key(&file)) {
                (None, _) if moved.contains(&file) => continue,
                (None, _) => What::Deleted,
                (Some(_), true) => What::Changed,
                (Some(_), false) => match from.remove(&file) {
                    Some(from) => What::Moved { from },
                    None => What::Created,
                },
            };
            changes.insert(file, Change { what, bytes });
        }
        changes
    }

    /// The memories that there will be, with their bytes where they are known.
    pub(super) fn after<'b>(&'b self, changes: &'b Changes) -> BTreeMap<&'b str, Option<&'b [u8]>> {
        let mut after: BTreeMap<&str, Option<&[u8]>> = BTreeMap::new();
        for file in self.live.files.keys() {
            after.insert(file, self.live.bytes(self.base, file));
        }
        for (file, change) in changes {
            match &change.bytes {
                Some(bytes) => after.insert(file, Some(bytes)),
                None => after.remove(&**file),
            };
            if let What::Moved { from } = &change.what {
                after.remove(&**from);
            }
        }
        after
    }

    fn lost_files(&self, changes: &Changes) -> Share {
        let deleted = changes
            .values()
            .filter(|change| change.what == What::Deleted);
        Share {
            lost: deleted.count() as u64,
            of: self.live.files.len() as u64,
        }
    }

    fn lost_bytes(&self, after: &BTreeMap<&str, Option<&[u8]>>) -> Share {
        let files = self.live.files.keys();
        let before: Vec<Cow<'_, str>> = files
            .filter_map(|file| self.live.bytes(self.base, file))
            .map(String::from_utf8_lossy)
            .collect();
        let after: Vec<Cow<'_, str>> = after
            .values()
            .flatten()
            .map(|bytes| String::from_utf8_lossy(bytes))
            .collect();
        lost_text(
            before.iter().map(Cow::as_ref),
            after.iter().map(Cow::as_ref),
        )
    }

    /// Validates a change and adds it to the batch.
    fn write(
        &self,
        file: &str,
        change: &mut Change,
        batch: &mut Batch,
        repairs: &mut Vec<Repair>,
        faults: &mut Vec<Fault>,
    ) {
        let (name, expected) = match &change.what {
            What::Created => (file, Fingerprint::ABSENT),
            What::Moved { from } => (from.as_str(), Fingerprint::ABSENT),
            _ => (file, self.print_of(file)),
        };
        let before = self.base.files.get(name);
        let Some(bytes) = &change.bytes else {
            return batch.remove(file, expected);
        };
        if let (What::Moved { from }, Some(before)) = (&change.what, before)
            && before.bytes == *bytes
        {
            return batch.rename(from, file, before.fingerprint);
        }
        let mut fault = |reason| {
            let file = file.to_owned();
            faults.push(Fault { file, reason });
        };
        if std::str::from_utf8(bytes).is_err() {
            return fault(FaultReason::NotText);
        }
        let memory = Memory::from_bytes(bytes);
        let old = before.map(|before| Memory::from_bytes(&before.bytes));
        let was_recovered = old.as_ref().is_some_and(Memory::is_recovered);
        if !memory.has_frontmatter() || (memory.is_recovered() && !was_recovered) {
            return fault(FaultReason::Frontmatter);
        }
        let cleared = clear(
            |audience| gate(&memory, audience),
            memory.as_str(),
            old.as_ref()
                .map(|old| (gate(old, Audience::PrivateStrict).err(), old.as_str())),
            &self.options.store,
        );
        match cleared {
            Ok(cleared) => {
                if cleared.as_str() != memory.as_str() {
                    change.bytes = Some(cleared.as_str().as_bytes().to_vec());
                    let file = file.to_owned();
                    repairs.push(Repair::Cleaned { file });
                }
                match &change.what {
                    What::Moved { from } => {
                        batch.rename_and_save(from, file, self.print_of(from), cleared);
                    }
                    _ => batch.save(file, expected, cleared),
                }
            }
            Err(reason) => fault(FaultReason::Gate { reason }),
        }
    }

    fn print_of(&self, file: &str) -> Fingerprint {
        let before = self.base.files.get(file);
        before.map_or(Fingerprint::ABSENT, |before| before.fingerprint)
    }

    fn write_index(
        &self,
        index: &mut Vec<u8>,
        batch: &mut Batch,
        repairs: &mut Vec<Repair>,
        faults: &mut Vec<Fault>,
    ) {
        let mut fault = |reason| {
            let file = ENTRYPOINT.to_owned();
            faults.push(Fault { file, reason });
        };
        let limits = self.options.store.limits;
        if let Some((lines, bytes)) = beyond(index, limits) {
            // One that was too long before may get shorter by and by.
            let shrinks = beyond(self.live.index(), limits)
                .is_some_and(|(old_lines, old_bytes)| lines <= old_lines && bytes <= old_bytes);
            if !shrinks {
                fault(FaultReason::IndexTooLong { lines, bytes });
            }
        }
        let text = String::from_utf8_lossy(index).into_owned();
        let old = String::from_utf8_lossy(self.live.index());
        let cleared = clear(
            |audience| gate_text(&text, audience),
            &text,
            Some((gate_text(&old, Audience::PrivateStrict).err(), &old)),
            &self.options.store,
        );
        match cleared {
            Ok(cleared) => {
                if cleared.as_bytes() != index {
                    *index = cleared.as_bytes().to_vec();
                    let file = ENTRYPOINT.to_owned();
                    repairs.push(Repair::Cleaned { file });
                }
                batch.index(self.live.index_print(), cleared);
            }
            Err(reason) => fault(FaultReason::Gate { reason }),
        }
    }

    fn describe(&self, file: &str, change: &Change, differ: &mut Differ) -> FileChange {
        let name = match &change.what {
            What::Moved { from } => from,
            _ => file,
        };
        let before = self
            .base
            .files
            .get(name)
            .map(|file| &*file.bytes)
            .unwrap_or_default();
        let after = change.bytes.as_deref().unwrap_or_default();
        let mut described = describe(file, change.what.clone(), before, after, differ);
        described.before = self.print_of(name);
        described.after = print(change.bytes.as_deref());
        described
    }
}

/// Clears new text by the strict rules. What they object to may stay if it stood there before.
fn clear<T>(
    gate: impl Fn(Audience) -> Result<Cleared<T>, Refusal>,
    text: &str,
    old: Option<(Option<Refusal>, &str)>,
    options: &StoreOptions,
) -> Result<Cleared<T>, String> {
    let strict = match options.scope {
        memdir_types::Scope::Private => Audience::PrivateStrict,
        memdir_types::Scope::Team => Audience::Team,
    };
    let refusal = match gate(strict) {
        Ok(cleared) => return Ok(cleared),
        Err(refusal) => refusal,
    };
    let places = |refusal: &Refusal, text: &str| -> Vec<(memdir_types::GateRule, String)> {
        let errors = refusal
            .findings()
            .iter()
            .filter(|f| f.severity == Severity::Error);
        let place = |f: &GateFinding| text.get(f.range.clone()).unwrap_or_default().to_owned();
        errors.map(|f| (f.rule, place(f))).collect()
    };
    let mut known = match &old {
        Some((Some(refusal), text)) => places(refusal, text),
        _ => Vec::new(),
    };
    let is_old = places(&refusal, text).into_iter().all(|place| {
        let at = known.iter().position(|old| *old == place);
        at.map(|at| known.swap_remove(at)).is_some()
    });
    match is_old && strict == Audience::PrivateStrict {
        true => gate(Audience::Private).map_err(|refusal| refusal.to_string()),
        false => Err(refusal.to_string()),
    }
}

fn moved(changes: &Changes) -> impl Iterator<Item = (&str, &str)> {
    changes
        .iter()
        .filter_map(|(to, change)| match &change.what {
            What::Moved { from } => Some((from.as_str(), to.as_str())),
            _ => None,
        })
}

/// Both names of a move that is kept back.
fn kept_files(kept_back: &[KeptBack]) -> BTreeSet<&str> {
    let names = kept_back.iter().flat_map(|kept| {
        let from = match &kept.what {
            What::Moved { from } => Some(from.as_str()),
            _ => None,
        };
        from.into_iter().chain([kept.file.as_str()])
    });
    names.collect()
}

fn describe(
    file: &str,
    what: What,
    before: &[u8],
    after: &[u8],
    differ: &mut Differ,
) -> FileChange {
    let lines = differ.diff(before, after);
    FileChange {
        file: file.to_owned(),
        what,
        before: Fingerprint::of(before),
        after: Fingerprint::of(after),
        bytes_before: before.len() as u64,
        bytes_after: after.len() as u64,
        added: lines.added,
        removed: lines.removed,
        diff: lines.text,
    }
}
