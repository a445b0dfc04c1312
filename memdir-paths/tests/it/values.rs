//! The values of overrides: accepted, or refused with a reason.

use std::path::Path;

use memdir_paths::{
    Env, ErrorKind, Layer, Platform, RejectReason, Settings, Tilde, check_override, resolve,
};

use crate::support::Tree;

/// A relative directory is refused with a reason that a host can show, never silently.
#[test]
fn values_of_settings_are_accepted_or_refused_with_a_reason() {
    use RejectReason::*;
    let check = |value: &str, expected: Result<&str, RejectReason>| {
        let got = check_override(value, Tilde::Expand, Some("/home/u"), Platform::Linux);
        assert_eq!(
            got.as_deref().map_err(|reason| *reason),
            expected,
            "{value:?}"
        );
    };
    check("~/x", Ok("/home/u/x"));
    check("~//x/./y/", Ok("/home/u/x/y"));
    check("~/a/../b", Ok("/home/u/b"));
    check("/data/mem", Ok("/data/mem"));
    check("/data//mem/", Ok("/data/mem"));
    check("/data/x/../mem", Ok("/data/mem"));
    check("/../data", Ok("/data"));
    check("//srv/share", Ok("/srv/share"));
    check("/home/u/m d", Ok("/home/u/m d"));
    check("/cafe\u{301}", Ok("/caf\u{e9}"));
    check("", Err(Empty));
    check("~", Err(HomeItself));
    check("~/", Err(HomeItself));
    check("~/.", Err(HomeItself));
    check("~/..", Err(HomeItself));
    check("~/../x", Err(HomeItself));
    check("~/a/..", Err(HomeItself));
    check("~/a/../../u/x", Err(HomeItself));
    check("~other/x", Err(OtherHome));
    check("./.claude/memory", Err(Relative));
    check("rel/x", Err(Relative));
    check("$HOME/md", Err(Relative));
    check(" /data/mem", Err(Relative));
    check(r"C:\x", Err(Relative));
    check("/", Err(TooShort));
    check("/a", Err(TooShort));
    check("/a/", Err(TooShort));
    check("/data/..", Err(TooShort));
    check("/data/../a", Err(TooShort));
    check("C:", Err(BareDrive));
    check(r"\\server\share", Err(NetworkShare));
    check("/tmp/a\0b", Err(Nul));
    check(&"/a".repeat(3_000), Err(TooLong));
    let no_home = check_override("~/x", Tilde::Expand, None, Platform::Linux);
    assert_eq!(no_home, Err(NoHome));
    let tilde = check_override("~/x", Tilde::Refuse, Some("/home/u"), Platform::Linux);
    assert_eq!(tilde, Err(TildeInVariable));
}

#[test]
fn windows_values_follow_the_rules_of_windows_on_every_system() {
    use RejectReason::*;
    let check = |value: &str, expected: Result<&str, RejectReason>| {
        let home = Some(r"C:\Users\u");
        let got = check_override(value, Tilde::Expand, home, Platform::Windows);
        assert_eq!(
            got.as_deref().map_err(|reason| *reason),
            expected,
            "{value:?}"
        );
    };
    check(r"C:\mem", Ok(r"C:\mem"));
    check("C:/mem//x/..", Ok(r"C:\mem"));
    check(r"~\x", Ok(r"C:\Users\u\x"));
    check("~/x", Ok(r"C:\Users\u\x"));
    check(r"\\?\C:\mem", Ok(r"C:\mem"));
    check("C:", Err(BareDrive));
    check(r"C:\", Err(BareDrive));
    check(r"C:\x\..", Err(BareDrive));
    check("C:mem", Err(Relative));
    check("/mem", Err(Relative));
    check(r"\mem", Err(Relative));
    check("中文", Err(Relative));
    check(r"\\server\share", Err(NetworkShare));
    check("//server/share", Err(NetworkShare));
    check(r"\\?\UNC\server\share", Err(NetworkShare));
    check(r"\\?\\\server\share", Err(NetworkShare));
    check(r"~\..", Err(HomeItself));
}

#[test]
fn an_empty_or_relative_home_is_no_home() {
    let tree = Tree::new();
    let empty = Env::default().home("");
    let error = resolve(&empty, &Settings::default(), tree.root()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoHome);
    for home in ["", "home/u"] {
        assert_eq!(
            check_override("~/x", Tilde::Expand, Some(home), Platform::Linux),
            Err(RejectReason::NoHome)
        );
    }
    assert_eq!(
        check_override("~/x", Tilde::Expand, Some("Users"), Platform::Windows),
        Err(RejectReason::NoHome)
    );
    // Behind a verbatim prefix `~` is an ordinary character.
    assert_eq!(
        check_override(r"\\?\~\x", Tilde::Expand, Some(r"C:\U"), Platform::Windows),
        Err(RejectReason::Relative)
    );
}

#[test]
#[cfg(unix)]
fn a_home_that_is_not_unicode_can_be_named_by_a_tilde() {
    use std::os::unix::ffi::OsStrExt;
    let home = Path::new(std::ffi::OsStr::from_bytes(b"/home/\xff"));
    let tree = Tree::new();
    let dir = |value: &str| {
        let mut settings = Settings::default();
        let json = serde_json::json!({ "autoMemoryDirectory": value });
        settings.add(Layer::User, &json.to_string());
        let env = Env::default().home(home);
        let found = resolve(&env, &settings, tree.root()).unwrap();
        (found.dir.unwrap().path().to_path_buf(), found.rejected)
    };
    assert_eq!(dir("~/a/../b"), (home.join("b"), vec![]));
    assert_eq!(dir("~/..").1[0].reason, RejectReason::HomeItself);
}

/// The directory is announced in prompts; a value must not smuggle lines into them.
#[test]
fn a_value_with_lines_of_its_own_is_refused() {
    for value in [
        "/tmp/a\nb",
        "~/a\r",
        "/tmp/a\tb",
        "/tmp/\u{1b}[2J",
        "/tmp/\u{85}x",
        "/tmp/\u{2028}x",
    ] {
        let found = check_override(value, Tilde::Expand, Some("/home/u"), Platform::Linux);
        assert_eq!(found, Err(RejectReason::ControlCharacter), "{value:?}");
    }
}
