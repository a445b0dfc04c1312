//! The grammar of a program's options, as a table, and the one reader of all tables.
//!
//! What a table does not name is refused: an option in another spelling, an abbreviation of a
//! long one, a value of another form.

use super::judge::Judge;
use super::lex::Word;
use super::values::{is_bare, is_heavy, is_number};
use crate::policy::{Refusal, RefusalKind};

/// What a value or an operand is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Any text that the program only prints or compares.
    Text,
    /// A name of a file or folder that is read.
    File,
    /// A pattern: a text in which repetitions do not multiply to more than memory holds.
    Pattern,
    /// A number of up to nine digits with a sign and a unit.
    Number,
    /// A number of up to four digits: what is filled up to it stays small.
    Width,
    /// Columns, fields and keys: digits, commas, dashes, points and letters.
    List,
    /// A bare word: letters, digits and `_-+.`.
    Bare,
    /// One of these.
    OneOf(&'static [&'static str]),
    /// Of the form that a function knows.
    Checked(fn(&str) -> bool),
}

/// Whether a long option has a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    No,
    /// `--name=value` or `--name value`.
    Must(Kind),
    /// `--name` or `--name=value`.
    May(Kind),
}

/// How a program reads short options that have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Short {
    /// As the C library does: `-n5`, `-n 5`, and behind others: `-rn5`.
    Anywhere,
    /// Not behind others: `git log` takes `-iS` for nothing that it knows, and then the value for
    /// an option. Written `-Svalue`, so that the value is none whatever it looks like.
    First,
    /// The value is always the next word: to `tree`, `-Po` is `-P` and `-o`. Written as two words.
    Next,
}

/// The options and operands of one program.
pub(super) struct Table {
    /// Short options without a value.
    pub(super) flags: &'static str,
    /// Short options with a value.
    pub(super) valued: &'static [(char, Kind)],
    pub(super) short: Short,
    /// Long options, the short one that means the same (or `-`), and their value.
    pub(super) long: &'static [(&'static str, char, Value)],
    /// Whether `-5` is a number of lines.
    pub(super) count: bool,
    /// What operands are; the last stands for all further ones.
    pub(super) operands: &'static [Kind],
    /// Short options that take the place of the first operand.
    pub(super) instead: &'static str,
    /// How many operands there are.
    pub(super) least: usize,
    pub(super) most: usize,
    /// Whether an option behind an operand is refused: some systems take it for an operand.
    pub(super) is_strict: bool,
    /// Whether `--name value` is written `--name=value`, because some long options take a value in
    /// no other way.
    pub(super) is_joined: bool,
}

/// More operands than a command can have.
pub(super) const ANY: usize = usize::MAX;

pub(super) const TABLE: Table = Table {
    flags: "",
    valued: &[],
    short: Short::Anywhere,
    long: &[],
    count: false,
    operands: &[Kind::File],
    instead: "",
    least: 0,
    most: ANY,
    is_strict: false,
    is_joined: false,
};

/// The arguments of one call, sorted.
#[derive(Default)]
pub(super) struct Parsed {
    /// Option words in their order.
    pub(super) options: Vec<String>,
    /// What they mean: the short name, and the value if there is one.
    pub(super) meanings: Vec<(char, Option<String>)>,
    /// Long options without a short one.
    pub(super) long: Vec<&'static str>,
    pub(super) operands: Vec<Word>,
    /// How many of the operands stand before `--`; all if there is none.
    pub(super) before: usize,
}

impl Parsed {
    pub(super) fn has(&self, short: char) -> bool {
        self.meanings.iter().any(|(name, _)| *name == short)
    }

    pub(super) fn has_long(&self, name: &str) -> bool {
        self.long.contains(&name)
    }

