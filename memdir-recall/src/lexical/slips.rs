//! Words that differ by a slip of the hand.

use super::common::{Kind, kind};
use super::finder::Finder;
use super::index::Index;
use super::lookup::Lookup;
use super::postings::count;

/// What a word adds that differs by a slip of the hand from one that no memory holds.
const MENDED: f32 = 0.8;

/// How many words are looked at for slips: 4 words, each beside all that the directory knows.
const MAX_MENDED: usize = 4;

/// How many words one with a slip may stand for: 2 words.
const MENDINGS: usize = 2;

/// The shortest stem that may have a slip: 5 bytes; shorter ones are near too many others.
const MIN_MENDED_BYTES: usize = 5;

impl Lookup {
    /// `databse`, which no memory holds, finds `database`.
    pub(super) fn mend(&mut self, lists: &mut Finder<'_>) {
        let mut unknown = self.unknown();
        unknown.retain(|word| {
            word.len() >= MIN_MENDED_BYTES
                && word.bytes().all(|b| b.is_ascii_lowercase())
                // Words of the trade are written as they are meant.
                && kind(word) == Kind::Telling
        });
        let has_others = self.asked.iter().filter(|asked| asked.counts).count() > 1;
        for word in unknown.iter().take(MAX_MENDED) {
            let mut found = lists.index.slips(word);
            found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            for (_, term) in found.into_iter().take(MENDINGS) {
                let known = self.asked.len();
                self.add(term, MENDED, false, lists);
                // If it is all that is asked, nothing else can speak for it.
                if !has_others {
                    continue;
                }
                for mended in &mut self.asked[known..] {
                    mended.counted = mended.counted.mended();
                }
            }
        }
    }
}

impl Index {
    /// The terms that differ from another one by a slip of the hand, and how many memories hold
    /// them.
    pub(super) fn slips(&self, term: &str) -> Vec<(usize, String)> {
        let mut slips = Vec::new();
        let Some(first) = term.chars().next() else {
            return slips;
        };
        self.dictionary
            .walk(&term[..first.len_utf8()], |known, list| {
                if is_slip(known, term.as_bytes())
                    && let Ok(known) = std::str::from_utf8(known)
                {
                    slips.push((count(&self.lists[list]), known.to_owned()));
                }
                known.first() <= term.as_bytes().first()
            });
        slips
    }
}

/// Whether two words with the same first letter differ in one letter, or in the order of two, or in
/// that one has a letter more.
fn is_slip(a: &[u8], b: &[u8]) -> bool {
    if a.first() != b.first() || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    match (&a[same..], &b[same..]) {
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([a1, a2, a @ ..], [b1, b2, b @ ..]) if a1 == b2 && a2 == b1 && a == b => true,
        ([_, a @ ..], b) if a == b => true,
        (a, [_, b @ ..]) => a == b,
        _ => false,
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::index::{Gather, Origin};

    #[test]
    fn a_slip_is_one_letter() {
        let mut gather = Gather::default();
        let number = gather.read("database", "databases", "datum data base");
        let index = Index::default().updated(&mut gather, &[Origin::Fresh(number)]);
        for slip in ["databse", "databsae", "databaze", "databaase"] {
            // The stem of `database`.
            let stem = index.stem(slip);
            let slips = index.slips(&stem);
            assert_eq!(slips, [(1, "databas".to_owned())], "{stem}");
        }
        for other in ["atabas", "datasab", "", "d", "Databas", "数"] {
            assert_eq!(index.slips(other), [], "{other}");
        }
        let is_slip = |a: &str, b: &str| is_slip(a.as_bytes(), b.as_bytes());
        for slip in ["databse", "databsae", "databaze", "databaase", "databases"] {
            assert!(is_slip(slip, "database"), "{slip}");
            assert!(is_slip("database", slip), "{slip}");
        }
        for other in ["atabase", "datasabe", "", "d", "databasing", "databzze"] {
            assert!(!is_slip(other, "database"), "{other}");
            assert!(!is_slip("database", other), "{other}");
        }
    }
}
