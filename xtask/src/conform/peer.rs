//! The peer kinds: small cases from other agents.

use std::path::{Path, PathBuf};

use memdir_index::{Entry, Limits, Measure, Store};
use memdir_paths::MemoryDir;
use memdir_types::Memory;
use serde_json::{Map, Value};

use super::case::{Outcome, Stance};
use super::compare::Comparison;
use super::oracle;
use super::tree::{Names, Root, Unsupported};

/// Kinds for which `differs` binds.
const BINDING: [&str; 3] = ["shell_gap", "lock_race", "multi_paragraph"];

/// Runs one peer kind: fills in what the crate answers for each key that is compared.
pub(super) type Runner = fn(&Map<String, Value>) -> Result<Map<String, Value>, Unsupported>;

/// A kind that is run: the keys of its input and of what is compared.
pub(super) struct Kind {
    pub(super) inputs: &'static [&'static str],
    pub(super) compared: &'static [&'static str],
    pub(super) run: Runner,
}

/// The kinds that are run, each with its crate.
fn kind(krate: &str, name: &str) -> Option<Kind> {
    match krate {
        "claudemd" => return super::instructions::peers::kind(name),
        "memdir-recall" => return super::recall::kind(name),
        "autodream" => return super::autodream::kind(name),
        "compact-sm" => return super::compact::kind(name),
        _ => {}
    }
    let owner = match name {
        "slug" | "git_root" | "worktree" | "worktree_security" | "file_name_safety"
        | "memory_path_safety" => "memdir-paths",
        "frontmatter" => "memdir-types",
        _ => "memdir-index",
    };
    if krate != owner {
        return None;
    }
    let (inputs, compared, run): (&[_], &[_], Runner) = match name {
        "slug" => (
            &["path", "paths"],
            &["same", "non_empty", "collides_under_claude_code_rule"],
            slug,
        ),
        "git_root" | "worktree" | "worktree_security" => (
            &["tree", "cwd", "back_pointer_missing"],
            &["root"],
            git_root,
        ),
        "file_name_safety" => (
            &["name", "path", "label"],
            &["accepted", "nothing_created"],
            topic_name,
        ),
        "memory_path_safety" => (
            &["name", "path", "label"],
            &["accepted", "nothing_created"],
            team_key,
        ),
        "frontmatter" => (
            &["text"],
            &["name", "description", "frontmatter"],
            frontmatter,
        ),
        "truncate_boundary" => (&["text", "max_bytes"], &["cut_at"], truncate_boundary),
        "missing" => (&["dir_exists"], &["index", "error"], missing),
        "hostile_name" => (&["file"], &["listed"], hostile_name),
        "no_description" => (&["description"], &["dangling_separator"], no_description),
        "casing" => (&["file"], &["displayed"], casing),
        "prompt" => (&["mode", "private_path"], &["contains"], prompt),
        _ => return None,
    };
    Some(Kind {
        inputs,
        compared,
        run,
    })
}

pub(super) fn run(
    krate: &str,
    name: &str,
    input: &Value,
    expected: &Value,
    stance: Stance,
) -> Outcome {
    let Some(kind) = kind(krate, name) else {
        return Outcome::unsupported(format!("kind {name} is described in words, not run"));
    };
    let unknown = super::unknown_keys(input, kind.inputs);
    if !unknown.is_empty() {
        return Outcome::unsupported(format!("input {}", unknown.join(", ")));
    }
    let input = input.as_object().cloned().unwrap_or_default();
    let got = match (kind.run)(&input) {
        Ok(got) => got,
        Err(Unsupported(reason)) => return Outcome::Unsupported(reason),
    };
    let mut comparison = Comparison::default();
    for (key, value) in expected.as_object().into_iter().flatten() {
        let of_peer = key == "peer" || key.starts_with("peer_") || key.starts_with("claude_code");
        // What a peer does is not compared, nor how it words things; of a prompt only `contains`.
        let worded = key == "separator_marks_project_start";
        if of_peer || worded || (name == "prompt" && key != "contains") {
            continue;
        }
        if !kind.compared.contains(&key.as_str()) {
            comparison.unknown("expected", &[key]);
            continue;
        }
        let own = got.get(key).cloned().unwrap_or(Value::Null);
        match key.as_str() {
            "contains" => contains(&mut comparison, value, own.as_str().unwrap_or_default()),
            "recalled" => {
                let own = own.as_str().unwrap_or_default();
                contains(&mut comparison, &Value::from(vec![value.clone()]), own);
            }
            "count_of" => counts(&mut comparison, value, own.as_str().unwrap_or_default()),
            "not_imported" | "not_refs" => none_of(&mut comparison, key, value, &own),
            "imported" => comparison.field(key, &sorted(value), sorted(&own)),
            _ => comparison.field(key, value, own),
        }
    }
    let outcome = comparison.outcome();
    let binds = match stance {
        Stance::Adopt => true,
        Stance::Differs => BINDING.contains(&name) || name.starts_with("import_"),
        Stance::Decide => false,
    };
    match outcome {
        Outcome::Failed(fields) if !binds && !has_unknown(&fields) => {
            let names: Vec<String> = fields
                .iter()
                .map(|field| format!("{} is {}", field.name, field.got))
                .collect();
            Outcome::Optional(names.join(", "))
        }
        other => other,
    }
}

