//! Where names and paths really lead.

use std::fs;
use std::io::Read;
use std::path::Path;

use memdir_paths::{ErrorKind, contains, open_inside, resolve_inside};

use crate::support::Tree;

#[track_caller]
fn kind(root: &Path, name: &str) -> ErrorKind {
    let by_path = resolve_inside(root, name).unwrap_err().kind();
    assert_eq!(open_inside(root, name).unwrap_err().kind(), by_path);
    by_path
}

#[test]
fn names_below_the_root_are_found_whether_they_exist_or_not() {
    let tree = Tree::new();
    let root = tree.dir("m");
    tree.file("m/a/x.md", "text");
    assert_eq!(
        resolve_inside(&root, "a/x.md").unwrap(),
        root.join("a/x.md")
    );
    assert_eq!(
        resolve_inside(&root, "new/y.md").unwrap(),
        root.join("new/y.md")
    );
    // A root that does not exist yet.
    let later = tree.path("later/m");
    assert_eq!(resolve_inside(&later, "a.md").unwrap(), later.join("a.md"));
    let mut text = String::new();
    open_inside(&root, "a/x.md")
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "text");
    assert_eq!(
        open_inside(&root, "none.md").unwrap_err().kind(),
        ErrorKind::NotFound
    );
    assert_eq!(
        open_inside(&root, "a").unwrap_err().kind(),
        ErrorKind::NotAFile
    );
}

/// An unsafe name is refused before anything is created or looked at.
#[test]
fn unsafe_names_are_refused_and_nothing_is_created() {
    let tree = Tree::new();
    let root = tree.dir("m");
    let before = tree.listing();
    for name in [
        "/etc/cron.d/backdoor",
        r"C:\x",
        r"\\host\share\x",
        "../../../o",
        "",
        ".",
        "C:o",
    ] {
        assert!(
            matches!(kind(&root, name), ErrorKind::UnsafeName(_)),
            "{name}"
        );
    }
    assert_eq!(tree.listing(), before);
}

#[test]
fn a_relative_root_is_a_mistake_of_the_caller() {
    assert_eq!(kind(Path::new("m"), "a.md"), ErrorKind::RelativePath);
    assert!(!contains(Path::new("m"), Path::new("m/a")));
    assert!(!contains(Path::new("/m"), Path::new("m/a")));
}

#[test]
fn a_sibling_with_the_same_prefix_is_outside() {
    let tree = Tree::new();
    tree.dir("team");
    tree.dir("team-evil");
    let inside = |path: &str| contains(&tree.path("team"), &tree.path(path));
    assert!(inside("team"));
    assert!(inside("team/x.md"));
    assert!(inside("team/new/deep/x.md"));
    assert!(!inside("team-evil"));
    assert!(!inside("team-evil/x.md"));
    assert!(!inside("team/../esc.md"));
    assert!(!inside("team/missing/../../esc.md"));
    assert!(inside("team/../team/x.md"));
    assert!(!inside(""));
    // "Not a directory" and "name too long" only mean that nothing is there.
    tree.file("team/f.md", "x");
    assert!(inside("team/f.md/below"));
    assert!(inside(&format!("team/{}", "a".repeat(300))));
    assert!(!inside(&format!("team-evil/{}", "a".repeat(300))));
}

/// Work is bounded for a path of any length.
#[test]
fn a_path_of_megabytes_is_refused_at_once() {
    let long = format!("/{}", "a/".repeat(5_000_000));
    let error = memdir_paths::canonical_root(Path::new(&long)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().len() < 400);
    assert!(!contains(Path::new("/"), Path::new(&long)));
}

#[cfg(unix)]
mod links {
    use super::*;

