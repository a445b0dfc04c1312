//! The dot file that records which real roots use a memory directory, and the collisions in it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::layout::{IDENTITY_FILE, MemoryDir};
use crate::read::{ReadFault, read_capped};

/// 256 KiB: a larger record counts as damaged. Our own bound; 1,000 roots need some 100 KB.
pub const MAX_IDENTITY_BYTES: u64 = 256 * 1024;

/// 1,000 entries, one per root: beyond that nothing is added. Our own bound, so that the file
/// stays small.
pub const MAX_RECORDED_ROOTS: usize = 1_000;

/// The name a damaged record is moved to before a new one is written.
const DAMAGED_FILE: &str = ".memdir-identity.damaged.json";

/// How the names of temporary files end; they begin like the record itself.
const TEMP_SUFFIX: &str = ".tmp";

/// What became of the record of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Recorded {
    /// No root was given.
    NotAsked,
    /// It was recorded before; nothing was written.
    Known,
    /// It was added.
    Added,
    /// The record was damaged. It was moved aside, and a new one was begun with this root.
    Renewed,
    /// It could not be recorded; why. The directory is usable all the same.
    Failed(String),
}

/// The roots that use a memory directory, as recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Collisions {
    /// Real roots that exist. More than one: different projects share this directory.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::paths"))]
    pub living: Vec<PathBuf>,
    /// Recorded roots that are gone: deleted, renamed or moved.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::paths"))]
    pub gone: Vec<PathBuf>,
    /// Recorded roots that the system did not let us look at.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::paths"))]
    pub unknown: Vec<PathBuf>,
    /// Why the record could not be used, if there is one that is damaged or may not be read.
    pub damaged: Option<String>,
}

impl Collisions {
    /// Whether two living roots share the directory.
    pub fn is_shared(&self) -> bool {
        self.living.len() > 1
    }
}

/// Tells which real roots use a memory directory, from its record. Writes nothing.
///
/// An absent record gives an empty answer. A root counts as living when it is a folder now;
/// spellings of one folder count once.
pub fn collisions(dir: &MemoryDir) -> Collisions {
    let mut found = Collisions::default();
    let record = match load(dir) {
        Ok(record) => record,
        Err(Fault::Absent) => return found,
        Err(Fault::Damaged(why) | Fault::Unreadable(why)) => {
            found.damaged = Some(why);
            return found;
        }
    };
    let mut seen = HashSet::new();
    for path in record.roots() {
        let list = match fs::canonicalize(&path) {
            Ok(real) if real.is_dir() => {
                if seen.insert(real.clone()) {
                    found.living.push(real);
                }
                continue;
            }
            // Something else took its place.
            Ok(_) => &mut found.gone,
            Err(e) => match e.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => &mut found.gone,
                _ => &mut found.unknown,
            },
        };
        if seen.insert(path.clone()) {
            list.push(path);
        }
    }
    found
}

/// The file as JSON, with keys of newer versions kept.
struct Record(Map<String, Value>);

enum Fault {
    Absent,
    /// What it holds is no record.
    Damaged(String),
    /// The system refused to show it. It may be whole, so it stays where it is.
    Unreadable(String),
}

impl Record {
    fn new() -> Record {
        let mut map = Map::new();
        map.insert("version".to_owned(), json!(1));
        map.insert("roots".to_owned(), json!([]));
        Record(map)
    }

    fn roots(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let roots = self.0.get("roots").and_then(Value::as_array);
        roots.into_iter().flatten().filter_map(root_of)
    }

    fn add(&mut self, root: &Path) {
        if let Some(roots) = self.0.get_mut("roots").and_then(Value::as_array_mut) {
            roots.push(entry_of(root));
        }
    }
}

/// One recorded root. A path that is not Unicode carries its bytes beside the readable form.
fn entry_of(root: &Path) -> Value {
    let text = root.to_string_lossy();
    #[cfg(unix)]
    if root.to_str().is_none() {
        use std::fmt::Write;
        use std::os::unix::ffi::OsStrExt;
        let mut hex = String::new();
        for byte in root.as_os_str().as_bytes() {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        return json!({ "path": text, "bytes": hex });
    }
    json!({ "path": text })
}

fn root_of(entry: &Value) -> Option<PathBuf> {
    #[cfg(unix)]
    if let Some(hex) = entry.get("bytes").and_then(Value::as_str) {
        use std::os::unix::ffi::OsStringExt;
        let digits = hex.as_bytes().chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        });
        let bytes: Option<Vec<u8>> = digits.collect();
        let path = PathBuf::from(std::ffi::OsString::from_vec(bytes?));
        return path.is_absolute().then_some(path);
    }
    let path = PathBuf::from(entry.get("path")?.as_str()?);
    path.is_absolute().then_some(path)
}

