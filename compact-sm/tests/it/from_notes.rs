//! Compaction from notes.

use compact_sm::{
    Applied, Boundary, By, Counter, ErrorKind, Estimate, Estimator, Fallback, Flags, Form,
    FromNotes, KeepConfig, Message, NotCovered, Notes, Origin, Overrides, Plan, Policy, Settings,
    Source, Summarized, Usage, Window, from_notes, read_boundary_text, validate,
};

use crate::world;

pub(crate) const NOTES: &str = "# Session Title\n_A short title_\n\nFix the build\n\n# Current State\n_What is \
    being worked on_\n\nThe linker flag is wrong on macOS.\n";

pub(crate) fn counter() -> Estimator {
    Estimator::new(Estimate::BytesDiv4)
}

pub(crate) fn plan(
    messages: &[Message],
    notes: &Notes,
    options: &FromNotes,
) -> Result<Plan, Fallback> {
    from_notes(messages, notes, options, &counter())
}

#[track_caller]
fn applied(messages: Vec<Message>, notes: &Notes, options: &FromNotes) -> Applied {
    let plan = plan(&messages, notes, options).unwrap();
    plan.apply(messages).unwrap()
}

/// 100 calls with results of 1,000 tokens.
pub(crate) fn long() -> Vec<Message> {
    world::tool_loop(100, 1_000)
}

#[test]
fn the_notes_take_the_place_of_what_is_not_kept() {
    let list = long();
    let done = applied(list.clone(), &Notes::new(NOTES), &FromNotes::default());
    assert_eq!(done.messages[0].origin, Origin::Summary);
    assert!(
        done.messages[0]
            .texts()
            .next()
            .unwrap()
            .contains("The linker flag is wrong")
    );
    let kept = done.messages.len() - 1;
    assert_eq!(done.messages[1..], list[list.len() - kept..]);
    assert_eq!(done.dropped, list.len() - kept);
    assert_eq!(validate(&done.messages), []);
    assert!(done.after < done.before / 4);
    assert_eq!(done.boundary.pre_tokens, Some(done.before));
    assert_eq!(done.boundary.post_tokens, Some(done.after));
    assert_eq!(done.boundary.dropped_tokens, Some(done.before - done.after));
    assert_eq!(done.boundary.trigger, By::Auto);
}

#[test]
fn a_decision_leads_to_a_plan_below_its_threshold() {
    let mut list = long();
    list[199].usage = Some(Usage::new(170_000, 10));
    let window = Window::new(200_000, 32_000);
    let flags = Flags::default().session_memory(true).notes_compaction(true);
    let policy = Policy::new(&window, &Overrides::default(), &Settings::default(), &flags);
    let decision = policy.decide(&list, &counter(), Source::Main);
    assert!(decision.compacts() && policy.notes_compaction().on);
    let options = FromNotes::of(&policy, &decision);
    let done = applied(list, &Notes::new(NOTES), &options);
    // Usage of kept responses tells of the conversation before.
    let next = policy.decide(&done.messages, &counter(), Source::Main);
    assert!(!next.compacts());
    assert!(next.used.total() < 20_000);
    assert!(done.before >= 170_010);
    assert!(done.after < decision.thresholds.unwrap().compact);
}

#[test]
fn missing_notes_fall_back() {
    for text in ["", " \n\t\n"] {
        let error = plan(&long(), &Notes::new(text), &FromNotes::default()).unwrap_err();
        assert_eq!(error, Fallback::NoNotes);
    }
}

#[test]
fn instructions_of_the_person_fall_back() {
    let with = |text: &str| FromNotes::default().instructions(text);
    let error = plan(&long(), &Notes::new(NOTES), &with("keep the figures")).unwrap_err();
    assert_eq!(error, Fallback::Instructions);
    assert!(plan(&long(), &Notes::new(NOTES), &with("  ")).is_ok());
}

#[test]
fn what_the_notes_do_not_cover_is_not_lost() {
    let notes = Notes::new(NOTES).summarized(Summarized::Count(20));
    let error = plan(&long(), &notes, &FromNotes::default()).unwrap_err();
    assert!(matches!(error, Fallback::NotCovered { tokens } if tokens > 40_000));
    let options = FromNotes::default().not_covered(NotCovered::Drop);
    assert!(applied(long(), &notes, &options).messages.len() < 40);
}

