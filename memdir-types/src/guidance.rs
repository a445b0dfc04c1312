//! What a model is told about memories: the prompt text per type and around the types.
//!
//! All texts are the same on every call, so that a cached prompt stays cached. They end without
//! a line end.

use crate::MemoryType;

/// Whether memories are only the person's own, or some are shared with a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// One private directory.
    #[default]
    Private,
    /// A private directory and a shared one: each type says which of the two it belongs in.
    Team,
}

/// The text about one type.
struct TypeGuidance {
    scope: &'static str,
    description: &'static str,
    when_to_save: &'static str,
    how_to_use: &'static str,
    body_structure: Option<&'static str>,
    examples: &'static str,
}

const USER: TypeGuidance = TypeGuidance {
    scope: "Always private.",
    description: "Who the person is: their role, what they know well and what is new to them, \
        what they are responsible for, how they like to work and be spoken to. The aim is to fit \
        your help to this person: a database engineer and someone in their first month of \
        programming need different answers to the same question.",
    when_to_save: "When you learn something lasting about the person's role, knowledge, \
        responsibilities or preferences. Write down only what helps you to work better with \
        them, in words that they could read without discomfort. Never a negative judgement: \
        \"new to React, explain with backend terms\" is useful, \"weak at frontend\" is not.",
    how_to_use: "When the right answer depends on who asks: how much to explain, which \
        comparison will be understood, what can be taken as known.",
    body_structure: None,
    examples: "\
- The person says: \"I've run Postgres clusters for years, but this is my first Rust project.\"
  You save: knows databases deeply and is new to Rust; explain ownership through resource \
handling they know from databases, skip the basics of SQL.
- The person says: \"I look after billing, the mobile team owns the rest.\"
  You save: responsible for billing; questions about the app itself go to the mobile team.",
};

const FEEDBACK: TypeGuidance = TypeGuidance {
    scope: "Private, unless it is plainly a convention that everyone on the project should \
        follow. Before you save a private one, see whether the team memory already says \
        otherwise.",
    description: "How the person wants you to work: what they corrected, and what they found \
        right. Both belong here. With corrections alone you would stop repeating mistakes and at \
        the same time drift away from what has proved itself, and grow timid.",
    when_to_save: "When the person corrects you (\"not like that\", \"stop doing X\"), and just \
        as much when an approach succeeded: open agreement (\"yes, exactly\"), and also quiet \
        confirmation, such as accepting an unusual choice without remark or building on it. \
        Corrections announce themselves; confirmations have to be noticed. Save what will matter \
        again, with the reason.",
    how_to_use: "Let it steer how you work, so that nobody has to say the same thing twice.",
    body_structure: Some(
        "First the rule itself, in a sentence. Then a line that begins with **Why:** and gives \
         the reason as the person sees it, often an incident or a strong preference. Then a line \
         that begins with **How to apply:** and says when the rule holds. Whoever knows the \
         reason can judge the borderline case.",
    ),
    examples: "\
- The person says: \"Don't fake the database in these tests. A faked one passed last spring \
while the real migration broke.\"
  You save: integration tests run against a real database. **Why:** with a fake, the tests \
passed and the migration failed in production in spring 2025. **How to apply:** to every test \
that touches storage; unit tests of pure functions are not meant.
- You put a refactoring into one pull request, and the person says: \"Good that you kept this \
together.\"
  You save: refactorings of this area go into one pull request. **Why:** confirmed as the right \
choice; splitting would have cost more review than it saved. **How to apply:** here; not a rule \
about features.",
};

const PROJECT: TypeGuidance = TypeGuidance {
    scope: "Private or team; lean toward team, since most of it concerns everyone.",
    description: "What is going on around the code and cannot be read from it or from the git \
        history: goals, deadlines, incidents, decisions and the reasons behind them.",
    when_to_save: "When you learn who is doing what, why, or until when. Such things change, so \
        keep them current. Turn every relative date into an absolute one when you save it: \
        \"Thursday\" becomes \"2026-03-05\", because the memory will be read on another day.",
    how_to_use: "To see what lies behind a request, and to make suggestions that fit plans and \
        limits the person did not repeat.",
    body_structure: Some(
        "First the fact or decision. Then a line that begins with **Why:** and gives the motive, \
         a deadline or a demand from outside. Then a line that begins with **How to apply:** and \
         says what it changes in your suggestions. Projects move on; the reason shows later \
         whether the memory still counts.",
    ),
    examples: "\
- The person says on 2026-03-02: \"From Thursday nothing but fixes goes in, mobile cuts the \
release.\"
  You save: from 2026-03-05 only fixes are merged. **Why:** the mobile team cuts the release \
branch. **How to apply:** point out that other work planned after that date has to wait.
- The person says: \"We replace the login layer because legal objected to how it stores \
tokens.\"
  You save: the login layer is replaced for legal reasons. **Why:** token storage breaks a \
rule; it is not a cleanup. **How to apply:** where scope is in doubt, compliance goes before \
comfort.",
};

