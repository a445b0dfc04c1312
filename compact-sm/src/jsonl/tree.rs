//! Which lines of a transcript are the conversation: the walk from the last line along parents.

use std::collections::{HashMap, HashSet};

use super::line::{Chain, Line, LineKind, Parent};
use crate::{Boundary, Message, Role};

/// A line, as far as the walk needs it.
struct Node {
    parent: Parent,
    side: bool,
    boundary: Option<usize>,
    timestamp: Option<String>,
    message: Option<Message>,
}

#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    by_uuid: HashMap<String, usize>,
}

#[derive(Default)]
pub(super) struct Living {
    pub(super) messages: Vec<Message>,
    pub(super) answered: Option<String>,
    pub(super) orphans: u64,
}

impl Tree {
    pub(super) fn push(&mut self, mut line: Line, boundary: Option<usize>) {
        let linked = line.uuid.is_some() || line.message.is_some();
        if !linked {
            return;
        }
        let is = |key: &str| line.extra.field(key) == Some(&serde_json::Value::Bool(true));
        // What only the person sees: errors of the API as text, and notes in the transcript.
        let shown = is("isApiErrorMessage") || is("isVisibleInTranscriptOnly");
        let speaks = matches!(line.kind, LineKind::User | LineKind::Assistant);
        // A file may hold lines of two sessions that share a beginning: the first of a kind stays.
        if let Some(uuid) = &line.uuid {
            let at = self.nodes.len();
            if *self.by_uuid.entry(uuid.clone()).or_insert(at) != at {
                return;
            }
        }
        self.nodes.push(Node {
            parent: std::mem::take(&mut line.parent),
            side: line.chain == Some(Chain::Side),
            boundary,
            timestamp: line.timestamp.take(),
            message: if speaks && !shown {
                line.into_message()
            } else {
                None
            },
        });
    }

    pub(super) fn living(mut self, boundaries: &[Boundary]) -> Living {
        // A subagent's own file is all side chain.
        let speaks = |node: &Node| node.message.is_some();
        let all_side = !self.nodes.iter().any(|node| speaks(node) && !node.side);
        let is_ours = |node: &Node| all_side || !node.side;
        let leaf = self
            .nodes
            .iter()
            .rposition(|node| is_ours(node) && (speaks(node) || node.boundary.is_some()));
        let Some(leaf) = leaf else {
            return Living::default();
        };
        let mut walk = self.walk(leaf, all_side, boundaries);
        walk.path.reverse();
        let order = self.with_siblings(&walk, all_side);
        let mut living = Living {
            orphans: walk.orphans,
            ..Living::default()
        };
        for at in order {
            let node = &mut self.nodes[at];
            let Some(mut message) = node.message.take() else {
                continue;
            };
            if message.role == Role::Assistant && node.timestamp.is_some() {
                living.answered = node.timestamp.take();
            }
            if walk.boundary.is_some_and(|boundary| at < boundary) {
                message.usage = None;
            }
            living.messages.push(message);
        }
        living
    }

    /// From the leaf to the root or to the last boundary, over the kept tail if there is one.
    fn walk(&self, leaf: usize, all_side: bool, boundaries: &[Boundary]) -> Walk {
        let mut walk = Walk::default();
        let mut seen = HashSet::new();
        let segment = self.segment(leaf, boundaries);
        let mut at = Some(leaf);
        while let Some(now) = at {
            if !seen.insert(now) {
                break;
            }
            let node = &self.nodes[now];
            // Whoever follows the summary directly follows the kept tail.
            if let Some(segment) = &segment
                && now == segment.anchor
                && !seen.contains(&segment.tail)
            {
                for kept in self.run(segment, all_side) {
                    if seen.insert(kept) {
                        walk.path.push(kept);
                    }
                }
            }
            walk.path.push(now);
            if node.boundary.is_some() {
                walk.boundary = Some(now);
                break;
            }
            at = match &segment {
                Some(segment) if now == segment.head => Some(segment.anchor),
                _ => self.parent(now, all_side, &mut walk.orphans),
            };
        }
        walk
    }

