//! Everything that a session starts with is there again, and what is not is named.

use compact_sm::{
    AfterCompaction, Before, BeforeCompaction, Breaker, Cause, Compact, Estimate, Estimator,
    HookResult, Hooks, IfBlocked, Lack, Message, Origin, Refused, Sent, SessionStart, WhyNot,
    compact, files_fn, validate,
};
use serde_json::json;
use std::sync::Mutex;

use crate::scripted::{Scripted, now, telling};
use crate::world::tool_loop;

fn start() -> SessionStart {
    SessionStart::new()
        .instructions("/p/CLAUDE.md", "MARKER: four spaces\r\n")
        .instructions("/p/.claude/rules/r.md", "rules for .rs")
        .memory_prompt("you have a memory\n- [a](a.md)")
        .tool(json!({"name": "Read", "description": "reads", "input_schema": {"type": "object"}}))
        .tool(json!({"name": "mcp__db__query", "input_schema": {}}))
        .mcp("db", "ask before you drop")
        .hook("greet", "it is Monday")
}

/// How this host begins, fresh or after a compaction.
fn assemble(
    start: &SessionStart,
    rest: Vec<Message>,
) -> (String, Vec<serde_json::Value>, Vec<Message>) {
    use compact_sm::Piece;
    let (mut system, mut tools, mut first) = (String::new(), Vec::new(), String::new());
    for piece in &start.pieces {
        match piece {
            Piece::Tool { definition } => tools.push(definition.clone()),
            Piece::Mcp { text, .. } | Piece::MemoryPrompt { text } => system.push_str(text),
            Piece::Instructions { text, .. } => first.push_str(text),
            _ => {}
        }
    }
    let mut messages = vec![Message::user(first).origin(Origin::Meta)];
    messages.extend(rest);
    (system, tools, messages)
}

struct Greeting {
    said: Mutex<Vec<String>>,
    verdict: Before,
}

impl Greeting {
    fn new(verdict: Before) -> Greeting {
        Greeting {
            said: Mutex::default(),
            verdict,
        }
    }
}

impl Hooks for Greeting {
    async fn before(&self, event: &BeforeCompaction) -> Before {
        self.said.lock().unwrap().push(format!(
            "before {:?} {:?}",
            event.trigger, event.instructions
        ));
        self.verdict.clone()
    }

    async fn after(&self, event: &AfterCompaction) {
        self.said
            .lock()
            .unwrap()
            .push(format!("after {}", event.summary.contains("the gist")));
    }

    async fn session_start(&self) -> Vec<HookResult> {
        self.said.lock().unwrap().push("start".to_owned());
        vec![
            HookResult::new("greet", "it is Monday"),
            HookResult::new("quiet", " "),
        ]
    }
}

fn counter() -> Estimator {
    Estimator::new(Estimate::BytesDiv4)
}

#[test]
fn after_a_compaction_the_same_set_is_there_as_at_a_fresh_start() {
    let start = start();
    let hook = HookResult::new("greet", "it is Monday")
        .to_message()
        .unwrap();
    let (system, tools, fresh) = assemble(&start, vec![hook, Message::user("hi")]);
    assert_eq!(start.missing(&Sent::new(&system, &tools, &fresh)), []);

    let (breaker, counter) = (Breaker::new(), counter());
    let files = files_fn(|path: &str| Ok(format!("bytes of {path}")));
    let mut from_disk = start.clone();
    from_disk.pieces.pop();
    let how = Compact::new(&breaker, &counter)
        .files(&files)
        .start(&from_disk);
    let hooks = Greeting::new(Before::Go);
    let history = tool_loop(20, 500);
    let done = now(compact(
        &history,
        &Cause::manual(None),
        &how,
        &Scripted::says(&telling("the gist")),
        &hooks,
    ))
    .unwrap();
    assert_eq!(done.attachments.len(), 5);
    assert_eq!(done.hook_results.len(), 1);
    let list = done.into_messages();
    assert!(validate(&list).is_empty());
    assert_eq!(
        list[list.len() - 2].texts().nth(1),
        Some("bytes of /src/toolu_14.rs")
    );
    let (system, tools, after) = assemble(&start, list);
    assert_eq!(start.missing(&Sent::new(&system, &tools, &after)), []);
    assert_eq!(
        *hooks.said.lock().unwrap(),
        ["before Manual None", "start", "after true"]
    );
}

