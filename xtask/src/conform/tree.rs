//! Builds the tree of files that a case describes, in a temporary directory of its own.

use std::collections::HashMap;
use std::os::unix::process::CommandExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use base64::Engine as _;
use serde_json::Value;
use tempfile::TempDir;

use super::oracle;
use crate::Result;

/// The fixed instant of every case, 2026-06-01T12:00:00Z, in seconds since 1970.
const NOW: u64 = 1_780_315_200;
/// The temporary root is short, so that long names in vectors still fit. In bytes.
const MAX_ROOT: usize = 60;
const SECONDS_PER_DAY: f64 = 86_400.0;
/// A `make` line that runs longer makes its case unsupported.
const MAX_MAKE_TIME: Duration = Duration::from_secs(15);

pub(super) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(NOW)
}

/// A temporary directory tells nothing if a repository or an instruction file stands above it.
pub(super) fn check_surroundings() -> Result<()> {
    let dir = std::env::temp_dir().canonicalize()?;
    for ancestor in dir.ancestors() {
        for name in [".git", "CLAUDE.md"] {
            let found = ancestor.join(name);
            if found.symlink_metadata().is_ok() {
                return Err(format!("{} stands above the temporary root", found.display()).into());
            }
        }
    }
    Ok(())
}

/// Why a tree could not be built as the vector says.
#[derive(Debug)]
pub(super) struct Unsupported(pub(super) String);

impl<T: std::fmt::Display> From<T> for Unsupported {
    fn from(reason: T) -> Self {
        Unsupported(reason.to_string())
    }
}

/// What fills the lines of a `lines` content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    X,
    CarriageReturn,
}

/// How a kind reads paths.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Names {
    /// `~` is the home, `/etc/claude-code` the managed directory.
    Expanded,
    /// `~` is a character, and this literal root stands for the temporary one.
    Literal(String),
}

/// The temporary root of one case.
pub(super) struct Root {
    _dir: TempDir,
    path: PathBuf,
    work: PathBuf,
    names: Names,
}

