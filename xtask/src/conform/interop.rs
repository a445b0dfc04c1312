//! The interop kinds: what the client did with a tree of files, and what the crates do with it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use memdir_index::{LoadOptions, Loaded, Measure, MemoryPrompt, load_memory_prompt};
use memdir_paths::{
    Layer, MemoryDir, Options, Platform, ProjectTrust, Resolution, Settings, SettingsOptions,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::case::{Case, Outcome};
use super::compare::{Comparison, Deviation};
use super::oracle;
use super::tree::{Fill, Names, Root, Unsupported, now};

/// Keys that every interop setup may have.
pub(super) const SETUP: [&str; 5] = ["files", "env", "cwd", "make", "args"];

pub(super) fn run(case: &Case, setup: &Value, observed: &Value, no_make: bool) -> Outcome {
    let known: &[&str] = match case.kind() {
        "slug" => &["real_cwd", "transcript_slug", "memory_slug", "memory_dir"],
        "switch" => &["memory_dir", "index_injected", "system_section"],
        "inject" => &[
            "injected",
            "truncated",
            "kept_utf16",
            "kept_lines",
            "kept_sha256",
            "kept",
            "notice",
        ],
        "note" => &["note_in_tool_result", "days", "placement"],
        kind @ ("load" | "rule" | "nested" | "memo") => {
            return super::instructions::run(kind, &case.id, setup, observed, no_make);
        }
        "auto" => return super::compact::auto(setup, observed),
        "boundary" => return super::boundary::run(case, setup, observed, no_make),
        "write" => &["writes"],
        _ => return Outcome::unsupported("a kind that is not listed"),
    };
    let mut comparison = Comparison::default();
    comparison.unknown("setup", &super::unknown_keys(setup, &SETUP));
    comparison.unknown("observed", &super::unknown_keys(observed, known));
    let result = match case.kind() {
        "slug" => slug(case, setup, observed, no_make, &mut comparison),
        "switch" => switch(case, setup, observed, no_make, &mut comparison),
        "inject" => return inject(case, setup, observed, no_make, comparison),
        "write" => writes(case, setup, observed, no_make, &mut comparison),
        _ => note(case, setup, observed, no_make, &mut comparison),
    };
    match result {
        Ok(()) => comparison.outcome(),
        Err(Unsupported(reason)) => Outcome::Unsupported(reason),
    }
}

/// What the client's command line says, as far as it means something here.
#[derive(Default)]
pub(super) struct CommandLine {
    pub(super) flag_settings: Option<String>,
    pub(super) sources: Option<Vec<String>>,
    pub(super) additional: Vec<String>,
    pub(super) bare: bool,
    own_system_prompt: bool,
}

pub(super) fn command_line(root: &Root, setup: &Value) -> Result<CommandLine, Unsupported> {
    let args = setup
        .get("args")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    // Several processes: the last one is the one that was observed.
    let args = match args.last().and_then(Value::as_array) {
        Some(last) => last.clone(),
        None => args,
    };
    let mut parsed = CommandLine::default();
    let mut args = args
        .iter()
        .map(|arg| arg.as_str().ok_or("an argument is not a string"));
    while let Some(arg) = args.next().transpose()? {
        let mut value = || args.next().unwrap_or(Err("an argument has no value"));
        match arg {
            "--settings" => parsed.flag_settings = Some(root.expand(value()?)),
            "--setting-sources" => {
                let names = value()?
                    .split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty());
                parsed.sources = Some(names.map(str::to_owned).collect());
            }
            "--add-dir" => parsed.additional.push(root.expand(value()?)),
            "--bare" => parsed.bare = true,
            "--system-prompt" => {
                value()?;
                parsed.own_system_prompt = true;
            }
            "--model" | "--allowedTools" | "--disallowedTools" | "--input-format"
            | "--output-format" => {
                value()?;
            }
            "-p" | "-c" | "--verbose" => {}
            other if other.starts_with('-') => return Err(format!("argument {other}").into()),
            _prompt => {}
        }
    }
    if parsed.bare && !parsed.additional.is_empty() {
        return Err("arguments --bare and --add-dir together".into());
    }
    Ok(parsed)
}

/// A built tree, and everything that follows from it up to the memory directory.
struct Scene {
    root: Root,
    cwd: PathBuf,
    variables: HashMap<String, String>,
    env: memdir_paths::Env,
    line: CommandLine,
    resolution: Result<Resolution, memdir_paths::Error>,
}

