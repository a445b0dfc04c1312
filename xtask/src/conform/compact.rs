//! The kinds of `compact-sm`: when a conversation is compacted, and what is kept or cleared.

use compact_sm::{
    Block, Estimate, Estimator, Flags, KeepConfig, Margin, Message, MicroOptions, Overrides,
    Policy, Settings, Source, Summarized, Tools, Usage, Used, When, Window, estimate, keep_window,
    micro,
};
use serde_json::{Map, Value, json};

use super::case::Outcome;
use super::compare::{Comparison, Deviation};
use super::peer::{Kind, Runner, answer, text};
use super::tree::Unsupported;

type Answer = Result<Map<String, Value>, Unsupported>;

/// What a model of the setup puts out at most.
const MAX_OUTPUT: u64 = 32_000;

/// The peer kinds of this crate: what they take, what is compared, who answers.
pub(super) fn kind(name: &str) -> Option<Kind> {
    let (inputs, compared, run): (&[_], &[_], Runner) = match name {
        "threshold" => (
            &[
                "context",
                "output",
                "used",
                "input",
                "out",
                "cache_read",
                "input_limit",
            ],
            &["compact"],
            threshold,
        ),
        "keep_window" => (&["messages", "keep"], &["kept", "evicted"], keep),
        "micro" => (&["tool_tokens", "protect"], &["cleared"], clear),
        "result_check" => (
            &["summary"],
            &["status", "history"],
            super::boundary::result_check,
        ),
        "token_estimate" => (&["text"], &["tokens"], tokens),
        _ => return None,
    };
    Some(Kind {
        inputs,
        compared,
        run,
    })
}

/// A question, then calls and their results, each with a short text.
fn history(round_trips: u64) -> Vec<Message> {
    let mut messages = vec![Message::user("begin")];
    for n in 0..round_trips {
        let id = format!("call-{n}");
        messages.push(
            Message::assistant(vec![
                Block::text("next"),
                Block::tool_use(&id, "Read", json!({ "file_path": "/a" })),
            ])
            .id(format!("message-{n}")),
        );
        messages.push(Message::user(vec![Block::tool_result(&id, "text")]));
    }
    messages
}

fn number(input: &Map<String, Value>, key: &str) -> Result<Option<u64>, Unsupported> {
    match input.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => Ok(Some(value.as_u64().ok_or(format!("input {key}"))?)),
    }
}

fn threshold(input: &Map<String, Value>) -> Answer {
    let context = number(input, "context")?.ok_or("input context")?;
    let output = number(input, "output")?.unwrap_or(MAX_OUTPUT);
    let mut window = Window::new(context, output);
    if let Some(limit) = number(input, "input_limit")? {
        window = window.input_limit(limit);
    }
    let used = match number(input, "used")? {
        Some(used) => used,
        None => {
            let part = |key| Ok::<_, Unsupported>(number(input, key)?.unwrap_or(0));
            Usage::new(part("input")?, part("out")?)
                .cache_read(part("cache_read")?)
                .total()
        }
    };
    let policy = Policy::new(
        &window,
        &Overrides::default(),
        &Settings::default(),
        &Flags::default(),
    );
    let decision = policy.decide_used(&history(6), Used::exact(used), Source::Main);
    answer([("compact", decision.compacts().into())])
}

fn keep(input: &Map<String, Value>) -> Answer {
    let count = number(input, "messages")?.ok_or("input messages")?;
    let least = number(input, "keep")?.ok_or("input keep")?;
    let messages: Vec<Message> = (0..count)
        .map(|n| match n % 2 {
            0 => Message::user(format!("question {n}")),
            _ => Message::assistant(format!("answer {n}")),
        })
        .collect();
    let config = KeepConfig::default()
        .min_tokens(0)
        .min_text_messages(usize::try_from(least).map_err(|_| "input keep")?);
    let kept = keep_window(&messages, &Summarized::Unknown, &config, &compatible());
    let kept = kept.range.len() - kept.left_out.len();
    answer([
        ("kept", kept.into()),
        ("evicted", (messages.len() - kept).into()),
    ])
}

/// Bytes over four, without a margin: what tokens mean in the vectors.
fn compatible() -> Estimator {
    Estimator::new(Estimate::BytesDiv4).margin(Margin::NONE)
}

