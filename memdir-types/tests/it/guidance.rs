//! The prompt texts: what they have to say, and how they say it.

use memdir_types::MemoryType::{self, Feedback, Project, Reference, User};
use memdir_types::guidance::{self, Mode};

/// The text, on one line and in lower case, says all of this.
#[track_caller]
fn says(text: &str, needles: &[&str]) {
    let flat = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    for needle in needles {
        assert!(
            flat.contains(&needle.to_lowercase()),
            "{needle:?} is missing from:\n{text}"
        );
    }
}

/// What stands between the tags.
#[track_caller]
fn part<'t>(text: &'t str, tag: &str) -> &'t str {
    let start = text.find(&format!("<{tag}>")).unwrap() + tag.len() + 2;
    &text[start..start + text[start..].find(&format!("</{tag}>")).unwrap()]
}

#[test]
fn each_type_has_its_parts_in_order() {
    for mode in [Mode::Private, Mode::Team] {
        let all = guidance::types(mode);
        assert!(
            all.starts_with("<types>\n<type>\n<name>user</name>\n")
                && all.ends_with("</type>\n</types>")
        );
        for kind in MemoryType::ALL {
            let text = guidance::for_type(kind, mode);
            assert!(all.contains(&text));
            let mut tags = vec!["name"];
            if mode == Mode::Team {
                tags.push("scope");
            }
            tags.extend(["description", "when_to_save", "how_to_use"]);
            if matches!(kind, Feedback | Project) {
                tags.push("body_structure");
            }
            tags.push("examples");
            let mut at = 0;
            for tag in &tags {
                let open = text[at..].find(&format!("<{tag}>")).unwrap() + at;
                at = text[open..].find(&format!("</{tag}>")).unwrap() + open;
            }
            assert_eq!(
                text.matches("</").count(),
                tags.len() + 1,
                "{kind} in {mode:?}"
            );
            assert_eq!(part(&text, "name"), kind.as_str());
        }
    }
}

#[test]
fn success_and_quiet_confirmation_are_saved_as_well_as_corrections() {
    let text = guidance::for_type(Feedback, Mode::Private);
    says(
        part(&text, "when_to_save"),
        &["corrects", "succeeded", "quiet confirmation"],
    );
    says(part(&text, "description"), &["both", "dares less"]);
}

#[test]
fn nobody_is_judged() {
    says(
        part(&guidance::for_type(User, Mode::Private), "when_to_save"),
        &["never a negative judgment"],
    );
}

#[test]
fn relative_dates_become_absolute() {
    says(
        part(&guidance::for_type(Project, Mode::Private), "when_to_save"),
        &["relative date into an absolute one"],
    );
}

#[test]
fn feedback_and_project_have_a_reason_and_a_use() {
    for kind in [Feedback, Project] {
        let text = guidance::for_type(kind, Mode::Private);
        says(
            part(&text, "body_structure"),
            &["**Why:**", "**How to apply:**"],
        );
        says(part(&text, "examples"), &["**Why:**", "**How to apply:**"]);
    }
}

#[test]
fn the_scope_of_each_type_in_a_team() {
    let scope = |kind| part(&guidance::for_type(kind, Mode::Team), "scope").to_owned();
    says(&scope(User), &["always private"]);
    says(&scope(Feedback), &["private, unless", "convention"]);
    says(&scope(Project), &["private or team", "lean toward team"]);
    says(&scope(Reference), &["usually team"]);
    assert!(!guidance::types(Mode::Private).contains("<scope>"));
    says(
        guidance::no_secrets_in_team_memory(),
        &["never", "API keys", "passwords", "credentials"],
    );
}

#[test]
fn what_is_never_saved() {
    says(
        guidance::what_not_to_save(),
        &[
            "patterns",
            "conventions",
            "architecture",
            "paths",
            "git history",
            "who changed what",
            "the fix is in the code",
            "CLAUDE.md",
            "task at hand",
            "activity logs",
            "pull requests",
            "documentation",
            "belongs in the repository",
            "grep finds",
            "even when you are asked",
        ],
    );
}

#[test]
fn memories_are_checked_before_they_are_recommended() {
    let text = guidance::before_recommending();
    assert!(
        text.starts_with("## Before you recommend"),
        "the heading names the act"
    );
    says(
        text,
        &[
            "functions, files and flags",
            "a claim about the time it was written",
            "renamed",
            "removed",
            "never merged",
            "check that the file exists",
            "a function or a flag is named: search for it",
        ],
    );
}

