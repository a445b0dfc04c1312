//! What a host puts in front of its model: the instructions, and the index text beside them.

use std::path::PathBuf;

use memdir_paths::{IndexText, MemoryDir, TeamLayout};
use memdir_types::{Audience, Scope, gate_text};

use crate::Limits;
use crate::entry::printable;
use crate::prompt::{Directory, IndexUse, Mode, Prompt, prompt};
use crate::store::{Access, Loaded, Store, StoreOptions};

/// The feature flags of this crate. The host fills them; nothing is fetched. All are off unless
/// set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Flags {
    /// `KAIROS`: a session that runs for days may keep a daily log.
    #[doc(alias = "KAIROS")]
    pub daily_log: bool,
    /// `TEAMMEM`: a project may have a memory that the team shares.
    #[doc(alias = "TEAMMEM")]
    pub team: bool,
    /// `tengu_coral_fern`: the section on searching the past.
    #[doc(alias = "tengu_coral_fern")]
    pub search_past_context: bool,
    /// `tengu_moth_copse`: recall stands in for the index, so neither its text nor the step of
    /// saving that keeps it.
    #[doc(alias = "tengu_moth_copse")]
    pub skip_index: bool,
}

impl Flags {
    /// Sets the flag `KAIROS`.
    #[must_use]
    pub fn daily_log(mut self, on: bool) -> Flags {
        self.daily_log = on;
        self
    }

    /// Sets the flag `TEAMMEM`.
    #[must_use]
    pub fn team(mut self, on: bool) -> Flags {
        self.team = on;
        self
    }

    /// Sets the flag `tengu_coral_fern`.
    #[must_use]
    pub fn search_past_context(mut self, on: bool) -> Flags {
        self.search_past_context = on;
        self
    }

    /// Sets the flag `tengu_moth_copse`.
    #[must_use]
    pub fn skip_index(mut self, on: bool) -> Flags {
        self.skip_index = on;
        self
    }
}

/// Whether the host runs a session of the kind that keeps a daily log.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DailyLog {
    /// It does.
    Active,
    /// It does not.
    #[default]
    Inactive,
}

/// Whether this project has a team memory, and where.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TeamMemory {
    /// It has none.
    #[default]
    Disabled,
    /// It has one in that place.
    Enabled(TeamLayout),
}

/// What [`load_memory_prompt`] goes by.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadOptions {
    /// The feature flags; all off unless set.
    pub flags: Flags,
    /// Whether the session keeps a daily log; it does not unless set.
    pub daily_log: DailyLog,
    /// Whether there is a team memory; there is none unless set.
    pub team: TeamMemory,
    /// Whether the text of the index may go into the context; it may unless set.
    pub index_text: IndexText,
    /// Whether the index is part of the session, and who writes its lines; the model unless set.
    /// The flag `skip_index` goes before it.
    pub index: IndexUse,
    /// The caps of each index; those of the format unless set.
    pub limits: Limits,
    /// Guidelines of the host; none unless set.
    pub extra_guidelines: Vec<String>,
    /// Where transcripts lie, for the section on searching the past; none unless set.
    pub transcripts: Option<PathBuf>,
}

impl Default for LoadOptions {
    fn default() -> LoadOptions {
        LoadOptions {
            flags: Flags::default(),
            daily_log: DailyLog::default(),
            team: TeamMemory::default(),
            index_text: IndexText::Included,
            index: IndexUse::default(),
            limits: Limits::default(),
            extra_guidelines: Vec::new(),
            transcripts: None,
        }
    }
}

impl LoadOptions {
    /// Sets the feature flags.
    #[must_use]
    pub fn flags(mut self, flags: Flags) -> LoadOptions {
        self.flags = flags;
        self
    }

    /// Sets whether the session keeps a daily log.
    #[must_use]
    pub fn daily_log(mut self, daily_log: DailyLog) -> LoadOptions {
        self.daily_log = daily_log;
        self
    }

    /// Sets whether there is a team memory.
    #[must_use]
    pub fn team(mut self, team: TeamMemory) -> LoadOptions {
        self.team = team;
        self
    }

    /// Sets whether the text of the index may go into the context.
    #[must_use]
    pub fn index_text(mut self, index_text: IndexText) -> LoadOptions {
        self.index_text = index_text;
        self
    }

    /// Sets whether the index is part of the session, and who writes its lines:
    /// [`IndexUse::Kept`] for a host whose write tool saves through a [`Store`].
    #[must_use]
    pub fn index(mut self, index: IndexUse) -> LoadOptions {
        self.index = index;
        self
    }

    /// Sets the caps of each index.
    #[must_use]
    pub fn limits(mut self, limits: impl Into<Limits>) -> LoadOptions {
        self.limits = limits.into();
        self
    }

    /// Adds guidelines of the host.
    #[must_use]
    pub fn extra_guidelines(mut self, text: impl Into<String>) -> LoadOptions {
        self.extra_guidelines.push(text.into());
        self
    }

