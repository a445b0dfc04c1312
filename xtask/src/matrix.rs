//! `xtask matrix`: every feature combination of every crate, checked, one visible line each.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::tidy::manifest::Manifest;
use crate::{Result, workspace_root};

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = args.first() {
        return Err(format!("matrix takes no argument, got `{unknown}`").into());
    }
    let root = workspace_root();
    let mut failed = 0;
    let mut checked = 0;
    for manifest in Manifest::libraries(&root)? {
        for combination in combinations(&manifest.features()) {
            let ok = check(&root, manifest.name(), &combination)?;
            checked += 1;
            failed += usize::from(!ok);
            let shown = if combination.is_empty() {
                "(none)".to_owned()
            } else {
                combination.join(" + ")
            };
            say!(
                "{} {:<14} {shown}",
                if ok { "ok  " } else { "FAIL" },
                manifest.name()
            );
        }
    }
    say!("matrix: {checked} combinations, {failed} failed");
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// All subsets, the empty one first. `default` is a combination of others and is left out.
fn combinations(features: &[String]) -> Vec<Vec<String>> {
    let own: Vec<&String> = features.iter().filter(|name| *name != "default").collect();
    (0..1usize << own.len())
        .map(|bits| {
            let chosen = own.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            chosen.map(|(_, name)| (*name).clone()).collect()
        })
        .collect()
}

fn check(root: &Path, name: &str, features: &[String]) -> Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args([
            "check",
            "--quiet",
            "--locked",
            "--no-default-features",
            "--package",
            name,
        ])
        .arg("--features")
        .arg(features.join(","))
        .env("RUSTFLAGS", "-D warnings")
        .status()?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::combinations;

    #[test]
    fn combinations_are_all_subsets_without_default() {
        let features = ["default", "git2", "serde"].map(str::to_owned);
        let shown: Vec<String> = combinations(&features)
            .iter()
            .map(|set| set.join("+"))
            .collect();
        assert_eq!(shown, ["", "git2", "serde", "git2+serde"]);
    }
}
