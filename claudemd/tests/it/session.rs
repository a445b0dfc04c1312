//! Sessions over time: nested files, rules delivered once, memo, staleness, events.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use claudemd::{Date, LoadReason, Operation, Options, Reason, RuleState, Session, Trigger};

use crate::world::World;

const TODAY: Option<Date> = Date::new(2026, 11, 30);

/// Uses a path and checks the names of what it brings.
#[track_caller]
fn check(world: &World, session: &mut Session, path: &str, expected: &[&str]) {
    let preview = session.preview(world.path(path), Operation::Write);
    let added = session.for_path(world.path(path), Operation::Write);
    assert_eq!(preview, added);
    assert_eq!(
        world.names(&added),
        expected,
        "{path}\n{}",
        session.report()
    );
}

#[test]
fn files_below_bring_the_instructions_of_their_folder_once() {
    let world = World::with(&[
        ("CLAUDE.md", "r"),
        ("s/CLAUDE.md", "s"),
        ("s/t/CLAUDE.local.md", "t"),
    ]);
    let mut session = world.load(".");
    check(&world, &mut session, "s/new.ts", &["{W}/s/CLAUDE.md"]);
    check(&world, &mut session, "s/new.ts", &[]);
    check(&world, &mut session, "s/other.ts", &[]);
    fs::create_dir_all(world.path("s/t")).unwrap();
    check(
        &world,
        &mut session,
        "s/t/x/y.ts",
        &["{W}/s/t/CLAUDE.local.md"],
    );
    check(&world, &mut session, "top.ts", &[]);
}

#[test]
fn an_instruction_file_that_is_used_itself_is_not_delivered_on_top() {
    let world = World::with(&[
        ("s/CLAUDE.md", "s @i.md"),
        ("s/i.md", "i"),
        ("s/CLAUDE.local.md", "l"),
    ]);
    let mut session = world.load(".");
    let expected = ["{W}/s/i.md", "{W}/s/CLAUDE.local.md"];
    check(&world, &mut session, "s/CLAUDE.md", &expected);
    check(&world, &mut session, "s/a.ts", &[]);
}

#[test]
fn paths_outside_the_working_directory_bring_nothing() {
    let world = World::with(&[
        ("sib/CLAUDE.md", "sib"),
        (".claude/rules/r.md", "---\npaths: '**/*.ts'\n---\nR"),
        ("~/.claude/rules/u.md", "---\npaths: '**/*.ts'\n---\nU"),
        ("sub/x", ""),
    ]);
    let mut session = world.load("sub");
    for path in [
        "sib/a.ts",
        "sib/CLAUDE.md",
        "a.ts",
        "sub/../a.ts",
        "/a.ts",
        "/",
    ] {
        check(&world, &mut session, path, &[]);
    }
    check(
        &world,
        &mut session,
        "sub/a.ts",
        &["~/.claude/rules/u.md", "{W}/.claude/rules/r.md"],
    );
}

#[test]
fn a_rule_is_new_only_once_until_compaction() {
    let world = World::with(&[(".claude/rules/py.md", "---\npaths: '**/*.py'\n---\nR")]);
    let mut session = world.load(".");
    assert_eq!(session.report().waiting.len(), 1);
    check(&world, &mut session, "a.py", &["{W}/.claude/rules/py.md"]);
    assert_eq!(session.report().waiting.len(), 0);
    for path in ["a.py", "a.py", "b.py"] {
        check(&world, &mut session, path, &[]);
    }
    session.invalidate(Reason::Compact);
    assert_eq!(session.report().waiting.len(), 1);
    check(&world, &mut session, "b.py", &["{W}/.claude/rules/py.md"]);
}

