//! The peer kinds of `memdir-recall`.

use memdir_recall::{ScanOptions, scan, surface_text};
use serde_json::{Map, Value};

use super::peer::{Kind, Runner, answer, below, fresh, text};
use super::tree::Unsupported;

type Answer = Result<Map<String, Value>, Unsupported>;

/// The kinds of this crate: what they take, what is compared, who answers.
pub(super) fn kind(name: &str) -> Option<Kind> {
    let (inputs, compared, run): (&[_], &[_], Runner) = match name {
        "scan_hidden" => (&["file"], &["listed"], scan_hidden),
        "scan_bad" => (&["description"], &["description"], scan_bad),
        "scan_readonly" => (
            &["dir_missing", "op"],
            &["directory_created"],
            scan_readonly,
        ),
        "multi_paragraph" => (&["stored"], &["recalled"], multi_paragraph),
        _ => return None,
    };
    Some(Kind {
        inputs,
        compared,
        run,
    })
}

fn scan_hidden(input: &Map<String, Value>) -> Answer {
    let root = fresh()?;
    let dir = root.path().join("w/memory");
    std::fs::create_dir_all(&dir)?;
    let file = text(input, "file")?;
    let path = below(&dir, file)?;
    std::fs::create_dir_all(path.parent().ok_or("a file without a folder")?)?;
    std::fs::write(
        path,
        "---\nname: n\ndescription: d\ntype: user\n---\nbody\n",
    )?;
    let found = scan(&dir, &ScanOptions::default()).map_err(|error| error.to_string())?;
    let listed = found.memories.iter().any(|memory| memory.file == file);
    answer([("listed", listed.into())])
}

fn scan_bad(input: &Map<String, Value>) -> Answer {
    let root = fresh()?;
    let dir = root.path().join("w/memory");
    std::fs::create_dir_all(&dir)?;
    let written = text(input, "description")?;
    std::fs::write(
        dir.join("a.md"),
        format!("---\nname: n\ndescription: {written}\n---\nbody\n"),
    )?;
    let found = scan(&dir, &ScanOptions::default()).map_err(|error| error.to_string())?;
    let memory = found.memories.first().ok_or("the memory is not listed")?;
    answer([(
        "description",
        memory.header.description.clone().unwrap_or_default().into(),
    )])
}

fn scan_readonly(input: &Map<String, Value>) -> Answer {
    if input.get("dir_missing") != Some(&Value::Bool(true)) {
        return Err("input dir_missing".into());
    }
    let root = fresh()?;
    let dir = root.path().join("w/missing/memory");
    let found = scan(&dir, &ScanOptions::default()).map_err(|error| error.to_string())?;
    let created = dir.exists() || dir.parent().is_some_and(|parent| parent.exists());
    answer([(
        "directory_created",
        (created || !found.memories.is_empty()).into(),
    )])
}

fn multi_paragraph(input: &Map<String, Value>) -> Answer {
    let surfaced = surface_text("/memory/a.md", text(input, "stored")?, None);
    answer([("recalled", surfaced.text.into())])
}