fn load(dir: &MemoryDir) -> Result<Record, Fault> {
    let file = dir.identity_file();
    let damaged = |why: &str| Fault::Damaged(why.to_owned());
    match fs::symlink_metadata(&file) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(Fault::Absent),
        Err(e) => return Err(Fault::Unreadable(e.to_string())),
        // A link could lead anywhere, and this file is nobody's to link.
        Ok(meta) if !meta.is_file() => return Err(damaged("expected a regular file")),
        Ok(_) => {}
    }
    let bytes = read_capped(&file, MAX_IDENTITY_BYTES).map_err(|fault| match fault {
        ReadFault::Missing => Fault::Absent,
        ReadFault::NotAFile => damaged("expected a regular file"),
        ReadFault::TooLarge => damaged("it is too large"),
        ReadFault::Io(e) => Fault::Unreadable(e.to_string()),
    })?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(map)) if map.get("roots").is_some_and(Value::is_array) => Ok(Record(map)),
        Ok(_) => Err(damaged("it has no list of roots")),
        Err(e) => Err(Fault::Damaged(e.to_string())),
    }
}

/// Records that `root` uses the directory. The common case, a known root, writes nothing.
pub(crate) fn record(dir: &MemoryDir, root: &Path) -> Recorded {
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    if let Ok(record) = load(dir)
        && record.roots().any(|known| known == root)
    {
        return Recorded::Known;
    }
    match add(dir, &root) {
        Ok(recorded) => recorded,
        Err(e) => Recorded::Failed(e.to_string()),
    }
}

fn add(dir: &MemoryDir, root: &Path) -> io::Result<Recorded> {
    // Whoever adds holds a lock on the directory itself, so that two processes do not overwrite
    // each other and no lock file has to lie around. The system releases it with the process.
    // Where folders cannot be locked, the last writer wins, and a lost root is added by the next
    // `ensure` for it.
    let lock = File::open(dir.path()).ok().filter(|dir| dir.lock().is_ok());
    let (mut record, outcome) = match load(dir) {
        Ok(record) => (record, Recorded::Added),
        Err(Fault::Absent) => (Record::new(), Recorded::Added),
        Err(Fault::Unreadable(why)) => return Err(io::Error::other(why)),
        Err(Fault::Damaged(_)) => {
            fs::rename(dir.identity_file(), dir.path().join(DAMAGED_FILE))?;
            (Record::new(), Recorded::Renewed)
        }
    };
    if record.roots().any(|known| known == root) {
        return Ok(Recorded::Known);
    }
    if record.roots().count() >= MAX_RECORDED_ROOTS {
        return Err(io::Error::other("too many roots are recorded"));
    }
    record.add(root);
    if let Some(lock) = &lock {
        remove_leftovers(dir);
        write(dir, &record)?;
        // The name should survive a loss of power too; where folders cannot be synced, it may not.
        let _ = lock.sync_all();
    } else {
        write(dir, &record)?;
    }
    Ok(outcome)
}

/// Removes temporary files of writers that were killed. Only under the lock: they are nobody's.
fn remove_leftovers(dir: &MemoryDir) {
    for entry in dir.path().read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.starts_with(IDENTITY_FILE) && name.ends_with(TEMP_SUFFIX));
        if is_ours {
            // One that stays is ignored by every reader, and tried again next time.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes beside the target and renames: a reader sees the old record or the new one.
fn write(dir: &MemoryDir, record: &Record) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(&record.0).map_err(io::Error::from)?;
    text.push(b'\n');
    if text.len() as u64 > MAX_IDENTITY_BYTES {
        return Err(io::Error::other("the record would become too large"));
    }
    let mut temp = tempfile::Builder::new()
        .prefix(IDENTITY_FILE)
        .suffix(TEMP_SUFFIX)
        .tempfile_in(dir.path())?;
    temp.write_all(&text)?;
    share(dir, temp.as_file())?;
    temp.as_file().sync_all()?;
    temp.persist(dir.identity_file()).map_err(|e| e.error)?;
    Ok(())
}

/// A record keeps its mode; a new one may be read and written by whoever may read and write the
/// directory, so that users who share the directory can share the record.
#[cfg(unix)]
fn share(dir: &MemoryDir, temp: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match fs::symlink_metadata(dir.identity_file()) {
        Ok(old) if old.is_file() => old.permissions().mode() & 0o777,
        _ => fs::metadata(dir.path())?.permissions().mode() & 0o666 | 0o600,
    };
    temp.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn share(_dir: &MemoryDir, _temp: &File) -> io::Result<()> {
    Ok(())
}