#[test]
fn a_delivered_rule_carries_its_patterns_and_the_path() {
    let world = World::with(&[
        (
            ".claude/rules/r.md",
            "---\npaths: ['*.ts', src]\n---\nR @i.md",
        ),
        (".claude/rules/i.md", "---\npaths: x\n---\nI"),
    ]);
    let mut session = world.load(".");
    assert!(session.files().is_empty());
    let added = session.for_path("deep/new.ts", Operation::Write);
    assert_eq!(
        world.names(&added),
        ["{W}/.claude/rules/r.md", "{W}/.claude/rules/i.md"]
    );
    assert_eq!(added[0].reason, LoadReason::Glob);
    assert_eq!(added[0].globs, ["*.ts", "src"]);
    assert_eq!(added[0].trigger, Some(world.path("deep/new.ts")));
    assert_eq!(added[1].reason, LoadReason::Include);
    assert_eq!(added[1].parent, Some(world.path(".claude/rules/r.md")));
    // The import is with the model now; as a rule of its own it comes no second time.
    assert!(session.for_path("x", Operation::Read).is_empty());
}

#[test]
fn imports_of_a_conditional_rule_wait_with_it() {
    let world = World::with(&[
        (
            ".claude/rules/c.md",
            "---\npaths: '*.ts'\n---\nC @../../i.md",
        ),
        ("i.md", "I"),
    ]);
    let mut session = world.load(".");
    assert!(session.files().is_empty(), "{}", session.report());
    check(
        &world,
        &mut session,
        "a.ts",
        &["{W}/.claude/rules/c.md", "{W}/i.md"],
    );
}

#[test]
fn the_trigger_may_leave_writing_out() {
    let world = World::with(&[
        ("s/CLAUDE.md", "s"),
        (".claude/rules/r.md", "---\npaths: s\n---\nR"),
    ]);
    let mut session = world.load_with(".", &Options::default().trigger(Trigger::ReadOnly));
    assert!(
        session
            .for_path(world.path("s/a"), Operation::Write)
            .is_empty()
    );
    assert_eq!(
        session.for_path(world.path("s/a"), Operation::Read).len(),
        2
    );
    let mut session = world.load(".");
    assert_eq!(
        session.for_path(world.path("s/a"), Operation::Write).len(),
        2
    );
}

#[test]
fn rules_start_at_the_folder_that_holds_them_from_any_working_directory() {
    let world = World::with(&[
        (".claude/rules/r.md", "---\npaths: pkg/src/**\n---\nR"),
        ("~/.claude/rules/u.md", "---\npaths: src/*.py\n---\nU"),
        ("pkg/src/a.py", ""),
    ]);
    let mut session = world.load("pkg");
    let expected = ["~/.claude/rules/u.md", "{W}/.claude/rules/r.md"];
    check(&world, &mut session, "pkg/src/a.py", &expected);
}

#[test]
fn a_path_through_a_link_matches_as_spelled_and_as_it_really_is() {
    let world = World::with(&[
        (".claude/rules/a.md", "---\npaths: real/**\n---\nA"),
        (".claude/rules/b.md", "---\npaths: alias/**\n---\nB"),
        (".claude/rules/c.md", "---\npaths: /one.ts\n---\nC"),
        ("real/x.ts", ""),
    ]);
    world.link("alias", "real");
    world.link("two.ts", "one.ts");
    world.write("one.ts", "");
    let mut session = world.load(".");
    check(
        &world,
        &mut session,
        "alias/x.ts",
        &["{W}/.claude/rules/a.md", "{W}/.claude/rules/b.md"],
    );
    check(&world, &mut session, "two.ts", &["{W}/.claude/rules/c.md"]);
    // The working directory itself may be spelled through a link.
    world.link("{R}/project", "{W}");
    for path in ["{R}/project/real/n.ts", "{W}/real/n.ts", "real/n.ts"] {
        let mut session = Session::load(&world.roots("{R}/project"), &Options::default());
        let added = session.for_path(world.fill(path), Operation::Write);
        assert_eq!(added.len(), 1, "{path}");
    }
}

