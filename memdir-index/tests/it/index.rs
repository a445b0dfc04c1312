//! The index as text: an edit changes one line, everything else keeps its bytes.

use memdir_index::{Change, Entry, Index, NameCase};

#[track_caller]
fn upsert(before: &str, entry: Entry, after: &str) -> Change {
    let mut index = Index::parse(before).name_case(NameCase::Sensitive);
    let change = index.upsert(&entry);
    assert_eq!(index.render(), after);
    change
}

fn a(hook: &str) -> Entry {
    Entry::new("A", "a.md", hook)
}

#[test]
fn adding_changes_one_line_of_a_hundred_and_twenty() {
    let before: String = (0..120)
        .map(|n| {
            if n % 10 == 0 {
                format!("## Part {n}\n")
            } else {
                format!("- [N{n}](n{n}.md) — hook {n}\n")
            }
        })
        .collect();
    let mut index = Index::parse(&before);
    assert_eq!(index.upsert(&a("new")), Change::Added { line: 121 });
    assert_eq!(index.render(), format!("{before}- [A](a.md) — new\n"));
}

#[test]
fn a_second_save_of_a_file_updates_its_one_line() {
    let change = upsert(
        "- [X](x.md)\n- [Old](a.md) — old\n",
        a("new"),
        "- [X](x.md)\n- [A](a.md) — new\n",
    );
    assert_eq!(
        change,
        Change::Updated {
            line: 2,
            duplicates: vec![]
        }
    );
    upsert("- [Old](./a.md) — old\n", a("new"), "- [A](a.md) — new\n");
    upsert("- [a.md](a.md): old\n", a("new"), "- [A](a.md) — new\n");
}

#[test]
fn further_lines_for_the_file_go() {
    let change = upsert(
        "- [A](a.md) — one\n- [X](x.md)\n- [A](./a.md) — two\n",
        a("three"),
        "- [A](a.md) — three\n- [X](x.md)\n",
    );
    assert_eq!(
        change,
        Change::Updated {
            line: 1,
            duplicates: vec![3]
        }
    );
}

#[test]
fn names_are_compared_by_the_rules_of_the_file_system() {
    let one_line = |case: NameCase, before: &str, file: &str| {
        let mut index = Index::parse(before).name_case(case);
        index.upsert(&Entry::new("New", file, ""));
        index.entries().count() == 1
    };
    assert!(one_line(
        NameCase::Insensitive,
        "- [A](Notes.md)\n",
        "notes.md"
    ));
    assert!(!one_line(
        NameCase::Sensitive,
        "- [A](Notes.md)\n",
        "notes.md"
    ));
    // Composed and decomposed forms of one name.
    assert!(one_line(
        NameCase::Sensitive,
        "- [A](caf\u{e9}.md)\n",
        "cafe\u{301}.md"
    ));
}

#[test]
fn an_entry_that_says_the_same_keeps_its_bytes() {
    let change = upsert("* [A](./a.md): new\n", a("new"), "* [A](./a.md): new\n");
    assert_eq!(change, Change::Unchanged);
}

#[test]
fn bullet_and_indentation_survive_an_update() {
    upsert("  * [A](a.md)\n", a("new"), "  * [A](a.md) — new\n");
}

#[test]
fn line_ends_and_a_missing_last_one_survive() {
    upsert(
        "- [X](x.md)\r\n- [A](a.md)\r\n",
        a("n"),
        "- [X](x.md)\r\n- [A](a.md) — n\r\n",
    );
    upsert(
        "- [X](x.md)\r\n",
        a("n"),
        "- [X](x.md)\r\n- [A](a.md) — n\r\n",
    );
    upsert("- [X](x.md)", a("n"), "- [X](x.md)\n- [A](a.md) — n");
    upsert(
        "- [X](x.md)\n- [A](a.md)",
        a("n"),
        "- [X](x.md)\n- [A](a.md) — n",
    );
    upsert("", a("n"), "- [A](a.md) — n\n");
}

