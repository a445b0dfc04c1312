//! Untrusted names, lexically.

use memdir_paths::{ErrorKind, NameFault, check_name};

#[track_caller]
fn ok(name: &str) {
    if let Err(e) = check_name(name) {
        panic!("{e}");
    }
}

#[track_caller]
fn refused(name: &str, fault: NameFault) {
    let error = check_name(name).expect_err(name);
    assert_eq!(error.kind(), ErrorKind::UnsafeName(fault), "{name:?}");
}

#[test]
fn ordinary_names_pass() {
    ok("a.md");
    ok("feedback/a.md");
    ok("a/b/c/d.md");
    ok("feedback_测试.md");
    ok("反馈：测试？.md");
    ok("a b.md");
    ok("note….md");
    ok("café.md");
    ok("cafe\u{301}.md");
    ok("👨\u{200d}👩\u{200d}👧.md");
    ok("می\u{200c}خواهم.md");
    ok(".hidden.md");
    ok("a..b.md");
    ok("...a");
    ok("x~1.md");
    ok("a/~x.md");
    ok("console.md");
    ok("com10.md");
    ok("comma.md");
    ok("lptx");
    ok("½.md");
}

#[test]
fn malformed_percent_sequences_are_taken_as_they_stand() {
    ok("100%.md");
    ok("100%25.md");
    ok("５０％.md");
    ok("～メモ.md");
    ok("a%zz.md");
    ok("%");
    ok("%2");
    ok("a%20b.md");
    ok("%E6%B5%8B.md");
    ok("%ff.md");
}

#[test]
fn names_that_leave_their_folder_are_refused() {
    use NameFault::*;
    refused("", Empty);
    refused("a//b", Empty);
    refused("a/", Empty);
    refused(".", Dots);
    refused("..", Dots);
    refused("...", Dots);
    refused(". .", Dots);
    refused("../../../o", Dots);
    refused("a/../b", Dots);
    refused("a/.", Dots);
    refused("team/../../x.md", Dots);
}

/// Joining an absolute name would drop the folder that it is joined to.
#[test]
fn absolute_names_are_refused() {
    use NameFault::*;
    refused("/etc/cron.d/backdoor", Absolute);
    refused("/tmp/o", Absolute);
    refused("//srv/share", Absolute);
    refused(r"C:\x", Backslash);
    refused(r"\\host\share\x", Backslash);
    refused("C:o", Drive);
    refused("c:/x", Drive);
}

#[test]
fn encoded_and_disguised_separators_are_refused() {
    use NameFault::*;
    refused("g/a%2fb.md", PercentEncoded);
    refused("%2e%2e/x", PercentEncoded);
    refused("%2E", PercentEncoded);
    refused(".%2e", PercentEncoded);
    refused("%252e%252e", PercentEncoded);
    refused("%25252fx", PercentEncoded);
    refused("a%5cb", PercentEncoded);
    refused("a%00b", PercentEncoded);
    refused("a%0ab", PercentEncoded);
    refused("%ef%bc%8e%ef%bc%8e", PercentEncoded);
    refused("．．", Disguised);
    refused("a／b.md", Disguised);
    refused("a＼b.md", Disguised);
    refused("℀.md", Disguised);
    refused("‥", Disguised);
    // One disguise inside the other.
    refused("％2e％2e/x", PercentEncoded);
    refused("a％2fb", PercentEncoded);
    refused("%ef%bc%852e", PercentEncoded);
    refused("a％5Cb", PercentEncoded);
    refused("％ef％bc％8f", PercentEncoded);
    refused("．", Disguised);
}