#[test]
fn a_path_that_leads_in_through_a_link_counts_as_inside() {
    let world = World::with(&[
        ("s/CLAUDE.md", "S"),
        ("s/x.ts", ""),
        (".claude/rules/r.md", "---\npaths: s/*.ts\n---\nR"),
    ]);
    world.link("{R}/alias", "{W}");
    world.link("{R}/away", "{R}/home");
    for (path, expected) in [
        (
            "{R}/alias/s/x.ts",
            &["{W}/s/CLAUDE.md", "{W}/.claude/rules/r.md"][..],
        ),
        (
            "{R}/alias/s/../s/new.ts",
            &["{W}/s/CLAUDE.md", "{W}/.claude/rules/r.md"],
        ),
        ("{R}/alias/y.txt", &[]),
        ("{R}/away/x.ts", &[]),
        ("{R}/home/x.ts", &[]),
    ] {
        let mut session = world.load(".");
        let rules = session.rules_for(world.path(path));
        assert_eq!(rules.len(), usize::from(!expected.is_empty()), "{path}");
        check(&world, &mut session, path, expected);
        assert!(
            session
                .for_path(world.path("s/x.ts"), Operation::Read)
                .is_empty()
                != expected.is_empty()
        );
    }
}

#[test]
fn nested_rules_keep_their_place_when_they_match_later() {
    let world = World::with(&[
        ("s/.claude/rules/c.md", "---\npaths: '*.ts'\n---\nC"),
        ("s/t/CLAUDE.md", "t"),
        (".claude/rules/r.md", "---\npaths: '*.ts'\n---\nR"),
    ]);
    let mut session = world.load(".");
    check(&world, &mut session, "s/a.md", &[]);
    assert_eq!(session.report().waiting.len(), 2);
    let expected = [
        "{W}/s/.claude/rules/c.md",
        "{W}/s/t/CLAUDE.md",
        "{W}/.claude/rules/r.md",
    ];
    check(&world, &mut session, "s/t/a.ts", &expected);
}

#[test]
fn rules_for_a_path_are_listed_without_delivering_them() {
    let world = World::with(&[
        (".claude/rules/a.md", "---\npaths: '*.ts'\n---\nA"),
        (".claude/rules/b.md", "---\npaths: '*.rs'\n---\nB"),
    ]);
    let mut session = world.load(".");
    let states = |session: &Session| -> Vec<(PathBuf, RuleState)> {
        let rules = session.rules_for("x/a.ts");
        rules
            .into_iter()
            .map(|rule| (rule.path, rule.state))
            .collect()
    };
    let path = world.path(".claude/rules/a.md");
    assert_eq!(states(&session), [(path.clone(), RuleState::Waiting)]);
    assert_eq!(session.for_path("x/a.ts", Operation::Read).len(), 1);
    assert_eq!(states(&session), [(path, RuleState::Delivered)]);
    assert!(session.rules_for("../a.ts").is_empty());
}

#[test]
fn looking_at_rules_changes_nothing_and_sees_those_that_came_later() {
    let rule = |paths: &str| format!("---\npaths: {paths}\n---\nR");
    let world = World::with(&[("s/x.ts", ""), ("t/x.md", "")]);
    for (name, paths) in [
        (".claude/rules/a.md", "'*.ts'"),
        (".claude/rules/b.md", "'[!x]*.ts, t/*'"),
        ("t/.claude/rules/c.md", "'*.ts'"),
        ("t/.claude/rules/d.md", "'*.md'"),
    ] {
        world.write(name, rule(paths));
    }
    let names = |session: &Session, path: &str| -> Vec<(String, RuleState)> {
        let found = session.rules_for(world.path(path)).into_iter();
        found
            .map(|rule| (world.name(&rule.path), rule.state))
            .collect()
    };
    let both = |a, b| {
        vec![
            ("{W}/.claude/rules/a.md".to_owned(), a),
            ("{W}/.claude/rules/b.md".to_owned(), b),
        ]
    };
    let mut session = world.load(".");
    use RuleState::{Delivered, Waiting};
    for _ in 0..2 {
        assert_eq!(names(&session, "s/a.ts"), both(Waiting, Waiting));
        assert_eq!(names(&session, "s/x.ts"), both(Waiting, Waiting)[..1]);
    }
    let mut unseen = session.clone();
    check(&world, &mut session, "s/x.ts", &["{W}/.claude/rules/a.md"]);
    assert_eq!(names(&session, "s/a.ts"), both(Delivered, Waiting));
    // Rules of a folder are known once a file in it was used, in whatever order.
    check(
        &world,
        &mut session,
        "t/x.md",
        &["{W}/t/.claude/rules/d.md", "{W}/.claude/rules/b.md"],
    );
    let c = ("{W}/t/.claude/rules/c.md".to_owned(), Waiting);
    let all = [both(Delivered, Delivered), vec![c]].concat();
    assert_eq!(names(&session, "t/a.ts"), all);
    assert_eq!(names(&unseen, "t/a.ts"), both(Waiting, Waiting));
    check(
        &world,
        &mut unseen,
        "t/x.md",
        &["{W}/t/.claude/rules/d.md", "{W}/.claude/rules/b.md"],
    );
    assert_eq!(names(&unseen, "t/a.ts").len(), 3);
}

