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
    /// For everything below the folder.
    all: Found,
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
            let key = &*text;
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
        if text.contains("/..") && text.split('/').any(|part| part == "..") {
            return;
        }
        // Hits of one path that have to be asked.
        let mut ask = Vec::new();
        for &length in &self.lengths {
            if text.as_bytes().get(length) != Some(&b'/') {
                continue;
            }
            let Some(base) = self.bases.get(&text[..length]) else {
                continue;
            };
            let relative = Folded::new(&text[length + 1..]);
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

    /// A path as this index compares it: single slashes between its parts, and where the file
    /// systems of the platform ignore case, so do bases.
    fn text<'a>(&self, path: &'a Path) -> Cow<'a, str> {
        let text = path.to_string_lossy();
        let text = match self.platform {
            Platform::Linux if !cfg!(windows) => text,
            Platform::Linux => Cow::Owned(text.replace('\\', "/")),
            Platform::MacOs => Cow::Owned(fold(&text).into_owned()),
            Platform::Windows => Cow::Owned(fold(&text).replace('\\', "/")),
        };
        let idle = |part: &str| matches!(part, "" | ".");
        let bytes = text.as_bytes();
        let doubt = |two: &[u8]| two[0] == b'/' && matches!(two[1], b'/' | b'.');
        // Most paths are clean, and one look shows it.
        if !bytes.windows(2).any(doubt) && !bytes.ends_with(b"/") {
            return text;
        }
        let mut clean = String::with_capacity(text.len());
        for (at, part) in text.split('/').enumerate() {
            if at == 0 {
                clean.push_str(part);
            } else if !idle(part) {
                clean.push('/');
                clean.push_str(part);
            }
        }
        Cow::Owned(clean)
    }
}

impl Base {
    fn insert(&mut self, plain: &Plain, hit: Hit) {
        let parts = match plain.dir.is_empty() {
            true => 0,
            false => plain.dir.split('/').count(),
        };
        self.depth = self.depth.max(parts);
        let dir = self.dirs.entry(plain.dir.clone()).or_default();
        let found = match &plain.tail {
            // Any part will do, so the first one decides for all.
            Tail::Suffix(suffix) if suffix.is_empty() => &mut dir.all,
            tail if plain.deep => dir.deep.slot(tail),
            tail => dir.child.slot(tail),
        };
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
            dir.all.tell(parts + 1 < path.len(), found);
            dir.child.find(path, parts, found);
            if !dir.deep.is_empty() {
                for at in parts..path.len() {
                    dir.deep.find(path, at, found);
                }
            }
        }
    }
}

