//! What hosts may do with the types across threads.

use memdir_recall as m;

fn check<T: Send + Sync + Unpin + 'static>() {}

#[test]
fn public_types_are_send_sync_and_static() {
    check::<m::Attachment>();
    check::<m::BoxSelector>();
    check::<m::Candidate>();
    check::<m::Error>();
    #[cfg(feature = "http")]
    {
        check::<m::Auth>();
        check::<m::ClientOptions>();
        check::<m::HttpError>();
        check::<m::MessagesClient>();
    }
    check::<m::MemoryFile>();
    check::<m::ModelCall>();
    check::<m::Options>();
    check::<m::Picked>();
    check::<m::Query>();
    check::<m::Recall>();
    check::<m::Recalled>();
    check::<m::Receipt>();
    check::<m::Refreshed>();
    check::<m::Scan>();
    check::<m::ScanCache>();
    check::<m::ScanOptions>();
    check::<m::SelectReply>();
    check::<m::SelectRequest>();
    check::<m::Selection>();
    check::<m::SelectorError>();
    check::<m::SelectorFn<fn()>>();
    check::<m::SessionBudget>();
    check::<m::Skipped>();
    check::<m::SurfacedText>();
    check::<m::Surfacing>();
}