#[test]
fn a_new_entry_stands_after_the_last_one_and_before_what_follows() {
    upsert(
        "# T\n\n- [X](x.md)\n\nfooter\n",
        a("n"),
        "# T\n\n- [X](x.md)\n- [A](a.md) — n\n\nfooter\n",
    );
    upsert("# T\n", a("n"), "# T\n- [A](a.md) — n\n");
}

#[test]
fn lines_that_the_loader_removes_are_no_entries() {
    let hidden = "---\n- [A](a.md)\n---\n<!--\n- [A](a.md)\n-->\n";
    assert_eq!(Index::parse(hidden).entries().count(), 0);
    upsert(hidden, a("n"), &format!("{hidden}- [A](a.md) — n\n"));
    // An open comment is text, and so are the lines after it.
    assert_eq!(
        Index::parse("<!-- open\n- [A](a.md)\n").entries().count(),
        1
    );
    assert_eq!(Index::parse("\u{feff}- [A](a.md)\n").entries().count(), 1);
}

#[test]
fn invalid_bytes_survive_an_edit() {
    let mut index = Index::from_bytes(b"caf\xe9\n- [A](a.md)\n");
    index.upsert(&a("n"));
    let mut expected = b"caf\xe9\n".to_vec();
    expected.extend("- [A](a.md) — n\n".as_bytes());
    assert_eq!(index.to_bytes(), expected);
}

#[test]
fn remove_takes_every_line_of_the_file_and_no_other() {
    let mut index = Index::parse("# T\n- [A](a.md)\n- [B](b.md)\n- [A again](./a.md)");
    assert_eq!(index.remove("a.md"), Change::Removed { lines: vec![2, 4] });
    assert_eq!(index.render(), "# T\n- [B](b.md)");
    assert_eq!(index.remove("a.md"), Change::Unchanged);
}

#[test]
fn a_blank_line_before_a_removed_last_line_stays_one() {
    let mut index = Index::parse("- [A](a.md)\n\n- [B](b.md)");
    index.remove("b.md");
    assert_eq!(index.render(), "- [A](a.md)\n\n");
    assert_eq!(Index::parse(&index.render()), index);
    let mut index = Index::parse("- [A](a.md)\r\n- [B](b.md)");
    index.remove("b.md");
    assert_eq!(index.render(), "- [A](a.md)");
    assert_eq!(Index::parse(&index.render()), index);
}

#[test]
fn a_rule_that_comes_to_stand_first_begins_no_frontmatter() {
    let mut index = Index::parse("- [A](a.md)\n---\n- [B](b.md)\n---\n");
    index.remove("a.md");
    assert_eq!(index.render(), "\n---\n- [B](b.md)\n---\n");
    assert!(Index::parse(&index.render()).find("b.md").is_some());
    let mut index = Index::parse("- [A](a.md)\n---\n- [B](b.md)\n");
    index.remove("a.md");
    assert_eq!(index.render(), "---\n- [B](b.md)\n");
}

#[test]
fn rename_keeps_title_and_hook() {
    let mut index = Index::parse("- [A](a.md) — hook\n- [old.md](old.md): x\n");
    assert_eq!(
        index.rename("a.md", "b.md"),
        Change::Updated {
            line: 1,
            duplicates: vec![]
        }
    );
    // A title that only repeats the file's name follows it.
    index.rename("old.md", "new.md");
    assert_eq!(
        index.render(),
        "- [A](b.md) — hook\n- [new.md](new.md) — x\n"
    );
    assert_eq!(index.rename("gone.md", "x.md"), Change::Unchanged);
}

#[test]
fn rename_leaves_one_line_for_the_new_name() {
    let mut index = Index::parse("- [B](b.md)\n- [A](a.md)\n- [A](a.md)\n");
    assert_eq!(
        index.rename("a.md", "b.md"),
        Change::Updated {
            line: 2,
            duplicates: vec![1, 3]
        }
    );
    assert_eq!(index.render(), "- [A](b.md)\n");
}

#[test]
fn a_million_lines_are_read_and_edited() {
    let text = "- x\n".repeat(1_000_000);
    let mut index = Index::parse(&text);
    index.upsert(&a("n"));
    assert_eq!(index.line_count(), 1_000_001);
}
