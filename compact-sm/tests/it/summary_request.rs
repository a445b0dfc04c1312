//! What a model is asked for: the conversation as it was, a prompt, and less of it if need be.

use compact_sm::{
    Block, Content, Counter, Estimate, Estimator, Images, Limits, Message, Origin, Returns, Scope,
    SummaryOptions, SummaryRequest, summary_request, validate, validate_with,
};
use proptest::prelude::*;

use crate::world::{self, tool_loop};

pub(crate) fn counter() -> Estimator {
    Estimator::new(Estimate::BytesDiv4)
}

pub(crate) fn whole(list: &[Message], options: &SummaryOptions) -> SummaryRequest {
    summary_request(list, &(0..list.len()), options, &counter())
}

pub(crate) fn prompt(request: &SummaryRequest) -> &str {
    request.messages.last().unwrap().texts().last().unwrap()
}

#[test]
fn the_request_is_the_conversation_and_one_message_more() {
    let list = tool_loop(3, 20);
    let request = whole(&list, &SummaryOptions::default());
    assert_eq!(request.messages.len(), list.len() + 1);
    for (sent, had) in request.messages.iter().zip(&list) {
        assert_eq!(sent.to_request(), had.to_request());
    }
    assert_eq!(request.max_tokens, 20_000);
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
}

#[test]
fn cache_marks_stay_where_they_are() {
    let mut list = tool_loop(2, 20);
    let marked = r#"{"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}"#;
    list.push(serde_json::from_str(marked).unwrap());
    let request = whole(&list, &SummaryOptions::default());
    let sent = request.messages[list.len() - 1].to_request();
    assert_eq!(sent["content"][0]["cache_control"]["type"], "ephemeral");
}

#[test]
fn tools_are_refused_at_both_ends_of_every_prompt() {
    for scope in [Scope::Whole, Scope::Recent, Scope::Prefix] {
        let text = compact_sm::summary_prompt(scope, Some("keep the names"));
        assert!(
            text.lines()
                .next()
                .unwrap()
                .contains("Do not call any tool")
        );
        assert!(text.lines().last().unwrap().contains("no tool calls"));
        assert!(text.contains("Additional Instructions:\nkeep the names\n"));
        assert_eq!(
            (1..=9)
                .filter(|n| text.contains(&format!("\n{n}. ")))
                .count(),
            9
        );
    }
}

#[test]
fn the_prompt_tells_the_model_to_carry_over_an_earlier_summary() {
    let text = compact_sm::summary_prompt(Scope::Whole, None);
    assert!(text.contains("take over what still holds"));
    assert!(!text.contains("Additional Instructions"));
}

#[test]
fn images_and_documents_become_marks_also_inside_results() {
    let mut list = tool_loop(1, 5);
    let inner = Content::from(vec![Block::text("shot"), Block::image("image/png", "aGk=")]);
    list[2].content.blocks = vec![Block::tool_result("toolu_0", inner)];
    list.push(Message::user([
        Block::image("image/png", "aGk="),
        Block::document("application/pdf", "aGk="),
    ]));
    let json = whole(&list, &SummaryOptions::default())
        .messages_json()
        .to_string();
    assert!(!json.contains("base64"));
    assert_eq!(json.matches("[image]").count(), 2);
    assert_eq!(json.matches("[document]").count(), 1);
    let kept = whole(&list, &SummaryOptions::default().images(Images::Keep));
    assert_eq!(
        kept.messages_json().to_string().matches("base64").count(),
        3
    );
}

#[test]
fn more_images_than_a_request_takes_are_never_kept() {
    let images = vec![Block::image("image/png", "aGk="); 101];
    let list = [
        Message::user("look"),
        Message::assistant("I do"),
        Message::user(images),
    ];
    let request = whole(&list, &SummaryOptions::default().images(Images::Keep));
    assert!(!request.messages_json().to_string().contains("base64"));
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
}

#[test]
fn a_call_without_result_gets_a_short_one_in_the_request() {
    let mut list = tool_loop(2, 5);
    list.pop();
    let request = whole(&list, &SummaryOptions::default());
    let last = request.messages.last().unwrap();
    assert_eq!(last.results().collect::<Vec<_>>(), ["toolu_1"]);
    assert!(prompt(&request).contains("<summary>"));
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
}

#[test]
fn of_parallel_calls_only_the_open_ones_get_a_result() {
    let call = |id: &str| Block::tool_use(id, "Read", serde_json::json!({}));
    let list = [
        Message::user("go"),
        Message::assistant([call("a"), call("b")]),
        Message::user([Block::tool_result("b", "done")]),
    ];
    let request = whole(&list, &SummaryOptions::default());
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
    assert_eq!(
        request
            .messages
            .iter()
            .flat_map(Message::results)
            .collect::<Vec<_>>(),
        ["b", "a"]
    );
}

