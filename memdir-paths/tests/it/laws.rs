//! Laws that hold for every input.

use std::fs;
use std::path::{Path, PathBuf};

use memdir_paths::*;
use proptest::prelude::*;

use crate::support::Tree;

/// Text that is likely to hit a rule: separators, dots, percent signs, drives, odd characters.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("..".to_owned()),
        Just("/".to_owned()),
        Just("\\".to_owned()),
        Just("~".to_owned()),
        Just("%2e".to_owned()),
        Just("%252f".to_owned()),
        Just("C:".to_owned()),
        Just("．".to_owned()),
        Just("in".to_owned()),
        Just("out".to_owned()),
        Just("dangling".to_owned()),
        Just("nul".to_owned()),
        "[a-z]{1,4}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn platform() -> impl Strategy<Value = Platform> {
    prop_oneof![
        Just(Platform::Linux),
        Just(Platform::MacOs),
        Just(Platform::Windows)
    ]
}

proptest! {
    #[test]
    fn a_key_is_short_ascii_and_never_empty(path in any::<String>(), platform in platform()) {
        let key = project_key(&path, platform);
        prop_assert!(!key.is_empty() && key.len() <= MAX_KEY_UNITS + 1 + 7);
        prop_assert!(key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
        prop_assert_eq!(&key, &project_key(&path, platform));
    }

    #[test]
    fn a_long_key_keeps_its_beginning(tail in "[a-z/]{0,300}") {
        let path = format!("/{tail}");
        let key = project_key(&path, Platform::Linux);
        let plain = path.replace('/', "-");
        if plain.len() <= MAX_KEY_UNITS {
            prop_assert_eq!(key, plain);
        } else {
            prop_assert_eq!(&key[..MAX_KEY_UNITS], &plain[..MAX_KEY_UNITS]);
            prop_assert_eq!(&key[MAX_KEY_UNITS..=MAX_KEY_UNITS], "-");
        }
    }

    #[test]
    fn an_accepted_override_is_absolute_clean_and_stable(value in hostile(), platform in platform()) {
        let home = if platform == Platform::Windows { r"C:\Users\u" } else { "/home/u" };
        if let Ok(path) = check_override(&value, Tilde::Expand, Some(home), platform) {
            let again = check_override(&path, Tilde::Refuse, None, platform);
            prop_assert_eq!(again.as_deref(), Ok(&*path));
            prop_assert!(!path.split(['/', '\\']).any(|part| part == "..") || path.contains('\\'));
            if value.starts_with('~') {
                prop_assert!(path.starts_with(home) && path.len() > home.len());
            }
        }
    }

    #[test]
    fn an_accepted_name_has_plain_components_only(name in hostile()) {
        if check_name(&name).is_ok() {
            for part in Path::new(&name).components() {
                prop_assert!(matches!(part, std::path::Component::Normal(_)), "{name:?}");
            }
            prop_assert!(Path::new("/root").join(&name).starts_with("/root"));
        }
    }

    #[test]
    fn settings_of_any_text_never_panic(text in any::<String>()) {
        let mut settings = Settings::default();
        settings.add(Layer::User, &text);
        prop_assert_eq!(settings.layers.len() + settings.problems.len(), 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The real place of every answer lies inside, on a disk full of traps.
    #[test]
    #[cfg(unix)]
    fn resolve_inside_never_leaves_its_root(names in proptest::collection::vec(hostile(), 1..40)) {
        let tree = Tree::new();
        let root = tree.dir("m");
        tree.dir("m/in/in");
        tree.dir("elsewhere");
        tree.link("m/out", "../elsewhere");
        tree.link("m/in/out", "../..");
        tree.link("m/dangling", "../nowhere");
        for name in names {
            if let Ok(place) = resolve_inside(&root, &name) {
                prop_assert!(place.starts_with(&root), "{name:?} {place:?}");
                fs::create_dir_all(place.parent().unwrap()).ok();
                if fs::write(&place, "x").is_ok() {
                    prop_assert!(fs::canonicalize(&place).unwrap().starts_with(&root));
                }
                prop_assert!(contains(&root, &root.join(&name)));
            }
        }
        prop_assert!(!tree.path("nowhere").exists());
        prop_assert_eq!(fs::read_dir(tree.path("elsewhere")).unwrap().count(), 0);
    }

    /// A pointer file of any content: no panic, and the root is the folder itself or confirmed.
    #[test]
    fn any_pointer_file_leaves_the_root_in_its_folder(text in any::<Vec<u8>>(), prefix in any::<bool>()) {
        let tree = Tree::new();
        let mut bytes = if prefix { b"gitdir: ".to_vec() } else { Vec::new() };
        bytes.extend(text);
        tree.file("w/.git", &bytes);
        let root = canonical_root(&tree.path("w")).unwrap();
        prop_assert_eq!(root.path, tree.path("w"));
        prop_assert_eq!(root.notes.len(), 1);
    }

    /// Resolving creates nothing, and every value that was given is used or accounted for.
    #[test]
    fn resolving_accounts_for_every_value(value in hostile(), json in hostile(), name in hostile()) {
        let tree = Tree::new();
        let before = tree.listing();
        let mut settings = Settings::default();
        let text = serde_json::json!({ "autoMemoryDirectory": json }).to_string();
        settings.add(Layer::User, &text);
        let env = tree.env()
            .memory_path_override(&*value)
            .config_dir(tree.path("cfg"))
            .project_dir_name(&*name);
        let found = resolve(&env, &settings, tree.root()).unwrap();
        let origins: Vec<_> = found.rejected.iter().map(|r| r.origin.to_string()).collect();
        let refused = |name: &str| origins.iter().any(|origin| origin.contains(name));
        let overridden = found.source == Some(Source::Override);
        prop_assert!(overridden || value.is_empty() || refused("OVERRIDE"));
        let set = found.source == Some(Source::Setting(Layer::User));
        prop_assert!(set || overridden || refused("user settings"));
        let dir: PathBuf = found.dir.unwrap().path().to_path_buf();
        prop_assert!(dir.is_absolute());
        prop_assert_eq!(tree.listing(), before);
    }
}
