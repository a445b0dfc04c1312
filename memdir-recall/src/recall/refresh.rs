//! What changed in the directory, and which bodies there is room for.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use memdir_types::Memory;

use super::{Recall, name_field, read_inside};
use crate::lexical::index::{Gather, Origin};
use crate::scan::{Depth, read_text, scan_with};
use crate::{Error, MAX_MEMORY_BYTES, MemoryFile, ScanOptions};

/// What a refresh did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Refreshed {
    /// How many files were read: new and changed ones, and those whose bodies were left out
    /// before and have room now.
    pub read: usize,
    /// How many memories are gone.
    pub gone: usize,
}

/// What is known of a memory's body.
pub(super) struct Body {
    bytes: usize,
    /// There was no room for others.
    pub(super) is_indexed: bool,
}

/// What one refresh reads.
#[derive(Default)]
struct Fresh {
    gather: Gather,
    /// The numbers of the memories there.
    numbers: HashMap<String, u32>,
}

impl Fresh {
    /// Takes a memory in; whether it is here for the first time.
    fn take(&mut self, memory: &MemoryFile, body: &str) -> bool {
        let description = memory.header.description.as_deref().unwrap_or_default();
        let number = self.gather.read(&name_field(memory), description, body);
        self.numbers.insert(memory.file.clone(), number).is_none()
    }
}

impl Recall {
    /// Looks for what changed in the directory: a stat per file, and a read for each new or
    /// changed one and for each whose body has room now. What could not be read is tried again.
    /// Blocking.
    ///
    /// Afterwards everything is as a new scan finds it. A file counts as unchanged if path, time
    /// and size are.
    ///
    /// # Errors
    ///
    /// Those of [`scan`](Recall::scan); then everything is as it was.
    pub fn refresh(&mut self) -> Result<Refreshed, Error> {
        let options = ScanOptions::default()
            .newest(usize::MAX)
            .team(self.options.team);
        let mut fresh = Fresh::default();
        // Who has to make room is decided when all are known; until then this is the most that is
        // taken in.
        let mut room = self.limit;
        let found = scan_with(
            &self.dir,
            &options,
            &mut self.store,
            Depth::Whole,
            |memory, text| {
                let parsed = Memory::parse(text);
                let body = parsed.body();
                let is_indexed = body.len() <= room;
                room -= if is_indexed { body.len() } else { 0 };
                fresh.take(memory, if is_indexed { body } else { "" });
                Body {
                    bytes: body.len(),
                    is_indexed,
                }
            },
        )?;
        let files = found.files;
        self.skipped = found.skipped;
        let mut refreshed = Refreshed {
            read: fresh.numbers.len(),
            gone: 0,
        };
        let is_same = fresh.numbers.is_empty()
            && files.len() == self.files.len()
            && files
                .iter()
                .zip(&self.files)
                .all(|(a, b)| Arc::ptr_eq(a, b));
        if is_same && !self.is_unsettled {
            return Ok(refreshed);
        }
        refreshed.read += self.share_room(&files, &mut fresh);
        if is_same && fresh.numbers.is_empty() {
            return Ok(refreshed);
        }
        let gone = |old: &&Arc<MemoryFile>| self.store.get(&old.file).is_none();
        refreshed.gone = self.files.iter().filter(gone).count();
        let known: HashMap<*const MemoryFile, u32> =
            self.files.iter().map(Arc::as_ptr).zip(0..).collect();
        let origin = |file: &Arc<MemoryFile>| match fresh.numbers.get(&file.file) {
            Some(number) => Origin::Fresh(*number),
            // What was not read now was read before.
            None => Origin::Kept(known.get(&Arc::as_ptr(file)).copied().unwrap_or(u32::MAX)),
        };
        let order: Vec<Origin> = files.iter().map(origin).collect();
        self.index = self.index.updated(&mut fresh.gather, &order);
        self.files = files;
        Ok(refreshed)
    }

    /// Gives the room to bodies in the order of the scan, so that it does not matter in which
    /// order the system lists files, nor what was there before. Returns how many files were read
    /// for it that had not been read in this refresh.
    fn share_room(&mut self, files: &[Arc<MemoryFile>], fresh: &mut Fresh) -> usize {
        let (mut room, mut read) = (self.limit, 0);
        self.is_unsettled = false;
        for file in files {
            let Some(body) = self.store.extra_mut(&file.file) else {
                continue;
            };
            let fits = body.bytes <= room;
            room -= if fits { body.bytes } else { 0 };
            match (body.is_indexed, fits) {
                (true, true) | (false, false) => {}
                (true, false) => {
                    body.is_indexed = false;
                    fresh.take(file, "");
                }
                (false, true) => match read_body(&self.dir, file, body.bytes) {
                    Some(text) => {
                        body.is_indexed = true;
                        read += usize::from(fresh.take(file, &text));
                    }
                    None => self.is_unsettled = true,
                },
            }
        }
        read
    }
}

