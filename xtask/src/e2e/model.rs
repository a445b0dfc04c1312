//! A scripted model: a small Messages API on the loopback interface.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::Result;

/// How the model behaves.
pub(super) enum Manner {
    /// Of these files it names the first whose line in the list shares a word with the query.
    Answers(Vec<String>),
    /// It takes the request and never answers.
    Hangs,
}

/// A running model; it ends when this is dropped.
pub(super) struct Model {
    address: String,
    requests: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
}

impl Model {
    pub(super) fn start(manner: Manner) -> Result<Model> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?.to_string();
        let model = Model {
            address,
            requests: Arc::default(),
            over: Arc::default(),
        };
        let (requests, over) = (Arc::clone(&model.requests), Arc::clone(&model.over));
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                requests.fetch_add(1, Ordering::Relaxed);
                match &manner {
                    Manner::Hangs => held.push(stream),
                    // A broken connection is the client's to notice.
                    Manner::Answers(files) => drop(answer(stream, files)),
                }
            }
        });
        Ok(model)
    }

    pub(super) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // The listener waits for one more; it looks at the flag then.
        let _ = TcpStream::connect(&self.address);
    }
}

fn answer(stream: TcpStream, files: &[String]) -> Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body)?;
    let picks = choose(&request, files);
    let reply = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": request["model"],
        "content": [{ "type": "text", "text": json!({ "selected_memories": picks }).to_string() }],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": { "input_tokens": body.len() / 4, "output_tokens": 20 },
    });
    let reply = reply.to_string();
    let mut stream = reader.into_inner();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{reply}",
        reply.len()
    )?;
    stream.flush()?;
    Ok(())
}

/// Of the files that the model knows, those whose line of the list says what the query says.
fn choose(request: &Value, files: &[String]) -> Vec<String> {
    let content = &request["messages"][0]["content"];
    let text = content
        .as_str()
        .or_else(|| content[0]["text"].as_str())
        .unwrap_or_default();
    let (query, list) = text.split_once("\n\nMemories:\n").unwrap_or((text, ""));
    let words: Vec<&str> = query
        .lines()
        .last()
        .unwrap_or_default()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 4 || !word.is_ascii())
        .collect();
    let shares = |line: &str| {
        words.iter().any(|word| {
            line.contains(word)
                || (!word.is_ascii() && word.contains("上海") && line.contains("上海"))
        })
    };
    let named = list.lines().filter(|line| shares(line));
    let known = named.filter_map(|line| files.iter().find(|file| line.contains(file.as_str())));
    known.take(1).cloned().collect()
}
