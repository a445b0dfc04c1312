//! Edit and MultiEdit: exact replacements in one file, all or none.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::input::{Fields, flag, needed};
use super::lines::explain;
use super::write::{MAX_FILE_BYTES, put};
use super::{Context, Outcome, shown};
use crate::runner::judge::PlannedWrite;

pub(super) fn edit(
    context: &Context<'_>,
    path: &Path,
    tool: &str,
    input: &str,
    fields: &Fields,
) -> Result<Outcome, String> {
    let before = text_of(path)?;
    let mut after = before.clone();
    let mut times = 0;
    if tool == "Edit" {
        times += replace(&mut after, fields)?;
    } else {
        let Some(Value::Array(edits)) = fields.get("edits") else {
            return Err("`edits`: a list is expected".to_owned());
        };
        if edits.is_empty() {
            return Err("`edits` is empty".to_owned());
        }
        for (at, edit) in edits.iter().enumerate() {
            let Value::Object(edit) = edit else {
                return Err(format!("edit {}: an object is expected", at + 1));
            };
            times += replace(&mut after, edit)
                .map_err(|why| format!("Edit {}: {why} None of the edits was made.", at + 1))?;
        }
    }
    context.judge.may_write(&PlannedWrite {
        path,
        before: Some(&before),
        after: &after,
        tool,
        input,
    })?;
    put(path, &after)?;
    let plural = if times == 1 { "" } else { "s" };
    Ok(Outcome::good(format!(
        "{}: {times} replacement{plural}",
        shown(path)
    )))
}

/// The text of a file that is about to be edited: an edit must not change bytes that it does not
/// name.
fn text_of(path: &Path) -> Result<String, String> {
    let size = fs::metadata(path)
        .map_err(|error| explain(path, &error))?
        .len();
    if size > MAX_FILE_BYTES {
        return Err(format!(
            "{} is larger than {MAX_FILE_BYTES} bytes",
            shown(path)
        ));
    }
    let bytes = fs::read(path).map_err(|error| explain(path, &error))?;
    String::from_utf8(bytes)
        .map_err(|_| format!("{} is no valid UTF-8; write it as a whole", shown(path)))
}

/// Makes one replacement; how many places it was made in.
fn replace(text: &mut String, fields: &Fields) -> Result<usize, String> {
    let old = needed(fields, "old_string")?;
    let new = needed(fields, "new_string")?;
    let is_all = flag(fields, "replace_all")?;
    if old.is_empty() {
        return Err("`old_string` is empty; write a new file with Write.".to_owned());
    }
    if old == new {
        return Err("`old_string` and `new_string` are the same.".to_owned());
    }
    // A model sees no difference between the two kinds of line ends.
    let wants_crlf = !text.contains(old) && text.contains("\r\n") && !old.contains('\r');
    let (old, new) = if wants_crlf {
        let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
        (crlf(old), crlf(new))
    } else {
        (old.to_owned(), new.to_owned())
    };
    let times = text.matches(&old).count();
    match times {
        0 => {
            return Err(
                "`old_string` is not in the file. Read the file and copy the text as it \
                        stands there."
                    .to_owned(),
            );
        }
        1 => {}
        _ if is_all => {}
        _ => {
            return Err(format!(
                "`old_string` is in the file {times} times. Take more of the text around it, or \
                 set `replace_all`."
            ));
        }
    }
    let size = (text.len() - times * old.len()) as u64;
    let added = (new.len() as u64).saturating_mul(times as u64);
    if size.saturating_add(added) > MAX_FILE_BYTES {
        return Err(format!(
            "The file would be larger than {MAX_FILE_BYTES} bytes."
        ));
    }
    *text = text.replace(&old, &new);
    Ok(times)
}
