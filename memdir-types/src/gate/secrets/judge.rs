//! Whether what has the shape of a secret is one: not an example, not a reference to where the
//! secret is, not a word, not a piece of something encoded.

/// What has to hold of a match besides its pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// It stands for itself and is no example.
    Token,
    /// The same, and it is not part of an encoded text.
    PlainToken,
    /// The same, and it looks random: its own letters say too little.
    DrawnToken,
    /// Key material follows.
    KeyHeader,
    /// It decodes to the first line of a private key; certificates begin alike.
    EncodedHeader,
    /// A password in a URL that is no placeholder.
    UrlPassword,
    /// A value that a key calls a password.
    Password,
    /// A value that a key calls a secret, and that looks random.
    Generic,
}

impl Check {
    /// Whether the words around it make it a secret. Such a value ends where its line does.
    pub(super) fn by_context(self) -> bool {
        matches!(self, Check::UrlPassword | Check::Password | Check::Generic)
    }

    /// Whether it is looked for in a text of that form.
    pub(super) fn is_for(self, reading: Reading) -> bool {
        match reading {
            Reading::Plain | Reading::Marked => true,
            Reading::Wrapped => !self.by_context(),
            Reading::Decoded => !matches!(self, Check::Password | Check::Generic),
        }
    }
}

/// In which form a text is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As it is.
    Plain,
    /// Put together from parts that say that they belong together.
    Marked,
    /// Put together from several lines, which may have nothing to do with each other.
    Wrapped,
    /// From base64.
    Decoded,
}

/// The least Shannon entropy, in bits a character, of a value that only its key calls secret.
/// Random hexadecimal text of 32 characters has about 3.6, English words have about 2.8.
const MIN_ENTROPY: f64 = 3.0;

/// The least number of characters of a value that only its key calls secret.
const MIN_GENERIC: usize = 16;

/// Words that say of the text around them that it only shows a form.
const EXAMPLE_WORDS: [&str; 16] = [
    "example",
    "sample",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "your",
    "xxxx",
    "****",
    "....",
    "dummy",
    "redacted",
    "fake",
    "foobar",
    "to-be-",
    "insert",
];

/// Runs that people type when they need something of the right length.
const TYPED_RUNS: [&str; 6] = [
    "0123456789",
    "1234567890",
    "123456789",
    "abcdefgh",
    "deadbeef",
    "qwertyui",
];

/// Passwords of nobody.
const COMMON_PASSWORDS: [&str; 24] = [
    "password", "passwd", "pass", "pwd", "secret", "token", "test", "testing", "admin", "root",
    "user", "username", "guest", "postgres", "mysql", "redis", "mongo", "rabbitmq", "minio", "dev",
    "local", "default", "none", "null",
];

/// Whether the text only shows a form: it says so, or nobody would draw it at random.
pub(super) fn is_example(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if EXAMPLE_WORDS
        .iter()
        .chain(&TYPED_RUNS)
        .any(|word| lower.contains(word))
    {
        return true;
    }
    let mut seen = [false; 128];
    let mut distinct = 0;
    for byte in lower.bytes() {
        let slot = &mut seen[usize::from(byte & 0x7f)];
        distinct += usize::from(!*slot);
        *slot = true;
    }
    distinct <= 4
}

/// Whether a value names where the secret is instead of being it, or is code.
fn is_reference(value: &str, after: &str) -> bool {
    let starts = [
        "$", "%", "{", "<", "/", "./", "../", "~/", "@", "--", "op://", "arn:", "vault:", "file:",
        "http://", "https://", "sha1-", "sha256:", "sha256-", "sha384-", "sha512-", "ref+", "*",
        "&", "!",
    ];
    // Only a value with an encoded or generated look may begin with these marks.
    if starts.iter().any(|start| value.starts_with(start))
        && !(value.starts_with(['!', '@', '$', '%', '*', '&']) && is_mixed(value))
    {
        return true;
    }
    if value.starts_with("${")
        || value.starts_with("$(")
        || value.starts_with("{{")
        || value.contains("://")
    {
        return true;
    }
    if after.starts_with(['(', '[', '{'])
        || value.contains("::")
        || value.contains("->")
        || value.contains("=>")
        || value.contains('|')
        || value.contains("==")
        || value.contains('(')
    {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    if [
        "process.env",
        "os.environ",
        "env.",
        "getenv",
        "secrets.",
        "config.",
        "settings.",
        "self.",
        "this.",
    ]
    .iter()
    .any(|word| lower.contains(word))
    {
        return true;
    }
    // `Optional[str]`, `credentials[1]`: a type or a place in a list.
    if let Some((name, _)) = value.split_once('[')
        && !name.is_empty()
        && name.split(['.', ':']).all(is_name)
    {
        return true;
    }
    // `request.headers.token`, `MyType.FIELD_NAME`: names joined by dots.
    value.contains('.')
        && value
            .split('.')
            .all(|part| !part.is_empty() && is_name(part))
}

/// Letters of both cases or letters and digits and signs, as generated passwords have.
fn is_mixed(value: &str) -> bool {
    let lower = value.bytes().any(|b| b.is_ascii_lowercase());
    let upper = value.bytes().any(|b| b.is_ascii_uppercase());
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    let name_part = value.trim_start_matches(['$', '%', '@', '*', '&', '!']);
    let is_variable = name_part
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !(lower && upper && digit);
    (lower || upper) && digit && !is_variable
}

/// An identifier that a person chose: it has a vowel for every few letters, and few digits.
fn is_name(part: &str) -> bool {
    let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    part.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && digits <= 2
        && letters <= 24
        && (letters <= 3 || vowels(part) * 6 >= letters)
}

fn vowels(text: &str) -> usize {
    text.bytes()
        .filter(|b| {
            matches!(
                b.to_ascii_lowercase(),
                b'a' | b'e' | b'i' | b'o' | b'u' | b'y'
            )
        })
        .count()
}

/// Words, dates and small numbers joined by signs: `tls-cert-2024-11`, `MaxTokensPerRequest`.
fn is_words(value: &str) -> bool {
    let mut parts = 0;
    let all = split_words(value).all(|part| {
        parts += 1;
        let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
        if letters == 0 {
            return part.len() <= 6;
        }
        letters == part.len() && letters <= 16 && (letters <= 3 || vowels(part) * 6 >= letters)
    });
    // Many short parts are what a random text falls into.
    all && parts > 0 && value.len() / parts >= 3
}

/// The parts between signs, and at changes from lower to upper case or between letters and digits.
fn split_words(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .flat_map(|part| {
            let bytes = part.as_bytes();
            let mut cuts = vec![0];
            for at in 1..bytes.len() {
                let (a, b) = (bytes[at - 1], bytes[at]);
                if (a.is_ascii_lowercase() && b.is_ascii_uppercase())
                    || a.is_ascii_digit() != b.is_ascii_digit()
                {
                    cuts.push(at);
                }
            }
            cuts.push(bytes.len());
            cuts.windows(2)
                .map(|pair| &part[pair[0]..pair[1]])
                .collect::<Vec<_>>()
        })
}

/// Shannon entropy of the bytes, in bits a byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = text.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum()
}

