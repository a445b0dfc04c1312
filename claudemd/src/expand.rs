//! Follows imports: depth first, each real file once, within limits and allowed places.

use std::path::{Path, PathBuf};

use crate::file::{LoadReason, LoadedFile};
use crate::import::{MAX_LOOKUPS, Reference};
use crate::layer::Layer;
use crate::loader::{Entry, Kind, Loader, Taken, Want};
use crate::options::External;
use crate::paths::canonical;
use crate::report::{MAX_LISTED_MISSES, Miss, Place, SkipReason};
use crate::resolve::{is_git_metadata, is_text, locate};

/// A file whose references are being followed.
struct Frame {
    parent: PathBuf,
    base: PathBuf,
    layer: Layer,
    trigger: Option<PathBuf>,
    /// Hops from the file that began: its own number is 0.
    depth: usize,
    references: std::vec::IntoIter<Reference>,
}

impl Frame {
    fn new(entry: &mut Entry, depth: usize) -> Frame {
        Frame {
            parent: entry.file.path.clone(),
            base: entry.base.clone(),
            layer: entry.file.layer,
            trigger: entry.file.trigger.clone(),
            depth,
            references: std::mem::take(&mut entry.references).into_iter(),
        }
    }
}

impl Loader {
    /// Hands out a file and, after it, everything that it imports.
    pub(crate) fn expand(&mut self, mut entry: Entry, out: &mut Vec<LoadedFile>) {
        self.accept(&entry);
        let mut stack = vec![Frame::new(&mut entry, 0)];
        out.push(entry.file);
        self.follow(&mut stack, out);
    }

    /// Hands out only what a file imports: the model has just read the file itself.
    pub(crate) fn expand_without(&mut self, mut entry: Entry, out: &mut Vec<LoadedFile>) {
        self.mark(&entry);
        let mut stack = vec![Frame::new(&mut entry, 0)];
        self.follow(&mut stack, out);
    }

    fn follow(&mut self, stack: &mut Vec<Frame>, out: &mut Vec<LoadedFile>) {
        while let Some(frame) = stack.last_mut() {
            let Some(reference) = frame.references.next() else {
                stack.pop();
                continue;
            };
            if self.lookups >= MAX_LOOKUPS {
                frame.references = Vec::new().into_iter();
                let (parent, layer) = (frame.parent.clone(), frame.layer);
                let reason = SkipReason::TooManyReferences { limit: MAX_LOOKUPS };
                self.skip(&want(&parent, None, layer, None), reason);
                continue;
            }
            self.lookups += 1;
            let depth = frame.depth + 1;
            if let Some(mut entry) = self.import(&reference, frame) {
                self.imports += 1;
                self.accept(&entry);
                stack.push(Frame::new(&mut entry, depth));
                out.push(entry.file);
            }
        }
    }

    fn import(&mut self, reference: &Reference, frame: &Frame) -> Option<Entry> {
        let home = self.roots.home.clone();
        let platform = self.roots.platform;
        let mut first = None;
        for candidate in reference.candidates() {
            let Some(path) = locate(&candidate, &frame.base, home.as_deref(), platform) else {
                continue;
            };
            first.get_or_insert_with(|| path.clone());
            if !is_text(&path) {
                continue;
            }
            let mut want = want(
                &path,
                Some(&frame.parent),
                frame.layer,
                frame.trigger.as_deref(),
            );
            if is_git_metadata(&path) {
                if path.is_file() {
                    self.skip(&want, SkipReason::GitMetadata);
                    return None;
                }
                continue;
            }
            // Nothing outside is opened before somebody said so: a stat has no side effects.
            if self.place(&path, frame.layer) == Place::External {
                if !path.is_file() {
                    continue;
                }
                let real = match self.options.external {
                    External::Approved => path.clone(),
                    _ => canonical(&path).unwrap_or_else(|| path.clone()),
                };
                if !self.ask(&want, &real) {
                    self.skip(&want, SkipReason::External { real });
                    return None;
                }
                want.kind = Kind::Import { approved: true };
            }
            if let Some(reason) = self.limit(frame.depth + 1) {
                if !path.is_file() {
                    continue;
                }
                self.skip(&want, reason);
                return None;
            }
            match self.take(&want) {
                Taken::Absent => {}
                Taken::Left => return None,
                Taken::File(entry) => return Some(*entry),
            }
        }
        self.miss(reference, first, frame);
        None
    }

    /// Where an import leads, by its spelling and by the folders that are links.
    fn place(&mut self, path: &Path, layer: Layer) -> Place {
        let spelled = path.starts_with(&self.cwd) || path.starts_with(&self.cwd_real);
        let inside = || self.dirs.file(path).starts_with(&self.cwd_real);
        match layer == Layer::User || (spelled && { inside }()) {
            true => Place::Inside,
            false => Place::External,
        }
    }

    fn limit(&self, depth: usize) -> Option<SkipReason> {
        let limit = self.options.max_import_depth;
        if depth > limit {
            return Some(SkipReason::TooDeep { limit });
        }
        let limit = self.options.max_imports;
        (self.imports >= limit).then_some(SkipReason::TooManyImports { limit })
    }

    /// Writes down a reference that names no file. Handles are none.
    fn miss(&mut self, reference: &Reference, looked_up: Option<PathBuf>, frame: &Frame) {
        if let Some(path) = &looked_up
            && !is_text(path)
            && path.is_file()
        {
            let parent = Some(frame.parent.as_path());
            self.skip(&want(path, parent, frame.layer, None), SkipReason::NotText);
            return;
        }
        if reference.handle {
            return;
        }
        if self.report.misses.len() >= MAX_LISTED_MISSES {
            self.report.more_misses += 1;
            return;
        }
        let place = match &looked_up {
            Some(path) => self.place(path, frame.layer),
            None => Place::External,
        };
        let hint = looked_up
            .as_deref()
            .and_then(|path| self.hint(&reference.path, path, frame));
        self.report.misses.push(Miss {
            reference: reference.path.clone(),
            parent: frame.parent.clone(),
            looked_up,
            place,
            hint,
        });
    }

    /// The file that a relative reference names when it starts from the directory above `.claude`
    /// or from the working directory.
    fn hint(&self, reference: &str, looked_up: &Path, frame: &Frame) -> Option<PathBuf> {
        if reference.starts_with(['/', '~']) {
            return None;
        }
        let above = frame
            .base
            .ancestors()
            .find(|dir| dir.file_name().is_some_and(|name| name == ".claude"))
            .and_then(Path::parent);
        let bases = above.into_iter().chain([self.cwd.as_path()]);
        bases
            .filter(|base| *base != frame.base)
            .filter_map(|base| locate(reference, base, None, self.roots.platform))
            .find(|path| path != looked_up && is_text(path) && path.is_file())
    }
}

fn want<'a>(
    path: &'a Path,
    parent: Option<&'a Path>,
    layer: Layer,
    trigger: Option<&'a Path>,
) -> Want<'a> {
    Want {
        found: path,
        shown: path,
        real: None,
        dir: None,
        layer,
        reason: LoadReason::Include,
        parent,
        trigger,
        kind: Kind::Import { approved: false },
    }
}
