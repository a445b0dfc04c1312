//! The speed of the shell judge of `autodream`, each beside its floor: see `memory.rs`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a bench measures time and may stop at the first surprise"
)]

mod table;

use std::fs;
use std::hint::black_box;
use std::path::Path;

use autodream::{Roots, judge_shell, parse_shell};
use memdir_paths::MemoryDir;
use table::Table;
use tempfile::TempDir;

/// Command lines of one row: a row in microseconds is a command line in nanoseconds.
const LINES: usize = 1_000;

/// What looks at no place.
const WITHOUT_FILES: &str = "printf '%s\\n' alpha beta | sort -rn | head -n 5";
const REFUSED: &str = "sort -rn -o out docs/notes.txt";

fn main() {
    let table = Table::begin();
    let temp = TempDir::new().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let memory = top.join("memory");
    fs::create_dir_all(top.join("docs")).unwrap();
    fs::create_dir(&memory).unwrap();
    fs::write(memory.join("MEMORY.md"), "- x\n").unwrap();
    fs::write(top.join("docs/notes.txt"), "a\n").unwrap();
    let roots = Roots::new(&top, &MemoryDir::new(&memory));
    let judged = |line: &str| {
        for _ in 0..LINES {
            let _ = black_box(judge_shell(black_box(line), &top, &roots));
        }
    };
    let pass = |line: &str| {
        for _ in 0..LINES {
            black_box(black_box(line).bytes().fold(0_u8, u8::wrapping_add));
        }
    };
    assert!(judge_shell(WITHOUT_FILES, &top, &roots).is_ok());
    assert!(judge_shell(REFUSED, &top, &roots).is_err());

    table.row(
        "1,000 lines, three calls, parsed",
        200,
        "one pass over their bytes",
        || {
            for _ in 0..LINES {
                let _ = black_box(parse_shell(black_box(WITHOUT_FILES)));
            }
        },
        || pass(WITHOUT_FILES),
    );
    table.row(
        "1,000 lines, three calls, judged",
        200,
        "one pass over their bytes",
        || judged(WITHOUT_FILES),
        || pass(WITHOUT_FILES),
    );
    table.row(
        "1,000 lines, one call, judged",
        200,
        "one pass over their bytes",
        || judged("basename docs/notes.txt .txt"),
        || pass("basename docs/notes.txt .txt"),
    );
    table.row(
        "1,000 lines, refused",
        200,
        "one pass over their bytes",
        || judged(REFUSED),
        || pass(REFUSED),
    );
    let with_files = format!("head -n 5 {}", memory.join("MEMORY.md").display());
    table.row(
        "1,000 lines with a file, judged",
        50,
        "realpath and stat of the file",
        || judged(&with_files),
        || places(&[&memory.join("MEMORY.md")]),
    );
    let git = "git log --oneline -5";
    table.row(
        "1,000 lines with git, judged",
        50,
        "realpath and stat of the folder",
        || judged(git),
        || places(&[&top]),
    );
    let globs = "wc -l docs/*.txt";
    table.row(
        "1,000 lines with a glob, judged",
        50,
        "and a listing of the folder",
        || judged(globs),
        || {
            for _ in 0..LINES {
                black_box(fs::read_dir(top.join("docs")).unwrap().count());
            }
            places(&[&top.join("docs"), &top.join("docs/notes.txt")]);
        },
    );
    let long = format!("echo {}", "word ".repeat(6_000));
    table.row(
        "30,000 bytes, parsed",
        200,
        "one pass over the bytes",
        || drop(black_box(parse_shell(black_box(&long)))),
        || {
            black_box(black_box(&long).bytes().fold(0_u8, u8::wrapping_add));
        },
    );
    table.end();
}

/// The system calls that a check needs, for every line.
fn places(paths: &[&Path]) {
    for _ in 0..LINES {
        for path in paths {
            let real = fs::canonicalize(path).unwrap();
            black_box(fs::metadata(real).unwrap());
        }
    }
}
