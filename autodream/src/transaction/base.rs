//! What the memory directory was when a run began, and the copy that the run works on.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memdir_index::{Exclusive, Fingerprint, MAX_READ_BYTES};
use memdir_types::Memory;

use super::report::LeftOut;
use super::{body_of, title_of};
use crate::Error;

/// The most that is staged: 64 MiB of memories, which are held in memory too while a run lasts.
const MAX_BYTES: u64 = 64 << 20;
/// The most memories that are staged. An index lists 200.
const MAX_FILES: usize = 10_000;
/// The most that is staged of daily logs, the latest first: 16 MiB.
const MAX_LOG_BYTES: u64 = 16 << 20;
/// How deep logs are followed, in folder levels: the format has two, a year and a month.
const MAX_LOG_DEPTH: usize = 4;

/// The folder of the daily logs.
pub(super) const LOGS: &str = "logs";

/// A memory as it was.
#[derive(Clone, Debug)]
pub(super) struct BaseFile {
    pub(super) bytes: Vec<u8>,
    pub(super) fingerprint: Fingerprint,
    pub(super) modified: Option<SystemTime>,
    pub(super) title: Option<String>,
    pub(super) body: Option<String>,
    pub(super) pinned: bool,
    /// Where a name that is a link leads, relative to the directory.
    pub(super) leads_to: Option<String>,
}

/// The whole directory as it was.
#[derive(Clone, Debug, Default)]
pub(super) struct Base {
    pub(super) files: BTreeMap<String, BaseFile>,
    pub(super) index: Option<Vec<u8>>,
    pub(super) logs: BTreeMap<String, Fingerprint>,
    pub(super) left_out: Vec<LeftOut>,
}

impl Base {
    /// Reads the directory and copies it to `stage`, which is empty.
    pub(super) fn stage(dir: &Path, live: &Exclusive<'_>, stage: &Path) -> Result<Base, Error> {
        let mut base = Base {
            index: live
                .read_bytes(memdir_index::ENTRYPOINT)
                .map_err(Error::index)?,
            ..Base::default()
        };
        if let Some(index) = &base.index {
            let modified = modified(&dir.join(memdir_index::ENTRYPOINT));
            copy(stage, memdir_index::ENTRYPOINT, index, modified)?;
        }
        let listing = live.list();
        for left in listing.left_out {
            base.leave_out(left.file, left.reason);
        }
        let real_dir = fs::canonicalize(dir).map_err(|e| Error::io(dir, e))?;
        let mut total = 0;
        for file in listing.files {
            let path = dir.join(&file);
            // Asked first, so that what would be too much is not read.
            let size = fs::metadata(&path).map_or(0, |meta| meta.len());
            if base.files.len() >= MAX_FILES || total + size > MAX_BYTES {
                base.leave_out(file, "there is more than is staged".to_owned());
                continue;
            }
            let bytes = match live.read_bytes(&file) {
                Ok(Some(bytes)) => bytes,
                // It went away in this moment.
                Ok(None) => continue,
                Err(e) => {
                    base.leave_out(file, e.reason());
                    continue;
                }
            };
            total += bytes.len() as u64;
            let modified = modified(&path);
            copy(stage, &file, &bytes, modified)?;
            let mut staged = BaseFile::new(bytes, modified);
            staged.leads_to = fs::canonicalize(&path)
                .ok()
                .and_then(|real| Some(real.strip_prefix(&real_dir).ok()?.to_str()?.to_owned()))
                .map(|real| real.replace('\\', "/"))
                .filter(|real| *real != file);
            base.files.insert(file, staged);
        }
        base.stage_logs(dir, stage)?;
        Ok(base)
    }

    fn leave_out(&mut self, file: String, reason: String) {
        self.left_out.push(LeftOut { file, reason });
    }

