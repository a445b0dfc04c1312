//! One line: both spellings, what is no entry, and what is written.

use memdir_index::{Entry, MAX_ENTRY_CHARS};

#[track_caller]
fn reads(line: &str, title: &str, file: &str, hook: &str) {
    let entry = Entry::parse(line).unwrap_or_else(|| panic!("not an entry: {line}"));
    assert_eq!(
        (&*entry.title, &*entry.file, &*entry.hook),
        (title, file, hook),
        "{line}"
    );
}

#[track_caller]
fn is_foreign(line: &str) {
    assert_eq!(Entry::parse(line), None, "{line}");
}

#[track_caller]
fn writes(title: &str, file: &str, hook: &str, line: &str) {
    assert_eq!(Entry::new(title, file, hook).to_line(), line);
}

#[test]
fn both_spellings_and_their_relatives_are_read() {
    reads(
        "- [Role](user_role.md) — Go and React",
        "Role",
        "user_role.md",
        "Go and React",
    );
    reads(
        "- [user_role.md](user_role.md): Go",
        "user_role.md",
        "user_role.md",
        "Go",
    );
    reads(
        "- [用户角色](user_role.md) — 10 年 Go 经验，首次接触 React",
        "用户角色",
        "user_role.md",
        "10 年 Go 经验，首次接触 React",
    );
    reads("- [测试](a.md)：真实数据库", "测试", "a.md", "真实数据库");
    reads("* [A](a.md) - x", "A", "a.md", "x");
    reads("+ [A](a.md) – x", "A", "a.md", "x");
    reads("- [A](a.md) -- x", "A", "a.md", "x");
    reads("  - [A](a.md) x", "A", "a.md", "x");
    reads("\t*\t[A](a.md)", "A", "a.md", "");
    reads("- **[A](a.md)** — x", "A", "a.md", "x");
    reads("- [A](a.md) — x\r\n", "A", "a.md", "x");
    reads("- [A](a.md) —", "A", "a.md", "");
}

#[test]
fn links_are_decoded() {
    reads("- [A](./a.md)", "A", "a.md", "");
    reads("- [A](././/a.md)", "A", "a.md", "");
    reads("- [A](sub/a.md)", "A", "sub/a.md", "");
    reads("- [A](<a b.md>) — x", "A", "a b.md", "x");
    reads("- [A](a b.md) — x", "A", "a b.md", "x");
    reads("- [A](a%20b.md) — x", "A", "a b.md", "x");
    reads("- [A](a%zzb.md)", "A", "a%zzb.md", "");
    reads("- [A](%ff.md)", "A", "%ff.md", "");
    reads("- [A](a_(1).md)", "A", "a_(1).md", "");
    reads("- [A](a\\(1.md)", "A", "a(1.md", "");
    reads("- [A](a.md#why) — x", "A", "a.md", "x");
    reads("- [A](a.md \"a title\") — x", "A", "a.md", "x");
    reads("- [a \\[b\\] c](a.md)", "a [b] c", "a.md", "");
    reads("- [a [b] c](a.md)", "a [b] c", "a.md", "");
    reads("- [A](A.MD)", "A", "A.MD", "");
    reads("- [A](/abs/a.md)", "A", "/abs/a.md", "");
}

#[test]
fn everything_else_is_foreign() {
    is_foreign("");
    is_foreign("# Heading");
    is_foreign("[A](a.md)");
    is_foreign("-[A](a.md)");
    is_foreign("- A (a.md)");
    is_foreign("- [A] (a.md)");
    is_foreign("- [A](a.txt)");
    is_foreign("- [A](.md)");
    is_foreign("- [A](sub/.md)");
    is_foreign("- [A](sub/)");
    is_foreign("- [A](a.md");
    is_foreign("- [A(a.md)");
    is_foreign("- [A](https://example.org/a.md)");
    is_foreign("- [A](mailto:a.md)");
    is_foreign("some text with [A](a.md)");
}

#[test]
fn an_entry_without_description_has_no_dangling_separator() {
    writes("Title", "file.md", "", "- [Title](file.md)");
    writes("Title", "file.md", " \n\t", "- [Title](file.md)");
}

#[test]
fn titles_and_hooks_are_one_line_and_cannot_forge_another() {
    writes(
        "A\nB",
        "a.md",
        "one\r\n- [X](x.md) — two",
        "- [A B](a.md) — one - [X](x.md) — two",
    );
    writes(
        "A\u{7}\u{0}B",
        "a.md",
        "x\u{2028}y\u{85}z",
        "- [A B](a.md) — x y z",
    );
    writes("", "sub/a.md", "x", "- [a.md](sub/a.md) — x");
    writes("a](b.md) c", "a.md", "", "- [a\\](b.md) c](a.md)");
    // An index that a person left with an open comment must not be closed by a hook.
    writes("A", "a.md", "x ----> y", "- [A](a.md) — x -> y");
}

#[test]
fn file_names_are_written_so_that_markdown_reads_them() {
    writes("A", "a b.md", "", "- [A](<a b.md>)");
    writes("A", "a(1).md", "", "- [A](<a(1).md>)");
    writes("A", "100%.md", "", "- [A](100%25.md)");
    writes("A", "a#b.md", "", "- [A](a%23b.md)");
    writes("A", "a\nb.md", "", "- [A](a%0Ab.md)");
    writes("A", "项目.md", "", "- [A](项目.md)");
}

#[test]
fn the_whole_line_is_shortened_to_150_characters_by_cutting_the_hook() {
    let entry = Entry::new("Title", "file.md", &"固".repeat(300));
    let line = entry.to_line();
    assert_eq!(line.chars().count(), MAX_ENTRY_CHARS);
    assert!(line.ends_with("固…") && line.starts_with("- [Title](file.md) — 固"));
    assert!(entry.is_shortened());

    let fits = Entry::new(
        "Title",
        "file.md",
        &"x".repeat(150 - "- [Title](file.md) — ".chars().count()),
    );
    assert_eq!(fits.to_line().chars().count(), MAX_ENTRY_CHARS);
    assert!(!fits.is_shortened() && !fits.to_line().contains('…'));
}

#[test]
fn a_long_title_loses_the_hook_and_then_its_own_end() {
    let line = Entry::new(&"t".repeat(134), "file.md", "hook").to_line();
    assert!(
        line.ends_with("(file.md)") && line.chars().count() <= MAX_ENTRY_CHARS,
        "{line}"
    );
    let line = Entry::new(&"[".repeat(300), "file.md", "hook").to_line();
    assert_eq!(Entry::parse(&line).unwrap().file, "file.md");
    assert!(line.chars().count() <= MAX_ENTRY_CHARS, "{line}");
    // A file name is never cut: a link that leads nowhere helps nobody.
    let file = format!("{}.md", "f".repeat(200));
    assert_eq!(
        Entry::parse(&Entry::new("Title", &file, "hook").to_line())
            .unwrap()
            .file,
        file
    );
}

#[test]
fn a_cut_never_leaves_a_joiner_before_the_ellipsis() {
    let family = "👩\u{200d}👩\u{200d}👧";
    let line = Entry::new("T", "f.md", &family.repeat(60)).to_line();
    assert!(line.chars().count() <= MAX_ENTRY_CHARS);
    assert!(!line.contains("\u{200d}…"), "{line}");
}
