//! Imports: what is one, where it leads, how far it is followed, and what is allowed.

use claudemd::{LoadReason, Options, Place, Session, SkipReason};

use crate::world::World;

/// Loads a CLAUDE.md beside some files and checks the names of what it imports, in order.
#[track_caller]
fn check(text: &str, files: &[&str], expected: &[&str]) -> (World, Session) {
    let world = World::with(&[("CLAUDE.md", text)]);
    for file in files {
        world.write(file, format!("text of {file}"));
    }
    let session = world.load(".");
    let names: Vec<String> = world
        .own(session.files())
        .filter(|file| file.reason == LoadReason::Include)
        .map(|file| world.name(&file.path).replace("{W}/", ""))
        .collect();
    assert_eq!(names, expected, "{text:?}\n{}", session.report());
    (world, session)
}

#[test]
fn references_begin_a_text_or_follow_white_space() {
    check("@a.md", &["a.md"], &["a.md"]);
    check("see @a.md now", &["a.md"], &["a.md"]);
    check(
        "see\t@a.md\nand\n@b.md",
        &["a.md", "b.md"],
        &["a.md", "b.md"],
    );
    check("a \u{3000}@a.md", &["a.md"], &["a.md"]);
    check("\u{feff}@a.md", &["a.md"], &["a.md"]);
    for text in [
        "x@a.md",
        "(@a.md)",
        "\"@a.md\"",
        "<@a.md>",
        "\\@a.md",
        "x\\@a.md",
        "x:@a.md",
        "项@a.md",
        "@@a.md",
        "@ a.md",
        "[@a.md]",
    ] {
        check(text, &["a.md"], &[]);
    }
}

#[test]
fn every_kind_of_text_may_hold_a_reference() {
    for text in [
        "# @a.md",
        "- @a.md",
        "1. @a.md",
        "> @a.md",
        "**@a.md**",
        "_@a.md_",
        "[@a.md](x)",
        "<b>@a.md</b>",
        "x  \n@a.md",
        "- [ ] @a.md",
        "# x\n\n@a.md\n---",
    ] {
        check(text, &["a.md"], &["a.md"]);
    }
}

#[test]
fn code_of_every_kind_comments_and_tables_hold_none() {
    for text in [
        "`@a.md`",
        "``x `@a.md` x``",
        "```\n@a.md\n```",
        "````md\n```\n@a.md\n```\n````",
        "~~~\n@a.md\n~~~",
        "~~~~ x\n@a.md",
        "- x\n\n  ```\n  @a.md\n  ```",
        "> ```\n> @a.md\n> ```",
        "x\n\n    @a.md",
        "\t@a.md",
        "- x\n\n      @a.md",
        "<!-- @a.md -->",
        "x\n\n<!--\n@a.md\n-->",
        "x <!-- @a.md --> y",
        "<!-- never closed @a.md",
        "<div>\n@a.md\n</div>",
        "|x|\n|-|\n|@a.md|",
        "~~@a.md~~",
        "[x](@a.md)",
        "![@a.md](x)",
        "[^1]: @a.md",
        "[x]: @a.md",
    ] {
        check(text, &["a.md"], &[]);
    }
    // What follows is text again.
    check("```\n@a.md\n```\n@b.md", &["a.md", "b.md"], &["b.md"]);
    check("<!-- @a.md --> @b.md", &["a.md", "b.md"], &["b.md"]);
    check(
        "<!-- x -->\n    @a.md\n\n@b.md",
        &["a.md", "b.md"],
        &["b.md"],
    );
}

#[test]
fn a_reference_ends_at_white_space_and_loses_its_fragment() {
    check("@a.md#part", &["a.md"], &["a.md"]);
    check("@a.md#part.", &["a.md"], &["a.md"]);
    check("@par(en).md", &["par(en).md"], &["par(en).md"]);
    check("@a\\ b.md", &["a b.md"], &["a b.md"]);
    check("@d/a\\ b\\ c.md end", &["d/a b c.md"], &["d/a b c.md"]);
    check("@#part", &["part"], &[]);
}

#[test]
fn punctuation_at_the_end_is_not_part_of_the_path() {
    for mark in [
        ",", ".", ";", ":", "!", "?", ")", "，", "。", "；", "：", "！", "？", "）", "、", ").",
        "...", "?!",
    ] {
        check(&format!("see @a.md{mark}"), &["a.md"], &["a.md"]);
    }
    // A file that really ends so wins.
    check("@odd!", &["odd", "odd!"], &["odd!"]);
    check("@a.md.", &["a.md", "a.md."], &["a.md."]);
    check("@par(en)!", &["par(en)"], &["par(en)"]);
}

#[test]
fn a_whole_line_may_be_a_path_with_spaces() {
    check("@with space.md", &["with space.md"], &["with space.md"]);
    check("x\n\n  @a b/c d.md  \ny", &["a b/c d.md"], &["a b/c d.md"]);
    check("@with space.md.", &["with space.md"], &["with space.md"]);
    check("@a.md is the guide", &["a.md"], &["a.md"]);
    check("see @with space.md", &["with space.md"], &[]);
}

