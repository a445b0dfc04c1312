//! What a scan lists, in what order, and what it says of the rest.

use std::fs;
use std::time::Duration;

use memdir_recall::{ErrorKind, Refreshed, Scan, ScanCache, ScanOptions, TeamFolder, scan};

use crate::world::{World, moment};

#[track_caller]
fn listed(world: &World) -> Vec<String> {
    names(&scan(world.dir(), &ScanOptions::default()).unwrap())
}

fn names(scan: &Scan) -> Vec<String> {
    scan.memories.iter().map(|m| m.file.clone()).collect()
}

#[track_caller]
fn skipped(world: &World) -> Vec<String> {
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    found.skipped.iter().map(ToString::to_string).collect()
}

#[test]
fn memories_in_sub_folders_are_listed_and_the_index_logs_and_other_files_are_not() {
    let world = World::new();
    world
        .write("feedback/a.md", "x")
        .write("MEMORY.md", "- [a](feedback/a.md)")
        .write("feedback/MEMORY.md", "x")
        .write("logs/2026/04/2026-04-01.md", "- 09:00 x")
        .write(".x.tmp", "x")
        .write(".hidden.md", "x")
        .write(".git/a.md", "x")
        .write("b.txt", "x")
        .write("team/t.md", "x")
        .write("deep/logs/kept.md", "x");
    for file in ["feedback/a.md", "team/t.md", "deep/logs/kept.md"] {
        world.set_age(file, 0);
    }
    assert_eq!(
        listed(&world),
        ["deep/logs/kept.md", "feedback/a.md", "team/t.md"]
    );
    assert_eq!(skipped(&world), [""; 0]);
    let private = ScanOptions::default().team(TeamFolder::Exclude);
    let found = scan(world.dir(), &private).unwrap();
    assert_eq!(names(&found), ["deep/logs/kept.md", "feedback/a.md"]);
}

#[test]
fn a_hidden_file_is_not_listed() {
    let world = World::new();
    world.write(".hidden", "x").write(".hidden.md", "x");
    assert_eq!(listed(&world), [""; 0]);
}

#[test]
fn a_description_that_is_no_text_is_empty_and_the_file_stays_listed() {
    let world = World::new();
    world.write(
        "a.md",
        "---\nname: a\ndescription: [1, 2]\ntype: user\n---\n\nx\n",
    );
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    assert_eq!(found.memories[0].header.description, None);
    assert!(!found.memories[0].header.warnings.is_empty());
}

#[test]
fn a_directory_that_is_missing_has_no_memories_and_is_not_created() {
    let world = World::new();
    let missing = world.outside("missing");
    let found = scan(&missing, &ScanOptions::default()).unwrap();
    assert_eq!(found, Scan::default());
    assert!(!missing.exists());
}

#[test]
fn newest_come_first_and_equal_times_go_by_name() {
    let world = World::new();
    for number in (0..20).rev() {
        let file = format!("{number:02}.md");
        world.write(&file, "x").set_age(&file, 5);
    }
    world.write("z.md", "x").set_age("z.md", 1);
    let expected: Vec<String> = std::iter::once("z.md".to_owned())
        .chain((0..20).map(|n| format!("{n:02}.md")))
        .collect();
    assert_eq!(listed(&world), expected);
    assert_eq!(listed(&world), expected);
}

#[test]
fn the_newest_200_are_listed_and_the_older_ones_counted() {
    let world = World::new();
    for number in 0..203u64 {
        let file = format!("{number:03}.md");
        world.write(&file, "x").set_age(&file, number);
    }
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    assert_eq!(
        (found.memories.len(), found.older, found.opened),
        (200, 3, 200)
    );
    assert_eq!(found.memories[199].file, "199.md");
    let all = scan(world.dir(), &ScanOptions::default().newest(usize::MAX)).unwrap();
    assert_eq!((all.memories.len(), all.older), (203, 0));
    let none = scan(world.dir(), &ScanOptions::default().newest(0)).unwrap();
    assert_eq!((none.memories.len(), none.older), (0, 203));
}

#[test]
fn only_the_first_30_lines_are_looked_at() {
    let world = World::new();
    let long = |lines: usize| format!("---\n{}description: d\n---\n\nx\n", "k: v\n".repeat(lines));
    // The fences and the description take three lines.
    world.write("in.md", long(27).replace("k: v\n", "# c\n"));
    world.write("out.md", long(40).replace("k: v\n", "# c\n"));
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    let description = |file: &str| {
        let memory = found.memories.iter().find(|m| m.file == file).unwrap();
        memory.header.description.clone()
    };
    assert_eq!(description("in.md").as_deref(), Some("d"));
    assert_eq!(description("out.md"), None);
}

