//! Obstacles on disk and texts of every kind: nothing fails, everything is reported.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use claudemd::{Budget, ExcludePaths, Extent, Options, Session, WarningKind};

use crate::world::World;

#[test]
fn folders_and_files_in_the_wrong_place_are_reported() {
    let world = World::with(&[
        ("CLAUDE.md/x", ""),
        (".claude/rules", "a file"),
        ("CLAUDE.local.md", "local"),
    ]);
    let session = world.check(".", &Options::default(), &["{W}/CLAUDE.local.md"]);
    assert_eq!(world.skipped(&session, "CLAUDE.md"), "not a regular file");
    assert_eq!(world.skipped(&session, ".claude/rules"), "not a folder");
}

#[test]
fn pipes_never_block() {
    let world = World::with(&[(".claude/rules/a.md", "a")]);
    world.shell("mkfifo CLAUDE.md .claude/rules/p.md");
    let session = world.check(".", &Options::default(), &["{W}/.claude/rules/a.md"]);
    assert_eq!(world.skipped(&session, "CLAUDE.md"), "not a regular file");
    assert_eq!(
        world.skipped(&session, ".claude/rules/p.md"),
        "not a regular file"
    );
}

#[test]
fn unreadable_files_and_folders_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with(&[
        ("CLAUDE.md", "secret"),
        (".claude/rules/r.md", "r"),
        ("closed/deep/CLAUDE.md", "c"),
        ("CLAUDE.local.md", "l"),
    ]);
    let close = |name: &str, mode: u32| {
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    close("CLAUDE.md", 0);
    close(".claude/rules", 0);
    close("closed", 0);
    // Those who may read everything see no obstacle.
    let all_powerful = fs::read(world.path("CLAUDE.md")).is_ok();
    let session = world.load("closed/deep");
    close("closed", 0o755);
    close(".claude/rules", 0o755);
    let names = world.names(session.files());
    assert!(names.contains(&"{W}/CLAUDE.local.md".to_owned()));
    if !all_powerful {
        assert_eq!(names.len(), 1);
        for name in ["CLAUDE.md", ".claude/rules", "closed/deep/CLAUDE.md"] {
            let reason = world.skipped(&session, name);
            assert!(
                reason.starts_with("cannot be read: Permission denied"),
                "{reason}"
            );
        }
    }
}

#[test]
fn files_above_four_mebibytes_are_left_out() {
    let world = World::with(&[("a/x", "")]);
    world.write("CLAUDE.md", vec![b'x'; 4 << 20]);
    world.write("a/CLAUDE.md", vec![b'x'; (4 << 20) + 1]);
    let session = world.check("a", &Options::default(), &["{W}/CLAUDE.md"]);
    let reason = world.skipped(&session, "a/CLAUDE.md");
    assert_eq!(reason, "4194305 bytes, and at most 4194304 are read");
}

#[test]
fn all_files_together_are_bounded() {
    let world = World::new();
    for at in 0..20 {
        world.write(&format!(".claude/rules/{at:02}.md"), vec![b'x'; 4 << 20]);
    }
    let session = world.load(".");
    assert_eq!(session.files().len(), 16);
    let reason = world.skipped(&session, ".claude/rules/16.md");
    assert_eq!(reason, "all files together would exceed 67108864 bytes");
}

#[test]
fn large_files_load_whole_with_a_warning() {
    let text = "é".repeat(45_988);
    let world = World::with(&[("CLAUDE.md", &text)]);
    let session = world.load(".");
    let file = &session.files()[0];
    assert_eq!(
        (file.text.len(), file.chars, file.bytes),
        (91_976, 45_988, 91_976)
    );
    assert_eq!(file.extent, Extent::Whole);
    let kind = WarningKind::Large {
        chars: 45_988,
        limit: 40_000,
    };
    assert_eq!(session.report().warnings[0].kind, kind);
    // The number scales with the window of the host's model.
    let session = world.load_with(".", &Options::default().size_warning(200_000));
    assert!(session.report().warnings.is_empty());
}

