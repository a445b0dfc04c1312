//! Words of the trade that stand for each other: short and long forms, Chinese and English.
//!
//! General synonyms are left out on purpose: in a directory of memories `show` and `print` are
//! seldom the same thing, and tests with thousands of queries lost by them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::common::{Kind, kind};
use super::stems::Stems;
use super::text::is_pair;

/// Each line is one thing under several names, in English and in Chinese as it is written in
/// different places. Words of an English name are joined by `_`; forms of one name, such as a long
/// and a short one, or simplified and traditional characters, by `=`.
const GROUPS: &str = include_str!("glossary.txt");

static GLOSSARY: LazyLock<Glossary> = LazyLock::new(|| Glossary::of(GROUPS));

/// One name of a thing.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: &'static str,
    /// Its stems, or pairs of characters, or one character.
    pub(crate) terms: Box<[Cow<'static, str>]>,
    /// Whether it is written without spaces.
    pub(crate) is_unspaced: bool,
    /// Its group, and its place there among those that are not forms of each other.
    group: usize,
    form: usize,
}

/// All groups, and where to find a name by how it begins.
struct Glossary {
    names: Vec<Name>,
    /// For each group, its names.
    groups: Vec<std::ops::Range<usize>>,
    /// For each group, how much it tells.
    kinds: Vec<Kind>,
    /// Names by the first stem or character; the longest come first.
    starts: HashMap<Cow<'static, str>, Vec<usize>>,
}

impl Glossary {
    fn of(lines: &'static str) -> Glossary {
        let stems = Stems::new();
        let mut glossary = Glossary {
            names: Vec::new(),
            groups: Vec::new(),
            kinds: Vec::new(),
            starts: HashMap::new(),
        };
        for line in lines.lines() {
            let first = glossary.names.len();
            let forms = line.split(' ').enumerate();
            let forms =
                forms.flat_map(|(form, names)| names.split('=').map(move |name| (form, name)));
            for (form, text) in forms {
                let is_unspaced = is_pair(text);
                let terms = match is_unspaced {
                    true => pairs(text),
                    false => text.split('_').map(|word| stems.stem(word)).collect(),
                };
                glossary.names.push(Name {
                    text,
                    terms,
                    is_unspaced,
                    group: glossary.groups.len(),
                    form,
                });
            }
            let names = first..glossary.names.len();
            // A name tells as much as its most telling term, a group as little as its least
            // telling name.
            let of_name = |name: &Name| name.terms.iter().map(|term| kind(term)).max();
            let of_names = glossary.names[names.clone()].iter().filter_map(of_name);
            glossary.kinds.push(of_names.min().unwrap_or(Kind::Telling));
            glossary.groups.push(names);
        }
        for (number, name) in glossary.names.iter().enumerate() {
            let start = match name.is_unspaced {
                true => first_char(name.text).map(Cow::Borrowed),
                false => name.terms.first().cloned(),
            };
            if let Some(start) = start {
                glossary.starts.entry(start).or_default().push(number);
            }
        }
        for numbers in glossary.starts.values_mut() {
            numbers.sort_by_key(|number| std::cmp::Reverse(glossary.names[*number].text.len()));
        }
        glossary
    }

    fn starting(&self, start: &str) -> impl Iterator<Item = &Name> {
        let numbers = self.starts.get(start).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|number| &self.names[*number])
    }
}

/// A name's pairs of characters, or its only one.
fn pairs(name: &'static str) -> Box<[Cow<'static, str>]> {
    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
    let starts = name.char_indices().map(|(at, _)| at);
    let pairs = starts
        .zip(ends.skip(1))
        .map(|(start, end)| &name[start..end]);
    match first_char(name) {
        Some(only) if only == name => [only.into()].into(),
        _ => pairs.map(Cow::Borrowed).collect(),
    }
}

fn first_char(text: &str) -> Option<&str> {
    text.chars().next().map(|c| &text[..c.len_utf8()])
}

/// Something that a query names, and what else it is called.
#[derive(Debug)]
pub(crate) struct Found {
    /// The terms of the query that it is made of.
    pub(crate) own: Vec<usize>,
    /// Those that hold an end of it and a character beside it.
    pub(crate) beside: Vec<usize>,
    /// How much it tells: no more than any word that it stands for.
    pub(super) kind: Kind,
    /// Its names in the other script.
    pub(crate) across: Vec<&'static Name>,
    /// Other forms of the name.
    pub(crate) forms: Vec<&'static Name>,
}

