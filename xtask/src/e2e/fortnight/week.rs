//! The first week: what is said is remembered, in every checkout; what is asked is recalled; rules
//! come with files; the team has its own; the log goes on over midnight.

use std::path::Path;

use memdir_index::Mode;

use super::brain::Step;
use super::{Fortnight, at};
use crate::Result;
use crate::agent::{Agent, Host, Purpose, Turn};
use crate::check;
use crate::e2e::story::{Story, Telling};
use crate::e2e::world::World;
use crate::server::Action;

pub(super) fn tell(it: &Fortnight, story: &mut Story) -> Result<()> {
    story.day(1, &World::date(1), "an agent that knows nobody");
    first(it, story)?;
    story.day(2, &World::date(2), "corrections, in a worktree");
    corrected(it, story)?;
    story.day(3, &World::date(3), "two at once");
    two_at_once(it, story)?;
    story.day(4, &World::date(4), "what is recalled");
    recalled(it, story)?;
    story.day(5, &World::date(5), "rules come with files");
    rules(it, story)?;
    story.day(6, &World::date(6), "the team's memory");
    team(it, story)?;
    story.day(7, &World::date(7), "a log over midnight");
    log(it, story)?;
    Ok(())
}

/// A memory as a model writes it.
pub(super) fn memory(name: &str, kind: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n")
}

fn why(rule: &str, why: &str, how: &str) -> String {
    format!("{rule}\n\n**Why:** {why}\n**How to apply:** {how}")
}

impl Fortnight {
    /// A question, and the memories that come with it.
    fn asks(
        &self,
        says: &str,
        wanted: &[&str],
        agent: &mut Agent,
        told: &mut Telling,
    ) -> Result<Turn> {
        let turn = self.turn(agent, says, [Step::say("I see.")], at(4, 1))?;
        let names: Vec<&str> = turn.recalled.iter().map(String::as_str).collect();
        told.expect(names == wanted, format!("{says}: {names:?}"));
        let shown = match names.is_empty() {
            true => "nothing".to_owned(),
            false => names.join(", "),
        };
        told.say(format!("{says} -> {shown}"));
        Ok(turn)
    }

    /// A turn in which the model saves a memory.
    fn saves(
        &self,
        agent: &mut Agent,
        says: &str,
        (file, text): (&str, String),
        when: std::time::SystemTime,
        told: &mut Telling,
    ) -> Result<()> {
        let path = self.memory.join(file);
        let steps = [
            Step::write(&path, &text),
            Step::say("I'll keep that in mind."),
        ];
        let turn = self.turn(agent, says, steps, when)?;
        told.expect(turn.refused.is_empty(), format!("{:?}", turn.refused));
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        told.expect(written == text, format!("{file} is not what was written"));
        if path.exists() {
            std::fs::File::options()
                .write(true)
                .open(&path)?
                .set_modified(when)?;
        }
        told.say(format!("saved {file}"));
        Ok(())
    }
}