#[test]
fn edits_are_seen_after_a_reset_and_not_before() {
    let world = World::with(&[("CLAUDE.md", "BEFORE")]);
    let mut session = world.load(".");
    let text = |session: &Session| session.user_context(TODAY.unwrap()).to_message_text();
    let first = text(&session);
    for turn in 0..3 {
        world.write("CLAUDE.md", format!("AFTER {turn}"));
        assert_eq!(text(&session), first);
    }
    for reason in [Reason::Compact, Reason::Clear, Reason::Changed] {
        session.invalidate(reason);
        assert!(text(&session).contains("AFTER 2"));
    }
}

#[test]
fn what_comes_back_after_compaction_is_the_same_byte_for_byte() {
    let world = World::with(&[
        ("CLAUDE.md", "A @b.md"),
        ("b.md", "B"),
        (".claude/rules/c.md", "---\npaths: x\n---\nC"),
        ("s/CLAUDE.md", "s"),
    ]);
    let mut session = world.load(".");
    let text = |session: &Session| session.user_context(TODAY.unwrap()).to_message_text();
    let (first, rule) = (text(&session), session.for_path("x", Operation::Read));
    let nested = session.for_path("s/a", Operation::Read);
    session.invalidate(Reason::Compact);
    assert_eq!(text(&session), first);
    assert_eq!(session.for_path("x", Operation::Read), rule);
    assert_eq!(session.for_path("s/a", Operation::Read), nested);
}

#[test]
fn changes_on_disk_are_noticed_by_stats_alone() {
    let files = [
        ("CLAUDE.md", "A @i.md @gone.md"),
        ("i.md", "I"),
        (".claude/rules/r.md", "R"),
        (".claude/rules/c.md", "---\npaths: x\n---\nC"),
        ("s/CLAUDE.md", "s"),
    ];
    #[track_caller]
    fn check(files: &[(&str, &str)], change: impl Fn(&World), expected: &[&str]) {
        let world = World::with(files);
        let mut session = world.load(".");
        session.for_path("s/a", Operation::Read);
        assert!(!session.is_stale(), "{:?}", session.changed());
        change(&world);
        let changed: Vec<String> = session.changed().iter().map(|p| world.name(p)).collect();
        assert_eq!(changed, expected);
        assert_eq!(session.is_stale(), !expected.is_empty());
        session.invalidate(Reason::Changed);
        assert!(!session.is_stale());
    }
    check(
        &files,
        |w| drop(w.write("CLAUDE.md", "A @i.md @gone.mx")),
        &["{W}/CLAUDE.md"],
    );
    check(&files, |w| drop(w.write("i.md", "II")), &["{W}/i.md"]);
    check(
        &files,
        |w| fs::remove_file(w.path("i.md")).unwrap(),
        &["{W}/i.md"],
    );
    check(&files, |w| drop(w.write("gone.md", "G")), &["{W}/gone.md"]);
    check(
        &files,
        |w| drop(w.write("CLAUDE.local.md", "L")),
        &["{W}/CLAUDE.local.md"],
    );
    check(
        &files,
        |w| drop(w.write(".claude/rules/n.md", "N")),
        &["{W}/.claude/rules"],
    );
    check(
        &files,
        |w| drop(w.write(".claude/rules/c.md", "c")),
        &["{W}/.claude/rules/c.md"],
    );
    check(
        &files,
        |w| drop(w.write("s/CLAUDE.md", "S S")),
        &["{W}/s/CLAUDE.md"],
    );
    check(
        &files,
        |w| drop(w.write("~/.claude/CLAUDE.md", "U")),
        &["~/.claude/CLAUDE.md"],
    );
    // A file of the same length and time that took the place of another.
    let swap = |w: &World| {
        let times = fs::metadata(w.path("i.md")).unwrap().modified().unwrap();
        let new = w.write("{R}/new", "J");
        fs::File::open(&new).unwrap().set_modified(times).unwrap();
        fs::rename(new, w.path("i.md")).unwrap();
    };
    check(&files, swap, &["{W}/i.md"]);
    check(&files, |w| drop(w.write("unrelated.md", "U")), &[]);
    // Only the time.
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    let touch = |w: &World| {
        fs::File::open(w.path("i.md"))
            .unwrap()
            .set_modified(old)
            .unwrap();
    };
    check(&files, touch, &["{W}/i.md"]);
}

