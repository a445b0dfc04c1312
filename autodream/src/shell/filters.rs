//! The options of the programs that compare, sort and cut.

use super::looking::WHEN;
use super::options::Kind::{Bare, Checked, List, Number, Pattern, Text, Width};
use super::options::Value::{May, Must, No};
use super::options::{TABLE, Table};
use super::small;

pub(super) static CMP: Table = Table {
    flags: "bls",
    valued: &[('n', Number)],
    long: &[
        ("bytes", 'n', Must(Number)),
        ("print-bytes", 'b', No),
        ("quiet", 's', No),
        ("silent", 's', No),
        ("verbose", 'l', No),
    ],
    least: 1,
    most: 2,
    ..TABLE
};

pub(super) static COLUMN: Table = Table {
    flags: "tx",
    valued: &[('c', Width), ('s', Text)],
    ..TABLE
};

pub(super) static COMM: Table = Table {
    flags: "123i",
    long: &[("output-delimiter", '-', Must(Text)), ("total", '-', No)],
    least: 2,
    most: 2,
    ..TABLE
};

pub(super) static CUT: Table = Table {
    flags: "ns",
    valued: &[('b', List), ('c', List), ('d', Text), ('f', List)],
    long: &[
        ("bytes", 'b', Must(List)),
        ("characters", 'c', Must(List)),
        ("complement", '-', No),
        ("delimiter", 'd', Must(Text)),
        ("fields", 'f', Must(List)),
        ("only-delimited", 's', No),
        ("output-delimiter", '-', Must(Text)),
    ],
    ..TABLE
};

pub(super) static DIFF: Table = Table {
    flags: "abBcdeEiNnpqrstTuwyZ",
    valued: &[
        ('C', Number),
        ('I', Pattern),
        ('U', Number),
        ('W', Width),
        ('x', Text),
    ],
    long: &[
        ("brief", 'q', No),
        ("color", '-', WHEN),
        ("context", 'c', May(Number)),
        ("exclude", 'x', Must(Text)),
        ("ignore-all-space", 'w', No),
        ("ignore-blank-lines", 'B', No),
        ("ignore-case", 'i', No),
        ("ignore-space-change", 'b', No),
        ("ignore-trailing-space", 'Z', No),
        ("minimal", 'd', No),
        ("new-file", 'N', No),
        ("recursive", 'r', No),
        ("report-identical-files", 's', No),
        ("side-by-side", 'y', No),
        ("suppress-common-lines", '-', No),
        ("text", 'a', No),
        ("unified", 'u', May(Number)),
        ("width", 'W', Must(Width)),
    ],
    least: 2,
    most: 2,
    ..TABLE
};

pub(super) static EXPAND: Table = Table {
    flags: "ai",
    valued: &[('t', Checked(small::is_tabs))],
    long: &[
        ("initial", 'i', No),
        ("tabs", 't', Must(Checked(small::is_tabs))),
    ],
    ..TABLE
};

pub(super) static FMT: Table = Table {
    flags: "csu",
    valued: &[('w', Width)],
    long: &[("width", 'w', Must(Width))],
    ..TABLE
};

pub(super) static FOLD: Table = Table {
    flags: "bs",
    valued: &[('w', Number)],
    long: &[
        ("bytes", 'b', No),
        ("spaces", 's', No),
        ("width", 'w', Must(Width)),
    ],
    ..TABLE
};

pub(super) static JOIN: Table = Table {
    flags: "iz",
    valued: &[
        ('1', Number),
        ('2', Number),
        ('a', Number),
        ('e', Text),
        ('j', Number),
        ('o', List),
        ('t', Text),
        ('v', Number),
    ],
    least: 2,
    most: 2,
    ..TABLE
};

pub(super) static NL: Table = Table {
    flags: "p",
    valued: &[
        ('b', Pattern),
        ('f', Pattern),
        ('h', Pattern),
        ('i', Number),
        ('n', Bare),
        ('s', Text),
        ('v', Number),
        ('w', Width),
    ],
    long: &[
        ("body-numbering", 'b', Must(Pattern)),
        ("number-width", 'w', Must(Width)),
    ],
    ..TABLE
};

pub(super) static PASTE: Table = Table {
    flags: "sz",
    valued: &[('d', Text)],
    long: &[("delimiters", 'd', Must(Text)), ("serial", 's', No)],
    ..TABLE
};

pub(super) static SORT: Table = Table {
    flags: "bcCdfghiMmnRrsuVz",
    valued: &[('k', List), ('t', Text)],
    long: &[
        ("check", 'c', May(Bare)),
        ("dictionary-order", 'd', No),
        ("field-separator", 't', Must(Text)),
        ("general-numeric-sort", 'g', No),
        ("human-numeric-sort", 'h', No),
        ("ignore-case", 'f', No),
        ("ignore-leading-blanks", 'b', No),
        ("key", 'k', Must(List)),
        ("merge", 'm', No),
        ("month-sort", 'M', No),
        ("numeric-sort", 'n', No),
        ("random-sort", 'R', No),
        ("reverse", 'r', No),
        ("sort", '-', Must(Bare)),
        ("stable", 's', No),
        ("unique", 'u', No),
        ("version-sort", 'V', No),
        ("zero-terminated", 'z', No),
    ],
    ..TABLE
};

pub(super) static TAC: Table = Table {
    flags: "br",
    valued: &[('s', Pattern)],
    ..TABLE
};

pub(super) static TR: Table = Table {
    flags: "cCdst",
    long: &[
        ("complement", 'c', No),
        ("delete", 'd', No),
        ("squeeze-repeats", 's', No),
        ("truncate-set1", 't', No),
    ],
    operands: &[Checked(small::is_set)],
    least: 1,
    most: 2,
    ..TABLE
};

// A second operand would be written.
pub(super) static UNIQ: Table = Table {
    flags: "cdDiuz",
    valued: &[('f', Number), ('s', Number), ('w', Number)],
    long: &[
        ("count", 'c', No),
        ("ignore-case", 'i', No),
        ("repeated", 'd', No),
        ("skip-chars", 's', Must(Number)),
        ("skip-fields", 'f', Must(Number)),
        ("unique", 'u', No),
    ],
    most: 1,
    is_strict: true,
    ..TABLE
};