#[test]
fn characters_that_hide_or_control_are_refused() {
    use NameFault::*;
    refused("g/a\0b.md", ControlCharacter);
    refused("a\nb.md", ControlCharacter);
    refused("a\u{7f}", ControlCharacter);
    refused("a\u{85}", ControlCharacter);
    refused("a\u{202e}dm.exe", HiddenCharacter);
    refused("a\u{2066}b", HiddenCharacter);
    refused("a\u{200b}b", HiddenCharacter);
    refused("a\u{feff}b", HiddenCharacter);
    refused("a\u{e0041}b", HiddenCharacter);
    refused("a\u{2028}b", HiddenCharacter);
    for filler in
        "\u{ad}\u{34f}\u{115f}\u{180e}\u{2800}\u{3164}\u{ffa0}\u{fffa}\u{1d173}\u{e0fff}".chars()
    {
        refused(&format!("us{filler}er.md"), HiddenCharacter);
    }
    // A joiner with nothing to join only makes two names look alike.
    refused("us\u{200d}er.md", HiddenCharacter);
    refused("\u{200c}", HiddenCharacter);
    refused("می\u{200c}\u{200c}خواهم.md", HiddenCharacter);
    ok("葛\u{e0100}.md");
    ok("❤\u{fe0f}\u{200d}🔥.md");
    refused("g/a\\b.md", Backslash);
}

#[test]
fn what_hides_is_refused_from_the_first_to_the_last_of_its_kind_and_nothing_beside_it() {
    for (first, last) in [
        ('\u{ad}', '\u{ad}'),
        ('\u{34f}', '\u{34f}'),
        ('\u{61c}', '\u{61c}'),
        ('\u{115f}', '\u{1160}'),
        ('\u{17b4}', '\u{17b5}'),
        ('\u{180e}', '\u{180e}'),
        ('\u{200b}', '\u{200b}'),
        ('\u{200e}', '\u{200f}'),
        ('\u{2028}', '\u{202e}'),
        ('\u{2060}', '\u{206f}'),
        ('\u{2800}', '\u{2800}'),
        ('\u{3164}', '\u{3164}'),
        ('\u{feff}', '\u{feff}'),
        ('\u{ffa0}', '\u{ffa0}'),
        ('\u{fff0}', '\u{fffb}'),
        ('\u{1bca0}', '\u{1bca3}'),
        ('\u{1d173}', '\u{1d17a}'),
        ('\u{e0000}', '\u{e00ff}'),
        ('\u{e01f0}', '\u{e0fff}'),
    ] {
        for hidden in first..=last {
            refused(&format!("文{hidden}字.md"), NameFault::HiddenCharacter);
        }
        for beside in [u32::from(first) - 1, u32::from(last) + 1] {
            // Joiners stand there too, and join here.
            ok(&format!("文{}字.md", char::from_u32(beside).unwrap()));
        }
    }
}

/// The rules of every system hold on every system: team memory travels.
#[test]
fn names_that_another_system_cannot_hold_are_refused() {
    use NameFault::*;
    refused("g/~/x.md", Tilde);
    refused("~/x.md", Tilde);
    refused("~root/x.md", Tilde);
    for name in [
        "con",
        "NUL",
        "nul.md",
        "Aux.tar.gz",
        "a/PRN",
        "COM1",
        "com9.txt",
        "LPT¹.md",
    ] {
        refused(name, Device);
    }
    refused("nul .md", Device);
    refused("CONIN$", Device);
    refused("a.md.", TrailingDotOrSpace);
    refused("a ", TrailingDotOrSpace);
    refused("a /b", TrailingDotOrSpace);
    refused("g/a<b.md", ReservedCharacter);
    refused("a.md:stream", ReservedCharacter);
    for reserved in ['<', '>', ':', '"', '|', '?', '*'] {
        refused(&format!("ab{reserved}.md"), ReservedCharacter);
    }
    // Drives have ASCII letters; before anything else it is a colon like any other.
    refused("1:x", ReservedCharacter);
    refused("é:x", ReservedCharacter);
}

#[test]
fn names_that_are_too_long_are_refused() {
    ok(&"a".repeat(255));
    refused(&"a".repeat(256), NameFault::TooLong);
    refused(&"文".repeat(86), NameFault::TooLong);
    refused(&"a/".repeat(3_000), NameFault::TooLong);
    // The whole name, in bytes.
    let folders = "a/".repeat(2_047);
    ok(&format!("{folders}aa"));
    refused(&format!("{folders}aaa"), NameFault::TooLong);
    refused(&format!("{folders}文"), NameFault::TooLong);
    // An error quotes a part of it, not megabytes.
    let error = check_name(&"a".repeat(10_000_000)).unwrap_err();
    assert!(error.to_string().len() < 300);
}
