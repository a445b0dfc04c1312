//! What `compact-sm` makes of any conversation, judged by a law that shares no code with it.

use std::time::Duration;

use compact_sm::{
    Block, Breaker, Cause, Compact, Estimate, Estimator, FromNotes, Images, KeepConfig, Message,
    MicroOptions, NoHooks, NotCovered, Notes, Origin, Restore, Scope, Summarized, SummaryOptions,
    SummaryReply, SummaryRequest, Trim, When, compact, files_fn, from_notes, micro, repair,
    summarizer_fn, summary_request,
};
use serde_json::{Value, json};

use super::law;

/// A small generator: the same conversations in every run.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % end
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn words(&mut self, most: u64) -> String {
        const WORDS: [&str; 8] = [
            "linker",
            "zlib",
            "构建失败",
            "then",
            "测试",
            "`make`",
            "🎛️",
            "\n\nnext",
        ];
        let count = 1 + self.below(most);
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(8) as usize]).collect();
        format!("word {}", words.join(" "))
    }
}

fn block(value: Value) -> Block {
    serde_json::from_value(value).unwrap()
}

fn picture() -> Value {
    json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGVsbG8=" } })
}

/// A conversation as an agent has them: reasoning, parallel calls answered in any order, results
/// with pictures, responses that were streamed into several records, calls that wait at the end.
pub(super) fn conversation(dice: &mut Dice) -> Vec<Message> {
    let mut messages = Vec::new();
    for turn in 0..1 + dice.below(30) {
        messages.push(Message::user(dice.words(60)).uuid(format!("u{turn}")));
        for step in 0..dice.below(4) {
            let id = format!("msg_{turn}_{step}");
            let thinking = dice
                .one_in(2)
                .then(|| block(law::thinking_block(&dice.words(9))));
            let text = (!dice.one_in(3)).then(|| Block::text(dice.words(30)));
            let calls: Vec<String> = (0..1 + dice.below(3))
                .map(|n| format!("toolu_{turn}_{step}_{n}"))
                .collect();
            let call = |id: &String| Block::tool_use(id, "Read", json!({ "file_path": "/p/a.rs" }));
            let head: Vec<Block> = thinking.into_iter().chain(text).collect();
            if dice.one_in(3) && !head.is_empty() {
                // One response, a record for each of its blocks.
                let records = head.into_iter().chain(calls.iter().map(call));
                messages.extend(records.map(|block| Message::assistant(vec![block]).id(&id)));
            } else {
                let blocks: Vec<Block> = head.into_iter().chain(calls.iter().map(call)).collect();
                messages.push(Message::assistant(blocks).id(&id));
            }
            let mut results: Vec<Block> = calls
                .iter()
                .map(|id| {
                    let text = dice.words(200);
                    let mut content = vec![json!({ "type": "text", "text": text })];
                    if dice.one_in(6) {
                        content.push(picture());
                    }
                    block(json!({ "type": "tool_result", "tool_use_id": id, "content": content }))
                })
                .collect();
            if dice.one_in(2) {
                results.reverse();
            }
            if dice.one_in(3) {
                messages.extend(
                    results
                        .into_iter()
                        .map(|result| Message::user(vec![result])),
                );
            } else {
                messages.push(Message::user(results));
            }
        }
        messages.push(Message::assistant(dice.words(40)).id(format!("msg_{turn}")));
    }
    messages
}

/// A request of these messages, as an agent with reasoning sends it.
fn request(messages: &[Message]) -> Value {
    let mut sent: Vec<Value> = messages.iter().map(Message::to_request).collect();
    if sent.last().is_some_and(|last| last["role"] == "assistant") {
        sent.push(json!({ "role": "user", "content": "go on" }));
    }
    json!({
        "model": "m", "max_tokens": 32_000, "thinking": { "type": "adaptive" }, "messages": sent,
        "tools": [{ "name": "Read", "input_schema": { "type": "object" } }],
    })
}

