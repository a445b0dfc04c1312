//! The peer kinds of `claudemd`.

use std::path::{Path, PathBuf};

use claudemd::{LoadedFile, Operation, Options, Place, Roots, Session, SkipReason};
use serde_json::{Map, Value};

use crate::conform::oracle::normal;
use crate::conform::peer::{Kind, Runner, answer, below, fresh, text};
use crate::conform::tree::{Root, Unsupported};

type Answer = Result<Map<String, Value>, Unsupported>;

/// The kinds of this crate: what they take, what is compared, who answers.
pub(in crate::conform) fn kind(name: &str) -> Option<Kind> {
    const IMPORT: &[&str] = &[
        "files",
        "entry",
        "max_depth",
        "git_root",
        "root",
        "symlink",
        "text",
        "import_path",
        "base",
        "allowed",
    ];
    const IMPORTED: &[&str] = &[
        "imported",
        "not_imported",
        "order",
        "contains",
        "count_of",
        "text_unchanged",
        "imported_without_approval",
        "external",
        "terminates",
        "continues",
        "error",
        "refs",
        "not_refs",
        "allowed",
    ];
    let (inputs, compared, run): (&[_], &[_], Runner) = match name {
        "import" | "import_code" | "import_cycle" | "import_dedup" | "import_depth"
        | "import_missing" | "import_order" | "import_parse" | "import_scope" => {
            (IMPORT, IMPORTED, import)
        }
        "nested" => (
            &[
                "root",
                "files",
                "touch",
                "already",
                "touch_exists",
                "repeat_in_same_message",
            ],
            &["loaded", "loaded_first", "loaded_second"],
            nested,
        ),
        "encoding" => (&["bytes_hex"], &["text", "warning"], encoding),
        "layering" | "local_variant" => (
            &["user", "files"],
            &["order", "loaded", "joined", "result"],
            layering,
        ),
        _ => return None,
    };
    Some(Kind {
        inputs,
        compared,
        run,
    })
}

/// A temporary project in which one peer case plays.
struct Project {
    root: Root,
    base: PathBuf,
}

impl Project {
    fn new() -> Result<Project, Unsupported> {
        let root = fresh()?;
        let base = root.path().join("w");
        Ok(Project { root, base })
    }

    /// Writes the files of a case. As a map each has its text, as a list each holds its own name;
    /// `M.md`, `A.md` and `H.md` stand for `CLAUDE.md` unless they are the entry.
    fn files(&self, input: &Map<String, Value>, entry: Option<&str>) -> Result<(), Unsupported> {
        let write = |name: &str, text: &str| -> Result<(), Unsupported> {
            let path = below(&self.base, &real_name(name, entry))?;
            if name.ends_with('/') {
                std::fs::create_dir_all(path)?;
                return Ok(());
            }
            std::fs::create_dir_all(path.parent().ok_or("a file without a folder")?)?;
            std::fs::write(path, text)?;
            Ok(())
        };
        match input.get("files") {
            None => {}
            Some(Value::Object(files)) => {
                for (name, content) in files {
                    write(name, content.as_str().unwrap_or_default())?;
                }
            }
            Some(Value::Array(names)) => {
                for name in names {
                    let name = name.as_str().ok_or("input files")?;
                    write(name, name)?;
                }
            }
            Some(_) => return Err("input files".into()),
        }
        for (name, target) in input
            .get("symlink")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let link = below(&self.base, name)?;
            let target = target.as_str().ok_or("input symlink")?;
            let target = match target.strip_prefix('/') {
                Some(_) => below(&self.base, target)?,
                None => PathBuf::from(target),
            };
            std::fs::create_dir_all(link.parent().ok_or("a link without a folder")?)?;
            std::os::unix::fs::symlink(target, link)?;
        }
        Ok(())
    }

    fn roots(&self, cwd: &Path) -> Result<Roots, Unsupported> {
        std::fs::create_dir_all(cwd)?;
        let home = self.root.home();
        Ok(Roots::new(cwd.canonicalize()?)
            .home(&home)
            .managed_dir(self.root.managed()))
    }

    /// What of a load lies in the project, never what this machine has above it.
    fn own(&self, files: &[LoadedFile]) -> Vec<LoadedFile> {
        files
            .iter()
            .filter(|file| file.path.starts_with(self.root.path()))
            .cloned()
            .collect()
    }
}