#[test]
fn ignoring_memory_means_as_if_it_were_empty() {
    says(
        guidance::when_to_access(),
        &[
            "ignore memory",
            "an empty MEMORY.md",
            "apply nothing",
            "cite none",
            "compare nothing",
            "leave it unmentioned",
            "trust what you see",
            "update or delete the memory",
        ],
    );
}

#[test]
fn the_template_has_three_keys() {
    let text = guidance::frontmatter_template();
    let inner = text
        .strip_prefix("```markdown\n")
        .unwrap()
        .strip_suffix("\n```")
        .unwrap();
    let memory = memdir_types::Memory::parse(inner);
    assert!(memory.has_frontmatter() && memory.name().is_some() && memory.description().is_some());
    let keys: Vec<_> = inner
        .lines()
        .filter_map(|l| l.split_once(": {{"))
        .map(|(key, _)| key)
        .collect();
    assert_eq!(keys, ["name", "description", "type"]);
    says(
        text,
        &["user | feedback | project | reference", "search by"],
    );
}

#[test]
fn texts_are_ready_to_be_joined() {
    let mut texts = vec![
        guidance::types(Mode::Private),
        guidance::types(Mode::Team),
        guidance::what_not_to_save().to_owned(),
        guidance::when_to_access().to_owned(),
        guidance::before_recommending().to_owned(),
        guidance::frontmatter_template().to_owned(),
        guidance::no_secrets_in_team_memory().to_owned(),
    ];
    for text in &texts {
        assert_eq!(text.trim(), text);
        assert!(!text.contains("  \n") && !text.contains('\t') && !text.contains('\r'));
    }
    texts.dedup();
    assert_eq!(texts.len(), 7);
    assert_eq!(guidance::types(Mode::Team), guidance::types(Mode::Team));
}

