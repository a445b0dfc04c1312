//! Where a conversation was compacted: the record of the transcript, and its text form.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::Extra;

/// First line of the text form.
pub const BOUNDARY_MARK: &str = "__COMPACT_BOUNDARY__";

const OPEN: &str = "[earlier conversation truncated - ";
const CLOSE: &str = "]";

/// The text form of a boundary, for hosts without records: the mark, then the summary in brackets.
#[must_use]
pub fn boundary_text(summary: &str) -> String {
    format!("{BOUNDARY_MARK}\n{OPEN}{summary}{CLOSE}")
}

/// The summary of a text that is a boundary and nothing else. Whatever the summary holds, marks
/// and brackets too, it comes back as it was.
#[must_use]
pub fn read_boundary_text(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(BOUNDARY_MARK)?;
    let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?;
    rest.trim_end_matches(['\n', '\r'])
        .strip_prefix(OPEN)?
        .strip_suffix(CLOSE)
}

/// Who asked for a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum By {
    /// The window was full.
    #[default]
    Auto,
    /// The person.
    Manual,
}

impl By {
    /// The word in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            By::Auto => "auto",
            By::Manual => "manual",
        }
    }
}

/// The `compact_boundary` record of a transcript. It is no message: the model never sees it.
///
/// What the crate cannot know is the host's to fill in: `uuid`, `timestamp`, `duration`, and the
/// fields that every line of the transcript has, in `envelope`.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Boundary {
    /// Who asked for it.
    pub trigger: By,
    /// What the conversation held before. In tokens.
    pub pre_tokens: Option<u64>,
    /// What it holds now. In tokens.
    pub post_tokens: Option<u64>,
    /// How long it took.
    pub duration: Option<Duration>,
    /// What this compaction and those before it left out. In tokens.
    pub dropped_tokens: Option<u64>,
    /// Ends of the kept tail, whose lines stay where they are: before the record.
    pub segment: Option<Segment>,
    /// The ids of the kept lines.
    pub kept: Vec<String>,
    /// The ids of the kept lines and of what stands between them.
    pub kept_all: Vec<String>,
    /// The record's own id.
    pub uuid: Option<String>,
    /// When, as RFC 3339.
    pub timestamp: Option<String>,
    /// The last line before it. `parentUuid` is null, so that a walk along parents ends here.
    pub logical_parent_uuid: Option<String>,
    /// What else stands in `compactMetadata`.
    pub metadata: Extra,
    /// What else stands in the line.
    pub envelope: Extra,
}

/// The ends of the kept tail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The first kept line.
    pub head: String,
    /// The line that they now follow: the summary.
    pub anchor: String,
    /// The last kept line.
    pub tail: String,
}

impl Boundary {
    /// Reads the record; none if it is another line, or a broken record.
    #[must_use]
    pub fn from_json(line: &Value) -> Option<Boundary> {
        Boundary::from_map(line.as_object()?.clone())
    }

    pub(crate) fn from_map(mut line: Map<String, Value>) -> Option<Boundary> {
        let is = |key: &str, word: &str| line.get(key).is_some_and(|value| value == word);
        if !is("type", "system") || !is("subtype", "compact_boundary") {
            return None;
        }
        let old = line.remove("compact_metadata");
        let Some(Value::Object(mut data)) = line.remove("compactMetadata").or(old) else {
            return None;
        };
        let trigger = match data.remove("trigger")?.as_str()? {
            "auto" => By::Auto,
            "manual" => By::Manual,
            _ => return None,
        };
        let mut number = |keys: [&str; 2]| {
            let found = keys.into_iter().find_map(|key| data.remove(key));
            found.as_ref().and_then(Value::as_u64)
        };
        let pre_tokens = number(["preTokens", "pre_tokens"]);
        let post_tokens = number(["postTokens", "post_tokens"]);
        let duration = number(["durationMs", "duration_ms"]).map(Duration::from_millis);
        let dropped = ["cumulativeDroppedTokens", "cumulative_dropped_tokens"];
        let dropped_tokens = number(dropped);
        let segment = data.remove("preservedSegment");
        let segment = segment.as_ref().and_then(|segment| {
            let string = |key: &str| Some(segment.get(key)?.as_str()?.to_owned());
            Some(Segment {
                head: string("headUuid")?,
                anchor: string("anchorUuid")?,
                tail: string("tailUuid")?,
            })
        });
        let kept = data.remove("preservedMessages").unwrap_or_default();
        let (uuids, all) = (strings(kept.get("uuids")), strings(kept.get("allUuids")));
        // The list of what was kept has the ends too.
        let segment = segment.or_else(|| {
            let list = if all.is_empty() { &uuids } else { &all };
            Some(Segment {
                head: list.first()?.clone(),
                anchor: kept.get("anchorUuid")?.as_str()?.to_owned(),
                tail: list.last()?.clone(),
            })
        });
        for key in ["type", "subtype", "content", "level", "parentUuid"] {
            line.remove(key);
        }
        if line.get("isMeta") == Some(&Value::Bool(false)) {
            line.remove("isMeta");
        }
        let mut string = |key: &str| match line.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Boundary {
            trigger,
            pre_tokens,
            post_tokens,
            duration,
            dropped_tokens,
            segment,
            kept: uuids,
            kept_all: all,
            uuid: string("uuid"),
            timestamp: string("timestamp"),
            logical_parent_uuid: string("logicalParentUuid"),
            metadata: data.into(),
            envelope: line.into(),
        })
    }

    /// The line of the transcript.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut data = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                data.insert(key.to_owned(), value);
            }
        };
        put("trigger", Some(self.trigger.as_str().into()));
        put("preTokens", self.pre_tokens.map(Value::from));
        put("postTokens", self.post_tokens.map(Value::from));
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        put("durationMs", self.duration.map(millis).map(Value::from));
        put(
            "cumulativeDroppedTokens",
            self.dropped_tokens.map(Value::from),
        );
        if let Some(Segment { head, anchor, tail }) = &self.segment {
            let ends = [
                ("headUuid", head),
                ("anchorUuid", anchor),
                ("tailUuid", tail),
            ];
            put(
                "preservedSegment",
                Some(object(ends.map(|(k, v)| (k, v.as_str().into())))),
            );
            let lists = [
                ("anchorUuid", anchor.as_str().into()),
                ("uuids", self.kept.clone().into()),
                ("allUuids", self.kept_all.clone().into()),
            ];
            put("preservedMessages", Some(object(lists)));
        }
        for (key, value) in self.metadata.iter() {
            put(key, Some(value.clone()));
        }
        let own = [
            ("type", "system".into()),
            ("subtype", "compact_boundary".into()),
            ("content", "Conversation compacted".into()),
            ("level", "info".into()),
            ("isMeta", false.into()),
            ("parentUuid", Value::Null),
            ("logicalParentUuid", self.logical_parent_uuid.clone().into()),
            ("compactMetadata", Value::Object(data)),
        ];
        let mut line: Map<String, Value> = self
            .envelope
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        line.extend(own.map(|(key, value)| (key.to_owned(), value)));
        for (key, value) in [("uuid", &self.uuid), ("timestamp", &self.timestamp)] {
            if let Some(value) = value {
                line.insert(key.to_owned(), value.as_str().into());
            }
        }
        Value::Object(line)
    }
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(Map::from_iter(fields.map(|(k, v)| (k.to_owned(), v))))
}

fn strings(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|item| Some(item.as_str()?.to_owned()))
        .collect()
}
