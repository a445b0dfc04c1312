//! A report as text for people.

use std::fmt;
use std::path::Path;

use crate::file::{Extent, LoadReason};
use crate::layer::Layer;
use crate::paths::printable;
use crate::report::{Loaded, Report, SkipReason};

/// Levels of imports that are shown as such. Our choice: deeper chains would fill the page.
const MAX_INDENT: usize = 16;

impl Report {
    /// Estimated tokens of everything that was loaded.
    pub fn tokens(&self) -> usize {
        self.loaded.iter().map(|file| file.tokens).sum()
    }

    fn headline(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instructions for {}: ", printable(&self.cwd))?;
        if let Some(switch) = self.switched_off {
            return writeln!(f, "switched off by {switch}");
        }
        writeln!(
            f,
            "{} loaded (about {} tokens), {} waiting, {} left out",
            self.loaded.len(),
            self.tokens(),
            self.waiting.len(),
            self.skipped.len()
        )
    }
}

fn line(f: &mut fmt::Formatter<'_>, file: &Loaded, depth: usize) -> fmt::Result {
    let indent = 4 + 2 * depth.min(MAX_INDENT);
    write!(f, "{:indent$}{}", "", printable(&file.path))?;
    if file.real != file.path {
        write!(f, " -> {}", printable(&file.real))?;
    }
    write!(f, "  {} bytes, ~{} tokens", file.bytes, file.tokens)?;
    if let Extent::Cut { of } = file.extent {
        write!(f, ", cut ({of} bytes whole)")?;
    }
    match (file.reason, file.trigger.as_deref()) {
        (LoadReason::Glob, Some(trigger)) => {
            write!(f, ", {} matched {}", globs(&file.globs), printable(trigger))?;
        }
        (LoadReason::Nested, Some(trigger)) => write!(f, ", for {}", printable(trigger))?,
        _ => {}
    }
    writeln!(f)
}

fn globs(patterns: &[String]) -> String {
    printable(Path::new(&patterns.join(", "))).into_owned()
}

fn section<T>(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    items: &[T],
    mut item: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    if !items.is_empty() {
        writeln!(f, "  {title}")?;
    }
    for it in items {
        f.write_str("    ")?;
        item(f, it)?;
        writeln!(f)?;
    }
    Ok(())
}

fn from_parent(f: &mut fmt::Formatter<'_>, parent: Option<&Path>) -> fmt::Result {
    match parent {
        Some(parent) => write!(f, " (imported by {})", printable(parent)),
        None => Ok(()),
    }
}

/// A tree: what is loaded by layer, imports below their importers; what waits; what was left out.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.headline(f)?;
        if !self.sources_off.is_empty() {
            let names: Vec<&str> = self.sources_off.iter().map(|s| s.as_str()).collect();
            writeln!(f, "  not read: {}", names.join(", "))?;
        }
        let mut last: Option<Layer> = None;
        // Files follow their importers depth first, so the importers of a file are a stack.
        let mut importers: Vec<&Path> = Vec::new();
        for file in &self.loaded {
            if last != Some(file.layer) {
                writeln!(f, "  {}", file.layer)?;
                last = Some(file.layer);
            }
            let parent = file.parent.as_deref().map(Path::as_os_str);
            while importers
                .last()
                .is_some_and(|last| Some(last.as_os_str()) != parent)
            {
                importers.pop();
            }
            line(f, file, importers.len())?;
            importers.push(&file.path);
        }
        section(
            f,
            "waiting for a matching path",
            &self.waiting,
            |f, rule| write!(f, "{}  {}", printable(&rule.path), globs(&rule.globs)),
        )?;
        section(f, "left out", &self.skipped, |f, skipped| {
            write!(f, "{}", printable(&skipped.path))?;
            if let SkipReason::External { real } = &skipped.reason
                && *real != skipped.path
            {
                write!(f, " -> {}", printable(real))?;
            }
            write!(f, ": {}", skipped.reason)?;
            from_parent(f, skipped.parent.as_deref())
        })?;
        section(f, "look at", &self.warnings, |f, warning| {
            write!(f, "{}: {}", printable(&warning.path), warning.kind)
        })?;
        section(
            f,
            "references that name no file",
            &self.misses,
            |f, miss| {
                write!(f, "@{}", miss.reference.escape_debug())?;
                match &miss.looked_up {
                    Some(path) => write!(f, " looked up as {}", printable(path))?,
                    None => f.write_str(" is not a path")?,
                }
                if let Some(hint) = &miss.hint {
                    write!(f, "; there is {}", printable(hint))?;
                }
                from_parent(f, Some(&miss.parent))
            },
        )?;
        if self.more_misses > 0 {
            writeln!(f, "    and {} more", self.more_misses)?;
        }
        Ok(())
    }
}
