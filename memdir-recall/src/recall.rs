//! One directory with its index, and the two ways to pick from it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use memdir_types::{Memory, MemoryType};

use crate::lexical::evidence::Evidence;
use crate::lexical::index::Index;
use crate::lexical::rank::{Lookup, Scored};
use crate::lexical::stop::is_english as is_function_word;
use crate::lexical::text::{Piece, split};
use crate::manifest::manifest_with;
use crate::query::{Surfaced, manual_of};
use crate::receipt::{
    Candidate, Fallback, MAX_CANDIDATES, ModelCall, Pick, PickedBy, Receipt, Rules, Timings,
};
use crate::scan::{Store, read_text};
use crate::select::{MAX_REPLY_BYTES, read_reply, select_request};
use crate::text::{head, one_line};
use crate::{Error, MAX_MEMORY_BYTES, MemoryFile, Options, Query, Selector, Skipped};

mod refresh;

use refresh::Body;
pub use refresh::Refreshed;

/// How much of a matching line is shown: 200 characters, this crate's own choice.
pub const MAX_LINE_CHARS: usize = 200;

/// How much of all bodies together is indexed: 64 MiB (67,108,864 bytes), this crate's own
/// choice, a hundred times a large directory. Newer memories come first, equal times go by name;
/// a body that does not fit any more is found by name and description.
pub const MAX_INDEXED_BYTES: usize = 64 * 1024 * 1024;

/// How much of a selector's error is kept: 300 characters.
const MAX_ERROR_CHARS: usize = 300;

/// The memories of one directory and the index over their words.
///
/// Made once and refreshed before each use, it costs a stat per file. It holds headers and an
/// index, not the bodies: a third to a half as many bytes as English bodies have, four fifths
/// of Chinese ones.
pub struct Recall {
    dir: PathBuf,
    options: Options,
    /// How many bytes of bodies the index takes in at most.
    limit: usize,
    store: Store<Body>,
    files: Vec<Arc<MemoryFile>>,
    index: Index,
    /// Whether a body could not be read for which there is room.
    is_unsettled: bool,
    skipped: Vec<Skipped>,
}

impl fmt::Debug for Recall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recall")
            .field("dir", &self.dir)
            .field("memories", &self.files.len())
            .finish_non_exhaustive()
    }
}

/// What was picked, and why.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Picked {
    /// At most five memories, the most useful first.
    pub memories: Vec<Recalled>,
    /// Why each was or was not chosen.
    pub receipt: Receipt,
}

/// One memory that was picked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Recalled {
    /// Its name relative to the memory directory.
    pub file: String,
    /// Where it is, absolute.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// When its file was last written, so that its age needs no second stat.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::ser::time::serialize")
    )]
    pub modified: SystemTime,
    /// Its name.
    pub name: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its type.
    pub kind: Option<MemoryType>,
    /// Who chose it.
    pub by: PickedBy,
}

impl Recalled {
    pub(crate) fn of(memory: &MemoryFile, by: PickedBy) -> Recalled {
        Recalled {
            file: memory.file.clone(),
            path: memory.path.clone(),
            modified: memory.modified,
            name: memory.header.name.clone(),
            description: memory.header.description.clone(),
            kind: memory.header.kind,
            by,
        }
    }
}

impl Recall {
    /// Reads a directory and builds the index.
    ///
    /// A directory that does not exist has no memories, and is not created. Blocking: it reads
    /// every memory once, at most 256 KiB of each.
    ///
    /// # Errors
    ///
    /// An [`Error`] if the path is relative, is no directory, or cannot be opened.
    pub fn scan(dir: impl AsRef<Path>, options: &Options) -> Result<Recall, Error> {
        Recall::scan_within(dir.as_ref(), options, MAX_INDEXED_BYTES)
    }

    /// The same with so many bytes of bodies at most.
    fn scan_within(dir: &Path, options: &Options, limit: usize) -> Result<Recall, Error> {
        let mut recall = Recall {
            dir: dir.to_owned(),
            options: options.clone(),
            limit,
            store: Store::default(),
            files: Vec::new(),
            index: Index::default(),
            is_unsettled: false,
            skipped: Vec::new(),
        };
        recall.refresh()?;
        Ok(recall)
    }