#[test]
fn a_mark_that_is_not_in_the_list_falls_back() {
    let notes = |uuid: &str| Notes::new(NOTES).summarized(Summarized::Uuid(uuid.to_owned()));
    let error = plan(&long(), &notes("gone"), &FromNotes::default()).unwrap_err();
    assert_eq!(error, Fallback::UnknownMark);
    let done = applied(long(), &notes("uuid-196"), &FromNotes::default());
    // The mark is in the kept tail, and the next compaction knows.
    let Summarized::Count(count) = done.summarized else {
        panic!("{:?}", done.summarized);
    };
    assert_eq!(done.messages[count - 1].uuid.as_deref(), Some("uuid-196"));
    let at_the_cut = applied(long(), &notes("uuid-170"), &FromNotes::default());
    assert_eq!(at_the_cut.messages[1].uuid.as_deref(), Some("uuid-171"));
    assert_eq!(at_the_cut.summarized, Summarized::Count(1));
}

#[test]
fn a_result_that_reaches_the_threshold_falls_back() {
    let options = FromNotes::default().threshold(9_000);
    let error = plan(&long(), &Notes::new(NOTES), &options).unwrap_err();
    assert!(matches!(
        error,
        Fallback::TooLarge {
            threshold: 9_000,
            ..
        }
    ));
    // What stands in no message stays: 60,000 tokens of tools are not compacted away.
    let mut list = long();
    let held: u64 = list.iter().map(|m| counter().message(m)).sum();
    let last = list.len() - 1;
    list[last - 1].usage = Some(Usage::new(held + 60_000, 0));
    let options = FromNotes::default().threshold(60_000);
    let error = plan(&list, &Notes::new(NOTES), &options).unwrap_err();
    assert!(matches!(error, Fallback::TooLarge { after, .. } if after > 70_000));
}

#[test]
fn a_result_that_is_not_shorter_falls_back() {
    let short = world::tool_loop(3, 100);
    let error = plan(&short, &Notes::new(NOTES), &FromNotes::default()).unwrap_err();
    assert!(matches!(error, Fallback::DoesNotShrink { .. }));
    assert!(matches!(
        plan(&[], &Notes::new(NOTES), &FromNotes::default()),
        Err(Fallback::DoesNotShrink { .. })
    ));
}

#[test]
fn a_list_that_has_changed_comes_back_as_it_was() {
    let list = long();
    let plan = || plan(&list, &Notes::new(NOTES), &FromNotes::default()).unwrap();
    let mut longer = list.clone();
    longer.push(Message::user("one more"));
    let unapplied = plan().apply(longer.clone()).unwrap_err();
    assert_eq!(unapplied.messages, longer);
    assert_eq!(
        unapplied.error.kind(),
        &ErrorKind::OtherHistory {
            planned: 201,
            given: 202
        }
    );
    let mut other = list.clone();
    other[200].uuid = Some("another".to_owned());
    assert_eq!(plan().apply(other.clone()).unwrap_err().messages, other);
    // A range that the host made up is no reason to panic.
    let mut odd = plan();
    odd.kept = 5..9_999;
    assert_eq!(odd.apply(list.clone()).unwrap_err().messages, list);
}

#[test]
fn a_second_plan_over_the_result_changes_nothing() {
    for summarized in [Summarized::Unknown, Summarized::Count(201)] {
        let notes = Notes::new(NOTES).summarized(summarized);
        let done = applied(long(), &notes, &FromNotes::default());
        let again = notes.summarized(done.summarized.clone());
        let error = plan(&done.messages, &again, &FromNotes::default()).unwrap_err();
        assert!(matches!(error, Fallback::DoesNotShrink { .. }));
    }
}

#[test]
fn ten_compactions_in_a_row_do_not_grow() {
    let mut list = Vec::new();
    let mut sizes = Vec::new();
    for round in 0..10 {
        for mut message in world::tool_loop(60, 1_000) {
            for block in &mut message.content.blocks {
                rename(block, round);
            }
            list.push(message);
        }
        // Notes that hold all that was ever said are cut.
        let echo = list.iter().flat_map(|m: &Message| m.texts());
        let echo = format!("# Worklog\n{}", echo.collect::<Vec<_>>().join("\n"));
        let done = applied(list, &Notes::new(echo), &FromNotes::default());
        assert_eq!(validate(&done.messages), []);
        let summaries = done.messages.iter().filter(|m| m.origin == Origin::Summary);
        assert_eq!(summaries.count(), 1);
        sizes.push(done.after);
        list = done.messages;
    }
    assert!(sizes.iter().all(|size| *size < 15_000), "{sizes:?}");
}

