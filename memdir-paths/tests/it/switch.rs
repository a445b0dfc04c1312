//! On or off, and the switch that decided.

use memdir_paths::{
    DecidedBy, Env, IndexText, Layer, Settings, State, index_text, resolve, switch,
};

use crate::support::Tree;

fn settings(layers: &[(Layer, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (layer, json) in layers {
        settings.add(*layer, json);
    }
    assert_eq!(settings.problems, []);
    settings
}

const OFF: &str = r#"{"autoMemoryEnabled": false}"#;
const ON: &str = r#"{"autoMemoryEnabled": true}"#;

#[track_caller]
fn check(env: &Env, layers: &[(Layer, &str)], expected: &str) {
    assert_eq!(switch(env, &settings(layers)).to_string(), expected);
}

#[test]
fn the_disable_variable_switches_both_ways() {
    let env = |word: &str| Env::default().disable_auto_memory(word);
    for word in ["1", "true", "yes", "on", "TRUE", "On"] {
        check(&env(word), &[], "off, by CLAUDE_CODE_DISABLE_AUTO_MEMORY");
    }
    for word in ["0", "false", "no", "off", "False"] {
        // Forced on, over every setting and mode.
        let env = env(word).simple("1").safe_mode("1").remote("1");
        check(
            &env,
            &[(Layer::Managed, OFF)],
            "on, by CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        );
    }
    for word in ["", "2", "maybe", "-1"] {
        check(&env(word), &[], "on by default");
        check(
            &env(word),
            &[(Layer::User, OFF)],
            "off, by autoMemoryEnabled in user settings",
        );
    }
}

/// A person who loses sight of the memories is told by which variable.
#[test]
fn a_word_that_the_disable_variable_does_not_know_is_reported() {
    let tree = Tree::new();
    let env = tree.env().disable_auto_memory("2");
    let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
    assert!(found.dir.is_some());
    assert_eq!(
        found.rejected[0].to_string(),
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY \"2\": it is none of 1, true, yes, on, 0, false, no, off"
    );
    let env = tree.env().disable_auto_memory("");
    let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
    assert_eq!(found.rejected, []);
}

#[test]
fn modes_come_before_settings_in_a_fixed_order() {
    let env = Env::default();
    let on = [(Layer::Managed, ON)];
    check(
        &env.clone().simple("1").safe_mode("1"),
        &on,
        "off, by CLAUDE_CODE_SIMPLE",
    );
    check(
        &env.clone().safe_mode("true").remote("1"),
        &on,
        "off, by CLAUDE_CODE_SAFE_MODE",
    );
    check(
        &env.clone().remote("1"),
        &on,
        "off, by CLAUDE_CODE_REMOTE without CLAUDE_CODE_REMOTE_MEMORY_DIR",
    );
    check(
        &env.clone().remote("1").remote_memory_dir("/r"),
        &[],
        "on by default",
    );
    check(
        &env.clone().simple("0").safe_mode("").remote("no"),
        &[],
        "on by default",
    );
}

#[test]
fn the_strongest_layer_that_has_the_key_decides() {
    let env = Env::default();
    for layer in Layer::ALL {
        check(
            &env,
            &[(layer, OFF)],
            &format!("off, by autoMemoryEnabled in {layer} settings"),
        );
    }
    let both = [(Layer::User, OFF), (Layer::Local, ON)];
    check(&env, &both, "on, by autoMemoryEnabled in local settings");
    let both = [(Layer::Local, OFF), (Layer::Managed, "{}")];
    check(&env, &both, "off, by autoMemoryEnabled in local settings");
}

#[test]
fn a_setting_of_the_wrong_type_does_not_decide() {
    let mut settings = Settings::default();
    settings.add(Layer::Managed, r#"{"autoMemoryEnabled": "false"}"#);
    settings.add(Layer::User, OFF);
    let switch = switch(&Env::default(), &settings);
    assert_eq!(switch.decided_by, DecidedBy::Setting(Layer::User));
    assert_eq!(switch.state, State::Off);
}

#[test]
fn off_means_no_directory_and_no_index_text() {
    let tree = Tree::new();
    let before = tree.listing();
    // Not even the override names a directory, and no home is needed.
    let env = Env::default()
        .disable_auto_memory("1")
        .memory_path_override("/data/mem");
    let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
    assert_eq!((found.dir.clone(), found.source), (None, None));
    assert_eq!(found.index_text, IndexText::KeptOut);
    assert_eq!(found.ensure().unwrap(), None);
    let env = Env::default().disable_auto_memory("1");
    assert!(
        resolve(&env, &Settings::default(), tree.root())
            .unwrap()
            .dir
            .is_none()
    );
    assert_eq!(tree.listing(), before);
}

#[test]
fn disabled_instruction_files_keep_the_index_text_out() {
    let tree = Tree::new();
    for (word, expected) in [
        ("1", IndexText::KeptOut),
        ("true", IndexText::KeptOut),
        ("0", IndexText::Included),
        ("", IndexText::Included),
    ] {
        let env = tree.env().disable_claude_mds(word);
        let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
        assert!(found.dir.is_some(), "the instructions stay");
        assert_eq!(found.index_text, expected, "{word}");
        assert_eq!(index_text(&env, found.switch), expected);
    }
}

#[test]
fn extra_guidelines_are_passed_on() {
    let tree = Tree::new();
    let env = tree.env().extra_guidelines("Prefer short notes.");
    let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
    assert_eq!(
        found.extra_guidelines.as_deref(),
        Some("Prefer short notes.")
    );
    let env = tree.env().extra_guidelines("");
    let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
    assert_eq!(found.extra_guidelines, None);
}
