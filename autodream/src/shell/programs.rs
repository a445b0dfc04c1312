//! The programs that may be called, each with the options that only read.
//!
//! Left out on purpose, beside all that writes or runs: what follows links out of the roots, reads
//! names of files from files, waits for ever, or means different things on different systems. The
//! tables are in `looking`, `filters` and beside the programs with a language of their own.

use super::judge::Judge;
use super::lex::Word;
use super::options::{Parsed, TABLE, Table};
use super::{filters, find, jq, looking, search, sed, small};
use crate::policy::Refusal;

/// Takes the name and the words behind it, and answers with what runs.
type Grammar = fn(&str, Vec<Word>, &Judge<'_>) -> Result<Vec<String>, Refusal>;
type Hook = fn(&mut Parsed, &Judge<'_>) -> Result<(), Refusal>;

pub(super) enum Program {
    Plain(&'static Table),
    /// The table, and what has to be checked or added between options and operands.
    Hooked(&'static Table, Hook),
    /// A grammar that is no list of options.
    Own(Grammar),
    Git,
}

use Program::{Git, Hooked, Own, Plain};

pub(super) fn program(name: &str) -> Option<Program> {
    Some(match name {
        "[" | "test" => Own(small::test),
        "base64" => Plain(&looking::BASE64),
        "basename" => Plain(&looking::BASENAME),
        "cat" => Plain(&looking::CAT),
        "cksum" => Plain(&TABLE),
        "cmp" => Plain(&filters::CMP),
        "column" => Plain(&filters::COLUMN),
        "comm" => Plain(&filters::COMM),
        "cut" => Hooked(&filters::CUT, small::cut),
        "date" => Plain(&looking::DATE),
        "df" => Plain(&looking::DF),
        "diff" => Hooked(&filters::DIFF, search::diff),
        "dirname" => Plain(&looking::DIRNAME),
        "du" => Plain(&looking::DU),
        "echo" => Own(small::echo),
        "egrep" | "fgrep" | "grep" => Hooked(&search::GREP, search::grep),
        "expand" | "unexpand" => Plain(&filters::EXPAND),
        "false" | "true" => Plain(&looking::NOTHING),
        "file" => Plain(&looking::FILE),
        "find" => Own(find::read),
        "fmt" => Plain(&filters::FMT),
        "fold" => Plain(&filters::FOLD),
        "git" => Git,
        "head" => Plain(&looking::HEAD),
        "hostname" => Plain(&looking::HOSTNAME),
        "id" => Plain(&looking::ID),
        "join" => Plain(&filters::JOIN),
        "jq" => Hooked(&jq::JQ, jq::check),
        "ls" => Plain(&looking::LS),
        "md5sum" | "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum" => {
            Plain(&looking::DIGEST)
        }
        "nl" => Plain(&filters::NL),
        "od" => Plain(&looking::OD),
        "paste" => Plain(&filters::PASTE),
        "printf" => Own(small::printf),
        "pwd" => Plain(&looking::PWD),
        "readlink" => Plain(&looking::READLINK),
        "realpath" => Plain(&looking::REALPATH),
        "rev" | "sum" => Plain(&TABLE),
        "rg" => Hooked(&search::RG, search::rg),
        "sed" => Hooked(&sed::SED, sed::check),
        "seq" => Own(small::seq),
        "sort" => Hooked(&filters::SORT, small::sort),
        "stat" => Plain(&looking::STAT),
        "strings" => Hooked(&looking::STRINGS, small::strings),
        "tac" => Plain(&filters::TAC),
        "tail" => Plain(&looking::TAIL),
        "tr" => Plain(&filters::TR),
        "tree" => Plain(&looking::TREE),
        "uname" => Plain(&looking::UNAME),
        "uniq" => Plain(&filters::UNIQ),
        "wc" => Plain(&looking::WC),
        "which" => Plain(&looking::WHICH),
        "whoami" => Plain(&looking::NOTHING),
        _ => return None,
    })
}
