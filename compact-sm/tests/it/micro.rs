//! Clearing old results of tools.

use std::io;
use std::time::Duration;

use compact_sm::{
    Block, CLEARED_MARK, Content, Counter, ErrorKind, Estimate, Estimator, Flags, LastReads,
    Message, MicroOptions, MicroPlan, NotCleared, Overrides, Policy, Role, Settings, Source, Tools,
    Usage, When, Window, micro, validate,
};
use serde_json::json;

use crate::world::words;

const HOUR: Duration = Duration::from_secs(3_600);

fn counter() -> Estimator {
    Estimator::new(Estimate::BytesDiv4)
}

fn plan(list: &[Message], when: When, options: &MicroOptions) -> MicroPlan {
    micro(list, when, options, &counter())
}

/// One call and result for each tool, then an answer.
fn history(tools: &[(&str, usize)]) -> Vec<Message> {
    let mut list = vec![Message::user("go")];
    for (at, (tool, tokens)) in tools.iter().enumerate() {
        let id = format!("t{at}");
        let input = json!({"file_path": format!("/src/{at}.rs")});
        list.push(Message::assistant([Block::tool_use(
            id.as_str(),
            *tool,
            input,
        )]));
        list.push(Message::user([Block::tool_result(id, words(*tokens))]));
    }
    list.push(Message::assistant("done"));
    list
}

fn ids(plan: &MicroPlan) -> Vec<&str> {
    plan.clear.iter().map(|c| c.tool_use_id.as_str()).collect()
}

#[test]
fn after_an_hour_all_but_the_newest_five_are_cleared() {
    let list = history(&[("Read", 100); 8]);
    let cleared = plan(&list, When::Idle(HOUR), &MicroOptions::default());
    assert_eq!(ids(&cleared), ["t0", "t1", "t2"]);
    let done = cleared.apply(list).unwrap();
    assert_eq!(done.cleared.len(), 3);
    assert_eq!(validate(&done.messages), []);
    let texts = |at: usize| match &done.messages[at].content.blocks[0] {
        Block::ToolResult {
            content: Some(content),
            ..
        } => content.blocks[0].as_text().unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(texts(2), CLEARED_MARK);
    assert_eq!(texts(8), words(100));
    // The calls stay, and nothing is cleared twice.
    assert_eq!(done.messages[1].calls().count(), 1);
    let again = plan(&done.messages, When::Idle(HOUR), &MicroOptions::default());
    assert_eq!(again.why_not, Some(NotCleared::NothingOld));
}

#[test]
fn before_the_hour_nothing_is_cleared() {
    let list = history(&[("Read", 100); 8]);
    let gap = HOUR - Duration::from_secs(1);
    let early = plan(&list, When::Idle(gap), &MicroOptions::default());
    let left = Duration::from_secs(1);
    assert_eq!(
        (early.clear.len(), early.why_not),
        (0, Some(NotCleared::NotIdle { left }))
    );
    assert_eq!(early.apply(list.clone()).unwrap().messages, list);
}

#[test]
fn at_least_one_result_stays() {
    let list = history(&[("Read", 100); 3]);
    let all = plan(&list, When::Idle(HOUR), &MicroOptions::default().keep(0));
    assert_eq!(ids(&all), ["t0", "t1"]);
}

#[test]
fn only_listed_tools_are_cleared_and_the_ids_are_reported() {
    let list = history(&[
        ("Read", 100),
        ("mcp__mem__load", 100),
        ("Bash", 100),
        ("Skill", 90_000),
        ("Read", 9),
    ]);
    let options = MicroOptions::default().keep(1);
    let cleared = plan(&list, When::Idle(HOUR), &options);
    assert_eq!(ids(&cleared), ["t0", "t2"]);
    assert_eq!(cleared.clear[1].tool, "Bash");
    let done = cleared.apply(list).unwrap();
    let reported: Vec<_> = done
        .cleared
        .iter()
        .map(|c| c.tool_use_id.as_str())
        .collect();
    assert_eq!(reported, ["t0", "t2"]);
}

#[test]
fn the_caller_decides_which_tools() {
    let list = history(&[
        ("Read", 100),
        ("mcp__web__get", 100),
        ("mcp__mem__load", 100),
        ("Read", 100),
    ]);
    let of = |tools: Tools| {
        let options = MicroOptions::default().keep(1).tools(tools);
        let plan = plan(&list, When::Idle(HOUR), &options);
        plan.clear.into_iter().map(|c| c.tool).collect::<Vec<_>>()
    };
    assert_eq!(
        of(Tools::matching(|name| name.starts_with("mcp__"))),
        ["mcp__web__get"]
    );
    assert_eq!(
        of(Tools::named(["mcp__mem__load", "Read"])),
        ["Read", "mcp__mem__load"]
    );
    assert_eq!(of(Tools::named(Vec::<String>::new())), Vec::<String>::new());
}

#[test]
fn what_is_within_the_budget_stays() {
    let of = |tokens: &[usize], protect: u64| {
        let tools: Vec<_> = tokens.iter().map(|tokens| ("Read", *tokens)).collect();
        let options = MicroOptions::default().keep(1).protect_tokens(protect);
        let plan = plan(&history(&tools), When::Budget, &options);
        plan.clear
            .iter()
            .map(|c| c.message / 2 - 1)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&[100], 50_000), Vec::<usize>::new());
    assert_eq!(of(&[30_000, 30_000, 30_000], 50_000), [0, 1]);
    assert_eq!(of(&[10, 30_000, 10_000], 45_000), Vec::<usize>::new());
    assert_eq!(of(&[20_000, 30_000, 10_000], 45_000), [0]);
}

