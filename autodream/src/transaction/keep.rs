//! Which changes stay undone, though nothing is wrong with them.

use std::collections::{BTreeMap, HashSet};

use memdir_types::Memory;

use super::live::LiveFile;
use super::loss::words_of;
use super::plan::{Change, Changes, Planner};
use super::report::{KeptBack, KeptReason, What};
use super::state::Known;

/// So much of a line's words, in percent of their bytes, stand in one that says the same. Ours.
const SAME_PERCENT: usize = 60;

impl Planner<'_> {
    /// Takes out what stays undone, and what is done already.
    pub(super) fn keep_back(
        &self,
        changes: &mut Changes,
        kept_back: &mut Vec<KeptBack>,
        mut texts: Vec<(String, Vec<u8>)>,
    ) {
        let mut kept: Vec<(String, KeptReason)> = Vec::new();
        let mut done = Vec::new();
        let around = self.around(changes);
        for (file, change) in changes.iter() {
            match self.reason(file, change, &around) {
                Ok(true) => {}
                Ok(false) => done.push(file.clone()),
                Err(reason) => kept.push((file.clone(), reason)),
            }
        }
        for file in done {
            changes.remove(&file);
        }
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

    /// Changes that take text away which only a change that is kept back would have put elsewhere,
    /// as it was or worded anew. In doubt one is kept back too many: the next run makes it.
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
        let base: Vec<Memory> = self
            .base
            .files
            .values()
            .map(|file| Memory::from_bytes(&file.bytes))
            .collect();
        let was: HashSet<&str> = base.iter().flat_map(body_lines).collect();
        let new = |memory| body_lines(memory).filter(|line| !was.contains(line));
        let kept_words: Vec<(&str, HashSet<String>)> = kept
            .iter()
            .map(|(file, memory)| (*file, new(memory).flat_map(words).collect()))
            .collect();
        let new_words: HashSet<String> = after.iter().flat_map(new).flat_map(words).collect();
        let worded_anew = |line: &str| {
            let all: Vec<String> = words(line).collect();
            let bytes = |of: &HashSet<String>| -> usize {
                let found = all.iter().filter(|word| of.contains(*word));
                found.map(String::len).sum()
            };
            let size: usize = all.iter().map(String::len).sum();
            let written = bytes(&new_words);
            let is_most = |kept: usize| kept > written && kept * 100 >= size * SAME_PERCENT;
            let mut files = kept_words.iter();
            files
                .find(|(_, kept)| is_most(bytes(kept)))
                .map(|(file, _)| *file)
        };
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
            let to = body_lines(&memory)
                .filter(|line| !there.contains(line))
                .find_map(|line| lines.get(line).copied().or_else(|| worded_anew(line)));
            if let Some(to) = to {
                let to = to.to_owned();
                found.push((file.clone(), KeptReason::Together { file: to }));
            }
        }
        found
    }

    /// Whether a change is to be written; `false` if a session did the same meanwhile.
    fn reason(&self, file: &str, change: &Change, all: &Around<'_>) -> Result<bool, KeptReason> {
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
        self.options.is_pinned(file) || self.base.files.get(file).is_some_and(|file| file.pinned)
    }

    fn may_change(
        &self,
        file: &str,
        change: &Change,
        all: &Around<'_>,
    ) -> Result<bool, KeptReason> {
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
        let base = self.base.files.get(file);
        if let Some(real) = base.and_then(|file| file.leads_to.as_ref()) {
            let is_first = all
                .through
                .get(real.as_str())
                .is_none_or(|first| *first == file);
            if all.changes.contains_key(real) || self.is_pinned(real) || !is_first {
                return Err(KeptReason::Linked);
            }
        }
        let known = Known::of(change.bytes.as_deref().unwrap_or_default());
        // A body that stays is no text that comes back.
        if base.is_some_and(|before| before.body == known.body) {
            return Ok(true);
        }
        match self.tombstones.recognize_text(&known) {
            Some(by) => Err(KeptReason::Rejected { by }),
            None => Ok(true),
        }
    }

    fn may_go(&self, file: &str, all: &Around<'_>) -> Result<bool, KeptReason> {
        if self.is_pinned(file) {
            return Err(KeptReason::Pinned);
        }
        match self.live.files.get(file) {
            None => return Ok(false),
            Some(LiveFile::Same) => {}
            Some(_) => return Err(KeptReason::ChangedMeanwhile),
        }
        let is_led_to = all.led_to.get(file).is_some_and(|names| {
            let goes = |name: &&str| match all.changes.get(*name) {
                Some(change) => change.what == What::Deleted,
                None => false,
            };
            !names.iter().all(goes)
        });
        if is_led_to {
            return Err(KeptReason::Linked);
        }
        Ok(true)
    }

    fn may_come(&self, file: &str, change: &Change, all: &Around<'_>) -> Result<bool, KeptReason> {
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
    fn is_taken(&self, file: &str, all: &Around<'_>) -> bool {
        let key = self.options.store.name_case.key(file);
        let left_out = self.base.left_out.iter().any(|left| left.file == file);
        // Of two new ones the first stays.
        left_out || clashes(&all.live, &key, |_| true) || clashes(&all.new, &key, |new| new < file)
    }

    fn around<'b>(&'b self, changes: &'b Changes) -> Around<'b> {
        let case = self.options.store.name_case;
        let mut around = Around {
            changes,
            live: Names::new(),
            new: Names::new(),
            led_to: BTreeMap::new(),
            through: BTreeMap::new(),
        };
        for file in self.live.files.keys() {
            around.live.entry(case.key(file)).or_default().push(file);
        }
        for (file, change) in changes {
            if matches!(change.what, What::Created | What::Moved { .. }) {
                around.new.entry(case.key(file)).or_default().push(file);
            }
        }
        for (file, base) in &self.base.files {
            let Some(real) = &base.leads_to else {
                continue;
            };
            around.led_to.entry(real).or_default().push(file);
            if changes
                .get(file)
                .is_some_and(|change| change.what == What::Changed)
            {
                around.through.entry(real).or_insert(file);
            }
        }
        around
    }
}

/// Names by the key that equal names share.
type Names<'a> = BTreeMap<String, Vec<&'a str>>;

/// What a change has to get along with.
struct Around<'a> {
    changes: &'a Changes,
    live: Names<'a>,
    /// The names of files that come.
    new: Names<'a>,
    /// The links that lead to a file.
    led_to: BTreeMap<&'a str, Vec<&'a str>>,
    /// The first link that a file is changed through.
    through: BTreeMap<&'a str, &'a str>,
}

/// Whether one of these names is in the way of a new file of that key.
fn clashes(names: &Names<'_>, key: &str, counts: impl Fn(&str) -> bool) -> bool {
    let any = |names: &Vec<&str>| names.iter().any(|name| counts(name));
    let folder = format!("{key}/");
    let below = names
        .range(folder.clone()..)
        .take_while(|(other, _)| other.starts_with(&folder));
    names.get(key).is_some_and(any)
        || below.into_iter().any(|(_, names)| any(names))
        || key
            .match_indices('/')
            .any(|(at, _)| names.get(&key[..at]).is_some_and(any))
}

/// Words as they are compared.
fn words(line: &str) -> impl Iterator<Item = String> {
    words_of(line).map(str::to_lowercase)
}

fn body_lines(memory: &Memory) -> impl Iterator<Item = &str> {
    memory
        .body()
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
}
