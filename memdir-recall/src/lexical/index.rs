//! The index: for each term the memories that hold it, where, and how well.

use super::dictionary::Dictionary;
use super::gather::Doc;
pub(crate) use super::gather::Gather;
use super::postings::{Entries, Places, count, write_list};
use super::text::{Stems, han_pair};

/// BM25's saturation of repeated words, the customary value.
const K1: f32 = 1.2;

/// What a term can contribute at most, in units of its inverse document frequency.
pub(crate) const MAX_GAIN: f32 = K1 + 1.0;

/// How much the length of name, description and body tells: a long body repeats words for no
/// reason, a long name hardly does.
const LENGTH_WEIGHTS: [f32; 3] = [0.3, 0.5, 0.75];

/// The index over the memories of a directory, in their order.
#[derive(Default)]
pub(crate) struct Index {
    stems: Stems,
    dictionary: Dictionary,
    lists: Vec<u8>,
    docs: Vec<Doc>,
    /// How many words a name, a description and a body have on average, each at least one; its
    /// reciprocal.
    per_mean: [f32; 3],
}

/// Where the words of a memory come from. Deliberately closed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin {
    /// It has this number in the index before.
    Kept(u32),
    /// It was read just now, and has this number there.
    Fresh(u32),
}

/// A memory that holds a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Holder {
    pub(super) doc: u32,
    /// What the term contributes to the memory, in units of the term's rarity.
    pub(super) gain: f32,
    /// Where its places begin, and how many bytes they take, at most 65,535; of a pair that was
    /// put together, how many they are.
    places: u32,
    length: u16,
}

/// The memories that hold a term, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Holders {
    list: Vec<Holder>,
    /// The places of a pair, which were put together from those of its characters.
    of_pair: Option<Vec<u32>>,
}

impl Holders {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Holder> {
        self.list.iter()
    }

    /// One memory, if it is among them.
    pub(super) fn find(&self, doc: u32) -> Option<&Holder> {
        let at = self.list.binary_search_by_key(&doc, |holder| holder.doc);
        at.ok().map(|at| &self.list[at])
    }
}

impl Index {
    /// An index over memories of which some are in this one already.
    pub(crate) fn updated(&self, fresh: &mut Gather, order: &[Origin]) -> Index {
        let mut numbers = [vec![None; self.docs.len()], vec![None; fresh.docs().len()]];
        let mut docs = Vec::with_capacity(order.len());
        for (number, origin) in (0u32..).zip(order) {
            let (source, known, before) = match origin {
                Origin::Kept(before) => (0, &*self.docs, *before as usize),
                Origin::Fresh(before) => (1, fresh.docs(), *before as usize),
            };
            docs.push(known.get(before).copied().unwrap_or_default());
            if let Some(place) = numbers[source].get_mut(before) {
                *place = Some(number);
            }
        }
        let mut merge = Merge {
            numbers,
            dictionary: Dictionary::default(),
            lists: Vec::new(),
        };
        let fresh = fresh.lists();
        let mut fresh = fresh.into_iter().peekable();
        self.dictionary.walk("", |term, range| {
            let Ok(term) = std::str::from_utf8(term) else {
                return true;
            };
            while let Some((other, list)) = fresh.next_if(|(other, _)| *other < term) {
                merge.add(other, [&[], list]);
            }
            let list = fresh.next_if(|(other, _)| *other == term);
            let list = list.map_or(&[][..], |(_, list)| list);
            merge.add(term, [&self.lists[range], list]);
            true
        });
        for (term, list) in fresh {
            merge.add(term, [&[], list]);
        }
        merge.dictionary.settle();
        merge.lists.shrink_to_fit();
        Index {
            stems: Stems::new(),
            dictionary: merge.dictionary,
            lists: merge.lists,
            per_mean: per_mean(&docs),
            docs,
        }
    }

    pub(crate) fn docs(&self) -> usize {
        self.docs.len()
    }

    /// How many words a body has on average, at least one.
    pub(crate) fn body_words(&self) -> f32 {
        match self.per_mean[2] > 0.0 {
            true => 1.0 / self.per_mean[2],
            false => 1.0,
        }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.dictionary.bytes() + self.lists.capacity() + self.docs.capacity() * size_of::<Doc>()
    }

    /// The term that a word in lower case stands for.
    pub(crate) fn stem(&self, word: &str) -> String {
        self.stems.stem(word).into_owned()
    }

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

