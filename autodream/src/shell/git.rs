//! `git`: five subcommands that read what is committed, told to run nothing, fetch nothing, write
//! nothing, and to believe no configuration but the repository's own, and that one only where it
//! can do no harm.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use memdir_paths::{RootKind, canonical_root};

use super::git_config::{has_links, may_blame};
use super::git_tables::{BLAME, CAT_FILE, LOG, LS_FILES, REV_PARSE};
use super::judge::Judge;
use super::lex::Word;
use super::options::{Parsed, Table, refuse};
use crate::policy::{Refusal, RefusalKind, is_secret_name, search_globs};

/// Settings of a repository that run programs, read files, or change what is shown, set to nothing.
const SETTINGS: &[&str] = &[
    "color.ui=false",
    "core.alternateRefsCommand=",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "diff.orderFile=/dev/null",
    "diff.submodule=short",
    "format.pretty=medium",
    "log.date=default",
    "log.showSignature=false",
    "mailmap.file=/dev/null",
    "protocol.allow=never",
    // A folder that looks like a repository without being one is not taken for it.
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
];

/// Patterns that leave out what holds credentials, wherever it is in the tree.
static EXCLUSIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let (folders, files) = search_globs();
    let folders = folders
        .iter()
        .map(|glob| format!(":(top,exclude,glob)**/{glob}/**"));
    let files = files
        .iter()
        .map(|glob| format!(":(top,exclude,glob)**/{glob}"));
    folders.chain(files).collect()
});

/// What `git` is told about the repository of the working directory: not to look above the root,
/// and which working tree it has, whatever its configuration says.
pub(super) fn repository(judge: &Judge<'_>) -> Result<Vec<(&'static str, String)>, Refusal> {
    let refusal = |why| {
        Err(Refusal::new(
            RefusalKind::Outside,
            judge.cwd.to_string_lossy(),
            why,
        ))
    };
    let cwd = judge.roots.may_read(judge.cwd)?;
    let Some(root) = judge.roots.root_of(&cwd) else {
        return refusal("the working directory lies in no root");
    };
    let Some(above) = root.parent().and_then(Path::to_str) else {
        return refusal("its path is not text");
    };
    let mut told = vec![("GIT_CEILING_DIRECTORIES", above.to_owned())];
    let Some((top, entry)) = entry_above(&cwd, &root) else {
        // There is none, and `git` will say so.
        return Ok(told);
    };
    if entry.is_dir() {
        if fs::symlink_metadata(top.join(".git/commondir")).is_ok() {
            return refusal("its `.git` is a part of another repository");
        }
    } else {
        // A pointer may lead to the repository of somebody else, unless that points back.
        let is_confirmed = canonical_root(top).is_ok_and(|root| {
            root.notes.is_empty()
                && matches!(
                    root.kind,
                    RootKind::LinkedWorktree
                        | RootKind::WorktreeOfStore
                        | RootKind::WorktreeOfSubmodule
                        | RootKind::Submodule
                        | RootKind::BareFolder
                )
        });
        if !entry.is_file() || !is_confirmed {
            return refusal("its `.git` leads to a repository that does not lead back");
        }
    }
    if has_links(top) {
        return refusal("its `.git` holds links, which may lead anywhere");
    }
    match top.to_str() {
        Some(top) => told.push(("GIT_WORK_TREE", top.to_owned())),
        None => return refusal("its path is not text"),
    }
    Ok(told)
}

/// The next `.git` on the way up to the root.
fn entry_above<'a>(cwd: &'a Path, root: &Path) -> Option<(&'a Path, fs::Metadata)> {
    cwd.ancestors()
        .take_while(|folder| folder.starts_with(root))
        .find_map(|folder| {
            let entry = fs::symlink_metadata(folder.join(".git")).ok()?;
            Some((folder, entry))
        })
}

/// The working tree of the repository that the working directory lies in.
fn repository_top(judge: &Judge<'_>) -> Option<PathBuf> {
    let cwd = judge.roots.may_read(judge.cwd).ok()?;
    let root = judge.roots.root_of(&cwd)?;
    entry_above(&cwd, &root).map(|(top, _)| top.to_path_buf())
}