fn first(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("all", "The first session, and the first memory");
    let mut agent = it.session("s01", at(1, 0))?;
    told.expect(agent.messages.is_empty(), "it remembers a conversation");
    let opening = agent.context.opening().texts().collect::<String>();
    told.expect(
        opening.contains("Prices are integers"),
        "CLAUDE.md is missing",
    );
    told.expect(
        opening.contains("A basket is what"),
        "its import is missing",
    );
    told.expect(opening.contains("2026-04-06"), "the date is missing");
    told.expect(
        agent.context.section("memory").contains("MEMORY.md"),
        "the instructions about memory are missing",
    );
    let user = memory(
        "backend background",
        "user",
        "ten years of Go, new to front ends",
        "Explain front-end ideas by their counterparts in a Go service.",
    );
    it.saves(
        &mut agent,
        "I've written Go for ten years, but this is my first front end.",
        ("user_backend_background.md", user),
        at(1, 2),
        &mut told,
    )?;
    for part in 0..3 {
        let path = it.world.main.join(format!("src/part_{part}.rs"));
        let steps = [Step::read(&path), Step::say("It holds one constant.")];
        it.turn(&mut agent, "What is in this file?", steps, at(1, 5 + part))?;
    }
    let ledger = it.ledger();
    let rows: Vec<_> = ledger.of(Purpose::Turn).collect();
    told.expect(rows[0].read == 0, "the first request was in a cache");
    told.expect(
        rows[1..]
            .iter()
            .all(|row| row.read * 100 >= row.input() * 80),
        "a later request is hardly read from the cache",
    );
    told.say(format!(
        "{} requests; from the second on {} % of the input is read from the cache",
        rows.len(),
        rows[1..]
            .iter()
            .map(|row| row.read * 100 / row.input().max(1))
            .min()
            .unwrap_or(0)
    ));
    drop(ledger);
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn corrected(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("all", "A session in a worktree has the same memory");
    let mut agent = it.session_of(&it.host, "s02", &it.world.beside, at(2, 0))?;
    let opening = agent.context.opening().texts().collect::<String>();
    told.expect(
        opening.contains("user_backend_background.md"),
        "the index of yesterday is missing",
    );
    let correction = memory(
        "no mocks in integration tests",
        "feedback",
        "integration tests use a real database",
        &why(
            "Integration tests talk to a real database.",
            "mocked tests passed while a migration broke production.",
            "start the test database first whenever a test touches storage.",
        ),
    );
    it.saves(
        &mut agent,
        "No, don't mock the database in these tests: we got burned by that.",
        ("feedback_no_mocks_in_integration_tests.md", correction),
        at(2, 1),
        &mut told,
    )?;
    let confirmation = memory(
        "one pull request",
        "feedback",
        "refactorings of the cart come in one piece",
        &why(
            "Refactorings of the cart come as one pull request.",
            "splitting was tried, and the person called the single one the right call.",
            "bundle such changes unless asked to split.",
        ),
    );
    it.saves(
        &mut agent,
        "Yes, the single bundled pull request was exactly right here.",
        ("feedback_one_pull_request.md", confirmation),
        at(2, 6),
        &mut told,
    )?;
    // A memory that was written yesterday made the index another one. What stands before it in
    // the request is the same, so it comes from the cache that another checkout filled.
    let ledger = it.ledger();
    let first = ledger
        .rows
        .iter()
        .find(|row| row.session == "s02" && row.purpose == Purpose::Turn);
    let instructions = agent.context.section("memory").len() as u64 / 3;
    let read = first.map_or(0, |row| row.read);
    told.expect(
        read >= instructions,
        format!("{read} tokens from the cache, the instructions have {instructions}"),
    );
    told.say(format!(
        "the first request reads {read} tokens from the cache: tools and instructions"
    ));
    drop(ledger);
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn two_at_once(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "all",
        "Two sessions at once, in two checkouts, lose nothing",
    );
    let mut one = it.session("s03", at(3, 0))?;
    let mut two = it.session_of(&it.host, "s04", &it.world.inside, at(3, 0))?;
    let files = [
        (
            "project_merge_freeze.md",
            memory(
                "merge freeze",
                "project",
                "no merges to main from 2026-04-16 on",
                &why(
                    "From 2026-04-16 on only fixes are merged.",
                    "the mobile team cuts its release branch that day.",
                    "mark work that would land after it.",
                ),
            ),
        ),
        (
            "reference_bug_tracker.md",
            memory(
                "bug tracker",
                "reference",
                "where bugs of the import pipeline are tracked",
                "Import bugs live in the tracker, project `INGEST`.",
            ),
        ),
        (
            "user_working_hours.md",
            memory(
                "working hours",
                "user",
                "works in Shanghai from ten to seven; 在上海工作, 上午十点到晚上七点",
                "Suggest times in UTC+8.",
            ),
        ),
        (
            "reference_latency_board.md",
            memory(
                "latency board",
                "reference",
                "dashboard that the on-call person watches",
                "Request latency: board `api-latency` on the metrics server.",
            ),
        ),
    ];
    for (n, (file, text)) in files.into_iter().enumerate() {
        let agent = if n % 2 == 0 { &mut one } else { &mut two };
        it.saves(
            agent,
            "Remember this, please.",
            (file, text),
            at(3, 1 + n as u64),
            &mut told,
        )?;
    }
    let index = std::fs::read_to_string(it.memory.join("MEMORY.md"))?;
    told.expect(
        index.lines().count() == 7,
        format!("{} lines", index.lines().count()),
    );
    told.expect(
        one.record.path() != two.record.path(),
        "two sessions write one transcript",
    );
    for agent in [&one, &two] {
        for wrong in check::transcript(agent.record.path()) {
            told.expect(false, wrong);
        }
    }
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn recalled(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "all",
        "Recall: by a model, by words, and nothing that is not needed",
    );
    let mut agent = it.session("s05", at(4, 0))?;
    it.asks(
        "may the integration tests mock the database?",
        &["feedback_no_mocks_in_integration_tests.md"],
        &mut agent,
        &mut told,
    )?;
    let sent = agent
        .messages
        .iter()
        .flat_map(|m| m.texts().map(str::to_owned))
        .collect::<String>();
    told.expect(
        sent.contains("This memory is 2 days old"),
        "its age is not said",
    );
    it.asks(
        "我在上海工作, 几点开会好?",
        &["user_working_hours.md"],
        &mut agent,
        &mut told,
    )?;
    // What was surfaced is not offered again.
    it.asks(
        "so the integration tests get a real database?",
        &[],
        &mut agent,
        &mut told,
    )?;
    it.asks(
        "which glaze suits a stoneware teapot",
        &[],
        &mut agent,
        &mut told,
    )?;
    // The model hangs: the turn goes on with what words find.
    it.brain.when_asked_to_pick([Action::Hang]);
    let turn = it.asks(
        "where is the bug tracker of the import pipeline?",
        &["reference_bug_tracker.md"],
        &mut agent,
        &mut told,
    )?;
    let call = turn.receipt.and_then(|receipt| receipt.model);
    let fell_back = call.is_some_and(|call| call.fallback.is_some());
    told.expect(fell_back, "the hanging model is not in the receipt");
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn rules(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("all", "A rule comes with its first file, once");
    let mut agent = it.session("s06", at(5, 0))?;
    let basket = it.world.main.join("web/basket.ts");
    let steps = [Step::read(&basket), Step::say("The limit is 99.")];
    let turn = it.turn(
        &mut agent,
        "What is the limit of a basket?",
        steps,
        at(5, 1),
    )?;
    let names: Vec<String> = turn.rules.iter().map(|path| it.world.shown(path)).collect();
    told.expect(
        names.len() == 2 && names.iter().any(|name| name.ends_with("types.md")),
        format!("{names:?}"),
    );
    told.say(format!("with web/basket.ts came {}", names.join(" and ")));
    let new = it.world.main.join("web/price.ts");
    let steps = [
        Step::write(&new, "export const cents = 100;\n"),
        Step::say("Written."),
    ];
    let turn = it.turn(&mut agent, "Add a file for prices.", steps, at(5, 2))?;
    told.expect(turn.rules.is_empty(), "a rule came twice");
    // A session that begins by writing gets the rule too.
    let mut other = it.session("s07", at(5, 10))?;
    let steps = [
        Step::write(&new, "export const cents = 200;\n"),
        Step::say("Written."),
    ];
    let turn = it.turn(&mut other, "Make it two hundred.", steps, at(5, 11))?;
    told.expect(turn.rules.len() == 2, "a new file came without its rules");
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn team(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new("all", "What the team shares passes a stricter gate");
    let host = Host {
        team: true,
        ..it.host.clone()
    };
    let mut agent = it.session_of(&host, "s08", &it.world.main, at(6, 0))?;
    told.expect(
        agent.context.mode() == Some(Mode::Team),
        "it is no team session",
    );
    let team = it.memory.join("team");
    let calendar = memory(
        "release calendar",
        "reference",
        "where releases are planned",
        "The release calendar is board `releases` in the tracker.",
    );
    let secret = memory(
        "deploy key",
        "reference",
        "the key of the deploy user",
        &format!("The key is ghp_{}.", "Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk0LmNbVc"),
    );
    let steps = [
        Step::write(&team.join("reference_release_calendar.md"), &calendar),
        Step::write(&team.join("reference_deploy_key.md"), &secret),
        Step::say("The calendar is shared. The key is not: it is a secret."),
    ];
    let turn = it.turn(&mut agent, "Share both with the team.", steps, at(6, 1))?;
    told.expect(turn.refused.len() == 1, format!("{:?}", turn.refused));
    for why in &turn.refused {
        told.say(format!("refused: {why}"));
        told.expect(!why.contains("Zx8Qw3Er"), "the refusal says the secret");
    }
    told.expect(
        !team.join("reference_deploy_key.md").exists(),
        "the secret is shared",
    );
    for wrong in check::memory(&team) {
        told.expect(false, format!("team: {wrong}"));
    }
    let next = it.session_of(&host, "s09", &it.world.beside, at(6, 10))?;
    let opening = next.context.opening().texts().collect::<String>();
    told.expect(
        opening.contains("release_calendar"),
        "the next session does not see it",
    );
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

fn log(it: &Fortnight, story: &mut Story) -> Result<()> {
    let mut told = Telling::new(
        "all",
        "A log over midnight, and a prompt that does not change",
    );
    let host = Host {
        daily_log: true,
        dreams: false,
        ..it.host.clone()
    };
    // Fourteen hours and fifty minutes after nine: ten minutes before midnight.
    let mut agent = it.session_of(&host, "s10", &it.world.main, at(7, 890))?;
    told.expect(
        agent.context.mode() == Some(Mode::DailyLog),
        "it keeps no log",
    );
    let system = agent.context.system();
    let opening = agent.context.opening();
    let log = |date: &str, line: &str| {
        let path = it.memory.join(log_file(date));
        [Step::write(&path, line), Step::say("Logged.")]
    };
    it.turn(
        &mut agent,
        "The audit is on Friday.",
        log("2026-04-12", "- 23:51 the audit is on Friday"),
        at(7, 891),
    )?;
    let before = it.ledger().rows.len();
    let turn = it.turn(
        &mut agent,
        "And it begins at ten.",
        log("2026-04-13", "- 00:03 it begins at ten"),
        at(7, 903),
    )?;
    told.expect(turn.refused.is_empty(), format!("{:?}", turn.refused));
    told.expect(
        agent.context.system() == system && agent.context.opening() == opening,
        "midnight changed what stands in front of the conversation",
    );
    let said = agent
        .messages
        .iter()
        .flat_map(|m| m.texts().map(str::to_owned))
        .collect::<String>();
    told.expect(
        said.contains("now 2026-04-13"),
        "the model does not know the new day",
    );
    let rows = it.ledger().rows[before..].to_vec();
    let turns: Vec<_> = rows
        .iter()
        .filter(|row| row.purpose == Purpose::Turn)
        .collect();
    let share = turns
        .first()
        .map_or(0, |row| row.read * 100 / row.input().max(1));
    told.expect(
        share >= 80,
        format!("{share} % of the request after midnight came from the cache"),
    );
    told.say(format!(
        "the request after midnight reads {share} % from the cache"
    ));
    for (date, line) in [
        ("2026-04-12", "- 23:51 the audit"),
        ("2026-04-13", "- 00:03 it begins"),
    ] {
        let text = std::fs::read_to_string(it.memory.join(log_file(date))).unwrap_or_default();
        told.expect(text.starts_with(line), format!("{date}: {text:?}"));
        told.say(format!("{}: {}", log_file(date), text.trim()));
    }
    it.check_disk(&mut told);
    story.tell(told);
    Ok(())
}

/// Where the log of a day is, below the memory directory.
fn log_file(date: &str) -> String {
    let mut parts = date.split('-');
    let (year, month) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    Path::new("logs")
        .join(year)
        .join(month)
        .join(format!("{date}.md"))
        .display()
        .to_string()
}
