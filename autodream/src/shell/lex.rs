//! From text to words: the part of a shell's grammar that is known to be harmless.
//!
//! Everything else is refused here, so that no later stage has to think of it. One pass over the
//! bytes, without recursion; the length of the text bounds all.

use super::script::Join;
use crate::policy::{Refusal, RefusalKind};

/// One word with its quotes removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Where in `text` the characters `*`, `?` and `[` stand that are not quoted.
    pub(super) globs: Vec<usize>,
    /// Whether any part was quoted or escaped.
    pub(super) is_quoted: bool,
    /// Whether it is a name that a glob stood for.
    pub(super) is_match: bool,
}

/// One command before it is judged.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) words: Vec<Word>,
    pub(super) redirections: Vec<RawRedirection>,
}

#[derive(Debug)]
pub(super) enum RawRedirection {
    Input(Word),
    OutputDropped,
    ErrorsDropped,
    ErrorsToOutput,
    OutputToErrors,
}

#[derive(Debug)]
pub(super) struct RawStep {
    pub(super) join: Join,
    pub(super) pipeline: Vec<Raw>,
}

/// Words that a shell reads as more than the name of a program.
const RESERVED: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "!", "[[", "]]",
];

/// Splits a command line whose characters were checked.
pub(super) fn lex(text: &str) -> Result<Vec<RawStep>, Refusal> {
    let mut lexer = Lexer {
        text,
        at: 0,
        steps: Vec::new(),
        pipeline: Vec::new(),
        command: Raw::default(),
        join: Join::Always,
        is_open: false,
    };
    lexer.run()?;
    Ok(lexer.steps)
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    steps: Vec<RawStep>,
    pipeline: Vec<Raw>,
    command: Raw,
    join: Join,
    /// Whether an operator asks for a command to follow: `|`, `&&` or `||`.
    is_open: bool,
}

pub(super) fn syntax<T>(part: &str, why: &'static str) -> Result<T, Refusal> {
    Err(Refusal::new(RefusalKind::Syntax, part, why))
}

const NO_COMMAND: &str = "a command is missing here";
pub(super) const NOTHING_BUT_COMMANDS: &str =
    "only plain commands are allowed: no substitution, grouping, background or loop";