#[test]
fn a_budget_cuts_at_a_character_and_says_so() {
    let world = World::with(&[("CLAUDE.md", "ééé"), ("a/CLAUDE.md", "abcdef")]);
    #[track_caller]
    fn check(world: &World, budget: Budget, expected: &[&str]) -> Session {
        let session = world.load_with("a", &Options::default().budget(budget));
        let texts: Vec<&str> = session.files().iter().map(|f| f.text.as_str()).collect();
        assert_eq!(texts, expected);
        for file in session.files() {
            // Both texts have six bytes.
            let cut = file.text.len() < 6;
            assert_eq!(file.extent == Extent::Cut { of: 6 }, cut);
            assert_eq!(file.chars, file.text.chars().count());
        }
        session
    }
    let none = Budget::default();
    check(&world, none, &["ééé", "abcdef"]);
    check(&world, none.per_file(5), &["éé", "abcde"]);
    // The nearest file is served first: a large outer one starves no inner one.
    check(&world, none.total(9), &["é", "abcdef"]);
    let session = check(&world, none.total(6), &["abcdef"]);
    assert_eq!(
        world.skipped(&session, "CLAUDE.md"),
        "nothing of the budget is left for it"
    );
    check(&world, none.total(0), &[]);
    let session = check(&world, none.per_file(3).total(5), &["é", "abc"]);
    let text = session.user_context(claudemd::Date::new(2026, 1, 1).unwrap());
    let text = text.claude_md.unwrap();
    assert!(
        text.ends_with("abc\n\n[The first 3 of 6 bytes. Read the file for the rest.]"),
        "{text}"
    );
}

#[test]
fn bad_bytes_are_replaced_and_reported() {
    let world = World::new();
    world.write("CLAUDE.md", b"proj\xffdoc");
    let session = world.load(".");
    let file = &session.files()[0];
    assert_eq!(file.text, "proj\u{fffd}doc");
    assert!(!file.exact);
    assert_eq!(session.report().warnings[0].kind, WarningKind::InvalidUtf8);
}

#[test]
fn a_text_says_whether_it_equals_the_file() {
    #[track_caller]
    fn check(text: &str, exact: bool) {
        let world = World::with(&[("CLAUDE.md", text)]);
        assert_eq!(world.load(".").files()[0].exact, exact, "{text:?}");
    }
    check("a", true);
    check("a\n", false);
    check("---\nx: y\n---\na", false);
    check("a\n\n<!-- c -->\n\nb", false);
    check("\u{feff}a", false);
}

#[test]
fn white_space_comments_and_frontmatter_alone_are_empty() {
    for text in [
        "",
        " \n\t",
        "<!-- c -->",
        "---\na: b\n---\n",
        "\u{feff}",
        "---\na: b\n---\n<!-- c -->\n",
    ] {
        let world = World::with(&[("CLAUDE.md", text), (".claude/rules/r.md", text)]);
        let session = world.check(".", &Options::default(), &[]);
        assert_eq!(world.skipped(&session, "CLAUDE.md"), "empty", "{text:?}");
        let today = claudemd::Date::new(2026, 1, 1).unwrap();
        assert_eq!(session.user_context(today).claude_md, None);
    }
}

#[test]
fn an_unclosed_comment_stays_and_is_reported() {
    let world = World::with(&[("CLAUDE.md", "A\n<!-- never\nB\n")]);
    let session = world.load(".");
    assert_eq!(session.files()[0].text, "A\n<!-- never\nB");
    assert_eq!(
        session.report().warnings[0].kind,
        WarningKind::UnclosedComment
    );
    let world = World::with(&[
        ("CLAUDE.md", "<!-- a --> x <!-- never\n@i.md"),
        ("i.md", "I"),
    ]);
    assert_eq!(world.load(".").files()[0].text, "x <!-- never\n@i.md");
}

