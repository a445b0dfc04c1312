//! Rules about documents: the table of switches, and words that do not belong in the project.

use std::path::Path;

use super::manifest::Manifest;
use super::{Findings, files_below, shown};
use crate::Result;

/// Heading of the table in ARCHITECTURE.md.
const TABLE: &str = "## Environment variables and feature flags";
/// The published description of the system names nine of each.
const VARIABLES: usize = 9;
const FLAGS: usize = 9;

/// What ties a project to one place. Put together so that this file does not find itself.
const FOREIGN: [&str; 5] = [
    concat!("crates", ".io"),
    concat!("docs", ".rs/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("../sha", "red"),
];

pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let architecture = std::fs::read_to_string(root.join("ARCHITECTURE.md"))?;
    switches(root, &architecture, findings)?;
    code_map(root, &architecture, findings)?;
    for rule in crate::conform::compare::RULES {
        if !architecture
            .lines()
            .any(|line| line.ends_with(&format!("| `{rule}` |")))
        {
            let what = format!("the deviation `{rule}` has no row with its reason");
            findings.add("ARCHITECTURE.md", what);
        }
    }
    for suffix in [".md", ".rs", ".toml"] {
        for path in files_below(root, suffix)? {
            let text = std::fs::read_to_string(&path)?;
            for (at, line) in text.lines().enumerate() {
                if let Some(word) = FOREIGN.iter().find(|word| line.contains(**word)) {
                    let place = format!("{}:{}", shown(root, &path), at + 1);
                    findings.add(
                        place,
                        format!("names `{word}`, which is outside the project"),
                    );
                }
            }
        }
    }
    Ok(())
}

/// Every top-level module of every crate has a row in the code map, and every row its module.
fn code_map(root: &Path, architecture: &str, findings: &mut Findings) -> Result<()> {
    let libraries = Manifest::libraries(root)?;
    let mut crates: Vec<(&str, std::path::PathBuf)> = libraries
        .iter()
        .map(|library| (library.name(), library.folder().join("src/lib.rs")))
        .collect();
    crates.push(("xtask", root.join("xtask/src/main.rs")));
    for (name, top) in crates {
        let heading = format!("### {name}, module by module\n");
        let section = architecture.split(&heading).nth(1).unwrap_or_default();
        let section = section.split("\n#").next().unwrap_or_default();
        let rows: Vec<&str> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .collect();
        let text = std::fs::read_to_string(top)?;
        let modules: Vec<&str> = text.lines().filter_map(module).collect();
        for module in modules.iter().filter(|module| !rows.contains(module)) {
            let what = format!("the code map of {name} lacks `{module}`");
            findings.add("ARCHITECTURE.md", what);
        }
        for row in rows {
            if row != "lib" && !modules.contains(&row) {
                let what = format!("the code map of {name} has `{row}`, which is no module");
                findings.add("ARCHITECTURE.md", what);
            }
        }
    }
    Ok(())
}

/// The module that a line declares.
fn module(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ").unwrap_or(line);
    let rest = rest.strip_prefix("pub(crate) ").unwrap_or(rest);
    rest.strip_prefix("mod ")?.strip_suffix(';')
}

/// Every row names its owner and a test; the test exists once the owner is built.
fn switches(root: &Path, architecture: &str, findings: &mut Findings) -> Result<()> {
    let rows = rows(architecture);
    let (variables, flags): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_variable());
    if variables.len() != VARIABLES || flags.len() != FLAGS {
        let have = format!("{} variables and {} flags", variables.len(), flags.len());
        findings.add(
            "ARCHITECTURE.md",
            format!("{TABLE:?}: {have}, {VARIABLES} and {FLAGS} exist"),
        );
    }
    let libraries = Manifest::libraries(root)?;
    for row in rows {
        let Some(owner) = libraries.iter().find(|library| library.name() == row.owner) else {
            findings.add(
                "ARCHITECTURE.md",
                format!("{}: no crate `{}`", row.name, row.owner),
            );
            continue;
        };
        if owner.is_built() && !has_test(owner.folder(), &row.test)? {
            let missing = format!("{}: {} has no test `{}`", row.name, row.owner, row.test);
            findings.add("ARCHITECTURE.md", missing);
        }
    }
    Ok(())
}

struct Row {
    name: String,
    owner: String,
    test: String,
}

impl Row {
    /// Flags are lower case with a fixed prefix, or one of two code names.
    fn is_variable(&self) -> bool {
        !self.name.starts_with("tengu_") && self.name != "KAIROS" && self.name != "TEAMMEM"
    }
}

fn rows(architecture: &str) -> Vec<Row> {
    let after = architecture
        .lines()
        .skip_while(|line| *line != TABLE)
        .skip(1);
    let section = after.take_while(|line| !line.starts_with("## "));
    let cells = section.filter(|line| line.starts_with("| `")).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        cells
            .iter()
            .map(|cell| cell.trim_matches('`').to_owned())
            .collect::<Vec<_>>()
    });
    cells
        .filter(|cells| cells.len() == 6)
        .map(|cells| Row {
            name: cells[0].clone(),
            owner: cells[1].clone(),
            test: cells[5].clone(),
        })
        .collect()
}

fn has_test(folder: &Path, test: &str) -> Result<bool> {
    let name = test.rsplit("::").next().unwrap_or(test);
    let wanted = format!("fn {name}()");
    for path in files_below(folder, ".rs")? {
        if std::fs::read_to_string(path)?.contains(&wanted) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn rows_are_read_from_their_section_only() {
        let text = "## Other\n| `X` | a | b | c | d | `t` |\n\
            ## Environment variables and feature flags\n| name | owner | f | v | d | test |\n\
            |---|---|---|---|---|---|\n| `KAIROS` | memdir-index | f | v | off | `a::b` |\n\
            ## Next\n| `Y` | a | b | c | d | `t` |\n";
        let rows = rows(text);
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (&*rows[0].name, &*rows[0].owner, &*rows[0].test),
            ("KAIROS", "memdir-index", "a::b")
        );
        assert!(!rows[0].is_variable());
    }
}
