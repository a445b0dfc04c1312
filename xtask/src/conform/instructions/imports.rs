//! What the list of loaded files becomes by the deviation rules about imports.
//!
//! Works on the vector's own list and the files on disk, with a small reader of its own; nothing
//! of the crate under test is believed.

use std::path::{Path, PathBuf};

use crate::conform::oracle::normal;

/// One entry of a `loaded` list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) label: String,
    pub(super) text: String,
}

/// Where imports may lead, and what the settings say.
pub(super) struct World {
    pub(super) cwd: PathBuf,
    pub(super) home: PathBuf,
    /// Imports from outside are approved.
    pub(super) approved: bool,
}

/// The list by our decisions, and the names of the rules that changed it.
pub(super) fn deviate(observed: &[Entry], world: &World) -> (Vec<Entry>, Vec<&'static str>) {
    let mut rules = Vec::new();
    let mut walk = Walk {
        left: observed.to_vec(),
        out: Vec::new(),
        rules: &mut rules,
        world,
    };
    while !walk.left.is_empty() {
        let entry = walk.left.remove(0);
        walk.emit(entry);
    }
    let mut out = walk.out;
    let mut apply = |rule: &'static str, keep: &dyn Fn(&Entry) -> bool| {
        let before = out.len();
        out.retain(|entry| keep(entry));
        if out.len() < before {
            rules.push(rule);
        }
    };
    apply("import-real-path", &|entry| {
        !leads_out(entry, observed, world)
    });
    apply("conditional-import", &|entry| {
        !only_conditional(entry, observed)
    });
    (out, rules)
}

struct Walk<'a> {
    left: Vec<Entry>,
    out: Vec<Entry>,
    rules: &'a mut Vec<&'static str>,
    world: &'a World,
}

impl Walk<'_> {
    /// An entry, then what it imports, in the order of its text.
    fn emit(&mut self, entry: Entry) {
        self.out.push(entry.clone());
        for (token, whole_line) in tokens(&entry.text) {
            let path = resolve(&token, &entry.path, &self.world.home);
            if let Some(at) = self.left.iter().position(|other| other.path == path) {
                let next = self.left.remove(at);
                self.emit(next);
                continue;
            }
            let (rule, path) = if whole_line && path.is_file() {
                ("import-whole-line", path)
            } else if let Some(path) = without_punctuation(&token, &entry.path, self.world) {
                ("import-punctuation", path)
            } else {
                continue;
            };
            let known = self
                .out
                .iter()
                .chain(&self.left)
                .any(|other| other.path == path);
            let allowed =
                entry.label == "USER" || self.world.approved || path.starts_with(&self.world.cwd);
            if known || !allowed {
                continue;
            }
            let text = std::fs::read_to_string(&path)
                .unwrap_or_default()
                .trim()
                .to_owned();
            if text.is_empty() {
                continue;
            }
            if !self.rules.contains(&rule) {
                self.rules.push(rule);
            }
            self.emit(Entry {
                path,
                label: entry.label.clone(),
                text,
            });
        }
    }
}

/// `@` at the start of a line or after white space, outside code; also a line that is nothing but
/// one path with spaces in it, which is marked.
pub(super) fn tokens(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark))
        {
            fence = match fence {
                Some(open) if open == mark => None,
                Some(open) => Some(open),
                None => Some(mark),
            };
            continue;
        }
        if fence.is_some() || line.starts_with("    ") || trimmed.starts_with('|') {
            continue;
        }
        if let Some(path) = trimmed.strip_prefix('@')
            && path.replace("\\ ", "").contains(' ')
            && !path.contains(" @")
        {
            found.push((path.to_owned(), true));
        }
        let code: Vec<&str> = line.split('`').collect();
        for plain in code.iter().step_by(2) {
            let joined = plain.replace("\\ ", "\u{0}");
            for word in joined.split_whitespace() {
                if let Some(path) = word.strip_prefix('@') {
                    found.push((path.replace('\u{0}', " "), false));
                }
            }
        }
    }
    found
}

pub(super) fn resolve(token: &str, importer: &Path, home: &Path) -> PathBuf {
    let token = token.split('#').next().unwrap_or_default();
    if let Some(rest) = token.strip_prefix("~/") {
        return normal(&home.join(rest));
    }
    // Relative imports start from the folder of the real file.
    let real = importer
        .canonicalize()
        .unwrap_or_else(|_| importer.to_path_buf());
    let spelled_folder = importer.parent().unwrap_or(importer);
    let folder = if real == normal(importer) {
        spelled_folder
    } else {
        real.parent().unwrap_or(&real)
    };
    normal(&folder.join(token))
}

/// The target without the punctuation behind it, if only that one exists.
fn without_punctuation(token: &str, importer: &Path, world: &World) -> Option<PathBuf> {
    const MARKS: [char; 13] = [
        ',', '.', ';', ':', '!', '?', ')', '，', '。', '；', '：', '！', '？',
    ];
    let short = token.trim_end_matches(MARKS);
    if short == token || resolve(token, importer, &world.home).exists() {
        return None;
    }
    let path = resolve(short, importer, &world.home);
    path.is_file().then_some(path)
}

/// Is this entry an import, that is, does another entry of the list name it?
fn is_import(entry: &Entry, all: &[Entry], home: &Path) -> bool {
    let names = |other: &Entry| {
        tokens(&other.text)
            .iter()
            .any(|(token, _)| resolve(token, &other.path, home) == entry.path)
    };
    all.iter()
        .any(|other| other.path != entry.path && names(other))
}

/// An imported link whose real place may not be imported.
fn leads_out(entry: &Entry, all: &[Entry], world: &World) -> bool {
    if entry.label == "USER" || world.approved || !is_import(entry, all, &world.home) {
        return false;
    }
    let real = entry.path.canonicalize();
    real.is_ok_and(|real| real != entry.path && !real.starts_with(&world.cwd))
}

/// An entry that nothing in the list names, and that is no instruction file by its own name: only
/// a conditional rule can have brought it in.
fn only_conditional(entry: &Entry, all: &[Entry]) -> bool {
    let path = &entry.path;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let own = ["CLAUDE.md", "CLAUDE.local.md"].contains(&&*name);
    let in_rules = path.components().any(|part| part.as_os_str() == "rules");
    !own && !in_rules
        && !all
            .iter()
            .any(|other| other.path != *path && mentions(other, path))
}

fn mentions(other: &Entry, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    other.text.contains(&*name)
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn tokens_stand_outside_code() {
        let found = |text: &str| -> Vec<String> {
            tokens(text).into_iter().map(|(token, _)| token).collect()
        };
        assert_eq!(
            found("a @x.md, `@y.md` me@z.md\n```\n@w.md\n```\n@v\\ u.md"),
            ["x.md,", "v u.md"]
        );
    }
}
