//! The folder name below `projects/`: what existing stores are called.

use memdir_paths::{MAX_KEY_UNITS, Platform, existing_key, project_key, project_key_of};

#[track_caller]
fn check(path: &str, expected: &str) {
    assert_eq!(project_key(path, Platform::Linux), expected, "{path:?}");
}

/// A path written as pieces and how often each is repeated.
fn repeated(pieces: &[(&str, usize)]) -> String {
    pieces.iter().map(|(text, n)| text.repeat(*n)).collect()
}

/// Names of folders that were found on disk, for the paths that they belong to.
#[test]
fn keys_equal_those_of_existing_stores() {
    check(
        "/srv/demo/w/slug-space/my dir",
        "-srv-demo-w-slug-space-my-dir",
    );
    check(
        "/srv/demo/w/slug-underscore/a_b",
        "-srv-demo-w-slug-underscore-a-b",
    );
    check(
        "/srv/demo/w/slug-upper/MyDir",
        "-srv-demo-w-slug-upper-MyDir",
    );
    check(
        "/srv/demo/w/slug-lead-dash/-lead",
        "-srv-demo-w-slug-lead-dash--lead",
    );
    check(
        "/srv/demo/w/slug-trail-dash/trail-",
        "-srv-demo-w-slug-trail-dash-trail-",
    );
    check(
        "/srv/demo/w/slug-dbl-dash/a--b",
        "-srv-demo-w-slug-dbl-dash-a--b",
    );
    check(
        "/srv/demo/w/slug-trail-dot/dir.",
        "-srv-demo-w-slug-trail-dot-dir-",
    );
    check(
        "/srv/demo/w/slug-trail-dots/dir...",
        "-srv-demo-w-slug-trail-dots-dir---",
    );
    check(
        "/srv/demo/w/slug-trail-space/dir ",
        "-srv-demo-w-slug-trail-space-dir-",
    );
    check(
        "/srv/demo/w/slug-lead-dot/.hidden",
        "-srv-demo-w-slug-lead-dot--hidden",
    );
    check(
        "/srv/demo/w/slug-latin-nfd/cafe\u{301}",
        "-srv-demo-w-slug-latin-nfd-cafe-",
    );
    check("/srv/demo/w/slug-cjk/项目", "-srv-demo-w-slug-cjk---");
    check(
        "/srv/demo/w/slug-cjk-mix/my项目x",
        "-srv-demo-w-slug-cjk-mix-my--x",
    );
    check("/srv/demo/w/slug-emoji/😀", "-srv-demo-w-slug-emoji---");
    check(
        "/srv/demo/w/slug-emoji-zwj/👨\u{200d}👩\u{200d}👧",
        "-srv-demo-w-slug-emoji-zwj---------",
    );
    check("/srv/demo/w/slug-arabic/ملف", "-srv-demo-w-slug-arabic----");
    check(
        "/srv/demo/w/slug-astral-letter/𠀀x",
        "-srv-demo-w-slug-astral-letter---x",
    );
    check(
        "/srv/demo/w/slug-newline/a\nb",
        "-srv-demo-w-slug-newline-a-b",
    );
    check("/srv/demo/w/slug-star/a*b?c", "-srv-demo-w-slug-star-a-b-c");
    check(
        "/srv/demo/w/slug-punct/a+b@c#d%e~f!g",
        "-srv-demo-w-slug-punct-a-b-c-d-e-f-g",
    );
    check(
        "/srv/demo/w/slug-brackets/a(b)[c]{d}",
        "-srv-demo-w-slug-brackets-a-b--c--d-",
    );
    check(
        "/srv/demo/w/slug-digits/2026",
        "-srv-demo-w-slug-digits-2026",
    );
    check(
        "/srv/demo/w/slug-git-worktree-in/repo/.claude/worktrees/w1",
        "-srv-demo-w-slug-git-worktree-in-repo--claude-worktrees-w1",
    );
    check(
        "/srv/demo/w/slug-git-unicode-sub/项目/sub",
        "-srv-demo-w-slug-git-unicode-sub----sub",
    );
    check("/", "-");
    check(
        "/srv/demo/w/slug2-case/RePo/SuB",
        "-srv-demo-w-slug2-case-RePo-SuB",
    );
    check(
        "/srv/demo/w/slug2-nbsp/a\u{a0}b",
        "-srv-demo-w-slug2-nbsp-a-b",
    );
}

