//! What stands in base64, and how far a private key reaches.

use std::ops::Range;

use super::joined::Joined;

/// The least length of a run of base64 that is decoded: what is shorter holds no token.
const MIN_RUN: usize = 24;

/// The runs of base64 that begin with readable text, with that text.
pub(super) fn decoded(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for run in runs(text.as_bytes()) {
        if let Some(plain) = decode(&text.as_bytes()[run.clone()]) {
            found.push((run, plain));
        }
    }
    found
}

/// The same for what several lines hold. The first of them may be glued to words before it, so
/// every line may be the first.
pub(super) fn decoded_lines(joined: &Joined) -> Vec<(Range<usize>, String)> {
    let bytes = joined.text().as_bytes();
    let mut found = Vec::new();
    for run in runs(bytes) {
        let mut reached = run.start;
        let starts = std::iter::once(run.start).chain(joined.boundaries(run.start + 1));
        for start in starts.take_while(|start| *start < run.end) {
            if start < reached {
                continue;
            }
            if let Some(plain) = decode(&bytes[start..run.end]) {
                reached = start + plain.len() / 3 * 4;
                found.push((start..run.end, plain));
            }
        }
    }
    found
        .into_iter()
        .filter_map(|(range, plain)| Some((joined.original(&range)?, plain)))
        .collect()
}

/// The runs of characters of base64 that are long enough.
fn runs(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(start) = bytes[at..].iter().position(|b| sextet(*b).is_some()) else {
            break;
        };
        let start = at + start;
        let length = bytes[start..].iter().position(|b| sextet(*b).is_none());
        let end = length.map_or(bytes.len(), |length| start + length);
        if end - start >= MIN_RUN {
            found.push(start..end);
        }
        at = end;
    }
    found
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

/// The text that a run begins with, if there is enough of it. Stops soon behind the first byte
/// that is none, so that pictures cost next to nothing.
fn decode(run: &[u8]) -> Option<String> {
    let mut out = String::new();
    let mut bytes = Vec::with_capacity(CHUNK);
    for chunk in run.chunks(CHUNK) {
        let is_whole = decode_chunk(chunk, &mut bytes);
        let readable = match std::str::from_utf8(&bytes) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        out.push_str(std::str::from_utf8(&bytes[..readable]).unwrap_or_default());
        bytes.drain(..readable);
        // A character may reach into the next chunk.
        if !is_whole || bytes.len() >= 4 {
            break;
        }
    }
    (out.len() >= MIN_RUN / 4 * 3).then_some(out)
}

/// So many characters of base64 are decoded at once: whole groups.
const CHUNK: usize = 64;

/// Adds what a chunk stands for, up to the first control character; whether there was none.
fn decode_chunk(chunk: &[u8], out: &mut Vec<u8>) -> bool {
    for group in chunk.chunks(4) {
        let mut word = 0;
        for byte in group {
            word = word << 6 | sextet(*byte).unwrap_or(0);
        }
        word <<= 6 * (4 - group.len());
        for at in 0..group.len() - 1 {
            let byte = (word >> (16 - 8 * at)) as u8;
            if matches!(byte, 0..=8 | 11 | 12 | 14..=31 | 127) {
                return false;
            }
            out.push(byte);
        }
    }
    true
}

/// Whether base64 holds the first line of a private key, wherever its groups begin.
pub(super) fn encodes_private_key(run: &str) -> bool {
    const NAME: &[u8] = b"PRIVATE KEY";
    (0..4).any(|from| {
        let digits: Vec<u32> = run
            .bytes()
            .skip(from)
            .take(128)
            .filter_map(sextet)
            .collect();
        let plain: Vec<u8> = digits
            .chunks_exact(4)
            .flat_map(|group| {
                let word = group.iter().fold(0, |word, digit| word << 6 | digit);
                [(word >> 16) as u8, (word >> 8) as u8, word as u8]
            })
            .collect();
        plain.windows(NAME.len()).any(|window| window == NAME)
    })
}

/// How far a private key reaches behind its first line, or `None` if no key material follows.
pub(super) fn key_end(after: &str) -> Option<usize> {
    let mut material = 0;
    let mut end = 0;
    for (at, c) in after.char_indices() {
        match c {
            _ if at > MAX_KEY_BYTES => break,
            // Another key begins; what follows is its own.
            '-' if after[at..].starts_with("-----BEGIN") => break,
            'P' if after[at..].starts_with("PuTTY-User-Key-File") => break,
            '-' if after[at..].starts_with("-----END") => {
                let line = after[at + 5..].lines().next().unwrap_or_default();
                let close = line.find("-----").map_or(line.len(), |close| close + 5);
                let close = at + 5 + close;
                return (material >= MIN_MATERIAL && has_run(&after[..at])).then_some(close);
            }
            'A'..='Z' | 'a'..='z' | '0'..='9' | '+' | '/' | '=' => {
                material += 1;
                end = at + 1;
            }
            // Line ends, as they are and as escape sequences, and the headers of old formats.
            ' ' | '\t' | '\r' | '\n' | '\\' | '"' | '\'' | ':' | ',' | '-' | '>' | '|' | '#'
            | '*' => {}
            _ => break,
        }
    }
    (material >= MIN_MATERIAL && has_run(&after[..end])).then_some(end)
}

/// The longest private key that is looked for, in bytes; RSA keys of 16,384 bits have 13,000.
const MAX_KEY_BYTES: usize = 65_536;

/// So many characters of base64 behind the first line of a key are key material.
const MIN_MATERIAL: usize = 24;

/// Whether there is a run of base64 that no sentence has.
fn has_run(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '+' || c == '/' || c == '='))
        .any(|run| run.len() >= MIN_MATERIAL)
}
