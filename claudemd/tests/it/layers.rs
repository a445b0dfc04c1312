//! Layers, their places and order, links, worktrees, switches.

use std::fs;
use std::path::Path;

use claudemd::{
    AgentsMd, Layer, LoadReason, Operation, Options, Platform, Roots, Session, SkipReason, Source,
    Switch, Switches, WarningKind,
};

use crate::world::World;

fn layered() -> World {
    World::with(&[
        ("/etc/claude-code/CLAUDE.md", "m"),
        ("/etc/claude-code/.claude/rules/r.md", "mr"),
        ("~/.claude/CLAUDE.md", "u"),
        ("~/.claude/rules/r.md", "ur"),
        ("CLAUDE.md", "p"),
        (".claude/CLAUDE.md", "pd"),
        (".claude/rules/r.md", "pr"),
        ("CLAUDE.local.md", "l"),
    ])
}

#[test]
fn layers_load_from_the_general_to_the_specific() {
    let session = layered().load(".");
    let layers: Vec<Layer> = session.files().iter().map(|file| file.layer).collect();
    assert!(layers.is_sorted(), "{layers:?}");
    let texts: Vec<&str> = session.files().iter().map(|f| f.text.as_str()).collect();
    assert_eq!(texts, ["m", "mr", "u", "ur", "p", "pd", "pr", "l"]);
    let reasons = session.files().iter().map(|file| file.reason);
    assert!(reasons.into_iter().all(|r| r == LoadReason::SessionStart));
}

#[test]
fn directories_come_outermost_first() {
    let world = World::with(&[
        ("CLAUDE.md", "1"),
        ("a/CLAUDE.md", "2"),
        ("a/b/CLAUDE.md", "3"),
    ]);
    let expected = ["{W}/CLAUDE.md", "{W}/a/CLAUDE.md", "{W}/a/b/CLAUDE.md"];
    world.check("a/b", &Options::default(), &expected);
}

#[test]
fn each_platform_has_its_managed_directory() {
    assert_eq!(Platform::Linux.managed_dir(), "/etc/claude-code");
    assert_eq!(
        Platform::MacOs.managed_dir(),
        "/Library/Application Support/ClaudeCode"
    );
    assert_eq!(
        Platform::Windows.managed_dir(),
        r"C:\Program Files\ClaudeCode"
    );
    let here = Path::new(Platform::current().managed_dir());
    assert_eq!(Roots::new("/p").managed_dir.as_deref(), Some(here));
}

#[test]
fn the_managed_text_of_the_settings_is_one_more_managed_entry() {
    let world = layered();
    let options = Options::default().managed_text("  from settings\n");
    let session = world.load_with(".", &options);
    let managed: Vec<&str> = session
        .files()
        .iter()
        .filter(|file| file.layer == Layer::Managed)
        .map(|file| file.text.as_str())
        .collect();
    assert_eq!(managed, ["m", "from settings", "mr"]);
}

#[test]
fn sources_switch_their_layer_off_and_nothing_switches_managed_off() {
    let world = layered();
    #[track_caller]
    fn check(world: &World, sources: &[Source], expected: &str) {
        let options = Options::default().sources(sources.iter().copied());
        let session = world.load_with(".", &options);
        let texts: Vec<&str> = session.files().iter().map(|f| f.text.as_str()).collect();
        assert_eq!(texts.join(" "), expected);
        assert_eq!(session.report().sources_off.len(), 3 - sources.len());
    }
    check(&world, &[], "m mr");
    check(&world, &[Source::User], "m mr u ur");
    check(&world, &[Source::Project], "m mr p pd pr");
    check(&world, &[Source::Local], "m mr l");
    check(&world, &Source::ALL, "m mr u ur p pd pr l");
    assert_eq!(Source::from_name(" local "), Some(Source::Local));
    assert_eq!(Source::from_name("managed"), None);
}

#[test]
fn switches_keep_everything_out() {
    let world = layered();
    #[track_caller]
    fn check(world: &World, switches: Switches, expected: Option<Switch>) {
        let mut session = world.load_with(".", &Options::default().switches(switches));
        assert_eq!(session.report().switched_off, expected);
        assert_eq!(session.files().is_empty(), expected.is_some());
        world.write("sub/CLAUDE.md", "s");
        let added = session.for_path(world.path("sub/a.ts"), Operation::Read);
        assert_eq!(added.is_empty(), expected.is_some());
    }
    let none = Switches::default();
    for word in ["1", "true", "YES", "On"] {
        let switches = none.clone().disable_claude_mds(word);
        check(&world, switches, Some(Switch::DisableClaudeMds));
    }
    for word in ["", "0", "false", "2", "off"] {
        check(&world, none.clone().disable_claude_mds(word), None);
    }
    check(&world, none.clone().simple("1"), Some(Switch::Simple));
    check(&world, none.safe_mode("1"), Some(Switch::SafeMode));
}