    /// Sets where transcripts lie.
    #[must_use]
    pub fn transcripts(mut self, dir: impl Into<PathBuf>) -> LoadOptions {
        self.transcripts = Some(dir.into());
        self
    }

    fn index_use(&self) -> IndexUse {
        if self.flags.skip_index {
            IndexUse::Skipped
        } else {
            self.index
        }
    }
}

/// The instructions for the system prompt, and the indexes for the user context.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MemoryPrompt {
    /// Which mode it is.
    pub mode: Mode,
    /// The instructions: the same bytes as long as options and directories are the same.
    pub instructions: String,
    /// The indexes, to be placed in the user context after the instruction files.
    pub indexes: Vec<IndexContext>,
    /// The indexes that are not there, and why.
    pub skipped: Vec<SkippedIndex>,
}

/// One index for the user context.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct IndexContext {
    /// Whose it is.
    pub scope: Scope,
    /// The raw text and the report of what was cut.
    pub loaded: Loaded,
    /// The text as it goes into the context: under a line that says what it is, the team's in a
    /// tag of its own, with the prompt tags in it escaped.
    pub text: String,
}

/// An index that is not in the context.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SkippedIndex {
    /// Where it is.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::path"))]
    pub path: PathBuf,
    /// Why it is not there.
    pub reason: String,
}

/// Chooses the mode and assembles what it needs: daily log, team, standard, in that order;
/// nothing while memory is off, that is, without a directory.
///
/// - Daily log: the flag is on and the host says that the session is of that kind.
/// - Team: the flag is on and the project has a team memory.
///
/// Reads only. Making the directories is a step of the host before this one; a directory that is
/// missing is named without the claim that it exists, and has no index.
///
/// ```
/// use memdir_index::{LoadOptions, Mode, load_memory_prompt};
/// use memdir_paths::MemoryDir;
///
/// assert!(load_memory_prompt(None, &LoadOptions::default()).is_none());
///
/// let dir = MemoryDir::new("/nowhere/memory");
/// let found = load_memory_prompt(Some(&dir), &LoadOptions::default()).unwrap();
/// assert_eq!(found.mode, Mode::Standard);
/// assert_eq!(found.skipped[0].reason, "there is no index");
/// ```
pub fn load_memory_prompt(dir: Option<&MemoryDir>, options: &LoadOptions) -> Option<MemoryPrompt> {
    let dir = dir?;
    let flags = options.flags;
    let mut places = vec![(Scope::Private, dir.clone())];
    let mut wanted = if flags.daily_log && options.daily_log == DailyLog::Active {
        Prompt::daily_log(dir)
    } else if let (true, TeamMemory::Enabled(layout)) = (flags.team, options.team) {
        let team = dir.team(layout);
        let wanted = Prompt::team(dir, &team).team_directory(Directory::probe(&team));
        places.push((Scope::Team, team));
        wanted
    } else {
        Prompt::standard(dir)
    };
    wanted = wanted.directory(Directory::probe(dir));
    wanted = wanted.index(options.index_use());
    if flags.search_past_context {
        wanted = wanted.search_past(options.transcripts.clone());
    }
    for text in &options.extra_guidelines {
        wanted = wanted.extra_guidelines(text);
    }

    let mut found = MemoryPrompt {
        mode: wanted.mode(),
        instructions: prompt(&wanted),
        indexes: Vec::new(),
        skipped: Vec::new(),
    };
    for (scope, place) in places {
        match index_context(scope, &place, options) {
            Ok(context) => found.indexes.push(context),
            Err(reason) => found.skipped.push(SkippedIndex {
                path: place.entrypoint(),
                reason,
            }),
        }
    }
    Some(found)
}

fn index_context(
    scope: Scope,
    place: &MemoryDir,
    options: &LoadOptions,
) -> Result<IndexContext, String> {
    if options.index_use() == IndexUse::Skipped {
        return Err("recall stands in for the index".to_owned());
    }
    if options.index_text == IndexText::KeptOut {
        return Err("index text is switched off".to_owned());
    }
    let read_only = StoreOptions::default().access(Access::ReadOnly);
    let store = Store::open_with(place.path(), read_only).map_err(|e| e.to_string())?;
    let loaded = store.load(options.limits).map_err(|e| e.to_string())?;
    let Some(text) = loaded.with_notice() else {
        return Err(match &loaded.missing {
            Some(missing) => missing.to_string(),
            None => "the index has no text".to_owned(),
        });
    };
    // The private gate lets every text pass and escapes the tags that would close ours.
    let text = gate_text(&text, Audience::Private)
        .map(|cleared| cleared.into_inner())
        .map_err(|refusal| refusal.to_string())?;
    let path = printable(&loaded.path.to_string_lossy());
    let text = match scope {
        Scope::Private => {
            format!(
                "Contents of {path} (the person's own memory, kept between conversations):\n\n{text}"
            )
        }
        Scope::Team => format!(
            "Contents of {path} (memory shared by the team of this project):\n\n\
             <team-memory-content>\n{text}\n</team-memory-content>"
        ),
    };
    Ok(IndexContext {
        scope,
        loaded,
        text,
    })
}
