//! Names inside a memory directory, transcripts, and creating.

use std::fs;
use std::path::{Path, PathBuf};

use memdir_paths::{
    Date, ErrorKind, MemoryDir, NameFault, Platform, Recorded, TeamLayout, project_key_of,
    session_notes, transcript_dir,
};

use crate::support::Tree;

#[test]
fn names_inside_a_memory_directory() {
    let dir = MemoryDir::new("/m/memory");
    assert_eq!(dir.entrypoint(), Path::new("/m/memory/MEMORY.md"));
    assert_eq!(dir.lock_file(), Path::new("/m/memory/.consolidate-lock"));
    assert_eq!(
        dir.identity_file(),
        Path::new("/m/memory/.memdir-identity.json")
    );
    assert_eq!(
        dir.topic("feedback/a.md").unwrap(),
        Path::new("/m/memory/feedback/a.md")
    );
    assert_eq!(
        dir.topic("../x").unwrap_err().kind(),
        ErrorKind::UnsafeName(NameFault::Dots)
    );
    assert_eq!(
        dir.team(TeamLayout::Inside).path(),
        Path::new("/m/memory/team")
    );
    assert_eq!(dir.team(TeamLayout::Sibling).path(), Path::new("/m/team"));
    assert_eq!(dir.announced(), "/m/memory/");
    assert_eq!(MemoryDir::new("/m/memory/").announced(), "/m/memory/");
    assert_eq!(
        MemoryDir::new("/").team(TeamLayout::Sibling).path(),
        Path::new("/team")
    );
}

#[test]
fn daily_logs_are_sorted_into_years_and_months() {
    let dir = MemoryDir::new("/m");
    let log = |year, month, day| dir.daily_log(Date { year, month, day });
    assert_eq!(log(2026, 4, 9), Path::new("/m/logs/2026/04/2026-04-09.md"));
    assert_eq!(log(987, 12, 31), Path::new("/m/logs/0987/12/0987-12-31.md"));
    // The pattern, for a prompt that does not change with the day.
    assert_eq!(dir.daily_log_pattern(), "/m/logs/YYYY/MM/YYYY-MM-DD.md");
    // Whatever the numbers are, the file stays below the logs.
    let odd = log(i32::MIN, 255, 255);
    assert_eq!(
        odd.components().count(),
        log(2026, 4, 9).components().count()
    );
}

/// Memory belongs to the root, transcripts to the working directory.
#[test]
fn transcripts_and_notes_are_keyed_by_the_real_working_directory() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("repo", &["worktree", "add", "-q", "../wt"]);
    let expected = |cwd: &Path| {
        let key = project_key_of(cwd, Platform::current());
        tree.path("home/.claude/projects").join(key)
    };
    for cwd in ["repo", "repo/sub", "wt", "wt/sub/deep"] {
        let cwd = tree.path(cwd);
        assert_eq!(transcript_dir(&tree.env(), &cwd).unwrap(), expected(&cwd));
    }
    #[cfg(unix)]
    {
        tree.link("ln", "repo/sub");
        let found = transcript_dir(&tree.env(), &tree.path("ln")).unwrap();
        assert_eq!(found, expected(&tree.path("repo/sub")));
    }
    let cwd = tree.path("repo");
    assert_eq!(
        session_notes(&tree.env(), &cwd, "0b6e-42").unwrap(),
        expected(&cwd).join("0b6e-42/session-memory/summary.md")
    );
}

#[test]
fn a_session_id_is_one_plain_component() {
    let tree = Tree::new();
    let fault = |id: &str| match session_notes(&tree.env(), tree.root(), id)
        .unwrap_err()
        .kind()
    {
        ErrorKind::UnsafeName(fault) => fault,
        kind => panic!("{kind:?}"),
    };
    assert_eq!(fault("a/b"), NameFault::NotOneComponent);
    assert_eq!(fault(".."), NameFault::Dots);
    assert_eq!(fault(""), NameFault::Empty);
    assert_eq!(fault("/etc"), NameFault::Absolute);
    assert_eq!(fault("%2e%2e"), NameFault::PercentEncoded);
    // Notes never land in a memory directory.
    assert_eq!(fault("memory"), NameFault::Taken);
    assert_eq!(fault("Team"), NameFault::Taken);
}

#[test]
fn ensure_creates_all_parents_and_tells_which() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.path("home/a/b/memory"));
    let done = dir.ensure(None).unwrap();
    let created: Vec<PathBuf> = ["home/a", "home/a/b", "home/a/b/memory"]
        .iter()
        .map(|name| tree.path(name))
        .collect();
    assert_eq!(done.created, created);
    assert_eq!(done.recorded, Recorded::NotAsked);
    assert!(dir.exists());
    assert_eq!(dir.ensure(None).unwrap().created, Vec::<PathBuf>::new());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
#[cfg(unix)]
fn created_directories_are_private_and_existing_ones_keep_their_mode() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new();
    let mode = |name: &str| fs::metadata(tree.path(name)).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(tree.dir("open"), fs::Permissions::from_mode(0o755)).unwrap();
    let dir = MemoryDir::new(tree.path("open/a/memory"));
    dir.ensure(Some(tree.root())).unwrap();
    assert_eq!(mode("open"), 0o755);
    assert_eq!(mode("open/a"), 0o700);
    assert_eq!(mode("open/a/memory"), 0o700);
    assert_eq!(mode("open/a/memory/.memdir-identity.json"), 0o600);
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o750)).unwrap();
    dir.ensure(Some(tree.root())).unwrap();
    assert_eq!(mode("open/a/memory"), 0o750);
}

/// A host may show this and assemble its prompt all the same.
#[test]
fn a_directory_that_cannot_be_created_is_told_apart() {
    let tree = Tree::new();
    tree.file("file", "x");
    for path in ["file", "file/memory"] {
        let error = MemoryDir::new(tree.path(path))
            .ensure(Some(tree.root()))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CannotCreate);
        let text = error.to_string();
        let expected = format!("{:?}: cannot create the directory: ", tree.path(path));
        assert!(text.starts_with(&expected), "{text}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[test]
#[cfg(unix)]
fn a_link_without_target_is_not_followed_by_ensure() {
    let tree = Tree::new();
    tree.link("memory", "elsewhere");
    let error = MemoryDir::new(tree.path("memory"))
        .ensure(None)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CannotCreate);
    assert!(!tree.path("elsewhere").exists());
}

#[test]
#[cfg(unix)]
fn a_memory_directory_that_is_a_link_keeps_working() {
    let tree = Tree::new();
    let target = tree.dir("sync/mem");
    tree.link("home/.claude/projects/x/memory", &target);
    let dir = MemoryDir::new(tree.path("home/.claude/projects/x/memory"));
    assert!(dir.exists());
    assert_eq!(
        dir.ensure(Some(tree.root())).unwrap().recorded,
        Recorded::Added
    );
    assert!(target.join(".memdir-identity.json").is_file());
    assert!(dir.path().is_symlink(), "the link is still a link");
}
