//! The forms of single values: numbers, bare words, patterns and formats that stay small.

/// `10`, `+5`, `-3`, `2k`.
pub(super) fn is_number(value: &str) -> bool {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let digits = digits
        .strip_suffix(['b', 'k', 'K', 'm', 'M', 'B'])
        .unwrap_or(digits);
    (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// 10,000: the product of all repetitions of a pattern, of which `grep` builds that many copies.
const MAX_REPETITIONS: usize = 10_000;

/// 1,000: one repetition. From `a{1,5000}` on `grep` takes seconds and hundreds of megabytes.
const MAX_REPETITION: usize = 1_000;

/// Whether the repetitions of a pattern, `{8}` or `{1,3}`, multiply to too much.
pub(super) fn is_heavy(pattern: &str) -> bool {
    let mut product = 1_usize;
    for part in pattern.split('{').skip(1) {
        let bounds = part.split(['}', '\\']).next().unwrap_or_default();
        let most = bounds
            .split(',')
            .map(|bound| match bound.trim() {
                bound if bound.is_empty() || !bound.bytes().all(|b| b.is_ascii_digit()) => 1,
                bound => bound.parse::<usize>().unwrap_or(usize::MAX),
            })
            .max();
        let most = most.unwrap_or(1).max(1);
        if most > MAX_REPETITION {
            return true;
        }
        product = product.saturating_mul(most);
    }
    product > MAX_REPETITIONS
}

pub(super) fn is_bare(value: &str) -> bool {
    !value.is_empty()
        && !value.starts_with('-')
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-+.".contains(&byte))
}

/// Whether a format of `printf`, `date`, `stat` or `find` has a field of more than three digits,
/// or one as wide as an argument says: it would fill the memory.
pub(super) fn has_wide_field(format: &str) -> bool {
    let mut digits = None;
    for c in format.chars() {
        digits = match (digits, c) {
            (_, '%') | (Some(_), '.') => Some(0),
            (Some(_), '*') => return true,
            (Some(3), '0'..='9') => return true,
            (Some(count), '0'..='9') => Some(count + 1),
            // What may stand before a width: the flags of all programs, and a few more.
            (Some(count), 'I' | 'E' | 'O') => Some(count),
            (Some(count), c) if !c.is_alphabetic() => Some(count),
            _ => None,
        };
    }
    false
}
