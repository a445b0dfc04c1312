//! `find`: starting points that are judged, then tests and actions by list.

use super::judge::Judge;
use super::lex::Word;
use super::options::{Kind, refuse};
use crate::policy::{Refusal, RefusalKind};

/// What stands alone. No action that writes, runs or asks is among them.
const ALONE: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-ls",
    "-mount",
    "-nogroup",
    "-not",
    "-nouser",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
];

/// What takes a text.
const TEXT: &[&str] = &[
    "-group",
    "-ilname",
    "-iname",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-lname",
    "-name",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-size",
    "-type",
    "-user",
    "-wholename",
];

/// What takes a number.
const NUMBER: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-gid",
    "-inum",
    "-links",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-uid",
    "-used",
];

/// What takes the name of a file whose times are compared.
const FILE: &[&str] = &["-anewer", "-cnewer", "-newer", "-samefile"];

pub(super) fn read(
    name: &str,
    words: Vec<Word>,
    judge: &Judge<'_>,
) -> Result<Vec<String>, Refusal> {
    let mut argv = vec![name.to_owned()];
    let mut words = words.into_iter().peekable();
    // `-P` is what it does anyway; `-L` and `-H` follow links.
    if let Some(word) = words.next_if(|word| word.text == "-P") {
        argv.push(word.text);
    }
    while let Some(word) = words.next_if(|word| !begins_expression(&word.text)) {
        judge.file(&word.text)?;
        argv.push(word.text);
    }
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if word.is_match {
            return refuse(
                RefusalKind::Glob,
                text,
                "put a pattern in quotes; starting points stand before the tests",
            );
        }
        let kind = if ALONE.contains(&text) {
            argv.push(word.text);
            continue;
        } else if TEXT.contains(&text) {
            Kind::Pattern
        } else if NUMBER.contains(&text) {
            Kind::Number
        } else if FILE.contains(&text) {
            Kind::File
        } else if text == "-regextype" {
            Kind::Bare
        } else {
            match text.strip_prefix("-newer").map(str::as_bytes) {
                Some([b'a' | b'B' | b'c' | b'm', b't']) => Kind::Checked(super::small::is_date),
                Some([b'a' | b'B' | b'c' | b'm', b'a' | b'B' | b'c' | b'm']) => Kind::File,
                _ => {
                    return refuse(
                        RefusalKind::Option,
                        text,
                        "the test or action is not among those that only look",
                    );
                }
            }
        };
        let Some(value) = words.next() else {
            return refuse(
                RefusalKind::Option,
                text,
                "the value of the test is missing",
            );
        };
        kind.judge_operand(&value, judge)?;
        if value.is_match {
            return refuse(RefusalKind::Glob, &value.text, "put the pattern in quotes");
        }
        if text == "-printf" && super::values::has_wide_field(&value.text) {
            return refuse(
                RefusalKind::Option,
                &value.text,
                "a width may have three digits",
            );
        }
        argv.push(word.text);
        argv.push(value.text);
    }
    Ok(argv)
}

/// As `find` decides it.
fn begins_expression(word: &str) -> bool {
    word.starts_with('-') || matches!(word, "!" | "(" | ")" | ",")
}
