//! The record of the roots that use a directory, and collisions.

use std::fs;
use std::path::{Path, PathBuf};

use memdir_paths::{
    Collisions, MAX_IDENTITY_BYTES, MemoryDir, Recorded, Settings, collisions, resolve,
};

use crate::support::Tree;

fn text(dir: &MemoryDir) -> String {
    fs::read_to_string(dir.identity_file()).unwrap()
}

/// Two projects whose names differ only in punctuation share a store by the format; they are
/// told apart by what really uses it.
#[test]
fn two_living_roots_on_one_key_are_told_apart() {
    let tree = Tree::new();
    let mut dirs = Vec::new();
    for name in ["my_app", "my-app", "my.app"] {
        let root = tree.dir(name);
        let found = resolve(&tree.env(), &Settings::default(), &root).unwrap();
        let dir = found.dir.clone().unwrap();
        assert_eq!(collisions(&dir).living.len(), dirs.len());
        assert_eq!(collisions(&dir).is_shared(), dirs.len() > 1);
        assert_eq!(found.ensure().unwrap().unwrap().recorded, Recorded::Added);
        dirs.push(dir);
    }
    assert_eq!(dirs[0], dirs[1]);
    let found = collisions(&dirs[0]);
    let expected: Vec<PathBuf> = ["my_app", "my-app", "my.app"].map(|n| tree.path(n)).into();
    assert_eq!(found.living, expected);
    assert!(found.is_shared());

    // One of them is deleted: no collision of the living any more.
    fs::remove_dir(tree.path("my-app")).unwrap();
    fs::remove_dir(tree.path("my.app")).unwrap();
    tree.file("my.app", "a file now");
    let found = collisions(&dirs[0]);
    assert_eq!(found.living, [tree.path("my_app")]);
    assert_eq!(found.gone, [tree.path("my-app"), tree.path("my.app")]);
    assert!(!found.is_shared());
}

#[test]
fn a_known_root_is_not_written_again() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.path("m"));
    let root = tree.dir("r");
    assert_eq!(dir.ensure(Some(&root)).unwrap().recorded, Recorded::Added);
    let before = text(&dir);
    insta::assert_snapshot!(before.replace(&*tree.root().to_string_lossy(), "ROOT"), @r#"
    {
      "roots": [
        {
          "path": "ROOT/r"
        }
      ],
      "version": 1
    }
    "#);
    let modified = fs::metadata(dir.identity_file())
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(dir.ensure(Some(&root)).unwrap().recorded, Recorded::Known);
    assert_eq!(text(&dir), before);
    assert_eq!(
        fs::metadata(dir.identity_file())
            .unwrap()
            .modified()
            .unwrap(),
        modified
    );
}

#[test]
fn an_absent_record_is_no_collision() {
    let tree = Tree::new();
    assert_eq!(
        collisions(&MemoryDir::new(tree.path("none"))),
        Collisions::default()
    );
}

#[test]
fn a_damaged_record_is_moved_aside_and_begun_anew() {
    for damage in ["", "{", "[]", "{\"roots\": 1}", "\0\0"] {
        let tree = Tree::new();
        let dir = MemoryDir::new(tree.dir("m"));
        fs::write(dir.identity_file(), damage).unwrap();
        assert!(collisions(&dir).damaged.is_some(), "{damage}");
        let root = tree.dir("r");
        assert_eq!(
            dir.ensure(Some(&root)).unwrap().recorded,
            Recorded::Renewed,
            "{damage}"
        );
        assert_eq!(collisions(&dir).living, [root]);
        let aside = dir.path().join(".memdir-identity.damaged.json");
        assert_eq!(fs::read_to_string(aside).unwrap(), damage);
    }
}

#[test]
fn odd_entries_are_skipped_and_foreign_keys_are_kept() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.dir("m"));
    let old = r#"{"version": 2, "later": {"a": 1},
        "roots": [1, null, {}, {"path": 3}, {"path": "relative"}, {"bytes": "zz"}, {"path": "/gone", "x": 2}]}"#;
    fs::write(dir.identity_file(), old).unwrap();
    let found = collisions(&dir);
    assert_eq!(
        (found.living, found.gone),
        (vec![], vec![PathBuf::from("/gone")])
    );
    assert_eq!(
        dir.ensure(Some(tree.root())).unwrap().recorded,
        Recorded::Added
    );
    let json: serde_json::Value = serde_json::from_str(&text(&dir)).unwrap();
    assert_eq!(json["version"], 2);
    assert_eq!(json["later"]["a"], 1);
    assert_eq!(json["roots"][6]["x"], 2);
    assert_eq!(json["roots"].as_array().unwrap().len(), 8);
}

