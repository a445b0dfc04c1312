//! Many rules with their bases, compiled once and asked by path.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::globs::{Folded, Keep, KeepBelow, PathGlobs, Plain, Tail, fold};
use crate::roots::Platform;

/// All conditional rules of a session. A rule is known by the number that `insert` returned.
///
/// Plain patterns stand in tables by folder, name and extension, so that a path costs a few
/// look-ups however many rules there are. A rule that needs more is filed under plain patterns
/// that cover at least as much, and asked itself only when one of them does.
#[derive(Debug, Clone)]
pub(crate) struct RuleIndex {
    platform: Platform,
    rules: Vec<PathGlobs>,
    bases: HashMap<Box<str>, Base>,
    /// The lengths of all bases, ascending: where a path is worth a look-up.
    lengths: Vec<usize>,
    kept: Arc<KeepBelow>,
}

/// The rules of one base folder, by the folder part of their patterns.
#[derive(Debug, Clone, Default)]
struct Base {
    dirs: HashMap<Box<str>, Dir>,
    /// The most parts that a key of `dirs` has.
    depth: usize,
}

#[derive(Debug, Clone, Default)]
struct Dir {
    /// For the part right after the folder.
    child: Table,
    /// For every part below the folder.
    deep: Table,
}

/// Rules by the name or the end of one part of a path.
#[derive(Debug, Clone, Default)]
struct Table {
    names: HashMap<Box<str>, Found>,
    /// Ends with a dot in them, by what follows their last dot.
    extensions: HashMap<Box<str>, Vec<(Box<str>, Found)>>,
    /// Ends without a dot.
    others: Vec<(Box<str>, Found)>,
}

/// What a hit means.
#[derive(Debug, Clone, Default)]
struct Found {
    any: Vec<Hit>,
    /// Only if the part is a folder.
    folder: Vec<Hit>,
}

#[derive(Debug, Clone, Copy)]
enum Hit {
    Certain(usize),
    /// The rule has to be asked.
    Ask(usize),
}

impl RuleIndex {
    pub(crate) fn new(platform: Platform) -> RuleIndex {
        RuleIndex {
            platform,
            rules: Vec::new(),
            bases: HashMap::new(),
            lengths: Vec::new(),
            kept: Arc::default(),
        }
    }

    /// Adds a rule that applies below any of its bases (absolute; the spelled folder and, if it
    /// differs, the real one). Numbers count up from 0.
    pub(crate) fn insert(&mut self, bases: &[PathBuf], globs: PathGlobs) -> usize {
        let number = self.rules.len();
        for base in bases {
            let text = self.text(base);
            let key = text.trim_end_matches('/');
            if let Err(at) = self.lengths.binary_search(&key.len()) {
                self.lengths.insert(at, key.len());
            }
            let base = self.bases.entry(key.into()).or_default();
            for (plain, certain) in globs.plains() {
                let hit = if certain {
                    Hit::Certain(number)
                } else {
                    Hit::Ask(number)
                };
                base.insert(plain, hit);
            }
        }
        self.rules.push(globs);
        number
    }

    /// The numbers of the rules that match an absolute path, ascending, added to `out` without
    /// repeats. Called once for the path as spelled and, if it differs, once for the real one.
    pub(crate) fn matches(&self, path: &Path, out: &mut Vec<usize>) {
        let text = self.text(path);
        // Hits of one path that have to be asked.
        let mut ask = Vec::new();
        for &length in &self.lengths {
            if text.as_bytes().get(length) != Some(&b'/') {
                continue;
            }
            let (Some(base), relative) = (self.bases.get(&text[..length]), &text[length + 1..])
            else {
                continue;
            };
            let Some(relative) = clean(relative) else {
                return;
            };
            let relative = Folded::new(&relative);
            base.find(&relative, &mut |hit| match *hit {
                Hit::Certain(number) => out.push(number),
                Hit::Ask(number) => ask.push(number),
            });
            ask.sort_unstable();
            ask.dedup();
            let keep = Keep::Below(&self.kept);
            out.extend(
                ask.drain(..)
                    .filter(|number| self.rules[*number].decides(&relative, &keep)),
            );
        }
        out.sort_unstable();
        out.dedup();
    }