    /// How many memories hold a term.
    pub(crate) fn count(&self, term: &str) -> usize {
        match han_pair(term) {
            Some(_) => self.holders(term).len(),
            None => self.list(term).map_or(0, count),
        }
    }

    /// The memories that hold a term.
    pub(crate) fn holders(&self, term: &str) -> Holders {
        if let Some((left, right)) = han_pair(term) {
            return self.holders_of_pair(left, right);
        }
        let Some(range) = self.dictionary.find(term) else {
            return Holders::default();
        };
        let end = range.end;
        let list = self.lists.get(range).unwrap_or_default();
        let mut holders = Vec::with_capacity(count(list));
        let mut entries = Entries::of(list);
        while let Some((doc, places)) = entries.next() {
            let Some(known) = self.docs.get(doc as usize) else {
                break;
            };
            let mut times = [0.0; 3];
            for place in Places::of(places) {
                times[known.field(place)] += 1.0;
            }
            holders.push(Holder {
                doc,
                gain: self.gain(*known, times),
                // Lists take less than 4 GiB together.
                places: u32::try_from(end - entries.behind() - places.len()).unwrap_or(u32::MAX),
                length: u16::try_from(places.len()).unwrap_or(u16::MAX),
            });
        }
        Holders {
            list: holders,
            of_pair: None,
        }
    }

    /// The memories that hold a character with another one behind it.
    fn holders_of_pair(&self, left: &str, right: &str) -> Holders {
        let (mut holders, mut all) = (Vec::new(), Vec::new());
        if let (Some(left), Some(right)) = (self.list(left), self.list(right)) {
            let (mut left, mut right) = (Entries::of(left), Entries::of(right));
            let (mut next, mut in_right) = (0, None);
            while let Some((doc, lefts)) = left.seek(next) {
                if in_right.is_none_or(|(other, _)| other < doc) {
                    in_right = right.seek(doc);
                }
                let Some((other, rights)) = in_right else {
                    break;
                };
                next = other.max(doc + 1);
                if doc == other {
                    let begins = all.len();
                    let mut rights = Places::of(rights).peekable();
                    for place in Places::of(lefts) {
                        while rights.next_if(|right| *right <= place).is_some() {}
                        if rights.peek() == Some(&(place + 1)) {
                            all.push(place);
                        }
                    }
                    if all.len() > begins
                        && let Some(known) = self.docs.get(doc as usize)
                    {
                        let mut times = [0.0; 3];
                        for place in &all[begins..] {
                            times[known.field(*place)] += 1.0;
                        }
                        holders.push(Holder {
                            doc,
                            gain: self.gain(*known, times),
                            places: u32::try_from(begins).unwrap_or(u32::MAX),
                            length: u16::try_from(all.len() - begins).unwrap_or(u16::MAX),
                        });
                    }
                }
            }
        }
        Holders {
            list: holders,
            of_pair: Some(all),
        }
    }

    /// Where a term stands in one of its holders, ascending.
    pub(super) fn places<'i>(
        &'i self,
        holders: &'i Holders,
        holder: &Holder,
    ) -> impl Iterator<Item = u32> + 'i {
        let begins = holder.places as usize;
        let range = begins..begins + usize::from(holder.length);
        let (of_pair, of_word) = match &holders.of_pair {
            Some(all) => (all.get(range), None),
            None => (None, self.lists.get(range)),
        };
        let of_pair = of_pair.unwrap_or_default().iter().copied();
        of_pair.chain(Places::of(of_word.unwrap_or_default()))
    }

    /// In which field a memory has a place: name, description or body, as 0, 1 or 2.
    pub(super) fn field(&self, doc: u32, place: u32) -> usize {
        self.docs
            .get(doc as usize)
            .map_or(2, |doc| doc.field(place))
    }

    /// How rare a term is that so many memories hold.
    #[expect(clippy::cast_precision_loss, reason = "at most 100,000 memories")]
    pub(crate) fn rarity(&self, holders: usize) -> f32 {
        let (all, holders) = (self.docs.len() as f32, holders as f32);
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    fn list(&self, term: &str) -> Option<&[u8]> {
        self.lists.get(self.dictionary.find(term)?)
    }

    /// What a term contributes to a memory whose fields hold it so many times: BM25F.
    #[inline]
    fn gain(&self, doc: Doc, times: [f32; 3]) -> f32 {
        let words = doc.words();
        let length = |field: usize| {
            let b = LENGTH_WEIGHTS[field];
            1.0 - b + b * f32::from(words[field]) * self.per_mean[field]
        };
        // As a fraction, so that the usual case, one field, takes one division.
        let (mut over, mut under) = (0.0, 1.0);
        for (field, times) in times.into_iter().enumerate() {
            if times > 0.0 {
                let length = length(field);
                over = over * length + times * under;
                under *= length;
            }
        }
        MAX_GAIN * over / (K1 * under + over)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "at most 100,000 memories with 64 MiB of text"
)]
fn per_mean(docs: &[Doc]) -> [f32; 3] {
    let mut sums = [0u64; 3];
    for doc in docs {
        for (sum, words) in sums.iter_mut().zip(doc.words()) {
            *sum += u64::from(words);
        }
    }
    sums.map(|sum| (docs.len().max(1) as f32 / sum.max(1) as f32).min(1.0))
}

