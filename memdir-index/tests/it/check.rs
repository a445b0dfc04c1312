//! Whether index and files agree.

use memdir_index::{ENTRYPOINT, Fault, Store};

use crate::world::World;

#[track_caller]
fn faults(index: &str, files: &[&str]) -> Vec<String> {
    let world = World::with(index, files);
    let check = world.store().check().unwrap();
    assert_eq!(check.is_clean(), check.faults.is_empty());
    check.faults.iter().map(ToString::to_string).collect()
}

#[test]
fn orphans_and_dangling_lines_are_both_listed() {
    let world = World::with("- [A](a.md)\n- [Gone](gone.md)\n", &["a.md", "b.md"]);
    let check = world.store().check().unwrap();
    let dangling = Fault::Dangling {
        line: 2,
        file: "gone.md".to_owned(),
    };
    let orphan = Fault::Orphan {
        file: "b.md".to_owned(),
    };
    assert_eq!(check.faults, [dangling, orphan]);
    assert_eq!((check.memories, check.entries), (2, 2));
}

#[test]
fn what_does_not_belong_into_an_index_is_listed_by_line() {
    let long = format!("- [C](c.md) — {}", "h".repeat(150));
    let index = format!(
        "---\nname: x\n---\n# Memories\n\n<!-- note\n- [H](h.md) -->\n- [A](a.md)\n\
         The person likes tea.\n- [A again](./a.md)\n{long}\n---\n"
    );
    insta::assert_snapshot!(faults(&index, &["a.md", "c.md"]).join("\n"), @r"
lines 1 to 3: frontmatter, which an index has none of
line 9: text that belongs into a memory
line 10: a.md stands in line 8 already
line 11: 164 characters, and 150 are enough for an entry
");
}

#[test]
fn lines_that_lead_out_are_told_from_lines_that_lead_nowhere() {
    let index = "- [A](/etc/a.md)\n- [B](../b.md)\n- [C](~/c.md)\n- [D](sub/d.md)\n";
    insta::assert_snapshot!(faults(index, &[]).join("\n"), @r"
line 1: /etc/a.md leads out of the memory directory
line 2: ../b.md leads out of the memory directory
line 3: ~/c.md leads out of the memory directory
line 4: sub/d.md does not exist
");
}

#[test]
fn a_clean_store_is_clean() {
    assert!(
        faults(
            "# T\n\n- [A](a.md)\n* [B](sub/b.md): x\n",
            &["a.md", "sub/b.md"]
        )
        .is_empty()
    );
    assert!(faults("", &[]).is_empty());
}

#[test]
fn logs_team_and_hidden_files_are_no_part_of_the_store() {
    let files = [
        "a.md",
        "logs/2026/04/2026-04-12.md",
        "team/MEMORY.md",
        "team/x.md",
        ".hidden/y.md",
        ".z.md",
    ];
    assert!(faults("- [A](a.md)\n", &files).is_empty());
    // Deeper folders of that name are ordinary ones.
    assert_eq!(
        faults("", &["sub/team/x.md"]),
        ["sub/team/x.md: has no line in the index"]
    );
}

#[test]
fn a_missing_directory_is_an_empty_store() {
    let world = World::new();
    let check = Store::open(world.outside("missing"))
        .unwrap()
        .check()
        .unwrap();
    assert!(check.is_clean() && check.memories == 0);
}

#[cfg(unix)]
#[test]
fn hostile_names_are_reported_and_cannot_break_the_report() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::with("", &["bad\n- [X](x.md).md"]);
    let latin1 = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    std::fs::write(world.dir().join(latin1), "x").unwrap();
    let faults = world.store().check().unwrap().faults;
    assert!(
        faults
            .iter()
            .all(|f| matches!(f, Fault::HostileName { .. })),
        "{faults:?}"
    );
    assert_eq!(faults.len(), 2);
    assert!(faults.iter().all(|fault| !fault.to_string().contains('\n')));
}

#[cfg(unix)]
#[test]
fn a_memory_that_cannot_be_read_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with("- [A](a.md)\n", &["a.md"]);
    std::fs::set_permissions(world.path("a.md"), std::fs::Permissions::from_mode(0o000)).unwrap();
    let faults = world.store().check().unwrap().faults;
    // The superuser may read everything.
    if std::fs::read(world.path("a.md")).is_err() {
        assert!(
            matches!(&faults[..], [Fault::Unreadable { .. }]),
            "{faults:?}"
        );
    } else {
        assert!(faults.is_empty());
    }
}

#[test]
fn a_check_changes_nothing() {
    let world = World::with("- [Gone](gone.md)\n", &["b.md"]);
    world.store().check().unwrap();
    assert_eq!(world.index(), "- [Gone](gone.md)\n");
    assert_eq!(world.names(), [ENTRYPOINT, "b.md"]);
}

#[test]
fn an_index_over_its_caps_is_part_of_the_report() {
    let index: String = (0..201).map(|n| format!("- [N](n{n}.md)\n")).collect();
    let world = World::with(&index, &[]);
    let budget = world.store().check().unwrap().budget.unwrap();
    assert_eq!(budget.not_loading.len(), 1);
}
