//! Loading the index for a model: what fits, what does not, and why nothing came.

use std::fmt;
use std::path::PathBuf;

use super::{MAX_READ_BYTES, Store, atomic};
use crate::truncate::{Dropped, NoticeFacts, Truncated, truncate};
use crate::{ENTRYPOINT, Error, ErrorKind, Limits, size_figure, strip};

/// The index as a model gets it, and the account of what it does not get.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Loaded {
    /// The index, as it was spelled.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// The text after stripping and cutting, without the notice; `None` if there is none.
    pub text: Option<String>,
    /// The line that tells the model what was cut.
    pub notice: Option<String>,
    /// The entries that are not in the text.
    pub dropped: Vec<Dropped>,
    /// Why there is no text.
    pub missing: Option<NoIndex>,
    /// Lines, sizes and caps. Its own `text` and `dropped` are empty: they stand above.
    pub cut: Truncated<'static>,
    /// Bytes at the end of the file that were not even looked at: what is beyond
    /// [`MAX_READ_BYTES`].
    pub unread_bytes: u64,
}

/// Why an index gives no text. None of these is an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum NoIndex {
    /// There is no file of that name, in exactly that case, or no directory.
    Absent,
    /// It is not a regular file.
    NotAFile,
    /// Nothing is left after stripping.
    Blank,
    /// It is a link that leads out of the memory directory, or nowhere.
    LeadsOut,
}

impl fmt::Display for NoIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoIndex::Absent => "there is no index",
            NoIndex::NotAFile => "the index is not a regular file",
            NoIndex::Blank => "the index is blank",
            NoIndex::LeadsOut => "the index is a link that leads out of the memory directory",
        })
    }
}

impl Loaded {
    /// Whether something was cut.
    pub fn is_truncated(&self) -> bool {
        self.cut.exceeded.is_some() || self.unread_bytes > 0
    }

    /// The facts of the notice, apart from its wording.
    pub fn notice_facts(&self) -> Option<NoticeFacts> {
        self.cut.notice_facts()
    }

    /// The text with the notice after a blank line.
    pub fn with_notice(&self) -> Option<String> {
        let text = self.text.as_deref()?;
        Some(match &self.notice {
            Some(notice) => format!("{text}\n\n{notice}"),
            None => text.to_owned(),
        })
    }
}

impl Store {
    /// Loads the index: strips it, cuts it to the caps, and says what was left out. Reading is
    /// bounded, takes no lock and touches nothing.
    ///
    /// The caps are given as [`Limits`], or as a [`Measure`](crate::Measure) for those of the
    /// format.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the system refuses to read a file that is there.
    /// A missing, blank or refused index is no error but [`Loaded::missing`].
    pub fn load(&self, limits: impl Into<Limits>) -> Result<Loaded, Error> {
        let limits = limits.into();
        let path = self.dir.join(ENTRYPOINT);
        let nothing = |missing| Loaded {
            path: path.clone(),
            text: None,
            notice: None,
            dropped: Vec::new(),
            missing: Some(missing),
            cut: truncate("", limits),
            unread_bytes: 0,
        };
        if !self.dir.is_dir() {
            return Ok(nothing(NoIndex::Absent));
        }
        let mut file = match memdir_paths::open_inside(&self.dir, ENTRYPOINT) {
            Ok(file) => file,
            Err(error) => {
                let error = atomic::from_paths(error, path.clone());
                return match error.kind() {
                    ErrorKind::NotFound => Ok(nothing(NoIndex::Absent)),
                    ErrorKind::NotAFile => Ok(nothing(NoIndex::NotAFile)),
                    ErrorKind::LeadsOut => Ok(nothing(NoIndex::LeadsOut)),
                    _ => Err(error),
                };
            }
        };
        let (bytes, total) = atomic::read_bounded(&mut file).map_err(|e| Error::io(&path, e))?;
        let unread_bytes = total - bytes.len() as u64;
        let text = strip(&bytes);
        let cut = truncate(&text, limits);
        if cut.total_size == 0 {
            return Ok(Loaded {
                unread_bytes,
                ..nothing(NoIndex::Blank)
            });
        }
        let mut notice = cut.notice();
        if unread_bytes > 0 {
            let total = size_figure(usize::try_from(total).unwrap_or(usize::MAX));
            let read = size_figure(MAX_READ_BYTES as usize);
            let more = format!("The file has {total}; the figures are those of its first {read}.");
            notice = Some(match notice {
                Some(notice) => format!("{notice} {more}"),
                None => format!("> WARNING: MEMORY.md was not read to its end. {more}"),
            });
        }
        Ok(Loaded {
            path,
            text: Some(cut.text.to_string()),
            notice,
            dropped: cut.dropped.clone(),
            missing: None,
            unread_bytes,
            cut: Truncated {
                // The text stands once, above.
                text: "".into(),
                dropped: Vec::new(),
                ..cut
            },
        })
    }
}
