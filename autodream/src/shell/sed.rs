//! `sed`: the commands of its language that print and change what passes through, no loops, no
//! files and no programs.

use super::judge::Judge;
use super::options::Kind::{File, Text};
use super::options::Value::{Must, No};
use super::options::{Parsed, TABLE, Table, refuse};
use super::values::is_heavy;
use crate::policy::{Refusal, RefusalKind};

/// `i` and its long form change the file, `f` reads a script from one.
pub(super) static SED: Table = Table {
    flags: "nErsz",
    valued: &[('e', Text)],
    long: &[
        ("expression", 'e', Must(Text)),
        ("null-data", 'z', No),
        ("quiet", 'n', No),
        ("regexp-extended", 'E', No),
        ("separate", 's', No),
        ("silent", 'n', No),
    ],
    operands: &[Text, File],
    instead: "e",
    least: 1,
    ..TABLE
};

/// 4,096 times: a script that could make a line longer than that is refused. Two lines of a script
/// would otherwise fill the memory.
const MAX_GROWTH: usize = 4_096;

pub(super) fn check(parsed: &mut Parsed, _: &Judge<'_>) -> Result<(), Refusal> {
    let mut script = String::new();
    for (short, value) in &parsed.meanings {
        if let ('e', Some(value)) = (short, value) {
            script.push_str(value);
            script.push('\n');
        }
    }
    if !parsed.has('e')
        && let Some(word) = parsed.operands.first()
    {
        script.push_str(&word.text);
    }
    if is_heavy(&script) {
        return refuse(
            RefusalKind::Operand,
            script.trim_end(),
            "the repetitions in the pattern multiply to too much",
        );
    }
    let is_understood = Script {
        text: &script,
        at: 0,
        growth: 1,
    }
    .read();
    if is_understood.is_some() {
        return Ok(());
    }
    refuse(
        RefusalKind::Operand,
        script.trim_end(),
        "only addresses with `p`, `d`, `q`, `s/…/…/gpi`, `y`, `=`, `l`, `n`, `N`, `P` are allowed in a script for `sed`",
    )
}

struct Script<'a> {
    text: &'a str,
    at: usize,
    growth: usize,
}

/// A character that may enclose a pattern: a sign that has no meaning inside one.
fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'/' | b'|' | b',' | b'#' | b':' | b'@' | b'!' | b'%' | b'_' | b'~' | b';'
    )
}

impl Script<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let found = self.peek().is_some_and(wanted);
        self.at += usize::from(found);
        found
    }

    fn blanks(&mut self) {
        while self.eat(|byte| byte == b' ') {}
    }

    /// The whole script; `None` for whatever is not known.
    fn read(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            while self.eat(|byte| matches!(byte, b' ' | b';' | b'\n')) {}
            let Some(byte) = self.peek() else {
                return (depth == 0).then_some(());
            };
            if byte == b'}' {
                self.at += 1;
                depth = depth.checked_sub(1)?;
                self.end()?;
                continue;
            }
            self.addresses()?;
            self.blanks();
            if self.eat(|byte| byte == b'!') {
                self.blanks();
            }
            let command = self.peek()?;
            self.at += 1;
            match command {
                b'{' => {
                    depth += 1;
                    continue;
                }
                // Without the hold space, which doubles, and `D`, which repeats.
                b'p' | b'd' | b'=' | b'l' | b'n' | b'N' | b'P' | b'F' | b'z' => {}
                b'q' | b'Q' => {
                    self.blanks();
                    while self.eat(|byte| byte.is_ascii_digit()) {}
                }
                b's' => self.substitute()?,
                b'y' => {
                    let delimiter = self.delimiter()?;
                    self.pattern(delimiter, false)?;
                    self.pattern(delimiter, false)?;
                }
                _ => return None,
            }
            self.end()?;
        }
    }

    /// What may follow a command: its end, or the end of a group.
    fn end(&mut self) -> Option<()> {
        self.blanks();
        matches!(self.peek(), None | Some(b';' | b'\n' | b'}')).then_some(())
    }

    fn addresses(&mut self) -> Option<()> {
        if !self.address()? {
            return Some(());
        }
        self.blanks();
        if self.eat(|byte| byte == b',') {
            self.blanks();
            if self.eat(|byte| matches!(byte, b'+' | b'~')) {
                return self.number();
            }
            return self.address()?.then_some(());
        }
        Some(())
    }

    /// Whether there is an address.
    fn address(&mut self) -> Option<bool> {
        match self.peek() {
            Some(b'$') => self.at += 1,
            Some(b'0'..=b'9') => {
                self.number()?;
                if self.eat(|byte| byte == b'~') {
                    self.number()?;
                }
            }
            Some(b'/') => {
                self.at += 1;
                self.pattern(b'/', true)?;
                while self.eat(|byte| matches!(byte, b'I' | b'M')) {}
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at;
        while self.eat(|byte| byte.is_ascii_digit()) {}
        (1..=9).contains(&(self.at - start)).then_some(())
    }

    fn delimiter(&mut self) -> Option<u8> {
        let delimiter = self.peek().filter(|byte| is_delimiter(*byte))?;
        self.at += 1;
        Some(delimiter)
    }

    /// Skips to behind the next delimiter. Implementations differ about a delimiter between
    /// brackets, so there is none.
    fn pattern(&mut self, delimiter: u8, is_regex: bool) -> Option<()> {
        let mut in_class = false;
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'\n' => return None,
                b'\\' => {
                    // Between brackets a backslash stands for itself, to some of them.
                    let next = self.peek()?;
                    if next == b'\n' || (in_class && (next == delimiter || next == b']')) {
                        return None;
                    }
                    self.at += 1;
                }
                byte if byte == delimiter => return (!in_class).then_some(()),
                b'[' if is_regex && !in_class => {
                    in_class = true;
                    self.eat(|byte| byte == b'^');
                    self.eat(|byte| byte == b']');
                }
                // `[[:alpha:]]`: the inner brackets belong together.
                b'[' if in_class && matches!(self.peek(), Some(b':' | b'.' | b'=')) => {
                    let length = self.text.get(self.at..)?.find(']')?;
                    let class = self.text.get(self.at..self.at + length)?;
                    if !class
                        .bytes()
                        .all(|byte| byte.is_ascii_alphabetic() || byte == b':')
                    {
                        return None;
                    }
                    self.at += length + 1;
                }
                b']' => in_class = false,
                _ => {}
            }
        }
    }

    fn substitute(&mut self) -> Option<()> {
        let delimiter = self.delimiter()?;
        self.pattern(delimiter, true)?;
        let start = self.at;
        self.pattern(delimiter, false)?;
        let replacement = &self.text.as_bytes()[start..self.at - 1];
        let mut is_global = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'g' => is_global = true,
                b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' => {}
                _ => break,
            }
            self.at += 1;
        }
        let copies = replacement.iter().filter(|byte| **byte == b'&').count()
            + replacement
                .windows(2)
                .filter(|pair| pair[0] == b'\\')
                .count();
        let growth = 1 + copies + if is_global { replacement.len() } else { 0 };
        self.growth = self.growth.checked_mul(growth)?;
        (self.growth <= MAX_GROWTH).then_some(())
    }
}