#[test]
fn switches_come_from_any_lookup() {
    let switches = Switches::from_lookup(|name| Some(name.to_owned().into()));
    let expected = Switches::default()
        .disable_claude_mds("CLAUDE_CODE_DISABLE_CLAUDE_MDS")
        .simple("CLAUDE_CODE_SIMPLE")
        .safe_mode("CLAUDE_CODE_SAFE_MODE")
        .additional_directories("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD");
    assert_eq!(switches, expected);
}

#[test]
fn additional_directories_load_only_behind_their_variable() {
    let world = World::with(&[
        ("CLAUDE.md", "p"),
        ("{R}/x/CLAUDE.md", "xp"),
        ("{R}/x/CLAUDE.local.md", "xl"),
        ("{R}/x/.claude/rules/c.md", "---\npaths: '*.rs'\n---\nxc"),
        ("{R}/x/sub/CLAUDE.md", "xs"),
    ]);
    let roots = world.roots(".").additional_dir(world.path("{R}/x"));
    let session = Session::load(&roots, &Options::default());
    assert_eq!(world.names(session.files()), ["{W}/CLAUDE.md"]);

    let on = Options::default().switches(Switches::default().additional_directories("1"));
    let mut session = Session::load(&roots, &on);
    let expected = ["{W}/CLAUDE.md", "{R}/x/CLAUDE.md", "{R}/x/CLAUDE.local.md"];
    assert_eq!(world.names(session.files()), expected);
    let added = session.for_path(world.path("{R}/x/sub/a.rs"), Operation::Write);
    let expected = ["{R}/x/sub/CLAUDE.md", "{R}/x/.claude/rules/c.md"];
    assert_eq!(world.names(&added), expected);

    // Opening the directory is an act of its own; a source that is off still keeps local files out.
    let session = Session::load(&roots, &on.sources([Source::User]));
    assert_eq!(world.names(session.files()), ["{R}/x/CLAUDE.md"]);
}

#[test]
fn the_config_directory_stands_in_for_the_one_in_the_home() {
    let world = World::with(&[("~/.claude/CLAUDE.md", "h"), ("{R}/cfg/CLAUDE.md", "c")]);
    let roots = world.roots(".");
    let session = Session::load(
        &roots.clone().config_home(world.path("{R}/cfg")),
        &Options::default(),
    );
    assert_eq!(world.names(session.files()), ["{R}/cfg/CLAUDE.md"]);
    // An empty value counts as unset.
    let session = Session::load(&roots.config_home(""), &Options::default());
    assert_eq!(world.names(session.files()), ["~/.claude/CLAUDE.md"]);
}

fn worktree() -> World {
    let world = World::with(&[
        ("{R}/w/CLAUDE.md", "above"),
        ("CLAUDE.md", "main"),
        ("CLAUDE.local.md", "main local"),
        (".claude/rules/both.md", "rule"),
        (
            ".gitignore",
            "CLAUDE.local.md\n.claude/worktrees\n.claude/rules/only-main.md\n",
        ),
    ]);
    world.shell(
        "git init -q . && git add . && git commit -qm i && git worktree add -q .claude/worktrees/w",
    );
    world.write(".claude/rules/only-main.md", "not in git");
    world
}

#[test]
fn a_worktree_inside_its_repository_loads_its_own_copies_once() {
    let world = worktree();
    let roots = world.roots(".claude/worktrees/w").git_root(world.work());
    let session = Session::load(&roots, &Options::default());
    let expected = [
        "{R}/w/CLAUDE.md",
        "{W}/.claude/rules/only-main.md",
        "{W}/CLAUDE.local.md",
        "{W}/.claude/worktrees/w/CLAUDE.md",
        "{W}/.claude/worktrees/w/.claude/rules/both.md",
    ];
    assert_eq!(
        world.names(session.files()),
        expected,
        "{}",
        session.report()
    );
    let copy = "{R}/w/p/.claude/worktrees/w/CLAUDE.md";
    assert_eq!(
        world.skipped(&session, "CLAUDE.md"),
        format!("the worktree has its own copy: {copy}")
    );
}

