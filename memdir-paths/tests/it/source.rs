//! Which directory: the chain of overrides, and every value that is refused on the way.

use std::path::{Path, PathBuf};

use memdir_paths::{
    Env, ErrorKind, Layer, MemoryDir, Options, Platform, ProjectTrust, RejectReason, Resolution,
    Settings, Source, Tilde, check_override, project_key_of, resolve, resolve_with,
};

use crate::support::Tree;

fn settings(layers: &[(Layer, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (layer, json) in layers {
        settings.add(*layer, json);
    }
    settings
}

fn directory(path: &str) -> String {
    serde_json::json!({ "autoMemoryDirectory": path }).to_string()
}

fn dir(found: &Resolution) -> PathBuf {
    found
        .dir
        .as_ref()
        .map(MemoryDir::path)
        .unwrap()
        .to_path_buf()
}

fn rejected(found: &Resolution) -> Vec<String> {
    found.rejected.iter().map(ToString::to_string).collect()
}

fn default_dir(base: &Path, root: &Path) -> PathBuf {
    base.join("projects")
        .join(project_key_of(root, Platform::current()))
        .join("memory")
}

#[test]
fn the_default_is_below_the_home() {
    let tree = Tree::new();
    let cwd = tree.dir("w");
    let found = resolve(&tree.env(), &Settings::default(), &cwd).unwrap();
    assert_eq!(dir(&found), default_dir(&tree.path("home/.claude"), &cwd));
    assert_eq!(found.source, Some(Source::Home));
    assert_eq!(found.rejected, []);
}

#[test]
fn the_override_variable_beats_every_setting() {
    let tree = Tree::new();
    let env = tree.env().memory_path_override("/data/x/../cw/");
    let managed = directory("/data/managed");
    let found = resolve(&env, &settings(&[(Layer::Managed, &managed)]), tree.root()).unwrap();
    assert_eq!(dir(&found), Path::new("/data/cw"));
    assert_eq!(found.source, Some(Source::Override));
    assert_eq!(
        found.source.unwrap().to_string(),
        "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
    );
}

#[test]
fn a_refused_override_variable_goes_on_to_the_settings() {
    let tree = Tree::new();
    let user = directory("~/mem");
    for value in ["cw", "~/cw", "/", "/a", "./x", "~"] {
        let env = tree.env().memory_path_override(value);
        let found = resolve(&env, &settings(&[(Layer::User, &user)]), tree.root()).unwrap();
        assert_eq!(dir(&found), tree.path("home/mem"), "{value}");
        assert_eq!(found.source, Some(Source::Setting(Layer::User)));
        assert_eq!(found.rejected.len(), 1);
        let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
        assert_eq!(found.source, Some(Source::Home), "{value}");
    }
    let env = tree.env().memory_path_override("~/cw");
    let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
    assert_eq!(
        rejected(&found),
        ["CLAUDE_COWORK_MEMORY_PATH_OVERRIDE \"~/cw\": ~ is not expanded in this variable"]
    );
}

#[test]
fn the_strongest_layer_names_the_directory() {
    let tree = Tree::new();
    let strongest = |layers: &[Layer]| {
        let mut settings = Settings::default();
        for layer in layers {
            settings.add(*layer, &directory(&format!("/mem/{layer}")));
        }
        let trusting = Options::default().project_trust(ProjectTrust::Trusted);
        let found = resolve_with(&tree.env(), &settings, tree.root(), &trusting).unwrap();
        (dir(&found), found.source)
    };
    for at in 0..Layer::ALL.len() {
        let layer = Layer::ALL[at];
        let expected = PathBuf::from(format!("/mem/{layer}"));
        assert_eq!(
            strongest(&Layer::ALL[at..]),
            (expected, Some(Source::Setting(layer)))
        );
    }
}

/// A typing error in a strong layer must not let a weaker one win.
#[test]
fn an_invalid_value_of_the_deciding_layer_falls_back_to_the_default() {
    let tree = Tree::new();
    let settings = settings(&[
        (Layer::Local, &directory("rel")),
        (Layer::User, &directory("/data/user")),
    ]);
    let found = resolve(&tree.env(), &settings, tree.root()).unwrap();
    assert_eq!(found.source, Some(Source::Home));
    assert_eq!(
        rejected(&found),
        [
            "autoMemoryDirectory in local settings \"rel\": it is relative; \
          give an absolute path or one that begins with ~/"
        ]
    );
}

/// A cloned repository brings its settings along; it must not point memory at the keys of a user.
#[test]
fn a_project_setting_counts_as_absent_and_is_reported_unless_trusted() {
    let tree = Tree::new();
    for value in ["~/.ssh", "/abs/ok"] {
        let layers = settings(&[
            (Layer::Project, &directory(value)),
            (Layer::User, &directory("/data/user")),
        ]);
        let found = resolve(&tree.env(), &layers, tree.root()).unwrap();
        assert_eq!(dir(&found), Path::new("/data/user"));
        assert_eq!(found.rejected.len(), 1);
        assert_eq!(found.rejected[0].reason, RejectReason::Untrusted);
        assert_eq!(found.rejected[0].value, value);
    }
    let only = settings(&[(Layer::Project, &directory("/abs/ok"))]);
    let found = resolve(&tree.env(), &only, tree.root()).unwrap();
    assert_eq!(found.source, Some(Source::Home));

    let trusting = Options::default().project_trust(ProjectTrust::Trusted);
    let found = resolve_with(&tree.env(), &only, tree.root(), &trusting).unwrap();
    assert_eq!(dir(&found), Path::new("/abs/ok"));
    assert_eq!(found.rejected, []);
    // Trust does not switch the checks of the path off.
    let bad = settings(&[(Layer::Project, &directory("~/../x"))]);
    let found = resolve_with(&tree.env(), &bad, tree.root(), &trusting).unwrap();
    assert_eq!(found.source, Some(Source::Home));
    assert_eq!(found.rejected[0].reason, RejectReason::HomeItself);
}

/// The refusal is reported even when a stronger source won.
#[test]
fn an_untrusted_value_is_reported_behind_an_override_too() {
    let tree = Tree::new();
    let env = tree.env().memory_path_override("/data/mem");
    let layers = settings(&[(Layer::Project, &directory("~/.ssh"))]);
    let found = resolve(&env, &layers, tree.root()).unwrap();
    assert_eq!(dir(&found), Path::new("/data/mem"));
    assert_eq!(found.rejected[0].reason, RejectReason::Untrusted);
}

#[test]
fn a_directory_that_is_not_a_string_is_refused() {
    let tree = Tree::new();
    for json in ["42", "null", "[\"/a/b\"]", "{}", "true"] {
        let text = format!("{{\"autoMemoryDirectory\": {json}}}");
        let layers = settings(&[
            (Layer::Local, &text),
            (Layer::User, &directory("/data/user")),
        ]);
        let found = resolve(&tree.env(), &layers, tree.root()).unwrap();
        assert_eq!(found.source, Some(Source::Home), "{json}");
        assert_eq!(found.rejected[0].reason, RejectReason::NotAString, "{json}");
    }
}

/// One working tree seen from two systems: one committed value that works on both.
#[test]
fn one_committed_value_names_one_store_from_two_systems() {
    let value = "~/memories/stack";
    let from = |home, platform| check_override(value, Tilde::Expand, Some(home), platform);
    assert_eq!(
        from("/home/u", Platform::Linux).as_deref(),
        Ok("/home/u/memories/stack")
    );
    assert_eq!(
        from(r"C:\Users\u", Platform::Windows).as_deref(),
        Ok(r"C:\Users\u\memories\stack")
    );
    // Two doors to one tree on one machine: other working directory, same store.
    let tree = Tree::new();
    let trusting = Options::default().project_trust(ProjectTrust::Trusted);
    let layers = settings(&[(Layer::Project, &directory(value))]);
    let dirs = ["C/stack", "mnt/c/stack"]
        .map(|door| dir(&resolve_with(&tree.env(), &layers, &tree.dir(door), &trusting).unwrap()));
    assert_eq!(dirs[0], tree.path("home/memories/stack"));
    assert_eq!(dirs[0], dirs[1]);
}

#[test]
fn the_config_directory_moves_the_store() {
    let tree = Tree::new();
    let cwd = tree.dir("w");
    let check = |value: &std::ffi::OsStr, base: PathBuf| {
        let found = resolve(&tree.env().config_dir(value), &Settings::default(), &cwd).unwrap();
        assert_eq!(dir(&found), default_dir(&base, &cwd), "{value:?}");
        found.source.unwrap()
    };
    let absolute = tree.path("cfg");
    assert_eq!(
        check(absolute.as_os_str(), absolute.clone()),
        Source::ConfigDir
    );
    check(tree.path("cfg/").as_os_str(), absolute.clone());
    check(tree.path("x/..//cfg/.").as_os_str(), absolute);
    check("cfg".as_ref(), cwd.join("cfg"));
    // A tilde is an ordinary character here.
    check("~/cfgx".as_ref(), cwd.join("~/cfgx"));
    check("cafe\u{301}".as_ref(), cwd.join("caf\u{e9}"));
    // Empty is unset, not the working directory.
    assert_eq!(check("".as_ref(), tree.path("home/.claude")), Source::Home);
}

#[test]
fn the_remote_directory_moves_the_memory_and_not_the_transcripts() {
    let tree = Tree::new();
    let cwd = tree.dir("w");
    let env = tree
        .env()
        .config_dir(tree.path("cfg"))
        .remote_memory_dir(tree.path("remote"));
    let found = resolve(&env, &Settings::default(), &cwd).unwrap();
    assert_eq!(dir(&found), default_dir(&tree.path("remote"), &cwd));
    assert_eq!(found.source, Some(Source::RemoteDir));
    let transcripts = memdir_paths::transcript_dir(&env, &cwd).unwrap();
    assert!(transcripts.starts_with(tree.path("cfg/projects")));
}

#[test]
fn the_project_name_variable_needs_the_config_directory() {
    let tree = Tree::new();
    let cwd = tree.dir("w");
    let base = tree.path("cfg");
    let env = tree.env().config_dir(&base).project_dir_name("My-proj_1");
    let found = resolve(&env, &Settings::default(), &cwd).unwrap();
    assert_eq!(dir(&found), base.join("projects/My-proj_1/memory"));
    assert_eq!(
        memdir_paths::transcript_dir(&env, &cwd).unwrap(),
        base.join("projects/My-proj_1")
    );

    let env = tree.env().project_dir_name("name");
    let found = resolve(&env, &Settings::default(), &cwd).unwrap();
    assert_eq!(found.source, Some(Source::Home));
    assert_eq!(found.rejected[0].reason, RejectReason::NeedsConfigDir);

    let long = "a".repeat(65);
    for name in ["a/b", "..", "a.b", "é", "nul", "COM1", " a", &long] {
        let env = tree.env().config_dir(&base).project_dir_name(name);
        let found = resolve(&env, &Settings::default(), &cwd).unwrap();
        assert_eq!(dir(&found), default_dir(&base, &cwd), "{name}");
        assert_eq!(found.rejected[0].reason, RejectReason::BadDirName, "{name}");
    }
    let env = tree
        .env()
        .config_dir(&base)
        .project_dir_name("a".repeat(64));
    assert_eq!(
        resolve(&env, &Settings::default(), &cwd).unwrap().rejected,
        []
    );
}

#[test]
fn without_a_home_only_an_override_names_a_directory() {
    let tree = Tree::new();
    let error = resolve(&Env::default(), &Settings::default(), tree.root()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoHome);
    let env = Env::default().memory_path_override("/data/mem");
    let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
    assert_eq!(dir(&found), Path::new("/data/mem"));
    let layers = settings(&[(Layer::User, &directory("~/x"))]);
    let env = Env::default().config_dir("/cfg");
    let found = resolve(&env, &layers, tree.root()).unwrap();
    assert_eq!(found.rejected[0].reason, RejectReason::NoHome);
}

#[test]
#[cfg(unix)]
fn an_override_that_is_not_unicode_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let tree = Tree::new();
    let value = std::ffi::OsString::from_vec(b"/data/\xff".to_vec());
    let env = tree.env().memory_path_override(value);
    let found = resolve(&env, &Settings::default(), tree.root()).unwrap();
    assert_eq!(found.rejected[0].reason, RejectReason::NotUnicode);
}

/// With an override, nothing appears below the config home.
#[test]
fn ensure_creates_the_directory_that_was_named_and_nothing_else() {
    let tree = Tree::new();
    let cwd = tree.dir("w");
    let env = tree.env().memory_path_override(tree.path("data/mem"));
    let found = resolve(&env, &Settings::default(), &cwd).unwrap();
    let before = tree.listing();
    found.ensure().unwrap().unwrap();
    let mut expected = before;
    expected.push(tree.path("data"));
    expected.push(tree.path("data/mem"));
    expected.push(tree.path("data/mem/.memdir-identity.json"));
    expected.sort();
    assert_eq!(tree.listing(), expected);
}

#[test]
fn resolving_creates_nothing() {
    let tree = Tree::new();
    tree.file("home/.claude/settings.json", directory("~/mem"));
    let cwd = tree.dir("w/.git/hooks");
    let before = tree.listing();
    let settings = Settings::read(&tree.env(), &cwd, &Default::default());
    let found = resolve(&tree.env(), &settings, &cwd).unwrap();
    assert_eq!(dir(&found), tree.path("home/mem"));
    memdir_paths::transcript_dir(&tree.env(), &cwd).unwrap();
    memdir_paths::session_notes(&tree.env(), &cwd, "s1").unwrap();
    assert_eq!(tree.listing(), before);
}

/// A store that exists under the other spelling is used; here with the rules of Windows and
/// macOS, on whatever system the tests run.
#[test]
fn a_store_under_the_other_unicode_form_is_used_rather_than_doubled() {
    let tree = Tree::new();
    let cwd = tree.dir("caf\u{e9}");
    let composed = default_dir(&tree.path("home/.claude"), &cwd);
    let decomposed = PathBuf::from(composed.to_str().unwrap().replace("-caf-", "-cafe-"));
    let env = tree.env().platform(Platform::MacOs);
    let found = |env: &Env| dir(&resolve(env, &Settings::default(), &cwd).unwrap());
    assert_eq!(found(&env), composed);
    std::fs::create_dir_all(&decomposed).unwrap();
    assert_eq!(found(&env), decomposed);
    // A folder that holds transcripts only does not beat one with memories.
    std::fs::create_dir_all(composed.parent().unwrap()).unwrap();
    assert_eq!(found(&env), decomposed);
    std::fs::create_dir_all(&composed).unwrap();
    assert_eq!(found(&env), composed);
    // Linux has one spelling.
    std::fs::remove_dir_all(composed.parent().unwrap()).unwrap();
    assert_eq!(found(&tree.env().platform(Platform::Linux)), composed);
}

/// The host named `/` as the worktree: unrelated folders must not share one store.
#[test]
fn the_file_system_root_named_by_a_host_is_replaced_by_the_working_directory() {
    let tree = Tree::new();
    let cwd = tree.dir("srv/app");
    let options = Options::default().root("/");
    let found = resolve_with(&tree.env(), &Settings::default(), &cwd, &options).unwrap();
    assert_eq!(dir(&found), default_dir(&tree.path("home/.claude"), &cwd));
    let note = found.root.notes[0].to_string();
    assert_eq!(
        note,
        "\"/\": is the root of the file system; the working directory is used instead"
    );
    // Working in `/` itself is possible.
    let found = resolve_with(&tree.env(), &Settings::default(), "/".as_ref(), &options).unwrap();
    assert_eq!(dir(&found), tree.path("home/.claude/projects/-/memory"));
    assert_eq!(found.root.notes, []);
    // Any other root is taken as given.
    let root = tree.dir("given");
    let options = Options::default().root(&root);
    let found = resolve_with(&tree.env(), &Settings::default(), &cwd, &options).unwrap();
    assert_eq!(dir(&found), default_dir(&tree.path("home/.claude"), &root));
    assert_eq!(found.root.cwd, cwd);
}
