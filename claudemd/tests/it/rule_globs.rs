//! Which paths the patterns of a rule select.

use std::path::Path;

use claudemd::PathGlobs;

#[track_caller]
fn check(patterns: &[&str], yes: &[&str], no: &[&str]) {
    let globs = PathGlobs::new(patterns);
    assert!(globs.problems().is_empty(), "{:?}", globs.problems());
    for path in yes {
        assert!(
            globs.is_match(Path::new(path)),
            "{patterns:?} misses {path}"
        );
    }
    for path in no {
        assert!(
            !globs.is_match(Path::new(path)),
            "{patterns:?} takes {path}"
        );
    }
}

#[track_caller]
fn never(pattern: &str, reason: &str) {
    let globs = PathGlobs::new(&[pattern]);
    let problems: Vec<(&str, &str)> = globs
        .problems()
        .iter()
        .map(|problem| (&*problem.pattern, &*problem.reason))
        .collect();
    assert_eq!(problems, [(pattern, reason)]);
    for path in ["a", "a/b", "src/a.ts", "~/a", "./a", "[", "#x"] {
        assert!(!globs.is_match(Path::new(path)), "{pattern} takes {path}");
    }
}

#[test]
fn any_pattern_of_a_list_activates() {
    check(&["**/*.ts", "**/*.js"], &["a.js", "x/a.ts"], &["a.rs"]);
}

#[test]
fn a_star_stays_in_its_folder() {
    check(
        &["src/*.ts"],
        &["src/a.ts", "src/.a.ts"],
        &["src/a/b.ts", "lib/src/a.ts", "a.ts"],
    );
    check(&["src/*"], &["src/a", "src/a/b"], &["src", "x/src/a"]);
    check(&["**/*"], &["a", "a/b", ".a/.b"], &[]);
}

#[test]
fn a_pattern_without_a_slash_matches_at_any_depth() {
    check(&["*.md"], &["a.md", "docs/a.md", "docs/a.md/x"], &["a.mdx"]);
    check(&["a.ts"], &["a.ts", "x/y/a.ts", "a.ts/z"], &["ba.ts"]);
    check(&["src"], &["src", "x/src/y"], &["src2/a"]);
}

#[test]
fn folders_cover_everything_below() {
    check(
        &["src/"],
        &["src/a", "src/b/c", "x/src/a"],
        &["src", "x/src"],
    );
    check(
        &["src/**"],
        &["src/a", "src/b/c", "x/src/a", "src"],
        &["srcx/a"],
    );
    check(&["src/**/"], &["src/a", "src/b/c"], &["src", "x/src/a"]);
    check(&["a/b/**"], &["a/b/c", "a/b"], &["x/a/b/c"]);
    check(&["a/**/b/**"], &["a/b/x", "a/c/d/b/x"], &["x/a/b/x"]);
    check(&["***/a/***"], &["a/b", "x/a/b", "a"], &["b"]);
    check(&["src/**/**"], &["src/a", "src/b/c"], &["src", "x/src/a"]);
}

#[test]
fn a_leading_slash_anchors() {
    check(&["/src/**"], &["src/a"], &["x/src/a"]);
    check(&["/a.txt"], &["a.txt"], &["x/a.txt"]);
    check(&["/*.ts"], &["a.ts"], &["x/a.ts"]);
}

#[test]
fn case_does_not_matter() {
    check(
        &["SRC/A.TS", "src/[a-c]x", "ÜBER/*.MD"],
        &["src/a.ts", "Src/Bx", "über/a.md"],
        &["src/b.ts"],
    );
}

#[test]
fn classes_and_question_marks_stand_for_one_character_of_any_script() {
    check(&["[ab].ts"], &["a.ts", "x/b.ts"], &["c.ts", "ab.ts"]);
    check(
        &["[!a].ts"],
        &["b.ts", "项.ts", "é.ts"],
        &["a.ts", "A.ts", ".ts", "项项.ts"],
    );
    check(&["[^a].ts"], &["b.ts", "项.ts"], &["a.ts"]);
    check(&["src[!a]x"], &["srcbx"], &["src/x"]);
    check(&["?.md"], &["a.md", "项.md"], &["项目.md", ".md"]);
    check(
        &["第?章/*.m?"],
        &["第一章/x.md", "第1章/项.m项"],
        &["第章/x.md", "第十一章/x.md"],
    );
    check(&["[äö项]*"], &["äx", "ÖX", "项目"], &["üx", "x"]);
    check(&[r"\[a\].ts", r"\*"], &["[a].ts", "*"], &["a.ts", "b"]);
}

