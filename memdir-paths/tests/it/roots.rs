//! Canonical roots of the layouts that git makes, compared with the git program.

use std::fs;
use std::path::{Path, PathBuf};

use memdir_paths::{
    MemoryDir, NoteKind, Options, Resolution, RootKind, Settings, WorktreePolicy, canonical_root,
    real_cwd, resolve, resolve_with,
};

use crate::support::Tree;

#[track_caller]
pub(crate) fn check(tree: &Tree, cwd: &str, root: &str, kind: RootKind) {
    let found = canonical_root(&tree.path(cwd)).unwrap();
    assert_eq!(found.path, tree.path(root), "{:?}", found.notes);
    assert_eq!(found.kind, kind);
    assert_eq!(found.notes, []);
}

/// The folder that `git` itself takes for the root of the main working tree.
fn git_main_root(tree: &Tree, cwd: &str) -> PathBuf {
    let common = tree.git(
        cwd,
        &["rev-parse", "--path-format=absolute", "--git-common-dir"],
    );
    let common = fs::canonicalize(common).unwrap();
    common.parent().unwrap().to_path_buf()
}

pub(crate) fn git_top(tree: &Tree, cwd: &str) -> PathBuf {
    fs::canonicalize(tree.git(cwd, &["rev-parse", "--show-toplevel"])).unwrap()
}

#[test]
fn a_repository_and_its_folders_have_one_root() {
    let tree = Tree::new();
    tree.repo("repo");
    for cwd in [
        "repo",
        "repo/sub",
        "repo/sub/deep",
        "repo/sub/deep/f",
        "repo/not/there/yet",
    ] {
        check(&tree, cwd, "repo", RootKind::Repository);
    }
    assert_eq!(git_top(&tree, "repo/sub/deep"), tree.path("repo"));
    // Working inside `.git` is working in the repository.
    check(&tree, "repo/.git", "repo", RootKind::Repository);
    check(&tree, "repo/.git/refs/heads", "repo", RootKind::Repository);
}

#[test]
fn without_git_the_working_directory_stands_for_itself() {
    let tree = Tree::new();
    tree.dir("x/y");
    tree.file("x/f.txt", "f");
    check(&tree, "x/y", "x/y", RootKind::NoRepository);
    check(&tree, "x/f.txt", "x", RootKind::NoRepository);
    check(
        &tree,
        "x/missing/deep",
        "x/missing/deep",
        RootKind::NoRepository,
    );
    assert!(!canonical_root(&tree.path("x")).unwrap().is_repository());
    assert_eq!(canonical_root(Path::new("/")).unwrap().path, Path::new("/"));
}

#[test]
fn any_git_entry_counts_but_not_a_link_to_nothing() {
    let tree = Tree::new();
    tree.dir("empty/.git");
    tree.dir("empty/s/t");
    check(&tree, "empty/s/t", "empty", RootKind::Repository);
    tree.file("junk/.git", "junk\n");
    tree.dir("junk/s");
    let found = canonical_root(&tree.path("junk/s")).unwrap();
    assert_eq!(found.path, tree.path("junk"));
    assert_eq!(found.notes[0].kind, NoteKind::MalformedPointer);
    #[cfg(unix)]
    {
        tree.link("dangling/.git", "/nonexistent");
        tree.link("loop/.git", ".git");
        for cwd in ["dangling", "loop"] {
            tree.dir(&format!("{cwd}/s"));
            let found = canonical_root(&tree.path(cwd).join("s")).unwrap();
            assert_eq!(found.path, tree.path(cwd).join("s"));
            assert_eq!(found.kind, RootKind::NoRepository);
        }
        tree.dir("real/.git");
        tree.link("e/.git", "../real/.git");
        tree.dir("e/s");
        check(&tree, "e/s", "e", RootKind::Repository);
    }
}

