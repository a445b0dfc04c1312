//! Conversations as hosts have them, made by hand and at random.

use compact_sm::{Block, Content, Message, Usage};
use proptest::prelude::*;
use serde_json::json;

/// One exchange: what the model answers, and what comes back.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    pub(crate) prompt: String,
    pub(crate) responses: Vec<Response>,
}

#[derive(Debug, Clone)]
pub(crate) struct Response {
    thinking: u8,
    text: Option<String>,
    calls: usize,
    backwards: bool,
    split: bool,
    /// Each result comes before the next call, as when tools start while the model still streams.
    streamed: bool,
    result: String,
    image: bool,
    with_id: bool,
}

fn text() -> impl Strategy<Value = String> {
    let han = "上下文压缩会话记忆窗口";
    prop_oneof![
        3 => (0..30_usize).prop_map(|n| format!("see{}", " these plain words".repeat(n))),
        1 => (1..9_usize).prop_map(|n| han.repeat(n)),
        1 => Just("fn main() { println!(\"{}\", 1 + 2); }\n".repeat(7)),
        1 => Just("🧠🗜️ ok".to_owned()),
    ]
}

pub(crate) fn response() -> impl Strategy<Value = Response> {
    let shape = (
        0..4_u8,
        proptest::option::of(text()),
        0..4_usize,
        any::<[bool; 5]>(),
    );
    let size = prop_oneof![4 => 0..40_usize, 1 => 200..2_000_usize];
    (shape, text(), size).prop_map(|((thinking, text, calls, flags), result, size)| Response {
        thinking,
        text,
        calls,
        backwards: flags[0],
        split: flags[1],
        streamed: flags[2],
        result: result.repeat(1 + size / 20),
        image: flags[3] && flags[4],
        with_id: flags[1] || flags[4],
    })
}

pub(crate) fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let round = (text(), proptest::collection::vec(response(), 1..5))
        .prop_map(|(prompt, responses)| Round { prompt, responses });
    proptest::collection::vec(round, 1..8)
}

/// A valid conversation; `open` leaves the last calls without results.
pub(crate) fn conversation(rounds: &[Round], open: bool) -> Vec<Message> {
    let mut list = Vec::new();
    for (at, round) in rounds.iter().enumerate() {
        list.push(Message::user(round.prompt.as_str()));
        let last = round.responses.len() - 1;
        for (nth, response) in round.responses.iter().enumerate() {
            let calls = if nth < last { response.calls.max(1) } else { 0 };
            respond(&mut list, response, &format!("{at}_{nth}"), calls);
        }
    }
    if open && list.len() > 1 {
        list.push(Message::user("and now?"));
        list.push(Message::assistant([call("open_1"), call("open_2")]));
    }
    for (at, message) in list.iter_mut().enumerate() {
        message.uuid = Some(format!("uuid-{at}"));
    }
    list
}

fn call(id: &str) -> Block {
    Block::tool_use(id, "Read", json!({"file_path": format!("/src/{id}.rs")}))
}

fn respond(list: &mut Vec<Message>, response: &Response, name: &str, calls: usize) {
    let mut blocks = Vec::new();
    if response.thinking > 1 {
        blocks.push(Block::thinking("let me see", "c2lnbmF0dXJl"));
    }
    if response.thinking > 2 {
        blocks.push(Block::redacted_thinking("b3BhcXVl"));
    }
    if let Some(text) = &response.text {
        blocks.push(Block::text(text.as_str()));
    }
    if response.text.is_none() && calls == 0 {
        blocks.push(Block::text("done"));
    }
    let mut results = Vec::new();
    for nth in 0..calls {
        let id = format!("call_{name}_{nth}");
        let content: Content = if response.image && nth == 0 {
            vec![
                Block::text("a picture"),
                Block::image("image/png", "aWNvbg=="),
            ]
            .into()
        } else {
            response.result.as_str().into()
        };
        blocks.push(call(&id));
        results.push(Block::tool_result(id, content));
    }
    let id = format!("msg_{name}");
    let say = |blocks: Vec<Block>| {
        let message = Message::assistant(blocks);
        if response.with_id {
            message.id(id.as_str()).usage(Usage::new(0, 0))
        } else {
            message
        }
    };
    if response.streamed && response.with_id && calls > 1 {
        let first = blocks.len() - calls;
        let tail = blocks.split_off(first + 1);
        list.push(say(blocks));
        for (call, result) in tail.into_iter().zip(results.drain(..calls - 1)) {
            list.push(Message::user([result]));
            list.push(say(vec![call]));
        }
    } else if response.split && response.with_id {
        list.extend(blocks.into_iter().map(|block| say(vec![block])));
    } else {
        list.push(say(blocks));
    }
    if response.backwards {
        results.reverse();
    }
    if results.is_empty() {
        return;
    }
    if response.split {
        list.extend(results.into_iter().map(|result| Message::user([result])));
    } else {
        list.push(Message::user(results));
    }
}

/// `count` call and result pairs after one text, each result of about `tokens` tokens.
pub(crate) fn tool_loop(count: usize, tokens: usize) -> Vec<Message> {
    let mut list = vec![Message::user("please fix the build")];
    for at in 0..count {
        let id = format!("toolu_{at}");
        let text = Block::text(format!("step {at}"));
        list.push(Message::assistant([text, call(&id)]).id(format!("msg_{at}")));
        list.push(Message::user([Block::tool_result(id, words(tokens))]));
    }
    for (at, message) in list.iter_mut().enumerate() {
        message.uuid = Some(format!("uuid-{at}"));
    }
    list
}

/// A text of four bytes for each token.
pub(crate) fn words(tokens: usize) -> String {
    "abc ".repeat(tokens)
}
