//! Read: numbered lines of a file.

use std::path::Path;

use super::input::{Fields, number};
use super::lines::{Lines, explain};
use super::{Context, Outcome};

/// 2,000 lines, unless more are asked for.
const DEFAULT_LINES: usize = 2_000;
/// 2,000 characters: the rest of a longer line is not shown.
const SHOWN_CHARS: usize = 2_000;

pub(super) fn read(context: &Context<'_>, path: &Path, fields: &Fields) -> Result<Outcome, String> {
    let first = number(fields, "offset")?.unwrap_or(1).max(1);
    let limit = number(fields, "limit")?.unwrap_or(DEFAULT_LINES).max(1);
    let mut lines = Lines::open(path)?;
    let is_cut = lines.is_cut();
    let mut text = String::new();
    let mut at = 0_usize;
    while let Some(line) = lines.next().map_err(|error| explain(path, &error))? {
        at += 1;
        if at < first {
            continue;
        }
        let shown = String::from_utf8_lossy(line);
        let cut = shown.char_indices().nth(SHOWN_CHARS).map(|(end, _)| end);
        let shown = &shown[..cut.unwrap_or(shown.len())];
        let mark = if cut.is_some() {
            "… [line cut off]"
        } else {
            ""
        };
        // Room for the word about the rest.
        let is_full = text.len() + shown.len() + 200 > context.result_bytes;
        if at - first >= limit || (is_full && at > first) {
            text.push_str(&format!("[more lines follow: go on with offset {at}]"));
            return Ok(Outcome::good(text));
        }
        text.push_str(&format!("{at:>6}\t{shown}{mark}\n"));
    }
    if is_cut {
        text.push_str("[the file is larger than what is looked at; search the rest with Bash]");
    }
    Ok(match at {
        0 => Outcome::good("[the file is empty]"),
        at if at < first => Outcome::bad(format!("The file has {at} lines, none at {first}.")),
        _ => Outcome::good(text),
    })
}