/// One memory for all worktrees, before and after a worktree is removed.
#[test]
fn linked_worktrees_share_the_memory_of_the_main_root() {
    let tree = Tree::new();
    tree.repo("main");
    tree.git("main", &["worktree", "add", "-q", "../wt"]);
    tree.git("main", &["worktree", "add", "-q", ".claude/worktrees/w1"]);
    tree.git("main", &["worktree", "add", "-q", "--detach", "inner"]);
    for cwd in ["wt", "wt/sub/deep", ".claude/worktrees/w1", "inner/sub"] {
        let cwd = if cwd.starts_with("wt") {
            cwd.to_owned()
        } else {
            format!("main/{cwd}")
        };
        check(&tree, &cwd, "main", RootKind::LinkedWorktree);
        assert_eq!(git_main_root(&tree, &cwd), tree.path("main"));
    }
    let dir = |cwd: &str| {
        let found = resolve(&tree.env(), &Settings::default(), &tree.path(cwd)).unwrap();
        found.dir.unwrap()
    };
    let from_worktree = resolve(&tree.env(), &Settings::default(), &tree.path("wt/sub")).unwrap();
    from_worktree.ensure().unwrap();
    let main = dir("main");
    assert_eq!(from_worktree.dir.as_ref(), Some(&main));
    tree.git("main", &["worktree", "remove", "wt"]);
    assert!(main.exists());
    assert_eq!(dir("main/sub"), main);
}

#[test]
fn worktrees_are_apart_only_if_the_host_asks_for_it() {
    let tree = Tree::new();
    tree.repo("main");
    tree.git("main", &["worktree", "add", "-q", "../wt"]);
    let isolated = Options::default().worktrees(WorktreePolicy::Isolated);
    let found = |cwd: &str, options: &Options| -> Resolution {
        resolve_with(&tree.env(), &Settings::default(), &tree.path(cwd), options).unwrap()
    };
    assert_eq!(found("wt/sub", &isolated).project, tree.path("wt"));
    assert_eq!(found("wt/sub", &isolated).root.path, tree.path("main"));
    assert_eq!(found("main/sub", &isolated).project, tree.path("main"));
    assert_ne!(found("wt", &isolated).dir, found("main", &isolated).dir);
    assert_eq!(
        found("wt", &Options::default()).dir,
        found("main", &isolated).dir
    );
}

/// The path that is announced is the folder that was created, wherever below the root one is.
#[test]
fn a_subfolder_resolves_to_the_directory_that_is_created() {
    let tree = Tree::new();
    tree.repo("mono");
    let cwd = tree.dir("mono/agents/x");
    let found = resolve(&tree.env(), &Settings::default(), &cwd).unwrap();
    let dir: &MemoryDir = found.dir.as_ref().unwrap();
    assert!(!dir.exists());
    found.ensure().unwrap();
    assert!(dir.exists());
    let from_root = resolve(&tree.env(), &Settings::default(), &tree.path("mono")).unwrap();
    assert_eq!(from_root.dir.as_ref(), Some(dir));
    let projects: Vec<_> = fs::read_dir(tree.path("home/.claude/projects"))
        .unwrap()
        .collect();
    assert_eq!(
        projects.len(),
        1,
        "no second folder for the working directory"
    );
}

#[test]
fn relative_worktree_pointers_are_followed() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("repo", &["worktree", "add", "-q", "../wt"]);
    // Both ways relative, as `git worktree add --relative-paths` writes them.
    tree.file("wt/.git", "gitdir: ../repo/.git/worktrees/wt\n");
    check(&tree, "wt/sub", "repo", RootKind::LinkedWorktree);
    tree.file("repo/.git/worktrees/wt/gitdir", "../../../../wt/.git\n");
    check(&tree, "wt/sub", "repo", RootKind::LinkedWorktree);
    tree.git("repo", &["config", "extensions.relativeWorktrees", "true"]);
    tree.git("repo", &["config", "core.repositoryFormatVersion", "1"]);
    check(&tree, "wt/sub", "repo", RootKind::LinkedWorktree);
}

#[test]
fn pointers_may_end_in_carriage_return_and_lack_the_space() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("repo", &["worktree", "add", "-q", "../wt"]);
    let target = tree.path("repo/.git/worktrees/wt");
    let target = target.to_str().unwrap();
    for text in [
        format!("gitdir: {target}\r\n"),
        format!("gitdir:{target}\n"),
        format!("gitdir: \t {target}"),
    ] {
        tree.file("wt/.git", &text);
        check(&tree, "wt", "repo", RootKind::LinkedWorktree);
    }
}