#[test]
fn a_mark_that_would_be_longer_changes_nothing() {
    let list = history(&[("Read", 1), ("Read", 5), ("Read", 100)]);
    let short = plan(&list, When::Idle(HOUR), &MicroOptions::default().keep(1));
    assert_eq!(ids(&short), Vec::<&str>::new());
}

#[test]
fn text_and_images_beside_a_result_stay() {
    let mut list = history(&[("Read", 100), ("Read", 100)]);
    let beside = [
        Block::text("look at this"),
        Block::image("image/png", "aQ=="),
    ];
    list[2].content.blocks.extend(beside.clone());
    let options = MicroOptions::default().keep(1);
    let done = plan(&list, When::Idle(HOUR), &options).apply(list).unwrap();
    assert_eq!(done.cleared.len(), 1);
    assert_eq!(done.messages[2].content.blocks[1..], beside);
}

#[test]
fn images_inside_a_result_go_with_it() {
    let mut list = history(&[("Read", 1), ("Read", 100)]);
    let image = Block::image("image/png", "A".repeat(1_000));
    list[2].content = Content::from([Block::tool_result("t0", vec![image])]);
    let options = MicroOptions::default().keep(1);
    let cleared = plan(&list, When::Idle(HOUR), &options);
    assert_eq!(cleared.clear.len(), 1);
    assert!(cleared.saved_tokens > 1_900);
    let done = cleared.apply(list).unwrap();
    assert!(
        !serde_json::to_string(&done.messages)
            .unwrap()
            .contains("AAAA")
    );
}

#[test]
fn the_last_read_of_a_file_can_be_protected() {
    let mut list = history(&[("Read", 100); 8]);
    // Calls 0 and 1 read the same file.
    list[3].content = Content::from([Block::tool_use(
        "t1",
        "Read",
        json!({"file_path": "/src/0.rs"}),
    )]);
    let options = MicroOptions::default()
        .keep(2)
        .last_reads(LastReads::Protect);
    let cleared = plan(&list, When::Idle(HOUR), &options);
    assert_eq!(ids(&cleared), ["t0"]);
    let unprotected = MicroOptions::default().keep(2);
    assert_eq!(plan(&list, When::Idle(HOUR), &unprotected).clear.len(), 6);
}

#[test]
fn results_that_were_not_answered_stay() {
    let mut list = history(&[("Read", 100); 2]);
    let calls: Vec<_> = (0..8)
        .map(|at| Block::tool_use(format!("n{at}"), "Read", json!({})))
        .collect();
    let results: Vec<_> = (0..8)
        .map(|at| Block::tool_result(format!("n{at}"), words(90_000)))
        .collect();
    list.push(Message::user("more"));
    list.push(Message::assistant(calls));
    list.push(Message::user(results));
    let options = MicroOptions::default().keep(1).protect_tokens(10);
    assert_eq!(ids(&plan(&list, When::Budget, &options)), ["t0", "t1"]);
}

#[test]
fn cleared_text_is_freed_wherever_it_stood() {
    let mut list = history(&[("Bash", 12_500), ("Read", 100)]);
    let text = words(12_500);
    list[2]
        .extra
        .insert("toolUseResult", json!({"stdout": text}));
    if let Block::ToolResult { extra, .. } = &mut list[2].content.blocks[0] {
        extra.insert("raw", json!(text));
        extra.insert("cache_control", json!({"type": "ephemeral"}));
    }
    let before = serde_json::to_string(&list).unwrap().len();
    let options = MicroOptions::default().keep(1);
    let done = plan(&list, When::Idle(HOUR), &options).apply(list).unwrap();
    let after = serde_json::to_string(&done.messages).unwrap();
    assert!(before > 150_000 && after.len() < 2_000);
    assert!(after.contains("ephemeral"));
}

