//! How `paths` is read, in every spelling that people use.

use claudemd::{Header, PathsKey};

#[track_caller]
fn only(header: &str, expected: &[&str]) -> Vec<String> {
    let text = format!("---\n{header}\n---\nBODY\n");
    let found = Header::parse(&text);
    let expected = expected.iter().map(|&one| one.to_owned()).collect();
    assert_eq!(found.paths, PathsKey::Only(expected), "{header}");
    assert_eq!(found.body, "BODY\n");
    // The hint about `*.md` has a test of its own.
    let hint = |warning: &String| !warning.contains("in every folder");
    found.warnings.into_iter().filter(hint).collect()
}

#[track_caller]
fn everywhere(header: &str, warning: &str) {
    let text = format!("---\n{header}\n---\nBODY\n");
    let found = Header::parse(&text);
    assert_eq!(found.paths, PathsKey::Everywhere, "{header}");
    assert_eq!(found.warnings.join("; "), warning, "{header}");
    assert_eq!(found.body, "BODY\n");
}

#[track_caller]
fn quiet(header: &str, expected: &[&str]) {
    assert_eq!(only(header, expected), [""; 0], "{header}");
}

#[track_caller]
fn rescued(header: &str, expected: &[&str], warning: &str) {
    assert_eq!(only(header, expected).join("; "), warning, "{header}");
}

#[test]
fn strings_and_lists_are_read() {
    quiet("paths: src/a.ts", &["src/a.ts"]);
    quiet("paths: \"**/*.ts\"", &["**/*.ts"]);
    quiet("paths: '**/*.ts'", &["**/*.ts"]);
    quiet("paths: a/**, b/**", &["a/**", "b/**"]);
    quiet(
        "paths: src/**/*.ts, !src/gen/**",
        &["src/**/*.ts", "!src/gen/**"],
    );
    quiet(
        "paths:\n  - \"**/*.ts\"\n  - '**/*.js'",
        &["**/*.ts", "**/*.js"],
    );
    quiet("paths:\n- a.ts\n- b.ts", &["a.ts", "b.ts"]);
    quiet("paths: [\"a.txt\", b.txt]", &["a.txt", "b.txt"]);
    quiet(
        "paths:\n  - a.ts, b.ts\n  - c.ts",
        &["a.ts", "b.ts", "c.ts"],
    );
    quiet("paths: \"src/a.ts,, \"", &["src/a.ts"]);
    quiet("# why\npaths: \"a\" # all\ndescription: x", &["a"]);
    quiet("paths: \"\\\\#a.txt\"", &["\\#a.txt"]);
    quiet("paths:\r\n  - a.ts\r\n  - b.ts\r", &["a.ts", "b.ts"]);
    quiet(
        "paths:\n  [\n    a.ts,\n    \"{b,c}.ts\"\n  ]",
        &["a.ts", "{b,c}.ts"],
    );
}

#[test]
fn commas_inside_braces_do_not_split() {
    quiet(
        "paths: \"{src,lib}/**/*.{ts,js},b.txt\"",
        &["{src,lib}/**/*.{ts,js}", "b.txt"],
    );
    quiet("paths: \"a}{b,c},d\"", &["a}{b,c}", "d"]);
    quiet("paths: \"{a,b\"", &["{a,b"]);
}

#[test]
fn globs_that_yaml_refuses_are_read_as_meant() {
    let quoted = "`paths` is no valid YAML and was read as if quoted";
    rescued("paths: **/*.ts", &["**/*.ts"], quoted);
    rescued("paths: *.md", &["*.md"], quoted);
    rescued("paths: {src,lib}/**/*.ts", &["{src,lib}/**/*.ts"], quoted);
    rescued("paths: !src/gen/**", &["!src/gen/**"], quoted);
    rescued("paths: \"a.ts", &["a.ts"], quoted);
    rescued("paths: **/*.ts # all of it", &["**/*.ts"], quoted);
    rescued("paths: @app/*.ts", &["@app/*.ts"], quoted);
    rescued("paths: a: b", &["a: b"], quoted);
    rescued(
        "description: x\npaths: **/*.ts\nmore: {",
        &["**/*.ts"],
        quoted,
    );
    rescued(
        "paths:\n  - src/**/*.ts\n  - *.txt",
        &["src/**/*.ts", "*.txt"],
        quoted,
    );
    rescued(
        "paths:\n  - src/**\n  - !src/gen/**",
        &["src/**", "!src/gen/**"],
        quoted,
    );
    rescued("paths:\n\t- a.ts\n\t- b.ts", &["a.ts", "b.ts"], quoted);
    rescued(
        "paths:\n  - {a,b}.ts\n  - \"c.ts\"\n  - 'd",
        &["{a,b}.ts", "c.ts", "d"],
        quoted,
    );
    rescued("  paths: **/*.ts\n  name: x", &["**/*.ts"], quoted);
}

