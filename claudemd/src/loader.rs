//! Takes files one by one: identity, excludes, limits, cleaning, report.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::clean::{clean_body, decode};
use crate::exclude::Excludes;
use crate::file::{Event, Extent, LoadReason, LoadedFile};
use crate::frontmatter::{self, Header, PathsKey};
use crate::globs::PathGlobs;
use crate::import::Reference;
use crate::layer::Layer;
use crate::options::{ExternalImport, MAX_FILE_BYTES, MAX_TOTAL_BYTES, Options};
use crate::paths::{RealDirs, canonical, clean};
use crate::read::{self, Fault, FileId, OpenDir, Stamp};
use crate::report::{Report, SkipReason, Skipped, Warning, WarningKind};
use crate::resolve::is_git_metadata;
use crate::roots::{Platform, Roots};
use crate::rule_index::RuleIndex;

/// Everything that a session knows between two calls.
#[derive(Debug, Clone)]
pub(crate) struct Loader {
    pub(crate) roots: Roots,
    pub(crate) options: Options,
    /// The working directory as spelled, and really.
    pub(crate) cwd: PathBuf,
    pub(crate) cwd_real: PathBuf,
    pub(crate) worktree: Option<Worktree>,
    pub(crate) excludes: Excludes,
    pub(crate) dirs: RealDirs,
    /// What the model has.
    loaded: Known,
    /// The numbers of conditional rules, by what makes them the same.
    waiting: HashMap<FileId, usize>,
    /// Conditional rules in the order of their numbers in the index.
    pub(crate) rules: Vec<WaitingRule>,
    pub(crate) index: RuleIndex,
    /// How many rules the index has.
    pub(crate) indexed: usize,
    /// The rules that the index does not have yet, for those who only look.
    pub(crate) rest: OnceLock<RuleIndex>,
    /// Directories below the working directory whose files were looked for, with their real path
    /// if that is another. By bytes: paths take long to hash.
    pub(crate) looked: HashMap<Box<[u8]>, Option<PathBuf>>,
    /// The state of everything that was looked at.
    pub(crate) stamps: Vec<(PathBuf, Option<Stamp>)>,
    pub(crate) imports: usize,
    pub(crate) import_bytes: u64,
    pub(crate) lookups: usize,
    total_bytes: u64,
    /// Bytes of text delivered so far, against the caller's budget.
    pub(crate) used: usize,
    pub(crate) report: Report,
    pub(crate) events: Vec<Event>,
    /// Whether the start is over.
    pub(crate) started: bool,
    /// Whether loading makes events: a silent reload makes none.
    pub(crate) silent: bool,
}

/// Files that are known already, by what makes two paths the same.
#[derive(Debug, Clone, Default)]
struct Known {
    by_id: HashMap<FileId, usize>,
    /// Real path, and the path that is shown.
    files: Vec<(PathBuf, PathBuf)>,
}

impl Known {
    fn add(&mut self, entry: &Entry) {
        self.by_id.insert(entry.id.clone(), self.files.len());
        let file = &entry.file;
        self.files.push((file.real.clone(), file.path.clone()));
    }

    /// The path under which a file is known. While the start is read no file is replaced that
    /// matters, so only later `replaced` has real paths compared too.
    fn shown(&self, id: &FileId, real: &Path, replaced: bool) -> Option<&Path> {
        if let Some((first, shown)) = self.by_id.get(id).map(|at| &self.files[*at])
            && id.is_still_at(first)
        {
            return Some(shown);
        }
        let same = |(known, _): &&(PathBuf, PathBuf)| known.as_os_str() == real.as_os_str();
        let found = replaced.then(|| self.files.iter().find(same)).flatten();
        found.map(|(_, shown)| shown.as_path())
    }
}

/// A worktree inside the main checkout of its own repository; real paths.
#[derive(Debug, Clone)]
pub(crate) struct Worktree {
    pub(crate) main: PathBuf,
    pub(crate) root: PathBuf,
}