#[test]
fn what_was_cleared_can_be_saved_first() {
    let list = history(&[("Bash", 100), ("Bash", 200), ("Bash", 300)]);
    let cleared = plan(&list, When::Idle(HOUR), &MicroOptions::default().keep(1));
    let mut saved = Vec::new();
    let done = cleared.apply_saving(list, |clearing, text| {
        if clearing.tool_use_id == "t1" {
            return Err(io::Error::other("disk full"));
        }
        saved.push(text.to_owned());
        Ok(format!("/results/{}.txt", clearing.tool_use_id))
    });
    let done = done.unwrap();
    assert_eq!(saved, [words(100)]);
    let json = serde_json::to_string(&done.messages).unwrap();
    assert!(json.contains("[Old tool result content cleared; it is in /results/t0.txt]"));
    assert_eq!(done.not_saved.len(), 1);
    assert_eq!(done.not_saved[0].clearing.tool_use_id, "t1");
    assert!(json.contains(&words(200)));
    let mark = counter().text(CLEARED_MARK);
    assert_eq!(done.saved_tokens, done.cleared[0].tokens - mark);
    // What says where it went is not cleared again.
    let again = plan(
        &done.messages,
        When::Idle(HOUR),
        &MicroOptions::default().keep(1),
    );
    assert_eq!(ids(&again), ["t1"]);
}

#[test]
fn a_list_that_has_changed_comes_back_as_it_was() {
    let list = history(&[("Read", 100); 8]);
    let cleared = plan(&list, When::Idle(HOUR), &MicroOptions::default());
    let mut other = list.clone();
    other.swap(2, 4);
    let unapplied = cleared.clone().apply(other.clone()).unwrap_err();
    assert_eq!(unapplied.messages, other);
    assert!(matches!(
        unapplied.error.kind(),
        ErrorKind::OtherHistory { .. }
    ));
    let shorter = list[..4].to_vec();
    assert_eq!(
        cleared.apply(shorter.clone()).unwrap_err().messages,
        shorter
    );
}

#[test]
fn saved_tokens_are_what_the_list_is_shorter_by() {
    let list = history(&[("Read", 1_000); 9]);
    let sum = |list: &[Message]| list.iter().map(|m| counter().message(m)).sum::<u64>();
    let before = sum(&list);
    let done = plan(&list, When::Idle(HOUR), &MicroOptions::default())
        .apply(list)
        .unwrap();
    let saved = before - sum(&done.messages);
    assert!(saved.abs_diff(done.saved_tokens) <= 20 * 4);
}

#[test]
fn a_decision_right_after_clearing_sees_what_will_be_sent() {
    let mut list = history(&[("Read", 5_000); 30]);
    for message in &mut list {
        message.usage =
            (message.role == Role::Assistant).then(|| Usage::new(1_000, 40).cache_read(170_000));
    }
    let policy = Policy::new(
        &Window::new(200_000, 32_000),
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    );
    let full = policy.decide(&list, &counter(), Source::Main);
    assert!(full.compacts(), "{full}");

    let plan = plan(&list, When::Idle(HOUR), &MicroOptions::default());
    let done = plan.apply(list.clone()).unwrap();
    let decision = policy.decide(&done.messages, &counter(), Source::Main);
    assert!(!decision.compacts(), "{decision}");
    let used = full.used.total() - decision.used.total();
    assert_eq!(used, done.saved_tokens);
    let first = |list: &[Message]| list.iter().find_map(|message| message.usage.clone());
    assert_eq!(
        first(&done.messages),
        first(&list),
        "nothing was cleared before it"
    );
}

#[test]
fn a_usage_that_is_smaller_than_what_was_cleared_does_not_wrap() {
    let mut list = history(&["Read"; 9].map(|tool| (tool, 20_000)));
    for message in &mut list {
        message.usage = (message.role == Role::Assistant).then(|| Usage::new(7, 40).cache_read(9));
    }
    let plan = plan(&list, When::Idle(HOUR), &MicroOptions::default());
    let done = plan.apply(list).unwrap();
    let last = done
        .messages
        .iter()
        .rev()
        .find_map(|message| message.usage.as_ref());
    assert_eq!(
        last.map(Usage::total),
        Some(40),
        "the response itself stays"
    );
}
