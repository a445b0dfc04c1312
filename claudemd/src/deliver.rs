//! What a used path brings: nested files and matching rules, each once.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::discover::is_same;
use crate::file::{LoadReason, LoadedFile};
use crate::layer::Layer;
use crate::loader::{Loader, Owner};
use crate::paths::{RealDirs, canonical, clean, is_clean};
use crate::report::Waiting;
use crate::rule_index::RuleIndex;
use crate::session::{RuleMatch, RuleState};

impl Loader {
    /// Nested files and rules that became relevant, in the order of the format: managed rules,
    /// user rules, the directories from the working directory down, the rules of the start.
    pub(crate) fn deliver(&mut self, path: &Path) -> Vec<LoadedFile> {
        // Most paths lie in a folder that is known; then nothing else has to be asked.
        if let Some(real) = folder_of(path).and_then(|folder| self.looked.get(folder)) {
            let real = real.clone();
            let matched = self.matched(path, real.as_deref());
            return self.hand_out(path, Vec::new(), &matched);
        }
        let joined;
        let path = match is_clean(path) {
            true => path,
            false => {
                joined = clean(&self.cwd.join(path));
                &joined
            }
        };
        let Some((path, root)) = self.inside(path) else {
            return Vec::new();
        };
        let path = path.as_ref();
        let Some(parent) = path.parent() else {
            return Vec::new();
        };
        let mut nested = Vec::new();
        self.look(&root, parent, path, &mut nested);
        let real = Some(self.dirs.dir(parent)).filter(|real| real != parent);
        let matched = self.matched(path, real.as_deref());
        self.hand_out(path, nested, &matched)
    }

    fn hand_out(
        &mut self,
        path: &Path,
        nested: Vec<(PathBuf, Vec<LoadedFile>)>,
        matched: &[usize],
    ) -> Vec<LoadedFile> {
        if matched.is_empty() && nested.iter().all(|(_, files)| files.is_empty()) {
            return Vec::new();
        }
        let mut out = self.assemble(path, nested, matched);
        self.fit(&mut out);
        self.record(&out);
        out
    }

