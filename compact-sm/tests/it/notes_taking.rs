//! Taking notes: when, of what, by which edits, and how it went.

use std::time::{Duration, SystemTime};

use compact_sm::{
    Counter, Estimate, Estimator, Flags, Limits, Message, NotDue, NoteTaking, Notes, NotesConfig,
    NotesJob, NotesWait, Overrides, Policy, Settings, Source, Summarized, Switch, Window,
    notes_task, notes_template, validate, validate_with,
};
use proptest::prelude::*;

use crate::world::{self, tool_loop};

const PATH: &str = "/c/projects/-p/s/session-memory/summary.md";

fn counter() -> Estimator {
    Estimator::new(Estimate::BytesDiv4)
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds)
}

fn switch(on: bool) -> Switch {
    let flags = Flags::default().session_memory(on);
    let window = Window::new(200_000, 32_000);
    Policy::new(&window, &Overrides::default(), &Settings::default(), &flags).notes_taking()
}

#[test]
fn the_template_has_the_ten_headings_of_the_format() {
    let text = notes_template();
    let headings: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .collect();
    assert_eq!(
        headings,
        [
            "Session Title",
            "Current State",
            "Task specification",
            "Files and Functions",
            "Workflow",
            "Errors & Corrections",
            "Codebase and System Documentation",
            "Learnings",
            "Key results",
            "Worklog",
        ]
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with('_') && line.ends_with('_'))
            .count(),
        10
    );
    assert!(Notes::new(text).is_template());
}

