//! The words of a command line as `brush-parser` reads them.

use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem, IoFileRedirectKind, IoFileRedirectTarget,
    IoRedirect, Pipeline,
};
use brush_parser::word::{WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};

/// Argument lists, and how many redirections each command has.
pub type Calls = Vec<(Vec<String>, usize)>;

/// What it reads; an error says what it found that is not plain.
pub fn calls(text: &str) -> Result<Calls, String> {
    let options = ParserOptions::default();
    let mut parser = Parser::new(std::io::Cursor::new(text.as_bytes()), &options);
    let program = parser.parse_program().map_err(|e| format!("{e:?}"))?;
    let mut calls = Vec::new();
    for list in &program.complete_commands {
        for item in &list.0 {
            if !matches!(item.1, brush_parser::ast::SeparatorOperator::Sequence) {
                return Err("background".into());
            }
            pipeline(&item.0.first, &options, &mut calls)?;
            for next in &item.0.additional {
                let (AndOr::And(next) | AndOr::Or(next)) = next;
                pipeline(next, &options, &mut calls)?;
            }
        }
    }
    Ok(calls)
}

fn pipeline(p: &Pipeline, options: &ParserOptions, calls: &mut Calls) -> Result<(), String> {
    if p.timed.is_some() || p.bang {
        return Err("timed or negated".into());
    }
    for command in &p.seq {
        let Command::Simple(simple) = command else {
            return Err("not a simple command".into());
        };
        if simple.prefix.is_some() {
            return Err("prefix".into());
        }
        let mut argv = Vec::new();
        let mut redirections = 0;
        if let Some(name) = &simple.word_or_name {
            argv.push(word(&name.value, options)?);
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                CommandPrefixOrSuffixItem::Word(w)
                | CommandPrefixOrSuffixItem::AssignmentWord(_, w) => {
                    argv.push(word(&w.value, options)?);
                }
                CommandPrefixOrSuffixItem::IoRedirect(IoRedirect::File(_, kind, target)) => {
                    let is_fine = match (kind, target) {
                        (IoFileRedirectKind::Read, IoFileRedirectTarget::Filename(_)) => true,
                        (IoFileRedirectKind::Write, IoFileRedirectTarget::Filename(w)) => {
                            w.value == "/dev/null"
                        }
                        (IoFileRedirectKind::DuplicateOutput, IoFileRedirectTarget::Fd(fd)) => {
                            *fd == 1 || *fd == 2
                        }
                        (
                            IoFileRedirectKind::DuplicateOutput,
                            IoFileRedirectTarget::Duplicate(w),
                        ) => w.value == "1" || w.value == "2",
                        _ => false,
                    };
                    if !is_fine {
                        return Err(format!("redirection {kind:?} {target:?}"));
                    }
                    redirections += 1;
                }
                other => return Err(format!("{other:?}")),
            }
        }
        calls.push((argv, redirections));
    }
    Ok(())
}

fn word(raw: &str, options: &ParserOptions) -> Result<String, String> {
    let mut text = String::new();
    pieces(
        &brush_parser::word::parse(raw, options).map_err(|e| format!("{e:?}"))?,
        &mut text,
    )?;
    Ok(text)
}

fn pieces(all: &[WordPieceWithSource], text: &mut String) -> Result<(), String> {
    for piece in all {
        match &piece.piece {
            WordPiece::Text(t) | WordPiece::SingleQuotedText(t) => text.push_str(t),
            WordPiece::DoubleQuotedSequence(inner) => pieces(inner, text)?,
            WordPiece::EscapeSequence(escape) => {
                text.push_str(escape.strip_prefix('\\').unwrap_or(escape))
            }
            other => return Err(format!("{other:?}")),
        }
    }
    Ok(())
}