    /// A path with the directory that it counts as being inside. One that is outside by its
    /// spelling alone, behind a link that leads in, is taken for what it really is.
    fn inside<'a>(&self, path: &'a Path) -> Option<(Cow<'a, Path>, PathBuf)> {
        if let Some(root) = self.root_of(path) {
            return Some((Cow::Borrowed(path), root));
        }
        let real = RealDirs::default().dir(path.parent()?);
        let below = real.strip_prefix(&self.cwd_real).ok()?;
        let path = self.cwd.join(below).join(path.file_name()?);
        Some((Cow::Owned(path), self.cwd.clone()))
    }

    /// The directory that a path counts as being inside: the working directory, as spelled or
    /// really, or an additional directory that is read.
    fn root_of(&self, path: &Path) -> Option<PathBuf> {
        if path.starts_with(&self.cwd) {
            return Some(self.cwd.clone());
        }
        if path.starts_with(&self.cwd_real) {
            return Some(self.cwd_real.clone());
        }
        if !self.options.switches.reads_additional() {
            return None;
        }
        let dirs = self.roots.additional_dirs.iter();
        dirs.map(|dir| clean(&self.cwd.join(dir)))
            .find(|dir| path.starts_with(dir))
    }

    /// Looks into every directory below the root on the way to a path, outermost first. A
    /// directory that does not exist yet is looked for again the next time.
    fn look(
        &mut self,
        root: &Path,
        parent: &Path,
        path: &Path,
        nested: &mut Vec<(PathBuf, Vec<LoadedFile>)>,
    ) {
        let mut way: Vec<&Path> = parent.ancestors().take_while(|dir| *dir != root).collect();
        way.reverse();
        for dir in way {
            if self.looked.contains_key(bytes(dir)) {
                continue;
            }
            if !dir.is_dir() {
                return;
            }
            let real = Some(self.dirs.dir(dir)).filter(|real| real != dir);
            self.looked.insert(bytes(dir).into(), real);
            let mut files = Vec::new();
            self.nested(dir, path, &mut files);
            nested.push((dir.to_path_buf(), files));
        }
    }

    /// Numbers of the rules that match and were not delivered. `real` is the real path of the
    /// folder, if that is another.
    fn matched(&mut self, path: &Path, real: Option<&Path>) -> Vec<usize> {
        self.index();
        if self.indexed == 0 {
            return Vec::new();
        }
        let mut matched = matches(&self.index, path, real);
        matched.retain(|number| !self.rules[*number].delivered);
        matched
    }

    fn assemble(
        &mut self,
        path: &Path,
        nested: Vec<(PathBuf, Vec<LoadedFile>)>,
        matched: &[usize],
    ) -> Vec<LoadedFile> {
        let mut out = Vec::new();
        for layer in [Layer::Managed, Layer::User] {
            for number in matched {
                if self.rules[*number].entry.file.layer == layer {
                    self.fire(*number, path, &mut out);
                }
            }
        }
        // Rules of directories that were looked into before join their directory's place.
        let mut below: Vec<PathBuf> = nested.iter().map(|(dir, _)| dir.clone()).collect();
        for number in matched {
            if let Owner::Nested(dir) = &self.rules[*number].owner {
                below.push(dir.clone());
            }
        }
        below.sort();
        below.dedup();
        let mut nested = nested;
        for dir in below {
            if let Some((_, files)) = nested.iter_mut().find(|(known, _)| *known == dir) {
                out.append(files);
            }
            for number in matched {
                if self.rules[*number].owner == Owner::Nested(dir.clone()) {
                    self.fire(*number, path, &mut out);
                }
            }
        }
        for number in matched {
            self.fire(*number, path, &mut out);
        }
        out
    }

    /// All known rules that match a path.
    pub(crate) fn rules_for(&self, path: &Path) -> Vec<RuleMatch> {
        let path = clean(&self.cwd.join(path));
        let Some((path, _)) = self.inside(&path) else {
            return Vec::new();
        };
        let Some(parent) = path.parent() else {
            return Vec::new();
        };
        let real = Some(RealDirs::default().dir(parent)).filter(|real| real != parent);
        let mut numbers = Vec::new();
        if self.indexed > 0 {
            numbers = matches(&self.index, &path, real.as_deref());
        }
        if self.indexed < self.rules.len() {
            let rest = matches(self.rest(), &path, real.as_deref());
            numbers.extend(rest.into_iter().map(|number| self.indexed + number));
        }
        let found = numbers.into_iter().map(|number| {
            let rule = &self.rules[number];
            RuleMatch {
                path: rule.entry.file.path.clone(),
                layer: rule.entry.file.layer,
                globs: rule.entry.file.globs.clone(),
                state: match rule.delivered {
                    true => RuleState::Delivered,
                    false => RuleState::Waiting,
                },
            }
        });
        found.collect()
    }

    /// Delivers a rule with its imports, if that did not happen yet.
    fn fire(&mut self, number: usize, path: &Path, out: &mut Vec<LoadedFile>) {
        let rule = &mut self.rules[number];
        if rule.delivered {
            return;
        }
        rule.delivered = true;
        let mut entry = rule.entry.clone();
        // The text is in the model's hands now; the rule needs it no more.
        rule.entry.file.text = String::new();
        let shown = entry.file.path.clone();
        let other = |waiting: &Waiting| waiting.path.as_os_str() != shown.as_os_str();
        self.report.waiting.retain(other);
        if self.is_loaded(&entry) {
            return;
        }
        entry.file.reason = LoadReason::Glob;
        entry.file.trigger = Some(path.to_path_buf());
        match is_same(&entry, path) {
            true => self.expand_without(entry, out),
            false => self.expand(entry, out),
        }
    }
}

/// Numbers of the rules of an index that match a path as spelled or as it really is.
fn matches(index: &RuleIndex, path: &Path, real: Option<&Path>) -> Vec<usize> {
    let mut matched = Vec::new();
    index.matches(path, &mut matched);
    if let Some(real) = real_of(path, real) {
        index.matches(&real, &mut matched);
    }
    matched
}

/// The real path of a file in a folder whose real path is known to be another, or not; `None` if
/// it is the path as spelled.
fn real_of(path: &Path, folder: Option<&Path>) -> Option<PathBuf> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    match (is_link, folder, path.file_name()) {
        (true, _, _) => canonical(path),
        (false, Some(folder), Some(name)) => Some(folder.join(name)),
        _ => None,
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The folder of a path that is written as a folder, a slash and a plain name.
fn folder_of(path: &Path) -> Option<&[u8]> {
    let bytes = bytes(path);
    let slash = bytes.iter().rposition(|byte| *byte == b'/')?;
    let name = &bytes[slash + 1..];
    let plain = !name.is_empty() && name != b"." && name != b"..";
    plain.then_some(&bytes[..slash])
}