#[test]
fn excludes_match_the_path_as_found_and_the_real_one() {
    let world = World::with(&[("{R}/tool/x.md", "x"), ("{R}/tool/y.md", "y")]);
    world.link(".claude/rules/x.md", "{R}/tool/x.md");
    world.link(".claude/rules/y.md", "{R}/tool/y.md");
    let load = |pattern: &str, paths: ExcludePaths| {
        let options = Options::default()
            .exclude(world.fill(pattern))
            .exclude_paths(paths);
        world.names(world.load_with(".", &options).files())
    };
    let only_y = ["{R}/tool/y.md"];
    let both = ["{R}/tool/x.md", "{R}/tool/y.md"];
    assert_eq!(
        load("{W}/.claude/rules/x.md", ExcludePaths::FoundAndReal),
        only_y
    );
    assert_eq!(load("{R}/tool/x.md", ExcludePaths::FoundAndReal), only_y);
    assert_eq!(load("{W}/.claude/rules/x.md", ExcludePaths::Found), only_y);
    assert_eq!(load("{R}/tool/x.md", ExcludePaths::Found), both);
    assert_eq!(load("{R}/tool/*", ExcludePaths::FoundAndReal), [""; 0]);
    // Case counts, and a folder alone names no file.
    assert_eq!(load("**/X.md", ExcludePaths::FoundAndReal), both);
    assert_eq!(load("{R}/tool", ExcludePaths::FoundAndReal), both);
}

#[test]
fn an_exclude_through_a_linked_folder_counts_as_the_real_one() {
    let world = World::with(&[("CLAUDE.md", "c")]);
    world.link("{R}/short", "{R}/w");
    for pattern in ["{R}/short/p/CLAUDE.md", "{R}/short/**"] {
        let options = Options::default().exclude(world.fill(pattern));
        world.check(".", &options, &[]);
    }
}

#[test]
fn excludes_that_do_nothing_or_too_much_are_warned_about() {
    #[track_caller]
    fn check(pattern: &str, expected: &str) {
        let world = World::with(&[("CLAUDE.md", "c")]);
        let options = Options::default().exclude(world.fill(pattern));
        let session = world.load_with(".", &options);
        let warnings = session.report().warnings.iter();
        let warnings: Vec<String> = warnings.map(|w| w.kind.to_string()).collect();
        assert!(
            warnings.iter().any(|w| w.ends_with(expected)),
            "{warnings:?}"
        );
    }
    check("CLAUDE.md", "write an absolute path, or begin with **/");
    check("~/x/**", "write an absolute path, or begin with **/");
    check("{W}", "names a folder and matches no file: add /**");
    check("!**/x.md", "excludes everything that it does not name");
    check("/a/[", "is no valid pattern, and excludes nothing");
}

#[test]
fn managed_files_are_never_excluded() {
    let world = World::with(&[("/etc/claude-code/CLAUDE.md", "m"), ("CLAUDE.md", "p")]);
    let options = Options::default().exclude("**");
    world.check(".", &options, &["/etc/claude-code/CLAUDE.md"]);
}

#[test]
fn names_that_are_not_utf8_load_and_are_shown_with_replacement() {
    let world = World::new();
    let folder = world.path(".claude/rules");
    fs::create_dir_all(&folder).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"b\xff\n.md");
    if fs::write(folder.join(name), "odd").is_err() {
        return; // This file system has no such names.
    }
    let session = world.load(".");
    assert_eq!(session.files().len(), 1);
    let text = session.report().to_string();
    assert!(text.contains("b\u{fffd}\\n.md"), "{text}");
}

#[test]
fn hostile_markdown_costs_bounded_time() {
    for unit in [
        "[", "> ", "- ", "*a ", "`", "<!-- ", "@a.", "| a ", "<a ", "![", "@\\ ", "&", "__", "\\@",
        "#",
    ] {
        let text = unit.repeat(200_000 / unit.len());
        let world = World::with(&[("CLAUDE.md", &text), (".claude/rules/r.md", &text)]);
        let session = world.load(".");
        assert!(!session.files().is_empty(), "{unit}");
    }
}