#[test]
fn a_line_that_nearly_closes_the_block_does_not() {
    let world = World::new();
    // Other white space than blanks and tabs makes no fence.
    for (file, line) in [
        ("a.md", "---\u{c}"),
        ("b.md", "---\u{b}"),
        ("c.md", "---\r\r"),
    ] {
        let text = format!("---\nname: n\n{line}\ndescription: d\n---\n");
        world.write(file, &text);
        let found = scan(world.dir(), &ScanOptions::default()).unwrap();
        let memory = found.memories.iter().find(|m| m.file == file).unwrap();
        assert_eq!(memory.header, memdir_types::parse_header(&text), "{file}");
    }
}

#[test]
fn a_block_that_goes_on_behind_30_lines_is_known_as_one_whatever_follows() {
    let world = World::new();
    for next in ["x", "é", "字", "𒐀", "---\n", "-", "\n", ""] {
        for behind in ["", "tail\n", "---\n"] {
            let text = format!("---\nname: n\n{}{next}{behind}", "# c\n".repeat(28));
            world.write("a.md", &text);
            let found = scan(world.dir(), &ScanOptions::default()).unwrap();
            assert_eq!(
                found.memories[0].header,
                memdir_types::parse_header(&text),
                "{next:?} {behind:?}"
            );
        }
    }
}

#[test]
fn a_second_scan_of_an_unchanged_directory_opens_no_file() {
    let world = World::new();
    world.write("a.md", "x").write("sub/b.md", "x");
    let mut cache = ScanCache::new();
    let options = ScanOptions::default();
    let first = cache.scan(world.dir(), &options).unwrap();
    assert_eq!(first.opened, 2);
    let second = cache.scan(world.dir(), &options).unwrap();
    assert_eq!(second.opened, 0);
    assert_eq!(second.memories, first.memories);

    world.memory("a.md", "user", "changed", "y");
    let third = cache.scan(world.dir(), &options).unwrap();
    assert_eq!(third.opened, 1);
    assert_eq!(third.memories.len(), 2);
    let changed = third.memories.iter().find(|m| m.file == "a.md").unwrap();
    assert_eq!(changed.header.description.as_deref(), Some("changed"));

    fs::remove_file(world.path("sub/b.md")).unwrap();
    assert_eq!(names(&cache.scan(world.dir(), &options).unwrap()), ["a.md"]);
    // The same name in another directory is another file.
    let other = World::new();
    other.write("a.md", "z");
    assert_eq!(cache.scan(other.dir(), &options).unwrap().opened, 1);
}

#[test]
fn a_file_of_another_size_or_time_is_read_again() {
    let world = World::new();
    world.write("a.md", "x").set_age("a.md", 1);
    let mut cache = ScanCache::new();
    let opened = |cache: &mut ScanCache| {
        cache
            .scan(world.dir(), &ScanOptions::default())
            .unwrap()
            .opened
    };
    assert_eq!(opened(&mut cache), 1);
    world.write("a.md", "xy").set_age("a.md", 1);
    assert_eq!(opened(&mut cache), 1);
    world.set_age("a.md", 2);
    assert_eq!(opened(&mut cache), 1);
    assert_eq!(opened(&mut cache), 0);
}

#[test]
fn scanning_leaves_times_and_contents_alone() {
    let world = World::new();
    world.memory("a.md", "user", "d", "x").set_age("a.md", 7);
    let before = fs::read(world.path("a.md")).unwrap();
    let recall = world.recall();
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    let expected = moment() - Duration::from_secs(7 * 3_600);
    assert_eq!(
        fs::metadata(world.path("a.md"))
            .unwrap()
            .modified()
            .unwrap(),
        expected
    );
    assert_eq!(found.memories[0].modified, expected);
    assert_eq!(recall.memories()[0].modified, expected);
    assert_eq!(fs::read(world.path("a.md")).unwrap(), before);
    assert_eq!(fs::read_dir(world.dir()).unwrap().count(), 1);
}

#[test]
fn paths_are_absolute() {
    let world = World::new();
    world.write("sub/a.md", "x");
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    assert_eq!(found.memories[0].path, world.dir().join("sub").join("a.md"));
    let error = scan("memory", &ScanOptions::default()).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::RelativePath);
}

#[test]
fn one_bad_file_name_does_not_sink_the_scan() {
    let world = World::new();
    world.write("valid.md", "x").write("work:api.md", "x");
    assert_eq!(listed(&world), ["valid.md"]);
    assert_eq!(
        skipped(&world),
        [
            "work:api.md: not a name for a memory: it holds a character that not every system can store"
        ]
    );
}