/// Each of the expected texts stands in ours.
fn contains(comparison: &mut Comparison, expected: &Value, own: &str) {
    for part in expected.as_array().into_iter().flatten() {
        let found = part.as_str().is_some_and(|part| own.contains(part));
        let got = if found {
            part.clone()
        } else {
            Value::from(own)
        };
        comparison.field("contains", part, got);
    }
}

/// Each of the expected texts stands in ours so many times.
fn counts(comparison: &mut Comparison, expected: &Value, own: &str) {
    for (part, times) in expected.as_object().into_iter().flatten() {
        comparison.field(
            &format!("count_of {part}"),
            times,
            own.matches(part.as_str()).count(),
        );
    }
}

/// None of the expected values is in our list.
fn none_of(comparison: &mut Comparison, key: &str, expected: &Value, own: &Value) {
    let list = own.as_array().cloned().unwrap_or_default();
    for item in expected.as_array().into_iter().flatten() {
        comparison.field(
            &format!("{key} {item}"),
            &Value::from(false),
            list.contains(item),
        );
    }
}

/// A list that is compared as a set.
fn sorted(value: &Value) -> Value {
    let mut list = value.as_array().cloned().unwrap_or_default();
    list.sort_by_key(Value::to_string);
    Value::from(list)
}

/// A key that the contract does not name fails whatever the stance.
fn has_unknown(fields: &[super::case::Field]) -> bool {
    fields
        .iter()
        .any(|field| field.name.starts_with("expected."))
}

pub(super) fn text<'a>(input: &'a Map<String, Value>, key: &str) -> Result<&'a str, Unsupported> {
    input
        .get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("input {key}").into())
}

pub(super) fn answer<const N: usize>(
    pairs: [(&str, Value); N],
) -> Result<Map<String, Value>, Unsupported> {
    Ok(pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect())
}

fn slug(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let list = input
        .get("paths")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let one = input.get("path").cloned();
    let slugs: Vec<String> = list
        .iter()
        .chain(one.iter())
        .filter_map(Value::as_str)
        .map(|path| {
            let path = oracle::normal(Path::new(path));
            memdir_paths::project_key(&path.to_string_lossy(), memdir_paths::Platform::Linux)
        })
        .collect();
    let first = slugs.first().ok_or("input without a path")?;
    let same = slugs.iter().all(|slug| slug == first);
    let non_empty = slugs.iter().all(|slug| !slug.is_empty());
    answer([
        ("same", same.into()),
        ("non_empty", non_empty.into()),
        ("collides_under_claude_code_rule", same.into()),
    ])
}

/// A fresh root for a peer case.
pub(super) fn fresh() -> Result<Root, Unsupported> {
    Root::new("case", Names::Expanded)
}

/// A name of a tree below the root; absolute ones are put below it.
pub(super) fn below(root: &Path, name: &str) -> Result<PathBuf, Unsupported> {
    let path = oracle::normal(&root.join(name.trim_start_matches('/')));
    if path.starts_with(root) {
        Ok(path)
    } else {
        Err("a name outside the root".into())
    }
}

fn git_root(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let root = fresh()?;
    let base = root.path().join("w");
    let valid = input.get("back_pointer_missing") != Some(&Value::Bool(true));
    let tree = input
        .get("tree")
        .and_then(Value::as_object)
        .ok_or("input tree")?;
    for (name, content) in tree {
        let path = below(&base, name)?;
        std::fs::create_dir_all(path.parent().ok_or("a name without a folder")?)?;
        match content.as_str().ok_or("tree content")? {
            "dir" => std::fs::create_dir_all(&path)?,
            "file" => std::fs::write(&path, "x\n")?,
            "symlink" => return Err("a link without a target".into()),
            text => git_file(&base, &path, text, valid)?,
        }
    }
    let cwd = below(&base, text(input, "cwd")?)?;
    if !cwd.exists() {
        std::fs::create_dir_all(&cwd)?;
    }
    let found = memdir_paths::canonical_root(&cwd).map_err(|error| error.to_string())?;
    let shown = if found.is_repository() {
        let relative = found.path.strip_prefix(&base).unwrap_or(&found.path);
        Value::from(relative.to_string_lossy().into_owned())
    } else {
        Value::Null
    };
    answer([("root", shown)])
}