/// A conditional rule.
#[derive(Debug, Clone)]
pub(crate) struct WaitingRule {
    pub(crate) entry: Entry,
    pub(crate) owner: Owner,
    pub(crate) delivered: bool,
    /// The folders that its patterns start from: as spelled, and really.
    pub(crate) bases: Arc<[PathBuf]>,
    /// Its patterns, if they were compiled before the index takes them.
    pub(crate) compiled: Option<PathGlobs>,
}

/// Which delivery a conditional rule belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Rules of the start: managed, user, working directory and above.
    Start,
    /// Rules of a directory below the working directory.
    Nested(PathBuf),
}

/// A file that was read and is not yet handed out.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) file: LoadedFile,
    pub(crate) references: Vec<Reference>,
    /// The folder that its relative imports start from.
    pub(crate) base: PathBuf,
    id: FileId,
}

/// What a file is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Instructions,
    Rule,
    /// An import; the flag says that its place is settled already.
    Import {
        approved: bool,
    },
}

/// A file that is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Want<'a> {
    /// The path as found.
    pub(crate) found: &'a Path,
    /// The path to show.
    pub(crate) shown: &'a Path,
    /// The real path, if it is known.
    pub(crate) real: Option<&'a Path>,
    /// The folder of the path, if it is open.
    pub(crate) dir: Option<&'a OpenDir>,
    pub(crate) layer: Layer,
    pub(crate) reason: LoadReason,
    pub(crate) parent: Option<&'a Path>,
    pub(crate) trigger: Option<&'a Path>,
    pub(crate) kind: Kind,
}

/// What became of a wanted file.
#[derive(Debug)]
pub(crate) enum Taken {
    /// There is none.
    Absent,
    /// There is one; it was left out, and the report says why.
    Left,
    /// Here it is.
    File(Box<Entry>),
}

impl Loader {
    pub(crate) fn new(roots: Roots, options: Options) -> Loader {
        let mut dirs = RealDirs::default();
        let cwd = clean(&roots.cwd);
        let cwd_real = dirs.dir(&cwd);
        let mut report = Report {
            cwd: cwd.clone(),
            ..Report::default()
        };
        let excludes = Excludes::new(
            &options.excludes,
            options.exclude_paths,
            &mut report.warnings,
        );
        let index = RuleIndex::new(roots.platform);
        Loader {
            roots,
            options,
            cwd,
            cwd_real,
            worktree: None,
            excludes,
            dirs,
            loaded: Known::default(),
            waiting: HashMap::new(),
            rules: Vec::new(),
            index,
            indexed: 0,
            rest: OnceLock::new(),
            looked: HashMap::new(),
            stamps: Vec::new(),
            imports: 0,
            import_bytes: 0,
            lookups: 0,
            total_bytes: 0,
            used: 0,
            report,
            events: Vec::new(),
            started: false,
            silent: false,
        }
    }

    pub(crate) fn skip(&mut self, want: &Want<'_>, reason: SkipReason) -> Taken {
        self.report.skipped.push(Skipped {
            path: want.found.to_path_buf(),
            layer: want.layer,
            parent: want.parent.map(Path::to_path_buf),
            reason,
        });
        Taken::Left
    }

    pub(crate) fn warn(&mut self, path: &Path, kind: WarningKind) {
        self.report.warnings.push(Warning {
            path: path.to_path_buf(),
            kind,
        });
    }

    /// Whether an entry was loaded since it was read.
    pub(crate) fn is_loaded(&self, entry: &Entry) -> bool {
        self.loaded
            .shown(&entry.id, &entry.file.real, self.started)
            .is_some()
    }

    /// Marks a file as known to the model without handing it out.
    pub(crate) fn mark(&mut self, entry: &Entry) {
        self.loaded.add(entry);
    }

    /// Puts a conditional rule among those that wait; `false` if it does already. The first path
    /// under which a rule is found decides its base.
    pub(crate) fn wait(&mut self, rule: WaitingRule) -> bool {
        let (id, real) = (&rule.entry.id, &rule.entry.file.real);
        let by_id = self
            .waiting
            .get(id)
            .map(|at| &self.rules[*at].entry.file.real);
        let same = |other: &WaitingRule| other.entry.file.real.as_os_str() == real.as_os_str();
        if by_id.is_some_and(|first| id.is_still_at(first))
            || (self.started && self.rules.iter().any(same))
        {
            return false;
        }
        self.waiting.insert(id.clone(), self.rules.len());
        self.rules.push(rule);
        self.rest = OnceLock::new();
        true
    }