#[test]
fn a_history_that_ends_in_reasoning_gives_a_valid_request() {
    let mut list = tool_loop(1, 5);
    list.push(Message::assistant([Block::thinking("hm", "c2ln")]).id("msg_9"));
    let request = whole(&list, &SummaryOptions::default());
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
}

#[test]
fn commands_that_asked_for_a_compaction_are_not_in_the_request() {
    let mut list = tool_loop(1, 5);
    list.push(Message::assistant("done"));
    list.push(Message::user("/compact and then delete everything"));
    let request = whole(&list, &SummaryOptions::default());
    assert!(
        !request
            .messages_json()
            .to_string()
            .contains("delete everything")
    );
}

#[test]
fn what_returns_anyway_is_left_out_unless_it_is_more_than_text() {
    let mut list = tool_loop(1, 5);
    list.push(Message::user("skills: a, b, c").origin(Origin::Meta));
    list.push(Message::assistant("ok"));
    let returns = Returns::matching(|message| {
        message.origin == Origin::Meta || message.results().next().is_some()
    });
    let request = whole(&list, &SummaryOptions::default().returns(returns));
    let json = request.messages_json().to_string();
    assert!(!json.contains("skills: a") && json.contains("toolu_0"));
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
}

#[test]
fn only_what_follows_the_last_summary_is_sent_and_the_summary_with_it() {
    let mut list = tool_loop(2, 5);
    let old = list.len();
    list.push(Message::user("what was before").origin(Origin::Summary));
    list.extend(tool_loop(1, 5).into_iter().skip(1));
    let what = old + 1..list.len();
    let request = summary_request(&list, &what, &SummaryOptions::default(), &counter());
    assert_eq!(request.messages[0].texts().next(), Some("what was before"));
    assert_eq!(request.messages.len(), 4);
}

#[test]
fn a_recent_part_is_marked_behind_what_stays() {
    let list = tool_loop(3, 5);
    let request = summary_request(
        &list,
        &(3..7),
        &SummaryOptions::new(Scope::Recent),
        &counter(),
    );
    assert_eq!(request.messages.len(), list.len() + 2);
    assert!(
        request.messages[3]
            .texts()
            .next()
            .unwrap()
            .contains("begins here")
    );
    assert!(prompt(&request).contains(request.messages[3].texts().next().unwrap()));
    assert!(validate_with(&request.messages, &Limits::request()).is_empty());
}

#[test]
fn forty_long_results_are_shortened_in_the_copy_the_oldest_first() {
    let list = tool_loop(40, 20_000);
    let before = list.clone();
    let request = whole(&list, &SummaryOptions::default().room(150_000));
    let size: u64 = request.messages.iter().map(|m| counter().message(m)).sum();
    assert!(size < 155_000, "{size}");
    assert_eq!(request.messages[80].to_request(), list[80].to_request());
    assert_eq!(list, before);
}

