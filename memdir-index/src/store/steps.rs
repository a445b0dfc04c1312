//! Carrying out the steps of a batch, forward or back, now or after a crash.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::batch::{BATCH_FOLDER, FORWARD, Step};
use super::journal::{Outcome, Recovery, is_lasting};
use super::lock::Lock;
use super::{Store, atomic};
use crate::{ENTRYPOINT, Entry, Error, ErrorKind, Fingerprint};

impl Store {
    /// Brings every file to what it is to be; answers those that somebody changed meanwhile.
    pub(super) fn roll_forward(
        &self,
        steps: &[Step],
        obstacle: Obstacle,
    ) -> Result<Vec<String>, Error> {
        let mut left = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            match self.forward(number, step) {
                Ok(true) => {}
                Ok(false) => left.push(step.file.clone()),
                Err(e) if obstacle == Obstacle::IsLeft && is_hopeless(&e) => {
                    left.push(step.file.clone());
                }
                Err(e) => return Err(e),
            }
        }
        Ok(left)
    }

    fn forward(&self, number: usize, step: &Step) -> Result<bool, Error> {
        let now = self.now(&step.file)?;
        if now == step.after {
            return Ok(true);
        }
        if now != step.before {
            return Ok(false);
        }
        let (blob, was) = (self.blob(number), self.was(number));
        if step.after == Fingerprint::ABSENT {
            let path = self.spelled(&step.file)?;
            exchange(&path, &was).map_err(|e| Error::io(path, e))?;
            return Ok(true);
        }
        if bytes_of(&blob) != step.after {
            return Ok(false);
        }
        let target = self.target(&step.file)?;
        let attempt = || -> io::Result<()> {
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            if step.before != Fingerprint::ABSENT {
                remember(&target, &was)?;
                fs::set_permissions(&blob, fs::metadata(&target)?.permissions())?;
            }
            exchange(&blob, &target)
        };
        attempt().map_err(|e| Error::io(&target, e))?;
        Ok(true)
    }

    /// Brings every file back to what it was; answers those that somebody changed meanwhile.
    pub(super) fn roll_back(&self, lock: &Lock, steps: &[Step]) -> Result<Vec<String>, Error> {
        let mark = self.batch_path(FORWARD);
        match fs::remove_file(&mark) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(Error::io(mark, e)),
            _ => {}
        }
        let mut left = Vec::new();
        for (number, step) in steps.iter().enumerate().rev() {
            match self.back(number, step) {
                Ok(true) => {}
                Ok(false) => left.push(step.file.clone()),
                Err(e) if is_hopeless(&e) => left.push(step.file.clone()),
                Err(e) => return Err(e),
            }
        }
        self.reconcile(lock, steps, &left)?;
        Ok(left)
    }

    fn back(&self, number: usize, step: &Step) -> Result<bool, Error> {
        let now = self.now(&step.file)?;
        if now == step.before {
            return Ok(true);
        }
        let was = self.was(number);
        if now != step.after || bytes_of(&was) != step.before {
            return Ok(false);
        }
        let path = match step.after {
            Fingerprint::ABSENT => self.spelled(&step.file)?,
            _ => self.target(&step.file)?,
        };
        let attempt = || -> io::Result<()> {
            if step.before == Fingerprint::ABSENT {
                return fs::remove_file(&path);
            }
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            exchange(&was, &path)
        };
        attempt().map_err(|e| Error::io(&path, e))?;
        Ok(true)
    }

    fn now(&self, file: &str) -> Result<Fingerprint, Error> {
        self.check_any(file)?;
        Ok(atomic::fingerprint(self.snapshot(file)?.as_ref()))
    }

    /// Lets the index agree with the files of a batch that are not as it says.
    pub(super) fn reconcile(
        &self,
        lock: &Lock,
        steps: &[Step],
        left: &[String],
    ) -> Result<(), Error> {
        if left.is_empty() {
            return Ok(());
        }
        // If the index itself was left, none of the files has its line from the batch.
        let all = left.iter().any(|file| file == ENTRYPOINT);
        let mut gone = Vec::new();
        let mut there = Vec::new();
        for step in steps {
            let file = &step.file;
            if file == ENTRYPOINT || !(all || left.contains(file)) || self.check_name(file).is_err()
            {
                continue;
            }
            match self.exists(file) {
                Ok(true) => {
                    let entry = self.entry_from_header(file, None);
                    there.push(entry.unwrap_or_else(|_| Entry::new("", file, "")));
                }
                Ok(false) => gone.push(file),
                // What cannot be looked at keeps the line that it has.
                Err(_) => {}
            }
        }
        let edited = self.commit(lock, |index| {
            for file in &gone {
                index.remove(file);
            }
            for entry in &there {
                if index.find(&entry.file).is_none() {
                    index.upsert(entry);
                }
            }
        });
        match edited {
            Ok(_) => Ok(()),
            Err(e) if is_hopeless(&e) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Completes a batch that a killed process had begun.
    pub(super) fn complete_batch(&self, steps: &[Step], lock: &Lock) -> Result<Recovery, Error> {
        let recovery = |outcome, left| Recovery {
            file: String::new(),
            outcome,
            left,
        };
        if steps.iter().any(|step| self.check_any(&step.file).is_err()) {
            return Ok(recovery(Outcome::Unreadable, Vec::new()));
        }
        // A link would have us move memories to where it leads, and others from there.
        let folder = self.dir.join(BATCH_FOLDER);
        if fs::symlink_metadata(folder).is_ok_and(|meta| !meta.is_dir()) {
            return Ok(recovery(Outcome::Unreadable, Vec::new()));
        }
        let forward = self.batch_path(FORWARD).symlink_metadata().is_ok();
        let left = match forward {
            true => {
                let left = self.roll_forward(steps, Obstacle::IsLeft)?;
                self.reconcile(lock, steps, &left)?;
                left
            }
            false => self.roll_back(lock, steps)?,
        };
        self.sync_and_tidy(steps);
        let outcome = match (left.is_empty(), forward) {
            (false, _) => Outcome::ChangedSince,
            (true, true) => Outcome::Completed,
            (true, false) => Outcome::NotHappened,
        };
        Ok(recovery(outcome, left))
    }

    /// The journal goes first: from then on the write is done.
    pub(super) fn finish_batch(&self, steps: &[Step]) -> Result<(), Error> {
        self.sync_and_tidy(steps);
        self.end_intent()?;
        self.clean_batch();
        Ok(())
    }

    /// Makes the names last, and removes folders that have become empty.
    fn sync_and_tidy(&self, steps: &[Step]) {
        let mut paths: Vec<PathBuf> = Vec::new();
        for step in steps {
            let Ok(path) = self.spelled(&step.file) else {
                continue;
            };
            let mut folder = path.parent();
            while let Some(empty) = folder.filter(|folder| *folder != self.dir) {
                // Fails where something is left.
                if step.after != Fingerprint::ABSENT || fs::remove_dir(empty).is_err() {
                    break;
                }
                folder = empty.parent();
            }
            paths.push(path);
        }
        paths.sort();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        atomic::sync_folders(&paths, self.options.durability);
    }
}

/// What an obstacle that would be there the next time too does to a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The write fails, and is taken back.
    Fails,
    /// The file is left as it is, as a journal that never ends would keep all writes waiting.
    IsLeft,
}