    /// The memories, newest first, equal times by name.
    #[must_use]
    pub fn memories(&self) -> &[Arc<MemoryFile>] {
        &self.files
    }

    /// What is in the directory and was left out.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// How many memories are found by name and description only, because with the bodies of newer
    /// ones theirs are more than [`MAX_INDEXED_BYTES`].
    #[must_use]
    pub fn without_body(&self) -> usize {
        let known = (self.files.iter()).filter_map(|file| self.store.get(&file.file));
        known.filter(|kept| !kept.extra.is_indexed).count()
    }

    /// How many bytes the index over the words takes, beside the headers.
    #[must_use]
    pub fn index_bytes(&self) -> usize {
        self.index.bytes()
    }

    /// The memory directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Picks by words alone. No model, no file is read.
    #[must_use]
    pub fn pick(&self, query: &Query) -> Picked {
        let prepared = self.prepare(query, MAX_CANDIDATES);
        self.conclude(prepared.receipt)
    }

    /// Picks with a model; by words alone if it fails or the deadline comes first.
    ///
    /// The deadline is any future, such as the sleep of the host's runtime; `std::future::pending()`
    /// waits for ever. Dropping the future of this call cancels the model's. If there is nothing
    /// to offer or to look for, no model is asked. So many files as [`Options::lines`] says, eight
    /// by default, are read at most for their best matching lines, blocking.
    pub async fn pick_with<S, D>(&self, query: &Query, selector: &S, deadline: D) -> Picked
    where
        S: Selector + Sync + ?Sized,
        D: Future,
    {
        let limit = self.options.manifest.max(MAX_CANDIDATES);
        let mut prepared = self.prepare(query, limit);
        let offered = self.offer(&prepared);
        if offered.is_empty() || query.is_blank() {
            return self.conclude(prepared.receipt);
        }
        let manifest = self.manifest(&offered, &mut prepared);
        let mut request = select_request(query, &manifest);
        request.model.clone_from(&self.options.model);
        let mut call = ModelCall {
            offered: offered
                .iter()
                .map(|doc| self.file(*doc).file.clone())
                .collect(),
            request_bytes: request.bytes(),
            reply: None,
            stop_reason: None,
            input_tokens: None,
            output_tokens: None,
            dropped: Vec::new(),
            problem: None,
            fallback: None,
        };
        let before = self.clock();
        let outcome = race(selector.select(request), deadline).await;
        if let Some(timings) = &mut prepared.receipt.timings {
            timings.model = Some(self.clock().saturating_sub(before));
        }
        match outcome {
            None => call.fallback = Some(Fallback::Deadline),
            Some(Err(error)) => {
                let error = one_line(&error.to_string(), MAX_ERROR_CHARS);
                call.fallback = Some(Fallback::Failed(error));
            }
            Some(Ok(reply)) => {
                let read = read_reply(&reply.text, &call.offered);
                call.dropped = read.dropped;
                call.problem = read.problem;
                call.reply = Some(head(&reply.text, MAX_REPLY_BYTES).to_owned());
                call.stop_reason = reply.stop_reason.map(|reason| one_line(&reason, 100));
                call.input_tokens = reply.input_tokens;
                call.output_tokens = reply.output_tokens;
            }
        }
        prepared.receipt.model = Some(call);
        self.conclude(prepared.receipt)
    }

    fn file(&self, doc: u32) -> &MemoryFile {
        &self.files[doc as usize]
    }

    fn clock(&self) -> Duration {
        self.options
            .stopwatch
            .map_or(Duration::ZERO, |clock| clock())
    }

