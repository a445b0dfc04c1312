//! The index made anew from the memories themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use memdir_types::{Audience, Scope, gate_text, parse_header};

use super::index_file::Shrink;
use super::journal::Recovery;
use super::scan::Why;
use super::{Store, atomic};
use crate::index::Index;
use crate::{Budget, ENTRYPOINT, Entry, Error, Fingerprint, budget};

/// How much of a memory is read for its header: 128 KiB, more than a header may have.
const MAX_HEADER_BYTES: u64 = 128 * 1024;

/// What rebuilding does with lines that point at living memories.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ExistingLines {
    /// They stay as they are: a person may have worded them.
    #[default]
    Keep,
    /// They are written anew from name and description, where the memory has them.
    Refresh,
}

/// How [`Store::rebuild_with`] works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RebuildOptions {
    /// Lines that point at living memories; they are kept unless set.
    pub existing: ExistingLines,
    /// Whether the index may lose much; it may not unless set.
    pub shrink: Shrink,
}

impl RebuildOptions {
    /// Sets what happens to lines that point at living memories.
    #[must_use]
    pub fn existing(mut self, existing: ExistingLines) -> RebuildOptions {
        self.existing = existing;
        self
    }

    /// Sets whether the index may lose much.
    #[must_use]
    pub fn shrink(mut self, shrink: Shrink) -> RebuildOptions {
        self.shrink = shrink;
        self
    }
}

/// What rebuilding did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rebuilt {
    /// Memories that got a line.
    pub added: Vec<String>,
    /// Memories whose line was written anew.
    pub updated: Vec<String>,
    /// Files whose line was removed, as they do not exist.
    pub dangling: Vec<String>,
    /// Files whose further lines were removed.
    pub duplicates: Vec<String>,
    /// Files that are not listed, or not with their own words, and why.
    pub unlisted: Vec<Unlisted>,
    /// What the index looks like now.
    pub fingerprint: Fingerprint,
    /// Advice, if the index is near its caps.
    pub budget: Option<Budget>,
    /// What a killed writer had left, completed before this write.
    pub recovered: Option<Recovery>,
}

/// A file that could not be listed, or whose words were refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Unlisted {
    /// The file; invalid bytes are replaced.
    pub file: String,
    /// Why.
    pub reason: String,
}

impl Store {
    /// Rebuilds the index with the default options.
    ///
    /// # Errors
    ///
    /// As [`rebuild_with`](Store::rebuild_with).
    pub fn rebuild(&self) -> Result<Rebuilt, Error> {
        self.rebuild_with(&RebuildOptions::default())
    }

    /// Gives every memory its one line: lines for missing files and further lines for one file
    /// go, memories without a line get one from their frontmatter at the end. Foreign lines and
    /// the order of the rest stay. New words pass the gate; refused ones are left out and
    /// reported.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shrinks`](crate::ErrorKind::Shrinks) if much of the index would go, as when
    /// the memories are on a disk that is not there; else as [`Store::save_as`].
    pub fn rebuild_with(&self, options: &RebuildOptions) -> Result<Rebuilt, Error> {
        let (lock, recovered) = self.begin()?;
        let scan = self.scan();
        let old = self.snapshot(ENTRYPOINT)?;
        let before = atomic::fingerprint(old.as_ref());
        let old = old.map(|s| s.bytes).unwrap_or_default();
        let case = self.options.name_case;
        let mut index = Index::from_bytes(&old).name_case(case);
        let mut rebuilt = Rebuilt {
            added: Vec::new(),
            updated: Vec::new(),
            dangling: Vec::new(),
            duplicates: Vec::new(),
            unlisted: Vec::new(),
            fingerprint: before,
            budget: None,
            recovered,
        };

        let mut alive: BTreeSet<String> = scan.files.iter().map(|file| case.key(file)).collect();
        for (file, why) in &scan.left_out {
            // A file that is there but cannot be read keeps the line it has.
            if matches!(why, Why::Unreadable(_) | Why::TooMany) {
                alive.insert(case.key(file));
            }
            rebuilt.unlisted.push(Unlisted {
                file: file.clone(),
                reason: why.reason(),
            });
        }

        let mut listed: BTreeMap<String, Entry> = BTreeMap::new();
        index.retain(|entry| {
            let key = case.key(&entry.file);
            if !alive.contains(&key) && !self.may_be_unseen(&entry.file, &scan) {
                rebuilt.dangling.push(entry.file.clone());
                return false;
            }
            if listed.contains_key(&key) {
                rebuilt.duplicates.push(entry.file.clone());
                return false;
            }
            listed.insert(key, entry.clone());
            true
        });
        let mut refreshed = Vec::new();
        let shared = scan.shared_keys(case);
        for file in &scan.files {
            let key = case.key(file);
            let existing = listed.get(&key);
            if let Some(entry) = existing.filter(|_| shared.contains(&key))
                && entry.file != *file
            {
                rebuilt.unlisted.push(Unlisted {
                    file: file.clone(),
                    reason: "another file has the same name in another spelling".to_owned(),
                });
                continue;
            }
            if existing.is_some() && options.existing == ExistingLines::Keep {
                continue;
            }
            let entry = self
                .entry_from_header(file, existing)
                .unwrap_or_else(|unlisted| {
                    rebuilt.unlisted.push(unlisted);
                    // The memory surfaces under its own name, or the words it had, all the same.
                    existing
                        .cloned()
                        .unwrap_or_else(|| Entry::new("", file, ""))
                });
            if existing.is_none() {
                index.append(&entry);
                rebuilt.added.push(file.clone());
                listed.insert(key, entry);
            } else {
                refreshed.push(entry);
            }
        }
        rebuilt.updated = index.upsert_all(&refreshed);

        let bytes = index.to_bytes();
        if bytes != old {
            self.check_shrink(&old, &bytes, options.shrink)?;
            self.replace_index_locked(&lock, &bytes, before)?;
            rebuilt.fingerprint = Fingerprint::of(&bytes);
        }
        rebuilt.budget = budget(&bytes, self.options.limits);
        Ok(rebuilt)
    }

    /// The entry of a memory by its own words, or by those that the index had.
    pub(super) fn entry_from_header(
        &self,
        file: &str,
        existing: Option<&Entry>,
    ) -> Result<Entry, Unlisted> {
        let unlisted = |reason: String| Unlisted {
            file: file.to_owned(),
            reason,
        };
        let path = self.dir.join(file);
        let opened = memdir_paths::open_inside(&self.dir, file)
            .map_err(|e| unlisted(atomic::from_paths(e, path).reason()))?;
        let mut bytes = Vec::new();
        opened
            .take(MAX_HEADER_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|e| unlisted(e.to_string()))?;
        let header = parse_header(&String::from_utf8_lossy(&bytes));
        let title = header.name.or_else(|| existing.map(|e| e.title.clone()));
        let hook = header
            .description
            .or_else(|| existing.map(|e| e.hook.clone()));
        // Title and hook are gated apart, so that neither can hide in the other's line.
        let clear = |text: Option<String>| {
            gate_text(&text.unwrap_or_default(), self.audience())
                .map(|cleared| cleared.into_inner())
                .map_err(|refusal| unlisted(refusal.to_string()))
        };
        Ok(Entry::new(&clear(title)?, file, &clear(hook)?))
    }

    /// For whom a text of this store has to be cleared.
    pub(super) fn audience(&self) -> Audience {
        match self.options.scope {
            Scope::Private => Audience::Private,
            Scope::Team => Audience::Team,
        }
    }
}