impl Scene {
    fn build(
        case: &Case,
        setup: &Value,
        names: Names,
        fill: Fill,
        no_make: bool,
    ) -> Result<Scene, Unsupported> {
        let root = Root::new(&case.id, names)?;
        let line = command_line(&root, setup)?;
        root.build(setup, fill, no_make)?;
        let cwd = root.cwd(setup);
        let mut variables = root.variables(setup)?;
        if line.bare {
            variables.insert("CLAUDE_CODE_SIMPLE".to_owned(), "1".to_owned());
        }
        let env = super::env(&variables, &root.home(), &root.managed());
        let mut options = SettingsOptions::default();
        if let Some(text) = &line.flag_settings {
            options = options.flag(text.clone());
        }
        if let Some(sources) = &line.sources {
            for (name, layer) in [
                ("user", Layer::User),
                ("project", Layer::Project),
                ("local", Layer::Local),
            ] {
                if !sources.iter().any(|source| source == name) {
                    options = options.without(layer);
                }
            }
        }
        let settings = Settings::read(&env, &cwd, &options);
        // The client profile: the client reads the directory from project settings too.
        let trusting = Options::default().project_trust(ProjectTrust::Trusted);
        let resolution = memdir_paths::resolve_with(&env, &settings, &cwd, &trusting);
        Ok(Scene {
            root,
            cwd,
            variables,
            env,
            line,
            resolution,
        })
    }

    fn dir(&self) -> Option<&MemoryDir> {
        self.resolution.as_ref().ok()?.dir.as_ref()
    }

    /// A memory directory in the form of the vectors: with a slash at its end.
    fn shown_dir(&self) -> Value {
        match &self.resolution {
            Err(error) => Value::from(format!("error: {error}")),
            Ok(found) => found.dir.as_ref().map_or(Value::Null, |dir| {
                Value::from(self.root.shown(&format!("{}/", dir.path().display())))
            }),
        }
    }

    /// Is `CLAUDE_CONFIG_DIR` set to nothing?
    fn empty_config_dir(&self) -> bool {
        self.variables
            .get("CLAUDE_CONFIG_DIR")
            .is_some_and(String::is_empty)
    }
}