    fn stage_logs(&mut self, dir: &Path, stage: &Path) -> Result<(), Error> {
        let mut total = 0;
        for (file, size) in log_files(dir) {
            if total + size > MAX_LOG_BYTES {
                self.leave_out(file, "there is more than is staged".to_owned());
                continue;
            }
            match read_log(dir, &file) {
                Ok(bytes) => {
                    total += bytes.len() as u64;
                    copy(stage, &file, &bytes, modified(&dir.join(&file)))?;
                    self.logs.insert(file, Fingerprint::of(&bytes));
                }
                Err(reason) => self.leave_out(file, reason),
            }
        }
        Ok(())
    }

    /// The index, empty if there is none.
    pub(super) fn index(&self) -> &[u8] {
        self.index.as_deref().unwrap_or_default()
    }

    /// One value for all logs.
    pub(super) fn logs_fingerprint(&self) -> Fingerprint {
        let lines = self
            .logs
            .iter()
            .map(|(file, print)| format!("{file}\n{print}\n"));
        Fingerprint::of(lines.collect::<String>().as_bytes())
    }
}

impl BaseFile {
    pub(super) fn new(bytes: Vec<u8>, modified: Option<SystemTime>) -> BaseFile {
        let memory = Memory::from_bytes(&bytes);
        BaseFile {
            fingerprint: Fingerprint::of(&bytes),
            title: title_of(&memory),
            body: body_of(&memory),
            pinned: is_pinned(&memory),
            leads_to: None,
            modified,
            bytes,
        }
    }
}

/// Whether the frontmatter says `pinned: true`, at the top or below `metadata`.
fn is_pinned(memory: &Memory) -> bool {
    if !memory.has_frontmatter() {
        return false;
    }
    let mut lines = memory.as_str().lines();
    lines.by_ref().find(|line| line.trim_end().ends_with("---"));
    lines
        .take_while(|line| line.trim_end() != "---")
        .any(|line| {
            line.trim_start()
                .strip_prefix("pinned:")
                .is_some_and(|value| {
                    let value = value.split(" #").next().unwrap_or_default();
                    let value = value.trim().trim_matches(['"', '\'']);
                    ["true", "yes", "on"]
                        .iter()
                        .any(|yes| value.eq_ignore_ascii_case(yes))
                })
        })
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

/// A new file below the staged directory. Not synchronized: nothing of it outlives the run.
fn copy(stage: &Path, file: &str, bytes: &[u8], modified: Option<SystemTime>) -> Result<(), Error> {
    let path = stage.join(file);
    let attempt = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut copy = File::create_new(&path)?;
        copy.write_all(bytes)?;
        modified.map_or(Ok(()), |modified| copy.set_modified(modified))
    };
    attempt().map_err(|e| Error::io(&path, e))
}

/// The daily logs with their sizes in bytes, the latest first. Links are not followed.
fn log_files(dir: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut folders: Vec<(PathBuf, String, usize)> = vec![(dir.join(LOGS), LOGS.to_owned(), 0)];
    if !fs::symlink_metadata(&folders[0].0).is_ok_and(|meta| meta.is_dir()) {
        return found;
    }
    while let Some((folder, name, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (Ok(kind), Ok(file)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            let below = format!("{name}/{file}");
            if file.starts_with('.') || found.len() >= MAX_FILES {
                continue;
            }
            if kind.is_dir() && depth < MAX_LOG_DEPTH {
                folders.push((entry.path(), below, depth + 1));
            } else if kind.is_file() && file.ends_with(".md") {
                found.push((below, entry.metadata().map_or(0, |meta| meta.len())));
            }
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    found
}

fn read_log(dir: &Path, file: &str) -> Result<Vec<u8>, String> {
    let opened = memdir_paths::open_inside(dir, file).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    opened
        .take(MAX_READ_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| e.to_string())?;
    match bytes.len() as u64 > MAX_READ_BYTES {
        true => Err(format!("more than {MAX_READ_BYTES} bytes")),
        false => Ok(bytes),
    }
}
