//! A strict server of the Messages API on loopback, written from the API's documented rules.
//!
//! It shares no code with the crates: what it refuses is what the API refuses, so a request that
//! passes here says something about a request that a crate built. It counts tokens, keeps a
//! prompt cache by prefix, answers as JSON or as a stream of events, and fails on command.

mod cache;
#[cfg(test)]
mod compaction_tests;
mod demo;
mod http;
mod law;
mod reply;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::VecDeque;
use std::io::BufReader;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
use cache::Cache;
pub(crate) use demo::pick;
use law::Refused;
pub(crate) use reply::Answer;

/// What the server does with a request that the law lets through.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Answers.
    Answer(Answer),
    /// Refuses: status, kind and message of the error, seconds of `retry-after`.
    Refuse {
        status: u16,
        kind: &'static str,
        message: String,
        retry_after: Option<u64>,
    },
    /// Says that the prompt is so many tokens too long.
    TooLong { over: u64 },
    /// Says nothing until the server stops.
    Hang,
    /// Announces a body and ends in the middle of it.
    CutBody,
    /// A page of a proxy in place of JSON.
    Html,
}

impl Action {
    pub(crate) fn text(text: impl Into<String>) -> Action {
        Action::Answer(Answer::text(text))
    }

    pub(crate) fn refuse(status: u16, kind: &'static str, retry_after: Option<u64>) -> Action {
        Action::Refuse {
            status,
            kind,
            message: format!("scripted {kind}"),
            retry_after,
        }
    }
}

/// A request as it came, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) body: Value,
    /// 0 where the answer never came.
    pub(crate) status: u16,
    /// Why the law refused it.
    pub(crate) refused: Option<String>,
    /// The usage that was reported.
    pub(crate) usage: Value,
}

type Script = Box<dyn FnMut(&Value) -> Option<Action> + Send>;

struct State {
    queue: VecDeque<Action>,
    script: Option<Script>,
    seen: Vec<Seen>,
    cache: Cache,
    /// The window, in tokens; a longer prompt is refused.
    window: u64,
    /// Whether requests are kept.
    keeps: bool,
    answers: u64,
    stopped: bool,
}

struct Shared {
    state: Mutex<State>,
    stopped: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server, until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Why the API would refuse a request with this body; nothing if it would not.
pub(crate) fn judge(body: &Value) -> Option<String> {
    law::check(body).err().map(|refused| refused.message)
}

/// The window of a server, in tokens, unless it is told another.
const WINDOW: u64 = 200_000;

impl Server {
    /// Starts one on a free port of loopback. Without a script it answers with a short text.
    pub(crate) fn start() -> Result<Server> {
        Server::start_on("127.0.0.1:0")
    }