    /// The lexical stage: ranks, and starts the receipt.
    fn prepare(&self, query: &Query, limit: usize) -> Prepared {
        let before = self.clock();
        let surfaced = Surfaced::of(query);
        let hidden: Vec<u32> = match query.surfaced.is_empty() {
            true => Vec::new(),
            false => (0u32..)
                .zip(&self.files)
                .filter(|(_, file)| surfaced.holds(file))
                .map(|(doc, _)| doc)
                .collect(),
        };
        let lookup = Lookup::new(head(&query.text, crate::MAX_QUERY_BYTES), &self.index);
        let header = |doc: u32| {
            let memory = self.file(doc);
            let header = [&memory.header.name, &memory.header.description];
            let [name, description] = header.map(|text| text.as_deref().unwrap_or_default());
            [&stem_of(memory), name, description].join("\n")
        };
        let ranking = lookup.rank(&self.index, header, &hidden, limit);
        let candidates = ranking.top.iter().take(MAX_CANDIDATES).map(|scored| {
            let memory = self.file(scored.doc);
            let Evidence {
                matched,
                words,
                share: evidence,
            } = lookup.evidence(&self.index, *scored);
            Candidate {
                file: memory.file.clone(),
                kind: memory.header.kind,
                modified: memory.modified,
                score: scored.score,
                share: scored.share,
                evidence,
                matched,
                words,
                line: None,
                manual_of: manual_of(query, memory).map(str::to_owned),
            }
        });
        let receipt = Receipt {
            query: head(&query.text, crate::MAX_QUERY_BYTES).to_owned(),
            recent_tools: query.recent_tools.clone(),
            memories: self.files.len(),
            skipped: self.skipped.len(),
            surfaced: hidden
                .iter()
                .map(|doc| self.file(*doc).file.clone())
                .collect(),
            matches: ranking.matches,
            candidates: candidates.collect(),
            rules: Rules {
                floor: lookup.floor(self.options.floor),
                one_word_floor: lookup.floor(match lookup.is_one_word {
                    true => self.options.floor,
                    false => self.options.one_word_floor,
                }),
                beside_best: self.options.beside_best,
                fill: self.options.fill,
            },
            model: None,
            timings: self.options.stopwatch.map(|clock| Timings {
                lexical: clock().saturating_sub(before),
                model: None,
            }),
            picks: Vec::new(),
        };
        Prepared {
            lookup,
            ranked: ranking.top,
            hidden,
            receipt,
        }
    }

    /// What a model is shown, in the order of the scan: all that is fresh, or if that is more
    /// than the manifest holds, the best matches and then the newest.
    fn offer(&self, prepared: &Prepared) -> Vec<u32> {
        let mut taken = vec![false; self.files.len()];
        for doc in &prepared.hidden {
            taken[*doc as usize] = true;
        }
        let mut offered: Vec<u32> = Vec::new();
        let best = prepared.ranked.iter().map(|scored| scored.doc);
        for doc in best.chain((0u32..).take(self.files.len())) {
            if offered.len() >= self.options.manifest {
                break;
            }
            if !std::mem::replace(&mut taken[doc as usize], true) {
                offered.push(doc);
            }
        }
        offered.sort_unstable();
        offered
    }

    /// The manifest of what is offered, with the best matching line beside the best matches.
    fn manifest(&self, offered: &[u32], prepared: &mut Prepared) -> String {
        // The best matches are always among what is offered.
        let with_lines = (prepared.ranked.len())
            .min(self.options.lines)
            .min(offered.len());
        let mut lines: HashMap<u32, String> = HashMap::with_capacity(with_lines);
        for (place, scored) in prepared.ranked[..with_lines].iter().enumerate() {
            let Some(line) = self.best_line(scored.doc, &prepared.lookup) else {
                continue;
            };
            if let Some(candidate) = prepared.receipt.candidates.get_mut(place) {
                candidate.line = Some(line.clone());
            }
            lines.insert(scored.doc, line);
        }
        let line = |doc: &u32| lines.get(doc).map(String::as_str);
        manifest_with(offered.iter().map(|doc| (self.file(*doc), line(doc))))
    }

    /// The line of a body that answers the query best; `None` if the file cannot be read any
    /// more, or no line holds a word of the query.
    fn best_line(&self, doc: u32, lookup: &Lookup) -> Option<String> {
        let bytes = read_inside(&self.dir, &self.file(doc).file, MAX_MEMORY_BYTES).ok()?;
        let memory = Memory::parse(&read_text(&bytes));
        let line = lookup.best_line(&self.index, memory.body())?;
        let line = one_line(line, MAX_LINE_CHARS);
        (!line.is_empty()).then_some(line)
    }