#[test]
fn any_content_is_listed() {
    let world = World::new();
    world
        .write("binary.md", [0xff, 0x00, 0xfe, b'\n', 0x80])
        .write("empty.md", "")
        .write("bom.md", "\u{feff}---\nname: n\n---\n\nx")
        .write("open.md", "---\nname: n\n")
        .write("long.md", "x".repeat(1 << 20))
        .write("bomb.md", format!("---\na: {}\n---\n", "[".repeat(100_000)))
        .write("lines.md", "\n".repeat(1_000_000));
    assert_eq!(listed(&world).len(), 7);
    let recall = world.recall();
    assert_eq!(recall.memories().len(), 7);
}

#[test]
fn folders_beyond_eight_levels_are_reported() {
    let world = World::new();
    world.write("1/2/3/4/5/6/7/8/in.md", "x");
    world.write("1/2/3/4/5/6/7/8/9/out.md", "x");
    assert_eq!(listed(&world), ["1/2/3/4/5/6/7/8/in.md"]);
    assert_eq!(skipped(&world), ["1/2/3/4/5/6/7/8/9: deeper than 8 levels"]);
}

#[test]
fn more_folders_than_stay_open_are_read_all_the_same() {
    let world = World::new();
    for number in 0..100 {
        world.write(&format!("f{number}/a.md"), "---\nname: n\n---\n");
    }
    let found = scan(world.dir(), &ScanOptions::default()).unwrap();
    assert_eq!(found.memories.len(), 100);
    assert!(
        found
            .memories
            .iter()
            .all(|m| m.header.name.as_deref() == Some("n"))
    );
}

#[cfg(unix)]
mod unix {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_link_that_stays_inside_is_read_and_one_that_leads_out_is_refused() {
        let world = World::new();
        world
            .write("a.md", "---\nname: inner\n---\n")
            .set_age("a.md", 1);
        fs::write(world.outside("secret.md"), "---\nname: secret\n---\n").unwrap();
        fs::create_dir(world.outside("elsewhere")).unwrap();
        fs::write(world.outside("elsewhere/e.md"), "x").unwrap();
        symlink("a.md", world.path("in.md")).unwrap();
        symlink(world.outside("secret.md"), world.path("out.md")).unwrap();
        symlink("nowhere.md", world.path("dangling.md")).unwrap();
        symlink(world.outside("elsewhere"), world.path("folder")).unwrap();
        symlink(world.outside("secret.md"), world.path("no-memory.txt")).unwrap();
        assert_eq!(listed(&world), ["a.md", "in.md"]);
        assert_eq!(
            skipped(&world),
            [
                "dangling.md: a link that leads out of the memory directory",
                "folder: a link to a folder is not followed",
                "out.md: a link that leads out of the memory directory",
            ]
        );
        let found = scan(world.dir(), &ScanOptions::default()).unwrap();
        assert!(
            found
                .memories
                .iter()
                .all(|m| m.header.name.as_deref() == Some("inner"))
        );
    }

    #[test]
    fn a_cached_scan_reports_what_a_first_one_does() {
        let world = World::new();
        for file in ["b.md", "sub/a.md", "sub/c.md"] {
            world.write(file, "x").set_age(file, 1);
        }
        fs::write(world.outside("secret.md"), "x").unwrap();
        symlink("sub/a.md", world.path("in.md")).unwrap();
        symlink(world.outside("secret.md"), world.path("out.md")).unwrap();
        let mut cache = ScanCache::new();
        let mut check = |read: usize| {
            let known = cache.scan(world.dir(), &ScanOptions::default()).unwrap();
            let mut fresh = scan(world.dir(), &ScanOptions::default()).unwrap();
            assert_eq!(known.opened, read);
            fresh.opened = read;
            assert_eq!(known, fresh);
        };
        check(4);
        check(0);
        // A link to what changed, and what it leads to.
        world.set_age("sub/a.md", 3);
        check(2);
        check(0);
        fs::remove_file(world.path("in.md")).unwrap();
        check(0);
        fs::remove_file(world.path("out.md")).unwrap();
        check(0);
        for file in ["b.md", "sub/a.md", "sub/c.md"] {
            fs::remove_file(world.path(file)).unwrap();
        }
        check(0);
        check(0);
    }

    #[test]
    fn a_link_makes_no_memory_of_the_index_a_log_or_a_hidden_file() {
        let world = World::new();
        world
            .write("MEMORY.md", "x")
            .write("sub/MEMORY.md", "x")
            .write("logs/2026/04/2026-04-01.md", "x")
            .write(".hidden.md", "x")
            .write(".git/a.md", "x")
            .write("team/t.md", "x")
            .write("deep/logs/kept.md", "x");
        for (number, target) in [
            "MEMORY.md",
            "sub/MEMORY.md",
            "logs/2026/04/2026-04-01.md",
            ".hidden.md",
            ".git/a.md",
            "team/t.md",
            "deep/logs/kept.md",
        ]
        .into_iter()
        .enumerate()
        {
            symlink(target, world.path(&format!("link{number}.md"))).unwrap();
        }
        let mut kept = listed(&world);
        kept.sort();
        assert_eq!(
            kept,
            ["deep/logs/kept.md", "link5.md", "link6.md", "team/t.md"]
        );
        let reasons = skipped(&world);
        assert_eq!(reasons.len(), 5);
        assert_eq!(reasons[0], "link0.md: a link to what is no memory");
        let private = ScanOptions::default().team(TeamFolder::Exclude);
        let found = scan(world.dir(), &private).unwrap();
        assert!(names(&found).iter().all(|name| name != "link5.md"));
    }

