//! The options of the subcommands of `git` that only read what is committed.
//!
//! Left out: all that runs a program of the repository's choice, reads a file of it, writes one,
//! or looks at files in the working tree through filters.

use super::options::Kind::{Bare, Checked, Number, OneOf, Pattern, Text, Width};
use super::options::Value::{self, May, Must, No};
use super::options::{Short, TABLE, Table};

const DATE: Value = Must(Checked(super::small::is_date));
const PRETTY: super::options::Kind = Checked(is_format);

/// The names that no configuration can give another meaning, or a format of its own that does not
/// ask for a signature: that would run a program.
fn is_format(value: &str) -> bool {
    const NAMES: &[&str] = &[
        "email",
        "full",
        "fuller",
        "medium",
        "oneline",
        "raw",
        "reference",
        "short",
    ];
    let is_own = value.starts_with("format:") || value.starts_with("tformat:");
    if !is_own && !value.contains('%') {
        return value.is_empty() || NAMES.contains(&value);
    }
    value.split('%').skip(1).all(|field| {
        let field = field.trim_start_matches(['-', '+', ' ']);
        // The second runs a program of its own for each commit.
        !field.starts_with('G') && !field.starts_with("(describe") && !has_wide_number(field)
    })
}

/// `%>(999999999)` would fill the memory.
fn has_wide_number(field: &str) -> bool {
    let mut digits = 0;
    for byte in field.bytes() {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        if digits > 4 {
            return true;
        }
    }
    false
}

/// `-3`, `-n 3`, what to show of a commit, and which commits. `-M`, `-U` and their like, whose
/// value is optional, are left out, and `--full-diff`, which shows files that were not asked for.
pub(super) static LOG: Table = Table {
    flags: "pusicEFPgzwbW",
    valued: &[('G', Pattern), ('n', Number), ('S', Pattern)],
    long: &[
        ("abbrev", '-', May(Number)),
        ("abbrev-commit", '-', No),
        ("after", '-', DATE),
        ("all", '-', No),
        ("all-match", '-', No),
        ("ancestry-path", '-', No),
        ("author", '-', Must(Pattern)),
        ("author-date-order", '-', No),
        ("before", '-', DATE),
        ("boundary", '-', No),
        ("branches", '-', May(Text)),
        ("cc", 'c', No),
        ("cherry-pick", '-', No),
        ("children", '-', No),
        ("color", '-', May(OneOf(&["always", "auto", "never"]))),
        ("committer", '-', Must(Pattern)),
        ("compact-summary", '-', No),
        ("date", '-', Must(Checked(is_date_style))),
        ("date-order", '-', No),
        (
            "decorate",
            '-',
            May(OneOf(&["auto", "full", "no", "short"])),
        ),
        ("diff-filter", '-', Must(Bare)),
        ("dirstat", '-', No),
        ("extended-regexp", 'E', No),
        ("first-parent", '-', No),
        ("fixed-strings", 'F', No),
        ("follow", '-', No),
        ("format", '-', Must(PRETTY)),
        ("full-history", '-', No),
        ("graph", '-', No),
        ("grep", '-', Must(Pattern)),
        ("ignore-all-space", 'w', No),
        ("invert-grep", '-', No),
        ("left-right", '-', No),
        ("max-count", 'n', Must(Number)),
        ("merges", '-', No),
        ("min-parents", '-', Must(Number)),
        ("name-only", '-', No),
        ("name-status", '-', No),
        ("no-abbrev-commit", '-', No),
        ("no-color", '-', No),
        ("no-decorate", '-', No),
        ("no-merges", '-', No),
        ("no-notes", '-', No),
        ("no-patch", 's', No),
        ("no-renames", '-', No),
        ("numstat", '-', No),
        ("oneline", '-', No),
        ("parents", '-', No),
        ("patch", 'p', No),
        ("patch-with-stat", 'p', No),
        ("perl-regexp", 'P', No),
        ("pickaxe-all", '-', No),
        ("pickaxe-regex", '-', No),
        ("pretty", '-', May(PRETTY)),
        ("raw", '-', No),
        ("regexp-ignore-case", 'i', No),
        ("relative-date", '-', No),
        ("remotes", '-', No),
        ("reverse", '-', No),
        ("root", '-', No),
        ("shortstat", '-', No),
        ("since", '-', DATE),
        ("skip", '-', Must(Number)),
        ("source", '-', No),
        ("stat", '-', May(Width)),
        ("summary", '-', No),
        ("tags", '-', May(Text)),
        ("topo-order", '-', No),
        ("unified", 'U', May(Number)),
        ("until", '-', DATE),
        ("walk-reflogs", 'g', No),
        ("word-diff", 'p', May(Bare)),
    ],
    count: true,
    is_joined: true,
    short: Short::First,
    ..TABLE
};

/// Of `cat-file`, what shows one object.
pub(super) static CAT_FILE: Table = Table {
    flags: "epst",
    is_joined: true,
    short: Short::First,
    ..TABLE
};

pub(super) static LS_FILES: Table = Table {
    flags: "cdiostz",
    long: &[
        ("abbrev", '-', May(Number)),
        ("cached", 'c', No),
        ("deleted", 'd', No),
        ("directory", '-', No),
        ("exclude-standard", '-', No),
        ("full-name", '-', No),
        ("ignored", 'i', No),
        ("no-empty-directory", '-', No),
        ("others", 'o', No),
        ("stage", 's', No),
    ],
    is_joined: true,
    short: Short::First,
    ..TABLE
};

/// `-S`, `--contents` and `--ignore-revs-file` read files.
pub(super) static BLAME: Table = Table {
    flags: "ceflnpstw",
    valued: &[('L', Checked(is_range))],
    long: &[
        ("abbrev", '-', May(Number)),
        ("date", '-', Must(Checked(is_date_style))),
        ("first-parent", '-', No),
        ("line-porcelain", '-', No),
        ("porcelain", 'p', No),
        ("root", '-', No),
        ("show-email", 'e', No),
        ("show-name", 'f', No),
        ("show-number", 'n', No),
        ("since", '-', DATE),
    ],
    is_joined: true,
    short: Short::First,
    ..TABLE
};

pub(super) static REV_PARSE: Table = Table {
    flags: "q",
    long: &[
        ("abbrev-ref", '-', May(OneOf(&["loose", "strict"]))),
        ("absolute-git-dir", '-', No),
        ("all", '-', No),
        ("branches", '-', No),
        ("git-common-dir", '-', No),
        ("git-dir", '-', No),
        ("is-bare-repository", '-', No),
        ("is-inside-git-dir", '-', No),
        ("is-inside-work-tree", '-', No),
        ("is-shallow-repository", '-', No),
        ("quiet", 'q', No),
        ("remotes", '-', No),
        ("short", '-', May(Number)),
        ("show-cdup", '-', No),
        ("show-prefix", '-', No),
        ("show-toplevel", '-', No),
        ("symbolic", '-', No),
        ("symbolic-full-name", '-', No),
        ("tags", '-', No),
        ("verify", '-', No),
    ],
    is_joined: true,
    short: Short::First,
    ..TABLE
};

/// `short`, `iso`, `format:%Y-%m-%d`.
fn is_date_style(value: &str) -> bool {
    value.len() <= 64 && !super::values::has_wide_field(value)
}

/// `1,20`, `5,+3`, `7`.
fn is_range(value: &str) -> bool {
    !value.is_empty()
        && value.len() <= 24
        && value
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b",+-".contains(&byte))
}
