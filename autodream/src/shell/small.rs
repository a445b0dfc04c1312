//! Programs without options worth a table, and the checks of single values.

use super::judge::Judge;
use super::lex::Word;
use super::options::{Parsed, refuse};
use super::values::has_wide_field;
use crate::policy::{Refusal, RefusalKind};

/// Tests of one file. None of them reads it.
const FILE_TESTS: &[&str] = &["-d", "-e", "-f", "-h", "-L", "-r", "-s", "-w", "-x"];
const TEXT_TESTS: &[&str] = &["=", "==", "!="];
const NUMBER_TESTS: &[&str] = &["-eq", "-ge", "-gt", "-le", "-lt", "-ne"];

/// `test` and `[`, without `-a` and `-o`: those are written `&&` and `||`.
pub(super) fn test(
    name: &str,
    mut words: Vec<Word>,
    judge: &Judge<'_>,
) -> Result<Vec<String>, Refusal> {
    const FORM: &str =
        "only one test of a file, a text or a number is allowed; join two with `&&` or `||`";
    if name == "[" && words.pop().is_none_or(|word| word.text != "]") {
        return refuse(RefusalKind::Operand, "[", "the closing bracket is missing");
    }
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let is_number = |text: &str| text.parse::<i64>().is_ok();
    match texts.strip_prefix(&["!"]).unwrap_or(&texts) {
        [operator, file] if FILE_TESTS.contains(operator) => judge.file(file)?,
        ["-n" | "-z", _] => {}
        [_, operator, _] if TEXT_TESTS.contains(operator) => {}
        [a, operator, b] if NUMBER_TESTS.contains(operator) && is_number(a) && is_number(b) => {}
        [a, "-nt" | "-ot" | "-ef", b] => {
            judge.file(a)?;
            judge.file(b)?;
        }
        _ => return refuse(RefusalKind::Operand, texts.join(" "), FORM),
    }
    let mut argv = argv(name, words);
    if name == "[" {
        argv.push("]".to_owned());
    }
    Ok(argv)
}

pub(super) fn echo(
    name: &str,
    words: Vec<Word>,
    judge: &Judge<'_>,
) -> Result<Vec<String>, Refusal> {
    // What a glob stands for is a name of a file and obeys the rules for names of files.
    for word in words.iter().filter(|word| word.is_match) {
        judge.file(&word.text)?;
    }
    Ok(argv(name, words))
}

/// A format without `-v`, `*` and widths that would fill the memory.
pub(super) fn printf(
    name: &str,
    words: Vec<Word>,
    judge: &Judge<'_>,
) -> Result<Vec<String>, Refusal> {
    let Some(format) = words.first() else {
        return refuse(RefusalKind::Operand, "", "the format is missing");
    };
    if format.text.starts_with('-') || format.is_match {
        return refuse(
            RefusalKind::Option,
            &format.text,
            "the format has to come first",
        );
    }
    if has_wide_field(&format.text) {
        return refuse(
            RefusalKind::Operand,
            &format.text,
            "a width may have three digits, and no `*`",
        );
    }
    for word in words.iter().filter(|word| word.is_match) {
        judge.file(&word.text)?;
    }
    Ok(argv(name, words))
}

/// Whole numbers of up to six digits: at most two million lines.
pub(super) fn seq(name: &str, words: Vec<Word>, _: &Judge<'_>) -> Result<Vec<String>, Refusal> {
    if !(1..=3).contains(&words.len()) {
        return refuse(
            RefusalKind::Operand,
            "",
            "one to three numbers are expected",
        );
    }
    for word in &words {
        let digits = word.text.strip_prefix('-').unwrap_or(&word.text);
        let is_fine =
            (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_fine {
            return refuse(
                RefusalKind::Operand,
                &word.text,
                "only whole numbers of up to six digits are allowed",
            );
        }
    }
    if words.len() == 3
        && words[1]
            .text
            .bytes()
            .all(|byte| matches!(byte, b'0' | b'-'))
    {
        return refuse(
            RefusalKind::Operand,
            &words[1].text,
            "the step may not be zero",
        );
    }
    Ok(argv(name, words))
}

/// 1 GiB: as much as `sort` may hold.
const SORT_MEMORY: &str = "1G";

/// Without a list it would wait for nothing.
pub(super) fn cut(parsed: &mut Parsed, _: &Judge<'_>) -> Result<(), Refusal> {
    if ['b', 'c', 'f'].iter().any(|list| parsed.has(*list)) {
        Ok(())
    } else {
        refuse(
            RefusalKind::Option,
            "cut",
            "one of `-b`, `-c` and `-f` is expected",
        )
    }
}

/// What does not fit its memory it would write to a folder for all, where it stays if the program
/// is killed. With this much memory and no such folder, it sorts or fails.
pub(super) fn sort(parsed: &mut Parsed, _: &Judge<'_>) -> Result<(), Refusal> {
    let memory_only = ["-S", SORT_MEMORY, "-T", "/dev/null"];
    parsed.options.extend(memory_only.map(str::to_owned));
    Ok(())
}

/// It would read further arguments from a file that is named with `@`.
pub(super) fn strings(parsed: &mut Parsed, _: &Judge<'_>) -> Result<(), Refusal> {
    let words = parsed.operands.iter().map(|word| &word.text);
    match words
        .chain(&parsed.options)
        .find(|word| word.starts_with('@'))
    {
        Some(word) => refuse(
            RefusalKind::Operand,
            word,
            "write `./@` for a name that begins so",
        ),
        None => Ok(()),
    }
}

/// What `date -d` takes, without the time zones in quotes, which are names of files.
pub(super) fn is_date(value: &str) -> bool {
    value.len() <= 64
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b" :+-/,.@".contains(&byte))
}

/// A format for `date`: everything else would set the clock.
pub(super) fn is_date_format(value: &str) -> bool {
    value.starts_with('+') && !has_wide_field(value)
}

/// A format without widths that would fill the memory.
pub(super) fn is_narrow(value: &str) -> bool {
    !has_wide_field(value)
}

/// Characters for `tr`, without `[a*99999]`, which it counts out.
pub(super) fn is_set(value: &str) -> bool {
    value
        .split('*')
        .skip(1)
        .all(|rest| rest.bytes().take_while(u8::is_ascii_digit).count() <= 4)
}

/// `4`, `4,8,12`: up to three digits each.
pub(super) fn is_tabs(value: &str) -> bool {
    value
        .split(',')
        .all(|stop| (1..=3).contains(&stop.len()) && stop.bytes().all(|byte| byte.is_ascii_digit()))
}

fn argv(name: &str, words: Vec<Word>) -> Vec<String> {
    let mut argv = Vec::with_capacity(words.len() + 2);
    argv.push(name.to_owned());
    argv.extend(words.into_iter().map(|word| word.text));
    argv
}