#[test]
fn what_a_worktree_lacks_is_inherited_from_the_main_checkout() {
    let world = worktree();
    fs::remove_file(world.path(".claude/worktrees/w/CLAUDE.md")).unwrap();
    let roots = world.roots(".claude/worktrees/w").git_root(world.work());
    let session = Session::load(&roots, &Options::default());
    assert!(
        world
            .names(session.files())
            .contains(&"{W}/CLAUDE.md".to_owned())
    );
}

#[test]
fn sibling_worktrees_submodules_and_plain_folders_are_not_affected() {
    let world = World::with(&[("repo/CLAUDE.md", "r"), ("repo/sub/CLAUDE.md", "s")]);
    world.shell(
        "cd repo && git init -q . && git add . && git commit -qm i && git worktree add -q ../wt",
    );
    let names = |cwd: &str, root: &str| {
        let roots = world.roots(cwd).git_root(world.path(root));
        world.names(Session::load(&roots, &Options::default()).files())
    };
    let both = ["{W}/repo/CLAUDE.md", "{W}/repo/sub/CLAUDE.md"];
    // A plain folder, and a worktree beside the repository.
    assert_eq!(names("repo/sub", "repo"), both);
    assert_eq!(
        names("wt/sub", "repo"),
        ["{W}/wt/CLAUDE.md", "{W}/wt/sub/CLAUDE.md"]
    );
    // A repository of its own below, as a submodule is: its root is its own.
    world.shell("cd repo/sub && git init -q .");
    assert_eq!(names("repo/sub", "repo/sub"), both);
    // Neither is it a worktree if the host names the repository above, nor is a real submodule.
    assert_eq!(names("repo/sub", "repo"), both);
    world.shell("cd repo/sub && mv .git ../.git/modules && echo 'gitdir: ../.git/modules' > .git");
    assert_eq!(names("repo/sub", "repo"), both);
}

#[test]
fn a_home_behind_a_link_loads_once_and_is_shown_as_typed() {
    let world = World::with(&[("{R}/data/u/.claude/CLAUDE.md", "once")]);
    world.link("{R}/linked", "{R}/data/u");
    fs::create_dir_all(world.path("{R}/data/u/p")).unwrap();
    let roots = world.roots("{R}/data/u/p").home(world.path("{R}/linked"));
    let session = Session::load(&roots, &Options::default());
    assert_eq!(
        world.names(session.files()),
        ["{R}/linked/.claude/CLAUDE.md"]
    );
    let of = world.path("{R}/linked/.claude/CLAUDE.md");
    let skipped = &session.report().skipped[0];
    assert_eq!(skipped.reason, SkipReason::Duplicate { of });
    assert_eq!(
        session.files()[0].real,
        world.path("{R}/data/u/.claude/CLAUDE.md")
    );
}

#[test]
fn hard_links_are_one_file_and_equal_texts_are_two() {
    let world = World::with(&[("CLAUDE.md", "t"), ("a/CLAUDE.local.md", "t")]);
    fs::hard_link(world.path("CLAUDE.md"), world.path("a/CLAUDE.md")).unwrap();
    let expected = ["{W}/CLAUDE.md", "{W}/a/CLAUDE.local.md"];
    world.check("a", &Options::default(), &expected);
}

#[test]
fn a_reused_inode_is_not_taken_for_the_file_that_had_it() {
    use std::os::unix::fs::MetadataExt;
    let world = World::with(&[("CLAUDE.md", "old"), ("b/x", "")]);
    let inode = |name: &str| fs::metadata(world.path(name)).unwrap().ino();
    let mut session = world.load(".");
    let old = inode("CLAUDE.md");
    world.write("new", "new");
    fs::rename(world.path("new"), world.path("CLAUDE.md")).unwrap();
    // Many systems give the freed number to one of the next files.
    for at in 0..100 {
        world.write("b/CLAUDE.md", format!("{at}"));
        if inode("b/CLAUDE.md") == old {
            break;
        }
        fs::rename(world.path("b/CLAUDE.md"), world.path(&format!("kept{at}"))).unwrap();
    }
    world.write("b/CLAUDE.md", "b");
    let added = session.for_path("b/x", Operation::Read);
    assert_eq!(world.names(&added), ["{W}/b/CLAUDE.md"]);
}

#[test]
fn linked_rule_files_and_folders_load_in_every_layer() {
    let world = World::with(&[
        ("{R}/shared/team/t.md", "t"),
        ("{R}/shared/team/c.md", "---\npaths: '*.rs'\n---\nc"),
        ("{R}/shared/x.md", "x"),
    ]);
    for folder in [".claude/rules", "~/.claude/rules"] {
        let world = &world;
        world.link(&format!("{folder}/team"), "{R}/shared/team");
        world.link(&format!("{folder}/x.md"), "{R}/shared/x.md");
        let mut session = world.load(".");
        let expected = ["{R}/shared/team/t.md", "{R}/shared/x.md"];
        assert_eq!(
            world.names(session.files()),
            expected,
            "{}",
            session.report()
        );
        let added = session.for_path("a.rs", Operation::Read);
        assert_eq!(world.names(&added), ["{R}/shared/team/c.md"]);
        fs::remove_dir_all(world.path(folder)).unwrap();
    }
}

