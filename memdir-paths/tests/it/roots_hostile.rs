//! Pointers that lie or lead nowhere, and repositories that may not be opened.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use memdir_paths::{NoteKind, Root, RootKind, canonical_root};

use crate::support::Tree;

/// The folder itself is the root, and exactly this was noticed.
#[track_caller]
fn check(tree: &Tree, cwd: &str, root: &str, kind: NoteKind) -> Root {
    let found = canonical_root(&tree.path(cwd)).unwrap();
    assert_eq!(found.path, tree.path(root));
    assert_eq!(
        found.notes.iter().map(|n| n.kind).collect::<Vec<_>>(),
        [kind]
    );
    found
}

/// A repository `repo` with a linked worktree `wt`.
fn with_worktree() -> Tree {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("repo", &["worktree", "add", "-q", "../wt"]);
    tree
}

#[test]
fn a_git_file_that_names_a_foreign_repository_gains_nothing() {
    let tree = with_worktree();
    tree.file(
        "evil/.git",
        format!("gitdir: {}\n", tree.path("repo/.git").display()),
    );
    tree.dir("evil/s");
    let found = check(&tree, "evil/s", "evil", NoteKind::UnconfirmedPointer);
    assert_eq!(found.kind, RootKind::OwnFolder);
}

#[test]
fn a_copied_worktree_pointer_gains_nothing() {
    let tree = with_worktree();
    tree.dir("evil/s");
    fs::copy(tree.path("wt/.git"), tree.path("evil/.git")).unwrap();
    check(&tree, "evil/s", "evil", NoteKind::ForgedPointer);
    // Nor does a link to the pointer file of somebody else.
    tree.link("evil2/.git", tree.path("wt/.git"));
    check(&tree, "evil2", "evil2", NoteKind::ForgedPointer);
    // The worktree itself is as it was.
    assert_eq!(
        canonical_root(&tree.path("wt")).unwrap().path,
        tree.path("repo")
    );
}

#[test]
fn a_pointer_without_a_back_link_gains_nothing() {
    let tree = with_worktree();
    fs::remove_file(tree.path("repo/.git/worktrees/wt/gitdir")).unwrap();
    check(&tree, "wt", "wt", NoteKind::ForgedPointer);
    let other = format!("{}\n", tree.path("wt/other").display());
    for back in [
        &*other,
        "",
        "\n",
        "/nowhere/.git\n",
        "wt/.git\n",
        "\0",
        "../../../../wt\n",
    ] {
        tree.file("repo/.git/worktrees/wt/gitdir", back);
        check(&tree, "wt", "wt", NoteKind::ForgedPointer);
    }
}

#[test]
fn a_moved_worktree_stands_for_itself_until_it_is_repaired() {
    let tree = with_worktree();
    fs::rename(tree.path("wt"), tree.path("wt2")).unwrap();
    let found = check(&tree, "wt2/sub", "wt2", NoteKind::ForgedPointer);
    assert!(found.notes[0].to_string().contains("git worktree repair"));
    tree.git("repo", &["worktree", "repair", "../wt2"]);
    let found = canonical_root(&tree.path("wt2/sub")).unwrap();
    assert_eq!((found.path, found.notes), (tree.path("repo"), vec![]));
}

#[test]
fn a_worktree_of_a_deleted_repository_stands_for_itself() {
    let tree = with_worktree();
    fs::remove_dir_all(tree.path("repo")).unwrap();
    check(&tree, "wt/sub", "wt", NoteKind::DanglingPointer);
}

#[test]
fn a_common_directory_that_is_missing_or_foreign_gains_nothing() {
    let tree = with_worktree();
    tree.repo("victim");
    let common = "repo/.git/worktrees/wt/commondir";
    tree.file(common, format!("{}\n", tree.path("victim/.git").display()));
    check(&tree, "wt", "wt", NoteKind::ForgedPointer);
    tree.file(common, "/nowhere\n");
    check(&tree, "wt", "wt", NoteKind::DanglingPointer);
    tree.file(common, "");
    check(&tree, "wt", "wt", NoteKind::DanglingPointer);
    fs::remove_file(tree.path(common)).unwrap();
    check(&tree, "wt", "wt", NoteKind::DanglingPointer);
}

