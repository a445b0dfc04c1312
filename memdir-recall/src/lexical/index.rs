//! The index: for each term the memories that hold it, where, and how well.

use super::dictionary::Dictionary;
use super::gather::Doc;
pub(crate) use super::gather::Gather;
pub(crate) use super::merge::Origin;
use super::stems::Stems;

/// The index over the memories of a directory, in their order.
#[derive(Default)]
pub(crate) struct Index {
    pub(super) stems: Stems,
    pub(super) dictionary: Dictionary,
    pub(super) lists: Vec<u8>,
    pub(super) docs: Vec<Doc>,
    /// Whether some term is of a script without spaces.
    pub(super) has_unspaced: bool,
    /// One by how many words a name, a description and a body have on average, at most one.
    pub(super) per_mean: [f32; 3],
}

/// In a directory of fewer memories every word is looked for: 100 memories.
const MIN_DOCS_TO_IGNORE: usize = 100;

/// A word is not looked for if so many of all memories hold it: 99 percent.
const IGNORED_PERCENT: usize = 99;

impl Index {
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

    /// Whether so many are nearly all: such a word tells no memory from another, and would be most
    /// of the work.
    pub(super) fn is_everywhere(&self, holders: usize) -> bool {
        let all = self.docs.len();
        all >= MIN_DOCS_TO_IGNORE && holders * 100 >= all * IGNORED_PERCENT
    }

    /// Whether most of a memory is written without spaces.
    pub(super) fn is_unspaced(&self, doc: u32) -> bool {
        (self.docs.get(doc as usize)).is_some_and(|doc| doc.is_unspaced())
    }

    /// How rare a term is that so many memories hold.
    #[expect(clippy::cast_precision_loss, reason = "at most 100,000 memories")]
    pub(crate) fn rarity(&self, holders: usize) -> f32 {
        let (all, holders) = (self.docs.len() as f32, holders as f32);
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    pub(super) fn list(&self, term: &str) -> Option<&[u8]> {
        self.lists.get(self.dictionary.find(term)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::finder::Finder;
    use crate::lexical::gain::MAX_GAIN;
    use crate::lexical::postings::count;

    type Memory = [&'static str; 3];

    fn index(memories: &[Memory]) -> Index {
        let mut gather = Gather::default();
        let origins: Vec<Origin> = memories
            .iter()
            .map(|[name, description, body]| Origin::Fresh(gather.read(name, description, body)))
            .collect();
        Index::default().updated(&mut gather, &origins)
    }

    /// Memories, and where a term stands in them.
    type InMemories = Vec<(u32, Vec<u32>)>;

    fn places(index: &Index, term: &str) -> InMemories {
        let holders = Finder::of(index).holders(term).unwrap();
        holders
            .iter()
            .map(|holder| (holder.doc, index.places(&holders, holder).collect()))
            .collect()
    }

    fn all(index: &Index) -> Vec<(String, InMemories)> {
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
        assert_eq!(index.docs[0].ends(), [3, 6]);
        assert_eq!(places(&index, "twice"), [(0, vec![8])]);
        assert_eq!(places(&index, "nothing"), []);
    }

    #[test]
    fn pairs_of_han_characters_are_found_by_their_characters() {
        let index = index(&MEMORIES);
        // `数据` ends a line in the first body, where no `据库` follows.
        assert_eq!(places(&index, "数据").len(), 2);
        assert_eq!(places(&index, "数据")[0].1.len(), 3);
        assert_eq!(places(&index, "据库")[0].1.len(), 2);
        assert_eq!(places(&index, "库数"), []);
        assert!(index.dictionary.find("数据").is_none() && index.dictionary.find("数").is_some());
        // Of letters there are few: their pairs have entries.
        assert!(index.dictionary.find("ース").is_some() && index.dictionary.find("ー").is_none());
        for pair in ["テス", "の移"] {
            assert_eq!(index.list(pair).map(count), Some(1));
        }
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
        let gain = |doc| {
            Finder::of(&index)
                .holders("word")
                .unwrap()
                .find(doc)
                .unwrap()
                .gain
        };
        assert!(gain(0) < gain(2) && gain(2) < gain(1) && gain(1) < MAX_GAIN);
        assert_eq!(Finder::of(&index).holders("word").unwrap().find(3), None);
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
