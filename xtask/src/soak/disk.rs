//! A disk that is full, and one that can only be read: what is written fails with a reason, and
//! what is there stays as it is. Mounts a small file system in memory, so it needs to be root.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use autodream::{
    Begun, Config, Dream, DreamJob, DreamKind, DreamOutcome, Gate, Host, Opening, Process,
    SubagentEnd, Transcripts,
};
use memdir_index::Store;
use memdir_paths::MemoryDir;
use memdir_types::{Audience, Memory, MemoryType};

use super::lock::random;
use crate::{Result, check};

/// The size of the disk.
const SIZE: &str = "size=700k";
/// Files that a consolidation makes longer and longer.
const FILES: usize = 8;

/// A file system in memory, until it is dropped.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: &Path) -> Option<Disk> {
        std::fs::create_dir_all(at).ok()?;
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", SIZE, "tmpfs"])
            .arg(at)
            .output()
            .ok()?;
        mounted.status.success().then(|| Disk(at.to_owned()))
    }

    fn remount(&self, option: &str) -> Result<()> {
        let status = Command::new("mount")
            .args(["-o", &format!("remount,{option}")])
            .arg(&self.0)
            .status()?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("remount,{option} failed").into()),
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

pub(super) fn run(rounds: usize) -> Result<()> {
    let temp = tempfile::tempdir()?;
    let Some(disk) = Disk::mount(&temp.path().join("disk")) else {
        say!("soak: disk SKIPPED, a file system cannot be mounted here");
        return Ok(());
    };
    let path = disk.0.join("memory");
    std::fs::create_dir(&path)?;
    let store = Store::open(&path)?;
    for n in 0..FILES {
        store.save_as(
            &name(n),
            memdir_types::gate(&memory(n, 0, 1), Audience::Private)?,
            None,
        )?;
    }
    let mut seed = 0x1234_5678_9abc_def0_u64;
    let (mut written, mut refused) = (0, 0);
    let mut before = check::contents(&path);
    for round in 1..=rounds {
        // Something else takes most of the room, another amount each time.
        let ballast = disk.0.join("ballast");
        let bytes = (random(&mut seed) * 600_000.0) as usize;
        let _ = std::fs::write(&ballast, vec![0_u8; bytes]);
        let lines = 1 + (random(&mut seed) * 400.0) as usize;
        let outcome = dream(&path, round, lines);
        let saved = save(&path, round, lines);
        std::fs::remove_file(&ballast)?;
        let store = Store::open(&path)?;
        let faults = store.check()?.faults;
        if !faults.is_empty() {
            return Err(format!("round {round}: {faults:?}").into());
        }
        let after = check::contents(&path);
        match outcome {
            Ok(()) => written += 1,
            Err(_) => {
                refused += 1;
                let changed = changed(&before, &after);
                if changed
                    .iter()
                    .any(|file| file != "user_saved.md" && file != "MEMORY.md")
                {
                    return Err(
                        format!("round {round}: a run that failed changed {changed:?}").into(),
                    );
                }
            }
        }
        if saved.is_ok() && !after.contains_key("user_saved.md") {
            return Err(format!("round {round}: a save that was acknowledged is gone").into());
        }
        before = after;
    }
    // Nothing can be written at all.
    disk.remount("ro")?;
    let read_only = [
        dream(&path, rounds + 1, 3).err(),
        save(&path, rounds + 1, 3).err(),
    ];
    let still = check::contents(&path) == before;
    let reads = Store::open(&path)?
        .load(memdir_index::Measure::Bytes)?
        .text
        .is_some();
    disk.remount("rw")?;
    if read_only.iter().any(Option::is_none) || !still || !reads {
        return Err(format!("on a disk that can only be read: {read_only:?}").into());
    }
    for why in read_only.iter().flatten() {
        say!("soak: only for reading: {why}");
    }
    dream(&path, rounds + 2, 3)?;
    say!(
        "soak: {rounds} rounds on a disk that is full now and then: {written} consolidations \
         written, {refused} refused by the system, each with the memory as it was"
    );
    if refused == 0 || written == 0 {
        return Err("the disk was never full, or always".into());
    }
    Ok(())
}

fn name(n: usize) -> String {
    format!("project_growing_{n}.md")
}

fn memory(n: usize, round: usize, lines: usize) -> Memory {
    let body = format!(
        "round {round}\n{}",
        "a line of some length, as lines are\n".repeat(lines)
    );
    Memory::new(MemoryType::Project, &format!("growing {n}"), "grows", &body)
}

fn changed(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = before.keys().chain(after.keys());
    let mut changed: Vec<String> = names
        .filter(|name| before.get(*name) != after.get(*name))
        .cloned()
        .collect();
    changed.dedup();
    changed
}

fn save(dir: &Path, round: usize, lines: usize) -> Result<()> {
    let body = format!("saved {round}\n{}", "a line\n".repeat(lines));
    let memory = Memory::new(MemoryType::User, "saved", "is saved", &body);
    let store = Store::open(dir)?;
    store.save_as(
        "user_saved.md",
        memdir_types::gate(&memory, Audience::Private)?,
        None,
    )?;
    Ok(())
}

/// One consolidation that writes all files anew.
fn dream(dir: &Path, round: usize, lines: usize) -> Result<()> {
    let dir = MemoryDir::new(dir);
    let process = Process::current();
    let now = SystemTime::now();
    let mut gate = Gate::new(dir.clone(), Transcripts::default(), Config::default());
    gate.recover(&process)?;
    let ticket = match gate.manual(now, &Host::default().auto_memory(true), &process)? {
        Opening::Open(ticket) => ticket,
        Opening::Closed(closed) => return Err(closed.to_string().into()),
    };
    let mut job = DreamJob::new(dir.path()).kind(DreamKind::Logs);
    job.stage.loss = autodream::LossLimits::all(100);
    let dream = match Dream::begin(ticket, &job, now) {
        Begun::Ready(dream) => dream,
        Begun::Ended(end) => return Err(format!("{:?}", end.outcome).into()),
    };
    for n in 0..FILES {
        let text = memory(n, round, lines).render();
        if let Err(error) = std::fs::write(dream.directory().join(name(n)), text) {
            let _ = dream.abort(now);
            return Err(error.into());
        }
    }
    let ended: Result<SubagentEnd, std::io::Error> = Ok(SubagentEnd::finished("done"));
    let end = dream.finish(ended, now);
    if let Some(error) = end.lock {
        return Err(error.into());
    }
    match end.outcome {
        DreamOutcome::Improved(_) => Ok(()),
        DreamOutcome::Failed(error) => Err(error.into()),
        other => Err(format!("{other:?}").into()),
    }
}
