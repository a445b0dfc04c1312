//! What the client was seen to do with the headers of rules, as a table.
//!
//! A row that names a deviation differs on purpose; its list is then ours.

use std::path::Path;

use claudemd::{Header, PathGlobs, PathsKey};

#[rustfmt::skip]
const WIDE: &[&str] = &["!bang.txt", "#a.txt", ".env", ".github/w.yml", "README.md", "SRC2/x.ts", "Src/q.ts", "a.txt", "b.txt", "doc/项.md", "gen", "lib/l.js", "root.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "srcx/a.ts", "sub/.env", "sub/src/a.ts"];

#[rustfmt::skip]
const NARROW: &[&str] = &["lib/b.js", "lib/src/a.ts", "node_modules/z.ts", "src/a.test.ts", "src/a.ts", "src/b.ts", "src/node_modules/p/q/x.ts", "src/node_modules/x.ts", "src/x/.claude/rules/inner.ts", "x/c/y"];

struct Row {
    header: &'static str,
    files: &'static [&'static str],
    deviation: Option<&'static str>,
    matched: &'static [&'static str],
}

#[test]
fn observed_headers_select_the_observed_files() {
    for row in ROWS {
        let text = format!("---\n{}\n---\nBODY\n", row.header);
        let header = Header::parse(&text);
        let PathsKey::Only(patterns) = &header.paths else {
            panic!("applies everywhere: {:?}", row.header);
        };
        let globs = PathGlobs::new(patterns);
        let matched = row
            .files
            .iter()
            .filter(|file| globs.is_match(Path::new(file)));
        let found: Vec<&str> = matched.copied().collect();
        assert_eq!(found, row.matched, "{:?} ({:?})", row.header, row.deviation);
        assert_eq!(header.body, "BODY\n");
    }
    assert_eq!(ROWS.len(), 62);
    assert_eq!(
        ROWS.iter().filter(|row| row.deviation.is_some()).count(),
        12
    );
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { header: "paths: \"**/*.ts\"", files: WIDE, deviation: None, matched: &["SRC2/x.ts", "Src/q.ts", "root.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "srcx/a.ts", "sub/src/a.ts"] },
    Row { header: "paths: \"src/\"", files: WIDE, deviation: None, matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "sub/src/a.ts"] },
    Row { header: "paths: \"./src/**\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: \"./a.txt\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: \"/src/**\"", files: WIDE, deviation: None, matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts"] },
    Row { header: "paths: \"/a.txt\"", files: WIDE, deviation: None, matched: &["a.txt"] },
    Row { header: "paths: \"**/*.{ts,tsx}\"", files: WIDE, deviation: None, matched: &["SRC2/x.ts", "Src/q.ts", "root.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "srcx/a.ts", "sub/src/a.ts"] },
    Row { header: "paths: \"{src,lib}/**/*.{ts,js},b.txt\"", files: WIDE, deviation: None, matched: &["Src/q.ts", "b.txt", "lib/l.js", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts"] },
    Row { header: "paths: \"src/**/*.ts, !src/gen/**\"", files: WIDE, deviation: Some("negation"), matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/deep/d.ts", "src/f2.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts"] },
    Row { header: "paths: [\"!src/gen/**\", \"src/**\"]", files: WIDE, deviation: None, matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "sub/src/a.ts"] },
    Row { header: "paths: [\"src/**/*.ts\", \"!src/gen/*\", \"src/gen/keep.ts\"]", files: WIDE, deviation: None, matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/deep/d.ts", "src/f2.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts"] },
    Row { header: "paths: [\"src/**\", \"!src/a.ts\"]", files: WIDE, deviation: Some("negation"), matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "sub/src/a.ts"] },
    Row { header: "paths: \"src/[ab].ts\"", files: WIDE, deviation: None, matched: &["src/a.ts"] },
    Row { header: "paths: \"src/[!a].ts\"", files: WIDE, deviation: Some("class-negation"), matched: &["Src/q.ts"] },
    Row { header: "paths: \"src/[^a].ts\"", files: WIDE, deviation: Some("class-negation"), matched: &["Src/q.ts"] },
    Row { header: "paths: \"**/*\"", files: WIDE, deviation: None, matched: WIDE },
    Row { header: "paths: \"*\"", files: WIDE, deviation: None, matched: WIDE },
    Row { header: "paths: \"src/my file.ts\"", files: WIDE, deviation: None, matched: &["src/my file.ts"] },
    Row { header: "paths: [\"a.txt\", \"b.txt\"]", files: WIDE, deviation: None, matched: &["a.txt", "b.txt"] },
    Row { header: "paths: [\"a.txt, b.txt\"]", files: WIDE, deviation: None, matched: &["a.txt", "b.txt"] },
    Row { header: "paths: \"#a.txt\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: \"\\\\#a.txt\"", files: WIDE, deviation: None, matched: &["#a.txt"] },
    Row { header: "paths: \"src\\\\a.ts\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: \"~/**\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: \"../x/**\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: \"src/**/deep/*.ts\"", files: WIDE, deviation: None, matched: &["src/deep/d.ts", "src/x/deep/d.ts"] },
    Row { header: "paths: \"**/gen/**\"", files: WIDE, deviation: None, matched: &["gen", "src/gen/g.ts", "src/gen/keep.ts"] },
    Row { header: "paths: \"src/a.ts \"", files: WIDE, deviation: None, matched: &["src/a.ts"] },
    Row { header: "paths: \"src/f{1..3}.ts\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: \"src/{a,{b,f2}}.ts\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: \"src/a{,.test}.ts\"", files: WIDE, deviation: None, matched: &["src/a.test.ts", "src/a.ts"] },
    Row { header: "paths: \"src/{a}.ts\"", files: WIDE, deviation: None, matched: &["src/a.ts"] },
    Row { header: "paths: \"**/项.md\"", files: WIDE, deviation: None, matched: &["doc/项.md"] },
    Row { header: "paths: [null, \"a.txt\"]", files: WIDE, deviation: None, matched: &["a.txt"] },
    Row { header: "paths: \"src/**/*\"", files: WIDE, deviation: None, matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts"] },
    Row { header: "paths: \"src/**/\"", files: WIDE, deviation: None, matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts"] },
    Row { header: "paths: \"src**\"", files: WIDE, deviation: None, matched: &["SRC2/x.ts", "Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "srcx/a.ts", "sub/src/a.ts"] },
    Row { header: "paths: \"src//a.ts\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: [\"**\", \"a.txt\"]", files: WIDE, deviation: None, matched: WIDE },
    Row { header: "paths: \".\"", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths: |\n  a.txt\n  b.txt", files: WIDE, deviation: Some("rescue"), matched: &["a.txt", "b.txt"] },
    Row { header: "paths: **/*.ts", files: WIDE, deviation: None, matched: &["SRC2/x.ts", "Src/q.ts", "root.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "srcx/a.ts", "sub/src/a.ts"] },
    Row { header: "paths:\n  - src/**/*.ts\n  - *.txt", files: WIDE, deviation: Some("rescue"), matched: &["!bang.txt", "#a.txt", "Src/q.ts", "a.txt", "b.txt", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts"] },
    Row { header: "paths:\n  - src/**\n  - !src/gen/**", files: WIDE, deviation: Some("rescue and negation"), matched: &["Src/q.ts", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "sub/src/a.ts"] },
    Row { header: "paths: [a.txt, src/**]", files: WIDE, deviation: None, matched: &["Src/q.ts", "a.txt", "src/.hid.ts", "src/a.test.ts", "src/a.ts", "src/b.tsx", "src/deep/d.ts", "src/f2.ts", "src/gen/g.ts", "src/gen/keep.ts", "src/my file.ts", "src/sub/a.ts", "src/x/deep/d.ts", "sub/src/a.ts"] },
    Row { header: "description: foo: bar\npaths: a.txt", files: WIDE, deviation: None, matched: &["a.txt"] },
    Row { header: "paths: [*.ts, a.txt]", files: WIDE, deviation: None, matched: &[] },
    Row { header: "paths:\n  - \"src/**/*.ts\"\n  - \"!src/node_modules/**\"", files: NARROW, deviation: Some("negation"), matched: &["src/a.test.ts", "src/a.ts", "src/b.ts", "src/x/.claude/rules/inner.ts"] },
    Row { header: "paths: \"src/**/*.ts, !src/node_modules/*\"", files: NARROW, deviation: Some("negation"), matched: &["src/a.test.ts", "src/a.ts", "src/b.ts", "src/x/.claude/rules/inner.ts"] },
    Row { header: "paths: \"**/*.ts, !**/node_modules/**\"", files: NARROW, deviation: Some("negation"), matched: &["lib/src/a.ts", "src/a.test.ts", "src/a.ts", "src/b.ts", "src/x/.claude/rules/inner.ts"] },
    Row { header: "paths: \"src/**/*.ts, !*.test.ts\"", files: NARROW, deviation: None, matched: &["src/a.ts", "src/b.ts", "src/node_modules/p/q/x.ts", "src/node_modules/x.ts", "src/x/.claude/rules/inner.ts"] },
    Row { header: "paths: \"src/**, !**/*.test.ts\"", files: NARROW, deviation: Some("negation"), matched: &["lib/src/a.ts", "src/a.ts", "src/b.ts", "src/node_modules/p/q/x.ts", "src/node_modules/x.ts", "src/x/.claude/rules/inner.ts"] },
    Row { header: "paths: \"node_modules/**\"", files: NARROW, deviation: None, matched: &["node_modules/z.ts", "src/node_modules/p/q/x.ts", "src/node_modules/x.ts"] },
    Row { header: "paths: \"src/**/*.ts, !src/{node_modules,gen}/*\"", files: NARROW, deviation: Some("negation"), matched: &["src/a.test.ts", "src/a.ts", "src/b.ts", "src/x/.claude/rules/inner.ts"] },
    Row { header: "paths: \"src/[a-c].ts\"", files: NARROW, deviation: None, matched: &["src/a.ts", "src/b.ts"] },
    Row { header: "paths: \"  src/a.ts\"", files: NARROW, deviation: None, matched: &["src/a.ts"] },
    Row { header: "paths: \"src/a.ts,,\"", files: NARROW, deviation: None, matched: &["src/a.ts"] },
    Row { header: "paths: \"SRC/A.TS\"", files: NARROW, deviation: None, matched: &["src/a.ts"] },
    Row { header: "paths: \".ts\"", files: NARROW, deviation: None, matched: &[] },
    Row { header: "paths: \"./**/*.ts\"", files: NARROW, deviation: None, matched: &[] },
    Row { header: "paths:\n  - \"src/{a,b}.ts\"\n  - \"x/{c,d}/*\"", files: NARROW, deviation: None, matched: &["src/a.ts", "src/b.ts", "x/c/y"] },
    Row { header: "paths: \"src/{a, b}.ts\"", files: NARROW, deviation: None, matched: &["src/a.ts", "src/b.ts"] },
];
