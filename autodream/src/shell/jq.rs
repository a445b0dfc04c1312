//! `jq`: the words of its language that only look at what is read.

use super::judge::Judge;
use super::options::Kind::{File, Number, Pattern};
use super::options::Value::{Must, No};
use super::options::{Parsed, TABLE, Table, refuse};
use crate::policy::{Refusal, RefusalKind};

/// `f` reads a program from a file, `L` modules; `--rawfile` and its like read any file.
pub(super) static JQ: Table = Table {
    flags: "acCejMnrRsS",
    long: &[
        ("ascii-output", 'a', No),
        ("compact-output", 'c', No),
        ("exit-status", 'e', No),
        ("indent", '-', Must(Number)),
        ("join-output", 'j', No),
        ("monochrome-output", 'M', No),
        ("null-input", 'n', No),
        ("raw-input", 'R', No),
        ("raw-output", 'r', No),
        ("slurp", 's', No),
        ("sort-keys", 'S', No),
        ("tab", '-', No),
    ],
    operands: &[Pattern, File],
    least: 1,
    ..TABLE
};

/// Neither `env` nor modules, nothing that repeats without end, and no definitions.
const WORDS: &[&str] = &[
    "abs",
    "add",
    "all",
    "and",
    "any",
    "arrays",
    "as",
    "ascii",
    "ascii_downcase",
    "ascii_upcase",
    "booleans",
    "capture",
    "catch",
    "ceil",
    "contains",
    "del",
    "elif",
    "else",
    "empty",
    "end",
    "endswith",
    "error",
    "explode",
    "false",
    "first",
    "flatten",
    "floor",
    "foreach",
    "from_entries",
    "fromdate",
    "fromdateiso8601",
    "fromjson",
    "getpath",
    "group_by",
    "gsub",
    "has",
    "if",
    "implode",
    "in",
    "index",
    "indices",
    "input",
    "input_filename",
    "input_line_number",
    "inputs",
    "inside",
    "isvalid",
    "iterables",
    "join",
    "keys",
    "keys_unsorted",
    "label",
    "last",
    "leaf_paths",
    "length",
    "limit",
    "ltrimstr",
    "map",
    "map_values",
    "match",
    "max",
    "max_by",
    "min",
    "min_by",
    "not",
    "now",
    "nth",
    "null",
    "nulls",
    "numbers",
    "objects",
    "or",
    "path",
    "paths",
    "pick",
    "recurse",
    "reduce",
    "reverse",
    "rindex",
    "round",
    "rtrimstr",
    "scalars",
    "scan",
    "select",
    "sort",
    "sort_by",
    "split",
    "splits",
    "sqrt",
    "startswith",
    "strings",
    "strptime",
    "sub",
    "test",
    "then",
    "to_entries",
    "toarray",
    "todate",
    "todateiso8601",
    "tojson",
    "tonumber",
    "tostring",
    "transpose",
    "trim",
    "true",
    "try",
    "type",
    "unique",
    "unique_by",
    "utf8bytelength",
    "values",
    "with_entries",
];

/// Formats behind `@`.
const FORMATS: &[&str] = &[
    "base64", "base64d", "csv", "html", "json", "sh", "text", "tsv", "uri",
];

/// 64 strings inside strings: deeper is refused.
const MAX_DEPTH: usize = 64;

pub(super) fn check(parsed: &mut Parsed, _: &Judge<'_>) -> Result<(), Refusal> {
    // Versions differ about `--`, and about numbers that begin with a dash.
    if parsed.before < parsed.operands.len() {
        return refuse(RefusalKind::Option, "--", "`jq` takes no `--` here");
    }
    let Some(program) = parsed.operands.first() else {
        return Ok(());
    };
    if let Some(word) = unknown_word(&program.text) {
        return refuse(
            RefusalKind::Operand,
            word,
            "this is not among the parts of the language of `jq` that only look",
        );
    }
    Ok(())
}

