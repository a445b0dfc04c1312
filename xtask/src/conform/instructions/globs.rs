//! What a rule's `paths` match by the decided semantics, asked of git itself.
//!
//! The header is read here a second time, by a few lines of its own, and each pattern is given to
//! `git check-ignore`, so that nothing of the crate under test is believed.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::conform::tree::Unsupported;

/// The patterns of one rule, and which deviations their spelling brings in.
pub(super) struct Header {
    patterns: Vec<String>,
    /// An unquoted list item that begins with `*` or `!`, or a block scalar.
    pub(super) rescued: bool,
}

impl Header {
    pub(super) fn read(rule: &str) -> Option<Header> {
        let mut lines = rule.lines().map(|line| line.trim_end_matches('\r'));
        lines.next().filter(|line| line.trim_end() == "---")?;
        let block: Vec<&str> = lines.take_while(|line| *line != "---").collect();
        let at = block.iter().position(|line| line.starts_with("paths:"))?;
        let value = block[at]["paths:".len()..].trim();
        let below = block[at + 1..].iter().take_while(|line| {
            line.trim_start().starts_with("- ") || line.starts_with(' ') || line.trim().is_empty()
        });
        let mut rescued = false;
        let mut items = Vec::new();
        if value.starts_with(['|', '>']) {
            rescued = true;
            items.extend(below.map(|line| line.trim().to_owned()));
        } else if value.is_empty() {
            for line in below {
                let Some(item) = line.trim().strip_prefix("- ") else {
                    continue;
                };
                let item = item.trim();
                rescued |= item.starts_with(['*', '!']);
                items.push(unquoted(item));
            }
        } else if let Some(flow) = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
            items.extend(split(flow).into_iter().map(|item| unquoted(&item)));
        } else {
            items.push(unquoted(value));
        }
        let patterns = items.iter().flat_map(|item| split(item)).collect();
        Some(Header { patterns, rescued })
    }

    pub(super) fn has_negation(&self) -> bool {
        self.patterns.iter().any(|pattern| pattern.starts_with('!'))
    }

    pub(super) fn has_class_negation(&self) -> bool {
        self.patterns
            .iter()
            .any(|pattern| pattern.contains("[!") || pattern.contains("[^"))
    }

    /// For each path, relative to the rule's base: is it covered by the last pattern that covers
    /// it, and is that one positive?
    pub(super) fn matches(
        &self,
        paths: &[String],
        scratch: &Path,
    ) -> Result<Vec<bool>, Unsupported> {
        let mut covered = vec![false; paths.len()];
        if !self
            .patterns
            .iter()
            .any(|pattern| !pattern.starts_with('!'))
        {
            return Ok(covered);
        }
        for pattern in &self.patterns {
            let (positive, pattern) = match pattern.strip_prefix('!') {
                Some(rest) => (false, rest),
                None => (true, pattern.as_str()),
            };
            let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
            let hits = check_ignore(&braces(pattern), paths, scratch)?;
            for (covered, hit) in covered.iter_mut().zip(hits) {
                if hit {
                    *covered = positive;
                }
            }
        }
        Ok(covered)
    }
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        {
            return inner.to_owned();
        }
    }
    text.to_owned()
}

/// At commas outside braces.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
        .iter()
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// All alternatives of the brace groups, which do not nest.
fn braces(pattern: &str) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return vec![pattern.to_owned()];
    };
    let Some((group, after)) = rest.split_once('}') else {
        return Vec::new();
    };
    let tails = braces(after);
    let alternatives = group.split(',').map(str::trim);
    alternatives
        .flat_map(|choice| {
            tails
                .iter()
                .map(move |tail| format!("{before}{choice}{tail}"))
        })
        .collect()
}

fn check_ignore(
    patterns: &[String],
    paths: &[String],
    scratch: &Path,
) -> Result<Vec<bool>, Unsupported> {
    let repository = scratch.join("globs");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "core.ignorecase=true"])
            .args(args)
            .current_dir(&repository);
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        command
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE");
        command
    };
    if !repository.exists() {
        std::fs::create_dir_all(&repository)?;
        git(&["init", "--quiet"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
    }
    std::fs::write(
        repository.join(".gitignore"),
        format!("{}\n", patterns.join("\n")),
    )?;
    let mut child = git(&["check-ignore", "--no-index", "-z", "--stdin", "-v", "-n"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("git has no input")?;
    // A few names of a vector fit a pipe's buffer; git answers after the end of the input.
    input.write_all(paths.join("\0").as_bytes())?;
    input.write_all(b"\0")?;
    drop(input);
    let output = child.wait_with_output()?;
    let text = String::from_utf8(output.stdout)?;
    // Four fields for each path: source, line, pattern, path.
    let fields: Vec<&str> = text.split('\0').collect();
    let hits: Vec<bool> = fields
        .chunks_exact(4)
        .map(|answer| !answer[0].is_empty())
        .collect();
    if hits.len() != paths.len() {
        return Err("git check-ignore did not answer for every path".into());
    }
    Ok(hits)
}

#[cfg(test)]
mod tests {
    use super::Header;

    #[track_caller]
    fn check(paths: &str, wanted: &[&str]) {
        let header = Header::read(&format!("---\n{paths}\n---\nBODY\n")).unwrap();
        let names = ["src/a.ts", "src/gen/b.ts", "b.txt", "SRC/c.TS"].map(str::to_owned);
        let scratch = tempfile::tempdir().unwrap();
        let found = header.matches(&names, scratch.path()).unwrap();
        let found: Vec<&str> = names
            .iter()
            .zip(found)
            .filter(|(_, hit)| *hit)
            .map(|(name, _)| &**name)
            .collect();
        assert_eq!(found, wanted, "{paths}");
    }

    #[test]
    fn patterns_mean_what_they_say() {
        check(
            "paths: '**/*.ts'",
            &["src/a.ts", "src/gen/b.ts", "SRC/c.TS"],
        );
        check("paths: \"src/**, !src/gen/**\"", &["src/a.ts", "SRC/c.TS"]);
        check(
            "paths: '!src/gen/**, src/**'",
            &["src/a.ts", "src/gen/b.ts", "SRC/c.TS"],
        );
        check("paths: '!src/**'", &[]);
        check(
            "paths:\n  - *.txt\n  - 'src/{gen,x}/**'",
            &["src/gen/b.ts", "b.txt"],
        );
        check(
            "paths: |\n  *.txt\n  src/[!b].ts",
            &["src/a.ts", "b.txt", "SRC/c.TS"],
        );
        check("paths: ['*.txt', 'nothing']", &["b.txt"]);
    }
}