fn real_name(name: &str, entry: Option<&str>) -> String {
    if entry == Some(name) {
        return name.to_owned();
    }
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let file = match file {
        "M.md" | "A.md" | "H.md" => "CLAUDE.md",
        "A.local.md" => "CLAUDE.local.md",
        other => other,
    };
    if folder.is_empty() {
        file.to_owned()
    } else {
        format!("{folder}/{file}")
    }
}

/// Expands the entry as a project file: a `CLAUDE.md` of the working directory that links to it.
fn import(input: &Map<String, Value>) -> Answer {
    if input.contains_key("import_path") {
        return place(input);
    }
    if input.contains_key("text") {
        return references(input);
    }
    let project = Project::new()?;
    let entry = text(input, "entry")?;
    project.files(input, Some(entry))?;
    let entry = below(&project.base, entry)?;
    let folder = entry
        .parent()
        .ok_or("an entry without a folder")?
        .to_path_buf();
    let named = input
        .get("git_root")
        .or_else(|| input.get("root"))
        .and_then(Value::as_str);
    let cwd = match named {
        Some(name) => below(&project.base, name)?,
        None => folder.clone(),
    };
    let roots = project.roots(&cwd)?;
    std::os::unix::fs::symlink(&entry, cwd.join("CLAUDE.md"))?;
    let mut options = Options::default();
    if let Some(depth) = input.get("max_depth").and_then(Value::as_u64) {
        options = options.max_import_depth(usize::try_from(depth)?);
    }
    let session = Session::load(&roots, &options);
    let files = project.own(session.files());
    let entry = entry.canonicalize()?;
    let own = files
        .iter()
        .find(|file| file.real == entry)
        .ok_or("the entry is not loaded")?;
    let name = |file: &LoadedFile| -> Value {
        let path = if file.real == entry {
            &entry
        } else {
            &file.path
        };
        Value::from(relative(&folder, path))
    };
    let imported: Vec<Value> = files
        .iter()
        .filter(|file| file.real != entry)
        .map(name)
        .collect();
    let raw = String::from_utf8_lossy(&std::fs::read(&entry)?).into_owned();
    let unchanged = own.text == raw.trim_start_matches('\u{feff}').trim();
    let joined: Vec<&str> = files.iter().map(|file| &*file.text).collect();
    let report = session.report();
    let refused = report
        .skipped
        .iter()
        .any(|skipped| matches!(skipped.reason, SkipReason::External { .. }));
    let external = refused
        || report
            .misses
            .iter()
            .any(|miss| miss.place == Place::External);
    answer([
        ("imported", Value::from(imported.clone())),
        ("not_imported", Value::from(imported.clone())),
        ("order", files.iter().map(name).collect()),
        ("contains", Value::from(joined.join("\n\n"))),
        ("count_of", Value::from(joined.join("\n\n"))),
        ("text_unchanged", unchanged.into()),
        ("imported_without_approval", Value::from(imported)),
        ("external", external.into()),
        ("terminates", true.into()),
        ("continues", true.into()),
        ("error", Value::Null),
    ])
}

/// `path` as seen from a folder, with `..` where it lies beside.
fn relative(folder: &Path, path: &Path) -> String {
    for (up, ancestor) in folder.ancestors().enumerate() {
        if let Ok(rest) = path.strip_prefix(ancestor) {
            return format!("{}{}", "../".repeat(up), rest.display());
        }
    }
    path.display().to_string()
}

