//! Which files are looked for, and in which order.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::clean::clean_body;
use crate::file::{Extent, LoadReason, LoadedFile};
use crate::globs::PathGlobs;
use crate::layer::{Layer, Source};
use crate::loader::{Entry, Kind, Loader, Owner, Taken, WaitingRule, Want, Worktree};
use crate::options::AgentsMd;
use crate::read;
use crate::report::{SkipReason, Waiting, WarningKind};
use crate::rules::{self, RuleFile};

/// A directory whose files are looked for.
struct Visit<'a> {
    dir: &'a Path,
    reason: LoadReason,
    /// The path whose use led here, and which is not handed out itself.
    touched: Option<&'a Path>,
    project: bool,
}

impl Loader {
    /// Loads everything that is in force from the start.
    pub(crate) fn start(&mut self, reason: LoadReason) -> Vec<LoadedFile> {
        let mut out = Vec::new();
        if let Some(switch) = self.options.switches.off() {
            self.report.switched_off = Some(switch);
            return out;
        }
        let off = |source: &Source| !self.options.reads(*source);
        self.report.sources_off = Source::ALL.into_iter().filter(off).collect();
        let cwd = self.cwd.clone();
        if !cwd.is_absolute() {
            self.warn(&cwd, WarningKind::RelativeWorkingDirectory);
        } else if !cwd.is_dir() {
            self.warn(&cwd, WarningKind::NoWorkingDirectory);
        }
        self.worktree = self.nested_worktree();
        self.managed(reason, &mut out);
        if self.options.reads(Source::User)
            && let Some(dir) = self.roots.user_dir()
        {
            let dir = crate::paths::clean(&self.cwd.join(dir));
            self.plain(&dir.join("CLAUDE.md"), Layer::User, reason, &mut out);
            self.rules_of(&dir.join("rules"), &dir, Layer::User, reason, &mut out);
        }
        let mut above: Vec<&Path> = cwd.ancestors().collect();
        above.reverse();
        let project = self.options.reads(Source::Project);
        for dir in above {
            self.visit(&Visit::start(dir, reason, project), &mut out);
        }
        if self.options.switches.reads_additional() {
            for dir in self.roots.additional_dirs.clone() {
                let dir = crate::paths::clean(&cwd.join(dir));
                // Opening a directory is an act of its own: its project files load regardless.
                self.visit(&Visit::start(&dir, reason, true), &mut out);
            }
        }
        self.fit(&mut out);
        self.record(&out);
        self.started = true;
        // What lies right in these brings no nested files.
        for dir in [self.cwd.clone(), self.cwd_real.clone()] {
            let real = Some(self.cwd_real.clone()).filter(|real| *real != dir);
            let key = dir.as_os_str().as_encoded_bytes();
            self.looked.insert(key.into(), real);
        }
        out
    }

    fn managed(&mut self, reason: LoadReason, out: &mut Vec<LoadedFile>) {
        let dir = self.roots.managed_dir.clone();
        if let Some(dir) = &dir {
            self.plain(&dir.join("CLAUDE.md"), Layer::Managed, reason, out);
        }
        if let Some(text) = &self.options.managed_text {
            let text = clean_body(text).text;
            if !text.is_empty() {
                let dir = dir.clone().unwrap_or_default();
                let path = dir.join("managed-settings.json");
                let mut file = LoadedFile {
                    real: path.clone(),
                    path,
                    layer: Layer::Managed,
                    reason,
                    parent: None,
                    trigger: None,
                    globs: Vec::new(),
                    bytes: text.len() as u64,
                    text,
                    chars: 0,
                    tokens: 0,
                    extent: Extent::Whole,
                    exact: false,
                };
                file.measure();
                out.push(file);
            }
        }
        if let Some(dir) = &dir {
            let folder = dir.join(".claude").join("rules");
            self.rules_of(&folder, dir, Layer::Managed, reason, out);
        }
    }

    /// One file that is looked for by name.
    fn plain(
        &mut self,
        path: &Path,
        layer: Layer,
        reason: LoadReason,
        out: &mut Vec<LoadedFile>,
    ) -> bool {
        self.wanted(&want_named(path, layer, reason), None, out)
    }