/// Whether trying again would meet the same obstacle.
fn is_hopeless(error: &Error) -> bool {
    is_lasting(error) || matches!(error.kind(), ErrorKind::Name { .. } | ErrorKind::Exists)
}

/// The fingerprint of one of our own files; absent if it is none.
fn bytes_of(path: &Path) -> Fingerprint {
    let mut options = OpenOptions::new();
    options.read(true);
    atomic::no_follow(&mut options, 0);
    let read = options
        .open(path)
        .and_then(|mut file| match file.metadata()?.is_file() {
            true => atomic::read_bounded(&mut file).map(|(bytes, _)| bytes),
            false => Err(io::ErrorKind::InvalidInput.into()),
        });
    read.map_or(Fingerprint::ABSENT, |bytes| Fingerprint::of(&bytes))
}

/// Gives a file the time and the mode of another.
pub(super) fn same_time_and_mode(path: &Path, meta: &fs::Metadata) -> io::Result<()> {
    if let Ok(modified) = meta.modified() {
        OpenOptions::new()
            .write(true)
            .open(path)?
            .set_modified(modified)?;
    }
    fs::set_permissions(path, meta.permissions())
}

/// A second name for what is about to be replaced; a copy where there are none.
fn remember(target: &Path, was: &Path) -> io::Result<()> {
    match fs::remove_file(was) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    if fs::hard_link(target, was).is_err() {
        let meta = fs::metadata(target)?;
        fs::copy(target, was)?;
        same_time_and_mode(was, &meta)?;
    }
    Ok(())
}

