//! Canonical roots where the git directory lies elsewhere: submodules, bare and separate stores.

use std::fs;

use memdir_paths::{RootKind, Settings, canonical_root, resolve};

use crate::roots::{check, git_top};
use crate::support::Tree;

#[test]
fn a_submodule_has_its_own_root() {
    let tree = Tree::new();
    tree.repo("lib");
    tree.repo("super");
    tree.git("super", &["submodule", "-q", "add", "../lib", "sub/lib"]);
    tree.git("super", &["commit", "-q", "-m", "second"]);
    check(
        &tree,
        "super/sub/lib/sub/deep",
        "super/sub/lib",
        RootKind::Submodule,
    );
    assert_eq!(
        git_top(&tree, "super/sub/lib/sub"),
        tree.path("super/sub/lib")
    );
    check(&tree, "super", "super", RootKind::Repository);
    let found = resolve(
        &tree.env(),
        &Settings::default(),
        &tree.path("super/sub/lib"),
    )
    .unwrap();
    let dir = found.dir.unwrap().path().to_str().unwrap().to_owned();
    assert!(dir.ends_with("-super-sub-lib/memory"), "{dir}");
    assert!(!dir.contains("-git-modules-"), "{dir}");

    // In a linked worktree the submodule lies at `.git/worktrees/NAME/modules`.
    tree.git("super", &["worktree", "add", "-q", "../wt"]);
    tree.git("wt", &["submodule", "-q", "update", "--init"]);
    check(&tree, "wt/sub/lib/sub", "wt/sub/lib", RootKind::Submodule);
}

/// Old clones keep the git directory of a submodule in the submodule itself.
#[test]
fn an_old_style_submodule_and_a_nested_repository_have_their_own_roots() {
    let tree = Tree::new();
    tree.repo("super");
    tree.repo("super/inner");
    check(
        &tree,
        "super/inner/sub",
        "super/inner",
        RootKind::Repository,
    );
    check(&tree, "super/sub", "super", RootKind::Repository);
}

#[test]
fn a_worktree_of_a_submodule_belongs_to_the_submodule() {
    let tree = Tree::new();
    tree.repo("lib");
    tree.repo("super");
    tree.git("super", &["submodule", "-q", "add", "../lib", "lib"]);
    tree.git("super/lib", &["worktree", "add", "-q", "../../wt"]);
    check(&tree, "wt/sub", "super/lib", RootKind::WorktreeOfSubmodule);
    check(&tree, "super/lib", "super/lib", RootKind::Submodule);

    // The submodule of a worktree of the superproject, and a worktree of that.
    tree.git("super", &["commit", "-q", "-m", "second"]);
    tree.git("super", &["worktree", "add", "-q", "../swt"]);
    tree.git("swt", &["submodule", "-q", "update", "--init"]);
    tree.git("swt/lib", &["worktree", "add", "-q", "../../wt2"]);
    check(&tree, "wt2", "swt/lib", RootKind::WorktreeOfSubmodule);

    // With a config of its own for each worktree, git moves the key to a second file.
    tree.git(
        "super/lib",
        &["config", "extensions.worktreeConfig", "true"],
    );
    let work_tree = tree.git("super/lib", &["config", "core.worktree"]);
    tree.git("super/lib", &["config", "--unset", "core.worktree"]);
    tree.file(
        "super/.git/modules/lib/config.worktree",
        format!("[core]\n\tworktree = {work_tree}\n"),
    );
    check(&tree, "wt", "super/lib", RootKind::WorktreeOfSubmodule);

    // A superproject that lost its `HEAD` changes nothing.
    fs::remove_file(tree.path("super/.git/HEAD")).unwrap();
    check(&tree, "wt", "super/lib", RootKind::WorktreeOfSubmodule);
}

#[test]
fn worktrees_of_a_bare_store_share_the_store() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("", &["clone", "-q", "--bare", "repo", "bare.git"]);
    tree.git("bare.git", &["worktree", "add", "-q", "../wt"]);
    tree.git(
        "bare.git",
        &["worktree", "add", "-q", "-b", "two", "../wt2"],
    );
    check(&tree, "wt/sub", "bare.git", RootKind::WorktreeOfStore);
    check(&tree, "wt2", "bare.git", RootKind::WorktreeOfStore);
    // A bare store as the working directory is not a repository.
    check(&tree, "bare.git", "bare.git", RootKind::NoRepository);
    check(
        &tree,
        "bare.git/refs/heads",
        "bare.git/refs/heads",
        RootKind::NoRepository,
    );
}