/// Git sets these for hooks; whoever starts from a hook must not land in another repository.
#[test]
fn inherited_git_variables_do_not_matter() {
    let tree = Tree::new();
    tree.repo("a");
    tree.repo("b");
    let program = std::env::current_exe().unwrap();
    // This very test binary as a hook of `a`, asked about `b`.
    #[expect(
        clippy::disallowed_methods,
        reason = "a second process with git's variables"
    )]
    let output = std::process::Command::new(program)
        .args([
            "--exact",
            "roots::prints_the_root_that_it_is_asked_for",
            "--nocapture",
        ])
        .env("MEMDIR_PATHS_ASKED_FOR", tree.path("b/sub"))
        .env("GIT_DIR", tree.path("a/.git"))
        .env("GIT_WORK_TREE", tree.path("a"))
        .env("GIT_COMMON_DIR", tree.path("a/.git"))
        .env("GIT_INDEX_FILE", tree.path("a/.git/index"))
        .env("GIT_CEILING_DIRECTORIES", tree.path("b"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = format!("root: {}\n", tree.path("b").display());
    assert!(
        output.status.success() && text.contains(&expected),
        "{text}"
    );
}

/// The child of the test above; on its own it says nothing and checks the plain case.
#[test]
fn prints_the_root_that_it_is_asked_for() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the question of the parent process"
    )]
    let asked = std::env::var_os("MEMDIR_PATHS_ASKED_FOR");
    let tree = Tree::new();
    let path = asked.map_or_else(|| tree.dir("x"), PathBuf::from);
    let root = canonical_root(&path).unwrap();
    #[cfg(feature = "git2")]
    memdir_paths::cross_check(&root);
    #[expect(clippy::print_stdout, reason = "the answer for the parent process")]
    {
        println!("root: {}", root.path.display());
    }
    assert!(path.starts_with(&root.path));
}

#[test]
#[cfg(unix)]
fn links_on_the_way_are_resolved() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.link("ln", "repo/sub");
    check(&tree, "ln/deep", "repo", RootKind::Repository);
    assert_eq!(real_cwd(&tree.path("ln")).unwrap(), tree.path("repo/sub"));
    tree.git("repo", &["worktree", "add", "-q", "../wt"]);
    tree.link("lnwt", "wt");
    check(&tree, "lnwt", "repo", RootKind::LinkedWorktree);
    // A pointer that runs through a link: one repository, one root.
    tree.link("rl", "repo");
    let target = tree.path("rl/.git/worktrees/wt");
    tree.file("wt/.git", format!("gitdir: {}\n", target.display()));
    check(&tree, "wt", "repo", RootKind::LinkedWorktree);

    tree.dir("real");
    tree.link("l2", "real");
    tree.repo("l2/r");
    tree.git("l2/r", &["worktree", "add", "-q", "../../wt3"]);
    check(&tree, "wt3", "real/r", RootKind::LinkedWorktree);
}

#[test]
fn folder_names_in_any_script_and_case_are_kept() {
    let tree = Tree::new();
    tree.repo("项目");
    tree.repo("RePo");
    tree.repo("a\nb");
    for name in ["项目", "RePo", "a\nb"] {
        check(&tree, &format!("{name}/sub"), name, RootKind::Repository);
        tree.git(name, &["worktree", "add", "-q", "wt"]);
        // A line end inside a path cannot be told from the end of a pointer.
        if !name.contains('\n') {
            check(&tree, &format!("{name}/wt"), name, RootKind::LinkedWorktree);
        }
    }
}

/// Formats that libgit2 refuses to open have roots like any other.
#[test]
fn a_repository_with_another_format_has_a_root() {
    let tree = Tree::new();
    tree.git("", &["init", "-q", "--object-format=sha256", "sha"]);
    tree.git("", &["init", "-q", "--ref-format=reftable", "ref"]);
    for repo in ["sha", "ref"] {
        tree.git(repo, &["commit", "-q", "--allow-empty", "-m", "first"]);
        tree.git(repo, &["worktree", "add", "-q", &format!("../{repo}-wt")]);
        check(&tree, &format!("{repo}/x"), repo, RootKind::Repository);
        check(&tree, &format!("{repo}-wt"), repo, RootKind::LinkedWorktree);
    }
}