    /// A link planted in the memory directory must not put any file into a prompt.
    #[test]
    fn a_link_that_leads_out_is_refused() {
        let tree = Tree::new();
        let root = tree.dir("memory");
        tree.file("secret", "secret");
        tree.dir("outside/sub");
        tree.link("memory/leak.md", "/etc/hostname");
        tree.link("memory/MEMORY.md", "../secret");
        tree.link("memory/lnk", "../outside");
        tree.link("memory/twice", "lnk");
        for name in [
            "leak.md",
            "MEMORY.md",
            "lnk/new.md",
            "lnk/sub/new.md",
            "twice/x.md",
        ] {
            assert_eq!(kind(&root, name), ErrorKind::Outside, "{name}");
            assert!(!contains(&root, &root.join(name)), "{name}");
        }
        // `..` behind a link is judged by where it really leads.
        assert!(!contains(&root, &root.join("lnk/sub/../x.md")));
    }

    #[test]
    fn a_link_that_stays_inside_is_followed() {
        let tree = Tree::new();
        let root = tree.dir("m");
        tree.file("m/a.md", "text");
        tree.link("m/alias.md", "a.md");
        tree.link("m/absolute.md", tree.path("m/a.md"));
        for name in ["alias.md", "absolute.md"] {
            assert_eq!(resolve_inside(&root, name).unwrap(), root.join("a.md"));
            let mut text = String::new();
            open_inside(&root, name)
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text, "text");
        }
    }

    #[test]
    fn dangling_links_and_loops_are_refused() {
        let tree = Tree::new();
        let root = tree.dir("m");
        tree.link("m/dangling", "../nowhere");
        tree.link("m/inside-dangling", "not-yet.md");
        tree.link("m/loop", "loop");
        tree.link("m/ping", "pong");
        tree.link("m/pong", "ping");
        assert_eq!(kind(&root, "dangling"), ErrorKind::DanglingLink);
        assert_eq!(kind(&root, "dangling/x.md"), ErrorKind::DanglingLink);
        // What such a link would create is unknown, even if it seems to stay inside.
        assert_eq!(kind(&root, "inside-dangling"), ErrorKind::DanglingLink);
        assert_eq!(kind(&root, "loop"), ErrorKind::Io);
        assert_eq!(kind(&root, "ping/x.md"), ErrorKind::Io);
        for name in [
            "dangling",
            "dangling/x",
            "inside-dangling",
            "loop",
            "ping/x",
        ] {
            assert!(!contains(&root, &root.join(name)), "{name}");
        }
        assert!(!contains(&root.join("loop"), &root.join("loop/x")));
    }

    /// People link the whole directory into a synced or versioned folder.
    #[test]
    fn a_root_that_is_a_link_makes_its_target_the_boundary() {
        let tree = Tree::new();
        let target = tree.dir("sync/mem");
        tree.file("sync/mem/a.md", "text");
        tree.link("store/memory", &target);
        tree.file("sync/other.md", "x");
        tree.link("sync/mem/out.md", "../other.md");
        let root = tree.path("store/memory");
        assert_eq!(resolve_inside(&root, "a.md").unwrap(), target.join("a.md"));
        assert_eq!(
            resolve_inside(&root, "new.md").unwrap(),
            target.join("new.md")
        );
        assert!(open_inside(&root, "a.md").is_ok());
        assert!(contains(&root, &root.join("a.md")));
        assert!(contains(&root, &target.join("a.md")));
        assert_eq!(kind(&root, "out.md"), ErrorKind::Outside);
    }

    #[test]
    fn a_refusal_of_the_system_fails_closed() {
        use std::os::unix::fs::PermissionsExt;
        let tree = Tree::new();
        let root = tree.dir("m");
        tree.dir("m/closed/sub");
        let mode =
            |mode| fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(mode));
        mode(0).unwrap();
        // As root nothing is refused, and then the answer is the plain one.
        let refused = fs::read_dir(root.join("closed")).is_err();
        let inside = contains(&root, &root.join("closed/sub/x.md"));
        mode(0o700).unwrap();
        assert_eq!(inside, !refused);
        // A path longer than the system takes is an error that is not "name too long" for every
        // part; whatever it is called, it must not count as inside somewhere else.
        let long = root
            .join("a/".repeat(5_000))
            .join("../../../../../../../../x");
        assert!(!contains(&root.join("elsewhere"), &long));
    }

    #[test]
    fn a_pipe_is_refused_without_waiting() {
        let tree = Tree::new();
        let root = tree.dir("m");
        let path = root.join("pipe.md");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
        assert_eq!(
            open_inside(&root, "pipe.md").unwrap_err().kind(),
            ErrorKind::NotAFile
        );
    }

    #[test]
    fn what_leads_out_is_named_by_its_real_folder() {
        let tree = Tree::new();
        let root = tree.dir("m");
        tree.link("m/out.md", "../x.md");
        tree.file("x.md", "outside");
        let error = resolve_inside(&root, "out.md").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Outside);
        assert_eq!(error.path(), Some(root.join("out.md").as_path()));
    }

    #[test]
    fn no_program_that_is_started_inherits_the_file() {
        let tree = Tree::new();
        let root = tree.dir("m");
        tree.file("m/a/x.md", "text");
        let file = open_inside(&root, "a/x.md").unwrap();
        let flags = rustix::io::fcntl_getfd(&file).unwrap();
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
    }

    /// 128 names of 255 bytes, which nobody has.
    #[test]
    fn the_longest_path_is_examined_and_one_byte_more_is_refused() {
        let path = format!("/{}", "n".repeat(255)).repeat(128);
        assert_eq!(path.len(), 32_768);
        assert!(contains(Path::new("/"), Path::new(&path)));
        let path = path.replacen("n/", "nn/", 1);
        assert!(!contains(Path::new("/"), Path::new(&path)));
    }

    /// With a separator at the end the system asks about the target, not about the link.
    #[test]
    fn a_dangling_link_with_a_separator_behind_it_is_refused() {
        let tree = Tree::new();
        let root = tree.dir("m");
        tree.link("m/dangling", "../nowhere");
        for end in ["", "/", "/.", "//", "/./"] {
            let path = format!("{}/dangling{end}", root.display());
            assert!(!contains(&root, Path::new(&path)), "{path}");
        }
        assert!(contains(
            &root,
            Path::new(&format!("{}/new/", root.display()))
        ));
    }

    /// A path that is too long for the system in this spelling, and short once its links are
    /// resolved: the part that could not be looked at is looked at then.
    #[test]
    fn a_long_spelling_hides_no_link() {
        let tree = Tree::new();
        let root = tree.dir(&"r".repeat(200));
        tree.dir("outside");
        tree.link(&format!("{}/out", "r".repeat(200)), "../outside");
        let own = "s".repeat(250);
        tree.link(&format!("{}/{own}", "r".repeat(200)), ".");
        let detour = format!("{own}/").repeat(16);
        for leaf in ["out/new.md", "out/new/deep.md"] {
            let name = format!("{detour}{leaf}");
            assert!(root.join(&name).as_os_str().len() > 4_096);
            assert_eq!(kind(&root, &name), ErrorKind::Outside);
            assert!(!contains(&root, &root.join(&name)));
        }
        let name = format!("{detour}in/new.md");
        assert_eq!(
            resolve_inside(&root, &name).unwrap(),
            root.join("in/new.md")
        );
    }

    /// The work for a long path with a missing end grows with its length, not with its square
    /// times its depth: in that case this test would take hours.
    #[test]
    fn a_long_missing_rest_below_a_deep_folder_costs_little() {
        let tree = Tree::new();
        let mut deep = tree.path("d");
        while deep.as_os_str().len() < 3_900 {
            deep.push("d");
        }
        fs::create_dir_all(&deep).unwrap();
        let rest = "x/".repeat(14_000);
        let path = deep.join(rest.trim_end_matches('/'));
        assert!(contains(&deep, &path));
        assert_eq!(memdir_paths::real_cwd(&path).unwrap(), path);
    }

    #[test]
    fn what_is_no_regular_file_is_told_apart() {
        let tree = Tree::new();
        let root = tree.dir("m");
        let _listening = std::os::unix::net::UnixListener::bind(root.join("socket.md")).unwrap();
        tree.link("m/self", ".");
        for name in ["socket.md", "self"] {
            assert_eq!(
                open_inside(&root, name).unwrap_err().kind(),
                ErrorKind::NotAFile,
                "{name}"
            );
        }
    }
}