#[test]
fn links_in_circles_end() {
    let world = World::with(&[(".claude/rules/a.md", "a")]);
    world.link(".claude/rules/loop", "{W}/.claude/rules");
    world.link(".claude/rules/up", "{W}");
    world.link(".claude/rules/self.md", "self.md");
    world.link("CLAUDE.md", "CLAUDE.md");
    let session = world.load(".");
    assert_eq!(world.names(session.files()), ["{W}/.claude/rules/a.md"]);
    assert!(
        world
            .skipped(&session, "CLAUDE.md")
            .starts_with("cannot be read: ")
    );
}

#[test]
fn a_link_to_nothing_is_reported() {
    let world = World::new();
    world.link("CLAUDE.md", "gone.md");
    world.link(".claude/rules/r.md", "gone.md");
    let session = world.check(".", &Options::default(), &[]);
    assert_eq!(
        world.skipped(&session, "CLAUDE.md"),
        "a link that leads to nothing"
    );
    assert_eq!(
        world.skipped(&session, ".claude/rules/r.md"),
        "a link that leads to nothing"
    );
}

#[test]
fn hidden_and_ignored_rules_load_in_path_order() {
    let world = World::with(&[
        (".gitignore", ".claude/\n"),
        (".claude/rules/b.md", "b"),
        (".claude/rules/.h/x.md", "h"),
        (".claude/rules/.a.md", "a"),
        (".claude/rules/node_modules/n.md", "n"),
        (".claude/rules/no.MD", "upper"),
        (".claude/rules/no.mdc", "other"),
    ]);
    world.shell("git init -q .");
    let expected = [
        "{W}/.claude/rules/.a.md",
        "{W}/.claude/rules/.h/x.md",
        "{W}/.claude/rules/b.md",
        "{W}/.claude/rules/node_modules/n.md",
    ];
    world.check(".", &Options::default(), &expected);
    // Also when the working directory is itself hidden.
    world.write(".hidden/.claude/rules/r.md", "r");
    let session = world.load(".hidden");
    assert_eq!(session.files().len(), expected.len() + 1);
}

#[test]
fn agents_files_are_read_only_where_nothing_else_is() {
    let world = World::with(&[
        ("AGENTS.md", "only"),
        ("both/AGENTS.md", "a"),
        ("both/CLAUDE.md", "c"),
        ("both/dot/AGENTS.md", "a"),
        ("both/dot/.claude/CLAUDE.md", "d"),
        ("both/dot/link/CLAUDE.md", "l"),
    ]);
    world.link("both/dot/link/AGENTS.md", "CLAUDE.md");
    let others = [
        "{W}/both/CLAUDE.md",
        "{W}/both/dot/.claude/CLAUDE.md",
        "{W}/both/dot/link/CLAUDE.md",
    ];
    world.check("both/dot/link", &Options::default(), &others);
    let options = Options::default().agents_md(AgentsMd::Fallback);
    let mut expected = vec!["{W}/AGENTS.md"];
    expected.extend(others);
    world.check("both/dot/link", &options, &expected);
}

#[test]
fn a_missing_working_directory_is_noted_and_not_created() {
    let world = World::with(&[("~/.claude/CLAUDE.md", "u")]);
    let session = world.check("gone/p", &Options::default(), &["~/.claude/CLAUDE.md"]);
    let warning = &session.report().warnings[0];
    assert_eq!(warning.kind, WarningKind::NoWorkingDirectory);
    assert_eq!(warning.path, world.path("gone/p"));
    assert!(!world.path("gone").exists());
}

#[test]
fn a_relative_or_empty_working_directory_loads_nothing_foreign() {
    for cwd in ["", ".", "no/such", "/"] {
        let roots = Roots::new(cwd).managed_dir(None);
        let session = Session::load(&roots, &Options::default());
        assert!(session.files().len() < 4, "{cwd}");
        let warnings = &session.report().warnings;
        let relative = |kind: &WarningKind| *kind == WarningKind::RelativeWorkingDirectory;
        let said = warnings.iter().any(|warning| relative(&warning.kind));
        assert_eq!(said, cwd != "/", "{cwd}: {warnings:?}");
    }
}
