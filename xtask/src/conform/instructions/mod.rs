//! The kinds of `claudemd`: what is loaded at the start, what a rule matches, what a touched file
//! brings in, and what a session remembers.

mod globs;
mod imports;
pub(super) mod peers;
mod session;

use std::path::{Path, PathBuf};

use claudemd::{
    ExcludePaths, External, Layer, LoadedFile, Operation, Options, Roots, Session, Source,
    Switches, Trigger,
};
use serde_json::{Value, json};

use super::case::Outcome;
use super::compare::{Comparison, Deviation};
use super::interop::{CommandLine, SETUP, command_line};
use super::tree::{Fill, Names, Root, Unsupported};
use imports::{Entry, World, deviate};

const MANAGED: &str = "organization-managed policy instructions";

pub(super) fn run(kind: &str, id: &str, setup: &Value, observed: &Value, no_make: bool) -> Outcome {
    let (own, known): (&[&str], &[&str]) = match kind {
        "load" => (&[], &["loaded", "order_inside_rules_dir_is_readdir_order"]),
        "rule" => (
            &[],
            &["unconditional", "injected_on_read_of", "not_on_read_of"],
        ),
        "nested" => (&["tool_calls"], &["startup", "injected_after_each_step"]),
        _ => (&["steps"], &[]),
    };
    let mut comparison = Comparison::default();
    let setup_keys: Vec<&str> = SETUP.iter().chain(own).copied().collect();
    comparison.unknown("setup", &super::unknown_keys(setup, &setup_keys));
    if kind != "memo" {
        comparison.unknown("observed", &super::unknown_keys(observed, known));
    }
    let result = Scene::build(id, setup, no_make).and_then(|scene| match kind {
        "load" => load(&scene, observed, &mut comparison),
        "rule" => rule(&scene, setup, observed, &mut comparison),
        "nested" => session::nested(&scene, setup, observed, &mut comparison),
        _ => session::memo(&scene, setup, observed, &mut comparison),
    });
    match result {
        Ok(()) => comparison.outcome(),
        Err(Unsupported(reason)) => Outcome::Unsupported(reason),
    }
}

/// A built tree and the session's input, in the client profile.
struct Scene {
    root: Root,
    cwd: PathBuf,
    approved: bool,
    roots: Roots,
    options: Options,
}

impl Scene {
    fn build(id: &str, setup: &Value, no_make: bool) -> Result<Scene, Unsupported> {
        let root = Root::new(id, Names::Expanded)?;
        let line = command_line(&root, setup)?;
        // The memo case names a file in words; it belongs to the index.
        let mut setup = setup.clone();
        if let Some(files) = setup.get_mut("files").and_then(Value::as_object_mut) {
            files.retain(|name, _| name != "MEMORY.md in the memory folder");
        }
        root.build(&setup, Fill::X, no_make)?;
        let cwd = root.cwd(&setup).canonicalize()?;
        let mut variables = root.variables(&setup)?;
        if line.bare {
            variables.insert("CLAUDE_CODE_SIMPLE".to_owned(), "1".to_owned());
        }
        let env = super::env(&variables, &root.home(), &root.managed());
        let config_home = env.config_home(&cwd).map_err(|error| error.to_string())?;
        let found = memdir_paths::canonical_root(&cwd).map_err(|error| error.to_string())?;
        let mut roots = Roots::new(&cwd)
            .home(root.home())
            .config_home(&config_home)
            .managed_dir(root.managed());
        if found.is_repository() {
            roots = roots.git_root(&found.path);
        }
        for dir in &line.additional {
            roots = roots.additional_dir(dir);
        }
        let approved = approved(&root.home(), &cwd);
        let external = if approved {
            External::Approved
        } else {
            External::Denied
        };
        let switches = Switches::from_lookup(|name| variables.get(name).map(Into::into));
        let mut options = Options::default()
            .switches(switches)
            .external(external)
            .exclude_paths(ExcludePaths::Found)
            .trigger(Trigger::ReadOnly)
            .sources(sources(&line));
        for pattern in excludes(&root, &line, &cwd, &config_home) {
            options = options.exclude(pattern);
        }
        Ok(Scene {
            root,
            cwd,
            approved,
            roots,
            options,
        })
    }

    fn session(&self) -> Session {
        Session::load(&self.roots, &self.options)
    }