    /// Takes a file and hands it out; says whether there is one.
    fn wanted(
        &mut self,
        want: &Want<'_>,
        touched: Option<&Path>,
        out: &mut Vec<LoadedFile>,
    ) -> bool {
        if let Some(copy) = self.own_copy(want) {
            if std::fs::symlink_metadata(want.found).is_err() {
                return false;
            }
            self.skip(want, SkipReason::OwnCopyInWorktree { copy });
            return true;
        }
        match self.take(want) {
            Taken::Absent => return false,
            Taken::Left => {}
            Taken::File(entry) if touched.is_some_and(|path| is_same(&entry, path)) => {
                self.expand_without(*entry, out);
            }
            Taken::File(entry) => self.expand(*entry, out),
        }
        true
    }

    /// The files of one directory: in the order of the start, or in that of nested ones, where
    /// local files come before rules.
    fn visit(&mut self, visit: &Visit<'_>, out: &mut Vec<LoadedFile>) {
        let dot = visit.dir.join(".claude");
        let nested = visit.reason == LoadReason::Nested;
        let mut named = |loader: &mut Loader, path: PathBuf, layer: Layer| {
            let mut want = want_named(&path, layer, visit.reason);
            want.trigger = visit.touched;
            loader.wanted(&want, visit.touched, out)
        };
        // One look tells whether anything below `.claude` has to be looked for.
        let has_dot = visit.project && {
            let look = std::fs::metadata(&dot);
            let missing = look.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
            if missing {
                self.stamps.push((dot.clone(), None));
            }
            !missing
        };
        if visit.project {
            let plain = named(self, visit.dir.join("CLAUDE.md"), Layer::Project);
            let dotted = has_dot && named(self, dot.join("CLAUDE.md"), Layer::Project);
            if !plain && !dotted && self.options.agents_md == AgentsMd::Fallback {
                named(self, visit.dir.join("AGENTS.md"), Layer::Project);
            }
        }
        let local = self.options.reads(Source::Local);
        if nested && local {
            named(self, visit.dir.join("CLAUDE.local.md"), Layer::Local);
        }
        if has_dot {
            let folder = dot.join("rules");
            self.rules_in(&folder, visit, Layer::Project, out);
        }
        if !nested && local {
            self.plain(
                &visit.dir.join("CLAUDE.local.md"),
                Layer::Local,
                visit.reason,
                out,
            );
        }
    }

    /// The rules of a managed or user folder: their patterns start at the working directory.
    fn rules_of(
        &mut self,
        folder: &Path,
        owner: &Path,
        layer: Layer,
        reason: LoadReason,
        out: &mut Vec<LoadedFile>,
    ) {
        let visit = Visit::start(owner, reason, true);
        self.rules_in(folder, &visit, layer, out);
    }

    fn rules_in(
        &mut self,
        folder: &Path,
        visit: &Visit<'_>,
        layer: Layer,
        out: &mut Vec<LoadedFile>,
    ) {
        let found = rules::find(folder, visit.dir, &mut self.dirs);
        self.stamps.extend(found.folders);
        for (path, reason) in found.problems {
            let mut want = want_named(&path, layer, visit.reason);
            want.kind = Kind::Rule;
            self.skip(&want, reason);
        }
        if found.files.is_empty() {
            return;
        }
        let base = match layer {
            Layer::Managed | Layer::User => self.cwd.clone(),
            Layer::Project | Layer::Local => visit.dir.to_path_buf(),
        };
        let real = self.dirs.dir(&base);
        let bases: Arc<[PathBuf]> = match real == base {
            true => Arc::new([base]),
            false => Arc::new([base, real]),
        };
        // Growing by doubling would move everything several times.
        let count = found.files.len();
        self.stamps.reserve(count);
        self.rules.reserve(count);
        self.report.waiting.reserve(count);
        for file in found.files {
            self.rule(&visit.rule(&file, layer), visit, &bases, out);
        }
    }

