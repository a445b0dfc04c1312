//! The instructions for a private directory beside one that the team shares.

use memdir_types::guidance;

use super::standard::{AIM, CARE, SEARCH_KEY, index_care, index_kept, index_step, using};
use super::{Directory, IndexUse, Place, Prompt};

pub(super) fn sections(options: &Prompt, team: &Place) -> Vec<String> {
    let mut sections = vec![
        intro(&options.private, team),
        scope(),
        format!(
            "## Types of memory\n\nEvery memory has one of four types, and each type says in \
             `<scope>` which directory it belongs in:\n\n{}",
            guidance::types(guidance::Mode::Team)
        ),
        guidance::what_not_to_save().to_owned(),
        how_to_save(options, team),
    ];
    sections.extend(using());
    sections
}

fn intro(private: &Place, team: &Place) -> String {
    let exists = match (private.directory, team.directory) {
        (Directory::Exists, Directory::Exists) => " Both directories exist.",
        (Directory::Exists, Directory::Unknown) => " The private directory exists.",
        (Directory::Unknown, Directory::Exists) => " The team's directory exists.",
        (Directory::Unknown, Directory::Unknown) => "",
    };
    let (private, team) = (private.path(), team.path());
    format!(
        "\
# auto memory, private and team

You have a memory that outlasts this conversation, in two directories:

- private: `{private}`, for this person on this machine; never committed.
- team: `{team}`, shared by everyone who works on this project.

Write to them directly with your write tool: no mkdir, no check whether they exist.{exists}

{AIM}"
    )
}

fn scope() -> String {
    format!(
        "\
## Private or team

- Private is what concerns this person: who they are, how they like to work.
- Team is what everyone on the project should know: conventions that all follow, decisions and \
their reasons, where to look things up.
- Each fact stands in exactly one of the two directories. Before you save, look whether the other \
one already has it; move it rather than copy it.
- If you are in doubt, keep it private: it can be shared later, but not unshared.
- Where a private memory and a team memory disagree, follow the private one for this person, and \
say so if others would want to know.
- {}",
        guidance::no_secrets_in_team_memory()
    )
}

fn how_to_save(options: &Prompt, team: &Place) -> String {
    let (private_path, team_path) = (options.private.path(), team.path());
    let template = guidance::frontmatter_template();
    let file = format!(
        "Choose the directory by the type's scope, `{private_path}` or `{team_path}`. Write the memory to a file of \
         its own there, named by type and topic (`user_role.md`, `feedback_testing.md`), with this \
         frontmatter:\n\n{template}\n\n{SEARCH_KEY}"
    );
    match options.index {
        IndexUse::Skipped => format!("## How to save a memory\n\n{file}\n\n{CARE}"),
        IndexUse::Listed => {
            let indexes = format!(
                "of the same directory, `{}` or `{}`",
                options.private.index(),
                team.index()
            );
            format!(
                "## How to save a memory\n\nTwo steps:\n\n1. {file}\n\n2. {}\n\n{}\n{CARE}",
                index_step(&indexes),
                index_care()
            )
        }
        IndexUse::Kept => {
            let indexes = format!(
                "of each directory, `{}` and `{}`, is",
                options.private.index(),
                team.index()
            );
            format!(
                "## How to save a memory\n\n{file}\n\n{}\n{CARE}",
                index_kept(&indexes)
            )
        }
    }
}
