//! Reading settings files: layers, places, and files that cannot be used.

use std::path::Path;

use memdir_paths::{
    Env, Layer, MAX_SETTINGS_BYTES, Settings, SettingsFault, SettingsOptions, Stated,
};

use crate::support::Tree;

fn layers(settings: &Settings) -> Vec<Layer> {
    settings.layers.iter().map(|layer| layer.layer).collect()
}

#[test]
fn all_five_layers_are_read_strongest_first() {
    let tree = Tree::new();
    tree.file(
        "etc/managed-settings.json",
        r#"{"autoMemoryDirectory": "/managed"}"#,
    );
    tree.file(
        "w/.claude/settings.local.json",
        r#"{"autoMemoryDirectory": "/local"}"#,
    );
    tree.file(
        "w/.claude/settings.json",
        r#"{"autoMemoryDirectory": "/project"}"#,
    );
    tree.file(
        "home/.claude/settings.json",
        r#"{"autoMemoryEnabled": false, "other": [1]}"#,
    );
    let env = tree.env().managed_dir(tree.path("etc"));
    let options = SettingsOptions::default().flag(r#"{"autoMemoryDirectory": "/flag"}"#);
    let settings = Settings::read(&env, &tree.path("w"), &options);
    assert_eq!(layers(&settings), Layer::ALL);
    assert_eq!(settings.problems, []);
    let named: Vec<_> = settings
        .layers
        .iter()
        .map(|layer| layer.auto_memory_directory.clone())
        .collect();
    let value = |text: &str| Stated::Value(text.to_owned());
    let expected = [
        value("/managed"),
        value("/flag"),
        value("/local"),
        value("/project"),
    ];
    assert_eq!(named[..4], expected);
    assert_eq!(named[4], Stated::Absent);
    assert_eq!(settings.layers[4].auto_memory_enabled, Stated::Value(false));
}

#[test]
fn missing_files_are_silent() {
    let tree = Tree::new();
    let env = tree.env().managed_dir(tree.path("etc"));
    let settings = Settings::read(&env, &tree.dir("w"), &SettingsOptions::default());
    assert_eq!(settings, Settings::default());
}

#[test]
fn sources_can_be_switched_off_but_not_managed_and_flag() {
    let tree = Tree::new();
    tree.file("etc/managed-settings.json", "{}");
    tree.file("w/.claude/settings.local.json", "{}");
    tree.file("w/.claude/settings.json", "{}");
    tree.file("home/.claude/settings.json", "{}");
    let env = tree.env().managed_dir(tree.path("etc"));
    let read = |options: SettingsOptions| {
        layers(&Settings::read(&env, &tree.path("w"), &options.flag("{}")))
    };
    let none = SettingsOptions::default().sources([]);
    assert_eq!(read(none), [Layer::Managed, Layer::Flag]);
    let project = SettingsOptions::default().sources([Layer::Project]);
    assert_eq!(read(project), [Layer::Managed, Layer::Flag, Layer::Project]);
    let without = SettingsOptions::default()
        .without(Layer::User)
        .without(Layer::Local);
    assert_eq!(read(without), [Layer::Managed, Layer::Flag, Layer::Project]);
}

/// With another config directory, nothing of the home is read.
#[test]
fn the_config_directory_replaces_the_user_settings_of_the_home() {
    let tree = Tree::new();
    tree.file(
        "home/.claude/settings.json",
        r#"{"autoMemoryEnabled": false}"#,
    );
    tree.file(
        "alt/settings.json",
        r#"{"autoMemoryDirectory": "/alt/mem"}"#,
    );
    let cwd = tree.dir("w");
    let read = |dir: &str| {
        let env = tree.env().config_dir(tree.path(dir));
        Settings::read(&env, &cwd, &SettingsOptions::default())
    };
    let alt = read("alt");
    assert_eq!(alt.layers.len(), 1);
    assert_eq!(alt.layers[0].auto_memory_enabled, Stated::Absent);
    assert_eq!(
        alt.layers[0].auto_memory_directory,
        Stated::Value("/alt/mem".to_owned())
    );
    assert_eq!(read("empty"), Settings::default());
}

/// Project and local settings are those of the working directory, not of a parent.
#[test]
fn settings_of_a_parent_folder_are_not_read() {
    let tree = Tree::new();
    tree.file("w/.claude/settings.json", r#"{"autoMemoryEnabled": false}"#);
    let settings = Settings::read(&tree.env(), &tree.dir("w/sub"), &SettingsOptions::default());
    assert_eq!(settings, Settings::default());
}

/// In the home itself the project file is the user's own, and nothing of it is refused.
#[test]
fn the_settings_of_the_home_are_those_of_the_user() {
    let tree = Tree::new();
    tree.file(
        "home/.claude/settings.json",
        r#"{"autoMemoryDirectory": "~/mem"}"#,
    );
    let home = tree.path("home");
    let settings = Settings::read(&tree.env(), &home, &SettingsOptions::default());
    assert_eq!(layers(&settings), [Layer::User]);
    let found = memdir_paths::resolve(&tree.env(), &settings, &home).unwrap();
    assert_eq!(found.rejected, []);
    assert_eq!(found.dir.unwrap().path(), tree.path("home/mem"));
}

#[track_caller]
fn check_fault(text: &[u8], expected: &str) {
    let tree = Tree::new();
    tree.file("home/.claude/settings.json", text);
    let settings = Settings::read(&tree.env(), &tree.dir("w"), &SettingsOptions::default());
    assert_eq!(settings.layers, []);
    let path = tree.path("home/.claude/settings.json");
    let text = settings.problems[0].to_string();
    assert_eq!(text, format!("user settings {path:?}: {expected}"));
}

#[test]
fn broken_files_are_reported_and_left_out() {
    check_fault(
        b"{",
        "not JSON: EOF while parsing an object at line 1 column 1",
    );
    check_fault(
        b"",
        "not JSON: EOF while parsing a value at line 1 column 0",
    );
    check_fault(b"[]", "expected a JSON object");
    check_fault(b"null", "expected a JSON object");
    check_fault(
        &b"[".repeat(100_000),
        "not JSON: recursion limit exceeded at line 1 column 128",
    );
    check_fault(
        b"{\"a\": \"\xff\"}",
        "not JSON: invalid unicode code point at line 1 column 8",
    );
    let huge = vec![b' '; MAX_SETTINGS_BYTES as usize + 1];
    check_fault(&huge, "larger than 4194304 bytes");
}

#[test]
fn a_folder_in_the_place_of_a_file_is_reported() {
    let tree = Tree::new();
    tree.dir("home/.claude/settings.json");
    let settings = Settings::read(&tree.env(), &tree.dir("w"), &SettingsOptions::default());
    assert_eq!(settings.problems[0].fault, SettingsFault::NotAFile);
}

#[test]
#[cfg(unix)]
fn a_pipe_in_the_place_of_a_file_does_not_block() {
    let tree = Tree::new();
    tree.dir("home/.claude");
    let path = tree.path("home/.claude/settings.json");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
    let settings = Settings::read(&tree.env(), &tree.dir("w"), &SettingsOptions::default());
    assert_eq!(settings.problems[0].fault, SettingsFault::NotAFile);
}

#[test]
fn a_byte_order_mark_is_no_reason_to_lose_the_settings() {
    let mut settings = Settings::default();
    settings.add(Layer::User, "\u{feff}{\"autoMemoryEnabled\": true}");
    assert_eq!(settings.problems, []);
    assert_eq!(settings.layers[0].auto_memory_enabled, Stated::Value(true));
}

#[test]
fn a_switch_of_the_wrong_type_is_reported_and_ignored() {
    let mut settings = Settings::default();
    settings.add(Layer::Local, r#"{"autoMemoryEnabled": "no"}"#);
    assert_eq!(
        settings.problems[0].to_string(),
        r#"local settings: autoMemoryEnabled has a value of the wrong type: "no""#
    );
    assert_eq!(
        settings.layers[0].auto_memory_enabled,
        Stated::WrongType("\"no\"".to_owned())
    );
}

#[test]
fn added_layers_keep_their_order_and_replace_themselves() {
    let mut settings = Settings::default();
    settings.add(Layer::User, "{}");
    settings.add(Layer::Managed, r#"{"autoMemoryEnabled": true}"#);
    settings.add(Layer::Managed, r#"{"autoMemoryEnabled": false}"#);
    assert_eq!(layers(&settings), [Layer::Managed, Layer::User]);
    assert_eq!(settings.layers[0].auto_memory_enabled, Stated::Value(false));
}

/// Whatever the process happens to stand in is never read.
#[test]
fn relative_places_are_reported_and_not_read() {
    let env = Env::default().managed_dir("managed").config_dir("cfg");
    let settings = Settings::read(&env, Path::new("project"), &SettingsOptions::default());
    assert_eq!(settings.layers, []);
    let problems: Vec<_> = settings.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "managed settings \"managed/managed-settings.json\": expected an absolute path",
            "local settings \"project/.claude/settings.local.json\": expected an absolute path",
            "project settings \"project/.claude/settings.json\": expected an absolute path",
        ]
    );
    // Empty means unset.
    let env = Env::default().managed_dir("").home("");
    let settings = Settings::read(&env, Tree::new().root(), &SettingsOptions::default());
    assert_eq!(settings, Settings::default());
}

/// The settings are those of the place that the rest of the answer is about.
#[test]
#[cfg(unix)]
fn settings_belong_to_the_real_working_directory() {
    let tree = Tree::new();
    tree.dir("real/deep");
    tree.file("real/deep/.claude/settings.local.json", "{}");
    tree.file("real/cfg/settings.json", "{}");
    tree.link("link", "real/deep");
    let file = tree.file("real/deep/main.rs", "");
    let env = Env::default().config_dir("../cfg");
    for cwd in [tree.path("link"), tree.path("real/deep"), file] {
        let settings = Settings::read(&env, &cwd, &SettingsOptions::default());
        let paths: Vec<_> = settings
            .layers
            .iter()
            .filter_map(|l| l.path.clone())
            .collect();
        assert_eq!(
            paths,
            [
                tree.path("real/deep/.claude/settings.local.json"),
                tree.path("real/cfg/settings.json")
            ]
        );
    }
}

#[test]
#[cfg(unix)]
fn the_settings_of_a_home_behind_a_link_are_those_of_the_user() {
    let tree = Tree::new();
    tree.file("disk/u/.claude/settings.json", "{}");
    let home = tree.link("users/u", tree.path("disk/u"));
    let env = Env::default().home(&home);
    for cwd in [home, tree.path("disk/u")] {
        let settings = Settings::read(&env, &cwd, &SettingsOptions::default());
        assert_eq!(layers(&settings), [Layer::User]);
    }
}
