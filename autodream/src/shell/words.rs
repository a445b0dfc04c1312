//! Words: plain text, quotes and escapes, exactly as a shell removes them.

use super::lex::{Lexer, NOTHING_BUT_COMMANDS, Word, syntax};
use crate::policy::Refusal;

impl Lexer<'_> {
    pub(super) fn word(&mut self) -> Result<Word, Refusal> {
        let mut word = Word::default();
        loop {
            let start = self.at;
            // Most of a word is plain; it is copied in one piece.
            while self.peek(0).is_some_and(is_plain) {
                self.at += 1;
            }
            word.text.push_str(&self.text[start..self.at]);
            let Some(byte) = self.peek(0) else { break };
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' => break,
                b'\'' => self.single(&mut word)?,
                b'"' => self.double(&mut word)?,
                b'\\' => self.escape(&mut word)?,
                b'*' | b'?' | b'[' => {
                    word.globs.push(word.text.len());
                    word.text.push(char::from(byte));
                    self.at += 1;
                }
                b'~' => {
                    let is_first = word.text.is_empty() && !word.is_quoted;
                    if is_first || word.text.ends_with(['=', ':']) {
                        return syntax("~", "write the whole path instead of `~`");
                    }
                    word.text.push('~');
                    self.at += 1;
                }
                b'!' => {
                    // Alone it is a word, as `find` takes it; else an interactive shell would
                    // look into its history.
                    let is_alone = word.text.is_empty()
                        && !word.is_quoted
                        && matches!(self.peek(1), None | Some(b' ' | b'\t' | b'\n'));
                    if !is_alone {
                        return syntax("!", "put `!` in single quotes");
                    }
                    word.text.push('!');
                    self.at += 1;
                }
                b'$' | b'`' => return syntax(&self.text[self.at..], EXPANSION),
                b'{' | b'}' => {
                    return syntax(
                        &self.text[self.at..],
                        "braces are not expanded; put them in quotes",
                    );
                }
                _ => return syntax(&self.text[self.at..], NOTHING_BUT_COMMANDS),
            }
        }
        Ok(word)
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Refusal> {
        word.is_quoted = true;
        let rest = &self.text[self.at + 1..];
        let Some(end) = rest.find('\'') else {
            return syntax(&self.text[self.at..], "a quote is not closed");
        };
        word.text.push_str(&rest[..end]);
        self.at += end + 2;
        Ok(())
    }

    fn double(&mut self, word: &mut Word) -> Result<(), Refusal> {
        word.is_quoted = true;
        let start = self.at;
        self.at += 1;
        loop {
            let from = self.at;
            while self
                .peek(0)
                .is_some_and(|byte| !matches!(byte, b'"' | b'\\' | b'$' | b'`' | b'!'))
            {
                self.at += 1;
            }
            word.text.push_str(&self.text[from..self.at]);
            match (self.peek(0), self.peek(1)) {
                (None, _) => return syntax(&self.text[start..], "a quote is not closed"),
                (Some(b'"'), _) => {
                    self.at += 1;
                    return Ok(());
                }
                // Nothing that could be expanded follows.
                (Some(b'$'), Some(b'"' | b'|' | b')')) => {
                    word.text.push('$');
                    self.at += 1;
                }
                (Some(b'\\'), Some(next @ (b'$' | b'`' | b'"' | b'\\'))) => {
                    word.text.push(char::from(next));
                    self.at += 2;
                }
                (Some(b'\\'), Some(next)) if next != b'\n' && next != b'!' => {
                    word.text.push('\\');
                    self.at += 1;
                }
                (Some(b'$' | b'`'), _) => return syntax(&self.text[self.at..], EXPANSION),
                (Some(b'!'), _) | (Some(b'\\'), Some(b'!')) => {
                    return syntax("!", "put `!` in single quotes");
                }
                _ => return syntax("\\", "a line may not be continued inside quotes"),
            }
        }
    }

    fn escape(&mut self, word: &mut Word) -> Result<(), Refusal> {
        match self.peek(1) {
            // Readers differ about whether it begins a quotation of its own.
            Some(b'$') if matches!(self.peek(2), Some(b'\'' | b'"')) => {
                return syntax("\\$", "put `$` into the quotes that follow");
            }
            Some(next @ b'!'..=b'~') | Some(next @ b' ') => {
                word.is_quoted = true;
                word.text.push(char::from(next));
            }
            _ => return syntax("\\", "nothing that can be escaped follows"),
        }
        self.at += 2;
        Ok(())
    }
}

const EXPANSION: &str =
    "nothing is expanded: no `$`, no backtick; in single quotes they stand for themselves";

fn is_plain(byte: u8) -> bool {
    byte >= 0x80
        || byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-'
                | b'.'
                | b'/'
                | b','
                | b':'
                | b'+'
                | b'='
                | b'@'
                | b'%'
                | b'^'
                | b']'
                | b'#'
        )
}