#[test]
fn braces_are_written_out_before_anything_else() {
    check(
        &["src/{a, b}.ts", "{x,y}/{1,2}/*"],
        &["src/a.ts", "src/b.ts", "y/2/z"],
        &["src/{a, b}.ts", "x/3/z"],
    );
    check(&["a{,.test}.ts"], &["a.ts", "a.test.ts"], &["a..ts"]);
    check(&["{a}.ts"], &["a.ts"], &["{a}.ts"]);
    check(&["f{1..3}.ts"], &["f1..3.ts"], &["f2.ts"]);
    check(&["a}b", "c{}d"], &["a}b", "c{}d"], &["ab"]);
    check(&["*.ts", "!{a,b}.ts"], &["c.ts"], &["a.ts", "b.ts"]);
}

#[test]
fn escapes_make_characters_plain() {
    check(&[r"\#x", r"\!y"], &["#x", "!y"], &["x", "y"]);
    check(&["a#b", "a!b"], &["a#b", "a!b"], &[]);
    check(&["*", "!#*x", "!!*y"], &["a"], &["#bx", "!by"]);
    check(&["~$*.docx", "~x"], &["~$a.docx", "d/~x"], &["a.docx"]);
}

#[test]
fn the_last_covering_pattern_decides() {
    let files = ["src/**/*.ts", "!src/node_modules/**"];
    check(
        &files,
        &["src/a.ts", "src/x/a.ts"],
        &["src/node_modules/p/q/a.ts"],
    );
    check(&["!src/gen/**", "src/**"], &["src/gen/a", "src/a"], &[]);
    check(&["src/**", "!src/a.ts"], &["src/b.ts"], &["src/a.ts"]);
    check(
        &["src/**", "!*.test.ts"],
        &["src/a.ts"],
        &["src/x/a.test.ts"],
    );
    check(
        &["src/**/*.ts", "!src/gen/*", "src/gen/keep.ts"],
        &["src/gen/keep.ts"],
        &["src/gen/g.ts"],
    );
    check(
        &["*", "!a[0-9]/", "a1/k?"],
        &["a1", "b", "a1/kx"],
        &["a1/x", "a2/kx"],
    );
}

#[test]
fn only_negations_never_match() {
    let reason = "takes back what no pattern of the rule gives: add one without `!`";
    never("!src/**", reason);
    never("!*.t[s]", reason);
}

