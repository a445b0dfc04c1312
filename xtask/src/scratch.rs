//! `cargo xtask scratch`: uses each crate as a stranger does. Packs all of them, unpacks the
//! archives elsewhere, and for each makes a project that depends on its archive alone and whose
//! program is the first example of its README.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::tidy::manifest::Manifest;
use crate::{Result, workspace_root};

/// Packages that examples use beside the crate itself, as far as their text names them.
const BESIDE: [(&str, &str); 3] = [
    ("serde_json", "serde_json = \"1\"\n"),
    ("tempfile", "tempfile = \"3\"\n"),
    (
        "tokio",
        "tokio = { version = \"1\", features = [\"macros\", \"rt\", \"time\"] }\n",
    ),
];

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = args.first() {
        return Err(format!("scratch takes no argument, got `{unknown}`").into());
    }
    let root = workspace_root();
    let target = root.join("target/scratch");
    let archives = pack(&root, &target)?;
    let place = tempfile::tempdir()?;
    let crates: Vec<(String, PathBuf)> = Manifest::libraries(&root)?
        .iter()
        .map(|manifest| unpack(manifest.name(), &archives, place.path()))
        .collect::<Result<_>>()?;
    let mut failed = 0;
    for (name, unpacked) in &crates {
        let project = place.path().join(format!("uses-{name}"));
        let program = first_example(&std::fs::read_to_string(unpacked.join("README.md"))?)
            .ok_or_else(|| format!("the README of {name} begins with no example"))?;
        write(&project, name, &program, &crates)?;
        // The versions that the crates are tested with; cargo drops what the project does not use.
        std::fs::copy(root.join("Cargo.lock"), project.join("Cargo.lock"))?;
        let ok = cargo()
            .args(["run", "--quiet"])
            .current_dir(&project)
            .env("CARGO_TARGET_DIR", target.join("projects"))
            .env("HOME", place.path())
            .env("CARGO_HOME", home("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", home("RUSTUP_HOME", ".rustup"))
            .output()?;
        failed += usize::from(!ok.status.success());
        let lines = program.lines().count();
        match ok.status.success() {
            true => say!("ok   {name:<14} alone, {lines} lines of its README run"),
            false => say!("FAIL {name}\n{}", String::from_utf8_lossy(&ok.stderr)),
        }
    }
    say!("scratch: {} projects, {failed} failed", crates.len());
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Where cargo or rustup is, whatever the home of the projects is.
fn home(variable: &str, below: &str) -> PathBuf {
    let set = std::env::var_os(variable).map(PathBuf::from);
    set.unwrap_or_else(|| {
        let home = std::env::var_os("HOME").unwrap_or_default();
        Path::new(&home).join(below)
    })
}

/// The folder with the archives.
fn pack(root: &Path, target: &Path) -> Result<PathBuf> {
    let status = cargo()
        .current_dir(root)
        .args([
            "package",
            "--workspace",
            "--exclude",
            "xtask",
            "--quiet",
            "--locked",
        ])
        // They are built below, by the projects.
        .args(["--no-verify", "--allow-dirty", "--target-dir"])
        .arg(target)
        .status()?;
    if !status.success() {
        return Err("the crates cannot be packed".into());
    }
    Ok(target.join("package"))
}

fn unpack(name: &str, archives: &Path, place: &Path) -> Result<(String, PathBuf)> {
    let archive = std::fs::read_dir(archives)?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let version = file
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('-'));
            version.is_some_and(|rest| {
                rest.ends_with(".crate") && rest.starts_with(|c: char| c.is_ascii_digit())
            })
        })
        .ok_or_else(|| format!("no archive of {name}"))?;
    let status = Command::new("tar")
        .arg("-xzf")
        .arg(&archive)
        .current_dir(place)
        .status()?;
    if !status.success() {
        return Err(format!("{} cannot be unpacked", archive.display()).into());
    }
    let stem = archive.file_stem().unwrap_or_default();
    Ok((name.to_owned(), place.join(stem)))
}

/// The first Rust example of a README as a whole program.
fn first_example(readme: &str) -> Option<String> {
    let code = readme.split("```rust\n").nth(1)?.split("```").next()?;
    let shown = |line: &str| line.strip_prefix("# ").unwrap_or(line).to_owned();
    let lines: Vec<String> = code
        .lines()
        .filter(|line| *line != "#")
        .map(shown)
        .collect();
    let code = lines.join("\n");
    if code.contains("fn main()") {
        return Some(code);
    }
    // As the documentation's tests do.
    let code = code.trim_end();
    let code = code
        .strip_suffix("Ok::<(), Box<dyn std::error::Error>>(())")
        .unwrap_or(code);
    Some(format!(
        "fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{code}\nOk(())\n}}"
    ))
}

fn write(project: &Path, name: &str, program: &str, crates: &[(String, PathBuf)]) -> Result<()> {
    std::fs::create_dir_all(project.join("src"))?;
    std::fs::write(project.join("src/main.rs"), program)?;
    let mut manifest = format!(
        "[package]\nname = \"uses-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\n{name} = \"*\"\n"
    );
    for (package, line) in BESIDE {
        if program.contains(package) {
            manifest.push_str(line);
        }
    }
    // A sibling that the example names is re-exported, or one more line for a stranger.
    for (sibling, _) in crates {
        let module = sibling.replace('-', "_");
        let is_named = program
            .lines()
            .any(|line| line.trim_start().starts_with(&format!("use {module}::")));
        if sibling != name && is_named {
            let _ = writeln!(manifest, "{sibling} = \"*\"");
        }
    }
    manifest.push_str("\n[patch.crates-io]\n");
    for (sibling, unpacked) in crates {
        let _ = writeln!(
            manifest,
            "{sibling} = {{ path = {:?} }}",
            unpacked.display().to_string()
        );
    }
    std::fs::write(project.join("Cargo.toml"), manifest)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::first_example;

    #[test]
    fn an_example_without_a_main_gets_one() {
        let readme = "# x\n\n```rust\nlet a = 1;\n# let b = a;\n# Ok::<(), Box<dyn std::error::Error>>(())\n```\n";
        let program = first_example(readme).unwrap_or_default();
        assert!(program.starts_with("fn main()"), "{program}");
        assert!(
            program.contains("let b = a;") && !program.contains("Ok::<"),
            "{program}"
        );
        assert_eq!(first_example("no code"), None);
    }
}
