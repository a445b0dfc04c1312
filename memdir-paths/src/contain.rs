//! The one containment check: where a path really leads, and opening only what stays inside.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::guard::check_name;

/// 32,768 bytes: a longer path is not examined. Eight times what Linux takes, and what Windows
/// takes; without a bound the walk over its ancestors would have none.
const MAX_PATH_BYTES: usize = 32_768;

/// 40 rounds: as many links as Linux follows in one path.
const MAX_ROUNDS: usize = 40;

/// Whether `path` lies inside `root` (or is `root`), by whole components, after the symbolic
/// links of the deepest existing ancestor of both are resolved.
///
/// Neither has to exist. The answer is `false` for a relative path, a link without a target, a
/// loop of links, and whenever the operating system refuses to say.
///
/// A path may be inside today and outside tomorrow: to read, use [`open_inside`].
pub fn contains(root: &Path, path: &Path) -> bool {
    match (real_place(root), real_place(path)) {
        (Ok(root), Ok(path)) => path.starts_with(root),
        _ => false,
    }
}

/// The real place below `root` of an untrusted relative name.
///
/// First the lexical rules of [`check_name`], then the links on disk. Neither `root` nor the file
/// has to exist. A `root` that is itself a link is resolved once, and its target is the boundary;
/// a link inside that stays inside is followed, so that a write does not replace it.
///
/// # Errors
///
/// [`ErrorKind::UnsafeName`], [`ErrorKind::RelativePath`] for a relative `root`,
/// [`ErrorKind::Outside`], [`ErrorKind::DanglingLink`], and [`ErrorKind::Io`] when the system
/// refuses to say (a loop of links, a folder that may not be searched).
pub fn resolve_inside(root: &Path, untrusted: &str) -> Result<PathBuf, Error> {
    check_name(untrusted)?;
    let real_root = real_place(root)?;
    let place = real_place(&real_root.join(untrusted))?;
    if place.starts_with(&real_root) {
        Ok(place)
    } else {
        Err(Error::new(ErrorKind::Outside, real_root.join(untrusted)))
    }
}

/// Opens for reading the regular file that an untrusted name stands for below `root`.
///
/// The real place is found as by [`resolve_inside`]; then it is opened from a handle of `root`
/// in a way that follows no link, so that an exchange in between is refused: with `openat2` on
/// Linux, and component by component on other Unix systems and where the kernel or a sandbox
/// does not offer that call. A pipe or a device is refused without waiting.
///
/// Out of scope: hard links and bind mounts, which no path check can see; and on systems that are
/// not Unix, a local attacker who exchanges folders between the check and the opening.
///
/// # Errors
///
/// Those of [`resolve_inside`], [`ErrorKind::NotFound`], and [`ErrorKind::NotAFile`].
pub fn open_inside(root: &Path, untrusted: &str) -> Result<File, Error> {
    open_with(root, untrusted, Opener::Best)
}

/// Deliberately exhaustive: the test of the fallback asks for it by name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opener {
    Best,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "asked for by the test of the fallback")
    )]
    Portable,
}

fn open_with(root: &Path, untrusted: &str, opener: Opener) -> Result<File, Error> {
    let place = resolve_inside(root, untrusted)?;
    let real_root = real_place(root)?;
    let below = place
        .strip_prefix(&real_root)
        .map_err(|_| Error::new(ErrorKind::Outside, &place))?;
    if below.as_os_str().is_empty() {
        // A link to the directory itself.
        return Err(Error::new(ErrorKind::NotAFile, &place));
    }
    let file = open_below(&real_root, below, opener).map_err(|e| match e {
        Opening::Link => Error::new(ErrorKind::Outside, &place),
        Opening::NotAFile => Error::new(ErrorKind::NotAFile, &place),
        Opening::Io(e) => Error::from_io(&place, e),
    })?;
    let meta = file.metadata().map_err(|e| Error::from_io(&place, e))?;
    if meta.is_file() {
        Ok(file)
    } else {
        Err(Error::new(ErrorKind::NotAFile, place))
    }
}

#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "only Unix can tell that a link appeared")
)]
enum Opening {
    /// A link appeared where none was.
    Link,
    /// A socket, which cannot be opened, or a device without a driver.
    NotAFile,
    Io(io::Error),
}

#[cfg(unix)]
fn open_below(root: &Path, below: &Path, opener: Opener) -> Result<File, Opening> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    let refused = |e: Errno| match e {
        Errno::LOOP | Errno::XDEV | Errno::MLINK => Opening::Link,
        Errno::NXIO | Errno::OPNOTSUPP => Opening::NotAFile,
        e => Opening::Io(e.into()),
    };
    let folder = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    // NONBLOCK: opening a pipe without a writer would wait for ever.
    let leaf = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let mut dir = openat(CWD, root, folder, Mode::empty()).map_err(refused)?;

    #[cfg(any(target_os = "linux", target_os = "android"))]
    if opener == Opener::Best {
        use rustix::fs::{ResolveFlags, openat2};
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        match openat2(&dir, below, leaf, Mode::empty(), how) {
            Ok(fd) => return Ok(File::from(fd)),
            // Not in this kernel, or barred by a sandbox: the portable way follows.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::AGAIN) => {}
            Err(e) => return Err(refused(e)),
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = opener;

    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(part) = part else {
            return Err(Opening::Link);
        };
        if parts.peek().is_none() {
            return openat(&dir, part, leaf, Mode::empty())
                .map(File::from)
                .map_err(refused);
        }
        // A link in the place of a folder answers ENOTDIR here: O_DIRECTORY meets the link itself.
        dir =
            openat(&dir, part, folder | OFlags::NOFOLLOW, Mode::empty()).map_err(|e| match e {
                Errno::NOTDIR => Opening::Link,
                e => refused(e),
            })?;
    }
    Ok(File::from(dir))
}