#[test]
fn events_tell_hosts_what_was_loaded_and_why() {
    let world = World::with(&[
        ("CLAUDE.md", "A @i.md"),
        ("i.md", "I"),
        (".claude/rules/c.md", "---\npaths: '*.ts'\n---\nC"),
        ("s/CLAUDE.md", "s"),
    ]);
    let mut session = world.load(".");
    session.for_path("s/a.ts", Operation::Read);
    let events = |session: &mut Session| -> Vec<String> {
        let events = session.take_events().into_iter();
        events
            .map(|e| format!("{} {} {}", world.name(&e.path), e.layer, e.reason))
            .collect()
    };
    let all = session.events().to_vec();
    assert_eq!(all[1].parent, Some(world.path("CLAUDE.md")));
    assert_eq!(all[2].trigger, Some(world.path("s/a.ts")));
    assert_eq!(all[3].globs, ["*.ts"]);
    let start = [
        "{W}/CLAUDE.md project session_start",
        "{W}/i.md project include",
    ];
    let later = [
        "{W}/s/CLAUDE.md project nested",
        "{W}/.claude/rules/c.md project glob",
    ];
    assert_eq!(events(&mut session), [start, later].concat());
    assert!(session.events().is_empty());
    session.invalidate(Reason::Compact);
    let compact = ["{W}/CLAUDE.md project compact", "{W}/i.md project include"];
    assert_eq!(events(&mut session), compact);
    session.invalidate(Reason::Changed);
    assert!(events(&mut session).is_empty());
    session.for_path("s/a.ts", Operation::Read);
    assert_eq!(events(&mut session), later);
    session.invalidate(Reason::Clear);
    assert_eq!(events(&mut session), start);
}

#[test]
fn settings_of_the_project_cannot_move_where_the_walk_ends() {
    let world = World::with(&[
        ("CLAUDE.md", "outer"),
        ("n/.claude/settings.json", "{\"root_markers\":[\"x\"]}"),
        ("n/.git/HEAD", ""),
    ]);
    world.check("n", &Options::default(), &["{W}/CLAUDE.md"]);
}

#[test]
fn anchored_rules_of_the_person_say_where_they_are_anchored() {
    let rule = |paths: &str| format!("---\npaths: \"{paths}\"\n---\nRULE\n");
    let warnings = |paths: &str, file: &str| -> Vec<String> {
        let world = World::with(&[(file, &rule(paths))]);
        let session = world.load(".");
        let warnings = session.report().warnings.iter();
        warnings.map(|warning| warning.kind.to_string()).collect()
    };
    let said = "`src/*.cs` is relative to the working directory, as the rule belongs to no project; \
        `**/` in front lets it match anywhere below";
    assert_eq!(warnings("src/*.cs", "~/.claude/rules/r.md"), [said]);
    for paths in ["**/*.cs", "*.cs", "**/src/**", "src/**"] {
        assert_eq!(warnings(paths, "~/.claude/rules/r.md"), [""; 0], "{paths}");
    }
    assert_eq!(warnings("src/*.cs", ".claude/rules/r.md"), [""; 0]);
}
