//! What a file looked like, in a value small enough to carry through a conversation.

use std::fmt;
use std::str::FromStr;

/// The length and a 128-bit hash (FNV-1a) of a file's bytes, or the fact that there is no file.
///
/// It answers "is this still what I saw?". It guards against accidents, not against somebody who
/// builds a second file with the same fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Length and hash; `None` for a file that does not exist.
    content: Option<(u64, u128)>,
}

impl Fingerprint {
    /// The fingerprint of a file that does not exist. As the `expected` of a save it means "the
    /// memory must be new".
    pub const ABSENT: Fingerprint = Fingerprint { content: None };

    /// The fingerprint of a file with these bytes.
    pub fn of(bytes: &[u8]) -> Fingerprint {
        const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let hash = bytes.iter().fold(OFFSET, |hash, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
        });
        Fingerprint {
            content: Some((bytes.len() as u64, hash)),
        }
    }
}

/// `LENGTH-HASH`, or `absent`; [`FromStr`] reads it back.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.content {
            Some((length, hash)) => write!(f, "{length}-{hash:032x}"),
            None => f.write_str("absent"),
        }
    }
}

/// The text is not a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseFingerprintError(());

impl fmt::Display for ParseFingerprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a fingerprint: a length and 32 hexadecimal digits, or `absent`")
    }
}

impl std::error::Error for ParseFingerprintError {}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    fn from_str(text: &str) -> Result<Fingerprint, ParseFingerprintError> {
        if text == "absent" {
            return Ok(Fingerprint::ABSENT);
        }
        let bad = || ParseFingerprintError(());
        let (length, hash) = text.split_once('-').ok_or_else(bad)?;
        if hash.len() != 32 || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(bad());
        }
        if length.is_empty() || !length.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        Ok(Fingerprint {
            content: Some((
                length.parse().map_err(|_| bad())?,
                u128::from_str_radix(hash, 16).map_err(|_| bad())?,
            )),
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Fingerprint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Fingerprint {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