#[test]
fn the_three_prompts() {
    insta::assert_snapshot!(compact_sm::summary_prompt(Scope::Whole, Some("Keep the figures.")), @r#"
Write text, and only text. Do not call any tool in this turn: what you need stands above, a call would be refused, and there is no second turn.

This conversation is about to be replaced by a summary of it; a last message or two may stay word for word, and the work goes on from there. Write it so that whoever continues needs nothing else: what was asked for, what was decided, what was changed and where, and what is still open.

First think it through inside <analysis> tags: go through the messages in order, and note for each part what the person wanted, what was done, which names, signatures and commands matter, what went wrong, and where the person corrected you. The block is thrown away afterwards.

Then write the summary inside <summary> tags, with these sections and these headings:

1. Primary request and intent: everything the person asked for, in detail, with limits and wishes they stated.
2. Key technical concepts: technologies, patterns and terms that the work depends on.
3. Files and code sections: each file that was read, changed or created, with why it matters; quote the code that will be needed again, the newest first.
4. Errors and fixes: each error, what it came from, how it was fixed, and what the person said about it.
5. Problem solving: what was solved, and what is still being looked into.
6. All user messages: every message of the person that is not a tool result, in their words; instructions about safety, secrets and what must not be done, completely.
7. Pending tasks: what was asked for and is not done.
8. Current work: exactly what was being done just before this request, with file names and code.
9. Optional next step: only what follows directly from the person's latest request, with a literal quote of where the work stopped; leave it out if the last task is finished.

The form:

<analysis>
...
</analysis>

<summary>
1. Primary request and intent:
   ...
</summary>

If the instructions of the project above, such as a section about compaction, say what a summary should keep, follow them. A summary that already stands above is material like everything else: take over what still holds, do not quote it whole.

Additional Instructions:
Keep the figures.

Remember: no tool calls. One <analysis> block, then one <summary> block, nothing else.
"#);
    insta::assert_snapshot!(compact_sm::summary_prompt(Scope::Recent, None), @r#"
Write text, and only text. Do not call any tool in this turn: what you need stands above, a call would be refused, and there is no second turn.

The messages from here back to the mark [the part to summarize begins here] are about to be replaced by a summary; what stands before the mark stays word for word, and newer messages that you do not see may follow. Summarize only what stands behind the mark, or everything if there is no mark, and refer to the rest only where that part builds on it.

First think it through inside <analysis> tags: go through the messages in order, and note for each part what the person wanted, what was done, which names, signatures and commands matter, what went wrong, and where the person corrected you. The block is thrown away afterwards.

Then write the summary inside <summary> tags, with these sections and these headings:

1. Primary request and intent: everything the person asked for, in detail, with limits and wishes they stated.
2. Key technical concepts: technologies, patterns and terms that the work depends on.
3. Files and code sections: each file that was read, changed or created, with why it matters; quote the code that will be needed again, the newest first.
4. Errors and fixes: each error, what it came from, how it was fixed, and what the person said about it.
5. Problem solving: what was solved, and what is still being looked into.
6. All user messages: every message of the person that is not a tool result, in their words; instructions about safety, secrets and what must not be done, completely.
7. Pending tasks: what was asked for and is not done.
8. Current work: exactly what was being done just before this request, with file names and code.
9. Optional next step: only what follows directly from the person's latest request, with a literal quote of where the work stopped; leave it out if the last task is finished.

The form:

<analysis>
...
</analysis>

<summary>
1. Primary request and intent:
   ...
</summary>

If the instructions of the project above, such as a section about compaction, say what a summary should keep, follow them. A summary that already stands above is material like everything else: take over what still holds, do not quote it whole.

Remember: no tool calls. One <analysis> block, then one <summary> block, nothing else.
"#);
    insta::assert_snapshot!(compact_sm::summary_prompt(Scope::Prefix, None), @r#"
Write text, and only text. Do not call any tool in this turn: what you need stands above, a call would be refused, and there is no second turn.

The beginning of this conversation is about to be replaced by a summary; newer messages, which you do not see, follow it word for word. Summarize what you see so that those newer messages can be understood.

First think it through inside <analysis> tags: go through the messages in order, and note for each part what the person wanted, what was done, which names, signatures and commands matter, what went wrong, and where the person corrected you. The block is thrown away afterwards.

Then write the summary inside <summary> tags, with these sections and these headings:

1. Primary request and intent: everything the person asked for, in detail, with limits and wishes they stated.
2. Key technical concepts: technologies, patterns and terms that the work depends on.
3. Files and code sections: each file that was read, changed or created, with why it matters; quote the code that will be needed again, the newest first.
4. Errors and fixes: each error, what it came from, how it was fixed, and what the person said about it.
5. Problem solving: what was solved, and what is still being looked into.
6. All user messages: every message of the person that is not a tool result, in their words; instructions about safety, secrets and what must not be done, completely.
7. Pending tasks: what was asked for and is not done.
8. Work completed: what was finished by the end of what you see.
9. Context for continuing: decisions, state and open ends that the newer messages build on.

The form:

<analysis>
...
</analysis>

<summary>
1. Primary request and intent:
   ...
</summary>

If the instructions of the project above, such as a section about compaction, say what a summary should keep, follow them. A summary that already stands above is material like everything else: take over what still holds, do not quote it whole.

Remember: no tool calls. One <analysis> block, then one <summary> block, nothing else.
"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_request_is_valid_and_stays_so_when_it_is_trimmed(
        rounds in world::rounds(), open: bool, keep: bool, gaps in proptest::collection::vec(proptest::option::of(0..20_000_u64), 3),
        scope in prop_oneof![Just(Scope::Whole), Just(Scope::Recent), Just(Scope::Prefix)],
    ) {
        let list = world::conversation(&rounds, open);
        prop_assume!(validate(&list).is_empty());
        let images = if keep { Images::Keep } else { Images::Marks };
        let mut request = whole(&list, &SummaryOptions::new(scope).images(images).room(2_000));
        prop_assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
        for gap in gaps {
            let before = request.messages.len();
            request.trim(gap, &counter());
            prop_assert!(request.messages.len() <= before);
            prop_assert_eq!(validate_with(&request.messages, &Limits::request()), vec![]);
        }
    }
}
