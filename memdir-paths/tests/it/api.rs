//! What users rely on: thread safety of the public types, texts, and serialised values.

use memdir_paths::*;

fn is_auto<T: Send + Sync + Unpin + 'static>() {}

#[test]
fn public_types_cross_threads() {
    is_auto::<Env>();
    is_auto::<Error>();
    is_auto::<ErrorKind>();
    is_auto::<Settings>();
    is_auto::<SettingsOptions>();
    is_auto::<SettingsProblem>();
    is_auto::<LayerSettings>();
    is_auto::<Options>();
    is_auto::<Resolution>();
    is_auto::<Root>();
    is_auto::<RootNote>();
    is_auto::<Rejected>();
    is_auto::<Switch>();
    is_auto::<MemoryDir>();
    is_auto::<Ensured>();
    is_auto::<Collisions>();
    is_auto::<Recorded>();
    is_auto::<Stated<String>>();
    #[cfg(feature = "git2")]
    is_auto::<CrossCheck>();
}

#[test]
fn error_texts_are_stable() {
    let text = |error: Error| error.to_string();
    let dir = MemoryDir::new("/m");
    assert_eq!(
        text(dir.topic("a/../b").unwrap_err()),
        r#""a/../b": not a safe name: a component consists of dots"#
    );
    assert_eq!(
        text(MemoryDir::new("m").ensure(None).unwrap_err()),
        r#""m": expected an absolute path"#
    );
    assert_eq!(
        text(Env::default().config_home("/w".as_ref()).unwrap_err()),
        "no home directory is known, so the default memory directory cannot be named"
    );
    let error = canonical_root("relative/path".as_ref()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RelativePath);
    assert_eq!(error.path(), Some("relative/path".as_ref()));
    assert!(std::error::Error::source(&error).is_none());
}

/// A name is quoted in its error and never replayed raw: it could rewrite a terminal line.
#[test]
fn hostile_names_are_escaped_in_errors() {
    let error = check_name("a\u{202e}b\u{1b}[2K").unwrap_err().to_string();
    assert!(
        error.chars().all(|c| !c.is_control() && c != '\u{202e}'),
        "{error:?}"
    );
}

#[test]
#[cfg(feature = "serde")]
fn a_resolution_serialises_even_with_odd_bytes() {
    let tree = crate::support::Tree::new();
    #[cfg(unix)]
    let cwd = {
        use std::os::unix::ffi::OsStrExt;
        let cwd = tree.root().join(std::ffi::OsStr::from_bytes(b"a\xffb"));
        std::fs::create_dir(&cwd).unwrap();
        cwd
    };
    #[cfg(not(unix))]
    let cwd = tree.dir("ab");
    let env = tree.env().memory_path_override("relative");
    let found = resolve(&env, &Settings::default(), &cwd).unwrap();
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["source"], "home");
    assert_eq!(json["switch"]["state"], "on");
    assert_eq!(json["root"]["kind"], "no-repository");
    assert_eq!(json["rejected"][0]["reason"], "relative");
    assert_eq!(json["rejected"][0]["value"], "relative");
    assert!(
        json["dir"].as_str().unwrap().ends_with("-a-b/memory"),
        "{json}"
    );
    assert_eq!(
        serde_json::to_value(&env).unwrap()["memory_path_override"],
        "relative"
    );
    let date: Date = serde_json::from_str(r#"{"year":2026,"month":4,"day":9}"#).unwrap();
    assert_eq!(date.to_string(), "2026-04-09");
}
