//! What comes back after a compaction: files, the plan, skills.

mod options;
mod prompt;
mod reads;

pub use options::{
    Elsewhere, FileText, Files, FilesFn, Named, NoFiles, Oversize, RESTORE_FILE_TOKENS,
    RESTORE_FILES, RESTORE_TOTAL_TOKENS, Recency, Restore, SKILL_TOKENS, SKILLS_TOTAL_TOKENS,
    files_fn,
};
use reads::RESTORED;
pub use reads::{RecentFile, Touch, recent_reads};
pub(crate) use reads::{plain, whole_texts};

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;

use serde_json::Value;

use crate::notes::head_of;
use crate::tokens::Counter;
use crate::{Block, Message, Origin};

/// Something that comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Attachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// The path of the file or plan, or the name of the skill.
    pub name: String,
    /// The text, byte for byte as far as it goes; empty for a reference.
    pub text: String,
    /// What was left out at its end. In bytes.
    pub left_out: u64,
    /// What its message has. In tokens.
    pub tokens: u64,
}

/// What comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AttachmentKind {
    /// The text of a file.
    File,
    /// The name of a file that is too long.
    Reference,
    /// The plan.
    Plan,
    /// A skill.
    Skill,
}

impl AttachmentKind {
    /// The client's word for it in transcripts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            AttachmentKind::File => "file",
            AttachmentKind::Reference => "compact_file_reference",
            AttachmentKind::Plan => "plan_file_reference",
            AttachmentKind::Skill => "invoked_skills",
        }
    }
}

impl Attachment {
    fn new(
        kind: AttachmentKind,
        name: &str,
        text: String,
        left_out: u64,
        counter: &dyn Counter,
    ) -> Attachment {
        let mut attachment = Attachment {
            kind,
            name: name.to_owned(),
            text,
            left_out,
            tokens: 0,
        };
        attachment.tokens = counter.message(&attachment.to_message());
        attachment
    }

    /// The message that tells the model. The text is a block of its own, so that nothing in it can
    /// end a frame.
    #[must_use]
    pub fn to_message(&self) -> Message {
        let is_blank = self.text.trim().is_empty();
        let title = match self.kind {
            AttachmentKind::File if is_blank => prompt::empty(&self.name),
            AttachmentKind::File => prompt::file(&self.name),
            AttachmentKind::Reference => prompt::reference(&self.name),
            AttachmentKind::Plan => prompt::plan(&self.name),
            AttachmentKind::Skill => prompt::skill(&self.name),
        };
        let mut blocks = vec![Block::text(title)];
        if !is_blank {
            blocks.push(Block::text(self.text.as_str()));
        }
        if self.left_out > 0 && self.kind != AttachmentKind::Reference {
            let line = self.text.bytes().filter(|byte| *byte == b'\n').count() + 1;
            blocks.push(Block::text(match self.kind {
                AttachmentKind::Skill => prompt::rest_of_skill(self.left_out),
                _ => prompt::rest(self.left_out, line),
            }));
        }
        let mut message = Message::user(blocks).origin(Origin::Meta);
        if matches!(self.kind, AttachmentKind::File | AttachmentKind::Reference) {
            message
                .extra
                .insert(RESTORED, Value::from(self.name.as_str()));
        }
        message
    }
}

/// Something that does not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NotRestored {
    /// The path of the file, or the name of the skill.
    pub name: String,
    /// Why not.
    pub why: WhyNotRestored,
}

/// Why something does not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum WhyNotRestored {
    /// More recent ones took the places.
    BeyondCount,
    /// More recent ones took the tokens.
    BeyondBudget,
    /// With it, the conversation would hardly be shorter than before.
    NoRoom,
    /// Its text stands in what was kept.
    InKept,
    /// It comes back by another way.
    Elsewhere,
    /// It could not be read.
    Unreadable(String),
}

impl fmt::Display for NotRestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        match &self.why {
            WhyNotRestored::BeyondCount => f.write_str("more recent ones took the places"),
            WhyNotRestored::BeyondBudget => f.write_str("more recent ones took the tokens"),
            WhyNotRestored::NoRoom => {
                f.write_str("with it the conversation would hardly be shorter than before")
            }
            WhyNotRestored::InKept => f.write_str("its text is in what was kept"),
            WhyNotRestored::Elsewhere => f.write_str("it comes back by another way"),
            WhyNotRestored::Unreadable(why) => write!(f, "it could not be read: {why}"),
        }
    }
}