    fn conclude(&self, mut receipt: Receipt) -> Picked {
        receipt.picks = receipt.replay();
        let memories = receipt.picks.iter().filter_map(|pick: &Pick| {
            let kept = self.store.get(&pick.file)?;
            Some(Recalled::of(&kept.memory, pick.by))
        });
        Picked {
            memories: memories.collect(),
            receipt,
        }
    }
}

struct Prepared {
    lookup: Lookup,
    ranked: Vec<Scored>,
    hidden: Vec<u32>,
    receipt: Receipt,
}

/// Scans a directory and picks with a model: [`Recall::scan`] and [`Recall::pick_with`] in one,
/// for hosts that keep nothing between turns.
///
/// # Errors
///
/// Those of [`Recall::scan`]; never those of the model.
pub async fn recall<S, D>(
    dir: impl AsRef<Path>,
    query: &Query,
    selector: &S,
    deadline: D,
    options: &Options,
) -> Result<Picked, Error>
where
    S: Selector + Sync + ?Sized,
    D: Future,
{
    let recall = Recall::scan(dir, options)?;
    Ok(recall.pick_with(query, selector, deadline).await)
}

/// What a memory is called: its name, and its file name if that says something else.
fn name_field(memory: &MemoryFile) -> Cow<'_, str> {
    let Some(name) = memory.header.name.as_deref() else {
        return written_stem(memory).into();
    };
    let stem = stem_of(memory);
    let ((words_of_stem, is_stem_joined), (words_of_name, is_joined)) = (words(&stem), words(name));
    if words_of_name.contains(&words_of_stem) && !is_stem_joined {
        name.into()
    } else if words_of_stem.contains(&words_of_name) && !is_joined {
        stem.into()
    } else {
        format!("{name}\n{stem}").into()
    }
}

/// The signs between the words of a file name.
const SIGNS: [char; 2] = ['_', '-'];

/// What its file name says, word by word: nobody asks for it as one word, unless it is one that is
/// made of function words (`to-do`).
fn stem_of(memory: &MemoryFile) -> String {
    let written = written_stem(memory);
    let lower = written.to_lowercase();
    match lower.split([' ', '_', '-']).all(is_function_word) {
        true => written,
        false => written.replace(SIGNS, " "),
    }
}

/// What its file name says, as it is written there.
fn written_stem(memory: &MemoryFile) -> String {
    let file = &memory.file;
    let stem = file.get(..file.len().saturating_sub(3)).unwrap_or(file);
    let (folder, leaf) = stem.rsplit_once('/').unwrap_or(("", stem));
    // `feedback_` in front says what the header says.
    let kind = (memory.header.kind).and_then(|kind| leaf.strip_prefix(kind.as_str()));
    let leaf = kind
        .and_then(|leaf| leaf.strip_prefix(SIGNS))
        .unwrap_or(leaf);
    match folder {
        "" => leaf.to_owned(),
        folder => [folder, leaf].join(" "),
    }
}

/// The words of a text, each between two spaces, and whether some are written as one (`Time-out`),
/// which is a word of its own.
fn words(text: &str) -> (String, bool) {
    let (mut words, mut is_joined) = (" ".to_owned(), false);
    split(text, |piece| match piece {
        Piece::Word(word) | Piece::Single(word) => {
            words.push_str(word);
            words.push(' ');
        }
        Piece::Compound(_) => is_joined = true,
        Piece::Pair(_) | Piece::Lone(_) | Piece::LineEnd => {}
    });
    (words, is_joined)
}

/// At most `limit` bytes of a file inside a directory.
pub(crate) fn read_inside(dir: &Path, file: &str, limit: usize) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let opened = memdir_paths::open_inside(dir, file).map_err(std::io::Error::other)?;
    let mut bytes = Vec::new();
    opened.take(limit as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The work's result, or `None` if the deadline comes first. Work that is done wins over a
/// deadline that has passed.
async fn race<W: Future, D: Future>(work: W, deadline: D) -> Option<W::Output> {
    let (mut work, mut deadline) = (pin!(work), pin!(deadline));
    std::future::poll_fn(|context| {
        if let Poll::Ready(output) = work.as_mut().poll(context) {
            return Poll::Ready(Some(output));
        }
        deadline.as_mut().poll(context).map(|_| None)
    })
    .await
}