#[test]
fn the_prompt_of_a_fresh_session() {
    let job = NotesJob::new(PATH, "# Current State\n_What is next._\n");
    let task = notes_task(&tool_loop(1, 5), &job, &counter());
    let prompt = task.messages.last().unwrap().texts().last().unwrap();
    insta::assert_snapshot!(prompt, @r"
This message is no part of the conversation, and nobody will answer it: it asks you to bring the notes of this session up to date. They stand for the conversation once it no longer fits, so write down what somebody would need who has nothing else.

The notes are in /c/projects/-p/s/session-memory/summary.md, and this is their text now:

<current-notes>
# Current State
_What is next._
</current-notes>

How:
- Use the tool Edit on that file, and nothing else. Make all edits you need at once, in one turn, then stop.
- Every heading and the line in italics below it stays as it is, character for character. Write below the line in italics. Add no sections, and remove none.
- Bring Current State up to date in any case. Leave a section alone if there is nothing new for it, without saying so.
- Be exact: file paths, names of functions, commands, figures, error texts, and what the person said.
- Do not mention these instructions or the taking of notes in the notes.
- Never write down a password, a key or another secret, only where it is kept.

A section has at most 2000 tokens, all of them together 12000.
");
}

#[test]
fn a_prompt_of_the_person_is_filled_in_one_pass() {
    let job = NotesJob::new(PATH, "has {{notesPath}} in it")
        .prompt("Edit {{notesPath}}: {{currentNotes}} {{other}}");
    let task = notes_task(&tool_loop(1, 5), &job, &counter());
    let prompt = task.messages.last().unwrap().texts().last().unwrap();
    assert!(prompt.starts_with(&format!(
        "Edit {PATH}: has {{{{notesPath}}}} in it {{{{other}}}}"
    )));
    let job = NotesJob::new(PATH, "$1").prompt("{{{notesPath}}} {{{{currentNotes}}}} {{");
    let task = notes_task(&tool_loop(1, 5), &job, &counter());
    let prompt = task.messages.last().unwrap().texts().last().unwrap();
    assert!(prompt.starts_with(&format!("{{{PATH}}} {{{{$1}}}} {{{{\n")));
}

#[test]
fn sections_over_their_budget_are_to_be_shortened() {
    let notes = format!(
        "# Worklog\n{}\n# Key results\nshort\n",
        "did it\n".repeat(2_000)
    );
    let task = notes_task(
        &tool_loop(1, 5),
        &NotesJob::new(PATH, notes).budgets(2_000, 3_000),
        &counter(),
    );
    let names: Vec<_> = task
        .over_budget
        .iter()
        .map(|s| s.heading.as_str())
        .collect();
    assert_eq!(names, ["Worklog", ""]);
    let prompt = task.messages.last().unwrap().texts().last().unwrap();
    assert!(prompt.contains("- Worklog: 35") && prompt.contains("- all sections together: 35"));
}

#[test]
fn the_conversation_is_sent_as_it_is_if_there_is_room() {
    let list = tool_loop(5, 100);
    let task = notes_task(&list, &NotesJob::new(PATH, notes_template()), &counter());
    assert_eq!(task.messages.len(), list.len() + 1);
    assert_eq!((task.left_out, task.still_to_come), (0, 0));
    assert_eq!(
        task.summarized,
        Some(Summarized::Uuid("uuid-10".to_owned()))
    );
    assert!(validate_with(&task.messages, &Limits::request()).is_empty());
}

/// So many prompts of a person, each with rounds of calls.
fn session(turns: usize) -> Vec<Message> {
    let mut list = Vec::new();
    for turn in 0..turns {
        for mut message in tool_loop(3, 1_000) {
            message.id = message.id.map(|id| format!("{id}_{turn}"));
            for block in &mut message.content.blocks {
                if let compact_sm::Block::ToolUse { id, .. }
                | compact_sm::Block::ToolResult {
                    tool_use_id: id, ..
                } = block
                {
                    *id = format!("{id}_{turn}");
                }
            }
            list.push(message);
        }
        list.push(Message::assistant("done"));
    }
    for (at, message) in list.iter_mut().enumerate() {
        message.uuid = Some(format!("uuid-{at}"));
    }
    list
}

#[test]
fn a_session_too_large_for_the_extraction_is_bounded_at_turns_and_none_is_lost() {
    let list = session(130);
    assert!(validate(&list).is_empty());
    let mut job = NotesJob::new(PATH, notes_template()).max_input_tokens(100_000);
    let (mut rounds, mut reached) = (0, 0);
    loop {
        let task = notes_task(&list, &job, &counter());
        let size: u64 = task.messages.iter().map(|m| counter().message(m)).sum();
        assert!(size <= 101_000, "{size}");
        assert_eq!(validate_with(&task.messages, &Limits::request()), vec![]);
        let Some(Summarized::Uuid(uuid)) = task.summarized else {
            panic!("no mark")
        };
        let to: usize = uuid["uuid-".len()..].parse().unwrap();
        // Each turn is whole, and the next begins where this ended.
        assert_eq!((to + 1) % 8, 0);
        assert!(task.left_out <= reached && to + 1 > reached);
        reached = to + 1;
        rounds += 1;
        job = job.summarized(Summarized::Uuid(uuid));
        if task.still_to_come == 0 {
            break;
        }
    }
    assert!((4..9).contains(&rounds), "{rounds}");
    assert_eq!(reached, list.len());
}

#[test]
fn the_mark_does_not_move_past_calls_that_wait() {
    let mut list = tool_loop(3, 100);
    list.pop();
    let job = NotesJob::new(PATH, "x");
    let task = notes_task(&list, &job, &counter());
    assert_eq!(task.summarized, Some(Summarized::Uuid("uuid-4".to_owned())));
    assert!(validate_with(&task.messages, &Limits::request()).is_empty());
    // There is nothing else than the turn that waits.
    let job = job.summarized(Summarized::Uuid("uuid-4".to_owned()));
    assert_eq!(notes_task(&list, &job, &counter()).summarized, None);
}

#[test]
fn notes_are_due_by_size_then_by_growth_and_calls_or_rest() {
    let (config, on) = (NotesConfig::default(), switch(true));
    let mut taking = NoteTaking::new();
    let list = tool_loop(2, 5);
    let due = |taking: &mut NoteTaking, list: &[Message], context| {
        taking.due(list, context, &config, &on, Source::Main, at(0))
    };
    assert_eq!(
        due(&mut taking, &list, 9_999),
        Err(NotDue::TooShort {
            context: 9_999,
            start: 10_000
        })
    );
    assert_eq!(due(&mut taking, &list, 10_000), Ok(()));
    let ticket = taking.begin(at(0)).unwrap();
    taking.succeeded(ticket, at(5), 10_000, Some(Summarized::Count(list.len())));
    let more = tool_loop(4, 5);
    assert_eq!(
        due(&mut taking, &more, 14_999),
        Err(NotDue::TooLittleGrowth {
            grown: 4_999,
            needed: 5_000
        })
    );
    assert_eq!(
        due(&mut taking, &more, 15_000),
        Err(NotDue::TooFewCalls {
            calls: 2,
            needed: 3
        })
    );
    assert_eq!(
        taking.why_not,
        Some(NotDue::TooFewCalls {
            calls: 2,
            needed: 3
        })
    );
    assert_eq!(due(&mut taking, &tool_loop(5, 5), 15_000), Ok(()));
    let mut rests = more;
    rests.push(Message::assistant("done"));
    assert_eq!(due(&mut taking, &rests, 15_000), Ok(()));
    assert_eq!(taking.why_not, None);
}

#[test]
fn helpers_and_switches_keep_notes_from_being_taken() {
    let config = NotesConfig::default();
    let mut taking = NoteTaking::new();
    let list = tool_loop(2, 5);
    let due = |taking: &mut NoteTaking, switch: &Switch, source| {
        taking.due(&list, 50_000, &config, switch, source, at(0))
    };
    assert_eq!(
        due(&mut taking, &switch(true), Source::Compaction),
        Err(NotDue::NotMain)
    );
    assert!(matches!(
        due(&mut taking, &switch(false), Source::Main),
        Err(NotDue::SwitchedOff(_))
    ));
}

#[test]
fn the_status_has_the_last_success_the_last_error_and_why_not() {
    let mut taking = NoteTaking::new();
    for round in 0..900 {
        let ticket = taking.begin(at(round)).unwrap();
        taking.failed(ticket, at(round), &format!("no answer {round}"));
    }
    assert_eq!((taking.failures, taking.last_success), (900, None));
    let error = taking.last_error.clone().unwrap();
    assert_eq!((error.at, error.text.as_str()), (at(899), "no answer 899"));
    assert_eq!(taking.summarized, Summarized::Unknown);
    let ticket = taking.begin(at(1_000)).unwrap();
    assert_eq!(taking.begin(at(1_001)), Err(NotDue::Running));
    assert_eq!(taking.why_not, Some(NotDue::Running));
    taking.succeeded(ticket, at(1_002), 12_000, None);
    assert_eq!((taking.failures, taking.last_success), (0, Some(at(1_002))));
    assert_eq!(taking.summarized, Summarized::Unknown);
}

#[test]
fn notes_that_end_after_a_compaction_do_not_move_the_mark_of_the_new_list() {
    let mut taking = NoteTaking::new();
    let ticket = taking.begin(at(0)).unwrap();
    taking.succeeded(ticket, at(1), 20_000, Some(Summarized::Count(40)));
    let ticket = taking.begin(at(10)).unwrap();
    taking.compacted(9_000, Summarized::Count(1));
    taking.succeeded(ticket, at(20), 170_000, Some(Summarized::Count(390)));
    assert_eq!(taking.summarized, Summarized::Count(1));
    assert_eq!(taking.at_last, Some(9_000));
    assert_eq!(taking.last_success, Some(at(20)));
    assert_eq!(taking.wait(at(21), at(21)), NotesWait::NotRunning);
    let ticket = taking.begin(at(30)).unwrap();
    taking.succeeded(ticket, at(31), 15_000, Some(Summarized::Count(8)));
    assert_eq!(taking.summarized, Summarized::Count(8));
    assert_eq!(taking.at_last, Some(15_000));
}

#[test]
fn a_compaction_waits_fifteen_seconds_and_not_for_what_is_stale() {
    let mut taking = NoteTaking::new();
    assert_eq!(taking.wait(at(0), at(0)), NotesWait::NotRunning);
    let late = taking.begin(at(0)).unwrap();
    assert_eq!(
        taking.wait(at(5), at(5)),
        NotesWait::Wait(Duration::from_secs(15))
    );
    assert_eq!(
        taking.wait(at(5), at(19)),
        NotesWait::Wait(Duration::from_secs(1))
    );
    assert_eq!(taking.wait(at(5), at(20)), NotesWait::LongEnough);
    assert_eq!(
        taking.wait(at(50), at(50)),
        NotesWait::Wait(Duration::from_secs(10))
    );
    assert_eq!(taking.wait(at(50), at(60)), NotesWait::Stale);
    // A clock that was set back makes nothing stale.
    assert_eq!(
        taking.wait(at(0), SystemTime::UNIX_EPOCH),
        NotesWait::Wait(Duration::from_secs(15))
    );
    // What is stale may be begun again, and its late end is nobody's.
    let next = taking.begin(at(60)).unwrap();
    taking.failed(late, at(61), "late");
    assert_eq!(
        (taking.last_error.clone(), taking.running_since),
        (None, Some(at(60)))
    );
    taking.succeeded(next, at(62), 1, None);
}

#[test]
fn after_a_compaction_growth_is_measured_anew() {
    let mut taking = NoteTaking::new();
    let ticket = taking.begin(at(0)).unwrap();
    taking.succeeded(ticket, at(0), 160_000, Some(Summarized::Count(300)));
    taking.compacted(20_000, Summarized::Count(1));
    assert_eq!(
        (taking.at_last, taking.summarized.clone()),
        (Some(20_000), Summarized::Count(1))
    );
    let due = taking.due(
        &tool_loop(9, 5),
        25_000,
        &NotesConfig::default(),
        &switch(true),
        Source::Main,
        at(1),
    );
    assert_eq!(due, Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_task_is_a_valid_request_and_its_mark_a_step_forward(
        rounds in world::rounds(), open: bool, room in proptest::option::of(0..5_000_u64), from in 0..60_usize,
    ) {
        let list = world::conversation(&rounds, open);
        prop_assume!(validate(&list).is_empty());
        let mut job = NotesJob::new(PATH, "# A\nx\n").summarized(Summarized::Count(from.min(list.len())));
        job.max_input_tokens = room;
        let task = notes_task(&list, &job, &counter());
        prop_assert_eq!(validate_with(&task.messages, &Limits::request()), vec![]);
        if let Some(Summarized::Uuid(uuid)) = &task.summarized {
            let to = list.iter().position(|m| m.uuid.as_ref() == Some(uuid)).unwrap() + 1;
            prop_assert!(to > from);
            prop_assert!(task.left_out <= from);
        }
    }
}

/// As after a `/clear` or a rewind that the notes were not told of.
#[test]
fn a_conversation_shorter_than_what_the_notes_cover_is_no_fault() {
    let mut taking = NoteTaking::new();
    taking.compacted(0, Summarized::Count(usize::MAX));
    let (config, on) = (NotesConfig::default(), switch(true));
    let list = tool_loop(1, 5);
    let due = taking.due(&list, 9_999, &config, &on, Source::Main, at(0));
    assert!(due.is_err());
    let due = taking.due(&[], u64::MAX, &config, &on, Source::Main, at(0));
    assert_eq!(taking.why_not, due.err());
}
