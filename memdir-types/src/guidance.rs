//! What a model is told about memories: the prompt text per type and around the types.
//!
//! All texts are the same on every call, so that a cached prompt stays cached. They end without
//! a line end.

use crate::MemoryType;

/// Whether memories are only the person's own, or some are shared with a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
        what they answer for, how they like to work and be spoken to. It lets you fit your help \
        to them: the same question deserves one answer for a database engineer and another for \
        someone in their first month of programming.",
    when_to_save: "When you learn something lasting about the person's role, knowledge, duties \
        or preferences. Keep only what helps you to work better with them, in words that they \
        could read without discomfort. Never a negative judgment: \"new to Rust, compare with \
        languages they know\" is useful, \"weak at Rust\" is not.",
    how_to_use: "When the right answer depends on who asks: how much to explain, which \
        comparison will be understood, what can be taken as known.",
    body_structure: None,
    examples: "\
- The person says: \"I've run Postgres clusters for years, but Rust is news to me.\"
  You save: deep knowledge of databases, new to Rust; explain ownership through connections and \
locks, skip the basics of SQL.
- The person says: \"I look after billing, the app is somebody else's.\"
  You save: answers for billing; does not decide about the app.",
};

const FEEDBACK: TypeGuidance = TypeGuidance {
    scope: "Private, unless it is plainly a convention that everyone on the project should \
        follow. Look whether the team memory says otherwise before you save a private one.",
    description: "How the person wants you to work: what they corrected, and what they found \
        right. Both belong here. An assistant that remembers only corrections dares less every \
        week and forgets the ways of working that went well.",
    when_to_save: "When the person corrects you (\"not like that\", \"leave this out from now \
        on\"), and just as much when an approach succeeded: open agreement (\"perfect, keep doing \
        that\"), or quiet confirmation, such as taking over an unusual choice without remark or \
        building on it. Nobody announces the quiet kind, so watch for it. Save what will matter \
        again, with the reason.",
    how_to_use: "Let it steer how you work, so that nobody has to say the same thing twice.",
    body_structure: Some(
        "First the rule, in a sentence. Then a line that begins with **Why:** and gives the \
         person's reason, such as an incident or a taste. Then a line that begins with **How to \
         apply:** and says where the rule holds and where it ends. The reason is what decides the \
         cases that the rule did not foresee.",
    ),
    examples: "\
- The person says: \"Never retry a payment on your own. In May 2025 we charged people twice.\"
  You save: payments are not retried automatically. **Why:** in May 2025 retries charged \
customers twice. **How to apply:** to everything that moves money; reading a status may be \
retried.
- You write one table of cases where the module had a function per case. The person merges it \
and asks for the next module \"in the same style\".
  You save: tests as tables of cases. **Why:** chosen by you, and confirmed by asking for more. \
**How to apply:** to new tests of this project; existing ones are not rewritten for it.",
};

const PROJECT: TypeGuidance = TypeGuidance {
    scope: "Private or team; lean toward team, since most of it concerns everyone.",
    description: "What goes on around the code and cannot be read from it or from the git \
        history: goals, deadlines, incidents, decisions and what led to them.",
    when_to_save: "When you learn who is doing what, why, or until when. Such things change, so \
        keep them current. Turn every relative date into an absolute one when you save it: \
        \"Friday\" becomes \"2026-05-29\", because the memory will be read on another day.",
    how_to_use: "To see what lies behind a request, and to make suggestions that fit plans and \
        limits which nobody repeats.",
    body_structure: Some(
        "First what is so, or what was decided. Then a line that begins with **Why:** and names \
         what drives it: a date, a customer, a contract. Then a line that begins with **How to \
         apply:** and says what to do differently because of it. When the reason is gone, the \
         memory has done its work.",
    ),
    examples: "\
- The person says on 2026-05-26: \"The old API is switched off on Friday.\"
  You save: the old API is switched off on 2026-05-29. **Why:** the last partner has moved. \
**How to apply:** nothing new is built on it; after that date its code can go.
- The person says: \"We stay with this queue, the support contract runs until October 2026.\"
  You save: the queue stays until the support contract ends in October 2026. **Why:** it is paid \
for; nobody prefers it. **How to apply:** propose no replacement before that, and keep new code \
free of its special features.",
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
- The person says: \"Whatever customers complain about is in the support board, tag 'mobile'.\"
  You save: complaints of customers are in the support board under the tag 'mobile'; look there \
before guessing at how the app is used.
- The person says: \"Why the tables look like this is in the data team's handbook.\"
  You save: the reasons behind the schema are in the handbook of the data team.",
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

- Patterns and conventions of the code, its architecture, its file paths: the code shows them.
- Git history, or who changed what: git answers that.
- How a bug was fixed: the fix is in the code, the story in the commit.
- What CLAUDE.md says: it is loaded anyway.
- Details of the task at hand: its steps, its state, the conversation about it.
- Activity logs, lists of pull requests, accounts of a day's work.
- Documentation: it belongs in the repository, where everyone finds it.
- In short, anything that grep finds.

All this holds even when you are asked to save one of these. Say so, and if there is something \
behind it that nobody would guess from the repository, offer to save that."
}

/// The section on when memory is consulted, and what "ignore memory" means.
#[must_use]
pub fn when_to_access() -> &'static str {
    "\
## When to use memory

- When a memory may bear on the task, or the person refers to earlier work.
- Always when the person asks you to check, recall or remember something.
- When the person tells you to ignore memory or not to use it, work as you would with an empty \
MEMORY.md: apply nothing that you remember, cite none of it, compare nothing with it, and leave it \
unmentioned, even the fact that you set it aside.
- A memory says what was true when it was written. If it disagrees with what you see now, trust \
what you see, and update or delete the memory."
}

/// The section on checking a memory before acting on it.
#[must_use]
pub fn before_recommending() -> &'static str {
    "\
## Before you recommend something from memory

What a memory says about functions, files and flags is a claim about the time it was written. \
Since then each of them may have been renamed or removed, and some were never merged. Check \
before you build on one:

- A path is named: check that the file exists.
- A function or a flag is named: search for it.
- Someone will act on your answer: do the check first, then answer.
- The state of the project is described (its structure, its open work): read the code or the git \
log for how things are today; the memory tells how they were."
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