fn clear(input: &Map<String, Value>) -> Answer {
    let sizes = input
        .get("tool_tokens")
        .and_then(Value::as_array)
        .ok_or("input tool_tokens")?;
    let protect = number(input, "protect")?.ok_or("input protect")?;
    let mut messages = vec![Message::user("begin")];
    for (n, size) in sizes.iter().enumerate() {
        let size = size
            .as_u64()
            .filter(|size| *size < 10_000_000)
            .ok_or("input tool_tokens")?;
        let id = format!("call-{n}");
        messages.push(Message::assistant(vec![Block::tool_use(
            &id,
            "Read",
            json!({}),
        )]));
        let text = "x".repeat(usize::try_from(size * 4).map_err(|_| "input tool_tokens")?);
        messages.push(Message::user(vec![Block::tool_result(&id, text)]));
    }
    messages.push(Message::assistant("done"));
    let options = MicroOptions::default()
        .keep(0)
        .protect_tokens(protect)
        .tools(Tools::named(["Read"]));
    let plan = micro(&messages, When::Budget, &options, &compatible());
    let cleared: Vec<usize> = plan
        .clear
        .iter()
        .map(|cleared| cleared.message / 2 - 1)
        .collect();
    answer([("cleared", cleared.into())])
}

fn tokens(input: &Map<String, Value>) -> Answer {
    answer([(
        "tokens",
        estimate(text(input, "text")?, Estimate::BytesDiv4).into(),
    )])
}

/// The interop kind: does a conversation with that usage compact by itself?
pub(super) fn auto(setup: &Value, observed: &Value) -> Outcome {
    let mut comparison = Comparison::default();
    let known = [
        &super::interop::SETUP[..],
        &["model", "reported_usage", "tool_round_trips_before"],
    ]
    .concat();
    comparison.unknown("setup", &super::unknown_keys(setup, &known));
    comparison.unknown("observed", &super::unknown_keys(observed, &["compacted"]));
    match compacted(setup) {
        Ok((compacted, rule)) => {
            comparison.deviating("compacted", &observed["compacted"], compacted, rule);
            comparison.outcome()
        }
        Err(Unsupported(reason)) => Outcome::Unsupported(reason),
    }
}

fn compacted(setup: &Value) -> Result<(bool, Deviation), Unsupported> {
    let variable = |name: &str| {
        setup["env"]
            .get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let usage = |name: &str| {
        setup["reported_usage"]
            .get(name)
            .and_then(Value::as_u64)
            .unwrap_or(0)
    };
    let context = context(setup["model"].as_str().ok_or("setup model")?);
    let mut messages = history(
        setup["tool_round_trips_before"]
            .as_u64()
            .ok_or("setup round trips")?,
    );
    let reported = Usage::new(usage("input_tokens"), usage("output_tokens"))
        .cache_creation(usage("cache_creation_input_tokens"))
        .cache_read(usage("cache_read_input_tokens"));
    // The last response reports, and nothing follows it.
    let last = Message::assistant("done").id("last").usage(reported);
    messages.push(last);
    let overrides = Overrides::from_lookup(|name| variable(name).map(Into::into));
    let policy = Policy::new(
        &Window::new(context, MAX_OUTPUT),
        &overrides,
        &Settings::default(),
        &Flags::default(),
    );
    let decision = policy.decide(&messages, &Estimator::default(), Source::Main);

    let counted = usage("input_tokens")
        + usage("output_tokens")
        + usage("cache_creation_input_tokens")
        + usage("cache_read_input_tokens");
    let window_counts =
        variable("CLAUDE_CODE_AUTO_COMPACT_WINDOW").is_some_and(|text| leading_number(&text) > 0);
    let rule = (!window_counts).then(|| {
        let percent = variable("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE")
            .and_then(|text| text.trim().parse::<f64>().ok())
            .filter(|percent| (1.0..=100.0).contains(percent));
        let full = (context - 33_000) as f64;
        let least = percent.map_or(full, |percent| {
            full.min((context - 20_000) as f64 * percent / 100.0)
        });
        ("proactive", Value::from(counted as f64 >= least))
    });
    Ok((decision.compacts(), rule))
}

/// The number that a text begins with, 0 without one.
fn leading_number(text: &str) -> u64 {
    let digits: String = text
        .trim()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(0)
}

/// The window of a model of the vectors.
fn context(model: &str) -> u64 {
    let opus = model
        .strip_prefix("claude-opus-4-")
        .and_then(|rest| rest.split('-').next())
        .and_then(|minor| minor.parse::<u32>().ok())
        .filter(|minor| *minor < 1_000);
    let large = opus.is_some_and(|minor| minor >= 6)
        || model.contains("sonnet-5")
        || model.starts_with("claude-opus-5");
    if large && !model.contains("haiku") {
        1_000_000
    } else {
        200_000
    }
}