/// What comes back, and what does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Restored {
    /// Files in their order, then the plan, then skills, the newest first.
    pub attachments: Vec<Attachment>,
    /// What does not come back, and why: also the list of what was read before.
    pub left_out: Vec<NotRestored>,
    /// Files whose whole text is in the conversation. A cache that would answer «unchanged» for
    /// any other file has to forget it.
    pub present: Vec<String>,
}

impl Restored {
    /// Gives up what has no room: files first, the one that was used longest ago before the others,
    /// then skills, then the plan. In tokens.
    pub(crate) fn give_up(&mut self, room: u64) {
        let tokens = self.attachments.iter().map(|attachment| attachment.tokens);
        let mut all = tokens.fold(0_u64, u64::saturating_add);
        while all > room {
            let is_file =
                |a: &Attachment| matches!(a.kind, AttachmentKind::File | AttachmentKind::Reference);
            let last = self.attachments.len().checked_sub(1);
            let skill = |a: &Attachment| a.kind == AttachmentKind::Skill;
            let at = self.attachments.iter().rposition(is_file);
            let at = at.or_else(|| self.attachments.iter().rposition(skill));
            let Some(at) = at.or(last) else {
                return;
            };
            let gone = self.attachments.remove(at);
            all = all.saturating_sub(gone.tokens);
            self.present.retain(|path| *path != gone.name);
            self.left_out.push(NotRestored {
                name: gone.name,
                why: WhyNotRestored::NoRoom,
            });
        }
    }
}

/// Files whose whole text stands in these messages, the last one first.
pub(crate) fn present(messages: &[Message]) -> Vec<String> {
    let whole = whole_texts(messages);
    let recent = recent_reads(messages).into_iter().map(|file| file.path);
    recent.filter(|path| whole.contains(plain(path))).collect()
}

/// Reads files again and puts them, the plan and the skills within their limits.
///
/// `kept` are the messages that stay: what stands there is not repeated, whether it was read there
/// or brought back by a former compaction.
pub fn restore(
    recent: &[RecentFile],
    kept: &[Message],
    options: &Restore,
    files: &dyn Files,
    counter: &dyn Counter,
) -> Restored {
    let stays = Stays {
        whole: whole_texts(kept),
        lists: [&[], kept],
    };
    restore_beside(recent, &stays, options, files, counter)
}

/// What stays in the conversation.
pub(crate) struct Stays<'a> {
    /// Files whose whole text is there.
    pub(crate) whole: HashSet<String>,
    /// The messages, before and behind the summary.
    pub(crate) lists: [&'a [Message]; 2],
}

impl Stays<'_> {
    /// Does the very same message stay, because a former compaction brought it back?
    fn has(&self, attachment: &Attachment) -> bool {
        let content = attachment.to_message().content;
        let mut messages = self.lists.iter().copied().flatten();
        messages.any(|message| message.origin == Origin::Meta && message.content == content)
    }
}

/// The same beside what stays.
pub(crate) fn restore_beside(
    recent: &[RecentFile],
    stays: &Stays<'_>,
    options: &Restore,
    files: &dyn Files,
    counter: &dyn Counter,
) -> Restored {
    let mut restored = Restored::default();
    restore_files(recent, stays, options, files, counter, &mut restored);
    let mut left = options.skills_total_tokens;
    let plan = options.plan.iter().map(|plan| (AttachmentKind::Plan, plan));
    let skills = options.skills.iter().map(|s| (AttachmentKind::Skill, s));
    for (kind, Named { name, text }) in plan.chain(skills) {
        let bytes = text.len() as u64;
        let most = options.skill_tokens.min(left);
        match fitted(kind, name, text, bytes, most, counter) {
            Some(attachment) if stays.has(&attachment) => {
                restored.left_out.push(NotRestored {
                    name: name.clone(),
                    why: WhyNotRestored::InKept,
                });
            }
            Some(attachment) => {
                left = left.saturating_sub(attachment.tokens);
                restored.attachments.push(attachment);
            }
            None => restored.left_out.push(NotRestored {
                name: name.clone(),
                why: WhyNotRestored::BeyondBudget,
            }),
        }
    }
    restored
}