#[test]
fn the_wording_of_the_types() {
    insta::assert_snapshot!(guidance::types(Mode::Team), @r#"
    <types>
    <type>
    <name>user</name>
    <scope>Always private.</scope>
    <description>Who the person is: their role, what they know well and what is new to them, what they answer for, how they like to work and be spoken to. It lets you fit your help to them: the same question deserves one answer for a database engineer and another for someone in their first month of programming.</description>
    <when_to_save>When you learn something lasting about the person's role, knowledge, duties or preferences. Keep only what helps you to work better with them, in words that they could read without discomfort. Never a negative judgment: "new to Rust, compare with languages they know" is useful, "weak at Rust" is not.</when_to_save>
    <how_to_use>When the right answer depends on who asks: how much to explain, which comparison will be understood, what can be taken as known.</how_to_use>
    <examples>
    - The person says: "I've run Postgres clusters for years, but Rust is news to me."
      You save: deep knowledge of databases, new to Rust; explain ownership through connections and locks, skip the basics of SQL.
    - The person says: "I look after billing, the app is somebody else's."
      You save: answers for billing; does not decide about the app.
    </examples>
    </type>
    <type>
    <name>feedback</name>
    <scope>Private, unless it is plainly a convention that everyone on the project should follow. Look whether the team memory says otherwise before you save a private one.</scope>
    <description>How the person wants you to work: what they corrected, and what they found right. Both belong here. An assistant that remembers only corrections dares less every week and forgets the ways of working that went well.</description>
    <when_to_save>When the person corrects you ("not like that", "leave this out from now on"), and just as much when an approach succeeded: open agreement ("perfect, keep doing that"), or quiet confirmation, such as taking over an unusual choice without remark or building on it. Nobody announces the quiet kind, so watch for it. Save what will matter again, with the reason.</when_to_save>
    <how_to_use>Let it steer how you work, so that nobody has to say the same thing twice.</how_to_use>
    <body_structure>First the rule, in a sentence. Then a line that begins with **Why:** and gives the person's reason, such as an incident or a taste. Then a line that begins with **How to apply:** and says where the rule holds and where it ends. The reason is what decides the cases that the rule did not foresee.</body_structure>
    <examples>
    - The person says: "Never retry a payment on your own. In May 2025 we charged people twice."
      You save: payments are not retried automatically. **Why:** in May 2025 retries charged customers twice. **How to apply:** to everything that moves money; reading a status may be retried.
    - You write one table of cases where the module had a function per case. The person merges it and asks for the next module "in the same style".
      You save: tests as tables of cases. **Why:** chosen by you, and confirmed by asking for more. **How to apply:** to new tests of this project; existing ones are not rewritten for it.
    </examples>
    </type>
    <type>
    <name>project</name>
    <scope>Private or team; lean toward team, since most of it concerns everyone.</scope>
    <description>What goes on around the code and cannot be read from it or from the git history: goals, deadlines, incidents, decisions and what led to them.</description>
    <when_to_save>When you learn who is doing what, why, or until when. Such things change, so keep them current. Turn every relative date into an absolute one when you save it: "Friday" becomes "2026-05-29", because the memory will be read on another day.</when_to_save>
    <how_to_use>To see what lies behind a request, and to make suggestions that fit plans and limits which nobody repeats.</how_to_use>
    <body_structure>First what is so, or what was decided. Then a line that begins with **Why:** and names what drives it: a date, a customer, a contract. Then a line that begins with **How to apply:** and says what to do differently because of it. When the reason is gone, the memory has done its work.</body_structure>
    <examples>
    - The person says on 2026-05-26: "The old API is switched off on Friday."
      You save: the old API is switched off on 2026-05-29. **Why:** the last partner has moved. **How to apply:** nothing new is built on it; after that date its code can go.
    - The person says: "We stay with this queue, the support contract runs until October 2026."
      You save: the queue stays until the support contract ends in October 2026. **Why:** it is paid for; nobody prefers it. **How to apply:** propose no replacement before that, and keep new code free of its special features.
    </examples>
    </type>
    <type>
    <name>reference</name>
    <scope>Usually team.</scope>
    <description>Where to look outside the project: which tracker, dashboard, channel or document holds what. The place, not a copy of what is there.</description>
    <when_to_save>When you learn of an outside source and what it is good for.</when_to_save>
    <how_to_use>When a question touches something that the source keeps, or the person speaks of it.</how_to_use>
    <examples>
    - The person says: "Whatever customers complain about is in the support board, tag 'mobile'."
      You save: complaints of customers are in the support board under the tag 'mobile'; look there before guessing at how the app is used.
    - The person says: "Why the tables look like this is in the data team's handbook."
      You save: the reasons behind the schema are in the handbook of the data team.
    </examples>
    </type>
    </types>
    "#);
}

#[test]
fn the_wording_of_the_sections() {
    insta::assert_snapshot!(guidance::what_not_to_save(), @r#"
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

    All this holds even when you are asked to save one of these. Say so, and if there is something behind it that nobody would guess from the repository, offer to save that.
    "#);
    insta::assert_snapshot!(guidance::when_to_access(), @r#"
    ## When to use memory

    - When a memory may bear on the task, or the person refers to earlier work.
    - Always when the person asks you to check, recall or remember something.
    - When the person tells you to ignore memory or not to use it, work as you would with an empty MEMORY.md: apply nothing that you remember, cite none of it, compare nothing with it, and leave it unmentioned, even the fact that you set it aside.
    - A memory says what was true when it was written. If it disagrees with what you see now, trust what you see, and update or delete the memory.
    "#);
    insta::assert_snapshot!(guidance::before_recommending(), @r#"
    ## Before you recommend something from memory

    What a memory says about functions, files and flags is a claim about the time it was written. Since then each of them may have been renamed or removed, and some were never merged. Check before you build on one:

    - A path is named: check that the file exists.
    - A function or a flag is named: search for it.
    - Someone will act on your answer: do the check first, then answer.
    - The state of the project is described (its structure, its open work): read the code or the git log for how things are today; the memory tells how they were.
    "#);
    insta::assert_snapshot!(guidance::frontmatter_template(), @r#"
    ```markdown
    ---
    name: {{short title}}
    description: {{one line to search by: the words that a later task would share with this memory}}
    type: {{user | feedback | project | reference}}
    ---

    {{what to remember; for feedback and project: the rule or fact, then **Why:**, then **How to apply:**}}
    ```
    "#);
    insta::assert_snapshot!(guidance::no_secrets_in_team_memory(), @"Never put secrets into team memory: no API keys, tokens, passwords or other credentials of a person or a service. Everyone on the project can read it.");
}
