//! The session's transcript: one line for each message as it is said, so that a crash loses at
//! most the line that was being written.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use compact_sm::{Compaction, Line, Message, Parent, Transcript};

use crate::Result;

pub(crate) struct Record {
    path: PathBuf,
    parent: Parent,
}

impl Record {
    pub(super) fn new(folder: &Path, session: &str) -> Result<Record> {
        std::fs::create_dir_all(folder)?;
        Ok(Record {
            path: folder.join(format!("{session}.jsonl")),
            parent: Parent::None,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What is said next follows this message.
    pub(super) fn follow(&mut self, last: Option<&Message>) {
        let last = last.and_then(|message| message.uuid.clone());
        self.parent = last.map_or(Parent::None, Parent::Uuid);
    }

    fn append(&self, text: &str, now: SystemTime) -> Result<()> {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        file.write_all(text.as_bytes())?;
        // The story's time, by which the gates of a consolidation go.
        file.set_modified(now)?;
        Ok(())
    }

    pub(super) fn say(&mut self, message: &Message, now: SystemTime) -> Result<()> {
        let parent = match &message.uuid {
            Some(uuid) => Parent::Uuid(uuid.clone()),
            None => Parent::Unsaid,
        };
        let line = Line::from_message(message.clone(), std::mem::replace(&mut self.parent, parent));
        self.append(&format!("{}\n", line.to_json()), now)
    }

    /// The record of a compaction, the summary, and what was brought back; what was kept stays
    /// where it is. One write, so that a crash leaves all of it or a line that is cut.
    pub(super) fn compacted(&mut self, done: &Compaction, id: &str, now: SystemTime) -> Result<()> {
        let Some(boundary) = &done.boundary else {
            return Ok(());
        };
        let mut boundary = boundary.clone();
        boundary.uuid = Some(id.to_owned());
        if let Parent::Uuid(last) = &self.parent {
            boundary.logical_parent_uuid = Some(last.clone());
        }
        let mut text = format!("{}\n", boundary.to_json());
        let mut put = |message: &Message, parent: &mut Parent| {
            let next = message.uuid.clone().map_or(Parent::Unsaid, Parent::Uuid);
            let line = Line::from_message(message.clone(), std::mem::replace(parent, next));
            text.push_str(&format!("{}\n", line.to_json()));
        };
        let mut parent = Parent::Uuid(id.to_owned());
        for message in &done.summary_messages {
            put(message, &mut parent);
        }
        // What was brought back, and what is said next, follows what was kept.
        if let Some(last) = done.kept.last().and_then(|message| message.uuid.clone()) {
            parent = Parent::Uuid(last);
        }
        for message in done.attachments.iter().chain(&done.hook_results) {
            put(message, &mut parent);
        }
        self.parent = parent;
        self.append(&text, now)
    }

    /// The living conversation of the file, mended where a crash cut it.
    pub(crate) fn read(path: &Path) -> Result<Vec<Message>> {
        let file = BufReader::new(File::open(path)?);
        Ok(Transcript::read(file).into_conversation().messages)
    }
}