    /// The arguments as they run: options first, and a `--` where an operand needs it.
    pub(super) fn into_argv(self, name: &str) -> Vec<String> {
        let mut argv = Vec::with_capacity(2 + self.options.len() + self.operands.len());
        argv.push(name.to_owned());
        argv.extend(self.options);
        if self
            .operands
            .iter()
            .any(|word| word.text.len() > 1 && word.text.starts_with('-'))
        {
            argv.push("--".to_owned());
        }
        argv.extend(self.operands.into_iter().map(|word| word.text));
        argv
    }
}

pub(super) fn refuse<T>(
    kind: RefusalKind,
    part: impl AsRef<str>,
    why: &'static str,
) -> Result<T, Refusal> {
    Err(Refusal::new(kind, part, why))
}

const UNKNOWN: &str = "the option is not among those that are known to be harmless";

impl Table {
    /// Reads the words behind the name of the program and judges every value and operand.
    pub(super) fn read(&self, words: Vec<Word>, judge: &Judge<'_>) -> Result<Parsed, Refusal> {
        let parsed = self.sort(words, judge)?;
        self.judge_operands(&parsed, judge)?;
        Ok(parsed)
    }

    /// Reads the words and judges the options alone.
    pub(super) fn sort(&self, words: Vec<Word>, judge: &Judge<'_>) -> Result<Parsed, Refusal> {
        let mut parsed = Parsed::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            // A name that a glob stood for begins with `./` or `/`.
            if !word.text.starts_with('-') || word.text == "-" {
                parsed.operands.push(word);
                continue;
            }
            if word.text == "--" {
                parsed.before = parsed.operands.len();
                parsed.operands.extend(words);
                return Ok(parsed);
            }
            if self.is_strict && !parsed.operands.is_empty() {
                return refuse(
                    RefusalKind::Option,
                    &word.text,
                    "options have to stand before the files",
                );
            }
            if word.text.starts_with("--") {
                self.long_option(word.text, &mut words, &mut parsed, judge)?;
            } else {
                self.short_options(word.text, &mut words, &mut parsed, judge)?;
            }
        }
        parsed.before = parsed.operands.len();
        Ok(parsed)
    }

    fn long_option(
        &self,
        word: String,
        words: &mut impl Iterator<Item = Word>,
        parsed: &mut Parsed,
        judge: &Judge<'_>,
    ) -> Result<(), Refusal> {
        let (name, value) = match word[2..].split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (&word[2..], None),
        };
        let Some((known, short, takes)) = self.long.iter().find(|(known, ..)| *known == name)
        else {
            return refuse(RefusalKind::Option, &word, UNKNOWN);
        };
        let mut next = None;
        let value = match (takes, value) {
            (Value::No | Value::May(_), None) => None,
            (Value::No, Some(_)) => {
                return refuse(RefusalKind::Option, &word, "the option takes no value");
            }
            (Value::May(kind) | Value::Must(kind), Some(value)) => {
                kind.judge(value, &word, judge)?;
                Some(value.to_owned())
            }
            (Value::Must(kind), None) => {
                let value = take_value(&word, words)?;
                kind.judge(&value, &word, judge)?;
                next = Some(value.clone());
                Some(value)
            }
        };
        if *short == '-' {
            parsed.long.push(known);
        }
        parsed.meanings.push((*short, value));
        match next {
            Some(value) if self.is_joined => parsed.options.push(format!("{word}={value}")),
            next => {
                parsed.options.push(word);
                parsed.options.extend(next);
            }
        }
        Ok(())
    }

    fn short_options(
        &self,
        word: String,
        words: &mut impl Iterator<Item = Word>,
        parsed: &mut Parsed,
        judge: &Judge<'_>,
    ) -> Result<(), Refusal> {
        let cluster = &word[1..];
        if self.count && cluster.len() <= 9 && cluster.bytes().all(|byte| byte.is_ascii_digit()) {
            parsed.options.push(word);
            return Ok(());
        }
        for (at, c) in cluster.char_indices() {
            if self.flags.contains(c) {
                parsed.meanings.push((c, None));
                continue;
            }
            let Some((_, kind)) = self.valued.iter().find(|(short, _)| *short == c) else {
                return refuse(RefusalKind::Option, &word, UNKNOWN);
            };
            let (option, rest) = word.split_at(1 + at + c.len_utf8());
            let is_attached = !rest.is_empty();
            let value = if is_attached {
                rest.to_owned()
            } else {
                take_value(&word, words)?
            };
            kind.judge(&value, &word, judge)?;
            match self.short {
                Short::Anywhere if is_attached => parsed.options.push(word),
                Short::First if at > 0 || value.is_empty() => {
                    return refuse(
                        RefusalKind::Option,
                        &word,
                        "an option with a value has to stand in a word of its own",
                    );
                }
                Short::First => parsed.options.push(format!("{option}{value}")),
                Short::Anywhere | Short::Next => {
                    parsed.options.extend([option.to_owned(), value.clone()]);
                }
            }
            parsed.meanings.push((c, Some(value)));
            return Ok(());
        }
        parsed.options.push(word);
        Ok(())
    }

    pub(super) fn judge_operands(&self, parsed: &Parsed, judge: &Judge<'_>) -> Result<(), Refusal> {
        let is_replaced = self.instead.chars().any(|short| parsed.has(short));
        let skip = usize::from(is_replaced).min(self.operands.len().saturating_sub(1));
        let kinds = &self.operands[skip..];
        let count = parsed.operands.len();
        if count < self.least.saturating_sub(skip) {
            return refuse(RefusalKind::Operand, "", "an operand is missing");
        }
        if count > self.most {
            return refuse(
                RefusalKind::Operand,
                &parsed.operands[self.most].text,
                "there are more operands than the program may have",
            );
        }
        for (at, word) in parsed.operands.iter().enumerate() {
            if let Some(kind) = kinds.get(at).or(kinds.last()) {
                kind.judge_operand(word, judge)?;
            }
        }
        Ok(())
    }
}

