//! The programs that go through whole trees and show what files hold: what they may come across
//! and must not read is left out by arguments of ours, behind those of the command, so that the
//! last word is ours.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use super::judge::Judge;
use super::options::Kind::{Bare, File, Number, OneOf, Pattern, Text};
use super::options::Value::{May, Must, No};
use super::options::{Parsed, TABLE, Table};
use crate::policy::{Refusal, search_globs};

/// `f` and its long form read patterns from a file; `D` and `d` decide about devices and trees.
pub(super) static GREP: Table = Table {
    flags: "EFGPivwxclLqsnHhoarRzZbUTy",
    valued: &[
        ('A', Number),
        ('B', Number),
        ('C', Number),
        ('e', Pattern),
        ('m', Number),
    ],
    long: &[
        ("after-context", 'A', Must(Number)),
        ("basic-regexp", 'G', No),
        ("before-context", 'B', Must(Number)),
        (
            "binary-files",
            '-',
            Must(OneOf(&["binary", "text", "without-match"])),
        ),
        ("byte-offset", 'b', No),
        ("color", '-', May(OneOf(&["always", "auto", "never"]))),
        ("colour", '-', May(OneOf(&["always", "auto", "never"]))),
        ("context", 'C', Must(Number)),
        ("count", 'c', No),
        ("dereference-recursive", 'R', No),
        ("exclude", '-', Must(Text)),
        ("exclude-dir", '-', Must(Text)),
        ("extended-regexp", 'E', No),
        ("files-with-matches", 'l', No),
        ("files-without-match", 'L', No),
        ("fixed-strings", 'F', No),
        ("ignore-case", 'i', No),
        ("include", '-', Must(Text)),
        ("initial-tab", 'T', No),
        ("invert-match", 'v', No),
        ("line-buffered", '-', No),
        ("line-number", 'n', No),
        ("line-regexp", 'x', No),
        ("max-count", 'm', Must(Number)),
        ("no-filename", 'h', No),
        ("no-messages", 's', No),
        ("null", 'Z', No),
        ("null-data", 'z', No),
        ("only-matching", 'o', No),
        ("perl-regexp", 'P', No),
        ("quiet", 'q', No),
        ("recursive", 'r', No),
        ("regexp", 'e', Must(Pattern)),
        ("silent", 'q', No),
        ("text", 'a', No),
        ("with-filename", 'H', No),
        ("word-regexp", 'w', No),
    ],
    count: true,
    operands: &[Pattern, File],
    instead: "e",
    least: 1,
    ..TABLE
};

/// `z` and `--pre` run programs, `f` and `--ignore-file` read files, `L` follows links.
pub(super) static RG: Table = Table {
    flags: "iSsvwxFPnNcloauUHIp0q.",
    valued: &[
        ('A', Number),
        ('B', Number),
        ('C', Number),
        ('d', Number),
        ('e', Pattern),
        ('g', Text),
        ('m', Number),
        ('M', Number),
        ('r', Text),
        ('t', Bare),
        ('T', Bare),
    ],
    long: &[
        ("after-context", 'A', Must(Number)),
        ("before-context", 'B', Must(Number)),
        ("binary", '-', No),
        ("case-sensitive", 's', No),
        (
            "color",
            '-',
            Must(OneOf(&["always", "ansi", "auto", "never"])),
        ),
        ("column", '-', No),
        ("context", 'C', Must(Number)),
        ("count", 'c', No),
        ("count-matches", '-', No),
        ("files", 'f', No),
        ("files-with-matches", 'l', No),
        ("files-without-match", '-', No),
        ("fixed-strings", 'F', No),
        ("glob", 'g', Must(Text)),
        ("heading", '-', No),
        ("hidden", '.', No),
        ("iglob", '-', Must(Text)),
        ("ignore-case", 'i', No),
        ("invert-match", 'v', No),
        ("json", '-', No),
        ("line-number", 'n', No),
        ("line-regexp", 'x', No),
        ("max-columns", 'M', Must(Number)),
        ("max-count", 'm', Must(Number)),
        ("max-depth", 'd', Must(Number)),
        ("max-filesize", '-', Must(Number)),
        ("multiline", 'U', No),
        ("multiline-dotall", '-', No),
        ("no-config", '-', No),
        ("no-filename", 'I', No),
        ("no-heading", '-', No),
        ("no-ignore", '-', No),
        ("no-ignore-vcs", '-', No),
        ("no-line-number", 'N', No),
        ("no-messages", '-', No),
        ("null", '0', No),
        ("only-matching", 'o', No),
        ("passthru", '-', No),
        ("pcre2", 'P', No),
        ("pretty", 'p', No),
        ("quiet", 'q', No),
        ("regexp", 'e', Must(Pattern)),
        ("replace", 'r', Must(Text)),
        ("smart-case", 'S', No),
        ("sort", '-', Must(Bare)),
        ("sortr", '-', Must(Bare)),
        ("stats", '-', No),
        ("text", 'a', No),
        ("trim", '-', No),
        ("type", 't', Must(Bare)),
        ("type-not", 'T', Must(Bare)),
        ("unrestricted", 'u', No),
        ("vimgrep", '-', No),
        ("with-filename", 'H', No),
        ("word-regexp", 'w', No),
    ],
    operands: &[Pattern, File],
    instead: "ef",
    least: 1,
    ..TABLE
};

