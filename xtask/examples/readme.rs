//! The snippets of the root README, each in a function, so that all of them compile and run.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program")]

use std::path::Path;
use std::time::{Duration, SystemTime};

use memdir_paths::MemoryDir;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn paths(cwd: &Path) -> Result<()> {
    use memdir_paths::{Env, Settings, SettingsOptions, resolve};
    let env = Env::from_process();
    let settings = Settings::read(&env, cwd, &SettingsOptions::default());
    let found = resolve(&env, &settings, cwd)?;
    println!("{:?}, refused: {:?}", found.dir, found.rejected);
    Ok(())
}

fn types(text: &str) -> Result<memdir_types::Cleared<memdir_types::Memory>> {
    use memdir_types::{Audience, Memory, gate};
    let mut memory = Memory::parse(text); // never fails; memory.warnings() says what was odd
    memory.set_name("Tests use a real database")?;
    let cleared = gate(&memory, Audience::PrivateStrict)?; // no secret, no hidden text
    Ok(cleared)
}

fn index(dir: &MemoryDir, cleared: memdir_types::Cleared<memdir_types::Memory>) -> Result<()> {
    use memdir_index::{Measure, Store};
    let store = Store::open(dir.path())?;
    let saved = store.save(cleared, None)?; // the file and its line, or neither
    let loaded = store.load(Measure::Bytes)?; // at most 200 lines and 25,000 bytes
    println!("{}: {:?}", saved.file, loaded.text);
    Ok(())
}

fn age(modified: SystemTime, now: SystemTime) {
    use memdir_age::freshness;
    if let Some(note) = freshness(modified, now) {
        println!("{note}"); // This memory is 47 days old. …
    }
}

fn recall(dir: &MemoryDir) -> Result<()> {
    use memdir_recall::{Options, Query, Recall};
    let recall = Recall::scan(dir.path(), &Options::default())?;
    let picked = recall.pick(&Query::new("Should I mock the database?"));
    println!("{:?}", picked.memories); // at most five, perhaps none
    println!("{}", picked.receipt); // why each was or was not chosen
    Ok(())
}

fn instructions(cwd: &Path, today: claudemd::Date) {
    use claudemd::{Operation, Options, Roots, Session};
    let mut session = Session::load(&Roots::new(cwd), &Options::default());
    println!("{}", session.user_context(today).to_message_text());
    let rules = session.for_path("src/new.rs", Operation::Write); // each once
    println!("{} rules, {}", rules.len(), session.report());
}

fn consolidation(dir: &MemoryDir, transcripts: &Path, on: &autodream::Enabled) -> Result<()> {
    use autodream::{Config, Gate, Opening, Process, Transcripts};
    let transcripts = Transcripts::new([transcripts]);
    let mut gate = Gate::new(dir.clone(), transcripts, Config::default());
    match gate.check(SystemTime::now(), on, &Process::current())? {
        Opening::Closed(why) => println!("{why}"), // too soon: 3 h 12 min left
        Opening::Open(ticket) => drop(ticket),     // or dream(ticket, …).await
    }
    Ok(())
}

fn window(messages: &[compact_sm::Message], policy: &compact_sm::Policy) {
    use compact_sm::{Estimator, Source, validate};
    let decision = policy.decide(messages, &Estimator::default(), Source::Main);
    println!("{decision}"); // compact: the threshold is reached; 171011 tokens …
    let is_full = decision.compacts(); // then compact(messages, &Cause::Auto(&decision), …).await
    println!("{is_full}");
    assert!(validate(messages).is_empty()); // what the API would refuse
}

fn main() -> Result<()> {
    let project = tempfile::tempdir()?;
    let dir = MemoryDir::new(project.path().join("memory"));
    dir.ensure(None)?;
    paths(project.path())?;
    let cleared = types("---\nname: db\ndescription: tests\ntype: feedback\n---\n\nNo mocks.\n")?;
    index(&dir, cleared)?;
    age(
        SystemTime::UNIX_EPOCH,
        SystemTime::UNIX_EPOCH + Duration::from_secs(4_060_800),
    );
    recall(&dir)?;
    let today = claudemd::Date::new(2026, 11, 30).ok_or("no such day")?;
    instructions(project.path(), today);
    let settings = autodream::Settings::default().auto_dream_enabled(true);
    let host = autodream::Host::default();
    let on = autodream::enabled(&settings, &autodream::Flags::default(), &host);
    consolidation(&dir, project.path(), &on)?;
    let policy = compact_sm::Policy::new(
        &compact_sm::Window::new(200_000, 32_000),
        &compact_sm::Overrides::default(),
        &compact_sm::Settings::default(),
        &compact_sm::Flags::default(),
    );
    window(
        &[compact_sm::Message::user("Why does the build fail?")],
        &policy,
    );
    Ok(())
}