/// The first 200 units stay; the hash covers the whole path, in UTF-16 units.
#[test]
fn long_paths_are_cut_and_hashed_as_in_existing_stores() {
    check(
        &repeated(&[
            ("/srv/demo/w/slug-len201/", 1),
            ("abcdefghi", 11),
            ("/", 1),
            ("bcdefghia", 8),
            ("bcdef", 1),
        ]),
        &repeated(&[
            ("-srv-demo-w-slug-len201-", 1),
            ("abcdefghi", 11),
            ("-", 1),
            ("bcdefghia", 8),
            ("bcde-za254e", 1),
        ]),
    );
    check(
        &repeated(&[
            ("/srv/demo/w/slug-len202/", 1),
            ("abcdefghi", 11),
            ("/", 1),
            ("bcdefghia", 8),
            ("bcdefg", 1),
        ]),
        &repeated(&[
            ("-srv-demo-w-slug-len202-", 1),
            ("abcdefghi", 11),
            ("-", 1),
            ("bcdefghia", 8),
            ("bcde-w3rj14", 1),
        ]),
    );
    check(
        &repeated(&[
            ("/srv/demo/w/slug-len260b/", 1),
            ("abcdefghi", 11),
            ("/", 1),
            ("bcdefghia", 11),
            ("/cdefghiabcdefghiabcdefghiabcdefghiZ", 1),
        ]),
        &repeated(&[
            ("-srv-demo-w-slug-len260b-", 1),
            ("abcdefghi", 11),
            ("-", 1),
            ("bcdefghia", 8),
            ("bcd-kscoga", 1),
        ]),
    );
    check(
        &repeated(&[
            ("/srv/demo/w/slug-len500/", 1),
            ("abcdefghi", 11),
            ("/", 1),
            ("bcdefghia", 11),
            ("/", 1),
            ("cdefghiab", 11),
            ("/", 1),
            ("defghiabc", 11),
            ("/", 1),
            ("efghiabcd", 8),
            ("efgh", 1),
        ]),
        &repeated(&[
            ("-srv-demo-w-slug-len500-", 1),
            ("abcdefghi", 11),
            ("-", 1),
            ("bcdefghia", 8),
            ("bcde-l2l31c", 1),
        ]),
    );
    check(
        &repeated(&[
            ("/srv/demo/w/slug-long-cjk/", 1),
            ("项", 80),
            ("/", 1),
            ("目", 80),
        ]),
        &repeated(&[("-srv-demo-w-slug-long-cjk", 1), ("-", 162)]),
    );
    check(
        &repeated(&[
            ("/srv/demo/w/slug-long-cjk2/", 1),
            ("项", 80),
            ("/", 1),
            ("盯", 80),
        ]),
        &repeated(&[("-srv-demo-w-slug-long-cjk2", 1), ("-", 162)]),
    );
    check(
        &repeated(&[
            ("/srv/demo/w/slug-long-emoji/", 1),
            ("😀", 60),
            ("/", 1),
            ("😁", 60),
        ]),
        &repeated(&[
            ("-srv-demo-w-slug-long-emoji", 1),
            ("-", 174),
            ("xheyyy", 1),
        ]),
    );
    check(
        &repeated(&[
            ("/srv/demo/w/slug2-long-git-sub/", 1),
            ("q", 120),
            ("/", 1),
            ("r", 100),
            ("/s", 1),
        ]),
        &repeated(&[
            ("-srv-demo-w-slug2-long-git-sub-", 1),
            ("q", 120),
            ("-", 1),
            ("r", 48),
            ("-oyq8lh", 1),
        ]),
    );
}