#[test]
#[cfg(feature = "git2")]
fn the_cross_check_agrees_or_says_why_not() {
    use memdir_paths::{CrossCheck, cross_check};
    let tree = Tree::new();
    let ask = |cwd: &str| cross_check(&canonical_root(&tree.path(cwd)).unwrap());
    tree.repo("repo");
    tree.git("repo", &["worktree", "add", "-q", "../wt"]);
    tree.git("repo", &["worktree", "add", "-q", "../gone"]);
    tree.git("", &["clone", "-q", "--bare", "repo", "bare.git"]);
    tree.git("bare.git", &["worktree", "add", "-q", "-b", "b", "../bwt"]);
    tree.repo("super");
    tree.git("super", &["submodule", "-q", "add", "../repo", "lib"]);
    for cwd in ["repo/sub", "wt", "bwt", "bare.git", "super/lib/sub"] {
        assert_eq!(ask(cwd), CrossCheck::Agrees, "{cwd}");
    }
    tree.dir("plain");
    assert_eq!(ask("plain"), CrossCheck::NotARepository);
    tree.git("", &["init", "-q", "--ref-format=reftable", "ref"]);
    let answer = ask("ref");
    assert!(matches!(answer, CrossCheck::Unsupported(_)), "{answer}");
    // A forged pointer: libgit2 follows it, the root does not.
    tree.file(
        "evil/.git",
        format!("gitdir: {}\n", tree.path("repo/.git").display()),
    );
    let root = canonical_root(&tree.path("evil")).unwrap();
    assert_eq!(root.path, tree.path("evil"));
    assert_eq!(cross_check(&root), CrossCheck::Differs(tree.path("repo")));
}

/// Git allows a line end in the name of a folder.
#[test]
#[cfg(unix)]
fn folders_with_a_line_end_in_their_name_are_followed() {
    let tree = Tree::new();
    let repo = tree.repo("a\nb/repo");
    tree.git(
        "a\nb/repo",
        &["worktree", "add", "-q", "-b", "one", "../../one"],
    );
    tree.git(
        "a\nb/repo",
        &["worktree", "add", "-q", "-b", "two", "../two"],
    );
    for worktree in ["one", "a\nb/two"] {
        let root = canonical_root(&tree.path(worktree)).unwrap();
        assert_eq!(root.path, repo, "{:?}", root.notes);
    }
}

#[test]
fn all_working_trees_of_a_root_are_listed_from_each_of_them() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("repo", &["worktree", "add", "-q", "../one"]);
    tree.git("repo", &["worktree", "add", "-q", "inside/two"]);
    tree.git("repo", &["worktree", "add", "-q", "../gone"]);
    fs::remove_dir_all(tree.path("gone")).unwrap();
    let expected = ["one", "repo", "repo/inside/two"].map(|name| tree.path(name));
    for cwd in ["repo", "repo/sub", "one", "repo/inside/two"] {
        let root = canonical_root(&tree.path(cwd)).unwrap();
        assert_eq!(memdir_paths::worktrees(&root), expected, "{cwd}");
    }
    let listed = tree.git("repo", &["worktree", "list", "--porcelain"]);
    for folder in &expected {
        assert!(
            listed.contains(&format!("worktree {}", folder.display())),
            "{listed}"
        );
    }
}

#[test]
fn the_worktrees_of_a_bare_store_are_listed_too() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("", &["clone", "-q", "--bare", "repo", "bare.git"]);
    tree.git("bare.git", &["worktree", "add", "-q", "../wt"]);
    let root = canonical_root(&tree.path("wt")).unwrap();
    assert_eq!(memdir_paths::worktrees(&root), [tree.path("wt")]);
}

#[test]
fn a_worktree_that_does_not_lead_back_is_not_listed() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.repo("victim");
    tree.file(
        "repo/.git/worktrees/x/gitdir",
        format!("{}\n", tree.path("victim/.git").display()),
    );
    tree.file("repo/.git/worktrees/y/gitdir", "nonsense");
    tree.dir("repo/.git/worktrees/z");
    let root = canonical_root(&tree.path("repo")).unwrap();
    assert_eq!(memdir_paths::worktrees(&root), [tree.path("repo")]);
    // Without a repository there is the folder alone.
    let root = canonical_root(&tree.dir("plain")).unwrap();
    assert_eq!(memdir_paths::worktrees(&root), [tree.path("plain")]);
}