#[test]
fn each_piece_that_is_not_there_is_named() {
    let start = start();
    for lost in 0..start.pieces.len() {
        let mut rest = start.clone();
        let piece = rest.pieces.remove(lost);
        let hook = HookResult::new("greet", "it is Monday").to_message();
        let hook = hook.filter(|_| piece.name() != "greet");
        let (system, tools, messages) = assemble(&rest, hook.into_iter().collect());
        let missing = start.missing(&Sent::new(&system, &tools, &messages));
        assert_eq!(missing.len(), 1, "{}", piece.name());
        assert_eq!(
            (missing[0].name.as_str(), missing[0].how),
            (piece.name(), Lack::Absent)
        );
    }
}

#[test]
fn what_the_model_quotes_does_not_stand_for_an_instruction() {
    let start = SessionStart::new().instructions("CLAUDE.md", "Use tabs.");
    let quoted = [
        Message::user("go"),
        Message::assistant("It says: Use tabs."),
    ];
    assert_eq!(start.missing(&Sent::new("", &[], &quoted)).len(), 1);
    let said = [Message::user("Use tabs.")];
    assert_eq!(start.missing(&Sent::new("", &[], &said)), []);
}

#[test]
fn a_single_other_byte_or_another_definition_is_found() {
    let start = start();
    let hook = HookResult::new("greet", "it is Monday")
        .to_message()
        .unwrap();
    let (system, mut tools, mut messages) = assemble(&start, vec![hook]);
    messages[0] = Message::user("MARKER: four spaces\nrules for .rs");
    tools[0]["description"] = json!("reads files");
    let missing = start.missing(&Sent::new(&system, &tools, &messages));
    let found: Vec<_> = missing.iter().map(|m| (m.name.as_str(), m.how)).collect();
    assert_eq!(
        found,
        [("/p/CLAUDE.md", Lack::Absent), ("Read", Lack::Changed)]
    );
    // The cache's mark is no part of a definition.
    let (system, mut tools, messages) = assemble(&start, Vec::new());
    tools[1]["cache_control"] = json!({"type": "ephemeral"});
    let missing = start.missing(&Sent::new(&system, &tools, &messages));
    assert_eq!(missing.len(), 1);
}

#[test]
fn a_hook_may_add_instructions() {
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let hooks = Greeting::new(Before::GoWith {
        instructions: "keep the ticket".to_owned(),
    });
    let model = Scripted::says("the gist");
    let cause = Cause::manual(Some("keep names"));
    now(compact(&tool_loop(5, 500), &cause, &how, &model, &hooks)).unwrap();
    let seen = model.seen.lock().unwrap();
    let prompt = seen[0].messages.last().unwrap().texts().last().unwrap();
    assert!(prompt.contains("Additional Instructions:\nkeep names\n\nkeep the ticket\n"));
}

#[test]
fn a_hook_that_blocks_is_no_failure_and_says_what_follows() {
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter);
    let hooks = Greeting::new(Before::Block {
        reason: "not now".to_owned(),
    });
    let model = Scripted::says("the gist");
    let causes = [
        (Cause::manual(None), IfBlocked::Skipped),
        (Cause::Refused(Refused::default()), IfBlocked::ErrorSurfaces),
    ];
    for (cause, expected) in causes {
        let failed = now(compact(&tool_loop(5, 500), &cause, &how, &model, &hooks)).unwrap_err();
        assert_eq!(failed.to_string(), "blocked by a hook: not now");
        assert!(matches!(failed.why, WhyNot::Blocked { then, .. } if then == expected));
    }
    assert_eq!((model.requests(), breaker.state().failures), (0, 0));
    assert!(!breaker.state().running);
}