    /// A path as this index compares it: `/` between its parts, and where the file systems of the
    /// platform ignore case, so do bases.
    fn text<'a>(&self, path: &'a Path) -> Cow<'a, str> {
        let text = path.to_string_lossy();
        match self.platform {
            Platform::Linux if !cfg!(windows) => text,
            Platform::Linux => Cow::Owned(text.replace('\\', "/")),
            Platform::MacOs => Cow::Owned(fold(&text).into_owned()),
            Platform::Windows => Cow::Owned(fold(&text).replace('\\', "/")),
        }
    }
}

/// A relative path without empty parts and `.`; `None` if it has a `..`.
fn clean(relative: &str) -> Option<Cow<'_, str>> {
    if relative
        .split('/')
        .all(|part| !matches!(part, "" | "." | ".."))
    {
        return Some(Cow::Borrowed(relative));
    }
    let parts: Vec<&str> = relative
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    (!parts.contains(&"..")).then(|| Cow::Owned(parts.join("/")))
}

impl Base {
    fn insert(&mut self, plain: &Plain, hit: Hit) {
        let parts = match plain.dir.is_empty() {
            true => 0,
            false => plain.dir.split('/').count(),
        };
        self.depth = self.depth.max(parts);
        let dir = self.dirs.entry(plain.dir.clone()).or_default();
        let table = if plain.deep {
            &mut dir.deep
        } else {
            &mut dir.child
        };
        let found = table.slot(&plain.tail);
        let hits = if plain.only_dir {
            &mut found.folder
        } else {
            &mut found.any
        };
        hits.push(hit);
    }

    fn find(&self, path: &Folded, found: &mut impl FnMut(&Hit)) {
        for parts in 0..path.len().min(self.depth + 1) {
            let Some(dir) = self.dirs.get(path.head(parts)) else {
                continue;
            };
            dir.child.find(path, parts, found);
            if !dir.deep.is_empty() {
                for at in parts..path.len() {
                    dir.deep.find(path, at, found);
                }
            }
        }
    }
}

impl Table {
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.extensions.is_empty() && self.others.is_empty()
    }

    /// The place for an end of a pattern.
    fn slot(&mut self, tail: &Tail) -> &mut Found {
        let (list, suffix) = match tail {
            Tail::Name(name) => return self.names.entry(name.clone()).or_default(),
            Tail::Suffix(suffix) => match suffix.rsplit_once('.') {
                Some((_, extension)) => {
                    (self.extensions.entry(extension.into()).or_default(), suffix)
                }
                None => (&mut self.others, suffix),
            },
        };
        let at = match list.iter().position(|(known, _)| known == suffix) {
            Some(at) => at,
            None => {
                list.push((suffix.clone(), Found::default()));
                list.len() - 1
            }
        };
        &mut list[at].1
    }

    fn find(&self, path: &Folded, at: usize, found: &mut impl FnMut(&Hit)) {
        let part = path.part(at);
        let folder = at + 1 < path.len();
        let mut all = |hits: &Found| {
            hits.any.iter().for_each(&mut *found);
            if folder {
                hits.folder.iter().for_each(&mut *found);
            }
        };
        if !self.names.is_empty()
            && let Some(hits) = self.names.get(part)
        {
            all(hits);
        }
        if !self.extensions.is_empty()
            && let Some((_, extension)) = part.rsplit_once('.')
            && let Some(list) = self.extensions.get(extension)
        {
            let hits = list.iter().filter(|(suffix, _)| part.ends_with(&**suffix));
            hits.for_each(|(_, hits)| all(hits));
        }
        let hits = self
            .others
            .iter()
            .filter(|(suffix, _)| part.ends_with(&**suffix));
        hits.for_each(|(_, hits)| all(hits));
    }
}