    fn rule(
        &mut self,
        want: &Want<'_>,
        visit: &Visit<'_>,
        bases: &Arc<[PathBuf]>,
        out: &mut Vec<LoadedFile>,
    ) {
        if let Some(copy) = self.own_copy(want) {
            self.skip(want, SkipReason::OwnCopyInWorktree { copy });
            return;
        }
        let Taken::File(entry) = self.take(want) else {
            return;
        };
        let touched = visit.touched.is_some_and(|path| is_same(&entry, path));
        if entry.file.globs.is_empty() {
            match touched {
                true => self.expand_without(*entry, out),
                false => self.expand(*entry, out),
            }
            return;
        }
        // Ordinary patterns have no problems; they are compiled when the first path is used.
        let compiled = match are_ordinary(&entry.file.globs) {
            true => None,
            false => Some(PathGlobs::new(&entry.file.globs)),
        };
        for problem in compiled.iter().flat_map(PathGlobs::problems) {
            let kind = WarningKind::Pattern {
                pattern: problem.pattern.clone(),
                reason: problem.reason.clone(),
            };
            self.warn(want.found, kind);
        }
        if matches!(want.layer, Layer::Managed | Layer::User)
            && let Some(pattern) = entry.file.globs.iter().find(|glob| is_anchored(glob))
        {
            let message = format!(
                "`{pattern}` is relative to the working directory, as the rule belongs to no \
                 project; `**/` in front lets it match anywhere below"
            );
            self.warn(want.found, WarningKind::Header { message });
        }
        let waiting = Waiting {
            path: entry.file.path.clone(),
            layer: want.layer,
            globs: entry.file.globs.clone(),
        };
        let rule = WaitingRule {
            entry: *entry,
            owner: match visit.reason {
                LoadReason::Nested => Owner::Nested(visit.dir.to_path_buf()),
                _ => Owner::Start,
            },
            delivered: false,
            bases: Arc::clone(bases),
            compiled,
        };
        if self.wait(rule) {
            self.report.waiting.push(waiting);
        }
    }

    /// Looks for the files of a directory below the working directory.
    pub(crate) fn nested(&mut self, dir: &Path, touched: &Path, out: &mut Vec<LoadedFile>) {
        let visit = Visit {
            dir,
            reason: LoadReason::Nested,
            touched: Some(touched),
            project: self.options.reads(Source::Project),
        };
        self.visit(&visit, out);
    }

    /// The worktree of the working directory, if it lies inside its main checkout: then the
    /// nearest repository root above is not that of the main checkout, but inside it.
    fn nested_worktree(&mut self) -> Option<Worktree> {
        let main = self.dirs.dir(self.roots.git_root.as_deref()?);
        let root = self
            .cwd_real
            .ancestors()
            .find(|dir| std::fs::symlink_metadata(dir.join(".git")).is_ok())?
            .to_path_buf();
        let nested = root != main && root.starts_with(&main) && is_worktree(&root.join(".git"));
        nested.then_some(Worktree { main, root })
    }

    /// The copy that the worktree has of a file of the main checkout. Local files have none.
    fn own_copy(&mut self, want: &Want<'_>) -> Option<PathBuf> {
        let worktree = self.worktree.as_ref()?;
        if want.layer != Layer::Project || want.reason == LoadReason::Nested {
            return None;
        }
        let real = self.dirs.file(want.found);
        if real.starts_with(&worktree.root) {
            return None;
        }
        let copy = worktree.root.join(real.strip_prefix(&worktree.main).ok()?);
        copy.exists().then_some(copy)
    }

    /// Cuts texts to the caller's budget, the nearest files served first.
    pub(crate) fn fit(&mut self, files: &mut Vec<LoadedFile>) {
        let budget = self.options.budget;
        if budget.per_file.is_none() && budget.total.is_none() {
            return;
        }
        for file in files.iter_mut().rev() {
            let left = budget.total.map(|total| total.saturating_sub(self.used));
            let cap = [budget.per_file, left].into_iter().flatten().min();
            file.cut(cap.unwrap_or(usize::MAX));
            self.used += file.text.len();
        }
        let (kept, empty): (Vec<_>, Vec<_>) = std::mem::take(files)
            .into_iter()
            .partition(|file| !file.text.is_empty());
        *files = kept;
        for file in empty {
            let mut want = want_named(&file.path, file.layer, file.reason);
            want.parent = file.parent.as_deref();
            self.skip(&want, SkipReason::Budget);
        }
    }
}

