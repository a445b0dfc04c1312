//! What hosts may do with the types across threads.

use compact_sm as c;

fn check<T: Send + Sync + Unpin + 'static>() {}

#[test]
fn public_types_are_send_sync_and_static() {
    check::<c::Applied>();
    check::<c::Attempt<'static>>();
    check::<c::Block>();
    check::<c::Boundary>();
    check::<c::Breaker>();
    check::<c::BreakerState>();
    check::<c::Content>();
    check::<c::Decision>();
    check::<c::Error>();
    check::<c::Estimator>();
    check::<c::Extra>();
    check::<c::Fallback>();
    check::<c::Flags>();
    check::<c::FromNotes>();
    check::<c::Kept>();
    check::<c::Line>();
    check::<c::Message>();
    check::<c::MicroDone>();
    check::<c::MicroOptions>();
    check::<c::MicroPlan>();
    check::<c::Notes>();
    check::<c::Overrides>();
    check::<c::Plan>();
    check::<c::Policy>();
    check::<c::Reader<std::io::Empty>>();
    check::<c::Recovery>();
    check::<c::Refusal>();
    check::<c::Repaired>();
    check::<c::Settings>();
    check::<c::Skipped>();
    check::<c::Transcript>();
    check::<c::Unapplied>();
    check::<c::Usage>();
    check::<c::Violation>();
}