impl Found {
    fn tell(&self, folder: bool, found: &mut impl FnMut(&Hit)) {
        self.any.iter().for_each(&mut *found);
        if folder {
            self.folder.iter().for_each(found);
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
        if !self.names.is_empty()
            && let Some(hits) = self.names.get(part)
        {
            hits.tell(folder, found);
        }
        if !self.extensions.is_empty()
            && let Some((_, extension)) = part.rsplit_once('.')
            && let Some(list) = self.extensions.get(extension)
        {
            let hits = list.iter().filter(|(suffix, _)| part.ends_with(&**suffix));
            hits.for_each(|(_, hits)| hits.tell(folder, found));
        }
        let hits = self
            .others
            .iter()
            .filter(|(suffix, _)| part.ends_with(&**suffix));
        hits.for_each(|(_, hits)| hits.tell(folder, found));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index(platform: Platform, rules: &[(&[&str], &[&str])]) -> RuleIndex {
        let mut index = RuleIndex::new(platform);
        for (bases, patterns) in rules {
            let bases: Vec<PathBuf> = bases.iter().map(PathBuf::from).collect();
            index.insert(&bases, PathGlobs::new(patterns));
        }
        index
    }

    #[track_caller]
    fn check(index: &RuleIndex, path: &str, expected: &[usize]) {
        let mut found = Vec::new();
        index.matches(Path::new(path), &mut found);
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn rules_apply_below_their_bases_only() {
        let index = index(
            Platform::Linux,
            &[
                (&["/r"], &["pkg/**"]),
                (&["/r/pkg", "/data/pkg"], &["*.ts"]),
                (&["/"], &["/r/pkg/*.ts"]),
                (&["/r"], &["*.[jt]s", "!gen/"]),
            ],
        );
        check(&index, "/r/pkg/a.ts", &[0, 1, 2, 3]);
        check(&index, "/r/pkg/gen/a.js", &[0]);
        check(&index, "/data/pkg/a.ts", &[1]);
        check(&index, "/rx/pkg/a.ts", &[]);
        check(&index, "/r/pkg", &[0]);
        check(&index, "/r", &[]);
        check(&index, "/", &[]);
        check(&index, "pkg/a.ts", &[]);
        check(&index, "/r/./pkg//b.ts", &[0, 1, 2, 3]);
        check(&index, "/r/pkg/../a.ts", &[]);
        check(&index, "/R/pkg/a.ts", &[2]);
    }

    #[test]
    fn numbers_are_added_without_repeats() {
        let index = index(Platform::Linux, &[(&["/r"], &["*"]), (&["/s"], &["*"])]);
        let mut found = vec![1];
        index.matches(Path::new("/r/a"), &mut found);
        index.matches(Path::new("/s/a"), &mut found);
        index.matches(Path::new("/r/a"), &mut found);
        assert_eq!(found, [0, 1]);
    }

    #[test]
    fn windows_paths_have_backslashes_and_no_case() {
        let rules: &[(&[&str], &[&str])] = &[
            (&[r"C:\Proj"], &["src/*.ts"]),
            (&["c:/proj/"], &["src/?.ts"]),
        ];
        check(
            &index(Platform::Windows, rules),
            r"c:\proj\SRC\a.ts",
            &[0, 1],
        );
        let rules: &[(&[&str], &[&str])] = &[(&["/W"], &["a/b.ts"])];
        check(&index(Platform::Linux, rules), r"/W/a\b.ts", &[]);
        check(&index(Platform::MacOs, rules), "/w/A/b.ts", &[0]);
    }

    #[test]
    fn more_than_may_be_kept_is_compiled_again_and_right() {
        let mut index = RuleIndex::new(Platform::Linux);
        for rule in 0..6 {
            let many: Vec<String> = (0..200)
                .map(|at| format!("{rule}?{at}{}", "[x]".repeat(30)))
                .collect();
            index.insert(&[PathBuf::from("/r")], PathGlobs::new(&many));
        }
        for _ in 0..2 {
            for rule in 0..6 {
                check(&index, &format!("/r/a/{rule}-7{}", "x".repeat(30)), &[rule]);
            }
        }
    }

    fn pattern() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec![
            "a",
            "b",
            "src",
            "*",
            "**",
            "*.ts",
            "*.test.ts",
            "*b",
            "x*",
            "?",
            "[ab]*",
            "A",
            "a.ts",
            "*.*",
            "{a,*.b}",
            "项",
            "*.",
        ]);
        (
            any::<bool>(),
            any::<bool>(),
            prop::collection::vec(part, 1..4),
            any::<bool>(),
        )
            .prop_map(|(not, root, parts, folder)| {
                let mark = |on, mark| if on { mark } else { "" };
                format!(
                    "{}{}{}{}",
                    mark(not, "!"),
                    mark(root, "/"),
                    parts.join("/"),
                    mark(folder, "/")
                )
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn the_index_answers_as_every_rule_alone(
            rules in prop::collection::vec((0..3_usize, prop::collection::vec(pattern(), 1..4)), 0..12),
            paths in prop::collection::vec("/r(/(a|b|src|A|ab|a\\.ts|b\\.test\\.ts|x1|项|c\\.)){1,5}", 1..10),
        ) {
            let bases = ["/r", "/r/a", "/"];
            let mut index = RuleIndex::new(Platform::Linux);
            let mut alone = Vec::new();
            for (base, patterns) in &rules {
                let globs = PathGlobs::new(patterns);
                index.insert(&[PathBuf::from(bases[*base])], globs.clone());
                alone.push((Path::new(bases[*base]), globs));
            }
            for path in paths {
                let mut found = Vec::new();
                index.matches(Path::new(&path), &mut found);
                let expected: Vec<usize> = (0..alone.len())
                    .filter(|&rule| {
                        let (base, globs) = &alone[rule];
                        Path::new(&path).strip_prefix(base).is_ok_and(|path| globs.is_match(path))
                    })
                    .collect();
                prop_assert_eq!(found, expected, "{:?} on {}", rules, path);
            }
        }
    }
}