/// A store that claims the folder of a victim as its working root.
#[test]
fn a_forged_work_tree_of_a_submodule_gains_nothing() {
    let tree = Tree::new();
    tree.repo("lib");
    tree.repo("victim");
    tree.repo("super");
    tree.git("super", &["submodule", "-q", "add", "../lib", "lib"]);
    tree.git("super/lib", &["worktree", "add", "-q", "../../wt"]);
    let config = "super/.git/modules/lib/config";
    let claim = |path: &std::path::Path| {
        tree.file(config, format!("[core]\n\tworktree = {}\n", path.display()));
    };
    claim(&tree.path("victim"));
    check(&tree, "wt", "wt", NoteKind::ForgedWorkTree);
    // A victim whose `.git` is a file of its own, and one that is a link to the right file.
    tree.git("victim", &["worktree", "add", "-q", "../victim-wt"]);
    claim(&tree.path("victim-wt"));
    check(&tree, "wt", "wt", NoteKind::ForgedWorkTree);
    let store = tree.path("super/.git/modules/lib");
    tree.file("super/lib/.git", format!("gitdir: {}\n", store.display()));
    tree.link("linked/.git", tree.path("super/lib/.git"));
    claim(&tree.path("linked"));
    check(&tree, "wt", "wt", NoteKind::ForgedWorkTree);
    claim(&tree.path("nowhere"));
    check(&tree, "wt", "wt", NoteKind::ForgedWorkTree);
    tree.file(config, "[core]\n");
    check(&tree, "wt", "wt", NoteKind::ForgedWorkTree);
    claim(&tree.path("super/lib"));
    assert_eq!(
        canonical_root(&tree.path("wt")).unwrap().path,
        tree.path("super/lib")
    );
}

/// The bare store of a victim, named from a folder of the attacker, also through a link.
#[test]
fn a_foreign_bare_store_gains_nothing() {
    let tree = Tree::new();
    tree.repo("repo");
    tree.git("", &["clone", "-q", "--bare", "repo", "victim.git"]);
    tree.file("evil/.git", "gitdir: ../victim.git\n");
    tree.link("evil2/.bare", tree.path("victim.git"));
    tree.file("evil2/.git", "gitdir: ./.bare\n");
    for cwd in ["evil", "evil2"] {
        let found = canonical_root(&tree.path(cwd)).unwrap();
        assert_eq!(
            (found.path, found.kind),
            (tree.path(cwd), RootKind::OwnFolder)
        );
    }
}

/// The store of somebody else's submodule.
#[test]
fn a_pointer_at_a_foreign_submodule_gains_nothing() {
    let tree = Tree::new();
    tree.repo("lib");
    tree.repo("super");
    tree.git("super", &["submodule", "-q", "add", "../lib", "lib"]);
    tree.file("evil/.git", "gitdir: ../super/.git/modules/lib\n");
    check(&tree, "evil", "evil", NoteKind::UnconfirmedPointer);
}

#[test]
fn files_that_are_no_pointers_are_noted() {
    let tree = Tree::new();
    tree.dir("w/s");
    for text in [
        "",
        "gitdir:",
        "gitdir:   ",
        "gitdir: \n",
        "GITDIR: /x",
        "gitdir: a\0b",
        "\u{feff}",
    ] {
        tree.file("w/.git", text);
        check(&tree, "w/s", "w", NoteKind::MalformedPointer);
    }
    tree.file("w/.git", "gitdir: ../nowhere\n");
    check(&tree, "w/s", "w", NoteKind::DanglingPointer);
    tree.file("w/.git", format!("gitdir: {}\n", "a/".repeat(3_000)));
    check(&tree, "w/s", "w", NoteKind::DanglingPointer);
    tree.file("w/.git", "gitdir: ../some-file\n");
    tree.file("some-file", "x");
    check(&tree, "w/s", "w", NoteKind::DanglingPointer);
    tree.file("w/.git", "gitdir: ../some-folder\n");
    tree.dir("some-folder");
    check(&tree, "w/s", "w", NoteKind::DanglingPointer);
}

