//! Writes to the one file that all writers share: a line of the index, or the whole of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use memdir_types::Cleared;

use super::journal::Recovery;
use super::lock::Lock;
use super::save::expect;
use super::{MAX_READ_BYTES, Store, atomic};
use crate::{
    Budget, ENTRYPOINT, Entry, Error, ErrorKind, Fingerprint, Index, SHRINK_PERCENT, budget,
};

/// How often a write to the index starts over because another program changed it meanwhile.
/// Programs that hold no lock write once in a while, not in a loop; more tries would only hide
/// one that does.
const MAX_MERGES: usize = 8;

/// How often an index that is empty is looked at again, letting other threads run in between. Most
/// programs empty a file and fill it a moment later; a thousand looks take about a millisecond.
const MAX_LOOKS: usize = 1_000;

/// Whether a write of the whole index may take much of it away.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Shrink {
    /// Losing more than [`SHRINK_PERCENT`] of the bytes or the entries is refused.
    #[default]
    Refuse,
    /// It was asked for.
    Allow,
}

/// What writing the whole index did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct IndexWritten {
    /// What the index looks like now.
    pub fingerprint: Fingerprint,
    /// Advice, if the index is near its caps.
    pub budget: Option<Budget>,
    /// What a killed writer had left, completed before this write.
    pub recovered: Option<Recovery>,
}

/// What [`Store::commit`] did.
pub(super) struct Committed<T> {
    pub(super) result: T,
    pub(super) bytes: Vec<u8>,
    pub(super) merges: usize,
}

impl Store {
    /// Replaces the whole index by a text, for a host that let a person or a model tidy it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conflict`] if the index is not what `expected` says; [`ErrorKind::Shrinks`] if
    /// much would be lost and `shrink` does not allow it; else as [`save_as`](Store::save_as).
    pub fn replace_index(
        &self,
        text: Cleared<String>,
        expected: Option<Fingerprint>,
        shrink: Shrink,
    ) -> Result<IndexWritten, Error> {
        self.check_audience(text.audience())?;
        let (lock, recovered) = self.begin()?;
        let target = self.index_target()?;
        let old = self.snapshot(ENTRYPOINT)?;
        let before = atomic::fingerprint(old.as_ref());
        expect(expected, before, &target)?;
        let bytes = text.as_bytes();
        let old = old.map(|s| s.bytes).unwrap_or_default();
        self.check_shrink(&old, bytes, shrink)?;
        self.replace_index_locked(&lock, bytes, before)?;
        Ok(IndexWritten {
            fingerprint: Fingerprint::of(bytes),
            budget: budget(bytes, self.options.limits),
            recovered,
        })
    }

    /// The fingerprint of the index, for [`replace_index`](Store::replace_index).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::LeadsOut`], [`ErrorKind::NotAFile`], [`ErrorKind::TooLarge`],
    /// [`ErrorKind::Io`].
    pub fn index_fingerprint(&self) -> Result<Fingerprint, Error> {
        Ok(atomic::fingerprint(self.snapshot(ENTRYPOINT)?.as_ref()))
    }

    /// The index as it is on disk, whole; empty if there is none.
    ///
    /// # Errors
    ///
    /// As [`index_fingerprint`](Store::index_fingerprint).
    pub fn index(&self) -> Result<Index, Error> {
        let bytes = self
            .snapshot(ENTRYPOINT)?
            .map(|s| s.bytes)
            .unwrap_or_default();
        Ok(self.parse(&bytes))
    }

    fn parse(&self, bytes: &[u8]) -> Index {
        Index::from_bytes(bytes).name_case(self.options.name_case)
    }

    pub(super) fn replace_index_locked(
        &self,
        _: &Lock,
        bytes: &[u8],
        before: Fingerprint,
    ) -> Result<(), Error> {
        let target = self.index_target()?;
        let is_due = || Ok(self.index_fingerprint()? == before);
        match atomic::replace(&target, bytes, self.options.durability, is_due)? {
            true => {
                atomic::sync_folders(&[&target], self.options.durability);
                Ok(())
            }
            false => Err(Error::new(ErrorKind::Conflict, target)),
        }
    }

    pub(super) fn check_shrink(&self, old: &[u8], new: &[u8], shrink: Shrink) -> Result<(), Error> {
        let entries_before = self.parse(old).entries().count();
        let entries_after = self.parse(new).entries().count();
        let lost = |before: usize, after: usize| {
            before.saturating_sub(after).saturating_mul(100) > before.saturating_mul(SHRINK_PERCENT)
        };
        if shrink == Shrink::Refuse
            && (lost(old.len(), new.len()) || lost(entries_before, entries_after))
        {
            let kind = ErrorKind::Shrinks {
                bytes_before: old.len(),
                bytes_after: new.len(),
                entries_before,
                entries_after,
            };
            return Err(Error::new(kind, self.dir.join(ENTRYPOINT)));
        }
        Ok(())
    }