fn restore_files(
    recent: &[RecentFile],
    stays: &Stays<'_>,
    options: &Restore,
    files: &dyn Files,
    counter: &dyn Counter,
    restored: &mut Restored,
) {
    let mut recent: Vec<(&RecentFile, _)> = recent.iter().map(|file| (file, None)).collect();
    if options.recency == Recency::ModifiedTime {
        for (file, time) in &mut recent {
            *time = file.modified.or_else(|| files.modified(&file.path));
        }
        recent.sort_by_key(|(_, time)| Reverse(*time));
    }
    // No text that fits has more bytes for each token.
    let most = usize::try_from(options.file_tokens.saturating_mul(16)).unwrap_or(usize::MAX);
    let most = most.min(1 << 20);
    let (mut places, mut left) = (options.max_files, options.total_tokens);
    // A host's own list may name one twice.
    let mut seen = HashSet::new();
    recent.retain(|(file, _)| seen.insert(plain(&file.path)));
    for (file, _) in recent {
        let path = file.path.as_str();
        let is_plan = options
            .plan
            .as_ref()
            .is_some_and(|plan| plain(&plan.name) == plain(path));
        let mut leave_out = |why| {
            restored.left_out.push(NotRestored {
                name: path.to_owned(),
                why,
            });
        };
        if is_plan || options.elsewhere.has(path) {
            leave_out(WhyNotRestored::Elsewhere);
            continue;
        }
        if stays.whole.contains(plain(path)) {
            leave_out(WhyNotRestored::InKept);
            restored.present.push(path.to_owned());
            continue;
        }
        if places == 0 {
            leave_out(WhyNotRestored::BeyondCount);
            continue;
        }
        let read = match files.read(path, most) {
            Ok(read) => read,
            Err(error) => {
                leave_out(WhyNotRestored::Unreadable(error.to_string()));
                continue;
            }
        };
        let is_whole = read.bytes <= read.text.len() as u64;
        let is_short = is_whole && read.text.len() <= most;
        let fits = is_short && counter.text(&read.text) <= options.file_tokens;
        let attachment = match options.oversize {
            _ if fits => {
                let file = Attachment::new(AttachmentKind::File, path, read.text, 0, counter);
                (file.tokens <= left).then_some(file)
            }
            Oversize::Head => {
                let budget = options.file_tokens.min(left);
                fitted(
                    AttachmentKind::File,
                    path,
                    &read.text,
                    read.bytes,
                    budget,
                    counter,
                )
            }
            Oversize::Reference => {
                let empty = String::new();
                let bytes = read.bytes;
                let it = Attachment::new(AttachmentKind::Reference, path, empty, bytes, counter);
                (it.tokens <= left).then_some(it)
            }
        };
        let Some(attachment) = attachment else {
            leave_out(WhyNotRestored::BeyondBudget);
            continue;
        };
        if stays.has(&attachment) {
            leave_out(WhyNotRestored::InKept);
            continue;
        }
        places -= 1;
        left = left.saturating_sub(attachment.tokens);
        if attachment.left_out == 0 {
            restored.present.push(path.to_owned());
        }
        restored.attachments.push(attachment);
    }
}

/// What the words around a text may have, and less than which nothing is worth bringing back. In
/// tokens.
const FRAME_TOKENS: u64 = 60;

/// A text, or the head of it that fits, in whole lines if there are any; none if nothing would be
/// left of it.
fn fitted(
    kind: AttachmentKind,
    name: &str,
    text: &str,
    bytes: u64,
    budget: u64,
    counter: &dyn Counter,
) -> Option<Attachment> {
    let bytes = bytes.max(text.len() as u64);
    if bytes == text.len() as u64 && text.len() as u64 <= budget.saturating_mul(64) {
        let whole = Attachment::new(kind, name, text.to_owned(), 0, counter);
        // The words around it are not the text's fault.
        if whole.tokens <= budget.saturating_add(FRAME_TOKENS) && counter.text(text) <= budget {
            return Some(whole);
        }
    }
    let room = budget.checked_sub(FRAME_TOKENS).filter(|room| *room > 0)?;
    let head = head_of(text, room, counter);
    let head = match head.rfind('\n') {
        Some(end) if end * 2 > head.len() => &head[..=end],
        _ => head,
    };
    let left_out = bytes.saturating_sub(head.len() as u64);
    let cut = Attachment::new(kind, name, head.to_owned(), left_out, counter);
    (!head.is_empty()).then_some(cut)
}
