//! The strict reading of a block: YAML, within tight limits, every leaf a text.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_yaml::options::{DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy};

/// What YAML says about one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// The key is not there.
    #[default]
    Missing,
    /// No value, `~` or `null`.
    Null,
    /// A text, or a scalar in the spelling of the file.
    Text(String),
    /// A number or a truth value whose spelling the parser did not keep.
    Typed,
    /// A list or a mapping.
    Nested,
}

/// The keys of a block that this crate understands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leaves {
    pub(crate) name: Leaf,
    pub(crate) description: Leaf,
    pub(crate) kind: Leaf,
    pub(crate) modified: Leaf,
    pub(crate) nested_kind: Leaf,
    pub(crate) nested_modified: Leaf,
}

/// The keys of a block and of its `metadata`, in order, spelled out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) top: Vec<String>,
    pub(crate) nested: Vec<String>,
}

/// Reads a block that is at most [`MAX_FRONTMATTER_BYTES`](crate::MAX_FRONTMATTER_BYTES) long,
/// or `None` if it is not a YAML mapping.
pub(crate) fn parse(block: &str) -> Option<Leaves> {
    parse_with_keys(block).map(|(leaves, _)| leaves)
}

/// The same, with all keys.
pub(crate) fn parse_with_keys(block: &str) -> Option<(Leaves, Keys)> {
    if block.trim().is_empty() {
        return Some(Default::default());
    }
    // Reading every known key as a text keeps the spelling of `0x11` or `2026-04-01`. A list in
    // such a place fails the whole parse, so a second pass takes any shape.
    let texts: Result<Root<AsWritten>, _> = serde_yaml::from_str_with_options(block, options());
    if let Ok(root) = texts {
        return Some((root.leaves, root.keys));
    }
    let any: Result<Root<AnyShape>, _> = serde_yaml::from_str_with_options(block, options());
    any.ok().map(|root| (root.leaves, root.keys))
}

fn options() -> serde_yaml::Options {
    serde_yaml::options! {
        // A header has a handful of keys. Anchors and aliases have no use there, and copying is
        // what makes a small file large.
        budget: serde_yaml::budget! {
            max_depth: 16,
            max_nodes: 2_000,
            max_aliases: 0,
            max_anchors: 0,
            max_documents: 1,
            max_total_scalar_bytes: crate::MAX_FRONTMATTER_BYTES,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

struct Root<L> {
    leaves: Leaves,
    keys: Keys,
    shape: std::marker::PhantomData<L>,
}

struct RootVisitor<L>(std::marker::PhantomData<L>);

impl<'de, L: Deserialize<'de> + Into<Leaf>> Deserialize<'de> for Root<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RootVisitor(std::marker::PhantomData))
    }
}

impl<'de, L: Deserialize<'de> + Into<Leaf>> Visitor<'de> for RootVisitor<L> {
    type Value = Root<L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    /// A block of comments only.
    fn visit_unit<E>(self) -> Result<Root<L>, E> {
        Ok(Root {
            leaves: Leaves::default(),
            keys: Keys::default(),
            shape: self.0,
        })
    }

    fn visit_none<E>(self) -> Result<Root<L>, E> {
        Ok(Root {
            leaves: Leaves::default(),
            keys: Keys::default(),
            shape: self.0,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Root<L>, A::Error> {
        let mut leaves = Leaves::default();
        let mut keys = Keys::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "name" => leaves.name = map.next_value::<L>()?.into(),
                "description" => leaves.description = map.next_value::<L>()?.into(),
                "type" => leaves.kind = map.next_value::<L>()?.into(),
                "modified" => leaves.modified = map.next_value::<L>()?.into(),
                "metadata" => {
                    let nested = map.next_value::<Nested<L>>()?;
                    leaves.nested_kind = nested.kind;
                    leaves.nested_modified = nested.modified;
                    keys.nested = nested.keys;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            keys.top.push(key);
        }
        Ok(Root {
            leaves,
            keys,
            shape: self.0,
        })
    }
}

/// What stands below `metadata`. Anything but a mapping is kept by the file and of no use here.
struct Nested<L> {
    kind: Leaf,
    modified: Leaf,
    keys: Vec<String>,
    shape: std::marker::PhantomData<L>,
}

struct NestedVisitor<L>(std::marker::PhantomData<L>);

impl<L> NestedVisitor<L> {
    fn nothing(self) -> Nested<L> {
        Nested {
            kind: Leaf::Missing,
            modified: Leaf::Missing,
            keys: Vec::new(),
            shape: self.0,
        }
    }
}

impl<'de, L: Deserialize<'de> + Into<Leaf>> Deserialize<'de> for Nested<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NestedVisitor(std::marker::PhantomData))
    }
}

impl<'de, L: Deserialize<'de> + Into<Leaf>> Visitor<'de> for NestedVisitor<L> {
    type Value = Nested<L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_unit<E>(self) -> Result<Nested<L>, E> {
        Ok(self.nothing())
    }

    fn visit_none<E>(self) -> Result<Nested<L>, E> {
        Ok(self.nothing())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Nested<L>, E> {
        Ok(self.nothing())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Nested<L>, E> {
        Ok(self.nothing())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Nested<L>, E> {
        Ok(self.nothing())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Nested<L>, E> {
        Ok(self.nothing())
    }

    fn visit_str<E>(self, _: &str) -> Result<Nested<L>, E> {
        Ok(self.nothing())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Nested<L>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self.nothing())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Nested<L>, A::Error> {
        let mut nested = self.nothing();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "type" => nested.kind = map.next_value::<L>()?.into(),
                "modified" => nested.modified = map.next_value::<L>()?.into(),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            nested.keys.push(key);
        }
        Ok(nested)
    }
}

/// A scalar in the spelling of the file.
struct AsWritten(Leaf);

impl From<AsWritten> for Leaf {
    fn from(leaf: AsWritten) -> Leaf {
        leaf.0
    }
}

impl<'de> Deserialize<'de> for AsWritten {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(AsWritten(
            match Option::<String>::deserialize(deserializer)? {
                Some(text) => Leaf::Text(text),
                None => Leaf::Null,
            },
        ))
    }
}

/// A value of any shape.
struct AnyShape(Leaf);

impl From<AnyShape> for Leaf {
    fn from(leaf: AnyShape) -> Leaf {
        leaf.0
    }
}

struct AnyVisitor;

impl<'de> Deserialize<'de> for AnyShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor).map(AnyShape)
    }
}

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Leaf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Leaf, E> {
        Ok(Leaf::Null)
    }

    fn visit_none<E>(self) -> Result<Leaf, E> {
        Ok(Leaf::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Leaf, E> {
        Ok(Leaf::Typed)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Leaf, E> {
        Ok(Leaf::Typed)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Leaf, E> {
        Ok(Leaf::Typed)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Leaf, E> {
        Ok(Leaf::Typed)
    }

    fn visit_str<E>(self, text: &str) -> Result<Leaf, E> {
        Ok(Leaf::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Leaf, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Leaf::Nested)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Leaf, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Leaf::Nested)
    }
}