    /// Only what lies below the temporary root; nothing of this machine counts.
    fn own<'a>(&self, files: &'a [LoadedFile]) -> Vec<&'a LoadedFile> {
        files
            .iter()
            .filter(|file| file.path.starts_with(self.root.path()))
            .collect()
    }

    fn shown(&self, path: &Path) -> String {
        self.root.shown(&path.to_string_lossy())
    }

    fn world(&self) -> World {
        World {
            cwd: self.cwd.clone(),
            home: self.root.home(),
            approved: self.approved,
        }
    }
}

fn sources(line: &CommandLine) -> Vec<Source> {
    match &line.sources {
        None => Source::ALL.to_vec(),
        Some(names) => names
            .iter()
            .filter_map(|name| Source::from_name(name))
            .collect(),
    }
}

/// What the person decided about imports from outside, as the client records it.
fn approved(home: &Path, cwd: &Path) -> bool {
    let text = std::fs::read_to_string(home.join(".claude.json")).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    value["projects"][&*cwd.to_string_lossy()]["hasClaudeMdExternalIncludesApproved"] == json!(true)
}

/// `claudeMdExcludes` of every settings layer that is read.
fn excludes(root: &Root, line: &CommandLine, cwd: &Path, config_home: &Path) -> Vec<String> {
    let reads = |source: Source| sources(line).contains(&source);
    let mut texts =
        vec![std::fs::read_to_string(root.managed().join("managed-settings.json")).ok()];
    texts.push(line.flag_settings.clone());
    let files = [
        (Source::Local, cwd.join(".claude/settings.local.json")),
        (Source::Project, cwd.join(".claude/settings.json")),
        (Source::User, config_home.join("settings.json")),
    ];
    for (source, path) in files {
        texts.push(std::fs::read_to_string(path).ok().filter(|_| reads(source)));
    }
    let values = texts.into_iter().flatten().filter_map(|text| {
        serde_json::from_str::<Value>(&text)
            .ok()?
            .get("claudeMdExcludes")?
            .as_array()
            .cloned()
    });
    values
        .flatten()
        .filter_map(|pattern| pattern.as_str().map(str::to_owned))
        .collect()
}

/// Is this path below a folder of rules?
fn rules_folder(path: &str) -> Option<&str> {
    path.rfind("/rules/")
        .map(|at| &path[..at + "/rules/".len()])
}

fn load(scene: &Scene, observed: &Value, comparison: &mut Comparison) -> Result<(), Unsupported> {
    let session = scene.session();
    let ours: Vec<Entry> = scene.own(session.files()).into_iter().map(entry).collect();
    let mut expected = Vec::new();
    for item in observed["loaded"]
        .as_array()
        .ok_or("loaded is not a list")?
    {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("label") == "AUTOMEM" {
            continue;
        }
        let path = scene.root.path_of(text("path"));
        let label = text("label").to_owned();
        expected.push(Entry {
            path,
            label,
            text: scene.root.expand(text("text")),
        });
    }
    let (deviating, rules) = deviate(&expected, &scene.world());
    let any_order = observed["order_inside_rules_dir_is_readdir_order"] == json!(true);
    let rule = rules.first().copied();
    compare_lists(
        "loaded", scene, &expected, &ours, &deviating, rule, any_order, comparison,
    );
    Ok(())
}

fn entry(file: &LoadedFile) -> Entry {
    let label = match file.layer {
        Layer::Managed => MANAGED,
        Layer::User => "USER",
        Layer::Project => "PROJ",
        Layer::Local => "LOCAL",
    };
    Entry {
        path: file.path.clone(),
        label: label.to_owned(),
        text: file.text.clone(),
    }
}