/// Is an import of that path from that folder allowed? Asked of a real tree in which it exists.
fn place(input: &Map<String, Value>) -> Answer {
    let project = Project::new()?;
    project.files(input, None)?;
    let base = below(&project.base, text(input, "base")?)?;
    let allowed = input
        .get("allowed")
        .and_then(Value::as_array)
        .ok_or("input allowed")?;
    let [root] = allowed.as_slice() else {
        return Err("input allowed".into());
    };
    let cwd = below(&project.base, root.as_str().ok_or("input allowed")?)?;
    let roots = project.roots(&cwd)?;
    std::fs::create_dir_all(&base)?;
    let spelled = text(input, "import_path")?;
    let target = base.join(spelled);
    if let Some(folder) = target.parent() {
        let real = std::fs::read_link(folder).unwrap_or_else(|_| folder.to_path_buf());
        if normal(&real).starts_with(project.root.path()) {
            std::fs::create_dir_all(&real)?;
            std::fs::write(&target, "TARGET\n")?;
        }
    }
    std::fs::write(base.join("CLAUDE.md"), format!("@{spelled}\n"))?;
    let session = Session::load(&roots, &Options::default());
    let loaded = project
        .own(session.files())
        .iter()
        .any(|file| file.text == "TARGET");
    answer([("allowed", loaded.into())])
}

fn references(input: &Map<String, Value>) -> Answer {
    let found = claudemd::references(text(input, "text")?);
    let names: Vec<Value> = found
        .iter()
        .map(|found| Value::from(found.path.as_str()))
        .collect();
    answer([
        ("refs", Value::from(names.clone())),
        ("not_refs", Value::from(names)),
    ])
}

fn nested(input: &Map<String, Value>) -> Answer {
    let project = Project::new()?;
    project.files(input, None)?;
    let cwd = below(&project.base, text(input, "root")?)?;
    let mut session = Session::load(&project.roots(&cwd)?, &Options::default());
    let touched = below(&project.base, &real_name(text(input, "touch")?, None))?;
    let exists = input.get("touch_exists") != Some(&Value::Bool(false));
    if exists && !touched.exists() {
        std::fs::create_dir_all(touched.parent().ok_or("touch without a folder")?)?;
        std::fs::write(&touched, "x\n")?;
    }
    let operation = if exists {
        Operation::Read
    } else {
        Operation::Write
    };
    let mut names = |path: &Path| -> Vec<Value> {
        let brought = session.for_path(path, operation);
        let own = project.own(&brought);
        let texts = own.iter().map(|file| Value::from(file.text.as_str()));
        texts.collect()
    };
    // Each file holds its own name, as the case spells it.
    let first = names(&touched);
    let second = names(&touched);
    answer([
        ("loaded", Value::from(first.clone())),
        ("loaded_first", Value::from(first)),
        ("loaded_second", Value::from(second)),
    ])
}

fn encoding(input: &Map<String, Value>) -> Answer {
    let project = Project::new()?;
    let hex = text(input, "bytes_hex")?;
    let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    let bytes: Vec<u8> = digits
        .chunks_exact(2)
        .filter_map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok())
        .collect();
    let roots = project.roots(&project.base)?;
    std::fs::write(project.base.join("CLAUDE.md"), bytes)?;
    let session = Session::load(&roots, &Options::default());
    let files = project.own(session.files());
    let loaded = files
        .first()
        .map_or(Value::Null, |file| Value::from(file.text.as_str()));
    let warned = !session.report().warnings.is_empty();
    answer([("text", loaded), ("warning", warned.into())])
}

fn layering(input: &Map<String, Value>) -> Answer {
    let project = Project::new()?;
    project.files(input, None)?;
    if let Some(user) = input.get("user").and_then(Value::as_str) {
        let folder = project.root.home().join(".claude");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("CLAUDE.md"), user)?;
    }
    let names: Vec<String> = match input.get("files") {
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
        Some(Value::Object(files)) => files.keys().cloned().collect(),
        _ => Vec::new(),
    };
    let deepest = names
        .iter()
        .filter_map(|name| name.rsplit_once('/').map(|(folder, _)| folder))
        .max_by_key(|folder| folder.matches('/').count())
        .unwrap_or(".");
    let cwd = below(&project.base, deepest)?;
    let session = Session::load(&project.roots(&cwd)?, &Options::default());
    let files = project.own(session.files());
    let texts: Vec<&str> = files.iter().map(|file| &*file.text).collect();
    let result = if texts.is_empty() {
        Value::Null
    } else {
        Value::Bool(true)
    };
    answer([
        ("order", Value::from(texts.clone())),
        ("loaded", Value::from(texts.clone())),
        ("joined", Value::from(texts.join("\n\n"))),
        ("result", result),
    ])
}