    /// Applies a change of single lines to the index as it is now, and merges with programs that
    /// hold no lock. The bytes are compared right before the rename and read again after it, both
    /// under the name and through the handle of the file that was replaced: entries that somebody
    /// wrote into that one meanwhile are carried over.
    pub(super) fn commit<T>(
        &self,
        _: &Lock,
        change: impl Fn(&mut Index) -> T,
    ) -> Result<Committed<T>, Error> {
        let target = self.index_target()?;
        let mut overtaken: Vec<Entry> = Vec::new();
        for merges in 0..MAX_MERGES {
            let mut old = self.snapshot(ENTRYPOINT)?;
            let is_emptied = match &mut old {
                Some(snapshot) => !self.is_filled(snapshot)?,
                None => false,
            };
            let before = atomic::fingerprint(old.as_ref());
            let base = old.as_ref().map_or(&[][..], |snapshot| &snapshot.bytes);
            let mut index = self.parse(base);
            if !overtaken.is_empty() {
                index.upsert_all(&overtaken);
            }
            let result = change(&mut index);
            if is_emptied {
                self.list_all(&mut index);
            }
            let bytes = index.to_bytes();
            if bytes == base {
                return Ok(Committed {
                    result,
                    bytes,
                    merges,
                });
            }
            if bytes.len() as u64 > MAX_READ_BYTES {
                let kind = ErrorKind::TooLarge {
                    bytes: bytes.len() as u64,
                    limit: MAX_READ_BYTES,
                };
                return Err(Error::new(kind, target));
            }
            let is_due = || Ok(self.index_fingerprint()? == before);
            if !atomic::replace(&target, &bytes, self.options.durability, is_due)? {
                continue;
            }
            if let Some(snapshot) = &mut old {
                let late = self.written_late(snapshot);
                if !late.is_empty() {
                    overtaken.extend(late);
                    continue;
                }
            }
            if self.index_fingerprint()? == Fingerprint::of(&bytes) {
                return Ok(Committed {
                    result,
                    bytes,
                    merges,
                });
            }
        }
        Err(Error::new(ErrorKind::Contended, target))
    }

    /// Whether there is something in the index, now or in a moment.
    fn is_filled(&self, snapshot: &mut atomic::Snapshot) -> Result<bool, Error> {
        for _ in 0..MAX_LOOKS {
            if !snapshot.bytes.is_empty() {
                return Ok(true);
            }
            std::thread::yield_now();
            snapshot.bytes = snapshot
                .again()
                .map_err(|e| Error::io(self.dir.join(ENTRYPOINT), e))?;
        }
        Ok(false)
    }

    /// Gives a line to every memory that has none. An index that was emptied while there are
    /// memories may be one that another program is about to fill: what it wrote would go to the
    /// file that ours replaces, and every line would be lost.
    fn list_all(&self, index: &mut Index) {
        let case = self.options.name_case;
        let mut listed: BTreeSet<String> =
            index.entries().map(|entry| case.key(&entry.file)).collect();
        for file in self.scan().files {
            if listed.insert(case.key(&file)) {
                let entry = self.entry_from_header(&file, None);
                index.append(&entry.unwrap_or_else(|_| Entry::new("", &file, "")));
            }
        }
    }

    /// The entries that appeared in a file after it was read, complete lines only: somebody who
    /// writes in place may be in the middle of one.
    pub(super) fn written_late(&self, snapshot: &mut atomic::Snapshot) -> Vec<Entry> {
        let now = match snapshot.again() {
            Ok(now) if now != snapshot.bytes => now,
            // Unchanged, or gone where it cannot be read: nothing to carry over.
            _ => return Vec::new(),
        };
        let case = self.options.name_case;
        let before = self.parse(&snapshot.bytes);
        let mut known: BTreeMap<String, &Entry> = BTreeMap::new();
        for entry in before.entries() {
            known.entry(case.key(&entry.file)).or_insert(entry);
        }
        let end = now.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let after = self.parse(&now[..end]);
        let late = after
            .entries()
            .filter(|entry| known.get(&case.key(&entry.file)) != Some(entry));
        late.cloned().collect()
    }