fn slug(
    case: &Case,
    setup: &Value,
    observed: &Value,
    no_make: bool,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    let text = |key: &str| {
        observed
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let cwd = setup.get("cwd").and_then(Value::as_str).unwrap_or_default();
    let literal = cwd
        .split_once(&format!("/w/{}", case.id))
        .or_else(|| text("memory_dir").split_once("/home/.claude"))
        .map(|(literal, _)| literal.to_owned())
        .ok_or("no literal root in cwd or memory_dir")?;
    let names = Names::Literal(literal);
    let scene = Scene::build(case, setup, names, Fill::X, no_make)?;
    let shown = |path: &Path| scene.root.shown(&path.to_string_lossy());
    let key = |path: &str| memdir_paths::project_key(path, Platform::Linux);

    let real_cwd = scene.cwd.canonicalize()?;
    comparison.field("real_cwd", &observed["real_cwd"], shown(&real_cwd));
    if !observed["transcript_slug"].is_null() {
        comparison.field(
            "transcript_slug",
            &observed["transcript_slug"],
            key(&shown(&real_cwd)),
        );
    }
    let found = memdir_paths::canonical_root(&scene.cwd).map_err(|error| error.to_string());
    let root = found?.path;
    let memory_slug = key(&shown(&root));
    let deviating = oracle::deviating_root(&scene.cwd);
    let rule_slug = deviating
        .as_ref()
        .map(|by| (by.rule, oracle::slug(&shown(&by.root))));
    comparison.deviating(
        "memory_slug",
        &observed["memory_slug"],
        memory_slug.clone(),
        rule_slug
            .clone()
            .map(|(rule, slug)| (rule, Value::from(slug))),
    );

    // The directory as a whole: config home, key, folder. A relative one starts at the real cwd.
    let config_home = shown(
        &scene
            .env
            .config_home(&real_cwd)
            .map_err(|e| e.to_string())?,
    );
    let got = format!("{config_home}/projects/{memory_slug}/memory/");
    let observed_dir = Path::new(text("real_cwd")).join(text("memory_dir"));
    let observed_dir = Value::from(format!("{}/", oracle::normal(&observed_dir).display()));
    let rule: Deviation = if scene.empty_config_dir() {
        let slug = rule_slug.map_or_else(|| text("memory_slug").to_owned(), |(_, slug)| slug);
        let home = shown(&scene.root.home());
        Some((
            "empty-config-dir",
            format!("{home}/.claude/projects/{slug}/memory/").into(),
        ))
    } else {
        rule_slug.map(|(rule, slug)| {
            let text = observed_dir.as_str().unwrap_or_default();
            let old = format!(
                "/{}/memory/",
                observed["memory_slug"].as_str().unwrap_or_default()
            );
            (
                rule,
                Value::from(text.replace(&old, &format!("/{slug}/memory/"))),
            )
        })
    };
    comparison.deviating("memory_dir", &observed_dir, got, rule);

    // The whole chain in the real place, where long roots hash differently.
    let unmapped = format!(
        "{}/projects/{}/memory",
        scene
            .env
            .config_home(&real_cwd)
            .map_err(|error| error.to_string())?
            .display(),
        oracle::slug(&root.to_string_lossy())
    );
    let resolved = match (&scene.resolution, scene.dir()) {
        (Err(error), _) => error.to_string(),
        (Ok(_), None) => "no directory".to_owned(),
        (Ok(_), Some(dir)) => dir.path().display().to_string(),
    };
    comparison.field("resolve", &Value::from(unmapped), resolved);
    Ok(())
}

/// What a host would put in front of its model; nothing while memory is off.
fn memory_prompt(scene: &Scene) -> Option<MemoryPrompt> {
    let found = scene.resolution.as_ref().ok()?;
    let options = LoadOptions::default()
        .index_text(found.index_text)
        .limits(Measure::Utf16);
    load_memory_prompt(found.dir.as_ref(), &options)
}

/// The index value for the user context, if there is one.
fn index_value(scene: &Scene) -> Option<Loaded> {
    memory_prompt(scene)?
        .indexes
        .into_iter()
        .next()
        .map(|index| index.loaded)
}

/// `MEMORY.md` is a link whose real place is outside its directory.
fn index_links_out(dir: &Path) -> bool {
    let entrypoint = dir.join("MEMORY.md");
    let is_link = entrypoint
        .symlink_metadata()
        .is_ok_and(|meta| meta.is_symlink());
    match (entrypoint.canonicalize(), dir.canonicalize()) {
        (Ok(real), Ok(dir)) => is_link && !real.starts_with(dir),
        _ => false,
    }
}

/// The tool policy's word on each write, in the directory that resolves.
fn writes(
    case: &Case,
    setup: &Value,
    observed: &Value,
    no_make: bool,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    let scene = Scene::build(case, setup, Names::Expanded, Fill::X, no_make)?;
    let dir = scene.dir().ok_or("memory is off")?;
    let list = observed["writes"].as_array().ok_or("observed writes")?;
    for (at, write) in list.iter().enumerate() {
        let name = format!("writes.{at}.allowed");
        comparison.unknown("writes", &super::unknown_keys(write, &["path", "allowed"]));
        let path = write["path"].as_str().ok_or("observed writes.path")?;
        let path = scene.root.path_of(path);
        let allowed = super::autodream::may_write(dir, &scene.cwd, &path);
        comparison.field(&name, &write["allowed"], allowed);
    }
    Ok(())
}

fn switch(
    case: &Case,
    setup: &Value,
    observed: &Value,
    no_make: bool,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    let scene = Scene::build(case, setup, Names::Expanded, Fill::X, no_make)?;
    let default_dir = || {
        let root = oracle::deviating_root(&scene.cwd).map(|by| by.root);
        let root = root
            .or_else(|| scene.cwd.canonicalize().ok())
            .unwrap_or_default();
        let slug = oracle::slug(&root.to_string_lossy());
        scene
            .root
            .home()
            .join(format!(".claude/projects/{slug}/memory"))
    };
    if !scene.line.own_system_prompt {
        let dir = observed.get("memory_dir").and_then(Value::as_str);
        let expected = dir.map_or(Value::Null, |dir| {
            let path = scene.root.path_of(dir.trim_end_matches('/'));
            Value::from(scene.root.shown(&format!("{}/", path.display())))
        });
        let rule = scene.empty_config_dir().then(|| {
            let shown = scene.root.shown(&format!("{}/", default_dir().display()));
            ("empty-config-dir", Value::from(shown))
        });
        comparison.deviating("memory_dir", &expected, scene.shown_dir(), rule);
        let section = memory_prompt(&scene).is_some_and(|prompt| !prompt.instructions.is_empty());
        comparison.field("system_section", &observed["system_section"], section);
    }
    let rule = if scene.empty_config_dir() {
        let exists = default_dir().join("MEMORY.md").is_file();
        Some(("empty-config-dir", Value::from(exists)))
    } else {
        let out = scene.dir().is_some_and(|dir| index_links_out(dir.path()));
        out.then(|| ("index-link-out", Value::from(false)))
    };
    let injected = index_value(&scene).is_some();
    comparison.deviating(
        "index_injected",
        &observed["index_injected"],
        injected,
        rule,
    );
    Ok(())
}

fn inject(
    case: &Case,
    setup: &Value,
    observed: &Value,
    no_make: bool,
    comparison: Comparison,
) -> Outcome {
    let attempt = |fill: Fill, mut comparison: Comparison| -> Result<Outcome, Unsupported> {
        injected(case, setup, observed, fill, no_make, &mut comparison)?;
        Ok(comparison.outcome())
    };
    let first = attempt(Fill::X, comparison);
    // Lines may be filled with another character; only the digest can tell.
    let digest_only = matches!(&first, Ok(Outcome::Failed(fields))
        if fields.iter().all(|field| field.name == "kept_sha256"));
    let outcome = if digest_only {
        attempt(Fill::CarriageReturn, Comparison::default())
    } else {
        first
    };
    outcome.unwrap_or_else(|Unsupported(reason)| Outcome::Unsupported(reason))
}

fn injected(
    case: &Case,
    setup: &Value,
    observed: &Value,
    fill: Fill,
    no_make: bool,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    let scene = Scene::build(case, setup, Names::Expanded, fill, no_make)?;
    let loaded = index_value(&scene);
    let out = scene.dir().is_some_and(|dir| index_links_out(dir.path()));
    let rule = out.then(|| ("index-link-out", Value::from(false)));
    comparison.deviating("injected", &observed["injected"], loaded.is_some(), rule);
    let Some(loaded) = loaded else { return Ok(()) };
    if observed["injected"] == json!(false) {
        return Ok(());
    }
    let kept = loaded.text.as_deref().unwrap_or_default();
    if let Some(expected) = observed.get("truncated") {
        comparison.field("truncated", expected, loaded.is_truncated());
    }
    let units = kept.encode_utf16().count();
    // The client may cut a pair of surrogates in two; ours ends before the pair.
    let split = observed.get("kept_utf16").and_then(Value::as_u64)
        == Some(u64::try_from(units + 1)?)
        && scene
            .dir()
            .is_some_and(|dir| splits_pair(dir.path(), units));
    let boundary = |value: Value| split.then_some(("char-boundary", value));
    let digest: String = Sha256::digest(kept.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let own = [
        ("kept", Value::from(kept)),
        ("kept_utf16", Value::from(units)),
        ("kept_lines", Value::from(kept.matches('\n').count() + 1)),
        ("kept_sha256", Value::from(digest)),
    ];
    for (name, got) in own {
        if let Some(expected) = observed.get(name) {
            comparison.deviating(name, expected, got.clone(), boundary(got));
        }
    }
    let notice = loaded.notice_facts().map_or(
        Value::Null,
        |facts| json!({ "kind": facts.kind.to_string(), "lines": facts.lines, "size": facts.size }),
    );
    let expected = observed.get("notice").unwrap_or(&Value::Null);
    comparison.field("notice", expected, notice);
    Ok(())
}

/// Does the text of the index have a character of two units right at this place?
fn splits_pair(dir: &Path, units: usize) -> bool {
    let bytes = std::fs::read(dir.join("MEMORY.md")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut at = 0;
    for character in text.trim().chars() {
        if at == units {
            return character.len_utf16() == 2;
        }
        at += character.len_utf16();
    }
    false
}

fn note(
    case: &Case,
    setup: &Value,
    observed: &Value,
    no_make: bool,
    comparison: &mut Comparison,
) -> Result<(), Unsupported> {
    let scene = Scene::build(case, setup, Names::Expanded, Fill::X, no_make)?;
    let files = setup.get("files").and_then(Value::as_object);
    let aged = |content: &Value| content.get("mtime_days_ago").is_some();
    let mut read = files
        .into_iter()
        .flatten()
        .filter(|(_, content)| aged(content));
    let (Some((name, _)), None) = (read.next(), read.next()) else {
        return Err("not exactly one file with mtime_days_ago".into());
    };
    let path = scene.root.path_of(name);
    // The note is about files of the resolved memory directory only.
    let inside = scene
        .dir()
        .is_some_and(|dir| memdir_paths::contains(dir.path(), &path));
    let modified = path.metadata()?.modified()?;
    let text = memdir_age::freshness(modified, now()).filter(|_| inside);
    let days = text.as_deref().and_then(|text| {
        let rest = text.strip_prefix("This memory is ")?;
        rest.split_once(" days old")?.0.parse::<u64>().ok()
    });
    comparison.field(
        "note_in_tool_result",
        &observed["note_in_tool_result"],
        text.is_some(),
    );
    comparison.field("days", observed.get("days").unwrap_or(&Value::Null), days);
    let wrapped = memdir_age::freshness_reminder(modified, now()).filter(|_| inside);
    let placed = wrapped.as_deref().map(str::trim).is_some_and(|text| {
        text.starts_with("<system-reminder>") && text.ends_with("</system-reminder>")
    });
    let expected = observed
        .get("placement")
        .is_some_and(|placement| !placement.is_null());
    comparison.field("placement", &Value::from(expected), placed);
    Ok(())
}
