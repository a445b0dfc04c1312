//! Which imports are allowed: places, approval, and what is never read.

use std::fs;
use std::sync::{Arc, Mutex};

use claudemd::{Approval, External, Layer, Options, Place};

use crate::world::World;

fn outside() -> World {
    World::with(&[
        ("{R}/other/x.md", "X"),
        ("~/.ssh/config", "secret"),
        ("~/notes.md", "N"),
        ("CLAUDE.md", "@~/.ssh/config @../../other/x.md @{W}/in.md"),
        ("in.md", "in"),
    ])
}

#[test]
fn imports_from_outside_need_approval() {
    let world = outside();
    let session = world.check(".", &Options::default(), &["{W}/CLAUDE.md"]);
    assert_eq!(
        world.skipped(&session, "~/.ssh/config"),
        "outside the working directory and not approved"
    );
    world.write(
        "CLAUDE.md",
        world.fill("@~/.ssh/config @../../other/x.md @{W}/in.md"),
    );
    let options = Options::default().external(External::Approved);
    let expected = [
        "{W}/CLAUDE.md",
        "~/.ssh/config",
        "{R}/other/x.md",
        "{W}/in.md",
    ];
    world.check(".", &options, &expected);
}

#[test]
fn a_callback_decides_about_each_path() {
    let world = outside();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let options = Options::default().external(External::ask(move |import| {
        seen.lock().unwrap().push(import.path.to_path_buf());
        assert_eq!(import.layer, Layer::Project);
        match import.path.ends_with("x.md") {
            true => Approval::Allow,
            false => Approval::Deny,
        }
    }));
    world.check(".", &options, &["{W}/CLAUDE.md", "{R}/other/x.md"]);
    let asked = asked.lock().unwrap();
    assert_eq!(
        *asked,
        [world.path("~/.ssh/config"), world.path("{R}/other/x.md")]
    );
}

#[test]
fn a_missing_file_outside_is_marked_and_never_asked_about() {
    let world = World::with(&[("CLAUDE.md", "@../../secret.md")]);
    let options = Options::default().external(External::ask(|_| panic!("asked")));
    let session = world.load_with(".", &options);
    let miss = &session.report().misses[0];
    assert_eq!((miss.place, miss.hint.as_ref()), (Place::External, None));
}

#[test]
fn the_users_own_files_import_from_anywhere() {
    let world = World::with(&[
        ("~/.claude/CLAUDE.md", "@~/notes.md"),
        ("~/notes.md", "N @other.md"),
        ("~/other.md", "O"),
    ]);
    let session = world.check(
        ".",
        &Options::default(),
        &["~/.claude/CLAUDE.md", "~/notes.md", "~/other.md"],
    );
    assert!(session.files().iter().all(|file| file.layer == Layer::User));
}

#[test]
fn a_neighbor_of_a_parents_file_is_outside() {
    let world = World::with(&[("CLAUDE.md", "@n.md"), ("n.md", "N"), ("a/x", "")]);
    let session = world.check("a", &Options::default(), &["{W}/CLAUDE.md"]);
    assert!(world.skipped(&session, "n.md").starts_with("outside"));
}

#[test]
fn links_that_lead_out_are_outside_wherever_they_are() {
    let world = World::with(&[
        ("{R}/out/s.md", "S"),
        ("CLAUDE.md", "@ln.md @dir/s.md @dir/../in.md"),
        ("in.md", "I"),
    ]);
    world.link("ln.md", "{R}/out/s.md");
    world.link("dir", "{R}/out");
    let expected = ["{W}/CLAUDE.md", "{W}/in.md"];
    let session = world.check(".", &Options::default(), &expected);
    for name in ["ln.md", "dir/s.md"] {
        assert!(
            world.skipped(&session, name).starts_with("outside"),
            "{name}"
        );
    }
    assert!(!claudemd::is_inside(&world.path("dir/s.md"), world.work()));
    assert!(!claudemd::is_inside(&world.path("ln.md"), world.work()));
    assert!(claudemd::is_inside(&world.path("in.md"), world.work()));
    let options = Options::default().external(External::Approved);
    assert_eq!(world.load_with(".", &options).files().len(), 3);
}

#[test]
fn git_metadata_is_refused_even_with_approval() {
    let world = World::with(&[
        ("CLAUDE.md", "@.git/config @m.md @sub/.git/HEAD @.gitignore"),
        (".git/config", "S"),
        ("sub/.git/HEAD", "S"),
        (".gitignore", "ok"),
        ("a/x", ""),
    ]);
    world.link("m.md", ".git/config");
    world.link("a/CLAUDE.md", "../.git/config");
    let options = Options::default().external(External::Approved);
    let session = world.check("a", &options, &["{W}/CLAUDE.md", "{W}/.gitignore"]);
    for name in [".git/config", "m.md", "sub/.git/HEAD", "a/CLAUDE.md"] {
        assert_eq!(
            world.skipped(&session, name),
            "git's own files are not imported"
        );
    }
}

#[test]
fn urls_and_kernel_names_lead_nowhere() {
    let text = "@https://e.test/f.md @file:///p/f.md @/??/C:/a.md @//?/C:/a.md";
    let world = World::with(&[("CLAUDE.md", text)]);
    let session = world.check(".", &Options::default(), &["{W}/CLAUDE.md"]);
    let misses = &session.report().misses;
    assert_eq!(misses.len(), 4);
    assert!(
        misses.iter().all(|miss| miss.looked_up.is_none()),
        "{misses:?}"
    );
}

#[test]
fn devices_and_pipes_are_never_opened_by_an_import() {
    let world = World::with(&[("CLAUDE.md", "@pipe @dev/zero @/dev/zero")]);
    world.shell("mkfifo pipe");
    world.link("dev", "/dev");
    let options = Options::default().external(External::Approved);
    world.check(".", &options, &["{W}/CLAUDE.md"]);
}

#[test]
fn frontmatter_of_an_import_goes_and_scopes_nothing() {
    let world = World::with(&[
        ("CLAUDE.md", "@a.md"),
        ("a.md", "---\npaths: '*.ts'\n---\nA\n"),
    ]);
    let session = world.check(".", &Options::default(), &["{W}/CLAUDE.md", "{W}/a.md"]);
    assert_eq!(session.files()[1].text, "A");
}

#[test]
fn an_import_that_cannot_be_read_leaves_the_rest() {
    let world = World::with(&[("CLAUDE.md", "@gone.md b @big.md @c.md"), ("c.md", "C")]);
    let big = fs::File::create(world.path("big.md")).unwrap();
    big.set_len(5 << 20).unwrap();
    let session = world.check(".", &Options::default(), &["{W}/CLAUDE.md", "{W}/c.md"]);
    assert_eq!(
        world.skipped(&session, "big.md"),
        "5242880 bytes, and at most 4194304 are read"
    );
    assert_eq!(session.report().misses.len(), 1);
}