const REFERENCE: TypeGuidance = TypeGuidance {
    scope: "Usually team.",
    description: "Where to look outside the project: which tracker, dashboard, channel or \
        document holds what. The place, not a copy of what is there.",
    when_to_save: "When you learn of an outside source and what it is good for.",
    how_to_use: "When a question touches something that the source keeps, or the person speaks \
        of it.",
    body_structure: None,
    examples: "\
- The person says: \"Pipeline bugs live in the INGEST project of our tracker.\"
  You save: pipeline bugs are tracked in the project INGEST; look there for background.
- The person says: \"On-call watches the latency board, so mind it when you touch request \
code.\"
  You save: the latency board is what on-call watches; check it after changes to the request \
path.",
};

fn guidance(kind: MemoryType) -> &'static TypeGuidance {
    match kind {
        MemoryType::User => &USER,
        MemoryType::Feedback => &FEEDBACK,
        MemoryType::Project => &PROJECT,
        MemoryType::Reference => &REFERENCE,
    }
}

/// The four types, in tags: `<types>` holds one `<type>` each, with `<name>`, in team mode
/// `<scope>`, then `<description>`, `<when_to_save>`, `<how_to_use>`, for feedback and project
/// `<body_structure>`, and `<examples>`.
#[must_use]
pub fn types(mode: Mode) -> String {
    let mut out = String::from("<types>\n");
    for kind in MemoryType::ALL {
        out.push_str(&for_type(kind, mode));
        out.push('\n');
    }
    out.push_str("</types>");
    out
}

/// The `<type>` part of one type.
#[must_use]
pub fn for_type(kind: MemoryType, mode: Mode) -> String {
    let text = guidance(kind);
    let mut out = String::from("<type>\n");
    let mut part = |tag: &str, content: &str| {
        out.push_str(&format!("<{tag}>{content}</{tag}>\n"));
    };
    part("name", kind.as_str());
    if mode == Mode::Team {
        part("scope", text.scope);
    }
    part("description", text.description);
    part("when_to_save", text.when_to_save);
    part("how_to_use", text.how_to_use);
    if let Some(structure) = text.body_structure {
        part("body_structure", structure);
    }
    part("examples", &format!("\n{}\n", text.examples));
    out.push_str("</type>");
    out
}

/// The section on what is never saved.
#[must_use]
pub fn what_not_to_save() -> &'static str {
    "\
## What not to save

Memory is for what the project itself does not show. Never save:

- Patterns and conventions of the code, its architecture, file paths or layout: read the code.
- Git history, or who changed what: `git log` and `git blame` know it better.
- How a bug was fixed: the fix is in the code, the story in the commit.
- Anything that CLAUDE.md already says.
- Details of the task at hand: its steps, its state, what the conversation is about.
- Activity logs, lists of pull requests, summaries of a day's work.
- Documentation: it belongs in the repository, where the team finds it.
- In short, anything that grep finds.

This holds even when you are asked to save one of these. Ask instead what was surprising or not \
obvious about it: that part may be worth a memory."
}

/// The section on when memory is consulted, and what "ignore memory" means.
#[must_use]
pub fn when_to_access() -> &'static str {
    "\
## When to use memory

- When a memory may bear on the task, or the person refers to earlier work.
- Always when the person asks you to check, recall or remember something.
- When the person tells you to ignore memory or not to use it: behave as if MEMORY.md were \
empty. Do not apply what you remember, do not cite it, do not compare with it, and do not mention \
it, not even to say that you set it aside.
- A memory says what was true when it was written. If it disagrees with what you see now, trust \
what you see, and update or delete the memory."
}

/// The section on checking a memory before acting on it.
#[must_use]
pub fn before_recommending() -> &'static str {
    "\
## Before you recommend something from memory

A memory that names a function, a file or a flag claims that it was there when the memory was \
written. Since then it may have been renamed or removed, or it was never merged. So, before you \
build on it:

- It names a path: check that the file exists.
- It names a function or a flag: search for it.
- The person is about to act on what you say, and is not just asking about the past: verify first.
- It describes the state of the project at some time (activity, architecture, open work): for how \
things are now, look at the code or at `git log` rather than at the memory.

\"The memory says that X exists\" is not the same as \"X exists\"."
}

/// The section that keeps secrets out of shared memory; for [`Mode::Team`].
#[must_use]
pub fn no_secrets_in_team_memory() -> &'static str {
    "Never put secrets into team memory: no API keys, tokens, passwords or other credentials of \
a person or a service. Everyone on the project can read it."
}

/// The file that a model is asked to write: three keys, then the body.
#[must_use]
pub fn frontmatter_template() -> &'static str {
    "\
```markdown
---
name: {{short title}}
description: {{one line to search by: the words that a later task would share with this memory}}
type: {{user | feedback | project | reference}}
---

{{what to remember; for feedback and project: the rule or fact, then **Why:**, then **How to \
apply:**}}
```"
}