impl<'a> Visit<'a> {
    fn start(dir: &'a Path, reason: LoadReason, project: bool) -> Visit<'a> {
        Visit {
            dir,
            reason,
            touched: None,
            project,
        }
    }

    fn rule<'b>(&'b self, file: &'b RuleFile, layer: Layer) -> Want<'b> {
        Want {
            found: &file.found,
            shown: &file.shown,
            real: Some(&file.real),
            dir: file.dir.as_ref(),
            layer,
            reason: self.reason,
            parent: None,
            trigger: self.touched,
            kind: Kind::Rule,
        }
    }
}

/// Whether a pattern means one place below its base: it has a slash before its end and does not
/// begin with `**/`.
fn is_anchored(pattern: &str) -> bool {
    let pattern = pattern.strip_prefix('!').unwrap_or(pattern);
    let body = pattern.strip_suffix("/**").unwrap_or(pattern);
    !body.starts_with("**/") && body.trim_end_matches('/').contains('/')
}

/// Whether the patterns of a rule are so few and so ordinary that none is refused.
fn are_ordinary(patterns: &[String]) -> bool {
    // With 200 bytes each, braces stay far below what they may expand to.
    const MAX_PATTERNS: usize = 8;
    patterns.len() <= MAX_PATTERNS
        && patterns.iter().all(|pattern| is_ordinary(pattern))
        && patterns.iter().any(|pattern| !pattern.starts_with('!'))
}

/// Whether a pattern is so ordinary that it cannot be refused: short, of letters, digits, wild
/// cards and the like, without empty parts and parts of dots; perhaps with `!` in front and one
/// group of plain alternatives in braces.
fn is_ordinary(pattern: &str) -> bool {
    const MAX_BYTES: usize = 200;
    let name = |byte: u8| byte.is_ascii_alphanumeric() || b"*?._-".contains(&byte);
    let is_plain = |text: &str| text.bytes().all(|byte| name(byte) || byte == b'/');
    let is_named = |part: &str| part.bytes().any(|byte| byte != b'.');
    let pattern = pattern.strip_prefix('!').unwrap_or(pattern);
    let braces = pattern.split_once('{').and_then(|(before, rest)| {
        let (group, after) = rest.split_once('}')?;
        Some((before, group, after))
    });
    if let Some((before, group, after)) = braces
        && !(is_plain(before)
            && is_plain(after)
            && group
                .split(',')
                .all(|one| is_named(one) && one.bytes().all(name)))
    {
        return false;
    }
    pattern.len() <= MAX_BYTES
        && (braces.is_some() || is_plain(pattern))
        && pattern.split('/').all(is_named)
}

/// Whether a `.git` is the pointer of a linked worktree: submodules have pointers too, to another
/// place, and repositories of their own have a folder there.
fn is_worktree(pointer: &Path) -> bool {
    const MAX_POINTER_BYTES: u64 = 8_192;
    let text = read::open(None, pointer)
        .ok()
        .and_then(|opened| opened.read(MAX_POINTER_BYTES).ok().flatten());
    let text = String::from_utf8_lossy(text.as_deref().unwrap_or_default()).into_owned();
    let target = text.trim().strip_prefix("gitdir:").map(str::trim);
    let store = target.and_then(|target| Path::new(target).parent());
    store.is_some_and(|store| store.ends_with("worktrees"))
}

/// A file that is looked for by its name.
fn want_named(path: &Path, layer: Layer, reason: LoadReason) -> Want<'_> {
    Want {
        found: path,
        shown: path,
        real: None,
        dir: None,
        layer,
        reason,
        parent: None,
        trigger: None,
        kind: Kind::Instructions,
    }
}

/// Whether an entry is the file at a path.
pub(crate) fn is_same(entry: &Entry, path: &Path) -> bool {
    entry.file.path == path || entry.file.real == path
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ordinary_patterns_have_no_problems(
            patterns in proptest::collection::vec(
                "!?([a-c*?._/-]{1,6}|[a-c*/.]{0,3}\\{[a-c*.,/]{0,5}\\}[a-c*/.]{0,3})", 1..4)
        ) {
            prop_assert!(!are_ordinary(&patterns) || PathGlobs::new(&patterns).problems().is_empty());
        }
    }

    #[test]
    fn patterns_that_may_be_refused_are_not_ordinary() {
        for pattern in [
            "", "/a", "./a", "../a", "a//b", "a/", "[a", "!!a", "!", "{a", "{}", "{,a}", "{a,.}",
            "!.", "a}", "{a}{b}", "{a/b}", "{a{b}}", "~/a", "#a", "\\",
        ] {
            assert!(!is_ordinary(pattern), "{pattern}");
        }
        for pattern in [
            "*.ts",
            "src/**",
            "**/*.e1",
            "packages/p-1/**",
            ".github/*_x",
            "!gen",
            "!src/**/gen/**",
            "src/**/{a,b}1/*.t?x",
            "{a}",
        ] {
            assert!(is_ordinary(pattern), "{pattern}");
        }
    }
}