/// What a query names that has other names. `terms` are the query's, stems and pairs, each once;
/// `said` are they in the order in which it says them, `None` between what does not stand together.
pub(crate) fn lookup(query: &str, terms: &[&str], said: &[Option<usize>]) -> Vec<Found> {
    let glossary = &*GLOSSARY;
    let mut found: Vec<Found> = Vec::new();
    let mut met: HashSet<&[usize]> = HashSet::new();
    let runs: Vec<Vec<usize>> = said
        .split(Option::is_none)
        .map(|run| run.iter().copied().flatten().collect())
        .collect();
    for run in &runs {
        let mut rest = &run[..];
        while let Some(first) = rest.first().and_then(|at| terms.get(*at)) {
            let fits = |name: &&Name| {
                !name.is_unspaced
                    && name.terms.len() <= rest.len()
                    && (name.terms.iter().zip(rest)).all(|(own, at)| **own == *terms[*at])
            };
            let fitting: Vec<&Name> = glossary.starting(first).filter(fits).collect();
            let longest = fitting.iter().map(|name| name.terms.len()).max();
            let (own, behind) = rest.split_at(longest.unwrap_or(1));
            rest = behind;
            if longest.is_some() && met.insert(own) {
                let names = fitting.into_iter();
                let names: Vec<&Name> =
                    names.filter(|name| name.terms.len() == own.len()).collect();
                found.push(glossary.found(own.to_vec(), Vec::new(), &names));
            }
        }
    }
    let mut rest = query;
    let mut before: Option<char> = None;
    let mut buffer = [0; 4];
    while let Some(c) = rest.chars().next() {
        if c.is_ascii() {
            // No such name begins here.
            before = Some(c);
            rest = &rest[1..];
            continue;
        }
        let start: &str = c.encode_utf8(&mut buffer);
        let place = |term: &str| terms.iter().position(|known| *known == term);
        let fits = |name: &&Name| {
            name.is_unspaced
                && rest.starts_with(name.text)
                && (name.text.len() > start.len() || place(name.text).is_some())
        };
        let longest = glossary
            .starting(start)
            .find(fits)
            .map(|name| name.text.len());
        let Some(longest) = longest else {
            before = Some(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        let names = glossary.starting(start).filter(fits);
        let names: Vec<&Name> = names.filter(|name| name.text.len() == longest).collect();
        let (name, behind) = rest.split_at(longest);
        let own: Vec<usize> = (names.iter().take(1))
            .flat_map(|name| &name.terms)
            .filter_map(|term| place(term))
            .collect();
        let last = name.chars().next_back();
        let ends = [[before, Some(c)], [last, behind.chars().next()]];
        let beside = ends
            .into_iter()
            .filter_map(|[left, right]| place(&[left?, right?].into_iter().collect::<String>()));
        if !own.is_empty() {
            let beside = beside.filter(|at| !own.contains(at)).collect();
            found.push(glossary.found(own, beside, &names));
        }
        before = last;
        rest = behind;
    }
    found
}

impl Glossary {
    /// The other names of something that a query calls by these.
    fn found(&'static self, own: Vec<usize>, beside: Vec<usize>, names: &[&Name]) -> Found {
        let mut found = Found {
            own,
            beside,
            kind: Kind::Telling,
            across: Vec::new(),
            forms: Vec::new(),
        };
        for name in names {
            found.kind = found.kind.min(self.kinds[name.group]);
            for other in &self.names[self.groups[name.group].clone()] {
                if other.is_unspaced != name.is_unspaced {
                    found.across.push(other);
                } else if other.form == name.form && other.text != name.text {
                    found.forms.push(other);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::stop::is_english;
    use crate::lexical::text::{Piece, split};

    /// What a query finds that says just this.
    fn found(name: &Name) -> Vec<Found> {
        let terms: Vec<&str> = name.terms.iter().map(|term| &**term).collect();
        let said: Vec<Option<usize>> = (0..terms.len()).map(Some).collect();
        lookup(&name.text.replace('_', " "), &terms, &said)
    }

    fn texts(names: &[&'static Name]) -> Vec<&'static str> {
        names.iter().map(|name| name.text).collect()
    }

    #[test]
    fn the_table_is_in_order() {
        let lines: Vec<&str> = GROUPS.lines().collect();
        // As the README says.
        assert_eq!((lines.len(), GLOSSARY.names.len()), (1_027, 4_223));
        assert!(lines.is_sorted_by(|a, b| a < b));
        for line in &lines {
            let names: Vec<&str> = line.split([' ', '=']).collect();
            let others: HashSet<&str> = names.iter().copied().collect();
            assert!(names.len() >= 2 && others.len() == names.len(), "{line}");
            assert!(
                !names.contains(&"") && *line == line.to_lowercase(),
                "{line}"
            );
        }
        let stems = Stems::new();
        for name in &GLOSSARY.names {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(
                name.is_unspaced != name.text.chars().all(is_plain),
                "{}",
                name.text
            );
            // A memory that holds the name holds its terms: none is a stop word.
            let mut terms: Vec<String> = Vec::new();
            split(&name.text.replace('_', " "), |piece| match piece {
                Piece::Word(word) if !is_english(word) => terms.push(stems.stem(word).into()),
                Piece::Pair(term) | Piece::Lone(term) => terms.push(term.to_owned()),
                _ => {}
            });
            assert_eq!(*name.terms, *terms, "{}", name.text);
        }
    }

    #[test]
    fn names_of_one_thing_find_each_other() {
        for name in &GLOSSARY.names {
            let found = found(name);
            assert_eq!(found.len(), 1, "{}", name.text);
            assert_eq!(found[0].own.len(), name.terms.len(), "{}", name.text);
            let (across, forms) = (texts(&found[0].across), texts(&found[0].forms));
            for other in &GLOSSARY.names[GLOSSARY.groups[name.group].clone()] {
                let is_across = other.is_unspaced != name.is_unspaced;
                let is_form = other.form == name.form && other.text != name.text;
                assert_eq!(
                    across.contains(&other.text),
                    is_across,
                    "{} {}",
                    name.text,
                    other.text
                );
                assert!(
                    forms.contains(&other.text) || !is_form,
                    "{} {}",
                    name.text,
                    other.text
                );
            }
        }
    }

    #[test]
    fn what_is_common_is_common_in_both_languages() {
        let common = GLOSSARY.names.iter().filter(|name| {
            let [term] = &*name.terms else { return false };
            kind(term) <= Kind::Common
        });
        let mut counts = [0, 0];
        for name in common {
            counts[usize::from(name.is_unspaced)] += 1;
            for other in &GLOSSARY.names[GLOSSARY.groups[name.group].clone()] {
                assert!(
                    found(other)[0].kind <= Kind::Common,
                    "{} {}",
                    name.text,
                    other.text
                );
            }
        }
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }

    #[track_caller]
    fn check(query: &str, terms: &[&str], wanted: &[(&[usize], &[usize], &str)]) {
        let said: Vec<Option<usize>> = (0..terms.len()).map(Some).collect();
        let found = lookup(query, terms, &said);
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (found, (own, beside, name)) in found.iter().zip(wanted) {
            assert_eq!((&*found.own, &*found.beside), (*own, *beside), "{found:?}");
            assert!(texts(&found.across).contains(name), "{found:?}");
        }
    }

    #[test]
    fn the_longest_name_is_meant() {
        check(
            "primary key",
            &["primari", "key"],
            &[(&[0, 1], &[], "主键")],
        );
        check("key", &["key"], &[(&[0], &[], "键")]);
        // `key` is the first term of the query, and stands behind `primary` later.
        let found = lookup(
            "key: primary key",
            &["key", "primari"],
            &[0, 1, 0].map(Some),
        );
        let own: Vec<&[usize]> = found.iter().map(|found| &*found.own).collect();
        assert_eq!(own, [&[0][..], &[1, 0]]);
        assert!(texts(&found[1].across).contains(&"主键"));
        let apart = [Some(0), None, Some(1)];
        let found = lookup("x", &["primari", "key"], &apart);
        assert!(found.iter().all(|found| found.own.len() == 1));
        let terms = ["数据", "据库", "库测", "测试"];
        let wanted: [(&[usize], &[usize], &str); 2] =
            [(&[0, 1], &[2], "database"), (&[3], &[2], "test")];
        check("数据库测试", &terms, &wanted);
        // A single character is a word only where it stands alone.
        check("锁", &["锁"], &[(&[0], &[], "lock")]);
        check("铁锁", &["铁锁"], &[]);
    }
}
