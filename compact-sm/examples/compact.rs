//! Reads a transcript and says what would be kept: `cargo run --example compact -- FILE.jsonl`.
//!
//! Without a file it makes up a conversation. Nothing is written.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example prints, and reads the environment"
)]

use std::fs::File;
use std::io::BufReader;

use compact_sm::{
    Block, Estimator, Flags, FromNotes, Message, Notes, Overrides, Policy, Settings, Source,
    SummaryOptions, Transcript, Window, from_notes, recent_reads, summary_request,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let messages = match std::env::args_os().nth(1) {
        Some(path) => {
            let transcript = Transcript::read(BufReader::new(File::open(path)?));
            for skipped in &transcript.skipped {
                println!("skipped {skipped}");
            }
            let conversation = transcript.into_conversation();
            println!("{} repairs", conversation.repairs.len());
            conversation.messages
        }
        None => made_up(),
    };

    let window = Window::new(200_000, 32_000);
    let overrides = Overrides::from_lookup(|name| std::env::var_os(name));
    let policy = Policy::new(&window, &overrides, &Settings::default(), &Flags::default());
    for ignored in policy.ignored() {
        println!("{ignored}");
    }
    let counter = Estimator::default();
    let decision = policy.decide(&messages, &counter, Source::Main);
    println!("{} messages; {decision}", messages.len());

    let notes = Notes::new("# Current State\n\nWhatever your notes say.\n");
    match from_notes(
        &messages,
        &notes,
        &FromNotes::of(&policy, &decision),
        &counter,
    ) {
        Ok(plan) => {
            println!("would keep messages {:?} ({:?})", plan.kept, plan.stop);
            println!("{} tokens now, {} afterwards", plan.before, plan.after);
        }
        Err(why) => {
            println!("would not compact from notes: {why}");
            let request = summary_request(
                &messages,
                &(0..messages.len()),
                &SummaryOptions::default(),
                &counter,
            );
            println!("would ask a model with {} messages", request.messages.len());
        }
    }
    for file in recent_reads(&messages).iter().take(5) {
        println!("would read again {} ({:?})", file.path, file.touch);
    }
    Ok(())
}

fn made_up() -> Vec<Message> {
    let mut messages = vec![Message::user("Please find out why the build fails.")];
    for at in 0..150 {
        let id = format!("toolu_{at}");
        let input = serde_json::json!({"command": format!("make step-{at}")});
        messages.push(Message::assistant([
            Block::text(format!("Step {at}.")),
            Block::tool_use(id.as_str(), "Bash", input),
        ]));
        let output = "cc -O2 -c main.c\nld: cannot find -lz\n".repeat(60);
        messages.push(Message::user([Block::tool_result(id, output)]));
    }
    messages
}