/// Two sources of lists in the making of one.
struct Merge {
    /// The new numbers of the memories of either source; none if they are gone.
    numbers: [Vec<Option<u32>>; 2],
    dictionary: Dictionary,
    lists: Vec<u8>,
}

impl Merge {
    fn add(&mut self, term: &str, lists: [&[u8]; 2]) {
        let mut entries: Vec<(u32, &[u8])> = Vec::new();
        for (list, numbers) in lists.into_iter().zip(&self.numbers) {
            let known = Entries::of(list).filter_map(|(doc, places)| {
                let number = numbers.get(doc as usize).copied().flatten()?;
                Some((number, places))
            });
            entries.extend(known);
        }
        if entries.is_empty() {
            return;
        }
        entries.sort_unstable_by_key(|(doc, _)| *doc);
        let begins = self.lists.len();
        write_list(&mut self.lists, &entries);
        if !self.dictionary.push(term, self.lists.len() - begins) {
            self.lists.truncate(begins);
        }
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

    type Memory = [&'static str; 3];

    fn index(memories: &[Memory]) -> Index {
        let mut gather = Gather::default();
        let origins: Vec<Origin> = memories
            .iter()
            .map(|[name, description, body]| Origin::Fresh(gather.read(name, description, body)))
            .collect();
        Index::default().updated(&mut gather, &origins)
    }

    /// The memories that hold a term, with its places.
    fn places(index: &Index, term: &str) -> Vec<(u32, Vec<u32>)> {
        let holders = index.holders(term);
        assert_eq!(holders.len(), index.count(term), "{term}");
        holders
            .iter()
            .map(|holder| (holder.doc, index.places(&holders, holder).collect()))
            .collect()
    }

    fn all(index: &Index) -> Vec<(String, Vec<(u32, Vec<u32>)>)> {
        let mut terms = Vec::new();
        index.dictionary.walk("", |term, _| {
            terms.push(String::from_utf8(term.to_vec()).unwrap());
            true
        });
        let with_places = |term: String| (places(index, &term), term);
        terms
            .into_iter()
            .map(with_places)
            .map(|(places, term)| (term, places))
            .collect()
    }

    const MEMORIES: [Memory; 5] = [
        ["getUser", "reads a user", "the user is read twice\nuser"],
        [
            "数据库",
            "测试用数据库",
            "模拟对象掩盖了失败的迁移。数据\n库",
        ],
        ["empty", "", ""],
        ["kana", "データベースの移行", "テスト"],
        ["user数据", "mixed 数据 user", "数据库user"],
    ];

    #[test]
    fn an_index_says_where_words_stand() {
        let index = index(&MEMORIES);
        // The name ends at 3: two words, and a place between lines.
        assert_eq!(places(&index, "getus"), [(0, vec![1])]);
        assert_eq!(places(&index, "user")[0], (0, vec![1, 4, 6, 10]));
        assert_eq!([1, 3, 6].map(|place| index.field(0, place)), [0, 1, 2]);
        assert_eq!(places(&index, "twice"), [(0, vec![8])]);
        assert_eq!(places(&index, "nothing"), []);
    }

    #[test]
    fn pairs_of_han_characters_are_found_by_their_characters() {
        let index = index(&MEMORIES);
        // `数据` ends a line in the first body, where no `据库` follows.
        assert_eq!(index.count("数据"), 2);
        assert_eq!(places(&index, "数据")[0].1.len(), 3);
        assert_eq!(places(&index, "据库")[0].1.len(), 2);
        assert_eq!(places(&index, "库数"), []);
        assert!(index.dictionary.find("数据").is_none() && index.dictionary.find("数").is_some());
        // Of letters there are few: their pairs have entries.
        assert!(index.dictionary.find("ース").is_some() && index.dictionary.find("ー").is_none());
        assert_eq!(index.count("テス"), 1);
        assert_eq!(index.count("の移"), 1);
    }

    #[test]
    fn an_index_that_was_updated_is_as_one_that_was_made_anew() {
        let old = index(&MEMORIES);
        let mut gather = Gather::default();
        let fresh: Memory = ["new", "user 数据", "getUser and 库"];
        let number = gather.read(fresh[0], fresh[1], fresh[2]);
        let orders: [(&[Origin], Vec<Memory>); 4] = [
            (&[], vec![]),
            (
                &[Origin::Kept(1), Origin::Kept(4)],
                vec![MEMORIES[1], MEMORIES[4]],
            ),
            (
                &[Origin::Kept(0), Origin::Fresh(number), Origin::Kept(3)],
                vec![MEMORIES[0], fresh, MEMORIES[3]],
            ),
            (
                &[Origin::Kept(4), Origin::Kept(0)],
                vec![MEMORIES[4], MEMORIES[0]],
            ),
        ];
        for (order, memories) in orders {
            let (updated, anew) = (old.updated(&mut gather, order), index(&memories));
            assert_eq!(all(&updated), all(&anew));
            assert_eq!(
                (&updated.docs, updated.per_mean),
                (&anew.docs, anew.per_mean)
            );
            assert_eq!(updated.bytes(), anew.bytes());
        }
    }

    #[test]
    fn more_of_a_word_is_more_and_more_around_it_less() {
        let index = index(&[
            [
                "a",
                "",
                "word and others, many others, so many others that it is long",
            ],
            ["a", "", "word word and others"],
            ["a", "", "word and others"],
        ]);
        let gain = |doc| index.holders("word").find(doc).unwrap().gain;
        assert!(gain(0) < gain(2) && gain(2) < gain(1) && gain(1) < MAX_GAIN);
        assert_eq!(index.holders("word").find(3), None);
    }

    #[test]
    fn a_slip_is_one_letter() {
        let index = index(&[["database", "databases", "datum data base"]]);
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

    /// So many words from a vocabulary in which, as in real texts, few words are frequent and many
    /// rare.
    fn body(seed: usize, words: usize, word: impl Fn(usize) -> String) -> String {
        let mut state = seed as u64 * 2 + 1;
        let mut text = String::new();
        for place in 0..words {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let chance = (state >> 33) % 1_000 + 1;
            text.push_str(&word((8_000_000 / (chance * chance) % 20_000) as usize));
            if place % 12 == 11 {
                text.push('\n');
            }
        }
        text
    }

    fn english(word: usize) -> String {
        format!("{}{word} ", ["con", "pro", "under"][word % 3])
    }

    /// Characters of which the frequent ones come often, as in texts.
    fn chinese(word: usize) -> String {
        let c = |n: usize| char::from_u32(0x4e00 + (n % 3_000) as u32).unwrap();
        format!("{}{}", c(word), c(word * 7 / 5))
    }

    #[track_caller]
    fn check_size(memories: usize, words: usize, word: fn(usize) -> String, percent: usize) {
        let mut gather = Gather::default();
        let (mut origins, mut text) = (Vec::new(), 0);
        for seed in 0..memories {
            let body = body(seed, words, word);
            text += body.len();
            origins.push(Origin::Fresh(gather.read(
                "name",
                "what it is about",
                &body,
            )));
        }
        let index = Index::default().updated(&mut gather, &origins);
        let taken = index.bytes() * 100 / text;
        assert!(
            taken <= percent,
            "{taken} %: {} for {text} bytes",
            index.bytes()
        );
    }

    #[test]
    fn the_index_takes_no_more_than_the_bodies() {
        check_size(2_000, 120, english, 40);
        check_size(500, 30, english, 60);
        check_size(50, 30, english, 75);
        check_size(500, 10, english, 80);
        check_size(2_000, 100, chinese, 70);
        check_size(500, 30, chinese, 75);
        check_size(50, 30, chinese, 90);
        check_size(500, 10, chinese, 100);
    }
}
