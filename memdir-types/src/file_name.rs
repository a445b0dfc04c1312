//! Proposes a file name for a memory.

use crate::MemoryType;

/// The longest topic in a proposed file name, in bytes. With type, number and extension, a name
/// stays far below the 255 bytes that file systems allow, and readable in a list.
pub const MAX_TOPIC_BYTES: usize = 60;

/// A file name of the form `<type>_<topic>.md` that is free.
///
/// The topic is made of the ASCII letters and digits of the name, in lower case. Where those do
/// not carry the name (it is written in another script, in emoji, or it is cut), a short hash
/// of the whole name is added, so that different names get different files. The type is not
/// repeated if the name already begins with it. `is_taken` is asked until it says no; `_2`, `_3`
/// and so on are tried in turn.
///
/// ```
/// use memdir_types::{MemoryType, file_name};
///
/// let name = file_name(MemoryType::Feedback, "Testing: no mocks!", |_| false);
/// assert_eq!(name, "feedback_testing_no_mocks.md");
///
/// let taken = "feedback_testing_no_mocks.md";
/// let name = file_name(MemoryType::Feedback, "Testing: no mocks!", |name| name == taken);
/// assert_eq!(name, "feedback_testing_no_mocks_2.md");
/// ```
#[must_use]
pub fn file_name(kind: MemoryType, name: &str, mut is_taken: impl FnMut(&str) -> bool) -> String {
    let stem = format!("{kind}_{}", topic(kind, name));
    let mut candidate = format!("{stem}.md");
    let mut number = 2u64;
    while is_taken(&candidate) {
        candidate = format!("{stem}_{number}.md");
        // A caller that always says "taken" gets the last try: better than turning for ever.
        if number >= MAX_TRIES {
            break;
        }
        number += 1;
    }
    candidate
}

/// After so many taken names, the caller's question is broken.
const MAX_TRIES: u64 = 100_000;

fn topic(kind: MemoryType, name: &str) -> String {
    let mut topic = String::new();
    let mut lost = false;
    for c in name.trim().chars() {
        if topic.len() >= MAX_TOPIC_BYTES {
            lost = true;
            break;
        }
        if c.is_ascii_alphanumeric() {
            topic.push(c.to_ascii_lowercase());
        } else {
            lost |= !c.is_ascii();
            let separator = if c == '-' { '-' } else { '_' };
            if !topic.is_empty() && !topic.ends_with(['_', '-']) {
                topic.push(separator);
            }
        }
    }
    let mut topic = topic.trim_end_matches(['_', '-']).to_owned();
    if let Some(rest) = topic.strip_prefix(kind.as_str())
        && (rest.starts_with(['_', '-']) || (rest.is_empty() && lost))
    {
        topic = rest.trim_start_matches(['_', '-']).to_owned();
    }
    if topic.is_empty() || lost {
        // The hash takes its place within the limit.
        topic.truncate(MAX_TOPIC_BYTES - 9);
        let topic_part = topic.trim_end_matches(['_', '-']);
        let separator = if topic_part.is_empty() { "" } else { "_" };
        return format!("{topic_part}{separator}{}", hash(name));
    }
    topic
}

/// FNV-1a over the bytes of the name, eight hexadecimal digits: stable across releases and
/// machines, which the hashers of the standard library do not promise.
fn hash(name: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in name.trim().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{:08x}", (hash >> 32) as u32 ^ hash as u32)
}
