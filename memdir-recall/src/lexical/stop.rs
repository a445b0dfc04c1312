//! Words that say nothing about what a text is about.

/// English function words, lower case, as the splitter leaves them (`don't` is `don` and `t`).
/// Sorted, for a binary search.
const ENGLISH: [&str; 162] = [
    "a",
    "about",
    "above",
    "after",
    "again",
    "against",
    "ain",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "aren",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "couldn",
    "d",
    "did",
    "didn",
    "do",
    "does",
    "doesn",
    "doing",
    "don",
    "down",
    "during",
    "each",
    "few",
    "for",
    "from",
    "further",
    "had",
    "hadn",
    "has",
    "hasn",
    "have",
    "haven",
    "having",
    "he",
    "her",
    "here",
    "hers",
    "herself",
    "him",
    "himself",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "isn",
    "it",
    "its",
    "itself",
    "just",
    "let",
    "ll",
    "m",
    "me",
    "mightn",
    "more",
    "most",
    "mustn",
    "my",
    "myself",
    "needn",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "ok",
    "on",
    "once",
    "only",
    "or",
    "other",
    "ought",
    "our",
    "ours",
    "ourselves",
    "out",
    "over",
    "own",
    "please",
    "re",
    "s",
    "same",
    "shan",
    "she",
    "should",
    "shouldn",
    "so",
    "some",
    "such",
    "t",
    "than",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "themselves",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "this",
    "those",
    "through",
    "to",
    "too",
    "under",
    "until",
    "up",
    "us",
    "ve",
    "very",
    "was",
    "wasn",
    "we",
    "were",
    "weren",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "why",
    "will",
    "with",
    "won",
    "would",
    "wouldn",
    "y",
    "you",
    "your",
    "yours",
    "yourself",
    "yourselves",
];

/// Chinese and Japanese function words. They end a run of characters, so that no pair of
/// characters spans them.
const CJK: [&str; 47] = [
    "ください",
    "です",
    "どう",
    "ます",
    "を",
    "一下",
    "为什么",
    "了",
    "什么",
    "他们",
    "以及",
    "你们",
    "可以",
    "吗",
    "吧",
    "呢",
    "和",
    "哪个",
    "哪些",
    "哪儿",
    "哪里",
    "啊",
    "如何",
    "应该",
    "怎么",
    "怎么做",
    "怎么写",
    "怎么办",
    "怎么样",
    "怎么用",
    "怎样",
    "我们",
    "或者",
    "时候",
    "是",
    "是不是",
    "是否",
    "有没有",
    "的",
    "能不能",
    "请问",
    "还是",
    "这个",
    "这些",
    "那个",
    "那些",
    "需要",
];

pub(crate) fn is_english(word: &str) -> bool {
    debug_assert!(ENGLISH.is_sorted());
    ENGLISH.binary_search(&word).is_ok()
}

/// Where a text with this beginning is among 256 places.
const fn place(text: &[u8]) -> usize {
    match text {
        [_, b, c, ..] => ((*b as usize) << 2 ^ *c as usize) & 0xff,
        _ => 0,
    }
}

/// Where the function words of [`CJK`] are.
const CJK_PLACES: [bool; 256] = {
    let mut places = [false; 256];
    let mut at = 0;
    while at < CJK.len() {
        places[place(CJK[at].as_bytes())] = true;
        at += 1;
    }
    places
};

/// The length in bytes of the longest function word at the start of a run, or 0.
pub(crate) fn cjk_prefix(run: &str) -> usize {
    debug_assert!(CJK.is_sorted());
    if !CJK_PLACES[place(run.as_bytes())] {
        return 0;
    }
    let first = |text: &str| text.chars().next();
    let c = first(run);
    let same = CJK.partition_point(|word| first(word) < c);
    let same = CJK[same..].iter().take_while(|word| first(word) == c);
    // The longest is behind those that it begins with.
    let longest = same.filter(|word| run.starts_with(**word)).last();
    longest.map_or(0, |word| word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_function_word_at_the_start_is_found() {
        assert!(ENGLISH.is_sorted() && CJK.is_sorted());
        for word in CJK {
            assert_eq!(cjk_prefix(&format!("{word}数据")), word.len());
            assert_eq!(cjk_prefix(&format!("数{word}")), 0);
        }
        assert_eq!(cjk_prefix("是不"), "是".len());
        assert_eq!(cjk_prefix("怎么样了"), "怎么样".len());
        assert_eq!(cjk_prefix(""), 0);
    }
}