pub(super) fn read(words: Vec<Word>, judge: &Judge<'_>) -> Result<Vec<String>, Refusal> {
    const WHY: &str = "of `git` only `log`, `show`, `blame`, `ls-files`, `cat-file` and `rev-parse` are allowed, without options before them";
    // It comes first anyway.
    let mut words = words
        .into_iter()
        .skip_while(|word| word.text == "--no-pager");
    let Some(command) = words.next() else {
        return refuse(RefusalKind::Operand, "git", WHY);
    };
    let rest: Vec<Word> = words.collect();
    let mut argv = vec!["git".to_owned(), "--no-pager".to_owned()];
    for setting in SETTINGS {
        argv.push("-c".to_owned());
        argv.push((*setting).to_owned());
    }
    argv.push(command.text.clone());
    let (options, operands) = match command.text.as_str() {
        "log" => history(rest, judge, true)?,
        "show" => history(rest, judge, false)?,
        "blame" => {
            if !repository_top(judge).is_none_or(|top| may_blame(&top, judge.roots)) {
                return refuse(
                    RefusalKind::Outside,
                    "git blame",
                    "the configuration of the repository names a file of ignored revisions, or includes another one",
                );
            }
            blame(rest, judge)?
        }
        "ls-files" => ls_files(rest, judge)?,
        "cat-file" => cat_file(rest, judge)?,
        "rev-parse" => rev_parse(rest, judge)?,
        name => return refuse(RefusalKind::Program, format!("git {name}"), WHY),
    };
    argv.extend(options);
    argv.extend(operands);
    Ok(argv)
}

type Split = (Vec<String>, Vec<String>);

fn history(words: Vec<Word>, judge: &Judge<'_>, is_log: bool) -> Result<Split, Refusal> {
    let parsed = LOG.sort(words, judge)?;
    let (revisions, paths) = revisions_and_paths(&parsed, judge)?;
    let mut objects = Vec::new();
    let mut is_commit = revisions.is_empty();
    for revision in revisions {
        match revision.split_once(':') {
            Some((revision, path)) if !is_log => {
                object(revision, path)?;
                objects.push(format!("{revision}:{path}"));
            }
            _ => {
                is_commit = true;
                objects.push(commit(revision, is_log)?);
            }
        }
    }
    let mut options = parsed.options.clone();
    // `--follow` takes one path and no pattern.
    let shows_files = ['p', 'u', 'c', 'U', 'W']
        .iter()
        .any(|short| parsed.has(*short));
    let is_excluding = is_commit && (!is_log || shows_files);
    if is_excluding && parsed.has_long("follow") {
        return refuse(
            RefusalKind::Option,
            "--follow",
            "it shows no patches here; name a commit to `git show`",
        );
    }
    options.extend(
        [
            "--no-ext-diff",
            "--no-textconv",
            "--no-show-signature",
            "--submodule=short",
        ]
        .map(str::to_owned),
    );
    // Always, so that a commit is none but a commit, whatever files appear meanwhile.
    let mut operands = objects;
    operands.push("--".to_owned());
    operands.extend(paths);
    if is_excluding {
        operands.extend_from_slice(&EXCLUSIONS);
    }
    Ok((options, operands))
}

/// Words before `--` are paths if a file of that name exists, and commits otherwise; what `git`
/// would find ambiguous is a path.
fn revisions_and_paths<'a>(
    parsed: &'a Parsed,
    judge: &Judge<'_>,
) -> Result<(Vec<&'a str>, Vec<String>), Refusal> {
    let (mut revisions, mut paths) = (Vec::new(), Vec::new());
    for (at, word) in parsed.operands.iter().enumerate() {
        let text = word.text.as_str();
        let is_path = at >= parsed.before
            || word.is_match
            || fs::symlink_metadata(judge.cwd.join(text)).is_ok();
        if is_path {
            paths.push(path(text, judge)?);
        } else {
            revisions.push(text);
        }
    }
    Ok((revisions, paths))
}

fn path(text: &str, judge: &Judge<'_>) -> Result<String, Refusal> {
    if text.starts_with(':') {
        return refuse(
            RefusalKind::Operand,
            text,
            "only plain paths and patterns are understood",
        );
    }
    judge.file(text)?;
    Ok(text.to_owned())
}

const REVISION: &str = "it is not a plain name of a commit";

/// A name of a commit, or a range for `log`. What it names must be a commit: an object by its
/// number could be any file.
fn commit(text: &str, is_log: bool) -> Result<String, Refusal> {
    if is_log {
        let range = text.strip_prefix('^').unwrap_or(text);
        let (from, to) = range
            .split_once("...")
            .or_else(|| range.split_once(".."))
            .unwrap_or((range, "HEAD"));
        for end in [from, to] {
            if !end.is_empty() && !is_revision(end) {
                return refuse(RefusalKind::Operand, text, REVISION);
            }
        }
        return Ok(text.to_owned());
    }
    if !is_revision(text) {
        return refuse(RefusalKind::Operand, text, REVISION);
    }
    Ok(format!("{text}^{{commit}}"))
}