impl Root {
    pub(super) fn new(id: &str, names: Names) -> Result<Root, Unsupported> {
        let dir = tempfile::Builder::new().prefix("c").tempdir()?;
        let path = dir.path().canonicalize()?;
        if path.as_os_str().len() >= MAX_ROOT {
            return Err(Unsupported::from(
                "the temporary directory has too long a name",
            ));
        }
        // An id is a name, never a path.
        let sound = !id.is_empty() && id != "." && id != ".." && !id.contains(['/', '\0']);
        if !sound {
            return Err(Unsupported::from("the id is not a folder name"));
        }
        let work = path.join("w").join(id);
        for folder in [&work, &path.join("home")] {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Root {
            _dir: dir,
            path,
            work,
            names,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn home(&self) -> PathBuf {
        self.path.join("home")
    }

    pub(super) fn managed(&self) -> PathBuf {
        self.path.join("etc/claude-code")
    }

    /// The literal root of a case, then the placeholders, in any text.
    pub(super) fn expand(&self, text: &str) -> String {
        let (root, work) = (self.path.to_string_lossy(), self.work.to_string_lossy());
        let text = match &self.names {
            // The first goes first: what a placeholder becomes may hold the literal root again.
            Names::Literal(literal) if literal.is_empty() => {
                let id = work.strip_prefix(&*root).unwrap_or_default();
                let text = replace_paths(text, id, &work);
                if text.starts_with("/home/") {
                    format!("{root}{text}")
                } else {
                    text
                }
            }
            Names::Literal(literal) => replace_paths(text, literal, &root),
            Names::Expanded => text.to_owned(),
        };
        let slug = oracle::slug(&format!("{root}/w/"));
        text.replace("{W}", &work)
            .replace("{R}", &root)
            .replace("{S}", &slug)
    }

    /// A file name or an observed path: placeholders, then what it begins with.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        let name = self.expand(name);
        if self.names == Names::Expanded {
            if name == "~" {
                return self.home();
            }
            if let Some(rest) = name.strip_prefix("~/") {
                return self.home().join(rest);
            }
            if let Some(rest) = name.strip_prefix("/etc/claude-code/") {
                return self.managed().join(rest);
            }
        }
        self.work.join(name)
    }

    /// The directory a case starts in. A root of a file system stays itself.
    pub(super) fn cwd(&self, setup: &Value) -> PathBuf {
        let cwd = setup.get("cwd").and_then(Value::as_str).unwrap_or(".");
        let joined = self.work.join(self.expand(cwd));
        if cwd == "." {
            self.work.clone()
        } else {
            joined
        }
    }

    /// `path` with the most specific placeholder; the inverse of [`Root::expand`] for paths.
    pub(super) fn shown(&self, path: &str) -> String {
        if let Names::Literal(literal) = &self.names {
            return replace_prefix(path, &self.path.to_string_lossy(), literal)
                .unwrap_or_else(|| path.to_owned());
        }
        let places = [
            (self.work.clone(), "{W}"),
            (self.home(), "~"),
            (self.managed(), "/etc/claude-code"),
            (self.path.clone(), "{R}"),
        ];
        for (place, name) in places {
            if let Some(shown) = replace_prefix(path, &place.to_string_lossy(), name) {
                return shown;
            }
        }
        path.to_owned()
    }

    /// The variables a case sets for the crates; no process gets them.
    pub(super) fn variables(&self, setup: &Value) -> Result<HashMap<String, String>, Unsupported> {
        let mut variables = HashMap::new();
        for (name, value) in setup
            .get("env")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let value = value.as_str().ok_or("a variable is not a string")?;
            variables.insert(name.clone(), self.expand(value));
        }
        Ok(variables)
    }

    /// Files, links, times, then the `make` lines.
    pub(super) fn build(
        &self,
        setup: &Value,
        fill: Fill,
        no_make: bool,
    ) -> Result<(), Unsupported> {
        let make = setup
            .get("make")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        if no_make && !make.is_empty() {
            return Err("make (switched off)".into());
        }
        self.files(setup.get("files").unwrap_or(&Value::Null), fill)?;
        for line in make {
            self.make(line.as_str().ok_or("a make line is not a string")?)?;
        }
        Ok(())
    }

    fn files(&self, files: &Value, fill: Fill) -> Result<(), Unsupported> {
        let mut links = Vec::new();
        let mut plain = Vec::new();
        for (name, content) in files.as_object().into_iter().flatten() {
            if name == "*" {
                let names = content.as_array().ok_or("\"*\" is not a list")?;
                for name in names {
                    let name = name.as_str().ok_or("a name below \"*\" is not a string")?;
                    plain.push((self.work.join(self.expand(name)), b"x\n".to_vec(), now()));
                }
            } else if let Some(target) = content.get("link") {
                let target = target.as_str().ok_or("a link target is not a string")?;
                links.push((self.path_of(name), self.expand(target)));
            } else {
                let (bytes, modified) = self.content(content, fill)?;
                plain.push((self.path_of(name), bytes, modified));
            }
        }
        // What a link may point at comes first, then the links, then what is reached through them.
        let through = |path: &Path| links.iter().any(|(link, _)| path.starts_with(link));
        let (late, early): (Vec<_>, Vec<_>) =
            plain.into_iter().partition(|(path, _, _)| through(path));
        for (path, bytes, modified) in early {
            self.write(&path, &bytes, modified)?;
        }
        for (link, target) in &links {
            self.inside(link)?;
            std::fs::create_dir_all(link.parent().ok_or("a link has no folder")?)?;
            std::os::unix::fs::symlink(target, link)?;
        }
        for (path, bytes, modified) in late {
            self.write(&path, &bytes, modified)?;
        }
        Ok(())
    }

    fn content(&self, content: &Value, fill: Fill) -> Result<(Vec<u8>, SystemTime), Unsupported> {
        if let Some(text) = content.as_str() {
            let count = text
                .strip_suffix(" characters")
                .and_then(|n| n.parse::<usize>().ok());
            let text = count.map_or_else(|| self.expand(text), |count| "x".repeat(count));
            return Ok((text.into_bytes(), now()));
        }
        if let Some(text) = content.get("base64").and_then(Value::as_str) {
            let bytes = base64::engine::general_purpose::STANDARD.decode(text)?;
            return Ok((bytes, now()));
        }
        if let Some(text) = content.get("text").and_then(Value::as_str) {
            let days = content
                .get("mtime_days_ago")
                .and_then(Value::as_f64)
                .unwrap_or(0.0);
            let distance = Duration::from_secs_f64(days.abs() * SECONDS_PER_DAY);
            let modified = if days < 0.0 {
                now() + distance
            } else {
                now() - distance
            };
            return Ok((self.expand(text).into_bytes(), modified));
        }
        if let Some(segments) = content.get("segments") {
            let mut text = String::new();
            self.segments(segments, &mut text)?;
            return Ok((text.into_bytes(), now()));
        }
        if content.get("lines").is_some() {
            return Ok((self.lines(content, fill)?.into_bytes(), now()));
        }
        Err("a form of file content that is not listed".into())
    }

    fn segments(&self, segments: &Value, out: &mut String) -> Result<(), Unsupported> {
        for segment in segments.as_array().ok_or("segments are not a list")? {
            let unit = segment.get(0).ok_or("a segment has no unit")?;
            let times = segment
                .get(1)
                .and_then(Value::as_u64)
                .ok_or("a segment has no count")?;
            let mut once = String::new();
            match unit.as_str() {
                Some(text) => once.push_str(&self.expand(text)),
                None => self.segments(unit, &mut once)?,
            }
            let times = usize::try_from(times)?;
            if once.len().saturating_mul(times) > 1 << 28 {
                return Err("a file of more than 256 MiB".into());
            }
            out.push_str(&once.repeat(times));
        }
        Ok(())
    }

    fn lines(&self, content: &Value, fill: Fill) -> Result<String, Unsupported> {
        let number = |key: &str| content.get(key).and_then(Value::as_u64).unwrap_or_default();
        if content.get("form").and_then(Value::as_str) != Some("L%05d padded with x to width") {
            return Err("a form of lines that is not listed".into());
        }
        let width = usize::try_from(number("width"))?;
        let fill = if fill == Fill::X { 'x' } else { '\r' };
        let lines = (1..=number("lines")).map(|at| {
            let mut line = format!("L{at:05}");
            while line.len() < width {
                line.push(fill);
            }
            line
        });
        let mut text = lines.collect::<Vec<_>>().join("\n");
        if content
            .get("final_newline")
            .and_then(Value::as_bool)
            .unwrap_or_default()
        {
            text.push('\n');
        }
        text.push_str(
            content
                .get("then")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        );
        Ok(text)
    }

    /// Nothing is written outside the root, whatever a vector names.
    fn inside(&self, path: &Path) -> Result<(), Unsupported> {
        let climbs = path.components().any(|part| part == Component::ParentDir);
        if climbs || !path.starts_with(&self.path) {
            return Err(format!("a file outside the root: {}", path.display()).into());
        }
        let parents = path
            .ancestors()
            .skip(1)
            .find_map(|parent| parent.canonicalize().ok());
        if parents.is_some_and(|parent| parent.starts_with(&self.path)) {
            return Ok(());
        }
        Err(format!("a file outside the root through a link: {}", path.display()).into())
    }

    fn write(&self, path: &Path, bytes: &[u8], modified: SystemTime) -> Result<(), Unsupported> {
        self.inside(path)?;
        std::fs::create_dir_all(path.parent().ok_or("a file has no folder")?)?;
        std::fs::write(path, bytes)?;
        std::fs::File::options()
            .append(true)
            .open(path)?
            .set_modified(modified)?;
        Ok(())
    }

    fn make(&self, line: &str) -> Result<(), Unsupported> {
        let config = self.path.join("gitconfig");
        let identity = "[user]\n\tname = conform\n\temail = conform@localhost\n\
            [init]\n\tdefaultBranch = main\n[commit]\n\tgpgsign = false\n";
        std::fs::write(&config, identity)?;
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(self.expand(line))
            .current_dir(&self.work)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", &config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let started = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return if status.success() {
                    Ok(())
                } else {
                    Err(format!("make: {status}").into())
                };
            }
            if started.elapsed() > MAX_MAKE_TIME {
                // The whole group: what the line started goes with it.
                let group = format!("-{}", child.id());
                let _ = Command::new("kill").args(["-9", "--", &group]).status();
                let _ = child.wait();
                return Err("make: not done in time".into());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Replaces a path wherever it begins one in a text: not in the middle of another path.
fn replace_paths(text: &str, path: &str, by: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(path) {
        let (before, after) = rest.split_at(at);
        let after = &after[path.len()..];
        out.push_str(before);
        let begins = !out.ends_with(part);
        let ends = after.starts_with('/') || !after.starts_with(part);
        out.push_str(if begins && ends { by } else { path });
        rest = after;
    }
    out + rest
}

fn replace_prefix(path: &str, prefix: &str, by: &str) -> Option<String> {
    let rest = path.strip_prefix(prefix)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("{by}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::replace_paths;

    #[test]
    fn a_path_is_replaced_where_it_begins() {
        let check = |text: &str, wanted: &str| assert_eq!(replace_paths(text, "/a", "/T"), wanted);
        check("/a", "/T");
        check("/a/a", "/T/a");
        check("x=/a/b:/a y/a /ab /a", "x=/T/b:/T y/a /ab /T");
        check("gitdir: /a/.git\n", "gitdir: /T/.git\n");
        check("", "");
    }
}