    fn parent(&self, at: usize, all_side: bool, orphans: &mut u64) -> Option<usize> {
        let above = || (0..at).rev().find(|i| all_side || !self.nodes[*i].side);
        match &self.nodes[at].parent {
            Parent::None => None,
            Parent::Unsaid => above(),
            Parent::Uuid(uuid) => match self.by_uuid.get(uuid) {
                Some(parent) => Some(*parent),
                None => {
                    *orphans += 1;
                    above()
                }
            },
        }
    }

    /// The kept tail of the last boundary before the leaf.
    fn segment(&self, leaf: usize, boundaries: &[Boundary]) -> Option<Ends> {
        let (at, boundary) = self.nodes[..=leaf]
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, node)| Some((at, boundaries.get(node.boundary?)?)))?;
        let segment = boundary.segment.as_ref()?;
        let place = |uuid: &String| self.by_uuid.get(uuid).copied();
        let ends = Ends {
            head: place(&segment.head)?,
            anchor: place(&segment.anchor)?,
            tail: place(&segment.tail)?,
        };
        (ends.head <= ends.tail && ends.tail < at && ends.anchor > at).then_some(ends)
    }

    /// The kept tail from its end to its beginning, which is the order of the walk.
    fn run(&self, ends: &Ends, all_side: bool) -> Vec<usize> {
        let mut run = Vec::new();
        let mut seen = HashSet::new();
        let mut at = Some(ends.tail);
        while let Some(now) = at {
            if now < ends.head || !seen.insert(now) {
                break;
            }
            run.push(now);
            if now == ends.head {
                break;
            }
            at = self.parent(now, all_side, &mut 0);
        }
        run
    }

    /// Parallel calls branch: each result follows its own call. The other records of a response on
    /// the path belong to it, and so do the results of its calls.
    fn with_siblings(&self, walk: &Walk, all_side: bool) -> Vec<usize> {
        let mut place: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut responses: HashMap<&str, usize> = HashMap::new();
        for (position, at) in walk.path.iter().enumerate() {
            place.insert(*at, (position, 0));
            if let Some(id) = self.response(*at) {
                responses.insert(id, position);
            }
        }
        let first = walk.path.iter().min().copied().unwrap_or(0);
        let last = walk.path.iter().max().copied().unwrap_or(0);
        let mut calls: HashMap<&str, usize> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(message) = &node.message else {
                continue;
            };
            let position = match place.get(&at) {
                Some((position, _)) => *position,
                None => {
                    let beyond = at < first || at > last || (node.side && !all_side);
                    match self.response(at).and_then(|id| responses.get(id)) {
                        Some(position) if !beyond => *position,
                        _ => continue,
                    }
                }
            };
            place.entry(at).or_insert((position, at));
            calls.extend(message.calls().map(|id| (id, position)));
        }
        let answered: HashSet<&str> = walk
            .path
            .iter()
            .filter_map(|at| self.nodes[*at].message.as_ref())
            .flat_map(Message::results)
            .collect();
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(message) = node.message.as_ref().filter(|m| m.role == Role::User) else {
                continue;
            };
            let mut results = message.results().peekable();
            if place.contains_key(&at) || results.peek().is_none() || !(first..=last).contains(&at)
            {
                continue;
            }
            let position = results.find_map(|id| {
                let position = calls.get(id)?;
                (!answered.contains(id)).then_some(*position)
            });
            // Behind the call, or beside the results that follow it on the path.
            if let Some(position) = position {
                let next = walk.path.get(position + 1);
                let beside = next.is_some_and(|at| {
                    let message = self.nodes[*at].message.as_ref();
                    message.is_some_and(|message| message.results().next().is_some())
                });
                place.insert(at, (position + usize::from(beside), at));
            }
        }
        let mut order: Vec<usize> = place.keys().copied().collect();
        order.sort_unstable_by_key(|at| place[at]);
        order
    }

    fn response(&self, at: usize) -> Option<&str> {
        let message = self.nodes[at].message.as_ref()?;
        message
            .id
            .as_deref()
            .filter(|_| message.role == Role::Assistant)
    }
}

/// Places of the ends of a kept tail.
struct Ends {
    head: usize,
    anchor: usize,
    tail: usize,
}

#[derive(Default)]
struct Walk {
    /// From the leaf to the root, then turned around.
    path: Vec<usize>,
    boundary: Option<usize>,
    orphans: u64,
}
