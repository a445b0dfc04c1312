//! The options of the programs that list, show, measure and tell.

use super::options::Kind::{Bare, Checked, File, Number, OneOf, Text, Width};
use super::options::Value::{self, May, Must, No};
use super::options::{Short, TABLE, Table};
use super::small;

pub(super) const WHEN: Value = May(OneOf(&["always", "auto", "never"]));

pub(super) static NOTHING: Table = Table { most: 0, ..TABLE };

pub(super) static BASE64: Table = Table {
    flags: "d",
    valued: &[('w', Number)],
    long: &[("decode", 'd', No), ("wrap", 'w', Must(Number))],
    most: 1,
    ..TABLE
};

pub(super) static BASENAME: Table = Table {
    flags: "az",
    valued: &[('s', Text)],
    long: &[
        ("multiple", 'a', No),
        ("suffix", 's', Must(Text)),
        ("zero", 'z', No),
    ],
    operands: &[Text],
    least: 1,
    ..TABLE
};

pub(super) static CAT: Table = Table {
    flags: "AbeEnstTuv",
    long: &[
        ("number", 'n', No),
        ("number-nonblank", 'b', No),
        ("show-all", 'A', No),
        ("show-ends", 'E', No),
        ("show-nonprinting", 'v', No),
        ("show-tabs", 'T', No),
        ("squeeze-blank", 's', No),
    ],
    ..TABLE
};

pub(super) static DATE: Table = Table {
    flags: "Ru",
    valued: &[('d', Checked(small::is_date)), ('r', File)],
    long: &[
        ("date", 'd', Must(Checked(small::is_date))),
        ("iso-8601", '-', May(Bare)),
        ("reference", 'r', Must(File)),
        ("rfc-3339", '-', Must(Bare)),
        ("rfc-email", 'R', No),
        ("universal", 'u', No),
        ("utc", 'u', No),
    ],
    // Anything else would set the clock.
    operands: &[Checked(small::is_date_format)],
    most: 1,
    ..TABLE
};

pub(super) static DF: Table = Table {
    flags: "ahHikmPT",
    long: &[("human-readable", 'h', No)],
    ..TABLE
};

pub(super) static DIRNAME: Table = Table {
    flags: "z",
    operands: &[Text],
    least: 1,
    ..TABLE
};

pub(super) static DU: Table = Table {
    flags: "abchkmsSx",
    valued: &[('d', Number)],
    long: &[
        ("all", 'a', No),
        ("apparent-size", '-', No),
        ("bytes", 'b', No),
        ("exclude", '-', Must(Text)),
        ("human-readable", 'h', No),
        ("max-depth", 'd', Must(Number)),
        ("one-file-system", 'x', No),
        ("summarize", 's', No),
        ("total", 'c', No),
    ],
    ..TABLE
};

pub(super) static FILE: Table = Table {
    flags: "bhikN",
    long: &[
        ("brief", 'b', No),
        ("mime", 'i', No),
        ("mime-encoding", '-', No),
        ("mime-type", '-', No),
        ("no-dereference", 'h', No),
    ],
    least: 1,
    ..TABLE
};

pub(super) static HEAD: Table = Table {
    flags: "qvz",
    valued: &[('c', Number), ('n', Number)],
    long: PART_OF_FILE,
    count: true,
    ..TABLE
};

const PART_OF_FILE: &[(&str, char, Value)] = &[
    ("bytes", 'c', Must(Number)),
    ("lines", 'n', Must(Number)),
    ("quiet", 'q', No),
    ("silent", 'q', No),
    ("verbose", 'v', No),
    ("zero-terminated", 'z', No),
];

pub(super) static HOSTNAME: Table = Table {
    flags: "s",
    most: 0,
    ..TABLE
};

pub(super) static ID: Table = Table {
    flags: "gGnru",
    long: &[
        ("group", 'g', No),
        ("groups", 'G', No),
        ("name", 'n', No),
        ("user", 'u', No),
    ],
    most: 0,
    ..TABLE
};