#[test]
fn a_path_from_icloud_resolves_as_a_line_and_escaped() {
    let files = [("~/Library/Mobile Documents/a.md", "cloud")];
    for line in [
        "@~/Library/Mobile Documents/a.md",
        "see @~/Library/Mobile\\ Documents/a.md",
    ] {
        let world = World::with(&files);
        world.write("~/.claude/CLAUDE.md", line);
        let expected = ["~/.claude/CLAUDE.md", "~/Library/Mobile Documents/a.md"];
        world.check(".", &Options::default(), &expected);
    }
    // Unescaped in the middle of a line it cannot be told from prose, and is reported.
    let world = World::with(&files);
    world.write(
        "~/.claude/CLAUDE.md",
        "see @~/Library/Mobile Documents/a.md",
    );
    let session = world.load(".");
    assert_eq!(session.report().misses[0].reference, "~/Library/Mobile");
}

#[test]
fn names_with_underscores_are_not_torn_apart_by_emphasis() {
    check(
        "@src/__init__.py x",
        &["src/__init__.py"],
        &["src/__init__.py"],
    );
    check("@a_b_c.md", &["a_b_c.md"], &["a_b_c.md"]);
    check("@a\\_b.md", &["a_b.md"], &["a_b.md"]);
}

#[test]
fn only_text_files_are_imported() {
    let files = [
        "a.MD",
        "Makefile",
        ".env",
        "c.rs",
        "b.png",
        "d.ipynb",
        "e.unknown",
        "f.md.bak",
    ];
    let text = "@a.MD @Makefile @.env @c.rs @b.png @d.ipynb @e.unknown @f.md.bak";
    let (world, session) = check(text, &files, &files[..4]);
    for name in &files[4..] {
        assert_eq!(
            world.skipped(&session, name),
            "not a text file by its extension"
        );
    }
}

#[test]
fn prose_that_looks_like_imports_stays_quiet_and_in_place() {
    let text =
        "ping @someone and @scope/pkg, mail a@b.com, `@mcp.tool()`\n\n@/components/ui @param";
    let (_, session) = check(text, &[], &[]);
    assert_eq!(session.files()[0].text, text);
    let report = session.report();
    assert!(
        report.skipped.is_empty() && report.warnings.is_empty(),
        "{report}"
    );
    let misses: Vec<&str> = report.misses.iter().map(|m| m.reference.as_str()).collect();
    assert_eq!(misses, ["scope/pkg,", "/components/ui"]);
    // No path of this machine is in the prompt.
    let context = session.user_context(claudemd::Date::new(2026, 11, 30).unwrap());
    let message = context.to_message_text();
    assert!(
        !message
            .replace("Contents of /", "")
            .contains("scope/pkg, looked"),
        "{message}"
    );
}

#[test]
fn a_folder_is_no_import() {
    let (_, session) = check("dir @sub end, @./sub", &["sub/x"], &[]);
    assert_eq!(session.files()[0].text, "dir @sub end, @./sub");
}

#[test]
fn references_count_people_only_if_they_are_files() {
    let text = "@README.md @./d/g.md @../s/c.json @f1.txt @c.tsx @f.test.js @Makefile @LICENSE \
                @src/u/h.js mail u@e.com nick @username @user123, @jane-doe!";
    let found: Vec<String> = claudemd::references(text)
        .into_iter()
        .map(|r| r.path)
        .collect();
    let expected = [
        "README.md",
        "./d/g.md",
        "../s/c.json",
        "f1.txt",
        "c.tsx",
        "f.test.js",
        "Makefile",
        "LICENSE",
        "src/u/h.js",
    ];
    assert_eq!(found, expected);
    check("@username and @user123", &["user123"], &["user123"]);
}

#[test]
fn ranges_cover_the_reference_in_the_text() {
    let text = "a **@b.md#x** `@no` @c\\ d.md\n@é.md @-e/ü.md!";
    let found = claudemd::references(text);
    let ranges: Vec<&str> = found.iter().map(|r| &text[r.range.clone()]).collect();
    assert_eq!(ranges, ["@b.md#x", "@c\\ d.md", "@-e/ü.md!"]);
    assert_eq!(found[2].candidates(), ["-e/ü.md!", "-e/ü.md"]);
}

#[test]
fn paths_start_at_the_importing_file() {
    let world = World::with(&[
        ("CLAUDE.md", "@docs/a.md"),
        ("docs/a.md", "A @b.md @../c.md"),
        ("docs/b.md", "B"),
        ("b.md", "wrong"),
        ("c.md", "C"),
    ]);
    let expected = [
        "{W}/CLAUDE.md",
        "{W}/docs/a.md",
        "{W}/docs/b.md",
        "{W}/c.md",
    ];
    world.check(".", &Options::default(), &expected);
}