fn take_value(word: &str, words: &mut impl Iterator<Item = Word>) -> Result<String, Refusal> {
    match words.next() {
        None => refuse(
            RefusalKind::Option,
            word,
            "the value of the option is missing",
        ),
        Some(value) if value.is_match => refuse(
            RefusalKind::Glob,
            &value.text,
            "a glob may only stand for files that are read; put it in quotes",
        ),
        Some(value) => Ok(value.text),
    }
}

impl Kind {
    fn judge(self, value: &str, option: &str, judge: &Judge<'_>) -> Result<(), Refusal> {
        let is_fine = match self {
            Kind::Text => true,
            Kind::File => return judge.file(value),
            Kind::Pattern => !is_heavy(value),
            Kind::Number => is_number(value),
            Kind::Width => {
                (1..=4).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
            }
            Kind::List => {
                !value.is_empty()
                    && value
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b",.-".contains(&byte))
            }
            Kind::Bare => is_bare(value),
            Kind::OneOf(values) => values.contains(&value),
            Kind::Checked(check) => check(value),
        };
        if is_fine {
            Ok(())
        } else if value == option {
            refuse(
                RefusalKind::Operand,
                value,
                "it is not of a form that is known to be harmless",
            )
        } else {
            refuse(
                RefusalKind::Option,
                option,
                "the value of the option is not of a form that is known to be harmless",
            )
        }
    }

    pub(super) fn judge_operand(self, word: &Word, judge: &Judge<'_>) -> Result<(), Refusal> {
        if word.is_match && !matches!(self, Kind::File | Kind::Text | Kind::Pattern) {
            return refuse(
                RefusalKind::Glob,
                &word.text,
                "a glob may only stand for files that are read; put it in quotes",
            );
        }
        if word.is_match {
            return judge.file(&word.text);
        }
        // An old form of options and offsets: `tail +5f` would wait for ever.
        if matches!(self, Kind::File) && word.text.starts_with('+') {
            return refuse(
                RefusalKind::Operand,
                &word.text,
                "write `./+` for a name that begins so",
            );
        }
        self.judge(&word.text, &word.text, judge)
    }
}