/// Renames; where a folder is another file system, copies and removes.
fn exchange(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(e) if e.kind() == io::ErrorKind::CrossesDevices => {
            let meta = fs::symlink_metadata(from)?;
            if !meta.is_file() {
                return Err(e);
            }
            // Beside the target first, so that it is whole at every moment.
            let folder = to.parent().unwrap_or(to);
            let mut temp = atomic::temp_in(folder)?;
            io::copy(&mut fs::File::open(from)?, &mut temp)?;
            temp.as_file().sync_all()?;
            same_time_and_mode(temp.path(), &meta)?;
            temp.persist(to).map_err(|e| e.error)?;
            fs::remove_file(from)
        }
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use memdir_types::{Audience, Memory, gate, gate_text};

    use super::*;
    use crate::Batch;

    const INDEX: &str = "- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n";
    const AFTER: &str = "- [A](a.md)\n- [D](sub/d.md)\n- [C](e.md)\n";

    fn memory(name: &str, text: &str) -> String {
        format!("---\nname: {name}\ndescription: d\ntype: user\n---\n\n{text}\n")
    }

    /// A directory, the edits of a batch, and both as files with their contents.
    fn store() -> (tempfile::TempDir, Store, Batch) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(ENTRYPOINT), INDEX).unwrap();
        for name in ["a", "b", "c"] {
            fs::write(dir.path().join(format!("{name}.md")), memory(name, "old")).unwrap();
        }
        let store = Store::open(dir.path()).unwrap();
        let of = |text: &str| Fingerprint::of(text.as_bytes());
        let new =
            |name: &str| gate(&Memory::parse(&memory(name, "new")), Audience::Private).unwrap();
        let mut batch = Batch::new();
        batch.save("a.md", of(&memory("a", "old")), new("a"));
        batch.save("sub/d.md", Fingerprint::ABSENT, new("d"));
        batch.remove("b.md", of(&memory("b", "old")));
        batch.rename("c.md", "e.md", of(&memory("c", "old")));
        batch.index(of(INDEX), gate_text(AFTER, Audience::Private).unwrap());
        (dir, store, batch)
    }

    fn tree(dir: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for name in ["a.md", "b.md", "c.md", "e.md", "sub/d.md", ENTRYPOINT] {
            if let Ok(text) = fs::read_to_string(dir.join(name)) {
                found.push((name.to_owned(), text));
            }
        }
        found
    }

    fn after() -> Vec<(String, String)> {
        let (dir, store, batch) = store();
        store.exclusive().unwrap().apply(&batch).unwrap();
        tree(dir.path())
    }

    #[test]
    fn stopped_after_any_number_of_steps_every_file_is_whole_and_the_next_open_goes_on() {
        let (before, after) = (tree(store().0.path()), after());
        for done in 0..=6 {
            let (dir, store, batch) = store();
            let lock = Lock::acquire(dir.path()).unwrap();
            let steps = store.begin_batch(&batch).unwrap();
            assert_eq!(steps.len(), 6);
            for (number, step) in steps.iter().enumerate().take(done) {
                assert!(store.forward(number, step).unwrap());
            }
            for file in tree(dir.path()) {
                assert!(before.contains(&file) || after.contains(&file), "{file:?}");
            }
            drop(lock);
            let reopened = Store::open(dir.path()).unwrap();
            assert_eq!(reopened.recovered().unwrap().outcome, Outcome::Completed);
            assert_eq!(tree(dir.path()), after, "after {done} steps");
            assert!(!dir.path().join(BATCH_FOLDER).exists());
        }
    }

    #[test]
    fn taken_back_after_any_number_of_steps_all_is_as_before_and_a_crash_changes_nothing_about_it()
    {
        let before = tree(store().0.path());
        for done in 0..=6 {
            for back in 0..=6 {
                let (dir, store, batch) = store();
                let lock = Lock::acquire(dir.path()).unwrap();
                let steps = store.begin_batch(&batch).unwrap();
                for (number, step) in steps.iter().enumerate().take(done) {
                    assert!(store.forward(number, step).unwrap());
                }
                if back == 6 {
                    // In the same process.
                    assert!(store.roll_back(&lock, &steps).unwrap().is_empty());
                    store.finish_batch(&steps).unwrap();
                    assert_eq!(tree(dir.path()), before);
                    continue;
                }
                fs::remove_file(store.batch_path(FORWARD)).unwrap();
                for (number, step) in steps.iter().enumerate().rev().take(back) {
                    assert!(store.back(number, step).unwrap());
                }
                drop(lock);
                let reopened = Store::open(dir.path()).unwrap();
                assert_eq!(reopened.recovered().unwrap().outcome, Outcome::NotHappened);
                assert_eq!(tree(dir.path()), before, "{done} forward, {back} back");
                assert!(!dir.path().join("sub").exists() || done < 2 || back < 6);
            }
        }
    }

    #[test]
    fn a_line_that_is_written_into_the_index_while_it_is_replaced_is_carried_over() {
        let (dir, store, batch) = store();
        let lock = Lock::acquire(dir.path()).unwrap();
        let mut old = store.snapshot(ENTRYPOINT).unwrap().unwrap();
        let path = dir.path().join(ENTRYPOINT);
        let mut open = OpenOptions::new().append(true).open(&path).unwrap();
        let steps = store.begin_batch(&batch).unwrap();
        let left = store.roll_forward(&steps, Obstacle::Fails).unwrap();
        assert!(left.is_empty());
        // An editor that had the file open writes to what it was.
        io::Write::write_all(&mut open, b"- [Z](z.md)\n").unwrap();
        store.carry_over(&lock, Some(&mut old), &steps).unwrap();
        let index = fs::read_to_string(path).unwrap();
        assert_eq!(
            index,
            "- [A](a.md)\n- [D](sub/d.md)\n- [C](e.md)\n- [Z](z.md)\n"
        );
    }
}