/// Exactly, or with the entries of each folder of rules as a set that ours has sorted.
#[expect(
    clippy::too_many_arguments,
    reason = "one comparison of three lists, in one place"
)]
fn compare_lists(
    name: &str,
    scene: &Scene,
    expected: &[Entry],
    ours: &[Entry],
    deviating: &[Entry],
    rule: Option<&'static str>,
    any_order: bool,
    comparison: &mut Comparison,
) {
    let value = |list: &[Entry], inside: Option<bool>| -> Value {
        let shown = list.iter().map(|entry| (scene.shown(&entry.path), entry));
        let mut shown: Vec<(String, &Entry)> = shown
            .filter(|(path, _)| inside.is_none_or(|inside| rules_folder(path).is_some() == inside))
            .collect();
        if inside == Some(true) {
            shown.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        let values = shown.iter().map(|(path, entry)| {
            json!({ "path": path, "label": entry.label, "text": scene.root.shown(&entry.text) })
        });
        values.collect()
    };
    let mut part = |name: &str, inside: Option<bool>| {
        let rule: Deviation = rule.map(|rule| (rule, value(deviating, inside)));
        comparison.deviating(name, &value(expected, inside), value(ours, inside), rule);
    };
    if !any_order {
        part(name, None);
        return;
    }
    part(name, Some(false));
    part(&format!("{name} of rules"), Some(true));
    let paths = ours.iter().map(|entry| scene.shown(&entry.path));
    let in_rules: Vec<String> = paths.filter(|path| rules_folder(path).is_some()).collect();
    let sorted = in_rules
        .windows(2)
        .all(|pair| rules_folder(&pair[0]) != rules_folder(&pair[1]) || pair[0] <= pair[1]);
    comparison.field("order of rules", &Value::from(true), sorted);
}

fn rule(
    scene: &Scene,
    setup: &Value,
    observed: &Value,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    let files = setup["files"].as_object().ok_or("no files")?;
    let mut rules = files.keys().filter(|name| name.contains("rules/"));
    let (Some(name), None) = (rules.next(), rules.next()) else {
        return Err("not exactly one rule".into());
    };
    let path = scene.root.path_of(name);
    let text = std::fs::read_to_string(&path)?;
    let header = globs::Header::read(&text);
    let reading = scene.session();
    let real = path.canonicalize()?;
    let is_rule = |file: &LoadedFile| file.path == path || file.real == real;
    let unconditional = reading.files().iter().any(is_rule);
    let rescued = header.as_ref().is_some_and(|header| header.rescued);
    let rescue: Deviation = rescued.then(|| ("rescue", Value::from(false)));
    comparison.deviating(
        "unconditional",
        &observed["unconditional"],
        unconditional,
        rescue,
    );
    if observed["unconditional"] == json!(true) {
        return Ok(());
    }
    let names = |key: &str| -> Vec<String> {
        let list = observed
            .get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        list.iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    };
    let expected = names("injected_on_read_of");
    let mut all: Vec<String> = expected
        .iter()
        .cloned()
        .chain(names("not_on_read_of"))
        .collect();
    all.sort();
    all.dedup();
    let mut got = Vec::new();
    for name in &all {
        let mut session = scene.session();
        let brought = session.for_path(scene.root.path_of(name), Operation::Read);
        if brought.iter().any(is_rule) {
            got.push(name.clone());
        }
    }
    let rule = match header {
        Some(header) if header.has_negation() || header.has_class_negation() || rescued => {
            let name = if rescued {
                "rescue"
            } else if header.has_negation() {
                "negation"
            } else {
                "class-negation"
            };
            let base = base_of(&path).unwrap_or_else(|| scene.cwd.clone());
            Some((name, Value::from(covered(scene, &header, &base, &all)?)))
        }
        _ => None,
    };
    let mut expected = expected;
    expected.sort();
    comparison.deviating("injected_on_read_of", &Value::from(expected), got, rule);
    Ok(())
}

/// The folder that holds `.claude`, for rules of a project; none for those of user and managed.
fn base_of(rule: &Path) -> Option<PathBuf> {
    let dot = rule.ancestors().find(|dir| dir.ends_with(".claude"))?;
    let base = dot.parent()?;
    // The home of the person and the managed directory have no files of a project.
    (!base.ends_with("home") && !base.ends_with("claude-code")).then(|| base.to_path_buf())
}

/// The names, in order, that git says the rule covers.
fn covered(
    scene: &Scene,
    header: &globs::Header,
    base: &Path,
    names: &[String],
) -> Result<Vec<String>, Unsupported> {
    let mut inside = Vec::new();
    for name in names {
        if let Ok(relative) = scene.root.path_of(name).strip_prefix(base) {
            inside.push((name.clone(), relative.to_string_lossy().into_owned()));
        }
    }
    let relative: Vec<String> = inside
        .iter()
        .map(|(_, relative)| relative.clone())
        .collect();
    let hits = header.matches(&relative, scene.root.path())?;
    Ok(inside
        .into_iter()
        .zip(hits)
        .filter(|(_, hit)| *hit)
        .map(|((name, _), _)| name)
        .collect())
}