#[test]
fn a_huge_record_is_damage_and_costs_no_memory() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.dir("m"));
    fs::File::create(dir.identity_file())
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    assert_eq!(collisions(&dir).damaged.as_deref(), Some("it is too large"));
    assert_eq!(
        dir.ensure(Some(tree.root())).unwrap().recorded,
        Recorded::Renewed
    );
    assert!(fs::metadata(dir.identity_file()).unwrap().len() < MAX_IDENTITY_BYTES);
}

#[test]
fn the_number_of_recorded_roots_is_bounded() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.dir("m"));
    let roots: Vec<_> = (0..1_000)
        .map(|n| serde_json::json!({ "path": format!("/r/{n}") }))
        .collect();
    fs::write(
        dir.identity_file(),
        serde_json::json!({ "roots": roots }).to_string(),
    )
    .unwrap();
    let before = text(&dir);
    let recorded = dir.ensure(Some(tree.root())).unwrap().recorded;
    assert_eq!(
        recorded,
        Recorded::Failed("too many roots are recorded".to_owned())
    );
    assert_eq!(text(&dir), before);
}

#[test]
#[cfg(unix)]
fn a_record_that_is_a_link_is_neither_read_nor_written_through() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.dir("m"));
    let victim = tree.file("victim.json", r#"{"roots": [{"path": "/"}]}"#);
    std::os::unix::fs::symlink(&victim, dir.identity_file()).unwrap();
    assert_eq!(
        collisions(&dir).damaged.as_deref(),
        Some("expected a regular file")
    );
    assert_eq!(
        dir.ensure(Some(tree.root())).unwrap().recorded,
        Recorded::Renewed
    );
    assert_eq!(
        fs::read_to_string(victim).unwrap(),
        r#"{"roots": [{"path": "/"}]}"#
    );
}

#[test]
#[cfg(unix)]
fn a_root_whose_name_is_not_unicode_is_recorded() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.path("m"));
    let roots = [b"a\xff".as_slice(), b"a\xfe"].map(|name| {
        let root = tree.root().join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir(&root).unwrap();
        assert_eq!(dir.ensure(Some(&root)).unwrap().recorded, Recorded::Added);
        assert_eq!(dir.ensure(Some(&root)).unwrap().recorded, Recorded::Known);
        root
    });
    assert_eq!(collisions(&dir).living, roots);
}

/// Each thread has a root of its own; none of the others' records is lost.
#[test]
#[expect(clippy::disallowed_methods, reason = "concurrency is what is tested")]
fn concurrent_writers_of_the_record_lose_nothing() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.path("a/m"));
    let roots: Vec<PathBuf> = (0..24)
        .map(|n| tree.dir(&format!("roots/{n:02}")))
        .collect();
    let threads: Vec<_> = roots
        .iter()
        .map(|root| {
            let (dir, root) = (dir.clone(), root.clone());
            std::thread::spawn(move || dir.ensure(Some(&root)).unwrap().recorded)
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), Recorded::Added);
    }
    let mut living = collisions(&dir).living;
    living.sort();
    assert_eq!(living, roots);
    let left: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, [".memdir-identity.json"], "no temporary file is left");
}

#[test]
fn leftovers_of_a_killed_writer_are_ignored_and_removed() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.dir("m"));
    tree.file(
        "m/.memdir-identity.jsonAbC123.tmp",
        "{\"roots\": [{\"path\": \"/to",
    );
    tree.file("m/other.tmp", "not ours");
    assert_eq!(collisions(&dir), Collisions::default());
    dir.ensure(Some(tree.root())).unwrap();
    let mut left: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".memdir-identity.json", "other.tmp"]);
}

#[test]
fn a_record_that_cannot_be_written_does_not_spoil_the_directory() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.dir("m"));
    // A folder in the place of the record, and one in the place it would be moved to.
    fs::create_dir_all(dir.identity_file().join("x")).unwrap();
    fs::create_dir_all(dir.path().join(".memdir-identity.damaged.json/x")).unwrap();
    let done = dir.ensure(Some(Path::new("/"))).unwrap();
    assert!(
        matches!(done.recorded, Recorded::Failed(_)),
        "{:?}",
        done.recorded
    );
}