    pub(crate) fn start_on(address: &str) -> Result<Server> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                queue: VecDeque::new(),
                script: None,
                seen: Vec::new(),
                cache: Cache::default(),
                window: WINDOW,
                keeps: true,
                answers: 0,
                stopped: false,
            }),
            stopped: Condvar::new(),
        });
        let accepting = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if accepting.state().stopped {
                    break;
                }
                let serving = Arc::clone(&accepting);
                std::thread::spawn(move || serve(&serving, stream));
            }
        });
        Ok(Server {
            address,
            shared,
            thread: Some(thread),
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What is done with the next requests, one action for each; then the script decides.
    pub(crate) fn next(&self, actions: impl IntoIterator<Item = Action>) {
        self.shared.state().queue.extend(actions);
    }

    /// Decides about a request by its body; `None` answers with a short text.
    pub(crate) fn script(&self, script: impl FnMut(&Value) -> Option<Action> + Send + 'static) {
        self.shared.state().script = Some(Box::new(script));
    }

    /// Sets the window, in tokens.
    pub(crate) fn window(&self, tokens: u64) {
        self.shared.state().window = tokens;
    }

    /// Keeps no requests, for runs that are too long for that.
    pub(crate) fn keeps_nothing(&self) {
        self.shared.state().keeps = false;
    }

    /// Forgets what was in the cache.
    pub(crate) fn forget(&self) {
        self.shared.state().cache = Cache::default();
    }

    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.state().seen.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.state().stopped = true;
        self.shared.stopped.notify_all();
        // One last connection wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(shared: &Shared, stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let Ok(writer) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(stream);
    let mut writer = writer;
    while let Ok(Some(request)) = http::read(&mut reader) {
        if handle(shared, &request, &mut writer).is_err() {
            break;
        }
    }
    let _ = writer.shutdown(Shutdown::Both);
}

fn handle(shared: &Shared, request: &http::Request, out: &mut TcpStream) -> std::io::Result<()> {
    let body: Value = match serde_json::from_slice(&request.body) {
        Ok(body) => body,
        Err(error) => return refuse(shared, Value::Null, &law::not_json(&error), None, out),
    };
    if let Err(refused) = law::check_request(request, &body) {
        return refuse(shared, body, &refused, None, out);
    }
    if request.path.ends_with("/count_tokens") {
        let counted = json!({ "input_tokens": tokens::request(&body) });
        return http::write(out, 200, &[], counted.to_string().as_bytes());
    }
    let count = tokens::request(&body);
    let (action, window) = {
        let mut state = shared.state();
        let action = state.queue.pop_front();
        let action = action.or_else(|| state.script.as_mut().and_then(|script| script(&body)));
        (
            action.unwrap_or_else(|| Action::text("Understood.")),
            state.window,
        )
    };
    let too_long = |count: u64, window: u64| {
        let message = format!("prompt is too long: {count} tokens > {window} maximum");
        Refused::new(400, "invalid_request_error", message)
    };
    match action {
        _ if count > window => refuse(shared, body, &too_long(count, window), None, out),
        Action::TooLong { over } => {
            refuse(shared, body, &too_long(window + over, window), None, out)
        }
        Action::Refuse {
            status,
            kind,
            message,
            retry_after,
        } => refuse(
            shared,
            body,
            &Refused::new(status, kind, message),
            retry_after,
            out,
        ),
        Action::Answer(answer) => {
            let (id, usage) = {
                let mut state = shared.state();
                state.answers += 1;
                let id = format!("msg_{:08}", state.answers);
                let usage = state.cache.usage(&body, count, tokens::answer(&answer));
                if state.keeps {
                    state.seen.push(Seen {
                        body: body.clone(),
                        status: 200,
                        refused: None,
                        usage: usage.clone(),
                    });
                }
                (id, usage)
            };
            reply::send(out, &body, &id, &answer, &usage)
        }
        Action::Hang => {
            remember(shared, body, 0, None);
            wait_for_the_end(shared, out);
            Err(std::io::ErrorKind::ConnectionAborted.into())
        }
        Action::CutBody => {
            let streams = body["stream"] == true;
            remember(shared, body, 200, None);
            match streams {
                true => reply::send_cut(out)?,
                false => http::write_cut(out)?,
            }
            Err(std::io::ErrorKind::ConnectionAborted.into())
        }
        Action::Html => {
            remember(shared, body, 502, None);
            http::write(
                out,
                502,
                &[("content-type", "text/html")],
                b"<html><body>Bad gateway</body></html>",
            )
        }
    }
}

/// Until the server stops, or the client has given up.
fn wait_for_the_end(shared: &Shared, client: &TcpStream) {
    const LOOK: Duration = Duration::from_millis(50);
    let _ = client.set_nonblocking(true);
    let mut state = shared.state();
    while !state.stopped && !matches!(client.peek(&mut [0]), Ok(0)) {
        state = match shared.stopped.wait_timeout(state, LOOK) {
            Ok((state, _)) => state,
            Err(poisoned) => poisoned.into_inner().0,
        };
    }
}

fn remember(shared: &Shared, body: Value, status: u16, refused: Option<String>) {
    let mut state = shared.state();
    if state.keeps {
        state.seen.push(Seen {
            body,
            status,
            refused,
            usage: Value::Null,
        });
    }
}

fn refuse(
    shared: &Shared,
    body: Value,
    refused: &Refused,
    retry_after: Option<u64>,
    out: &mut TcpStream,
) -> std::io::Result<()> {
    remember(shared, body, refused.status, Some(refused.message.clone()));
    let error = json!({
        "type": "error",
        "error": { "type": refused.kind, "message": refused.message },
        "request_id": "req_loopback",
    });
    let seconds = retry_after.map(|seconds| seconds.to_string());
    let headers: Vec<(&str, &str)> = seconds
        .iter()
        .map(|seconds| ("retry-after", seconds.as_str()))
        .collect();
    http::write(out, refused.status, &headers, error.to_string().as_bytes())
}

/// `xtask serve`: the server alone, until it is stopped.
pub(crate) fn run(args: &[String]) -> Result<std::process::ExitCode> {
    let mut address = "127.0.0.1:8787".to_owned();
    let mut window = WINDOW;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--address" => address = value()?.clone(),
            "--window" => window = value()?.parse()?,
            other => {
                return Err(format!("serve takes --address and --window, got {other:?}").into());
            }
        }
    }
    let server = Server::start_on(&address)?;
    server.window(window);
    server.script(|request| Some(demo::answer(request)));
    say!(
        "a strict Messages API at {}, window {window} tokens",
        server.url()
    );
    let mut told = 0;
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let seen = server.seen();
        for request in &seen[told..] {
            let why = request.refused.as_deref().unwrap_or("answered");
            say!("{:>3}  {}  {}", request.status, request.usage, why);
        }
        told = seen.len();
    }
}