    #[test]
    fn links_in_a_circle_are_reported() {
        let world = World::new();
        world.write("a.md", "x");
        symlink("self.md", world.path("self.md")).unwrap();
        symlink("y.md", world.path("x.md")).unwrap();
        symlink("x.md", world.path("y.md")).unwrap();
        symlink(".", world.path("again")).unwrap();
        symlink("/dev/zero", world.path("zero.md")).unwrap();
        assert_eq!(listed(&world), ["a.md"]);
        assert_eq!(skipped(&world).len(), 5);
    }

    #[test]
    fn the_directory_itself_may_be_a_link() {
        let world = World::new();
        world.write("a.md", "x");
        let link = world.outside("link");
        symlink(world.dir(), &link).unwrap();
        let found = scan(&link, &ScanOptions::default()).unwrap();
        assert_eq!(found.memories[0].path, link.join("a.md"));
    }

    #[test]
    fn what_cannot_be_read_is_reported_and_takes_no_place() {
        let world = World::new();
        world
            .write("a.md", "x")
            .write("closed.md", "x")
            .write("shut/b.md", "x");
        let close = |file: &str| {
            fs::set_permissions(world.path(file), fs::Permissions::from_mode(0o000)).unwrap();
        };
        close("closed.md");
        close("shut");
        // The superuser reads everything.
        if fs::read(world.path("closed.md")).is_err() {
            let found = scan(world.dir(), &ScanOptions::default().newest(1)).unwrap();
            assert_eq!(names(&found), ["a.md"]);
            assert_eq!(skipped(&world).len(), 2);
        }
        fs::set_permissions(world.path("shut"), fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn what_cannot_be_read_is_no_reading_for_a_refresh() {
        let world = World::new();
        world.write("a.md", "x").write("closed.md", "x");
        symlink("nowhere.md", world.path("dangling.md")).unwrap();
        let closed = world.path("closed.md");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        // The superuser reads everything.
        let is_closed = fs::read(&closed).is_err();
        let mut recall = world.recall();
        let mut cache = ScanCache::new();
        let options = ScanOptions::default();
        let first = cache.scan(world.dir(), &options).unwrap();
        assert_eq!(first.opened, 2 - usize::from(is_closed));
        for _ in 0..2 {
            assert_eq!(recall.refresh().unwrap(), Refreshed::default());
            assert_eq!(cache.scan(world.dir(), &options).unwrap().opened, 0);
            assert_eq!(recall.skipped(), first.skipped);
            assert_eq!(recall.skipped().len(), 1 + usize::from(is_closed));
            assert_eq!(recall.memories().len(), 2 - usize::from(is_closed));
        }
        // It is read as soon as it can be.
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(recall.refresh().unwrap().read, usize::from(is_closed));
        assert_eq!(recall.memories().len(), 2);
    }

    #[test]
    fn pipes_and_folders_under_the_name_of_a_memory_are_no_memories() {
        let world = World::new();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            world.path("pipe.md"),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        world.write("folder.md/inner.md", "x");
        assert_eq!(listed(&world), ["folder.md/inner.md"]);
        assert_eq!(skipped(&world), ["pipe.md: not a regular file"]);
    }

    #[test]
    fn a_name_that_is_not_utf_8_is_reported() {
        let world = World::new();
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
        // Not every file system takes such a name.
        if fs::write(world.dir().join(name), "x").is_ok() {
            assert_eq!(
                skipped(&world),
                ["caf\u{fffd}.md: not a name for a memory: it is not UTF-8"]
            );
        }
    }

    #[test]
    fn a_folder_whose_name_is_not_utf_8_is_reported_and_stands_for_no_other() {
        let world = World::new();
        world.write("caf\u{fffd}/a.md", "x");
        let odd = world.dir().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
        if fs::create_dir(&odd).is_ok() {
            fs::write(odd.join("b.md"), "x").unwrap();
            assert_eq!(listed(&world), ["caf\u{fffd}/a.md"]);
            assert_eq!(
                skipped(&world),
                ["caf\u{fffd}: not a name for a memory: it is not UTF-8"]
            );
        }
    }
}