/// Ten thousands of entries cost no more than reading them.
#[test]
fn every_recorded_root_is_named_once() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.dir("m"));
    let mut roots: Vec<_> = (0..10_000)
        .map(|n| serde_json::json!({ "path": format!("/gone/{n}") }))
        .collect();
    roots.extend(roots.clone());
    roots.truncate(10_500);
    let json = serde_json::json!({ "roots": roots })
        .to_string()
        .replace(": ", ":");
    assert!((json.len() as u64) < MAX_IDENTITY_BYTES);
    fs::write(dir.identity_file(), json).unwrap();
    assert_eq!(collisions(&dir).gone.len(), 10_000);
}

#[test]
fn a_relative_root_is_neither_recorded_nor_believed() {
    let tree = Tree::new();
    let dir = MemoryDir::new(tree.path("m"));
    let error = dir.ensure(Some(Path::new("project"))).unwrap_err();
    assert_eq!(error.to_string(), "\"project\": expected an absolute path");
    assert!(!dir.exists(), "refused before anything is created");
    dir.ensure(None).unwrap();
    // "." in hexadecimal, and nothing at all.
    fs::write(
        dir.identity_file(),
        r#"{"roots": [{"bytes": "2e"}, {"bytes": ""}, {"path": "."}]}"#,
    )
    .unwrap();
    assert_eq!(collisions(&dir), Collisions::default());
}

#[cfg(unix)]
mod modes {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_new_record_is_as_open_as_its_directory_and_an_old_one_keeps_its_mode() {
        for (folder, record) in [(0o700, 0o600), (0o755, 0o644), (0o775, 0o664)] {
            let tree = Tree::new();
            let dir = MemoryDir::new(tree.dir("m"));
            set(dir.path(), folder);
            dir.ensure(Some(&tree.dir("a"))).unwrap();
            assert_eq!(mode(&dir.identity_file()), record);
            set(&dir.identity_file(), 0o640);
            dir.ensure(Some(&tree.dir("b"))).unwrap();
            assert_eq!(mode(&dir.identity_file()), 0o640);
            assert_eq!(collisions(&dir).living.len(), 2);
        }
    }

    /// A record that may not be read may be whole: it is not moved aside.
    #[test]
    fn a_record_that_may_not_be_read_stays_where_it_is() {
        let tree = Tree::new();
        let dir = MemoryDir::new(tree.path("m"));
        let first = tree.dir("first");
        dir.ensure(Some(&first)).unwrap();
        set(&dir.identity_file(), 0);
        let refused = fs::File::open(dir.identity_file()).is_err();
        let recorded = dir.ensure(Some(&tree.dir("second"))).unwrap().recorded;
        let damaged = collisions(&dir).damaged;
        set(&dir.identity_file(), 0o600);
        // As root nothing is refused, and then the answer is the plain one.
        if refused {
            assert!(matches!(recorded, Recorded::Failed(_)), "{recorded:?}");
            assert!(damaged.is_some());
            assert_eq!(collisions(&dir).living, [first]);
        } else {
            assert_eq!(recorded, Recorded::Added);
        }
        assert!(!dir.path().join(".memdir-identity.damaged.json").exists());
    }
}

/// Many sessions of one project that begin at once: the root stands in the record once.
#[test]
#[expect(clippy::disallowed_methods, reason = "concurrency is what is tested")]
fn one_root_recorded_by_many_at_once_is_one_entry() {
    let tree = Tree::new();
    let root = tree.dir("r");
    for round in 0..8 {
        let dir = MemoryDir::new(tree.dir(&format!("m{round}")));
        let start = std::sync::Arc::new(std::sync::Barrier::new(8));
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let (dir, root, start) = (dir.clone(), root.clone(), start.clone());
                std::thread::spawn(move || {
                    start.wait();
                    dir.ensure(Some(&root)).unwrap().recorded
                })
            })
            .collect();
        let answers: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        let added = answers.iter().filter(|a| **a == Recorded::Added).count();
        assert_eq!(added, 1, "{answers:?}");
        assert_eq!(text(&dir).matches("\"path\"").count(), 1);
    }
}