impl Lexer<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn run(&mut self) -> Result<(), Refusal> {
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                b'#' => self.skip_comment(),
                b'\n' => {
                    self.at += 1;
                    // Otherwise an empty line, or the rest stands on the next one.
                    if !self.command.words.is_empty() {
                        self.end_step(Join::Always)?;
                    }
                }
                b';' => {
                    self.at += 1;
                    self.end_step(Join::Always)?;
                    if self.peek(0) == Some(b';') {
                        return syntax(";;", NOTHING_BUT_COMMANDS);
                    }
                }
                b'|' if self.peek(1) == Some(b'|') => {
                    self.at += 2;
                    self.end_step(Join::IfFailed)?;
                    self.is_open = true;
                }
                b'|' if self.peek(1) == Some(b'&') => {
                    return syntax("|&", "write `2>&1 |` instead");
                }
                b'|' => {
                    self.at += 1;
                    self.end_command("|")?;
                    self.is_open = true;
                }
                b'&' if self.peek(1) == Some(b'&') => {
                    self.at += 2;
                    self.end_step(Join::IfSucceeded)?;
                    self.is_open = true;
                }
                b'&' if self.peek(1) == Some(b'>') => {
                    return syntax("&>", "write `> /dev/null 2>&1` instead");
                }
                b'&' => return syntax("&", NOTHING_BUT_COMMANDS),
                b'>' => self.output(1)?,
                b'<' => self.input()?,
                b'0'..=b'9' => match self.descriptor() {
                    Some(number) => match (number, self.peek(0)) {
                        (1 | 2, Some(b'>')) => self.output(number)?,
                        (0, Some(b'<')) => self.input()?,
                        _ => {
                            return syntax(
                                &format!("{number}>"),
                                "only the streams 0, 1 and 2 may be redirected",
                            );
                        }
                    },
                    None => self.push_word()?,
                },
                _ => self.push_word()?,
            }
        }
        if self.command.words.is_empty() && self.command.redirections.is_empty() {
            if self.is_open || self.steps.is_empty() {
                return syntax("", "the command line ends where a command is expected");
            }
            return Ok(());
        }
        self.end_step(Join::Always)
    }

    fn skip_comment(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn end_command(&mut self, operator: &str) -> Result<(), Refusal> {
        let Some(first) = self.command.words.first() else {
            return syntax(operator, NO_COMMAND);
        };
        if !first.is_quoted && RESERVED.contains(&first.text.as_str()) {
            return syntax(&first.text, NOTHING_BUT_COMMANDS);
        }
        // Also in part of a word that is quoted otherwise: `a='b'` is an assignment.
        if first.text.contains('=') {
            return syntax(&first.text, "variables may not be set");
        }
        let has_bracket = first
            .globs
            .iter()
            .any(|at| first.text[*at..].starts_with('['));
        if has_bracket || first.text.starts_with('%') {
            return syntax(&first.text, NOTHING_BUT_COMMANDS);
        }
        self.pipeline.push(std::mem::take(&mut self.command));
        self.is_open = false;
        Ok(())
    }

    fn end_step(&mut self, next: Join) -> Result<(), Refusal> {
        self.end_command(match next {
            Join::Always => ";",
            Join::IfSucceeded => "&&",
            Join::IfFailed => "||",
        })?;
        self.steps.push(RawStep {
            join: self.join,
            pipeline: std::mem::take(&mut self.pipeline),
        });
        self.join = next;
        Ok(())
    }

    /// Takes digits directly before `<` or `>`, which are the number of a stream and no word.
    fn descriptor(&mut self) -> Option<u32> {
        let mut ahead = 0;
        while self.peek(ahead).is_some_and(|byte| byte.is_ascii_digit()) {
            ahead += 1;
        }
        if !matches!(self.peek(ahead), Some(b'<' | b'>')) {
            return None;
        }
        let digits = &self.text[self.at..self.at + ahead];
        self.at += ahead;
        // One that is too long is a number that is not allowed either.
        Some(digits.parse().unwrap_or(u32::MAX))
    }

    fn output(&mut self, from: u32) -> Result<(), Refusal> {
        const WHY: &str = "output may only go to /dev/null or to the other stream (`2>&1`)";
        if self.command.words.is_empty() {
            return syntax(">", "a redirection stands behind its command");
        }
        self.at += 1;
        if matches!(self.peek(0), Some(b'>' | b'|' | b'(' | b'<')) {
            return syntax(">", WHY);
        }
        let is_copy = self.peek(0) == Some(b'&');
        self.at += usize::from(is_copy);
        let target = self.target(is_copy)?;
        // Not even a quoted part: `2>&"1"` is not worth thinking about.
        let plain = (!target.is_quoted && target.globs.is_empty()).then_some(target.text.as_str());
        self.command
            .redirections
            .push(match (is_copy, from, plain) {
                (true, 2, Some("1")) => RawRedirection::ErrorsToOutput,
                (true, 1, Some("2")) => RawRedirection::OutputToErrors,
                (false, 2, Some("/dev/null")) => RawRedirection::ErrorsDropped,
                (false, 1, Some("/dev/null")) => RawRedirection::OutputDropped,
                _ => return syntax(&target.text, WHY),
            });
        Ok(())
    }

    fn input(&mut self) -> Result<(), Refusal> {
        if self.command.words.is_empty() {
            return syntax("<", "a redirection stands behind its command");
        }
        self.at += 1;
        if matches!(self.peek(0), Some(b'<' | b'&' | b'>' | b'(')) {
            return syntax("<", "only `< FILE` is allowed for input");
        }
        let target = self.target(false)?;
        self.command
            .redirections
            .push(RawRedirection::Input(target));
        Ok(())
    }

    fn target(&mut self, is_copy: bool) -> Result<Word, Refusal> {
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let start = self.at;
        // Digits before `<` or `>` are no file but the next redirection; behind `>&` they are the
        // stream.
        if !is_copy && self.descriptor().is_some() {
            return syntax("", "a redirection has no target");
        }
        let target = self.word()?;
        // A `#` would begin a comment here.
        if self.at == start || self.text[start..].starts_with('#') {
            return syntax("", "a redirection has no target");
        }
        Ok(target)
    }

    fn push_word(&mut self) -> Result<(), Refusal> {
        let mut word = self.word()?;
        if word.text == "[" {
            word.globs.clear();
        }
        self.command.words.push(word);
        Ok(())
    }
}
