//! An agent with a memory. GUIDE.md walks through it.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program")]

use std::path::Path;
use std::time::{Duration, SystemTime};

use claudemd::{Date, Roots, Session, Switches};
use memdir_age::freshness;
use memdir_index::{IndexUse, LoadOptions, Store, load_memory_prompt, local_date_time};
use memdir_paths::{Env, MemoryDir, Settings, SettingsOptions, resolve};
use memdir_recall::{Auth, ClientOptions, MessagesClient, Options, Query, SessionBudget};
use memdir_recall::{recall, surface};
use memdir_types::{Audience, Memory, gate};
use serde_json::{Value, json};
use tokio::time::sleep;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

async fn turn(question: &str, client: &MessagesClient) -> Result<String> {
    // Where memory lives: one directory for the project, shared by all its worktrees.
    let (cwd, env) = (std::env::current_dir()?, Env::from_process());
    let settings = Settings::read(&env, &cwd, &SettingsOptions::default());
    let found = resolve(&env, &settings, &cwd)?;
    found.ensure()?;
    let dir = found.dir.as_ref().ok_or("memory is off")?;

    // Instructions for the system prompt. `save` below keeps the index, so the model need not.
    let options = LoadOptions::default().index(IndexUse::Kept);
    let options = options.index_text(found.index_text);
    let memory = load_memory_prompt(Some(dir), &options).ok_or("memory is off")?;

    // CLAUDE.md in all its layers, the index and the date (here of UTC) for the first message.
    let roots = Roots::new(&cwd).git_root(&found.root.path);
    let roots = roots.config_home(env.config_home(&cwd)?);
    let switches = Switches::from_lookup(|name| std::env::var_os(name));
    let options = claudemd::Options::default().switches(switches);
    let (date, _) = local_date_time(SystemTime::now(), 0);
    let today = Date::new(date.year, date.month, date.day).ok_or("no such day")?;
    let mut context = Session::load(&roots, &options).user_context(today);
    for index in &memory.indexes {
        context = context.section("memory", &*index.text);
    }

    // At most five memories that bear on the question, picked by a small model or by words.
    let (query, now) = (Query::new(question), SystemTime::now());
    let patience = sleep(Duration::from_secs(3));
    let picked = recall(dir.path(), &query, client, patience, &Options::default()).await?;
    let age = |memory: &memdir_recall::Recalled| freshness(memory.modified, now);
    let shown = surface(dir.path(), &picked.memories, &mut SessionBudget::new(), age);

    // The first message, one tool, and a loop until the model calls none.
    let kind = json!({ "type": "string" });
    let input = json!({ "type": "object", "properties": { "file_path": kind, "content": kind } });
    let write = json!({ "name": "Write", "description": "Writes a file.", "input_schema": input });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let mut said = vec![text(&context.to_message_text()), text(question)];
    said.extend(shown.attachments.iter().map(|it| text(&it.surfaced.text)));
    let mut messages = vec![json!({ "role": "user", "content": said })];
    loop {
        let body = json!({
            "model": "claude-sonnet-4-5", "max_tokens": 4096, "system": memory.instructions,
            "tools": [write], "messages": messages,
        });
        let answer: Value = serde_json::from_str(&client.send(body.to_string()).await?)?;
        let blocks = answer["content"].as_array().cloned().unwrap_or_default();
        let mut done = Vec::new();
        for call in blocks.iter().filter(|block| block["type"] == "tool_use") {
            let told = save(dir, call).unwrap_or_else(|why| why.to_string());
            done.push(json!({ "type": "tool_result", "tool_use_id": call["id"], "content": told }));
        }
        if done.is_empty() {
            let said = blocks.iter().filter_map(|block| block["text"].as_str());
            return Ok(said.collect());
        }
        messages.push(json!({ "role": "assistant", "content": blocks }));
        messages.push(json!({ "role": "user", "content": done }));
    }
}

/// What the model writes passes the gate, which refuses secrets, and gets its line in the index.
fn save(dir: &MemoryDir, call: &Value) -> Result<String> {
    let of = |key: &str| call["input"][key].as_str().unwrap_or_default();
    let path = Path::new(of("file_path"));
    let file = path.strip_prefix(dir.path()).unwrap_or(path);
    let memory = gate(&Memory::parse(of("content")), Audience::PrivateStrict)?;
    let store = Store::open(dir.path())?;
    let saved = store.save_as(&file.to_string_lossy(), memory, None)?;
    Ok(format!("saved {}", saved.file))
}

fn main() -> Result<()> {
    let of = |name: &str, or: &str| std::env::var(name).unwrap_or(or.to_owned());
    let url = of("ANTHROPIC_BASE_URL", "http://127.0.0.1:8787");
    let key = Auth::ApiKey(of("ANTHROPIC_API_KEY", "any key will do on loopback"));
    let client = MessagesClient::new(key, ClientOptions::default().base_url(url))?;
    let question = std::env::args().nth(1);
    let question = question.unwrap_or("What do you remember of me?".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    println!("{}", runtime.block_on(turn(&question, &client))?);
    Ok(())
}