/// A body of so many bytes; `None` if it cannot be read any more or has changed, which the next
/// refresh sees.
fn read_body(dir: &Path, memory: &MemoryFile, bytes: usize) -> Option<String> {
    let start = read_inside(dir, &memory.file, MAX_MEMORY_BYTES).ok()?;
    let parsed = Memory::parse(&read_text(&start));
    let body = parsed.body();
    (body.len() == bytes).then(|| body.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use proptest::prelude::*;

    use super::*;
    use crate::{Options, Query};

    /// One for each memory, said in its body alone.
    const WORDS: [&str; 6] = [
        "giraffe", "invoice", "tracker", "violin", "harbor", "pepper",
    ];

    fn file(at: usize) -> String {
        format!("m{at}.md")
    }

    /// A body says its word as often as told, in twelve bytes each.
    fn write(dir: &Path, at: usize, times: usize, age: u64) {
        let text = format!("{:<11}\n", WORDS[at]).repeat(times);
        fs::write(dir.join(file(at)), text).unwrap();
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_040_000 - age);
        let file = File::options().write(true).open(dir.join(file(at)));
        file.unwrap().set_modified(moment).unwrap();
    }

    fn recall(dir: &Path, limit: usize) -> Recall {
        Recall::scan_within(dir, &Options::default(), limit).unwrap()
    }

    /// The memories whose bodies are found.
    fn found(recall: &Recall) -> Vec<usize> {
        let is_found = |at: &usize| recall.pick(&Query::new(WORDS[*at])).receipt.matches > 0;
        (0..WORDS.len()).filter(is_found).collect()
    }

    #[track_caller]
    fn check(recall: &mut Recall, read: usize, bodies: &[usize]) {
        assert_eq!(recall.refresh().unwrap().read, read);
        assert_eq!(found(recall), bodies);
        assert_eq!(
            recall.without_body(),
            recall.memories().len() - bodies.len()
        );
        assert_eq!(recall.refresh().unwrap(), Refreshed::default());
    }

    #[test]
    fn bodies_of_the_newest_are_taken_in_whatever_the_order_of_their_files() {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let temp = tempfile::tempdir().unwrap();
            for at in order {
                // The last two are as old: their names decide.
                write(temp.path(), at, 2, 100 - at.min(2) as u64);
            }
            assert_eq!(found(&recall(temp.path(), 50)), [2, 3]);
            assert_eq!(found(&recall(temp.path(), 25)), [2]);
        }
    }

    #[test]
    fn a_body_that_does_not_fit_leaves_its_room_to_older_ones() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), 0, 1, 1);
        write(temp.path(), 1, 4, 2);
        write(temp.path(), 2, 2, 3);
        let recall = recall(temp.path(), 36);
        assert_eq!((found(&recall), recall.without_body()), (vec![0, 2], 1));
    }

    #[test]
    fn room_that_a_refresh_frees_is_used_and_room_that_newer_bodies_need_is_made() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path();
        for at in 0..3 {
            write(dir, at, 2, 100 + at as u64);
        }
        let mut recall = recall(dir, 50);
        check(&mut recall, 0, &[0, 1]);
        // One that changes needs the room of its own old body.
        write(dir, 1, 2, 50);
        check(&mut recall, 1, &[0, 1]);
        // One that was left out and is written again is the newest.
        write(dir, 2, 2, 40);
        check(&mut recall, 1, &[1, 2]);
        // What was left out is read again, though its file is the same.
        fs::remove_file(dir.join(file(1))).unwrap();
        check(&mut recall, 1, &[0, 2]);
        write(dir, 2, 4, 30);
        check(&mut recall, 1, &[2]);
        write(dir, 2, 1, 20);
        check(&mut recall, 2, &[0, 2]);
    }

    #[test]
    fn a_body_that_cannot_be_read_when_there_is_room_is_read_later() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path();
        write(dir, 0, 2, 1);
        write(dir, 1, 2, 2);
        let mut recall = recall(dir, 30);
        // As if the file had been written between the scan's look at it and the second reading.
        recall.store.extra_mut(&file(1)).unwrap().bytes -= 1;
        fs::remove_file(dir.join(file(0))).unwrap();
        assert_eq!(recall.refresh().unwrap().read, 0);
        assert_eq!((found(&recall), recall.without_body()), (vec![], 1));
        recall.store.extra_mut(&file(1)).unwrap().bytes += 1;
        check(&mut recall, 1, &[1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn what_was_refreshed_at_the_limit_is_what_a_new_scan_finds(
            rounds in prop::collection::vec(
                prop::collection::vec(
                    (0..WORDS.len(), prop::option::weighted(0.8, (0..5usize, 0..4u64))),
                    1..5,
                ),
                1..6,
            ),
            limit in 0..180usize,
        ) {
            let temp = tempfile::tempdir().unwrap();
            let mut refreshed = recall(temp.path(), limit);
            for (round, changes) in rounds.into_iter().enumerate() {
                for (at, change) in changes {
                    match change {
                        // Times tell rounds apart.
                        Some((times, age)) => write(temp.path(), at, times, age * 100 + round as u64),
                        None => drop(fs::remove_file(temp.path().join(file(at)))),
                    }
                }
                refreshed.refresh().unwrap();
                let fresh = recall(temp.path(), limit);
                prop_assert_eq!(refreshed.memories(), fresh.memories());
                prop_assert_eq!(refreshed.without_body(), fresh.without_body());
                prop_assert_eq!(refreshed.index_bytes(), fresh.index_bytes());
                for word in WORDS {
                    let query = Query::new(word);
                    prop_assert_eq!(refreshed.pick(&query), fresh.pick(&query));
                }
                let mut room = limit;
                let mut fitting: Vec<usize> = Vec::new();
                for memory in refreshed.memories() {
                    let bytes = usize::try_from(memory.bytes).unwrap();
                    if bytes <= room && bytes > 0 {
                        room -= bytes;
                        fitting.push(memory.file[1..2].parse().unwrap());
                    }
                }
                fitting.sort_unstable();
                prop_assert_eq!(found(&refreshed), fitting);
            }
        }
    }
}