#[test]
fn a_flow_list_that_yaml_refuses_matches_nothing() {
    rescued(
        "paths: [*.ts, a.txt]",
        &["[*.ts", "a.txt]"],
        "`paths` is no valid YAML and was read as if quoted",
    );
}

#[test]
fn a_block_of_text_has_a_pattern_per_line() {
    quiet("paths: |\n  a.txt\n  b.txt", &["a.txt", "b.txt"]);
    quiet(
        "paths: |-\n  *.txt\n  b.txt, c.txt",
        &["*.txt", "b.txt", "c.txt"],
    );
    rescued(
        "paths: >\n  a.txt\n  !b.txt\nname: x",
        &["a.txt", "!b.txt"],
        "`paths` is a block of text; each line counts as a pattern",
    );
    rescued(
        "name: [x\npaths: | # these\n  a.txt",
        &["a.txt"],
        "`paths` is a block of text; each line counts as a pattern",
    );
}

#[test]
fn a_broken_other_key_does_not_spoil_paths() {
    let other = "the frontmatter is no valid YAML; `paths` could be read";
    rescued("description: foo: bar\npaths: a.txt", &["a.txt"], other);
    rescued(
        "description: [WIP] x\npaths:\n  - \"a.ts\"\n  - b.ts",
        &["a.ts", "b.ts"],
        other,
    );
    rescued("paths: [\"a\", b]\nname: \"x\" y", &["a", "b"], other);
    rescued(
        "paths: a.ts\npaths: b.ts",
        &["b.ts"],
        "`paths` stands there more than once; the last one counts; the frontmatter is no valid YAML; `paths` could be read",
    );
    everywhere("description: foo: bar", "the frontmatter is no valid YAML");
    everywhere(
        "x: [1\npaths: 12",
        "the frontmatter is no valid YAML; `paths` could be read; `paths` is a number, not a text or a list, so the rule applies everywhere",
    );
}

#[test]
fn items_that_are_no_texts_are_skipped_and_reported() {
    rescued(
        "paths: [null, \"a.txt\"]",
        &["a.txt"],
        "1 of 2 items of `paths` are no texts and were skipped",
    );
    rescued(
        "paths:\n  - 12\n  - a.txt\n  - [b]\n  - c: d",
        &["a.txt"],
        "3 of 4 items of `paths` are no texts and were skipped",
    );
}

#[test]
fn values_that_name_nothing_apply_everywhere_and_say_so() {
    everywhere("name: x", "");
    everywhere("", "");
    everywhere("# nothing", "");
    everywhere("paths:", "`paths` is empty, so the rule applies everywhere");
    everywhere(
        "paths: null",
        "`paths` is empty, so the rule applies everywhere",
    );
    everywhere(
        "paths: ~",
        "`paths` is empty, so the rule applies everywhere",
    );
    everywhere(
        "paths: []",
        "`paths` names no pattern, so the rule applies everywhere",
    );
    everywhere(
        "paths: ''",
        "`paths` names no pattern, so the rule applies everywhere",
    );
    everywhere(
        "paths: ','",
        "`paths` names no pattern, so the rule applies everywhere",
    );
    everywhere(
        "paths: 12",
        "`paths` is a number, not a text or a list, so the rule applies everywhere",
    );
    everywhere(
        "paths: 1.5",
        "`paths` is a number, not a text or a list, so the rule applies everywhere",
    );
    everywhere(
        "paths: true",
        "`paths` is a truth value, not a text or a list, so the rule applies everywhere",
    );
    everywhere(
        "paths: {a: b}",
        "`paths` is a mapping, not a text or a list, so the rule applies everywhere",
    );
    everywhere(
        "paths: \"**\"",
        "`paths` matches everything, so the rule applies everywhere",
    );
    everywhere(
        "paths: /**",
        "`paths` matches everything, so the rule applies everywhere",
    );
    everywhere(
        "paths: [\"**\", /**]",
        "`paths` matches everything, so the rule applies everywhere",
    );
    everywhere(
        "paths: [1, null]",
        "2 of 2 items of `paths` are no texts and were skipped; `paths` names no pattern, so the rule applies everywhere",
    );
    quiet("paths: [\"**\", a.txt]", &["**", "a.txt"]);
}