/// The first part of a program that is not known.
fn unknown_word(program: &str) -> Option<&str> {
    // What is open around the current place; a quote stands for a string that holds an expression.
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    let bytes = program.as_bytes();
    while let Some(byte) = bytes.get(at).copied() {
        let rest = &program[at..];
        if open.len() > MAX_DEPTH {
            return Some(rest);
        }
        let mut is_string = byte == b'"';
        let mut length = 1;
        match byte {
            b'(' | b'[' | b'{' => open.push(byte),
            b')' => match open.pop() {
                Some(b'(') => {}
                // Back into the string that holds this expression.
                Some(b'"') => is_string = true,
                _ => return Some(rest),
            },
            b']' if open.pop() != Some(b'[') => return Some(rest),
            b'}' if open.pop() != Some(b'{') => return Some(rest),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let word = word(rest);
                length = word.len();
                let before = &program[..at];
                let is_field = before.ends_with('.') && !before.ends_with("..");
                let call = rest[length..].trim_start();
                let is_call = call.starts_with('(');
                // With an argument it repeats as often as that says.
                let is_known = WORDS.contains(&word) && !(word == "recurse" && is_call);
                if !is_field && !is_known && !is_key(open.last(), word, before, &rest[length..]) {
                    return Some(word);
                }
                let is_bounded = match word {
                    "gsub" | "sub" => literal(call).is_some_and(|(text, after)| {
                        // With flags a space may mean nothing.
                        let is_last = after
                            .strip_prefix(';')
                            .and_then(argument)
                            .is_some_and(|(_, after)| after.starts_with(')'));
                        takes_text(text, is_last)
                    }),
                    // In nothing they would find something for ever.
                    "index" | "indices" | "rindex" => {
                        literal(call).is_some_and(|(text, _)| !text.is_empty())
                    }
                    _ => true,
                };
                if is_call && !is_field && !is_bounded {
                    return Some(rest);
                }
            }
            b'$' => {
                let name = word(&rest[1..]);
                // `$ENV` and `$__loc__` are no variables of the program.
                if name.is_empty() || name == "ENV" || name.starts_with("__") {
                    return Some(rest);
                }
                length += name.len();
            }
            b'@' => {
                let name = word(&rest[1..]);
                if !FORMATS.contains(&name) {
                    return Some(rest);
                }
                length += name.len();
            }
            // Comparisons, no assignments.
            b'=' | b'!' | b'<' | b'>' if rest[1..].starts_with('=') => length = 2,
            b'<' | b'>' => {}
            // An index with more digits would fill the memory.
            b'0'..=b'9' => {
                length = rest.bytes().take_while(u8::is_ascii_digit).count();
                if length > 6 {
                    return Some(rest);
                }
            }
            // No `*`, which repeats texts.
            b'|' | b'+' | b'-' | b'/' if rest[1..].starts_with('=') => return Some(rest),
            b' ' | b'\n' | b'\t' | b'.' | b',' | b'|' | b':' | b';' | b'?' | b'+' | b'-' | b'/'
            | b'%' | b'"' | b']' | b'}' => {}
            _ => return Some(rest),
        }
        if is_string {
            match string_end(rest) {
                End::Closed(end) => length = end,
                End::Expression(end) => {
                    length = end;
                    open.push(b'"');
                }
                End::Open => return Some(rest),
            }
        }
        at += length;
    }
    (!open.is_empty()).then_some(program)
}

/// Whether a name is a key of an object, which may be any: between a brace or a comma and a colon,
/// a comma or a brace.
///
/// `{a: if . then 1, env, 2 else 3 end}` is an object to newer versions, and `env` no key of it.
fn is_key(open: Option<&u8>, word: &str, before: &str, after: &str) -> bool {
    let after = after.trim_start();
    open == Some(&b'{')
        && before.trim_end().ends_with(['{', ','])
        && (after.starts_with(':') || after.starts_with([',', '}']) && !VALUES.contains(&word))
}

/// Words that are no part of [`WORDS`] and are values without arguments.
const VALUES: &[&str] = &[
    "combinations",
    "debug",
    "env",
    "halt",
    "halt_error",
    "stderr",
];

/// The first argument of a call, if it is a string without expressions in it, and what follows it.
fn literal(call: &str) -> Option<(&str, &str)> {
    argument(call.strip_prefix('(')?)
}

fn argument(text: &str) -> Option<(&str, &str)> {
    let argument = text.trim_start();
    if !argument.starts_with('"') {
        return None;
    }
    let End::Closed(end) = string_end(argument) else {
        return None;
    };
    let after = argument[end..].trim_start();
    after
        .starts_with([';', ')'])
        .then_some((&argument[1..end - 1], after))
}

/// Whether whatever a pattern matches is a text that is not empty: older versions replace an empty
/// one for ever. Groups are not looked into, nor escapes of characters that are not known.
fn takes_text(pattern: &str, is_space_text: bool) -> bool {
    let mut chars = pattern.chars().peekable();
    let mut takes = false;
    while let Some(c) = chars.next() {
        let is_text = match c {
            '(' | ')' | '*' | '?' | '{' | '+' => return false,
            '^' | '$' => continue,
            '|' if !takes => return false,
            '|' => {
                takes = false;
                continue;
            }
            // To the end of the class; one in another is not understood.
            '[' => {
                chars.next_if_eq(&'^');
                let body: String = chars.by_ref().take_while(|c| *c != ']').collect();
                if body.is_empty() || body.contains('[') || body.ends_with('\\') {
                    return false;
                }
                true
            }
            '\\' => match (chars.next(), chars.peek()) {
                // An escape of the pattern: a backslash of the string, then a character.
                (Some('\\'), Some(c)) if "dDsSwWnrt.[](){}|/-+*?^$".contains(*c) => {
                    chars.next();
                    true
                }
                // One of the string.
                (Some('n' | 't' | 'r'), _) => is_space_text,
                (Some('"' | '/'), _) => true,
                _ => return false,
            },
            // With flags the rest is a comment.
            '#' if !is_space_text => return false,
            ' ' | '\t' | '\n' => is_space_text,
            _ => true,
        };
        // What may be missing does not count.
        match chars.next_if(|c| matches!(c, '*' | '?' | '{' | '+')) {
            None => takes |= is_text,
            Some('+') => {
                takes |= is_text;
                chars.next_if(|c| matches!(c, '?' | '+'));
            }
            Some('{') => while chars.next_if(|c| *c != '}').is_some() {},
            Some(_) => {
                chars.next_if(|c| matches!(c, '?' | '+'));
            }
        }
        if chars.peek() == Some(&'}') {
            chars.next();
        }
    }
    takes
}

fn word(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    &text[..end]
}

enum End {
    /// The string ends after so many bytes.
    Closed(usize),
    /// An expression begins in it after so many bytes.
    Expression(usize),
    Open,
}

/// Where a string goes on, from its opening quote or from the end of an expression in it.
fn string_end(text: &str) -> End {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'"', _) => return End::Closed(at + 1),
            (b'\\', Some(b'(')) => return End::Expression(at + 2),
            (b'\\', _) => at += 2,
            _ => at += 1,
        }
    }
    End::Open
}