/// Writes a `.git` file, and what it points at if that is a worktree's metadata.
fn git_file(base: &Path, path: &Path, text: &str, valid: bool) -> Result<(), Unsupported> {
    let Some(target) = text.strip_prefix("gitdir:").map(str::trim) else {
        std::fs::write(path, text)?;
        return Ok(());
    };
    let holder = path.parent().ok_or("a pointer without a folder")?;
    let (metadata, written) = if Path::new(target).is_absolute() {
        let metadata = below(base, target)?;
        let written = format!("gitdir: {}", metadata.display());
        (metadata, written)
    } else {
        (oracle::normal(&holder.join(target)), text.to_owned())
    };
    std::fs::write(path, written)?;
    let is_worktree = metadata
        .parent()
        .is_some_and(|parent| parent.ends_with("worktrees"));
    if valid && is_worktree && metadata.starts_with(base) {
        std::fs::create_dir_all(&metadata)?;
        std::fs::write(metadata.join("gitdir"), format!("{}\n", path.display()))?;
        std::fs::write(metadata.join("commondir"), "../..\n")?;
        std::fs::write(metadata.join("HEAD"), "ref: refs/heads/main\n")?;
    }
    Ok(())
}

fn topic_name(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    guard(input, |dir, name| dir.topic(name).is_ok())
}

fn team_key(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    guard(input, |dir, name| {
        let team = dir.team(memdir_paths::TeamLayout::Inside);
        memdir_paths::resolve_inside(team.path(), name).is_ok()
    })
}

fn guard(
    input: &Map<String, Value>,
    accepts: fn(&MemoryDir, &str) -> bool,
) -> Result<Map<String, Value>, Unsupported> {
    let root = fresh()?;
    let dir = root.path().join("w/memory");
    std::fs::create_dir_all(dir.join("team"))?;
    let name = text(input, "name").or_else(|_| text(input, "path"))?;
    let before = snapshot(root.path())?;
    let accepted = accepts(&MemoryDir::new(&dir), name);
    let unchanged = before == snapshot(root.path())?;
    answer([
        ("accepted", accepted.into()),
        ("nothing_created", unchanged.into()),
    ])
}

/// Every name below a folder.
fn snapshot(dir: &Path) -> Result<Vec<PathBuf>, Unsupported> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn frontmatter(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let memory = Memory::parse(text(input, "text")?);
    let found = if memory.has_frontmatter() {
        Value::Bool(true)
    } else {
        Value::Null
    };
    answer([
        ("name", memory.name().into()),
        ("description", memory.description().into()),
        ("frontmatter", found),
    ])
}

fn truncate_boundary(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let max = input
        .get("max_bytes")
        .and_then(Value::as_u64)
        .ok_or("input max_bytes")?;
    let limits = Limits::new(Measure::Bytes).size(usize::try_from(max)?);
    let cut = memdir_index::truncate(text(input, "text")?, limits);
    answer([("cut_at", cut.text.len().into())])
}

fn missing(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    if input.get("dir_exists") != Some(&Value::Bool(false)) {
        return Err("input dir_exists".into());
    }
    let root = fresh()?;
    let dir = root.path().join("w/missing/memory");
    let loaded = Store::open(&dir).and_then(|store| store.load(Limits::default()));
    let (index, error) = match loaded {
        Ok(loaded) => (loaded.text.map_or(Value::Null, Value::from), Value::Null),
        Err(error) => (Value::Null, error.to_string().into()),
    };
    answer([("index", index), ("error", error)])
}

fn hostile_name(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let root = fresh()?;
    let dir = root.path().join("w/memory");
    std::fs::create_dir_all(&dir)?;
    let file = text(input, "file")?;
    let memory = "---\nname: n\ndescription: d\ntype: user\n---\nbody\n";
    std::fs::write(below(&dir, file)?, memory)?;
    let store = Store::open(&dir).map_err(|error| error.to_string())?;
    store.rebuild().map_err(|error| error.to_string())?;
    let index = std::fs::read_to_string(dir.join("MEMORY.md")).unwrap_or_default();
    let listed = memdir_index::Index::parse(&index)
        .entries()
        .any(|entry| entry.file == file)
        || index.lines().count() > 1;
    answer([("listed", listed.into())])
}

fn no_description(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let line = Entry::new("Title", "file.md", text(input, "description")?).to_string();
    let end = line.trim_end().chars().next_back();
    let dangling = end.is_some_and(|end| matches!(end, '—' | '–' | '-' | ':'));
    answer([("dangling_separator", dangling.into())])
}

fn casing(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let file = text(input, "file")?;
    let prompt = memdir_index::prompt(&memdir_index::Prompt::standard(&MemoryDir::new("/m")));
    let displayed = if prompt.contains(file) {
        file.into()
    } else {
        Value::Null
    };
    answer([("displayed", displayed)])
}

fn prompt(input: &Map<String, Value>) -> Result<Map<String, Value>, Unsupported> {
    let path = Path::new(text(input, "private_path")?);
    let folder = if path.extension().is_some() {
        path.parent()
    } else {
        Some(path)
    };
    let dir = MemoryDir::new(folder.ok_or("input private_path")?);
    let options = match text(input, "mode")? {
        "standard" => memdir_index::Prompt::standard(&dir),
        "team" => {
            let team = dir.team(memdir_paths::TeamLayout::Inside);
            memdir_index::Prompt::team(&dir, &team)
        }
        "daily_log" => memdir_index::Prompt::daily_log(&dir),
        other => return Err(format!("mode {other}").into()),
    };
    let prompt = memdir_index::prompt(&options);
    answer([("contains", Value::from(prompt))])
}