#[test]
fn a_huge_pointer_file_is_not_read() {
    let tree = Tree::new();
    let file = fs::File::create(tree.dir("w").join(".git")).unwrap();
    // A sparse file of 1 TiB: reading it would take minutes and all memory.
    file.set_len(1 << 40).unwrap();
    check(&tree, "w", "w", NoteKind::PointerTooLarge);
}

#[test]
fn a_pipe_in_the_place_of_git_does_not_block() {
    let tree = with_worktree();
    let pipe = |name: &str| {
        let path = tree.path(name);
        fs::remove_file(&path).ok();
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
    };
    tree.dir("w");
    pipe("w/.git");
    check(&tree, "w", "w", NoteKind::MalformedPointer);
    pipe("repo/.git/worktrees/wt/gitdir");
    check(&tree, "wt", "wt", NoteKind::ForgedPointer);
    pipe("repo/.git/worktrees/wt/commondir");
    check(&tree, "wt", "wt", NoteKind::DanglingPointer);
}

/// "May not look" is told apart from "no repository". Without rights of its own this process
/// cannot be refused anything, so as root only the visible half is checked.
#[test]
fn a_git_directory_that_may_not_be_entered_still_makes_a_root() {
    let tree = Tree::new();
    tree.dir("closed/.git/sub");
    tree.dir("w/s");
    fs::write(tree.path("w/.git"), "gitdir: ../closed/.git\n").unwrap();
    let mode = |mode| fs::set_permissions(tree.path("closed"), fs::Permissions::from_mode(mode));
    mode(0o000).unwrap();
    let refused = fs::read_dir(tree.path("closed")).is_err();
    let found = canonical_root(&tree.path("w/s"));
    mode(0o700).unwrap();
    let found = found.unwrap();
    assert_eq!(found.path, tree.path("w"));
    assert!(found.is_repository());
    let expected = if refused {
        NoteKind::MayNotLook
    } else {
        NoteKind::DanglingPointer
    };
    assert_eq!(found.notes[0].kind, expected);
}

/// A container mount or a shared drive: git refuses such a repository, the root is the same.
/// Only root may give files away; elsewhere the repository stays our own and has no note.
#[test]
fn a_repository_of_another_user_has_its_root_and_a_note() {
    let tree = with_worktree();
    let given = ["repo", "repo/.git", "wt", "wt/.git"]
        .iter()
        .all(|name| std::os::unix::fs::chown(tree.path(name), Some(65_533), None).is_ok());
    for (cwd, kind) in [
        ("repo/sub", RootKind::Repository),
        ("wt", RootKind::LinkedWorktree),
    ] {
        let found = canonical_root(&tree.path(cwd)).unwrap();
        assert_eq!((found.path.clone(), found.kind), (tree.path("repo"), kind));
        let notes: Vec<_> = found.notes.iter().map(|note| note.kind).collect();
        let expected: &[NoteKind] = if given {
            &[NoteKind::ForeignOwner]
        } else {
            &[]
        };
        assert_eq!(notes, expected);
        #[cfg(feature = "git2")]
        {
            use memdir_paths::{CrossCheck, cross_check};
            let expected = if given {
                CrossCheck::MayNotOpen
            } else {
                CrossCheck::Agrees
            };
            assert_eq!(cross_check(&found), expected, "not 'no repository'");
        }
    }
}

/// Each part alone is enough to make git refuse.
#[test]
fn one_foreign_part_of_a_repository_is_noticed() {
    for part in ["wt", "wt/.git", "repo/.git/worktrees/wt"] {
        let tree = with_worktree();
        let given = std::os::unix::fs::chown(tree.path(part), Some(65_533), None).is_ok();
        let found = canonical_root(&tree.path("wt/sub")).unwrap();
        assert_eq!(found.path, tree.path("repo"), "{part}");
        assert_eq!(found.notes.len(), usize::from(given), "{part}");
    }
}