pub(super) static LS: Table = Table {
    flags: "aAbBcCdfFgGhiklmnNopqQrRsStuUvxX1",
    long: &[
        ("all", 'a', No),
        ("almost-all", 'A', No),
        ("author", '-', No),
        ("classify", 'F', WHEN),
        ("color", '-', WHEN),
        ("directory", 'd', No),
        ("escape", 'b', No),
        ("file-type", '-', No),
        ("format", '-', Must(Bare)),
        ("full-time", '-', No),
        ("group-directories-first", '-', No),
        ("hide", '-', Must(Text)),
        ("human-readable", 'h', No),
        ("ignore", '-', Must(Text)),
        ("inode", 'i', No),
        ("literal", 'N', No),
        ("no-group", 'G', No),
        ("numeric-uid-gid", 'n', No),
        ("quote-name", 'Q', No),
        ("recursive", 'R', No),
        ("reverse", 'r', No),
        ("si", '-', No),
        ("size", 's', No),
        ("sort", '-', Must(Bare)),
        ("time", '-', Must(Bare)),
        ("time-style", '-', Must(Checked(small::is_narrow))),
    ],
    ..TABLE
};

pub(super) static DIGEST: Table = Table {
    flags: "btz",
    long: &[
        ("binary", 'b', No),
        ("tag", '-', No),
        ("text", 't', No),
        ("zero", 'z', No),
    ],
    ..TABLE
};

pub(super) static OD: Table = Table {
    flags: "abcdosvx",
    valued: &[('A', Bare), ('j', Number), ('N', Number), ('t', Bare)],
    long: &[
        ("address-radix", 'A', Must(Bare)),
        ("format", 't', Must(Bare)),
        ("read-bytes", 'N', Must(Number)),
        ("skip-bytes", 'j', Must(Number)),
    ],
    ..TABLE
};

pub(super) static PWD: Table = Table {
    flags: "LP",
    most: 0,
    ..TABLE
};

pub(super) static READLINK: Table = Table {
    flags: "efmnz",
    long: &[
        ("canonicalize", 'f', No),
        ("canonicalize-existing", 'e', No),
        ("canonicalize-missing", 'm', No),
        ("no-newline", 'n', No),
    ],
    least: 1,
    ..TABLE
};

pub(super) static REALPATH: Table = Table {
    flags: "eLmPqsz",
    long: &[
        ("canonicalize-existing", 'e', No),
        ("canonicalize-missing", 'm', No),
        ("relative-base", '-', Must(File)),
        ("relative-to", '-', Must(File)),
    ],
    least: 1,
    ..TABLE
};

pub(super) static STAT: Table = Table {
    flags: "Lt",
    valued: &[('c', Checked(small::is_narrow))],
    long: &[
        ("dereference", 'L', No),
        ("format", 'c', Must(Checked(small::is_narrow))),
        ("printf", 'c', Must(Checked(small::is_narrow))),
        ("terse", 't', No),
    ],
    least: 1,
    ..TABLE
};

pub(super) static STRINGS: Table = Table {
    flags: "af",
    valued: &[('e', Bare), ('n', Width), ('t', Bare)],
    long: &[
        ("all", 'a', No),
        ("bytes", 'n', Must(Width)),
        ("radix", 't', Must(Bare)),
    ],
    ..TABLE
};

// No `f`, `F`, `--follow`, `--retry`, `--pid`: they wait for ever.
pub(super) static TAIL: Table = Table {
    flags: "qvz",
    valued: &[('c', Number), ('n', Number)],
    long: PART_OF_FILE,
    count: true,
    ..TABLE
};

// No `l`, which follows links, no `o` and no `R`, which write.
pub(super) static TREE: Table = Table {
    flags: "aACdDfFghinNpqrsStuvQ",
    valued: &[('I', Text), ('L', Number), ('P', Text)],
    short: Short::Next,
    long: &[
        ("dirsfirst", '-', No),
        ("du", '-', No),
        ("filelimit", '-', Must(Number)),
        ("ignore-case", '-', No),
        ("noreport", '-', No),
        ("prune", '-', No),
    ],
    ..TABLE
};

pub(super) static UNAME: Table = Table {
    flags: "aimnoprsv",
    most: 0,
    ..TABLE
};

pub(super) static WC: Table = Table {
    flags: "clLmw",
    long: &[
        ("bytes", 'c', No),
        ("chars", 'm', No),
        ("lines", 'l', No),
        ("max-line-length", 'L', No),
        ("words", 'w', No),
    ],
    ..TABLE
};

pub(super) static WHICH: Table = Table {
    flags: "a",
    operands: &[Bare],
    least: 1,
    ..TABLE
};
