//! What hosts may do with the types across threads.

use memdir_index as m;

fn check<T: Send + Sync + Unpin + 'static>() {}

#[test]
fn public_types_are_send_sync_and_static() {
    check::<m::Budget>();
    check::<m::Change>();
    check::<m::Check>();
    check::<m::Dropped>();
    check::<m::Entry>();
    check::<m::Error>();
    check::<m::ErrorKind>();
    check::<m::Fault>();
    check::<m::Fingerprint>();
    check::<m::Flags>();
    check::<m::Index>();
    check::<m::IndexContext>();
    check::<m::IndexWritten>();
    check::<m::Limits>();
    check::<m::LoadOptions>();
    check::<m::Loaded>();
    check::<m::MemoryPrompt>();
    check::<m::Prompt>();
    check::<m::RebuildOptions>();
    check::<m::Rebuilt>();
    check::<m::Recovery>();
    check::<m::Removed>();
    check::<m::Renamed>();
    check::<m::Saved>();
    check::<m::Store>();
    check::<m::StoreOptions>();
    check::<m::Time>();
    check::<m::Truncated<'static>>();
}

#[cfg(feature = "serde")]
#[test]
fn public_values_serialise() {
    fn check<T: serde::Serialize>() {}
    check::<m::Budget>();
    check::<m::Change>();
    check::<m::Check>();
    check::<m::Entry>();
    check::<m::Fingerprint>();
    check::<m::Index>();
    check::<m::Limits>();
    check::<m::Loaded>();
    check::<m::MemoryPrompt>();
    check::<m::Rebuilt>();
    check::<m::Recovery>();
    check::<m::Removed>();
    check::<m::Renamed>();
    check::<m::Saved>();
    check::<m::Truncated<'static>>();
}
