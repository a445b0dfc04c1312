//! Which changes stay undone, though nothing is wrong with them.

use std::collections::{BTreeMap, HashSet};

use memdir_types::Memory;

use super::live::LiveFile;
use super::plan::{Change, Changes, Planner};
use super::report::{KeptBack, KeptReason, What};
use super::state::Known;

impl Planner<'_> {
    /// Takes out what stays undone, and what is done already.
    pub(super) fn keep_back(&self, changes: &mut Changes, kept_back: &mut Vec<KeptBack>) {
        let mut kept: Vec<(String, KeptReason)> = Vec::new();
        let mut done = Vec::new();
        for (file, change) in changes.iter() {
            match self.reason(file, change, changes) {
                Ok(true) => {}
                Ok(false) => done.push(file.clone()),
                Err(reason) => kept.push((file.clone(), reason)),
            }
        }
        for file in done {
            changes.remove(&file);
        }
        let mut texts = Vec::new();
        loop {
            for (file, reason) in kept.drain(..) {
                if let Some(change) = changes.remove(&file) {
                    texts.extend(change.bytes.map(|bytes| (file.clone(), bytes)));
                    let what = change.what;
                    kept_back.push(KeptBack { file, what, reason });
                }
            }
            kept = self.together(changes, &texts);
            if kept.is_empty() {
                break;
            }
        }
    }

    /// Changes that take text away which only a change that is kept back would have put elsewhere.
    fn together(
        &self,
        changes: &Changes,
        texts: &[(String, Vec<u8>)],
    ) -> Vec<(String, KeptReason)> {
        if texts.is_empty() {
            return Vec::new();
        }
        let kept: Vec<(&str, Memory)> = texts
            .iter()
            .map(|(file, bytes)| (file.as_str(), Memory::from_bytes(bytes)))
            .collect();
        let mut lines: BTreeMap<&str, &str> = BTreeMap::new();
        for (file, memory) in &kept {
            lines.extend(body_lines(memory).map(|line| (line, *file)));
        }
        let after: Vec<Memory> = self
            .after(changes)
            .values()
            .flatten()
            .map(|bytes| Memory::from_bytes(bytes))
            .collect();
        let there: HashSet<&str> = after.iter().flat_map(body_lines).collect();
        let mut found = Vec::new();
        for (file, change) in changes {
            let before = match &change.what {
                What::Moved { from } => from,
                _ => file,
            };
            let Some(before) = self.base.files.get(before) else {
                continue;
            };
            let memory = Memory::from_bytes(&before.bytes);
            let homeless =
                body_lines(&memory).find(|line| !there.contains(line) && lines.contains_key(line));
            if let Some(line) = homeless {
                let to = lines[line].to_owned();
                found.push((file.clone(), KeptReason::Together { file: to }));
            }
        }
        found
    }

    /// Whether a change is to be written; `false` if a session did the same meanwhile.
    fn reason(&self, file: &str, change: &Change, all: &Changes) -> Result<bool, KeptReason> {
        match &change.what {
            What::Deleted => self.may_go(file, all),
            What::Changed => self.may_change(file, change, all),
            What::Moved { from } => {
                let comes = self.may_come(file, change, all)?;
                let goes = self.may_go(from, all)?;
                // One half that a session did is no move any more.
                match comes && goes {
                    true => Ok(true),
                    false if !comes && !goes => Ok(false),
                    false => Err(KeptReason::ChangedMeanwhile),
                }
            }
            _ => self.may_come(file, change, all),
        }
    }

    fn is_pinned(&self, file: &str) -> bool {
        self.options.pinned.iter().any(|pinned| pinned == file)
            || self.base.files.get(file).is_some_and(|file| file.pinned)
    }

    fn may_change(&self, file: &str, change: &Change, all: &Changes) -> Result<bool, KeptReason> {
        if self.is_pinned(file) {
            return Err(KeptReason::Pinned);
        }
        match self.live.files.get(file) {
            Some(LiveFile::Same) => {}
            Some(LiveFile::Other(bytes)) if Some(bytes) == change.bytes.as_ref() => {
                return Ok(false);
            }
            _ => return Err(KeptReason::ChangedMeanwhile),
        }
        let leads_to = self
            .base
            .files
            .get(file)
            .and_then(|file| file.leads_to.as_ref());
        if leads_to.is_some_and(|real| all.contains_key(real) || self.is_pinned(real)) {
            return Err(KeptReason::Linked);
        }
        let known = Known::of(change.bytes.as_deref().unwrap_or_default());
        // A body that stays is no text that comes back.
        if self
            .base
            .files
            .get(file)
            .is_some_and(|before| before.body == known.body)
        {
            return Ok(true);
        }
        match self.tombstones.recognize_text(&known) {
            Some(by) => Err(KeptReason::Rejected { by }),
            None => Ok(true),
        }
    }

    fn may_go(&self, file: &str, all: &Changes) -> Result<bool, KeptReason> {
        if self.is_pinned(file) {
            return Err(KeptReason::Pinned);
        }
        match self.live.files.get(file) {
            None => return Ok(false),
            Some(LiveFile::Same) => {}
            Some(_) => return Err(KeptReason::ChangedMeanwhile),
        }
        let is_led_to = self.base.files.iter().any(|(name, other)| {
            let goes = || {
                all.get(name)
                    .is_some_and(|change| change.what == What::Deleted)
            };
            other.leads_to.as_deref() == Some(file) && !goes()
        });
        if is_led_to {
            return Err(KeptReason::Linked);
        }
        Ok(true)
    }

    fn may_come(&self, file: &str, change: &Change, all: &Changes) -> Result<bool, KeptReason> {
        match self.live.files.get(file) {
            None => {}
            Some(LiveFile::Other(bytes)) if Some(bytes) == change.bytes.as_ref() => {
                return Ok(false);
            }
            Some(LiveFile::Opaque) => return Err(KeptReason::NameTaken),
            Some(_) => return Err(KeptReason::ChangedMeanwhile),
        }
        if self.is_pinned(file) {
            return Err(KeptReason::Pinned);
        }
        if self.is_taken(file, all) {
            return Err(KeptReason::NameTaken);
        }
        let known = Known::of(change.bytes.as_deref().unwrap_or_default());
        // What is only moved is there, and does not come back by its text.
        let by = match &change.what {
            What::Moved { from } if self.has_text(from, &known) => {
                let file_only = Known {
                    title: None,
                    body: None,
                    ..known
                };
                self.tombstones.recognize(file, &file_only)
            }
            _ => self.tombstones.recognize(file, &known),
        };
        match by {
            Some(by) => Err(KeptReason::Rejected { by }),
            None => Ok(true),
        }
    }

    fn has_text(&self, file: &str, known: &Known) -> bool {
        let before = self.base.files.get(file);
        before.is_some_and(|file| file.title == known.title && file.body == known.body)
    }

    /// Whether a file has the same name in another spelling, is where a folder is needed, or the
    /// reverse.
    fn is_taken(&self, file: &str, all: &Changes) -> bool {
        let case = self.options.store.name_case;
        let key = case.key(file);
        let folder = format!("{key}/");
        let clashes = |other: &str| {
            let other_key = case.key(other);
            other != file
                && (other_key == key
                    || other_key.starts_with(&folder)
                    || (key.starts_with(&other_key) && key[other_key.len()..].starts_with('/')))
        };
        let left_out = self.base.left_out.iter().any(|left| left.file == file);
        left_out
            || self.live.files.keys().any(|other| clashes(other))
            // Of two new ones the first stays.
            || all.range(..file.to_owned()).any(|(other, change)| {
                matches!(change.what, What::Created | What::Moved { .. }) && clashes(other)
            })
    }
}

fn body_lines(memory: &Memory) -> impl Iterator<Item = &str> {
    memory
        .body()
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
}
