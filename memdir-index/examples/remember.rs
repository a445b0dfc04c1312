//! Saves two memories, breaks the index by hand, and lets the check and the rebuild speak.
#![allow(
    clippy::print_stdout,
    reason = "an example speaks to the person who runs it"
)]

use memdir_index::{ENTRYPOINT, Measure, Store};
use memdir_types::{Audience, Memory, MemoryType, gate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temp = tempfile::tempdir()?;
    let store = Store::open(temp.path())?;

    for (kind, name, description) in [
        (MemoryType::User, "Role", "ten years of Go, new to React"),
        (
            MemoryType::Feedback,
            "Tests",
            "integration tests use a real database",
        ),
    ] {
        let memory = Memory::new(
            kind,
            name,
            description,
            "The body, as long as it needs to be.\n",
        );
        let saved = store.save(gate(&memory, Audience::Private)?, None)?;
        println!(
            "saved    {}: {:?}, index {:?}",
            saved.file, saved.written, saved.index
        );
    }

    let index = store.load(Measure::Bytes)?;
    println!("\n{}\n", index.text.unwrap_or_default());

    std::fs::write(
        temp.path().join(ENTRYPOINT),
        "- [Gone](gone.md) — no such file\n- [Role](user_role.md)\n",
    )?;
    for fault in store.check()?.faults {
        println!("fault    {fault}");
    }
    let rebuilt = store.rebuild()?;
    println!(
        "rebuilt  added {:?}, dangling {:?}",
        rebuilt.added, rebuilt.dangling
    );
    println!("clean    {}", store.check()?.is_clean());
    Ok(())
}
