//! The exact words of errors.

use memdir_index::{Error, Fingerprint, Shrink, Store};
use memdir_types::{Audience, Memory, MemoryType, gate};

use crate::world::{World, cleared, text};

/// The message with the directory shown as `/m`.
fn shown<T>(world: &World, result: Result<T, Error>) -> String {
    let error = result.err().expect("an error");
    error
        .to_string()
        .replace(&*world.dir().to_string_lossy(), "/m")
}

#[test]
fn messages_name_the_file_and_what_is_wrong() {
    let world = World::with("- [A](a.md)\n- [B](b.md)\n", &["a.md", "b.md"]);
    let store = world.store();
    let memory = || cleared(MemoryType::User, "A", "d");
    let bare = gate(&Memory::parse("text"), Audience::Private).unwrap();
    let messages = [
        shown(&world, Store::open("relative")),
        shown(&world, store.read("gone.md")),
        shown(&world, store.read("../x.md")),
        shown(&world, store.read("a.txt")),
        shown(&world, store.read("team/a.md")),
        shown(&world, store.read(".a.md")),
        shown(&world, store.read("memory.md")),
        shown(&world, store.read("a\nb.md")),
        shown(&world, store.save(bare, None)),
        shown(
            &world,
            store.save_as("a.md", memory(), Some(Fingerprint::ABSENT)),
        ),
        shown(&world, store.rename("a.md", "b.md")),
        shown(&world, store.replace_index(text(""), None, Shrink::Refuse)),
        shown(
            &world,
            Store::open(world.path("none"))
                .unwrap()
                .save(memory(), None),
        ),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
relative: expected an absolute path
/m/gone.md: no such memory
../x.md: not a name for a memory: a component consists of dots
a.txt: not a name for a memory: it does not end in `.md`
team/a.md: not a name for a memory: that folder is no part of this store
.a.md: not a name for a memory: hidden files are no memories
memory.md: not a name for a memory: it is the index
a\nb.md: not a name for a memory: it holds a control character
/m: the memory has no name or no type to make a file name from; give it one
/m/a.md: not what was expected, as somebody changed or made it; nothing was written
/m/b.md: the name is taken
/m/MEMORY.md: the write would shrink the index from 24 to 0 bytes and from 2 to 0 entries; it has to be asked for
/m/none: the memory directory does not exist
");
}

#[test]
fn the_cause_is_kept() {
    let world = World::new();
    let error = Store::open(world.path("none"))
        .unwrap()
        .rebuild()
        .unwrap_err();
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(error.path(), Some(&*world.path("none")));
}