    /// Puts the rules that are not yet in the index there: a session in which no path is used
    /// never needs it.
    pub(crate) fn index(&mut self) {
        if let Some(rest) = self.rest.take()
            && self.indexed == 0
        {
            self.index = rest;
            self.indexed = self.rules.len();
        }
        for rule in &mut self.rules[self.indexed..] {
            let compiled = rule.compiled.take();
            let compiled = compiled.unwrap_or_else(|| PathGlobs::new(&rule.entry.file.globs));
            let number = self.index.insert(&rule.bases, compiled);
            debug_assert_eq!(number, self.indexed);
            self.indexed += 1;
        }
    }

    /// The rules that the index does not have yet, indexed on their own.
    pub(crate) fn rest(&self) -> &RuleIndex {
        self.rest.get_or_init(|| {
            let mut index = RuleIndex::new(self.roots.platform);
            for rule in &self.rules[self.indexed..] {
                let compiled = rule.compiled.clone();
                let compiled = compiled.unwrap_or_else(|| PathGlobs::new(&rule.entry.file.globs));
                index.insert(&rule.bases, compiled);
            }
            index
        })
    }

    /// Hands a file out: from now on it is loaded.
    pub(crate) fn accept(&mut self, entry: &Entry) {
        self.mark(entry);
        let file = &entry.file;
        if file.chars > self.options.size_warning {
            let limit = self.options.size_warning;
            let chars = file.chars;
            self.warn(&file.path, WarningKind::Large { chars, limit });
        }
    }

