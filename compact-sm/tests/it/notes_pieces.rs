//! Notes of a conversation that is too long for one task: the pieces, and what is in them.

use compact_sm::{
    Block, Counter, Estimate, Estimator, Limits, Message, NotesJob, NotesTask, Role, Summarized,
    notes_task, validate, validate_with,
};
use proptest::prelude::*;

use crate::world::{self, Round, tool_loop, words};

const PATH: &str = "/c/notes.md";

fn counter() -> Estimator {
    Estimator::new(Estimate::BytesDiv4)
}

fn size(messages: &[Message]) -> u64 {
    messages.iter().map(|m| counter().message(m)).sum()
}

fn task(list: &[Message], from: usize, room: u64) -> NotesTask {
    let job = NotesJob::new(PATH, "# A\n_x_\n").max_input_tokens(room);
    notes_task(list, &job.summarized(Summarized::Count(from)), &counter())
}

/// How far a task goes, by its mark.
fn reach(list: &[Message], task: &NotesTask) -> Option<usize> {
    match task.summarized.as_ref()? {
        Summarized::Count(to) => Some(*to),
        Summarized::Uuid(uuid) => {
            let is_it = |m: &Message| m.uuid.as_ref() == Some(uuid);
            list.iter().position(is_it).map(|at| at + 1)
        }
        _ => None,
    }
}

/// All pieces of a list, one task after another.
fn pieces(list: &[Message], room: u64) -> Vec<NotesTask> {
    let (mut all, mut reached) = (Vec::new(), 0);
    loop {
        let task = task(list, reached, room);
        assert_eq!(validate_with(&task.messages, &Limits::request()), vec![]);
        assert!(task.left_out <= reached, "nothing is passed over");
        let end = list.len() - task.still_to_come;
        // Every message is there, the prompt, and perhaps a mark in front.
        let most = end - task.left_out - task.unsent + 2;
        assert!(task.messages.len() + 1 == most || task.messages.len() == most);
        let is_done = task.still_to_come == 0;
        let to = reach(list, &task);
        all.push(task);
        match to {
            Some(to) => {
                assert!(to > reached && to <= end);
                reached = to;
            }
            None => assert!(is_done, "no step forward at {reached}"),
        }
        if is_done {
            return all;
        }
        assert_eq!(reached, end, "the next piece begins where this one ends");
    }
}

#[test]
fn one_turn_of_thousands_of_small_calls_is_taken_in_pieces() {
    let list = tool_loop(4_000, 100);
    assert!(size(&list) > 600_000);
    let all = pieces(&list, 100_000);
    assert!((6..9).contains(&all.len()), "{}", all.len());
    for task in &all {
        assert!(size(&task.messages) <= 100_000, "{}", size(&task.messages));
        assert_eq!(task.shortened, 0);
    }
    // A piece that begins with a response has a mark in front of it.
    let texts: Vec<_> = all[1].messages[0].texts().collect();
    assert!(texts[0].contains("left out"), "{texts:?}");
    assert_eq!(all[1].messages[1].role, Role::Assistant);
    assert_eq!(
        all[1].messages[1].to_request(),
        list[all[1].left_out].to_request()
    );
}

#[test]
fn a_turn_that_has_room_is_never_divided() {
    let mut list = tool_loop(3, 1_000);
    list.push(Message::assistant("done"));
    let first = list.len();
    for mut message in tool_loop(40, 1_000) {
        message.id = message.id.map(|id| format!("{id}_2"));
        for block in &mut message.content.blocks {
            if let Block::ToolUse { id, .. }
            | Block::ToolResult {
                tool_use_id: id, ..
            } = block
            {
                id.push_str("_2");
            }
        }
        list.push(message);
    }
    for (at, message) in list.iter_mut().enumerate() {
        message.uuid = Some(format!("uuid-{at}"));
    }
    let all = pieces(&list, 20_000);
    assert_eq!(list.len() - all[0].still_to_come, first);
    assert_eq!(all.len(), 4);
}

#[test]
fn a_round_that_is_too_large_alone_is_shortened_in_the_copy() {
    let mut list = tool_loop(3, 10);
    list[4].content.blocks = vec![Block::tool_result("toolu_1", words(60_000))];
    let all = pieces(&list, 20_000);
    assert_eq!(all.len(), 3);
    assert_eq!(
        all.iter().map(|t| t.shortened).collect::<Vec<_>>(),
        [0, 1, 0]
    );
    for task in &all {
        assert!(size(&task.messages) <= 20_000);
    }
    let results = all[1].messages_text();
    assert!(results.contains("more bytes are left out of this copy"));
}