    /// Where the index really is: itself, or the file inside the directory that it links to.
    pub(super) fn index_target(&self) -> Result<PathBuf, Error> {
        self.real(ENTRYPOINT)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;

    const OLD: &str = "- [A](a.md) — one\n# kept\n- [B](b.md) — two\n";

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(ENTRYPOINT), OLD).unwrap();
        let store = Store::open(dir.path()).unwrap();
        (dir, store)
    }

    /// Runs an upsert of `n.md` during which, so many times, another program does `meddle`.
    fn upsert_while(
        times: usize,
        meddle: impl Fn(&std::path::Path, usize),
    ) -> (String, Result<usize, Error>) {
        let (dir, store) = store();
        let path = dir.path().join(ENTRYPOINT);
        let lock = Lock::acquire(dir.path()).unwrap();
        let calls = Cell::new(0);
        let done = store.commit(&lock, |index| {
            let call = calls.replace(calls.get() + 1);
            if call < times {
                meddle(&path, call);
            }
            index.upsert(&Entry::new("N", "n.md", "new"))
        });
        (
            fs::read_to_string(&path).unwrap(),
            done.map(|done| done.merges),
        )
    }

    #[test]
    fn a_line_that_another_program_adds_in_between_is_merged() {
        let in_place = |path: &std::path::Path, _| {
            fs::write(path, format!("{OLD}- [C](c.md) — three\n")).unwrap();
        };
        let by_rename = |path: &std::path::Path, _| {
            let temp = path.with_extension("new");
            fs::write(&temp, format!("{OLD}- [C](c.md) — three\n")).unwrap();
            fs::rename(&temp, path).unwrap();
        };
        let expected = format!("{OLD}- [C](c.md) — three\n- [N](n.md) — new\n");
        let (text, merges) = upsert_while(1, in_place);
        assert_eq!((text, merges.unwrap()), (expected.clone(), 1));
        let (text, merges) = upsert_while(1, by_rename);
        assert_eq!((text, merges.unwrap()), (expected, 1));
    }

    #[test]
    fn an_index_that_vanishes_or_is_emptied_in_between_is_written_anew() {
        let (text, _) = upsert_while(1, |path, _| fs::remove_file(path).unwrap());
        assert_eq!(text, "- [N](n.md) — new\n");
        let (text, _) = upsert_while(1, |path, _| fs::write(path, "").unwrap());
        assert_eq!(text, "- [N](n.md) — new\n");
    }

    #[test]
    fn an_index_that_is_emptied_keeps_the_lines_of_its_memories() {
        let (dir, store) = store();
        let memory = "---\nname: B\ndescription: two\ntype: user\n---\n";
        fs::write(dir.path().join("b.md"), memory).unwrap();
        fs::write(dir.path().join(ENTRYPOINT), "").unwrap();
        let lock = Lock::acquire(dir.path()).unwrap();
        let new = Entry::new("N", "n.md", "new");
        store.commit(&lock, |index| index.upsert(&new)).unwrap();
        let text = fs::read_to_string(dir.path().join(ENTRYPOINT)).unwrap();
        assert_eq!(text, "- [N](n.md) — new\n- [B](b.md) — two\n");
    }

    #[test]
    fn an_index_that_is_filled_a_moment_later_is_waited_for() {
        let (dir, store) = store();
        let path = dir.path().join(ENTRYPOINT);
        fs::write(&path, "").unwrap();
        let mut snapshot = store.snapshot(ENTRYPOINT).unwrap().unwrap();
        fs::write(&path, OLD).unwrap();
        assert!(store.is_filled(&mut snapshot).unwrap());
        assert_eq!(snapshot.bytes, OLD.as_bytes());
    }

    #[test]
    fn a_program_that_never_stops_is_reported_and_loses_nothing() {
        let (text, merges) = upsert_while(usize::MAX, |path, call| {
            fs::write(path, format!("{OLD}- [C](c.md) — {call}\n")).unwrap();
        });
        assert_eq!(*merges.unwrap_err().kind(), ErrorKind::Contended);
        assert_eq!(text, format!("{OLD}- [C](c.md) — {}\n", MAX_MERGES - 1));
    }

    #[test]
    fn complete_lines_written_into_the_replaced_file_are_carried_over() {
        let (dir, store) = store();
        let mut snapshot = store.snapshot(ENTRYPOINT).unwrap().unwrap();
        assert!(store.written_late(&mut snapshot).is_empty());
        let path = dir.path().join(ENTRYPOINT);
        fs::write(&path, format!("{OLD}- [C](c.md) — three\n- [D](d.md) — to")).unwrap();
        let late = store.written_late(&mut snapshot);
        assert_eq!(late, [Entry::new("C", "c.md", "three")]);
    }
}
