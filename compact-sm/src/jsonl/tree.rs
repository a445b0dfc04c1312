//! Which lines of a transcript are the conversation: the walk from the last line along parents.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use super::line::{Chain, Line, LineKind, Parent};
use crate::{Boundary, Message, Role};

/// A line, as far as the walk needs it. Ids are kept as keyed hashes: a transcript has many.
struct Node {
    parent: Above,
    side: bool,
    boundary: Option<u32>,
    /// Where the message is in the tree's list.
    message: Option<u32>,
    /// Of responses alone.
    timestamp: Option<Box<str>>,
}

enum Above {
    Unsaid,
    None,
    Line(u64),
}

#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    messages: Vec<Message>,
    by_uuid: HashMap<u64, u32>,
    hasher: RandomState,
}

#[derive(Default)]
pub(super) struct Living {
    pub(super) messages: Vec<Message>,
    pub(super) answered: Option<String>,
    pub(super) orphans: u64,
}

/// Places beyond four thousand million lines are none.
fn place(at: usize) -> Option<u32> {
    u32::try_from(at).ok()
}

impl Tree {
    pub(super) fn push(&mut self, mut line: Line, boundary: Option<usize>) {
        // What has no id and says nothing stands beside the conversation.
        if line.uuid.is_none() && line.message.is_none() {
            return;
        }
        let Some(at) = place(self.nodes.len()) else {
            return;
        };
        // A file may hold lines of two sessions that share a beginning: the first of a kind stays.
        if let Some(uuid) = &line.uuid {
            let key = self.hasher.hash_one(uuid);
            if *self.by_uuid.entry(key).or_insert(at) != at {
                return;
            }
        }
        let is = |key: &str| line.extra.field(key) == Some(&serde_json::Value::Bool(true));
        // What only the person sees: errors of the API as text, and notes in the transcript. The
        // client marks summaries so too, but the model gets them.
        let is_summary = is("isCompactSummary");
        let shown = is("isApiErrorMessage") || (is("isVisibleInTranscriptOnly") && !is_summary);
        let speaks = matches!(line.kind, LineKind::User | LineKind::Assistant) && !shown;
        let mut node = Node {
            parent: match std::mem::take(&mut line.parent) {
                Parent::Unsaid => Above::Unsaid,
                Parent::None => Above::None,
                Parent::Uuid(uuid) => Above::Line(self.hasher.hash_one(&uuid)),
            },
            side: line.chain == Some(Chain::Side),
            boundary: boundary.and_then(place),
            message: None,
            timestamp: None,
        };
        let timestamp = line.timestamp.take();
        if speaks && let Some(message) = line.into_message() {
            if message.role == Role::Assistant {
                node.timestamp = timestamp.map(String::into_boxed_str);
            }
            node.message = place(self.messages.len());
            self.messages.push(message);
        }
        self.nodes.push(node);
    }

    fn find(&self, uuid: &str) -> Option<usize> {
        let at = self.by_uuid.get(&self.hasher.hash_one(uuid))?;
        Some(*at as usize)
    }

    fn message(&self, at: usize) -> Option<&Message> {
        self.messages.get(self.nodes.get(at)?.message? as usize)
    }

    pub(super) fn living(mut self, boundaries: &[Boundary]) -> Living {
        // A subagent's own file is all side chain.
        let speaks = |node: &Node| node.message.is_some();
        let all_side = !self.nodes.iter().any(|node| speaks(node) && !node.side);
        // A boundary that nothing follows belongs to a compaction that was not finished.
        let leaf = self
            .nodes
            .iter()
            .rposition(|node| (all_side || !node.side) && speaks(node));
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
        let mut order_of = vec![u32::MAX; self.messages.len()];
        for (rank, at) in order.iter().enumerate() {
            let node = &mut self.nodes[*at];
            let Some(message) = node.message else {
                continue;
            };
            order_of[message as usize] = place(rank).unwrap_or(u32::MAX);
            if let Some(timestamp) = node.timestamp.take() {
                living.answered = Some(timestamp.into());
            }
            if walk.boundary.is_some_and(|boundary| *at < boundary) {
                self.messages[message as usize].usage = None;
            }
        }
        drop((order, walk, self.nodes, self.by_uuid));
        living.messages = arranged(self.messages, order_of);
        living
    }

    /// From the leaf to the root or to the last boundary, over the kept tail if there is one.
    fn walk(&self, leaf: usize, all_side: bool, boundaries: &[Boundary]) -> Walk {
        let mut walk = Walk::default();
        let mut seen = vec![false; self.nodes.len()];
        let tails = self.tails(leaf, boundaries, all_side);
        let anchors: HashMap<usize, &Ends> = tails.iter().map(|t| (t.anchor, t)).collect();
        // The kept tail that the walk is in.
        let mut inside: Option<&Ends> = None;
        // The last step led from the head of a kept tail to the summary.
        let mut through = false;
        let mut at = Some(leaf);
        while let Some(now) = at {
            if std::mem::replace(&mut seen[now], true) {
                break;
            }
            // Whoever follows the summary directly follows the kept tail. Whoever comes from the
            // tail has seen as much of it as the conversation still has.
            if let Some(tail) = anchors.get(&now).filter(|_| !through) {
                self.run(tail, all_side, &mut seen, &mut walk.path);
            }
            walk.path.push(now);
            if self.nodes[now].boundary.is_some() {
                walk.boundary = Some(now);
                break;
            }
            through = inside.is_some_and(|tail| now == tail.head);
            at = match inside {
                Some(tail) if through => Some(tail.anchor),
                _ => self.parent(now, all_side, &mut walk.orphans),
            };
            // A step over a boundary into what it kept. Inside, older boundaries do not matter.
            if inside.is_none_or(|tail| now <= tail.head) {
                inside = at.and_then(|to| entered(&tails, now, to));
            }
        }
        walk
    }