/// `HEAD`, `main~2`, `v1.0^`, `abc123^{tree}`, `HEAD@{1}`.
fn is_revision(text: &str) -> bool {
    let (name, braces) = match text.split_once('{') {
        Some((name, rest)) => (name, rest.strip_suffix('}')),
        None => (text, Some("")),
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/@^~+-".contains(&byte);
    !name.is_empty()
        && !name.starts_with(['-', '^'])
        && !name.contains("..")
        && name.bytes().all(is_plain)
        && braces.is_some_and(|text| {
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
}

/// `HEAD:src/main.rs`: nothing that holds credentials.
fn object(revision: &str, path: &str) -> Result<(), Refusal> {
    if !is_revision(revision) {
        return refuse(RefusalKind::Operand, revision, REVISION);
    }
    let is_plain = path
        .split('/')
        .all(|part| part != ".." && !part.contains(['\\', ':', '^', '{']));
    if !is_plain {
        return refuse(
            RefusalKind::Operand,
            path,
            "only a plain path of a commit is understood",
        );
    }
    if is_secret_name(path) {
        return refuse(
            RefusalKind::Secret,
            path,
            "it is a place where credentials are kept, which is not read",
        );
    }
    Ok(())
}

fn blame(words: Vec<Word>, judge: &Judge<'_>) -> Result<Split, Refusal> {
    let parsed = BLAME.sort(words, judge)?;
    let (revision, file) = match parsed.operands.as_slice() {
        [file] => ("HEAD", file),
        [revision, file] if parsed.before > 0 => (revision.text.as_str(), file),
        _ => return refuse(RefusalKind::Operand, "git blame", "one file is expected"),
    };
    if !is_revision(revision) {
        return refuse(RefusalKind::Operand, revision, REVISION);
    }
    let file = path(&file.text, judge)?;
    let mut options = parsed.options;
    options.push("--no-textconv".to_owned());
    // Always a commit: the file in the working tree would pass through the repository's filters.
    Ok((options, vec![revision.to_owned(), "--".to_owned(), file]))
}

fn ls_files(words: Vec<Word>, judge: &Judge<'_>) -> Result<Split, Refusal> {
    let parsed = LS_FILES.sort(words, judge)?;
    let mut operands = vec!["--".to_owned()];
    for word in &parsed.operands {
        operands.push(path(&word.text, judge)?);
    }
    Ok((parsed.options, operands))
}

fn cat_file(words: Vec<Word>, judge: &Judge<'_>) -> Result<Split, Refusal> {
    let parsed = CAT_FILE.sort(words, judge)?;
    let [word] = parsed.operands.as_slice() else {
        return refuse(
            RefusalKind::Operand,
            "git cat-file",
            "one object is expected",
        );
    };
    if parsed.options.len() != 1 || parsed.meanings.len() != 1 {
        return refuse(
            RefusalKind::Option,
            "git cat-file",
            "one of `-p`, `-t`, `-s` and `-e` is expected",
        );
    }
    let text = word.text.as_str();
    let operand = match text.split_once(':') {
        Some((revision, path)) => {
            object(revision, path)?;
            text.to_owned()
        }
        None if !is_revision(text) => return refuse(RefusalKind::Operand, text, REVISION),
        None if !parsed.has('p') || text.ends_with("^{tree}") => text.to_owned(),
        None => commit(text, false)?,
    };
    Ok((parsed.options, vec![operand]))
}

fn rev_parse(words: Vec<Word>, judge: &Judge<'_>) -> Result<Split, Refusal> {
    let parsed = table_only(&REV_PARSE, words, judge)?;
    let mut operands = Vec::new();
    for word in &parsed.operands {
        if !is_revision(&word.text) {
            return refuse(RefusalKind::Operand, &word.text, REVISION);
        }
        operands.push(word.text.clone());
    }
    Ok((parsed.options, operands))
}

fn table_only(table: &Table, words: Vec<Word>, judge: &Judge<'_>) -> Result<Parsed, Refusal> {
    let parsed = table.sort(words, judge)?;
    if parsed.before < parsed.operands.len() {
        return refuse(RefusalKind::Option, "--", "no `--` is understood here");
    }
    Ok(parsed)
}
