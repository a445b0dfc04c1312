//! Advice near the caps; it never blocks a save.

use memdir_index::{Limits, budget};

use crate::world::World;

fn entries(count: usize) -> String {
    (1..=count)
        .map(|n| format!("- [N{n}](n{n}.md) — hook\n"))
        .collect()
}

#[test]
fn three_entries_added_to_199_lines_are_named_as_not_loading() {
    let world = World::with(&entries(199), &[]);
    let first = world.save_as("x1.md", "X1", "d").budget.unwrap();
    assert!(!first.is_over() && first.not_loading.is_empty());
    let second = world.save_as("x2.md", "X2", "d").budget.unwrap();
    assert!(second.is_over());
    let third = world.save_as("x3.md", "X3", "d").budget.unwrap();
    let lost: Vec<_> = third
        .not_loading
        .iter()
        .map(|d| (d.line, &*d.entry.file))
        .collect();
    assert_eq!(lost, [(201, "x2.md"), (202, "x3.md")]);
    assert_eq!(
        (third.lines, third.target_lines, third.target_size),
        (202, 140, 17_500)
    );

    let loaded = world.store().load(Limits::default()).unwrap();
    let dropped: Vec<_> = loaded.dropped.iter().map(|d| &*d.entry.file).collect();
    assert_eq!(dropped, ["x2.md", "x3.md"]);
    assert_eq!(loaded.cut.total_lines - loaded.cut.kept_lines, 2);
    assert!(loaded.notice.is_some());
}

#[test]
fn below_nine_tenths_of_both_caps_there_is_no_advice() {
    assert_eq!(budget(entries(179).as_bytes(), Limits::default()), None);
    assert!(budget(entries(180).as_bytes(), Limits::default()).is_some());
    let large = format!("- [A](a.md) — {}\n", "h".repeat(22_490));
    assert!(budget(large.as_bytes(), Limits::default()).is_some());
    // Comments are not loaded and do not count.
    let hidden = format!("<!--\n{}-->\n{}", entries(200), entries(10));
    assert_eq!(budget(hidden.as_bytes(), Limits::default()), None);
}

#[test]
fn advice_names_what_to_shorten_and_what_to_merge() {
    let mut index = entries(3);
    index.push_str(&format!("- [Long](long.md) — {}\n", "h".repeat(120)));
    index.push_str("- [DB](feedback_testing_db.md) — use a real database\n");
    index.push_str("- [Mocks](feedback_testing_mocks.md) — no mocks\n");
    index.push_str("- [N1](n1.md) — again\n");
    let advice = budget(index.as_bytes(), Limits::default().lines(5)).unwrap();
    assert_eq!(
        (&*advice.shorten[0].file, advice.shorten[0].saves),
        ("long.md", 60)
    );
    insta::assert_snapshot!(advice.to_string(), @r"
MEMORY.md is over its limits: 7 of 5 lines, 0.3KB of 24.4KB.
- line 6 will not be loaded: feedback_testing_mocks.md
- line 7 will not be loaded: n1.md
- merge feedback_testing_db.md, feedback_testing_mocks.md (saves lines: 1, size: 50)
- merge n1.md, n1.md (saves lines: 1, size: 23)
- shorten the line of long.md (saves size: 60)
Come down to 3 lines and 17.1KB, each line at most 150 characters; nothing is deleted for you.
");
}

#[test]
fn advice_for_an_index_without_entries_has_figures_only() {
    let advice = budget("prose\n".repeat(300).as_bytes(), Limits::default()).unwrap();
    assert!(advice.not_loading.is_empty() && advice.shorten.is_empty() && advice.merge.is_empty());
}
