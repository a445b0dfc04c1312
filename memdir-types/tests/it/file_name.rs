//! Proposed file names: safe, telling, and different for different memories.

use memdir_types::MemoryType::{self, Feedback, Project, Reference, User};
use memdir_types::file_name;

#[track_caller]
fn check(kind: MemoryType, name: &str, expected: &str) {
    assert_eq!(file_name(kind, name, |_| false), expected, "{name:?}");
}

#[test]
fn the_topic_is_made_of_the_name() {
    check(User, "Role", "user_role.md");
    check(
        Feedback,
        "Testing: no mocks!",
        "feedback_testing_no_mocks.md",
    );
    check(
        Reference,
        "Unsafe Slug/With & Symbols",
        "reference_unsafe_slug_with_symbols.md",
    );
    check(Project, "kebab-case-name", "project_kebab-case-name.md");
    check(Project, "  spaces  ", "project_spaces.md");
    check(Project, "../../etc/passwd", "project_etc_passwd.md");
    check(Project, "C:\\x\\y", "project_c_x_y.md");
    check(Project, "a\0b\nc", "project_a_b_c.md");
}

#[test]
fn the_type_is_not_said_twice() {
    check(Feedback, "feedback_pr_style", "feedback_pr_style.md");
    check(Feedback, "Feedback: PR style", "feedback_pr_style.md");
    check(User, "User", "user_user.md");
    check(User, "users of the API", "user_users_of_the_api.md");
}

#[test]
fn names_in_other_scripts_get_different_files() {
    check(User, "用户背景", "user_654a1f22.md");
    let names = [
        "用户背景",
        "用户角色",
        "🦀",
        "🦀🦀",
        "тест",
        "Test é",
        "Test è",
        "Test",
        "测试不要用 mock",
        "测试要用 mock",
        "",
        "   ",
        "!!!",
    ];
    let files: std::collections::BTreeSet<_> = names
        .iter()
        .map(|name| file_name(User, name, |_| false))
        .collect();
    // An empty name and one of blanks are the same name.
    assert_eq!(files.len(), names.len() - 1, "{files:?}");
    for file in files {
        assert!(
            file.starts_with("user_") && file.ends_with(".md") && file.len() > "user_.md".len()
        );
    }
}

#[test]
fn a_long_name_is_cut_and_stays_different() {
    let one = format!("{} one", "z".repeat(80));
    let two = format!("{} two", "z".repeat(80));
    let (one, two) = (
        file_name(User, &one, |_| false),
        file_name(User, &two, |_| false),
    );
    assert_ne!(one, two);
    assert!(one.len() <= "user_".len() + 60 + ".md".len());
    assert!(!one.contains("_.") && !one.contains("-."));
}

#[test]
fn the_type_is_not_repeated_where_a_hash_follows() {
    let file = file_name(User, "user_中文", |_| false);
    assert!(
        file.starts_with("user_") && !file.starts_with("user_user"),
        "{file}"
    );
    assert_ne!(file, file_name(User, "user_日本", |_| false));
}

#[test]
fn device_names_of_windows_never_come_out() {
    for name in ["con", "NUL", "aux", "prn", "com1", "lpt9", "CONIN$"] {
        let file = file_name(User, name, |_| false);
        assert!(file.starts_with("user_"), "{file}");
    }
}

#[test]
fn a_taken_name_is_numbered() {
    let mut asked = Vec::new();
    let file = file_name(User, "Role", |name| {
        asked.push(name.to_owned());
        asked.len() < 3
    });
    assert_eq!(file, "user_role_3.md");
    assert_eq!(asked, ["user_role.md", "user_role_2.md", "user_role_3.md"]);
}

#[test]
fn a_caller_that_never_says_no_is_not_asked_for_ever() {
    assert_eq!(file_name(User, "Role", |_| true), "user_role_100000.md");
}
