//! The strict reading: YAML, within tight limits.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_yaml::options::{DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy};

/// The value of a key, as far as a rule needs it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Value {
    #[default]
    Missing,
    Null,
    Text(String),
    List(Vec<Item>),
    /// What else it is, in words.
    Other(&'static str),
}

/// An item of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    Text(String),
    Other,
}

/// The value of `paths` and all keys at the top, or `None` if the block is no YAML mapping.
pub(super) fn parse(block: &str) -> Option<(Value, Vec<String>)> {
    let root: Root = serde_yaml::from_str_with_options(block, options()).ok()?;
    Some((root.paths, root.keys))
}

fn options() -> serde_yaml::Options {
    serde_yaml::options! {
        // Copying is what makes a small file large, so there are no anchors and no aliases. A list
        // of patterns may be long; the size of the block bounds it.
        budget: serde_yaml::budget! {
            max_depth: 16,
            max_nodes: 40_000,
            max_aliases: 0,
            max_anchors: 0,
            max_documents: 1,
            max_total_scalar_bytes: super::Header::MAX_BYTES,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        strict_booleans: true,
        // `!src/**` would be a tag without a value.
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

#[derive(Default)]
struct Root {
    paths: Value,
    keys: Vec<String>,
}

struct RootVisitor;

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Root, D::Error> {
        deserializer.deserialize_any(RootVisitor)
    }
}

impl<'de> Visitor<'de> for RootVisitor {
    type Value = Root;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_unit<E>(self) -> Result<Root, E> {
        Ok(Root::default())
    }

    fn visit_none<E>(self) -> Result<Root, E> {
        Ok(Root::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Root, A::Error> {
        let mut root = Root::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "paths" => root.paths = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            root.keys.push(key);
        }
        Ok(root)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Item, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::Text(text) => Item::Text(text),
            _ => Item::Other,
        })
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Other("a truth value"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("a mapping"))
    }
}
