//! What a consolidating agent may do: read below three roots, write memory files, look around with
//! the shell, and nothing else.

mod places;
mod refusal;
mod secrets;
mod tool;

use std::fs;
use std::path::{Path, PathBuf};

use memdir_paths::{ErrorKind, resolve_inside};

use crate::shell::{Script, judge_shell};
pub(crate) use secrets::search_globs;

pub use places::Roots;
pub use refusal::{Refusal, RefusalKind};
pub use tool::ToolUse;

/// Whether a path of a repository, with `/` between its parts, is a place of credentials.
pub(crate) fn is_secret_name(path: &str) -> bool {
    secrets::is_secret(path.split('/').filter(|part| !matches!(*part, "" | ".")))
}

/// Judges the tool uses of a consolidating agent.
#[derive(Clone, Debug)]
pub struct ToolPolicy {
    roots: Roots,
    cwd: PathBuf,
}

/// The answer to a tool use. Deliberately exhaustive: there is no third way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Verdict {
    /// It may be done, exactly as it says here.
    Allow(Allowed),
    /// It may not; show the reason to the model.
    Refuse(Refusal),
}

/// What may be done. Work with what stands here and not with the input of the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Allowed {
    /// Read this file, or list or search this folder, by its real place. Ask
    /// [`Roots::may_read`] for every file that a search comes across: a link may lead out, and
    /// what holds credentials is not read.
    Read(PathBuf),
    /// Write this file, by its real place; it may not exist yet.
    Write(PathBuf),
    /// Run this.
    Run(Script),
}

impl ToolPolicy {
    /// A policy for an agent whose commands run in `cwd`, and whose relative paths start there.
    #[must_use]
    pub fn new(roots: Roots, cwd: &Path) -> ToolPolicy {
        ToolPolicy {
            roots,
            cwd: cwd.to_path_buf(),
        }
    }

    /// The roots.
    #[must_use]
    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    /// Allows or refuses one tool use.
    ///
    /// The answer holds for now: between the answer and the act nobody else should be able to
    /// exchange folders for links. What this agent itself may write does not make links.
    #[must_use]
    pub fn judge(&self, tool: &ToolUse) -> Verdict {
        let allowed = match tool {
            ToolUse::Read { path } => self.read(Some(path)),
            ToolUse::Grep { path } => self.read(path.as_deref()),
            ToolUse::Glob { pattern, path } => self.glob(pattern, path.as_deref()),
            ToolUse::Edit { path } | ToolUse::Write { path } => self.write(path),
            ToolUse::Shell { command } => {
                judge_shell(command, &self.cwd, &self.roots).map(Allowed::Run)
            }
            ToolUse::Other { name } => Err(Refusal::new(
                RefusalKind::Tool,
                name,
                "only Read, Grep, Glob, Edit, Write and Bash may be used here",
            )),
        };
        match allowed {
            Ok(allowed) => Verdict::Allow(allowed),
            Err(refusal) => Verdict::Refuse(refusal),
        }
    }

    fn read(&self, path: Option<&str>) -> Result<Allowed, Refusal> {
        let path = match path {
            Some(path) => self.absolute(path)?,
            None => self.cwd.clone(),
        };
        self.roots.may_read(&path).map(Allowed::Read)
    }

    /// The folder that the fixed part of the pattern leads to.
    fn glob(&self, pattern: &str, path: Option<&str>) -> Result<Allowed, Refusal> {
        let parts = || pattern.split(['/', '\\', ',', '{', '}', '(', ')', '|']);
        let dots = parts()
            .filter(|part| !part.is_empty() && part.bytes().all(|byte| byte == b'.'))
            .count();
        // Alternatives and escapes make `..` from its dots: `{.,a}{.,b}`.
        let is_climbing =
            parts().any(|part| part == "..") || (dots > 1 && pattern.contains(['{', '(', '\\']));
        if is_climbing || pattern.contains('\0') {
            return Err(Refusal::new(
                RefusalKind::Outside,
                pattern,
                "a pattern may not climb with `..`",
            ));
        }
        // An alternative that begins at the root, or at home: `{/etc/*,a}`, `~/*`.
        if pattern.starts_with('~')
            || ["{/", ",/", "(/", "|/", "{~", ",~", "(~", "|~"]
                .iter()
                .any(|start| pattern.contains(start))
        {
            return Err(Refusal::new(
                RefusalKind::Outside,
                pattern,
                "a pattern begins with a folder, or in the one that it is used in",
            ));
        }
        let fixed: PathBuf = Path::new(pattern)
            .components()
            .take_while(|part| {
                let text = part.as_os_str().to_string_lossy();
                !text.contains(['*', '?', '[', '{'])
            })
            .collect();
        let base = match path {
            Some(path) => self.absolute(path)?,
            None => self.cwd.clone(),
        };
        // An absolute pattern is one whatever the folder is.
        let place = self.roots.may_read(&base.join(&fixed))?;
        if fixed.is_absolute() {
            return Ok(Allowed::Read(place));
        }
        self.roots.may_read(&base).map(Allowed::Read)
    }

    fn write(&self, path: &str) -> Result<Allowed, Refusal> {
        let refuse = |kind, why| Err(Refusal::new(kind, path, why));
        const ONLY: &str = "only files below the memory directory may be written";
        let absolute = self.absolute(path)?;
        let memory = self.roots.memory();
        let Some(below) = memory.below(&absolute).and_then(Path::to_str) else {
            return refuse(RefusalKind::ReadOnly, ONLY);
        };
        // As it is called, and, links resolved, as it is.
        check_memory_name(path, below)?;
        let root = memory.real.as_deref().unwrap_or(&memory.named);
        let place = match resolve_inside(root, below) {
            Ok(place) => place,
            Err(e) if matches!(e.kind(), ErrorKind::UnsafeName(_)) => {
                return refuse(RefusalKind::Operand, "the name is not safe on every system");
            }
            Err(_) => return refuse(RefusalKind::ReadOnly, ONLY),
        };
        let real_root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        match place.strip_prefix(&real_root).map(Path::to_str) {
            Ok(Some(real)) => check_memory_name(path, real)?,
            // The root is missing, so nothing below it can be a link.
            Err(_) if memory.real.is_none() && !real_root.exists() => {}
            _ => return refuse(RefusalKind::ReadOnly, ONLY),
        }
        match fs::symlink_metadata(&place) {
            Ok(meta) if !meta.is_file() => {
                refuse(RefusalKind::Special, "there is something that is no file")
            }
            _ => Ok(Allowed::Write(place)),
        }
    }

    fn absolute(&self, path: &str) -> Result<PathBuf, Refusal> {
        if path.is_empty() || path.contains('\0') {
            return Err(Refusal::new(
                RefusalKind::Input,
                path,
                "the name of a file is expected",
            ));
        }
        Ok(self.cwd.join(path))
    }
}

/// Markdown, and nothing hidden on the way: what begins with a dot is bookkeeping.
fn check_memory_name(path: &str, below: &str) -> Result<(), Refusal> {
    let is_hidden = below.split(['/', '\\']).any(|part| part.starts_with('.'));
    if is_hidden || !below.ends_with(".md") {
        return Err(Refusal::new(
            RefusalKind::ReadOnly,
            path,
            "only files that end in `.md`, with no part that begins with a dot, may be written",
        ));
    }
    Ok(())
}