#[cfg(not(unix))]
fn open_below(root: &Path, below: &Path, _opener: Opener) -> Result<File, Opening> {
    File::open(root.join(below)).map_err(Opening::Io)
}

/// Where a path really is: the deepest existing ancestor with its links resolved, and the missing
/// rest behind it.
///
/// Fails closed: a link without target, a loop, `..` in the missing rest, and every refusal of
/// the system are errors. "Not a directory" and "name too long" count as missing.
pub(crate) fn real_place(path: &Path) -> Result<PathBuf, Error> {
    if !path.is_absolute() {
        return Err(Error::new(ErrorKind::RelativePath, path));
    }
    if path.as_os_str().len() > MAX_PATH_BYTES {
        let source = io::Error::from(io::ErrorKind::InvalidFilename);
        let start: String = path.to_string_lossy().chars().take(200).collect();
        return Err(Error::io(ErrorKind::Io, start, source));
    }
    // Without `.` and a separator at the end: `link/` would ask about the target of the link, and
    // a link without a target would pass for a missing name.
    let mut place: PathBuf = path.components().collect();
    for _ in 0..MAX_ROUNDS {
        let (real, seen) = real_step(path, &place)?;
        if seen == Seen::Whole || real == place {
            return Ok(real);
        }
        place = real;
    }
    Err(Error::new(ErrorKind::Io, path))
}

/// How much of a path the system could look at. Deliberately exhaustive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// All of it: what is missing is missing.
    Whole,
    /// It was too long in this spelling. Its real spelling may be shorter, and then the rest has
    /// to be looked at too, or a link in it would go unseen.
    Part,
}

/// One round of [`real_place`] for `place`; errors name the original `path`. Resolves links once
/// and otherwise asks one plain question for each missing part: resolving anew at every level
/// takes minutes for a long path below a deep folder.
fn real_step(path: &Path, place: &Path) -> Result<(PathBuf, Seen), Error> {
    match fs::canonicalize(place) {
        Ok(real) => return Ok((real, Seen::Whole)),
        Err(e) if walks_up(&e) => {}
        Err(e) => return Err(Error::io(ErrorKind::Io, path, e)),
    }
    let mut missing = Vec::new();
    let mut seen = Seen::Whole;
    let mut rest = place;
    let found = loop {
        match fs::symlink_metadata(rest) {
            Ok(meta) => break meta,
            Err(e) if walks_up(&e) => {
                if e.kind() == io::ErrorKind::InvalidFilename {
                    seen = Seen::Part;
                }
            }
            Err(e) => return Err(Error::io(ErrorKind::Io, path, e)),
        }
        match (rest.components().next_back(), rest.parent()) {
            (Some(Component::Normal(name)), Some(parent)) => {
                missing.push(name);
                rest = parent;
            }
            // `missing/..` has no real place.
            _ => return Err(Error::new(ErrorKind::NotFound, path)),
        }
    };
    match fs::canonicalize(rest) {
        Ok(mut real) => {
            real.extend(missing.iter().rev());
            Ok((real, seen))
        }
        // Something is there, yet it leads nowhere.
        Err(e) if walks_up(&e) && found.is_symlink() => {
            Err(Error::new(ErrorKind::DanglingLink, path))
        }
        Err(e) => Err(Error::io(ErrorKind::Io, path, e)),
    }
}

fn walks_up(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    fn text(mut file: File) -> String {
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn both_openers_read_the_same_and_refuse_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("m");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/x.md"), "inside").unwrap();
        fs::write(temp.path().join("secret"), "outside").unwrap();
        symlink("a/b/x.md", root.join("in.md")).unwrap();
        symlink("../secret", root.join("out.md")).unwrap();
        for opener in [Opener::Best, Opener::Portable] {
            assert_eq!(
                text(open_with(&root, "a/b/x.md", opener).unwrap()),
                "inside"
            );
            assert_eq!(text(open_with(&root, "in.md", opener).unwrap()), "inside");
            let kind = |name| open_with(&root, name, opener).unwrap_err().kind();
            assert_eq!(kind("out.md"), ErrorKind::Outside);
            assert_eq!(kind("none.md"), ErrorKind::NotFound);
            assert_eq!(kind("a/b"), ErrorKind::NotAFile);
        }
    }

    #[test]
    fn a_link_that_appears_after_the_check_is_refused_by_both_openers() {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap().join("m");
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(temp.path().join("elsewhere")).unwrap();
        fs::write(temp.path().join("elsewhere/x.md"), "outside").unwrap();
        // What an attacker exchanges between the check and the opening: the folder, and the file.
        symlink("../elsewhere", root.join("folder")).unwrap();
        symlink("../elsewhere/x.md", root.join("x.md")).unwrap();
        // Where it leads does not matter.
        fs::create_dir_all(root.join("real")).unwrap();
        fs::write(root.join("real/x.md"), "inside").unwrap();
        symlink("real", root.join("inside")).unwrap();
        symlink("real/x.md", root.join("inside.md")).unwrap();
        for opener in [Opener::Best, Opener::Portable] {
            for name in ["folder/x.md", "x.md", "inside/x.md", "inside.md"] {
                let opened = open_below(&root, Path::new(name), opener);
                assert!(matches!(opened, Err(Opening::Link)), "{name}");
            }
        }
    }
}
