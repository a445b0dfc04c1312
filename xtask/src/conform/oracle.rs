//! What the runner knows on its own: the slug rule, and the roots that deviation rules lead to.
//!
//! Nothing here calls the crate under test. The roots are found a second time, from the files of
//! the case alone, so that a rule's value can disagree with the crate.

use std::path::{Component, Path, PathBuf};

/// The folder name of a path: UTF-16 units outside `[A-Za-z0-9]` become dashes; above 200 units
/// the rest is replaced by a hash of the whole path.
pub(crate) fn slug(path: &str) -> String {
    let units: Vec<u16> = path.encode_utf16().collect();
    let plain = |unit: &u16| match u8::try_from(*unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    };
    let whole: String = units.iter().map(plain).collect();
    if whole.len() <= 200 {
        return whole;
    }
    let hash = units.iter().fold(0i32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(*unit))
    });
    let mut rest = hash.unsigned_abs();
    let mut digits = Vec::new();
    while rest > 0 || digits.is_empty() {
        digits.push(char::from_digit(rest % 36, 36).unwrap_or('0'));
        rest /= 36;
    }
    let hash: String = digits.iter().rev().collect();
    format!("{}-{hash}", &whole[..200])
}

/// Where a deviation rule leads: the rule's name and the root by that rule.
pub(super) struct DeviatingRoot {
    pub(super) rule: &'static str,
    pub(super) root: PathBuf,
}

/// The root of `cwd` if one of the deviation rules about roots applies to it.
pub(super) fn deviating_root(cwd: &Path) -> Option<DeviatingRoot> {
    let cwd = cwd.canonicalize().ok()?;
    let holder = cwd.ancestors().find(|dir| dir.join(".git").exists())?;
    let entry = holder.join(".git");
    if !entry.is_file() {
        return None;
    }
    let spelled = pointer(&entry, holder)?;
    let target = spelled.canonicalize().ok()?;
    let Ok(common) = std::fs::read_to_string(target.join("commondir")) else {
        return bare_folder(holder, &target);
    };
    let common = target.join(common.trim()).canonicalize().ok()?;
    let written = std::fs::read_to_string(target.join("gitdir")).ok()?;
    let back = target.join(written.trim_end_matches(['\n', '\r']));
    let linked = target.parent() == Some(&*common.join("worktrees"))
        && back.canonicalize().ok()? == entry.canonicalize().ok()?;
    if !linked {
        return None;
    }
    let below_modules = common.ancestors().any(|dir| dir.ends_with(".git/modules"));
    if below_modules {
        let root = submodule_root(&common).unwrap_or_else(|| holder.to_path_buf());
        return Some(DeviatingRoot {
            rule: "submodule-worktree",
            root,
        });
    }
    let root = if common.file_name()? == ".git" {
        common.parent()?.to_path_buf()
    } else {
        common
    };
    let relative = !Path::new(written.trim()).is_absolute();
    let through_link = normal(&spelled) != target;
    match (relative, through_link) {
        (true, _) => Some(DeviatingRoot {
            rule: "relative-backlink",
            root,
        }),
        (_, true) => Some(DeviatingRoot {
            rule: "pointer-symlink",
            root,
        }),
        _ => None,
    }
}

/// What a `.git` file points at, as it is spelled.
fn pointer(entry: &Path, holder: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(entry).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    (!target.is_empty()).then(|| holder.join(target))
}

/// A bare store inside the very folder of the `.git` file.
fn bare_folder(holder: &Path, target: &Path) -> Option<DeviatingRoot> {
    let config = std::fs::read_to_string(target.join("config")).ok()?;
    let squeezed = |line: &str| line.split_whitespace().collect::<String>().to_lowercase();
    let bare = config.lines().any(|line| squeezed(line) == "bare=true");
    let parts = ["HEAD", "objects", "refs"]
        .iter()
        .all(|part| target.join(part).exists());
    let inside = target.starts_with(holder) && target != holder;
    (bare && parts && inside).then(|| DeviatingRoot {
        rule: "bare-folder",
        root: target.to_path_buf(),
    })
}

/// The working root of the submodule whose store this is, if its `.git` file agrees.
fn submodule_root(common: &Path) -> Option<PathBuf> {
    let config = std::fs::read_to_string(common.join("config")).ok()?;
    let value = config.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        key.trim()
            .eq_ignore_ascii_case("worktree")
            .then(|| value.trim().to_owned())
    })?;
    let root = common.join(value).canonicalize().ok()?;
    let back = pointer(&root.join(".git"), &root)?.canonicalize().ok()?;
    (back == common).then_some(root)
}

/// `.` and `..` removed by spelling alone.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn slugs_count_utf16_units() {
        assert_eq!(slug("/home/u/my_app"), "-home-u-my-app");
        assert_eq!(slug("/a/项目"), "-a---");
        assert_eq!(slug("/a/😀"), "-a---");
        let long = format!("/{}", "a".repeat(200));
        assert_eq!(slug(&long).len(), 200 + 1 + slug(&long)[201..].len());
    }
}