    /// Reads a wanted file, or says why not.
    pub(crate) fn take(&mut self, want: &Want<'_>) -> Taken {
        let is_import = matches!(want.kind, Kind::Import { .. });
        let opened = match read::open(want.dir, want.found) {
            Ok(opened) => opened,
            Err(Fault::Missing) => {
                self.stamps.push((want.found.to_path_buf(), None));
                return Taken::Absent;
            }
            Err(Fault::Dangling) => {
                self.stamps.push((want.found.to_path_buf(), None));
                return self.skip(want, SkipReason::DanglingLink);
            }
            Err(Fault::NotAFile(stamp)) => {
                self.stamps.push((want.found.to_path_buf(), Some(stamp)));
                // A reference to a folder is no import.
                return match is_import {
                    true => Taken::Absent,
                    false => self.skip(want, SkipReason::NotAFile),
                };
            }
            Err(Fault::Io(error)) => {
                self.stamps.push((want.found.to_path_buf(), None));
                let message = error.to_string();
                return self.skip(want, SkipReason::Unreadable { message });
            }
        };
        let stamp = Stamp::of(&opened.meta);
        self.stamps.push((want.found.to_path_buf(), Some(stamp)));
        let real = match (want.real, opened.link) {
            (Some(real), _) => real.to_path_buf(),
            (None, true) => canonical(want.found).unwrap_or_else(|| want.found.to_path_buf()),
            (None, false) => self.dirs.file(want.found),
        };
        if !is_import && self.is_other_case(want, &real, opened.link) {
            return Taken::Absent;
        }
        let id = FileId::new(&opened.meta, &real);
        if let Some(of) = self.loaded.shown(&id, &real, self.started) {
            let of = of.to_path_buf();
            return self.skip(want, SkipReason::Duplicate { of });
        }
        if want.layer != Layer::Managed
            && let Some(pattern) = self.excludes.hit(want.found, &real)
        {
            let pattern = pattern.to_owned();
            return self.skip(want, SkipReason::Excluded { pattern });
        }
        if (is_import || opened.link) && is_git_metadata(&real) {
            return self.skip(want, SkipReason::GitMetadata);
        }
        if opened.link
            && want.kind == (Kind::Import { approved: false })
            && want.layer != Layer::User
            && !real.starts_with(&self.cwd_real)
            && !self.ask(want, &real)
        {
            return self.skip(want, SkipReason::External { real });
        }
        let bytes = opened.meta.len();
        if bytes > MAX_FILE_BYTES {
            return self.skip(want, SkipReason::TooLarge { bytes });
        }
        let left = MAX_TOTAL_BYTES.saturating_sub(self.total_bytes);
        if bytes > left {
            return self.skip(want, SkipReason::TotalBytes);
        }
        if is_import && self.import_bytes + bytes > self.options.max_import_bytes {
            let limit = self.options.max_import_bytes;
            return self.skip(want, SkipReason::ImportBytes { limit });
        }
        let is_link = opened.link;
        let bytes = match opened.read(MAX_FILE_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                let bytes = MAX_FILE_BYTES + 1;
                return self.skip(want, SkipReason::TooLarge { bytes });
            }
            Err(error) => {
                let message = error.to_string();
                return self.skip(want, SkipReason::Unreadable { message });
            }
        };
        self.total_bytes += bytes.len() as u64;
        if is_import {
            self.import_bytes += bytes.len() as u64;
        }
        let base = match is_link {
            true => real.parent(),
            false => want.shown.parent(),
        };
        let base = base.unwrap_or(want.shown);
        let base = match bytes.contains(&b'@') {
            true => base.to_path_buf(),
            // Nothing will start from it.
            false => PathBuf::new(),
        };
        self.build(want, bytes, real, base, id)
    }

    /// Asks whether an import from outside is allowed.
    pub(crate) fn ask(&self, want: &Want<'_>, real: &Path) -> bool {
        self.options.external.allows(&ExternalImport {
            path: want.found,
            real,
            parent: want.parent.unwrap_or(want.found),
            layer: want.layer,
        })
    }

    /// Where names ignore case, `claude.md` answers to `CLAUDE.md` and is still another name.
    fn is_other_case(&self, want: &Want<'_>, real: &Path, link: bool) -> bool {
        if self.roots.platform == Platform::Linux || link || cfg!(target_os = "linux") {
            return false;
        }
        let true_name = canonical(real);
        true_name.is_some_and(|true_name| true_name.file_name() != want.found.file_name())
    }

    fn build(
        &mut self,
        want: &Want<'_>,
        bytes: Vec<u8>,
        real: PathBuf,
        base: PathBuf,
        id: FileId,
    ) -> Taken {
        let size = bytes.len() as u64;
        let (raw, replaced) = decode(bytes);
        if replaced {
            self.warn(want.found, WarningKind::InvalidUtf8);
        }
        let mut globs = Vec::new();
        let body = match want.kind {
            Kind::Rule => {
                let header = Header::parse(&raw);
                for message in header.warnings {
                    self.warn(want.found, WarningKind::Header { message });
                }
                if let PathsKey::Only(patterns) = header.paths {
                    globs = patterns;
                }
                header.body
            }
            Kind::Instructions | Kind::Import { .. } => frontmatter::split(&raw).1,
        };
        let cleaned = clean_body(body);
        if cleaned.unclosed {
            self.warn(want.found, WarningKind::UnclosedComment);
        }
        if cleaned.text.is_empty() {
            return self.skip(want, SkipReason::Empty);
        }
        let exact = !replaced && cleaned.text.len() == raw.len();
        let mut file = LoadedFile {
            path: want.shown.to_path_buf(),
            real,
            layer: want.layer,
            reason: want.reason,
            parent: want.parent.map(Path::to_path_buf),
            trigger: want.trigger.map(Path::to_path_buf),
            globs,
            text: cleaned.text,
            bytes: size,
            chars: 0,
            tokens: 0,
            extent: Extent::Whole,
            exact,
        };
        file.measure();
        Taken::File(Box::new(Entry {
            file,
            references: cleaned.references,
            base,
            id,
        }))
    }

    /// Writes the report and the events of files that are handed out.
    pub(crate) fn record(&mut self, files: &[LoadedFile]) {
        self.report.loaded.extend(files.iter().map(Into::into));
        if !self.silent {
            self.events.extend(files.iter().map(LoadedFile::event));
        }
    }
}