#[test]
fn imports_of_a_linked_file_start_at_its_target() {
    let world = World::with(&[
        ("real/CLAUDE.md", "@x.md"),
        ("real/x.md", "right"),
        ("x.md", "wrong"),
    ]);
    world.link("CLAUDE.md", "real/CLAUDE.md");
    world.check(
        ".",
        &Options::default(),
        &["{W}/CLAUDE.md", "{W}/real/x.md"],
    );
}

#[test]
fn a_miss_names_the_path_and_the_file_that_was_probably_meant() {
    let world = World::with(&[
        (".claude/CLAUDE.md", "@insights/a.md"),
        ("insights/a.md", "A"),
    ]);
    let session = world.check(".", &Options::default(), &["{W}/.claude/CLAUDE.md"]);
    let miss = &session.report().misses[0];
    assert_eq!(miss.looked_up, Some(world.path(".claude/insights/a.md")));
    assert_eq!(miss.hint, Some(world.path("insights/a.md")));
    assert_eq!(miss.place, Place::Inside);
}

#[test]
fn an_import_follows_its_importer_depth_first() {
    let world = World::with(&[
        ("CLAUDE.md", "@a.md and @d.md"),
        ("a.md", "A @b.md @c.md"),
        ("b.md", "B"),
        ("c.md", "C"),
        ("d.md", "D"),
    ]);
    let expected = [
        "{W}/CLAUDE.md",
        "{W}/a.md",
        "{W}/b.md",
        "{W}/c.md",
        "{W}/d.md",
    ];
    let session = world.check(".", &Options::default(), &expected);
    let parents: Vec<_> = session.files().iter().map(|f| f.parent.clone()).collect();
    let (top, a) = (Some(world.path("CLAUDE.md")), Some(world.path("a.md")));
    assert_eq!(parents, [None, top.clone(), a.clone(), a, top]);
}

#[test]
fn circles_and_diamonds_end_with_each_file_once() {
    let world = World::with(&[
        ("CLAUDE.md", "@CLAUDE.md @b.md @c.md"),
        ("b.md", "B @d.md"),
        ("c.md", "C @d.md @./d.md"),
        ("d.md", "D @CLAUDE.md @b.md"),
    ]);
    let expected = ["{W}/CLAUDE.md", "{W}/b.md", "{W}/d.md", "{W}/c.md"];
    let session = world.check(".", &Options::default(), &expected);
    // Who else imports what is in the report.
    let again = session
        .report()
        .skipped
        .iter()
        .filter(|s| s.path == world.path("d.md"));
    let importers: Vec<_> = again.map(|s| s.parent.clone().unwrap()).collect();
    assert_eq!(importers, [world.path("c.md"), world.path("c.md")]);
}

fn chain(length: usize) -> World {
    let world = World::with(&[("CLAUDE.md", "@1.md")]);
    for at in 1..=length {
        world.write(&format!("{at}.md"), format!("hop {at} @{}.md", at + 1));
    }
    world
}

#[test]
fn four_hops_are_followed_and_the_fifth_is_reported() {
    for length in [4, 5, 6] {
        let world = chain(length);
        let session = world.load(".");
        assert_eq!(session.files().len(), 5);
        if length > 4 {
            assert_eq!(
                world.skipped(&session, "5.md"),
                "imported over more than 4 hops"
            );
        }
    }
}

#[test]
fn the_depth_is_a_choice_and_no_length_is_too_much() {
    for depth in [0, 1, 3, 5] {
        let session = chain(9).load_with(".", &Options::default().max_import_depth(depth));
        assert_eq!(session.files().len(), depth + 1);
    }
    let options = Options::default()
        .max_import_depth(usize::MAX)
        .max_imports(usize::MAX);
    let session = chain(2_000).load_with(".", &options);
    assert_eq!(session.files().len(), 2_001);
}

#[test]
fn count_and_bytes_of_imports_are_bounded() {
    let world = chain(4);
    let session = world.load_with(".", &Options::default().max_imports(2));
    assert_eq!(session.files().len(), 3);
    assert_eq!(
        world.skipped(&session, "3.md"),
        "more than 2 imported files"
    );
    let session = world.load_with(".", &Options::default().max_import_bytes(30));
    assert_eq!(session.files().len(), 3);
    assert_eq!(
        world.skipped(&session, "3.md"),
        "imported files would exceed 30 bytes"
    );
}

#[test]
fn a_million_references_cost_bounded_time() {
    let text: String = (0..300_000).map(|at| format!("@a/{at}.md\n")).collect();
    let world = World::with(&[("CLAUDE.md", &text), ("a/299999.md", "last")]);
    let session = world.load(".");
    assert_eq!(session.files().len(), 1);
    let report = session.report();
    let reason = SkipReason::TooManyReferences { limit: 10_000 };
    assert!(
        report
            .skipped
            .iter()
            .any(|skipped| skipped.reason == reason)
    );
    assert_eq!(report.misses.len() + report.more_misses, 10_000);
}
