//! Shows what the crate makes of a memory: `cargo run --example inspect -- FILE`, or without a
//! file for a sample.

#![allow(
    clippy::print_stdout,
    reason = "an example talks to the person who runs it"
)]

use memdir_types::{Audience, Date, Memory, gate, lint};

const SAMPLE: &str = "---
name: Merge freeze
description: Freeze: nothing but fixes
type: project
---

From next Thursday only fixes are merged.
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let memory = match std::env::args_os().nth(1) {
        Some(path) => Memory::from_bytes(&std::fs::read(path)?),
        None => Memory::parse(SAMPLE),
    };
    println!("name         {}", memory.name().unwrap_or("-"));
    println!("description  {}", memory.description().unwrap_or("-"));
    println!("type         {}", memory.kind_text().unwrap_or("-"));
    println!("recovered    {}", memory.is_recovered());
    for warning in memory.warnings() {
        println!("warning      {warning}");
    }
    // A host passes the day on which it runs; the sample was written on this one.
    let today: Date = "2026-11-30".parse()?;
    for finding in lint(&memory, today) {
        println!("lint         {finding}");
    }
    match gate(&memory, Audience::Team) {
        Ok(_) => println!("gate         may be shared"),
        Err(refusal) => println!("gate         {refusal}"),
    }
    Ok(())
}