#[test]
fn markdown_files_are_said_to_match_in_every_folder() {
    let text = "---\npaths: \"*.md, *.ts, /*.md, docs/*.md\"\n---\n";
    assert_eq!(
        Header::parse(text).warnings,
        ["`*.md` matches in every folder; `/*.md` would match only beside `.claude`"]
    );
}

#[test]
fn keys_of_other_tools_are_named() {
    let said = |key: &str| {
        format!("`{key}` does not limit where the rule applies: the key of this format is `paths`")
    };
    for key in [
        "globs",
        "glob",
        "applyTo",
        "apply_to",
        "alwaysApply",
        "Paths",
        "path",
        "files",
    ] {
        everywhere(&format!("{key}: \"src/a.cs\""), &said(key));
        everywhere(
            &format!("{key}: **/*.cs"),
            &format!("the frontmatter is no valid YAML; {}", said(key)),
        );
    }
    // Whoever writes both knows.
    quiet(
        "globs: \"*.ts\"\nalwaysApply: false\npaths: \"*.ts\"",
        &["*.ts"],
    );
}

#[test]
fn only_fences_from_the_first_byte_make_a_frontmatter() {
    #[track_caller]
    fn none(text: &str, warning: &str) {
        let found = Header::parse(text);
        assert_eq!((found.paths, found.body), (PathsKey::Everywhere, text));
        assert_eq!(found.warnings.join("; "), warning);
    }
    none("", "");
    none("# Rule\n", "");
    none("---", "");
    none("---\n", "");
    none("----\npaths: a\n----\n", "");
    none(
        "\u{feff}---\npaths: a\n---\n",
        "a byte order mark stands before the frontmatter, so it is text and the rule applies everywhere",
    );
    none(
        "\n---\npaths: a\n---\n",
        "white space stands before the frontmatter, so it is text and the rule applies everywhere",
    );
    none(
        "---\npaths: a\n...\nx",
        "the frontmatter is not closed by a line `---`, so it is text and the rule applies everywhere",
    );
    none(
        "---\npaths: a\n----\n",
        "the frontmatter is not closed by a line `---`, so it is text and the rule applies everywhere",
    );
    let spaced = Header::parse("---  \npaths: a\n--- \t\nB");
    assert_eq!(
        (spaced.paths, spaced.body),
        (PathsKey::Only(vec!["a".into()]), "B")
    );
    let windows = Header::parse("---\r\npaths: a\r\n---\r\nB\r\n");
    assert_eq!(
        (windows.paths, windows.body),
        (PathsKey::Only(vec!["a".into()]), "B\r\n")
    );
    let ends = Header::parse("---\npaths: a\n---");
    assert_eq!(
        (ends.paths, ends.body),
        (PathsKey::Only(vec!["a".into()]), "")
    );
    let empty = Header::parse("---\n---\nB");
    assert_eq!((empty.paths, empty.body), (PathsKey::Everywhere, "B"));
}

#[test]
fn hostile_headers_end_quickly_and_keep_the_body() {
    let max = Header::MAX_BYTES;
    let fill = |unit: &str| unit.repeat((max - 100) / unit.len());
    for block in [
        fill("["),
        fill("paths: ["),
        fill("paths: [\n"),
        fill("- "),
        fill("a: &a [*a]\n"),
        fill("paths: {"),
        format!("paths:\n{}", fill("  - *a\n")),
        format!("paths:\n{}", fill("  - !a,{\n")),
        format!("paths: \"{}", fill("\\")),
        format!("paths: {}", fill("{a,")),
        fill("paths: a\n"),
        fill("\0"),
        fill(" "),
        fill("\t\n"),
        fill("? "),
        format!("a: |\n{}", fill(" \n")),
    ] {
        let text = format!("---\n{block}\n---\nBODY");
        assert_eq!(Header::parse(&text).body, "BODY");
    }
    let long = format!("---\npaths: {}\n---\nBODY", "a/".repeat(max));
    let found = Header::parse(&long);
    assert_eq!((found.paths, found.body), (PathsKey::Everywhere, "BODY"));
    assert_eq!(
        found.warnings,
        [
            "the frontmatter is longer than 65536 bytes and was not read, so the rule applies everywhere"
        ]
    );
}
