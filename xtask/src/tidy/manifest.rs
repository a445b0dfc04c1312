//! Rules about manifests: arrows between crates, versions, what a publishable crate carries.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Findings;
use crate::Result;

/// The graph of ARCHITECTURE.md: who may depend on which sibling.
const ARROWS: [(&str, &[&str]); 8] = [
    ("memdir-paths", &[]),
    ("memdir-types", &[]),
    ("memdir-index", &["memdir-paths", "memdir-types"]),
    ("memdir-age", &[]),
    ("memdir-recall", &["memdir-paths", "memdir-types"]),
    ("claudemd", &[]),
    (
        "autodream",
        &["memdir-index", "memdir-paths", "memdir-types"],
    ),
    ("compact-sm", &[]),
];

/// One crate's manifest.
pub(crate) struct Manifest {
    folder: PathBuf,
    name: String,
    table: Table,
}

impl Manifest {
    /// The libraries, in the reading order of the workspace.
    pub(crate) fn libraries(root: &Path) -> Result<Vec<Manifest>> {
        let names = ARROWS.iter().map(|(name, _)| *name);
        names.map(|name| Manifest::read(&root.join(name))).collect()
    }

    fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let table: Table = text
            .parse()
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let name = table
            .get("package")
            .and_then(|package| package.get("name"))
            .and_then(Value::as_str)
            .ok_or_else(|| format!("{}: no package name", path.display()))?;
        Ok(Manifest {
            folder: folder.to_path_buf(),
            name: name.to_owned(),
            table,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Names of the features, sorted.
    pub(crate) fn features(&self) -> Vec<String> {
        let features = self.table.get("features").and_then(Value::as_table);
        features
            .map(|table| table.keys().cloned().collect())
            .unwrap_or_default()
    }

    /// A crate that is still only a name has one source file and no tests.
    pub(crate) fn is_built(&self) -> bool {
        let sources = super::files_below(&self.folder, ".rs").unwrap_or_default();
        sources.len() > 1
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn package(&self, key: &str) -> Option<&Value> {
        self.table
            .get("package")
            .and_then(|package| package.get(key))
    }

    fn version(&self) -> &str {
        self.package("version")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Names of the dependencies in one table (`dependencies`, `dev-dependencies`), also below
    /// `target.*`, with their values.
    fn dependencies(&self, table: &str) -> Vec<(&str, &Value)> {
        let mut tables: Vec<&Table> = Vec::new();
        tables.extend(self.table.get(table).and_then(Value::as_table));
        if let Some(targets) = self.table.get("target").and_then(Value::as_table) {
            let below = targets
                .values()
                .filter_map(|target| target.get(table)?.as_table());
            tables.extend(below);
        }
        tables
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), value))
            .collect()
    }
}

pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let libraries = Manifest::libraries(root)?;
    let workspace: Table = std::fs::read_to_string(root.join("Cargo.toml"))?.parse()?;
    for (manifest, (_, allowed)) in libraries.iter().zip(ARROWS) {
        arrows(manifest, allowed, findings);
        publishable(manifest, findings);
        folder(root, manifest, findings)?;
    }
    versions(&workspace, &libraries, findings);
    Ok(())
}

fn arrows(manifest: &Manifest, allowed: &[&str], findings: &mut Findings) {
    let name = manifest.name();
    let is_sibling = |name: &str| ARROWS.iter().any(|(sibling, _)| *sibling == name);
    let mut found: Vec<&str> = manifest
        .dependencies("dependencies")
        .into_iter()
        .chain(manifest.dependencies("build-dependencies"))
        .map(|(name, _)| name)
        .filter(|name| is_sibling(name))
        .collect();
    found.sort_unstable();
    found.dedup();
    for arrow in &found {
        if !allowed.contains(arrow) {
            findings.add(name, format!("may not depend on {arrow}"));
        }
    }
    if manifest.is_built() {
        for arrow in allowed.iter().filter(|arrow| !found.contains(arrow)) {
            findings.add(
                name,
                format!("the graph has an arrow to {arrow} that is not used"),
            );
        }
    }
    for (dependency, value) in manifest.dependencies("dev-dependencies") {
        if is_sibling(dependency) && (value.is_str() || value.get("version").is_some()) {
            findings.add(
                name,
                format!("dev-dependency {dependency} must have no version"),
            );
        }
    }
}

fn publishable(manifest: &Manifest, findings: &mut Findings) {
    let name = manifest.name();
    for key in ["description", "readme", "keywords", "categories", "version"] {
        if manifest.package(key).is_none() {
            findings.add(name, format!("package key `{key}` is missing"));
        }
    }
    for key in ["edition", "rust-version", "license", "include"] {
        let inherited = manifest
            .package(key)
            .and_then(|value| value.get("workspace"));
        if inherited.and_then(Value::as_bool) != Some(true) {
            findings.add(
                name,
                format!("package key `{key}` must come from the workspace"),
            );
        }
    }
    let keywords = manifest.package("keywords").and_then(Value::as_array);
    if keywords.is_some_and(|keywords| keywords.len() > 5) {
        findings.add(name, "more than five keywords");
    }
    for key in ["authors", "repository"] {
        if manifest.package(key).is_some() {
            findings.add(name, format!("package key `{key}` is not decided yet"));
        }
    }
    let description = manifest
        .package("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !description.ends_with('.') || description.trim_end_matches('.').contains(". ") {
        findings.add(name, "the description must be one sentence");
    }
    let lints = manifest
        .table
        .get("lints")
        .and_then(|lints| lints.get("workspace"));
    if lints.and_then(Value::as_bool) != Some(true) {
        findings.add(name, "lints must come from the workspace");
    }
    if manifest.is_built() && !manifest.features().iter().any(|feature| feature == "serde") {
        findings.add(name, "every built crate offers the feature `serde`");
    }
}

fn folder(root: &Path, manifest: &Manifest, findings: &mut Findings) -> Result<()> {
    let name = manifest.name();
    for file in ["README.md", "CHANGELOG.md"] {
        if !manifest.folder.join(file).is_file() {
            findings.add(name, format!("{file} is missing"));
        }
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        if std::fs::read(manifest.folder.join(file)).ok() != Some(std::fs::read(root.join(file))?) {
            findings.add(
                name,
                format!("{file} is missing or differs from the one at the top"),
            );
        }
    }
    let changelog =
        std::fs::read_to_string(manifest.folder.join("CHANGELOG.md")).unwrap_or_default();
    let heading = format!("## {}", manifest.version());
    if !changelog.lines().any(|line| line.starts_with(&heading)) {
        findings.add(
            name,
            format!("CHANGELOG.md has no entry for {}", manifest.version()),
        );
    }
    Ok(())
}

/// Internal dependencies carry the version of the sibling, so that a published crate names what
/// it was tested with.
fn versions(workspace: &Table, libraries: &[Manifest], findings: &mut Findings) {
    let shared = workspace
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Value::as_table);
    for (name, value) in shared.into_iter().flatten() {
        let Some(sibling) = libraries.iter().find(|library| library.name() == name) else {
            continue;
        };
        let version = value
            .get("version")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if version != sibling.version() {
            let wanted = sibling.version();
            findings.add(
                "Cargo.toml",
                format!("{name} is `{version}`, its crate is {wanted}"),
            );
        }
    }
}