#[track_caller]
fn accepted(messages: &[Message], what: &str, seed: u64) {
    // Thinking is asked for in the last response only; conversations here have it now and then.
    let mut body = request(messages);
    body["thinking"] = Value::Null;
    if let Err(refused) = law::check(&body) {
        panic!("seed {seed}, {what}: {}", refused.message);
    }
}

#[test]
fn a_compaction_from_notes_is_taken_by_the_api_wherever_it_cuts() {
    let counter = Estimator::new(Estimate::default());
    let (mut planned, mut refused) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let messages = conversation(&mut dice);
        accepted(&messages, "as it was", seed);
        let keep = KeepConfig::default()
            .min_tokens(dice.below(3_000))
            .min_text_messages(1 + dice.below(8) as usize)
            .max_tokens(3_000 + dice.below(9_000));
        let covered = dice.below(messages.len() as u64 + 1) as usize;
        let notes = Notes::new("# Current State\n\nThe linker needs zlib.\n");
        let options = FromNotes::default()
            .keep(keep)
            .not_covered(NotCovered::Drop);
        let known = notes.clone().summarized(Summarized::Count(covered));
        for notes in [notes, known] {
            match from_notes(&messages, &notes, &options, &counter) {
                Ok(plan) => {
                    planned += 1;
                    let applied = plan.apply(messages.clone()).unwrap();
                    accepted(&applied.messages, "from notes", seed);
                    let cleared = micro(
                        &applied.messages,
                        When::Budget,
                        &MicroOptions::default().keep(1).protect_tokens(0),
                        &counter,
                    );
                    let cleared = cleared.apply(applied.messages).unwrap();
                    accepted(&cleared.messages, "from notes, then cleared", seed);
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(planned > 60, "{planned} planned, {refused} refused");
}

#[test]
fn clearing_old_results_is_taken_by_the_api() {
    let counter = Estimator::new(Estimate::BytesDiv4);
    let mut cleared = 0;
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let messages = conversation(&mut dice);
        let options = MicroOptions::default()
            .keep(dice.below(4) as usize)
            .protect_tokens(dice.below(2_000));
        for when in [When::Budget, When::Idle(Duration::from_secs(3_600))] {
            let plan = micro(&messages, when, &options, &counter);
            cleared += plan.clear.len();
            let done = plan.apply(messages.clone()).unwrap();
            accepted(&done.messages, "cleared", seed);
        }
    }
    assert!(cleared > 100, "{cleared}");
}

#[test]
fn what_a_repair_makes_of_any_piece_of_a_conversation_is_taken_by_the_api() {
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let messages = conversation(&mut dice);
        let from = dice.below(messages.len() as u64) as usize;
        let to = from + dice.below((messages.len() - from) as u64 + 1) as usize;
        let mut piece = messages[from..to].to_vec();
        if dice.one_in(2) && piece.len() > 2 {
            piece.swap(0, 1);
        }
        let repaired = repair(piece);
        let mut messages = repaired.messages;
        // The calls of the last response may wait for their results; here they come.
        let answered: Vec<&str> = messages.iter().flat_map(Message::results).collect();
        let calls = messages.iter().flat_map(Message::calls);
        let open: Vec<&str> = calls.filter(|id| !answered.contains(id)).collect();
        let results: Vec<Block> = open
            .iter()
            .map(|id| Block::tool_result(*id, "late"))
            .collect();
        if !results.is_empty() {
            messages.push(Message::user(results));
        }
        if !messages.is_empty() {
            accepted(&messages, "repaired", seed);
        }
    }
}

#[test]
fn every_request_for_a_summary_is_taken_by_the_api_also_when_it_was_trimmed() {
    let counter = Estimator::new(Estimate::BytesDiv4);
    let mut trimmed = 0;
    for seed in 0..120 {
        let mut dice = Dice::new(seed);
        let messages = conversation(&mut dice);
        for scope in [Scope::Whole, Scope::Recent, Scope::Prefix] {
            let count = messages.len() as u64;
            let what = match scope {
                Scope::Recent => dice.below(count) as usize..messages.len(),
                _ => 0..1 + dice.below(count) as usize,
            };
            let images = if dice.one_in(2) {
                Images::Keep
            } else {
                Images::Marks
            };
            let mut options = SummaryOptions::new(scope).images(images);
            if dice.one_in(2) {
                options = options.instructions("keep the names of all files");
            }
            if dice.one_in(3) {
                options = options.room(2_000);
            }
            let mut request = summary_request(&messages, &what, &options, &counter);
            for _ in 0..4 {
                let body = json!({
                    "model": "m", "max_tokens": request.max_tokens, "messages": request.messages_json(),
                    "tools": [{ "name": "Read", "input_schema": { "type": "object" } }],
                });
                if let Err(refused) = law::check(&body) {
                    panic!("seed {seed}, {scope:?} {what:?}: {}", refused.message);
                }
                let over_by = dice.one_in(2).then(|| dice.below(3_000));
                trimmed += usize::from(request.trim(over_by, &counter) != Trim::OneLeft);
            }
        }
    }
    assert!(trimmed > 100, "{trimmed}");
}

#[test]
fn every_compaction_is_taken_by_the_api_and_ten_in_a_row_stay_bounded() {
    let counter = Estimator::new(Estimate::BytesDiv4);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut made = 0;
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let mut messages = conversation(&mut dice);
        let mut longest = 0;
        for round in 0..10 {
            let count = messages.len() as u64;
            let from = dice.below(count) as usize;
            let run = from..from + dice.below(count - from as u64 + 1) as usize;
            let cause = match dice.below(3) {
                0 => Cause::manual(Some("keep the names of all files")),
                1 => Cause::manual(None),
                _ => Cause::partial(run, None),
            };
            let breaker = Breaker::new();
            let notes = Notes::new("# Current State\n\nThe linker needs zlib.\n");
            let mut how = Compact::new(&breaker, &counter);
            if dice.one_in(3) {
                how = how.notes(&notes);
            }
            let files = files_fn(|_| Ok("fn main() {}\n".repeat(20)));
            let how = how
                .files(&files)
                .restore(Restore::default().skill("release", "Tag it."));
            // A model that echoes: what it is shown of an earlier summary it says again.
            let summarizer = summarizer_fn(async |request: SummaryRequest| {
                let said: Vec<&str> = request.messages.iter().flat_map(Message::texts).collect();
                let echo: String = said.join(" ").chars().take(400).collect();
                Ok(SummaryReply::text(format!("<summary>{echo}</summary>")))
            });
            let done = runtime.block_on(compact(&messages, &cause, &how, &summarizer, &NoHooks));
            let Ok(done) = done else { continue };
            made += 1;
            messages = done.into_messages();
            accepted(&messages, &format!("round {round}, {cause:?}"), seed);
            let summary = messages
                .iter()
                .filter(|message| message.origin == Origin::Summary);
            longest = summary
                .flat_map(Message::texts)
                .map(str::len)
                .max()
                .unwrap_or(0)
                .max(longest);
            messages.extend(
                conversation(&mut dice)
                    .into_iter()
                    .enumerate()
                    .map(|(at, message)| renamed(message, &format!("{round}_{at}"), round)),
            );
        }
        assert!(longest < 4_000, "seed {seed}: a summary of {longest} bytes");
    }
    assert!(made > 200, "{made}");
}

/// The message with ids of its own, so that a conversation can be put behind another.
fn renamed(message: Message, uuid: &str, round: u32) -> Message {
    let text = serde_json::to_string(&message).unwrap();
    let text = text
        .replace("toolu_", &format!("toolu_r{round}_"))
        .replace("\"msg_", &format!("\"msg_r{round}_"));
    let message: Message = serde_json::from_str(&text).unwrap();
    message.uuid(uuid)
}