/// The root key of that layout, whose hash differs from that of the folder below it.
#[test]
fn the_hash_belongs_to_the_whole_path_and_not_to_the_kept_part() {
    let root = repeated(&[
        ("/srv/demo/w/slug2-long-git-sub/", 1),
        ("q", 120),
        ("/", 1),
        ("r", 100),
    ]);
    let key = project_key(&root, Platform::Linux);
    assert!(key.ends_with("-45y0kp"), "{key}");
    assert_ne!(key, project_key(&format!("{root}/s"), Platform::Linux));
    // A key of exactly 200 units is whole.
    let path = format!("/{}", "a".repeat(MAX_KEY_UNITS - 1));
    assert_eq!(project_key(&path, Platform::Linux), path.replace('/', "-"));
    assert_eq!(
        project_key(&format!("{path}a"), Platform::Linux).len(),
        200 + 1 + 6
    );
}

#[test]
fn siblings_that_differ_in_punctuation_share_a_key() {
    for name in ["my_app", "my-app", "my.app", "my app"] {
        check(&format!("/home/u/{name}"), "-home-u-my-app");
    }
    check("/t/a-b", "-t-a-b");
    check("/t/a/b", "-t-a-b");
}

#[test]
fn a_cjk_character_is_one_dash_and_not_one_per_byte() {
    check("/home/u/中文", "-home-u---");
    // 509 bytes, but only 189 units: not shortened.
    let path = format!("/{}", "文".repeat(160));
    check(&path, &format!("-{}", "-".repeat(160)));
}

#[test]
fn runs_of_dashes_are_kept() {
    check("/a/.worktrees/b", "-a--worktrees-b");
    check("/a//b", "-a--b");
}

#[test]
fn the_unicode_form_counts_on_linux_and_not_on_macos() {
    let (composed, decomposed) = ("/u/caf\u{e9}", "/u/cafe\u{301}");
    check(composed, "-u-caf-");
    check(decomposed, "-u-cafe-");
    assert_eq!(project_key(composed, Platform::MacOs), "-u-caf-");
    assert_eq!(project_key(decomposed, Platform::MacOs), "-u-caf-");
}

#[test]
fn windows_paths_have_keys_too() {
    let key = |path| project_key(path, Platform::Windows);
    assert_eq!(key(r"C:\git\ai-p_sandbox"), "C--git-ai-p-sandbox");
    assert_eq!(key(r"c:\git\ai-p_sandbox"), "c--git-ai-p-sandbox");
    assert_eq!(key(r"\\?\C:\git\x"), "C--git-x");
    assert_eq!(key(r"\\?\UNC\srv\share\x"), key(r"\\srv\share\x"));
}

#[test]
fn an_empty_path_still_has_a_name() {
    check("", "-");
    check("/", "-");
}

#[test]
#[cfg(unix)]
fn bytes_that_are_not_unicode_become_dashes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    let path = Path::new(OsStr::from_bytes(b"/u/a\xffb"));
    assert_eq!(project_key_of(path, Platform::Linux), "-u-a-b");
}

#[test]
fn both_drive_letter_cases_find_the_store_that_exists() {
    let found = |path, names: &[&str]| existing_key(path, Platform::Windows, names.iter().copied());
    let on_disk = ["other", "c--git-ai-p-sandbox"];
    for path in [
        r"C:\git\ai-p_sandbox",
        r"c:\git\ai-p_sandbox",
        r"\\?\C:\git\ai-p_sandbox",
    ] {
        assert_eq!(
            found(path, &on_disk).as_deref(),
            Some("c--git-ai-p-sandbox"),
            "{path}"
        );
    }
    // If both exist, the spelling that was asked for wins.
    let both = ["c--git-x", "C--git-x"];
    assert_eq!(found(r"C:\git\x", &both).as_deref(), Some("C--git-x"));
    assert_eq!(found(r"c:\git\x", &both).as_deref(), Some("c--git-x"));
    assert_eq!(found(r"D:\git\x", &both), None);
    // On a system with one spelling there is nothing to find.
    assert_eq!(existing_key("/c/x", Platform::Linux, ["-C-x"]), None);
}

#[test]
fn both_unicode_forms_find_the_store_that_exists_on_macos() {
    let found = |path, name| existing_key(path, Platform::MacOs, [name]);
    for path in ["/u/caf\u{e9}", "/u/cafe\u{301}"] {
        assert_eq!(
            found(path, "-u-cafe-").as_deref(),
            Some("-u-cafe-"),
            "{path}"
        );
        assert_eq!(found(path, "-u-caf-").as_deref(), Some("-u-caf-"), "{path}");
    }
}
