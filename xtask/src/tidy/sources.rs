//! Rules about source files, read as text.

use std::path::Path;

use super::manifest::Manifest;
use super::{Findings, files_below, shown};
use crate::Result;

/// Above this a file is split. In lines.
const MAX_FILE_LINES: usize = 600;

/// Words that tell what a number counts.
const UNITS: [&str; 31] = [
    "sessions",
    "hops",
    "patterns",
    "bytes",
    "byte",
    "lines",
    "line",
    "characters",
    "days",
    "day",
    "units",
    "entries",
    "files",
    "KiB",
    "MiB",
    "hours",
    "minutes",
    "seconds",
    "percent",
    "levels",
    "items",
    "tokens",
    "memories",
    "links",
    "tries",
    "names",
    "layers",
    "keys",
    "nodes",
    "components",
    "rounds",
];

/// The only source files that write to the file system, crate by crate. A folder covers what is
/// below it.
const WRITERS: [&str; 6] = [
    "autodream/src/lock/files.rs",
    "autodream/src/runner/tools/write.rs",
    "autodream/src/transaction/",
    "memdir-paths/src/identity.rs",
    "memdir-paths/src/layout.rs",
    "memdir-index/src/store/",
];

/// What creates, changes or removes a file.
const WRITES: [&str; 14] = [
    "fs::write",
    "File::create",
    "OpenOptions",
    "fs::rename",
    "fs::remove_",
    "fs::create_dir",
    "DirBuilder",
    "fs::copy",
    "fs::hard_link",
    "set_permissions",
    "set_len(",
    ".set_modified(",
    ".set_times(",
    "NamedTempFile",
];

pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<usize> {
    let files = files_below(root, ".rs")?;
    for path in &files {
        let text = std::fs::read_to_string(path)?;
        let name = shown(root, path);
        file(&name, &text, findings);
    }
    for manifest in Manifest::libraries(root)? {
        for path in files_below(&manifest.folder().join("src"), ".rs")? {
            let text = std::fs::read_to_string(&path)?;
            library(&shown(root, &path), &text, findings);
        }
    }
    Ok(files.len())
}

/// Rules for every source file.
fn file(name: &str, text: &str, findings: &mut Findings) {
    let is_documented = |line: &str| line.starts_with("//!") || line.starts_with("#![doc");
    if !text.lines().next().is_some_and(is_documented) {
        findings.add(format!("{name}:1"), "must begin with a `//!` sentence");
    }
    let lines = text.lines().count();
    if lines > MAX_FILE_LINES {
        findings.add(name, format!("{lines} lines, at most {MAX_FILE_LINES}"));
    }
    for (at, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", at + 1);
        // The words are put together so that this file does not find itself.
        if line.trim_start().starts_with(concat!("#[", "ignore")) {
            findings.add(&place, "a test that is not run proves nothing");
        }
        for stub in [concat!("todo", "!("), concat!("unimplemented", "!(")] {
            if line.contains(stub) {
                findings.add(&place, "a stub");
            }
        }
        if line.ends_with([' ', '\t']) {
            findings.add(&place, "trailing white space");
        }
    }
}

/// Rules for what a user of a library compiles.
fn library(name: &str, text: &str, findings: &mut Findings) {
    let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: Vec<&str> = shipped.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let place = format!("{name}:{}", at + 1);
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        if code.contains(concat!(".unwrap", "()")) {
            findings.add(&place, "unwrap outside tests");
        }
        if let Some((_, reason)) = code.split_once(".expect(\"")
            && !reason.starts_with("because ")
        {
            findings.add(
                &place,
                "the text of `expect` gives a reason: \"because ...\"",
            );
        }
        if is_public_number(code) && !has_unit(&lines[..at]) {
            findings.add(&place, "a public number needs a doc line with its unit");
        }
        let may_write = WRITERS.iter().any(|allowed| name.starts_with(allowed));
        if !may_write && WRITES.iter().any(|call| code.contains(call)) {
            findings.add(
                &place,
                "only the writing modules of a crate touch the file system",
            );
        }
    }
}

fn is_public_number(code: &str) -> bool {
    let Some(rest) = code.strip_prefix("pub const ") else {
        return false;
    };
    let Some((_, typed)) = rest.split_once(": ") else {
        return false;
    };
    let numbers = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i32", "i64", "f32", "f64",
    ];
    numbers
        .iter()
        .any(|number| typed.starts_with(&format!("{number} ")))
}

/// Do the doc lines directly above name a unit?
fn has_unit(above: &[&str]) -> bool {
    let docs = above.iter().rev().map(|line| line.trim_start());
    let docs = docs.take_while(|line| line.starts_with("///") || line.starts_with("#["));
    let text = docs.collect::<Vec<_>>().join(" ");
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| UNITS.contains(&word) || UNITS.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::{Findings, file, library};

    #[track_caller]
    fn found(check: fn(&str, &str, &mut Findings), text: &str, wanted: &[&str]) {
        let mut findings = Findings(Vec::new());
        check("x.rs", text, &mut findings);
        assert_eq!(findings.0, wanted);
    }

    #[test]
    fn every_file_says_what_it_is() {
        found(file, "//! A file.\nfn f() {}\n", &[]);
        found(
            file,
            "fn f() {}\n",
            &["x.rs:1: must begin with a `//!` sentence"],
        );
    }

    #[test]
    fn long_files_and_trailing_space_are_found() {
        let long = format!("//! A file.\n{}", "x\n".repeat(600));
        found(file, &long, &["x.rs: 601 lines, at most 600"]);
        found(file, "//! A file.\nx \n", &["x.rs:2: trailing white space"]);
    }

    #[test]
    fn ignored_tests_are_found() {
        let text = concat!("//! A file.\n    #[", "ignore]\n");
        found(
            file,
            text,
            &["x.rs:2: a test that is not run proves nothing"],
        );
    }

    #[test]
    fn public_numbers_need_a_unit() {
        found(
            library,
            "/// At most so many bytes.\npub const A: usize = 1;\n",
            &[],
        );
        let wanted = ["x.rs:2: a public number needs a doc line with its unit"];
        found(
            library,
            "/// The answer.\npub const A: usize = 42;\n",
            &wanted,
        );
    }

    #[test]
    fn unwrap_is_for_tests() {
        let call = concat!("let a = b.unwrap", "();\n");
        found(library, call, &["x.rs:1: unwrap outside tests"]);
        found(library, &format!("#[cfg(test)]\n{call}"), &[]);
        found(
            library,
            "let a = b.expect(\"because it was checked\");\n",
            &[],
        );
        let wanted = ["x.rs:1: the text of `expect` gives a reason: \"because ...\""];
        found(library, "let a = b.expect(\"oops\");\n", &wanted);
    }

    #[test]
    fn writes_stay_in_their_modules() {
        let wanted = ["x.rs:1: only the writing modules of a crate touch the file system"];
        found(library, "std::fs::rename(a, b)?;\n", &wanted);
        let mut findings = Findings(Vec::new());
        library(
            "memdir-index/src/store/atomic.rs",
            "std::fs::rename(a, b)?;\n",
            &mut findings,
        );
        assert!(findings.0.is_empty());
    }
}