/// `p/.bare`, `p/.git` that points at it, and worktrees as subfolders.
#[test]
fn a_folder_with_a_bare_store_inside_shares_it_with_its_worktrees() {
    for (store, root) in [(".bare", "p/.bare"), ("store/.git", "p/store")] {
        let tree = Tree::new();
        tree.repo("repo");
        tree.dir("p/store");
        tree.git(
            "",
            &["clone", "-q", "--bare", "repo", &format!("p/{store}")],
        );
        tree.file("p/.git", format!("gitdir: ./{store}\n"));
        tree.git("p", &["worktree", "add", "-q", "main-tree"]);
        tree.git("p", &["worktree", "add", "-q", "feature"]);
        for cwd in ["p", "p/docs"] {
            check(&tree, cwd, root, RootKind::BareFolder);
        }
        let kind = if store == ".bare" {
            RootKind::WorktreeOfStore
        } else {
            RootKind::LinkedWorktree
        };
        for cwd in ["p/main-tree", "p/feature/sub"] {
            check(&tree, cwd, root, kind);
        }
    }
}

#[test]
fn a_store_without_the_bare_setting_does_not_stand_for_its_folder() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("", &["clone", "-q", "--bare", "repo", "p/.bare"]);
    tree.file("p/.git", "gitdir: ./.bare\n");
    tree.git("p/.bare", &["config", "core.bare", "false"]);
    check(&tree, "p", "p", RootKind::OwnFolder);
    tree.git("p/.bare", &["config", "core.bare", "true"]);
    check(&tree, "p", "p/.bare", RootKind::BareFolder);
    for part in ["HEAD", "objects", "refs"] {
        let (here, away) = (tree.path("p/.bare").join(part), tree.path(part));
        fs::rename(&here, &away).unwrap();
        let root = canonical_root(&tree.path("p")).unwrap();
        assert_eq!(root.path, tree.path("p"), "without {part}");
        fs::rename(&away, &here).unwrap();
    }
}

#[test]
fn a_separate_git_directory_leaves_the_root_where_the_work_is() {
    let tree = Tree::new();
    let store = tree.dir("store").join("g.git");
    tree.git(
        "",
        &[
            "init",
            "-q",
            &format!("--separate-git-dir={}", store.display()),
            "sep",
        ],
    );
    tree.git("sep", &["commit", "-q", "--allow-empty", "-m", "first"]);
    tree.git("sep", &["worktree", "add", "-q", "../wt"]);
    check(&tree, "sep/s", "sep", RootKind::OwnFolder);
    check(&tree, "wt", "store/g.git", RootKind::WorktreeOfStore);

    let store = tree.dir("other").join(".git");
    tree.git(
        "",
        &[
            "init",
            "-q",
            &format!("--separate-git-dir={}", store.display()),
            "sep2",
        ],
    );
    tree.git("sep2", &["commit", "-q", "--allow-empty", "-m", "first"]);
    tree.git("sep2", &["worktree", "add", "-q", "../wt2"]);
    check(&tree, "wt2", "other", RootKind::LinkedWorktree);
}

/// Stores of submodules lie below other names than `.git` too.
#[test]
fn a_worktree_of_a_submodule_below_any_store_belongs_to_the_submodule() {
    let tree = Tree::new();
    let library = tree.repo("library");
    let library = library.to_str().unwrap();
    let seed = tree.repo("seed");
    let add = ["submodule", "add", "-q", library, "lib"];

    // In a worktree of a bare store: `.bare/worktrees/main/modules/lib`.
    tree.git(
        "p",
        &["clone", "-q", "--bare", seed.to_str().unwrap(), ".bare"],
    );
    tree.file("p/.git", "gitdir: ./.bare\n");
    tree.git("p", &["worktree", "add", "-q", "main"]);
    tree.git("p/main", &add);
    tree.git("p/main/lib", &["worktree", "add", "-q", "../../../one"]);

    // In a checkout with a separate git directory: `store/g.git/modules/lib`.
    let store = tree.dir("store").join("g.git");
    let separate = format!("--separate-git-dir={}", store.display());
    tree.git("super", &["init", "-q", &separate]);
    tree.git("super", &["commit", "-q", "--allow-empty", "-m", "x"]);
    tree.git("super", &add);
    tree.git("super/lib", &["worktree", "add", "-q", "../../two"]);

    for (submodule, worktree) in [("p/main/lib", "one"), ("super/lib", "two")] {
        let own = canonical_root(&tree.path(submodule)).unwrap();
        assert_eq!(own.kind, RootKind::Submodule);
        let root = canonical_root(&tree.path(worktree)).unwrap();
        assert_eq!(root.kind, RootKind::WorktreeOfSubmodule, "{worktree}");
        assert_eq!(root.path, tree.path(submodule));
        assert_eq!((own.notes, root.notes), (vec![], vec![]));
    }
    // A bare store in a folder called `modules`, beside a file called `HEAD`, is a bare store.
    tree.file("w/HEAD", "x");
    tree.git(
        "w/modules",
        &["clone", "-q", "--bare", seed.to_str().unwrap(), "b.git"],
    );
    tree.git(
        "w/modules/b.git",
        &["worktree", "add", "-q", "../../../three"],
    );
    let root = canonical_root(&tree.path("three")).unwrap();
    assert_eq!(root.path, tree.path("w/modules/b.git"));
}