fn rename(block: &mut compact_sm::Block, round: usize) {
    use compact_sm::Block::{ToolResult, ToolUse};
    if let ToolUse { id, .. }
    | ToolResult {
        tool_use_id: id, ..
    } = block
    {
        *id = format!("{id}_{round}");
    }
}

#[test]
fn the_text_form_holds_the_summary() {
    let options = FromNotes::default().form(Form::Text);
    let done = applied(long(), &Notes::new(NOTES), &options);
    let text = done.messages[0].texts().next().unwrap();
    let summary = read_boundary_text(text).unwrap();
    assert!(summary.contains("The linker flag is wrong"));
    // It is a floor for the next compaction even if the origin is not stored.
    let mut stored = done.messages;
    stored[0].origin = Origin::Said;
    stored.extend(world::tool_loop(2, 9_000).split_off(1));
    let keep = KeepConfig::default()
        .min_tokens(u64::MAX)
        .max_tokens(u64::MAX);
    let options = options.keep(keep);
    let error = plan(&stored, &Notes::new(NOTES), &options).unwrap_err();
    assert!(matches!(error, Fallback::DoesNotShrink { .. }));
}

#[test]
fn the_record_names_what_stays_and_what_it_follows() {
    let options = FromNotes::default()
        .summary_uuid("sum-1")
        .trigger(By::Manual)
        .dropped_before(5);
    let done = applied(long(), &Notes::new(NOTES), &options);
    assert_eq!(done.messages[0].uuid.as_deref(), Some("sum-1"));
    let uuid = |at: usize| done.messages[at].uuid.clone().unwrap();
    let boundary: &Boundary = &done.boundary;
    let segment = boundary.segment.as_ref().unwrap();
    assert_eq!(
        (segment.head.as_str(), segment.anchor.as_str()),
        (&*uuid(1), "sum-1")
    );
    assert_eq!(segment.tail, "uuid-200");
    assert_eq!(boundary.kept.len(), done.messages.len() - 1);
    assert_eq!(boundary.logical_parent_uuid.as_deref(), Some("uuid-200"));
    let json = boundary.to_json();
    let mut fields: Vec<_> = json["compactMetadata"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    fields.sort();
    assert_eq!(
        fields,
        [
            "cumulativeDroppedTokens",
            "postTokens",
            "preTokens",
            "preservedMessages",
            "preservedSegment",
            "trigger"
        ]
    );
    let again = Boundary::from_json(&json).unwrap();
    assert_eq!(again, *boundary);
}

#[test]
fn the_command_is_not_read_as_a_request_again() {
    let mut list = long();
    list.push(Message::user("/compact"));
    let done = applied(list, &Notes::new(NOTES), &FromNotes::default());
    assert!(
        done.messages
            .iter()
            .all(|m| m.texts().all(|text| text != "/compact"))
    );
    assert_eq!(done.messages.last().unwrap().results().count(), 1);
}

#[test]
fn fallbacks_say_what_is_wrong() {
    for (fallback, text) in [
        (Fallback::Instructions, "notes cannot follow instructions"),
        (Fallback::NoNotes, "there are no notes"),
        (Fallback::Template, "the notes are the template"),
        (Fallback::SaysNothing, "the notes say nothing"),
        (
            Fallback::TooLarge {
                after: 9,
                threshold: 5,
            },
            "9 tokens would reach the threshold of 5",
        ),
        (
            Fallback::NotCovered { tokens: 9 },
            "9 tokens are not covered by the notes, too many to keep",
        ),
    ] {
        assert_eq!(fallback.to_string(), text);
    }
}

#[test]
fn what_is_not_kept_is_freed() {
    let list = long();
    let done = applied(list, &Notes::new(NOTES), &FromNotes::default());
    assert!(done.messages.capacity() < 2 * done.messages.len());
}