#[test]
fn patterns_that_cannot_match_are_reported() {
    never(
        "./src/**",
        "begins with `./`, which never matches: leave it out",
    );
    never(
        "./**/*.ts",
        "begins with `./`, which never matches: leave it out",
    );
    never("../x/**", "has a `.` or `..` part, which never matches");
    never("a/../b", "has a `.` or `..` part, which never matches");
    never(".", "has a `.` or `..` part, which never matches");
    never(
        "~/**",
        "begins with `~`: patterns are relative to the folder of the rule",
    );
    never(
        "~/a/*.ts",
        "begins with `~`: patterns are relative to the folder of the rule",
    );
    never(
        r"C:\src\*.ts",
        "is an absolute path: patterns are relative to the folder of the rule",
    );
    never(
        "c:/src/**",
        "is an absolute path: patterns are relative to the folder of the rule",
    );
    never("src//a.ts", "has an empty part: two slashes in a row");
    never(
        "#a.txt",
        r"is a comment in this pattern language: write `\#` for the character",
    );
    never(
        "src/[",
        "cannot be read: unclosed character class; missing ']'",
    );
    never(
        "[*.ts",
        "cannot be read: unclosed character class; missing ']'",
    );
    never("[z-a]", "cannot be read: invalid range; 'z' > 'a'");
    never(
        "[à-ü]",
        "has a range of characters beyond ASCII: list them one by one",
    );
    never(r"a*\", r"cannot be read: dangling '\'");
    never("a/{b", "has a `{` that is never closed");
    never(
        "src/{a,{b,c}}.ts",
        "has braces inside braces, which are not expanded",
    );
    never("/", "names nothing");
    never("!", "names nothing");
}

#[test]
fn one_bad_pattern_spoils_nothing() {
    let globs = PathGlobs::new(&["src/[", "", " **/*.rs ", "./a", "x{", "[!b].c"]);
    let bad: Vec<&str> = globs.problems().iter().map(|one| &*one.pattern).collect();
    assert_eq!(bad, ["src/[", "./a", "x{"]);
    for (path, expected) in [
        ("a.rs", true),
        ("src/[", false),
        ("a", false),
        ("a.c", true),
        ("b.c", false),
    ] {
        assert_eq!(globs.is_match(Path::new(path)), expected, "{path}");
    }
    assert!(!PathGlobs::new::<&str>(&[]).is_match(Path::new("a")));
}

#[test]
fn absolute_and_climbing_paths_never_match() {
    let globs = PathGlobs::new(&["*", "**/[a-z]*"]);
    for path in ["/a", "../a", "a/../b", "..", "/", "", "."] {
        assert!(!globs.is_match(Path::new(path)), "{path}");
    }
    assert!(globs.is_match(Path::new("./a//b")));
}

#[cfg(unix)]
#[test]
fn a_backslash_is_a_character_of_a_name_and_names_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    check(&["a/b.ts"], &[], &[r"a\b.ts"]);
    check(&["*.ts"], &[r"a\b.ts"], &[]);
    let globs = PathGlobs::new(&["x/*.ts", "?.md"]);
    assert!(globs.is_match(Path::new(OsStr::from_bytes(b"x/\xff\xfe.ts"))));
    assert!(globs.is_match(Path::new(OsStr::from_bytes(b"\xff.md"))));
}

#[test]
fn hostile_patterns_and_paths_are_bounded() {
    let stars = "*a".repeat(200);
    let globs = PathGlobs::new(&[&*stars, "[ab]*c"]);
    assert!(!globs.is_match(Path::new(&format!("{}b", "a".repeat(5_000)))));
    assert!(globs.is_match(Path::new(&"a".repeat(5_000))));
    assert!(!globs.is_match(Path::new(&"a/".repeat(2_500))));

    let long = format!("{}*", "a?".repeat(30_000));
    let globs = PathGlobs::new(&[&*long, "b?"]);
    assert_eq!(globs.problems()[0].reason, "is longer than 1024 bytes");
    assert!(globs.is_match(Path::new("bc")));

    // Plain ones cost nothing, however long.
    let plain = "a/".repeat(30_000);
    assert!(PathGlobs::new(&[&plain]).problems().is_empty());

    let ten = "{0,1,2,3,4,5,6,7,8,9}";
    let globs = PathGlobs::new(&[
        ten.repeat(40),
        ten.repeat(3),
        ten.to_owned(),
        "x".to_owned(),
    ]);
    let reasons: Vec<&str> = globs.problems().iter().map(|one| &*one.reason).collect();
    let many = "its braces stand for too many patterns: a rule may have 1000";
    assert_eq!(reasons, [many, many]);
    assert!(globs.is_match(Path::new("123")) && globs.is_match(Path::new("x")));

    let wide = format!("{ten}{ten}{ten}{}*?", "w".repeat(100));
    let globs = PathGlobs::new(&[&*wide, "v?"]);
    assert_eq!(
        globs.problems()[0].reason,
        "has wildcards in too much text: a rule may have 32768 bytes of it"
    );
    assert!(globs.is_match(Path::new("vv")));

    let many: Vec<String> = (0..300)
        .map(|at| format!("*{at}*{}", "*a".repeat(40)))
        .collect();
    let globs = PathGlobs::new(&many);
    assert!(!globs.is_match(Path::new(&"a/".repeat(2_000))));

    // Nothing literal at the end, so that the matcher itself is asked.
    let open = format!("{stars}[b]");
    assert!(!PathGlobs::new(&[&open]).is_match(Path::new(&"a".repeat(5_000))));
    assert!(PathGlobs::new(&[&open]).is_match(Path::new(&format!("{}b", "a".repeat(5_000)))));
    let deep = format!("**/{open}/**/{stars}?");
    assert!(!PathGlobs::new(&[deep]).is_match(Path::new(&"a/".repeat(2_500))));
}
