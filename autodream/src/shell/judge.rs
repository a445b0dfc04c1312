//! The judge: lexes, expands globs, looks the program up, and reads its arguments by its grammar.

use std::path::Path;

use super::glob::{self, Budget};
use super::lex::{Raw, RawRedirection, RawStep, lex};
use super::options::refuse;
use super::programs::{Program, program};
use super::script::{Command, Redirection, Script, Step};
use super::{MAX_COMMAND_BYTES, chars, git};
use crate::policy::{Refusal, RefusalKind, Roots};

/// 200 calls: a command line with more is refused. A person would not read it.
const MAX_CALLS: usize = 200;

/// 2,000 words in one call: each may be a file that has to be looked for.
const MAX_WORDS: usize = 2_000;

/// What the judging of one call needs to know.
pub(super) struct Judge<'a> {
    pub(super) cwd: &'a Path,
    pub(super) roots: &'a Roots,
    /// Whether the call has something to read: the output of another one, or a file.
    pub(super) has_input: bool,
}

impl Judge<'_> {
    /// Whether a file or folder may be read. `-` is the input, if there is one.
    pub(super) fn file(&self, name: &str) -> Result<(), Refusal> {
        match name {
            "" => refuse(RefusalKind::Operand, "", "an empty word is no file"),
            "-" if self.has_input => Ok(()),
            "-" => refuse(RefusalKind::Operand, "-", "there is no input to read"),
            name => self.roots.may_read(&self.cwd.join(name)).map(|_| ()),
        }
    }
}

/// Judges a command line for the shell: only what is known to read, and only below the roots, is
/// allowed. `cwd` is the directory that it will run in.
///
/// Run the answer as it is, without a shell. The judge is a gate, no sandbox: an executor should
/// still limit time and output.
///
/// # Errors
///
/// A [`Refusal`] with a reason and the part that it is about.
pub fn judge_shell(command: &str, cwd: &Path, roots: &Roots) -> Result<Script, Refusal> {
    let steps = understood(command)?;
    if steps.iter().map(|step| step.pipeline.len()).sum::<usize>() > MAX_CALLS {
        return refuse(
            RefusalKind::TooLong,
            "",
            "there are too many calls in one command line",
        );
    }
    if !cwd.is_absolute() {
        return refuse(
            RefusalKind::Outside,
            cwd.to_string_lossy(),
            "the working directory has to be an absolute path",
        );
    }
    let mut script = Script::new(cwd);
    let mut budget = Budget::new();
    // What a program without operands looks at, and where relative names begin.
    if !roots.is_root(cwd) {
        roots.may_read(cwd)?;
    }
    for step in steps {
        let mut pipeline = Vec::with_capacity(step.pipeline.len());
        for raw in step.pipeline {
            let is_first = pipeline.is_empty();
            pipeline.push(call(raw, is_first, cwd, roots, &mut budget, &mut script)?);
        }
        script.steps.push(Step {
            join: step.join,
            pipeline,
        });
    }
    Ok(script)
}

/// Parses a command line for the shell without a list of programs: what it would run, if it may
/// run at all. Globs are left as they are written.
///
/// # Errors
///
/// A [`Refusal`] for everything but plain commands, pipelines, `&&`, `||`, `;`, line breaks and
/// harmless redirections.
pub fn parse_shell(command: &str) -> Result<Script, Refusal> {
    let mut script = Script::new(Path::new(""));
    for step in understood(command)? {
        let pipeline = step.pipeline.into_iter().map(|raw| Command {
            argv: raw.words.into_iter().map(|word| word.text).collect(),
            redirections: raw.redirections.into_iter().map(plain).collect(),
        });
        script.steps.push(Step {
            join: step.join,
            pipeline: pipeline.collect(),
        });
    }
    Ok(script)
}

fn understood(command: &str) -> Result<Vec<RawStep>, Refusal> {
    if command.len() > MAX_COMMAND_BYTES {
        return refuse(
            RefusalKind::TooLong,
            "",
            "the command line is longer than 32,768 bytes",
        );
    }
    chars::check(command)?;
    lex(command)
}

fn call(
    raw: Raw,
    is_first: bool,
    cwd: &Path,
    roots: &Roots,
    budget: &mut Budget,
    script: &mut Script,
) -> Result<Command, Refusal> {
    let mut words = raw.words;
    let mut expanded = Vec::new();
    if words.iter().any(|word| !word.globs.is_empty()) {
        for (at, word) in words.into_iter().enumerate() {
            match (word.globs.is_empty(), at) {
                (true, _) => expanded.push(word),
                (false, 0) => return unknown(&word.text),
                (false, _) => glob::expand(word, cwd, roots, budget, &mut expanded)?,
            }
        }
        words = expanded;
    }
    if words.is_empty() {
        return refuse(RefusalKind::Syntax, "", "a command is missing");
    }
    if words.len() > MAX_WORDS {
        return refuse(
            RefusalKind::TooLong,
            &words[0].text,
            "there are too many words in one call",
        );
    }
    let arguments = words.split_off(1);
    let name = &words[0];
    // The name must stand there as it is, so that nobody has to think about what it becomes.
    if name.text == "cd" {
        return refuse(
            RefusalKind::Program,
            "cd",
            "the working directory stays as it is; write whole paths instead",
        );
    }
    let Some(program) = program(&name.text).filter(|_| !name.is_quoted) else {
        return unknown(&name.text);
    };
    let judge = Judge {
        cwd,
        roots,
        has_input: !is_first
            || raw
                .redirections
                .iter()
                .any(|redirection| matches!(redirection, RawRedirection::Input(_))),
    };
    let name = name.text.as_str();
    let argv = match program {
        Program::Plain(table) => table.read(arguments, &judge)?.into_argv(name),
        Program::Hooked(table, hook) => {
            let mut parsed = table.sort(arguments, &judge)?;
            hook(&mut parsed, &judge)?;
            table.judge_operands(&parsed, &judge)?;
            parsed.into_argv(name)
        }
        Program::Own(read) => read(name, arguments, &judge)?,
        Program::Git => {
            if script.repository.is_empty() {
                script.repository = git::repository(&judge)?;
            }
            git::read(arguments, &judge)?
        }
    };
    let mut redirections = Vec::with_capacity(raw.redirections.len());
    for redirection in raw.redirections {
        if let RawRedirection::Input(word) = &redirection {
            if !word.globs.is_empty() {
                return refuse(
                    RefusalKind::Glob,
                    &word.text,
                    "name the file in a redirection",
                );
            }
            if word.text == "-" {
                return refuse(RefusalKind::Operand, "-", "name the file in a redirection");
            }
            if word.text != "/dev/null" {
                judge.file(&word.text)?;
            }
        }
        redirections.push(plain(redirection));
    }
    Ok(Command { argv, redirections })
}

fn unknown<T>(name: &str) -> Result<T, Refusal> {
    refuse(
        RefusalKind::Program,
        name,
        "only programs that read are allowed, by their bare name: ls, cat, head, tail, grep, rg, find, wc, stat, sort, uniq, cut, sed, jq, git log and the like",
    )
}

fn plain(redirection: RawRedirection) -> Redirection {
    match redirection {
        RawRedirection::Input(word) => Redirection::Input(word.text),
        RawRedirection::OutputDropped => Redirection::OutputDropped,
        RawRedirection::ErrorsDropped => Redirection::ErrorsDropped,
        RawRedirection::ErrorsToOutput => Redirection::ErrorsToOutput,
        RawRedirection::OutputToErrors => Redirection::OutputToErrors,
    }
}