    fn parent(&self, at: usize, all_side: bool, orphans: &mut u64) -> Option<usize> {
        let above = || (0..at).rev().find(|i| all_side || !self.nodes[*i].side);
        match &self.nodes[at].parent {
            Above::None => None,
            Above::Unsaid => above(),
            Above::Line(key) => match self.by_uuid.get(key) {
                Some(parent) => Some(*parent as usize),
                None => {
                    *orphans += 1;
                    above()
                }
            },
        }
    }

    /// The kept tails of all boundaries before the leaf, in the order of the file.
    fn tails(&self, leaf: usize, boundaries: &[Boundary], all_side: bool) -> Vec<Ends> {
        let nodes = self.nodes[..=leaf].iter().enumerate();
        let nodes = nodes.filter(|(_, node)| all_side || !node.side);
        let tails = nodes.filter_map(|(boundary, node)| {
            let segment = boundaries.get(node.boundary? as usize)?.segment.as_ref()?;
            let ends = Ends {
                boundary,
                head: self.find(&segment.head)?,
                anchor: self.find(&segment.anchor)?,
                tail: self.find(&segment.tail)?,
            };
            let is_whole = ends.head <= ends.tail && ends.tail < boundary && ends.anchor > boundary;
            is_whole.then_some(ends)
        });
        tails.collect()
    }

    /// The kept tail from its end to its beginning, which is the order of the walk.
    fn run(&self, ends: &Ends, all_side: bool, seen: &mut [bool], path: &mut Vec<usize>) {
        let mut at = Some(ends.tail);
        while let Some(now) = at {
            if now < ends.head || std::mem::replace(&mut seen[now], true) {
                break;
            }
            path.push(now);
            if now == ends.head {
                break;
            }
            at = self.parent(now, all_side, &mut 0);
        }
    }

    /// Parallel calls branch: each result follows its own call. The other records of a response on
    /// the path belong to it, and so do the results of its calls.
    fn with_siblings(&self, walk: &Walk, all_side: bool) -> Vec<usize> {
        let path = &walk.path;
        let mut on_path = vec![false; self.nodes.len()];
        for at in path {
            on_path[*at] = true;
        }
        let first = path.iter().min().copied().unwrap_or(0);
        let last = path.iter().max().copied().unwrap_or(0);
        let beside: Vec<usize> = (first..=last)
            .filter(|at| !on_path[*at] && (all_side || !self.nodes[*at].side))
            .filter(|at| self.nodes[*at].message.is_some())
            .collect();
        if beside.is_empty() {
            return path.clone();
        }
        // Each place is a position on the path, and behind it the line of a sibling.
        let mut order: Vec<(usize, usize, usize)> = path
            .iter()
            .enumerate()
            .map(|(position, at)| (position, 0, *at))
            .collect();
        let mut responses: HashMap<&str, usize> = HashMap::new();
        let mut calls: HashMap<&str, usize> = HashMap::new();
        let mut answered: HashSet<&str> = HashSet::new();
        for (position, at) in path.iter().enumerate() {
            let Some(message) = self.message(*at) else {
                continue;
            };
            if let Some(id) = response(message) {
                responses.insert(id, position);
            }
            calls.extend(message.calls().map(|id| (id, position)));
            answered.extend(message.results());
        }
        for at in &beside {
            let message = self.message(*at);
            let found = message.and_then(|message| Some((message, response(message)?)));
            if let Some((message, id)) = found
                && let Some(position) = responses.get(id)
            {
                order.push((*position, *at + 1, *at));
                calls.extend(message.calls().map(|id| (id, *position)));
            }
        }
        for at in &beside {
            let Some(message) = self.message(*at).filter(|m| m.role == Role::User) else {
                continue;
            };
            let position = message.results().find_map(|id| {
                let position = calls.get(id)?;
                (!answered.contains(id)).then_some(*position)
            });
            // Behind the call, or beside the results that follow it on the path.
            if let Some(position) = position {
                let next = path.get(position + 1).and_then(|at| self.message(*at));
                let follows = next.is_some_and(|next| next.results().next().is_some());
                order.push((position + usize::from(follows), *at + 1, *at));
            }
        }
        order.sort_unstable();
        order.into_iter().map(|(.., at)| at).collect()
    }
}

fn response(message: &Message) -> Option<&str> {
    message
        .id
        .as_deref()
        .filter(|_| message.role == Role::Assistant)
}

/// The messages that have a rank, by rank; in place, because they usually stand that way.
fn arranged(mut messages: Vec<Message>, mut ranks: Vec<u32>) -> Vec<Message> {
    let mut rank = ranks.iter();
    messages.retain(|_| rank.next().is_some_and(|rank| *rank != u32::MAX));
    ranks.retain(|rank| *rank != u32::MAX);
    if ranks.is_sorted() {
        return messages;
    }
    let mut ranked: Vec<(u32, Message)> = ranks.into_iter().zip(messages).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, message)| message).collect()
}

/// The kept tail that a step back from one line to another leads into, over its boundary. Only the
/// last few boundaries are asked, so that hostile files take no longer.
fn entered(tails: &[Ends], from: usize, to: usize) -> Option<&Ends> {
    let before = tails.partition_point(|tail| tail.boundary < from);
    let near = tails[..before].iter().rev().take(8);
    let mut near = near.take_while(|tail| tail.boundary > to);
    near.find(|tail| (tail.head..=tail.tail).contains(&to))
}

/// Places of the ends of a kept tail, and of its boundary.
struct Ends {
    boundary: usize,
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
