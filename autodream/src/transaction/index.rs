//! The index after a run: what the agent wrote, what sessions wrote meanwhile, and the lines that
//! the files call for.

use std::collections::{BTreeMap, BTreeSet};

use memdir_index::{Entry, Index, Limits, NameCase, check_memory_name, strip};
use memdir_types::Memory;

use super::report::Repair;

/// What the index is made of.
pub(super) struct Indexes<'a> {
    pub(super) base: &'a [u8],
    pub(super) live: &'a [u8],
    pub(super) staged: &'a [u8],
    pub(super) case: NameCase,
}

/// The files that the index has to agree with.
pub(super) struct Files<'a> {
    /// Those that are there now.
    pub(super) live: BTreeSet<&'a str>,
    /// Those that will be, with their bytes if they are known.
    pub(super) after: BTreeMap<&'a str, Option<&'a [u8]>>,
    /// Those whose change is kept back.
    pub(super) kept_back: BTreeSet<&'a str>,
    /// Those that are moved: from, to.
    pub(super) moved: Vec<(&'a str, &'a str)>,
    /// Whether a file that is in neither list may be there.
    pub(super) may_be_there: &'a dyn Fn(&str) -> bool,
}

type Lines = BTreeMap<String, Entry>;

impl Indexes<'_> {
    fn parse(&self, bytes: &[u8]) -> Index {
        Index::from_bytes(bytes).name_case(self.case)
    }

    /// The first entry of each file.
    fn lines(&self, index: &Index) -> Lines {
        let mut lines = Lines::new();
        for entry in index.entries() {
            lines
                .entry(self.case.key(&entry.file))
                .or_insert_with(|| entry.clone());
        }
        lines
    }

    /// What the index is to be, and what was put right in it.
    pub(super) fn merge(&self, files: &Files<'_>) -> (Vec<u8>, Vec<Repair>) {
        let live = self.lines(&self.parse(self.live));
        let mut index = self.three_ways(&live);
        index = self.keep_back(index, files, &live);
        let repairs = self.agree(&mut index, files, &live);
        (index.to_bytes(), repairs)
    }

    /// What the agent wrote, with what sessions added, changed and removed since.
    fn three_ways(&self, live: &Lines) -> Index {
        if self.staged == self.base {
            return self.parse(self.live);
        }
        let mut index = self.parse(self.staged);
        if self.live == self.base {
            return index;
        }
        let base_index = self.parse(self.base);
        let base = self.lines(&base_index);
        index.retain(|entry| {
            let key = self.case.key(&entry.file);
            live.contains_key(&key) || !base.contains_key(&key)
        });
        let since: Vec<Entry> = live
            .iter()
            .filter(|(key, entry)| base.get(*key) != Some(*entry))
            .map(|(_, entry)| entry.clone())
            .collect();
        index.upsert_all(&since);
        self.add_foreign_lines(index, &base_index)
    }

    /// Lines that are no entries and that a session added.
    fn add_foreign_lines(&self, index: Index, base: &Index) -> Index {
        let foreign = |index: &Index| -> Vec<String> {
            let lines = index
                .lines()
                .filter(|(_, text, entry)| entry.is_none() && !text.trim().is_empty());
            lines.map(|(_, text, _)| text).collect()
        };
        let known: BTreeSet<String> = foreign(base).into_iter().chain(foreign(&index)).collect();
        let mut bytes = index.to_bytes();
        let mut added = false;
        for line in foreign(&self.parse(self.live)) {
            if !known.contains(&line) {
                if !bytes.is_empty() && !bytes.ends_with(b"\n") {
                    bytes.push(b'\n');
                }
                bytes.extend_from_slice(line.as_bytes());
                bytes.push(b'\n');
                added = true;
            }
        }
        if added { self.parse(&bytes) } else { index }
    }

    /// A file whose change is kept back has the line that it has now.
    fn keep_back(&self, mut index: Index, files: &Files<'_>, live: &Lines) -> Index {
        if files.kept_back.is_empty() {
            return index;
        }
        let keys: BTreeMap<String, &str> = files
            .kept_back
            .iter()
            .map(|file| (self.case.key(file), *file))
            .collect();
        index.retain(|entry| {
            let key = self.case.key(&entry.file);
            // A file that is there and has no line may keep one that it was given.
            !keys.contains_key(&key)
                || live.contains_key(&key)
                || files.after.contains_key(keys[&key])
        });
        let lines: Vec<Entry> = keys
            .keys()
            .filter_map(|key| live.get(key))
            .cloned()
            .collect();
        let listed = self.lines(&index);
        let is_gone = |entry: &Entry| !listed.contains_key(&self.case.key(&entry.file));
        let (gone, other): (Vec<Entry>, Vec<Entry>) = lines.into_iter().partition(is_gone);
        index.upsert_all(&other);
        match gone.is_empty() {
            true => index,
            false => self.put_where_they_were(&index, &gone),
        }
    }

    /// Gives lines of the live index back to one that has lost them, each behind the line that it
    /// stood behind.
    fn put_where_they_were(&self, index: &Index, gone: &[Entry]) -> Index {
        let gone: BTreeSet<String> = gone
            .iter()
            .map(|entry| self.case.key(&entry.file))
            .collect();
        let split = |bytes: &[u8]| -> Vec<Vec<u8>> {
            bytes
                .split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect()
        };
        let mut lines = split(&index.to_bytes());
        let live = split(self.live);
        let mut at = 0;
        for (raw, (_, _, entry)) in live.iter().zip(self.parse(self.live).lines()) {
            let is_gone = entry.is_some_and(|entry| gone.contains(&self.case.key(&entry.file)));
            if !is_gone {
                // Lines that were put elsewhere do not say where this one belongs.
                if let Some(behind) = lines[at..].iter().position(|line| line == raw) {
                    at += behind + 1;
                }
                continue;
            }
            if let Some(last) = at.checked_sub(1).and_then(|last| lines.get_mut(last))
                && !last.ends_with(b"\n")
            {
                last.push(b'\n');
            }
            let mut raw = raw.clone();
            if !raw.ends_with(b"\n") && at < lines.len() {
                raw.push(b'\n');
            }
            lines.insert(at, raw);
            at += 1;
        }
        self.parse(&lines.concat())
    }

    /// Drops lines that point at no file any more, and gives a line to files that have none.
    fn agree(&self, index: &mut Index, files: &Files<'_>, live: &Lines) -> Vec<Repair> {
        let mut repairs = Vec::new();
        let now: BTreeSet<String> = files.live.iter().map(|file| self.case.key(file)).collect();
        let after: BTreeSet<String> = files.after.keys().map(|file| self.case.key(file)).collect();
        // A line follows its file, unless the agent wrote one.
        let mut listed: BTreeSet<String> = index
            .entries()
            .map(|entry| self.case.key(&entry.file))
            .collect();
        for (from, to) in &files.moved {
            let (from, to) = (self.case.key(from), self.case.key(to));
            if listed.contains(&from) && !listed.contains(&to) && !after.contains(&from) {
                listed.insert(to);
            }
        }
        let has_line: BTreeSet<String> = index
            .entries()
            .map(|entry| self.case.key(&entry.file))
            .collect();
        for (from, to) in &files.moved {
            let (key, new) = (self.case.key(from), self.case.key(to));
            if has_line.contains(&key) && !has_line.contains(&new) && !after.contains(&key) {
                index.rename(from, to);
            }
        }
        index.retain(|entry| {
            let key = self.case.key(&entry.file);
            if after.contains(&key) || (files.may_be_there)(&entry.file) {
                return true;
            }
            // One that pointed at nothing before is the agent's to prune.
            let was_dangling = live.contains_key(&key) && !now.contains(&key);
            if !was_dangling {
                let file = entry.file.clone();
                repairs.push(Repair::LineDropped { file });
            }
            was_dangling
        });
        let mut missing = Vec::new();
        for (file, bytes) in &files.after {
            let key = self.case.key(file);
            let was_orphan = now.contains(&key) && !live.contains_key(&key);
            if listed.contains(&key) || was_orphan || check_memory_name(file).is_err() {
                continue;
            }
            let memory = Memory::from_bytes(bytes.unwrap_or_default());
            missing.push(Entry::new(
                memory.name().unwrap_or_default(),
                file,
                memory.description().unwrap_or_default(),
            ));
            repairs.push(Repair::LineAdded {
                file: (*file).to_owned(),
            });
        }
        index.upsert_all(&missing);
        repairs
    }

    /// Entries that there are now, and those of them that the index has no more. A line that points
    /// at nothing is no loss: dropping it is what a consolidation is for.
    pub(super) fn lost(&self, after: &[u8], files: &Files<'_>) -> (u64, u64) {
        let live = self.lines(&self.parse(self.live));
        let after = self.lines(&self.parse(after));
        let there: BTreeSet<String> = files.live.iter().map(|file| self.case.key(file)).collect();
        let moved: BTreeMap<String, String> = files
            .moved
            .iter()
            .map(|(from, to)| (self.case.key(from), self.case.key(to)))
            .collect();
        let live: Vec<&String> = live
            .iter()
            .filter(|(key, entry)| there.contains(*key) || (files.may_be_there)(&entry.file))
            .map(|(key, _)| key)
            .collect();
        let lost = live.iter().filter(|key| {
            !after.contains_key(**key) && !moved.get(**key).is_some_and(|to| after.contains_key(to))
        });
        (lost.count() as u64, live.len() as u64)
    }
}

/// Lines and bytes of an index beyond its caps; `None` if it is within them.
pub(super) fn beyond(index: &[u8], limits: Limits) -> Option<(usize, usize)> {
    let text = strip(index);
    let (lines, size) = (text.lines().count(), limits.measure.size(&text));
    (lines > limits.lines || size > limits.size).then_some((lines, size))
}
