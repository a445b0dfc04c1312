//! What hosts may do with the types across threads.

use compact_sm as c;

use crate::scripted::now;
use crate::world::tool_loop;

fn check<T: Send + Sync + Unpin + 'static>() {}

#[test]
fn public_types_are_send_sync_and_static() {
    check::<c::Applied>();
    check::<c::Attachment>();
    check::<c::BoxSummarizer>();
    check::<c::Cause<'static>>();
    check::<c::Compact<'static>>();
    check::<c::Compaction>();
    check::<c::NotCompacted>();
    check::<c::NoteTaking>();
    check::<c::NotesTask>();
    check::<c::Restore>();
    check::<c::Restored>();
    check::<c::SessionStart>();
    check::<c::SummarizeError>();
    check::<c::SummaryRequest>();
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

#[test]
fn a_compaction_may_run_on_any_thread_by_every_kind_of_summarizer() {
    fn send<T: Send>(future: T) -> T {
        future
    }
    let (breaker, counter) = (c::Breaker::new(), c::Estimator::default());
    let how = c::Compact::new(&breaker, &counter);
    let list = tool_loop(5, 200);
    let cause = c::Cause::manual(None);
    let closure = c::summarizer_fn(async |_| Ok(c::SummaryReply::text("short")));
    let hooks = &&c::NoHooks;
    assert!(now(send(c::compact(&list, &cause, &how, &&closure, hooks))).is_ok());
    let shared = std::sync::Arc::new(closure);
    assert!(now(send(c::compact(&list, &cause, &how, &shared, hooks))).is_ok());
    let boxed = c::BoxSummarizer::new(shared);
    assert!(now(send(c::compact(&list, &cause, &how, &boxed, hooks))).is_ok());
}