#[test]
fn a_round_that_cannot_be_shortened_does_not_stop_the_notes() {
    let call = Block::tool_use("one", "Read", serde_json::json!({"file_path": "/a"}));
    let list = vec![
        Message::user("a wish"),
        Message::assistant([Block::thinking(words(30_000), "c2ln"), call]).id("m"),
        Message::user([Block::tool_result("one", "x")]),
        Message::assistant("done"),
        Message::user("another"),
        Message::assistant("yes"),
    ];
    assert_eq!(validate(&list), []);
    let all = pieces(&list, 9_000);
    assert!(all.iter().all(|task| size(&task.messages) <= 9_000));
    // The wish comes along, the reasoning with its call and result does not.
    assert_eq!(all.iter().map(|task| task.unsent).sum::<usize>(), 2);
    assert!(
        all.iter()
            .any(|task| task.messages_text().contains("a wish"))
    );
    assert!(all.last().unwrap().messages_text().contains("another"));
    for task in &all {
        assert_eq!(validate_with(&task.messages, &Limits::request()), []);
    }
}

#[test]
fn a_call_with_long_arguments_and_a_long_answer_are_shortened_too() {
    let input =
        serde_json::json!({"file_path": "/a", "content": words(30_000), "n": [words(9_000)]});
    let list = [
        Message::user("write it"),
        Message::assistant([Block::tool_use("t", "Write", input)]),
        Message::user([Block::tool_result("t", "ok")]),
        Message::assistant(words(30_000)),
    ];
    let all = pieces(&list, 5_000);
    for task in &all {
        assert!(size(&task.messages) <= 5_000, "{}", size(&task.messages));
    }
    let text = all.iter().map(NotesTask::messages_text).collect::<String>();
    assert!(text.contains("\"file_path\":\"/a\""));
}

#[test]
fn calls_that_nobody_answered_long_ago_do_not_stop_the_notes() {
    let call = |id: &str| Block::tool_use(id, "Read", serde_json::json!({}));
    let mut list = vec![Message::user("go"), Message::assistant([call("never")])];
    for at in 0..6 {
        list.push(Message::user(format!("{at} {}", words(5_000))));
        list.push(Message::assistant([call(&format!("t{at}"))]));
        list.push(Message::user([Block::tool_result(format!("t{at}"), "ok")]));
    }
    assert!(!validate(&list).is_empty());
    let mut reached = 0;
    for _ in 0..list.len() {
        let task = task(&list, reached, 2_500);
        assert_eq!(validate_with(&task.messages, &Limits::request()), vec![]);
        match reach(&list, &task) {
            Some(to) => reached = to,
            None => break,
        }
    }
    assert_eq!(reached, list.len());
}

#[test]
fn commands_alone_make_no_piece() {
    let mut list = tool_loop(1, 10);
    list.push(Message::assistant("done"));
    let from = list.len();
    list.push(Message::user("/compact"));
    list.push(Message::user("/compact now"));
    list.extend([Message::user("go on"), Message::assistant(words(30_000))]);
    let first = task(&list, from, 5_000);
    assert!(reach(&list, &first).unwrap() > from + 2);
}

#[test]
fn an_earlier_summary_is_sent_only_if_it_has_room() {
    let mut list = vec![Message::user(words(8_000)).origin(compact_sm::Origin::Summary)];
    list.push(Message::assistant("I go on").uuid("a"));
    list.push(Message::user("do"));
    list.push(Message::assistant("did"));
    assert_eq!(task(&list, 1, 20_000).left_out, 0);
    let small = task(&list, 1, 5_000);
    assert_eq!((small.left_out, small.still_to_come), (1, 0));
    assert!(size(&small.messages) <= 5_000);
    assert_eq!(validate_with(&small.messages, &Limits::request()), vec![]);
}

trait Text {
    fn messages_text(&self) -> String;
}

impl Text for NotesTask {
    fn messages_text(&self) -> String {
        let all = self.messages.iter().map(|m| m.to_request().to_string());
        all.collect()
    }
}

/// Few turns, some of them with many rounds.
fn long_turns() -> impl Strategy<Value = Vec<Round>> {
    let responses = prop_oneof![
        1 => proptest::collection::vec(world::response(), 1..3),
        2 => proptest::collection::vec(world::response(), 3..30),
    ];
    let round = responses.prop_map(|responses| Round {
        prompt: "do the next".to_owned(),
        responses,
    });
    proptest::collection::vec(round, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// What a task has beyond its room: nothing, with room for one round's short pieces.
    #[test]
    fn every_piece_has_room_and_all_of_them_cover_everything(
        rounds in long_turns(), open: bool, more in 900..6_000_u64, named: bool,
    ) {
        let mut list = world::conversation(&rounds, open);
        prop_assume!(validate(&list).is_empty());
        if !named {
            for message in &mut list {
                message.uuid = None;
            }
        }
        let prompt = size(&task(&[], 0, u64::MAX).messages);
        let room = prompt + more;
        let all = pieces(&list, room);
        for task in &all {
            let size = size(&task.messages);
            prop_assert!(size <= room, "{size} of {room}");
        }
        // The mark stops before calls that wait.
        let last = all.iter().rev().find_map(|task| reach(&list, task));
        let waits = list.len() - usize::from(open && list.len() > 1);
        prop_assert_eq!(last.unwrap_or(0), waits);
    }
}