/// Arguments that leave out places of credentials, in the spelling of `grep`, `rg` and `diff`.
struct Exclusions {
    grep: Vec<String>,
    rg: Vec<String>,
    diff: Vec<String>,
}

static EXCLUSIONS: LazyLock<Exclusions> = LazyLock::new(|| {
    let (folders, files) = search_globs();
    let grep = folders
        .iter()
        .map(|glob| format!("--exclude-dir={glob}"))
        .chain(files.iter().map(|glob| format!("--exclude={glob}")));
    Exclusions {
        grep: grep.collect(),
        rg: folders
            .iter()
            .chain(&files)
            .map(|glob| format!("--iglob=!{glob}"))
            .collect(),
        diff: folders
            .iter()
            .chain(&files)
            .map(|glob| format!("--exclude={glob}"))
            .collect(),
    }
});

pub(super) fn grep(parsed: &mut Parsed, _: &Judge<'_>) -> Result<(), Refusal> {
    if !parsed.has('r') && !parsed.has('R') {
        return Ok(());
    }
    // `R` would follow every link that it comes across, out of the roots.
    let mut takes_value = false;
    for option in &mut parsed.options {
        let is_value = std::mem::take(&mut takes_value);
        if is_value {
            continue;
        }
        if option == "--dereference-recursive" {
            *option = "--recursive".to_owned();
        } else if option.starts_with("--") {
            takes_value = is_separate(option);
        } else {
            let end = option
                .find(['A', 'B', 'C', 'e', 'm'])
                .unwrap_or(option.len());
            takes_value = end + 1 == option.len();
            let (flags, value) = option.split_at(end);
            *option = flags.replace('R', "r") + value;
        }
    }
    parsed.options.push("--devices=skip".to_owned());
    parsed.options.extend_from_slice(&EXCLUSIONS.grep);
    Ok(())
}

/// Whether a long option of [`GREP`] has its value in the next word.
fn is_separate(option: &str) -> bool {
    GREP.long
        .iter()
        .any(|(name, _, value)| option[2..] == **name && matches!(value, Must(_)))
}

pub(super) fn rg(parsed: &mut Parsed, _: &Judge<'_>) -> Result<(), Refusal> {
    parsed.options.push("--no-config".to_owned());
    parsed.options.extend_from_slice(&EXCLUSIONS.rg);
    Ok(())
}

/// Two files are compared as they are; as soon as a folder is among them, nothing below it is
/// followed, and what holds credentials is left out.
pub(super) fn diff(parsed: &mut Parsed, judge: &Judge<'_>) -> Result<(), Refusal> {
    let has_folder = parsed
        .operands
        .iter()
        .any(|word| fs::metadata(judge.cwd.join(&word.text)).is_ok_and(|meta| meta.is_dir()));
    // Of a file and a folder, the file of the same name in the folder is compared.
    if let [a, b] = parsed.operands.as_slice() {
        for (folder, file) in [(a, b), (b, a)] {
            if let Some(name) = Path::new(&file.text).file_name().and_then(OsStr::to_str) {
                let inner = Path::new(&folder.text).join(name);
                if has_folder && fs::symlink_metadata(judge.cwd.join(&inner)).is_ok() {
                    judge.file(&inner.to_string_lossy())?;
                }
            }
        }
    }
    if has_folder || parsed.has('r') {
        parsed.options.push("--no-dereference".to_owned());
        parsed.options.extend_from_slice(&EXCLUSIONS.diff);
    }
    Ok(())
}
