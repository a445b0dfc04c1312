//! Command lines made of the words of others, the same ones in every run.

use super::shell_world::corpus;

/// What may make the difference between a word and a construct.
const BITS: &[&str] = &[
    " ",
    "\n",
    ";",
    "|",
    "||",
    "&&",
    "2>&1",
    ">/dev/null",
    "2>/dev/null",
    "<",
    "'",
    "\"",
    "\\",
    "$",
    "`",
    "!",
    "#",
    "*",
    "?",
    "[",
    "]",
    "~",
    "=",
    ":",
    "-",
    "--",
    "^",
    "%",
    "@",
    ",",
    ".",
    "..",
    "/",
    "1",
    "9",
    "é",
    "''",
    "\"$\"",
    "-o",
    "-r",
    "-R",
    "-n",
    "-e",
    "-f",
    "-i",
    "-s",
    "-z",
    "-L",
    "-p",
    "-c",
    "--output=x",
    "x",
    ".env",
    "pipe",
    "escape",
    "docs/link-to-env",
    "-exec",
    "-delete",
    "-fprint",
    "w x",
    "e",
    "{",
    "}",
];

pub(crate) struct Mutations {
    lines: Vec<String>,
    state: u64,
}

impl Mutations {
    pub(crate) fn new(seed: u64) -> Mutations {
        let lines = corpus("benign.jsonl")
            .into_iter()
            .chain(corpus("hostile.jsonl"));
        Mutations {
            lines: lines.map(|line| line.command).collect(),
            state: seed,
        }
    }

    fn pick(&mut self, count: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 8) as usize % count
    }

    fn line(&mut self) -> String {
        let at = self.pick(self.lines.len());
        self.lines[at].clone()
    }
}

impl Iterator for Mutations {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut line = self.line();
        for _ in 0..=self.pick(3) {
            let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let at = self.pick(words.len() + 1);
            match self.pick(4) {
                // A word of another call of the same program, or of any.
                0 | 1 => {
                    let name = words[0].clone();
                    let same: Vec<String> = self
                        .lines
                        .iter()
                        .filter(|other| other.split(' ').next() == Some(&name))
                        .cloned()
                        .collect();
                    let other = if same.is_empty() {
                        self.line()
                    } else {
                        same[self.pick(same.len())].clone()
                    };
                    let theirs: Vec<&str> = other.split(' ').collect();
                    let word = theirs[self.pick(theirs.len())].to_owned();
                    words.insert(at, word);
                }
                2 => words.insert(at, BITS[self.pick(BITS.len())].to_owned()),
                _ => {
                    let at = at.min(words.len() - 1);
                    let word = &mut words[at];
                    let mut inside = self.pick(word.len() + 1);
                    while !word.is_char_boundary(inside) {
                        inside -= 1;
                    }
                    word.insert_str(inside, BITS[self.pick(BITS.len())]);
                }
            }
            line = words.join(" ");
        }
        Some(line)
    }
}