/// Whether a token looks random: letters and digits, no words, no example.
pub(super) fn is_drawn(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && !is_example(value)
        && !is_words(value)
        && entropy(value) >= MIN_ENTROPY
}

/// Whether a value that its key calls secret is one.
pub(super) fn is_generic(value: &str, after: &str) -> bool {
    let value = trim_end(value);
    value.len() >= MIN_GENERIC
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && !is_example(value)
        && !is_reference(value, after)
        && !is_words(value)
        && entropy(value) >= MIN_ENTROPY
}

/// Whether a value that its key calls a password is one: of some length, with letters and
/// something else, and not a word, a name or a rule about passwords.
pub(super) fn is_password(value: &str, after: &str) -> bool {
    let value = trim_end(value);
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let signs = value
        .bytes()
        .filter(|b| !b.is_ascii_alphanumeric() && !b"-_./:=*\\".contains(b))
        .count();
    let both = value.bytes().any(|b| b.is_ascii_uppercase())
        && value.bytes().any(|b| b.is_ascii_lowercase());
    value.len() >= 8
        && letters >= 2
        && (digits > 0 || signs > 0)
        && (digits + signs >= 2 || both)
        && !is_example(value)
        && !is_common(value)
        && !is_reference(value, after)
        && !(signs == 0 && is_words(value))
        && !value.contains(":\\")
        && entropy(value) >= 2.5
}

/// Whether a password in a URL is one.
pub(super) fn is_url_password(value: &str) -> bool {
    let wrapped = value.starts_with(['$', '{', '<', '[', '%', '*', '.'])
        && !value.starts_with("%2")
        && !is_mixed(value);
    let is_port = value.len() <= 5 && value.bytes().all(|b| b.is_ascii_digit());
    let is_variable =
        value.len() <= 24 && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    let is_reference = wrapped || value.starts_with("${") || value.starts_with("{{");
    let innocent = [
        is_reference,
        is_port,
        is_variable,
        is_example(value),
        is_common(value),
    ];
    !innocent.contains(&true)
}

/// Whether the letters of a password are one of those that stand in every manual.
fn is_common(value: &str) -> bool {
    let letters: String = value
        .chars()
        .filter(char::is_ascii_alphabetic)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let rest = value.len() - letters.len();
    rest <= 4
        && COMMON_PASSWORDS.iter().any(|word| {
            letters == *word
                || letters
                    .strip_prefix("my")
                    .or_else(|| letters.strip_prefix("super"))
                    .or_else(|| letters.strip_prefix("db"))
                    == Some(word)
        })
}

/// Whether the word that a key begins with makes it a mark in a list of pages or the like:
/// `nextToken` is no token.
pub(super) fn is_harmless_key(before: &str, key: &str) -> bool {
    let tail: Vec<u8> = before.bytes().rev().take(16).collect();
    let word: String = tail
        .iter()
        .rev()
        .map(|b| char::from(b.to_ascii_lowercase()))
        .collect();
    let word = word.trim_end_matches(['_', '-', ' ']);
    // The name of a secret in an address such as `arn:…:secret:name` is not the secret.
    if word.ends_with(':') {
        return true;
    }
    // What a client makes up so that a call repeated is no second one; its secret is one.
    let is_token = key
        .get(..5)
        .is_some_and(|key| key.eq_ignore_ascii_case("token"));
    if is_token
        && ["client", "action", "publickey", "public_key"]
            .iter()
            .any(|w| word.ends_with(w))
    {
        return true;
    }
    [
        "next",
        "forward",
        "backward",
        "starting",
        "page",
        "pagination",
        "continuation",
        "sync",
        "request",
        "idempotency",
        "cancellation",
        "public",
    ]
    .iter()
    .any(|harmless| word.ends_with(harmless))
}

/// A value without the full stop or the like of the sentence that it ends.
pub(super) fn trim_end(value: &str) -> &str {
    value.trim_end_matches(['.', ',', ':', ';', '?', '!', ')', ']', '}', '\\', '*'])
}
