//! The client over real connections on loopback.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use memdir_recall::{
    Auth, ClientOptions, HttpError, HttpErrorKind, MessagesClient, Query, SchemaField, SelectReply,
    Selector, select_request,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const KEY: &str = "sk-test-0123456789abcdef";

/// What the server does with one connection.
enum Act {
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Reads the request and says nothing.
    Hang,
    /// Announces more than it sends, then says nothing more.
    StopInBody,
    /// Closes in the middle of the body.
    BreakInBody,
    Close,
}

fn ok(text: &str) -> Act {
    let body = json!({
        "type": "message",
        "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 900, "output_tokens": 7},
    });
    Act::Answer(200, vec![], body.to_string().into_bytes())
}

fn error(status: u16, error_type: &str, message: &str, headers: &[(&'static str, &str)]) -> Act {
    let body = json!({"type": "error", "error": {"type": error_type, "message": message}});
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    Act::Answer(status, headers.collect(), body.to_string().into_bytes())
}

/// Requests as they arrived: head and body.
type Seen = Arc<Mutex<Vec<(String, Value)>>>;

async fn server(acts: Vec<Act>) -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Seen::default();
    let log = seen.clone();
    tokio::spawn(async move {
        let mut open = Vec::new();
        for act in acts {
            let (mut stream, _) = listener.accept().await.unwrap();
            let request = read(&mut stream).await;
            log.lock().unwrap().push(request);
            perform(act, &mut stream).await;
            open.push(stream);
        }
        std::future::pending::<()>().await;
    });
    (url, seen)
}

async fn read(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4_096];
        let count = stream.read(&mut chunk).await.unwrap();
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            return (head.to_lowercase(), body);
        }
        assert!(count > 0, "the request ended early");
    }
}

async fn perform(act: Act, stream: &mut TcpStream) {
    let head = |status: u16, length: usize| {
        format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {length}\r\n")
    };
    match act {
        Act::Answer(status, headers, body) => {
            let mut text = head(status, body.len());
            for (name, value) in headers {
                text.push_str(&format!("{name}: {value}\r\n"));
            }
            // The client may stop reading a large body at any time.
            let _ = stream.write_all(format!("{text}\r\n").as_bytes()).await;
            let _ = stream.write_all(&body).await;
            let _ = stream.shutdown().await;
        }
        Act::Hang => {}
        Act::StopInBody => {
            let text = format!("{}\r\n{{\"content\"", head(200, 1_000));
            stream.write_all(text.as_bytes()).await.unwrap();
        }
        Act::BreakInBody => {
            let text = format!("{}\r\n{{\"content\"", head(200, 1_000));
            stream.write_all(text.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
        Act::Close => stream.shutdown().await.unwrap(),
    }
}

fn options(url: &str) -> ClientOptions {
    ClientOptions::default()
        .base_url(url)
        .backoff(Duration::from_millis(1))
        .total_timeout(Duration::from_secs(20))
}

fn run<F: Future>(future: F) -> F::Output {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(future)
}

async fn ask(client: &MessagesClient) -> Result<SelectReply, HttpError> {
    client
        .select(select_request(&Query::new("tests"), "- a.md"))
        .await
}

/// The result of one call, and how many requests it took.
fn call_with(
    acts: Vec<Act>,
    change: impl Fn(ClientOptions) -> ClientOptions,
) -> (Result<SelectReply, HttpError>, usize) {
    run(async {
        let (url, seen) = server(acts).await;
        let client =
            MessagesClient::new(Auth::ApiKey(KEY.to_owned()), change(options(&url))).unwrap();
        let result = ask(&client).await;
        let count = seen.lock().unwrap().len();
        (result, count)
    })
}

fn call(acts: Vec<Act>) -> (Result<SelectReply, HttpError>, usize) {
    call_with(acts, |options| options)
}

#[track_caller]
fn fails(acts: Vec<Act>, requests: usize, text: &str) -> HttpErrorKind {
    let (result, count) = call(acts);
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), text);
    assert_eq!(count, requests);
    error.kind().clone()
}

#[test]
fn an_answer_comes_back_with_its_cost() {
    let (result, count) = call(vec![ok(r#"{"selected_memories":["a.md"]}"#)]);
    let reply = result.unwrap();
    assert_eq!(reply.text, r#"{"selected_memories":["a.md"]}"#);
    assert_eq!(reply.stop_reason.as_deref(), Some("end_turn"));
    assert_eq!(
        (reply.input_tokens, reply.output_tokens),
        (Some(915), Some(7))
    );
    assert_eq!(count, 1);
}

#[test]
fn the_request_is_what_the_service_expects() {
    run(async {
        let (url, seen) = server(vec![ok("[]"), ok("[]"), ok("[]")]).await;
        let key = Auth::ApiKey(KEY.to_owned());
        let client = MessagesClient::new(key.clone(), options(&url)).unwrap();
        ask(&client).await.unwrap();
        let older = options(&url)
            .schema_field(SchemaField::OutputFormat)
            .model("other");
        let client = MessagesClient::new(Auth::Bearer("token".to_owned()), older).unwrap();
        ask(&client).await.unwrap();
        let plain = options(&format!("{url}/")).schema_field(SchemaField::Absent);
        let client = MessagesClient::new(key, plain).unwrap();
        let mut request = select_request(&Query::new("tests"), "- a.md");
        request.model = Some("chosen".to_owned());
        client.select(request).await.unwrap();

        let seen = seen.lock().unwrap();
        let (head, body) = &seen[0];
        assert!(head.starts_with("post /v1/messages http/1.1"), "{head}");
        assert!(head.contains(&format!("x-api-key: {KEY}")));
        assert!(head.contains("anthropic-version: 2023-06-01"));
        assert!(head.contains("content-type: application/json"));
        assert!(!head.contains("anthropic-beta"));
        assert_eq!(body["model"], "claude-haiku-4-5");
        assert_eq!(body["max_tokens"], 256);
        assert_eq!(body["messages"].as_array().unwrap().len(), 1);
        let format = &body["output_config"]["format"];
        assert_eq!(format["type"], "json_schema");
        assert_eq!(format["schema"]["additionalProperties"], false);

        let (head, body) = &seen[1];
        assert!(head.contains("authorization: bearer token"));
        assert!(head.contains("anthropic-beta: structured-outputs-2025-11-13"));
        assert_eq!(body["output_format"]["type"], "json_schema");
        assert_eq!(
            (&body["model"], &body["output_config"]),
            (&json!("other"), &Value::Null)
        );

        let (head, body) = &seen[2];
        assert!(head.starts_with("post /v1/messages http/1.1"), "{head}");
        assert_eq!(
            (&body["model"], &body["output_config"]),
            (&json!("chosen"), &Value::Null)
        );
    });
}

#[test]
fn busy_services_are_asked_again() {
    for (status, kind) in [
        (429, "rate_limit_error"),
        (529, "overloaded_error"),
        (500, "api_error"),
        (503, "x"),
        (408, "x"),
    ] {
        let (result, count) = call(vec![error(status, kind, "busy", &[]), ok("[]")]);
        assert_eq!(result.unwrap().text, "[]");
        assert_eq!(count, 2);
    }
    let busy = || error(529, "overloaded_error", "Overloaded", &[]);
    let kind = fails(
        vec![busy(), busy(), busy()],
        3,
        "the service answered 529 (overloaded_error): Overloaded",
    );
    let expected = HttpErrorKind::Status {
        status: 529,
        error_type: Some("overloaded_error".to_owned()),
    };
    assert_eq!(kind, expected);
}

#[test]
fn the_service_says_when_to_come_back() {
    let (result, count) = call_with(
        vec![
            error(
                429,
                "rate_limit_error",
                "slow down",
                &[("retry-after", "0")],
            ),
            ok("[]"),
        ],
        // The backoff alone would be longer than the call may take.
        |options| options.backoff(Duration::from_secs(60)),
    );
    assert_eq!((result.unwrap().text.as_str(), count), ("[]", 2));
    // Longer than the whole call may take: there is no point in waiting.
    for seconds in ["86400", "20", "1e300", "inf"] {
        let later = error(
            429,
            "rate_limit_error",
            "tomorrow",
            &[("retry-after", seconds)],
        );
        fails(
            vec![later],
            1,
            "the service answered 429 (rate_limit_error): tomorrow",
        );
    }
    // What is no number of seconds to come leaves it to the backoff.
    for text in ["Wed, 21 Oct 2026 07:28:00 GMT", "-5", "NaN", "soon", ""] {
        let busy = error(429, "rate_limit_error", "busy", &[("retry-after", text)]);
        let (result, count) = call(vec![busy, ok("[]")]);
        assert_eq!((result.unwrap().text.as_str(), count), ("[]", 2), "{text}");
    }
}

#[test]
fn a_wait_that_would_outlast_the_call_is_not_begun() {
    let (result, count) = call_with(
        vec![error(503, "api_error", "maintenance", &[])],
        |options| {
            let short = options.total_timeout(Duration::from_secs(2));
            short.backoff(Duration::from_secs(8))
        },
    );
    // The reason stays visible: it is no timeout.
    let text = result.unwrap_err().to_string();
    assert_eq!(text, "the service answered 503 (api_error): maintenance");
    assert_eq!(count, 1);
}

#[test]
fn times_without_end_are_no_panic() {
    let (result, _) = call_with(vec![error(500, "x", "x", &[]), ok("[]")], |options| {
        options
            .total_timeout(Duration::MAX)
            .connect_timeout(Duration::MAX)
            .retries(u32::MAX)
    });
    assert_eq!(result.unwrap().text, "[]");
    let (result, _) = call_with(vec![Act::Hang], |options| {
        options.total_timeout(Duration::ZERO).backoff(Duration::MAX)
    });
    assert_eq!(result.unwrap_err().kind(), &HttpErrorKind::Timeout);
}

#[test]
fn mistakes_are_not_repeated() {
    for (status, kind) in [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
    ] {
        let text = format!("the service answered {status} ({kind}): no");
        fails(vec![error(status, kind, "no", &[])], 1, &text);
    }
    let away = Act::Answer(
        302,
        vec![("location", "http://127.0.0.1:9/".to_owned())],
        vec![],
    );
    fails(vec![away], 1, "the service answered 302");
}

#[test]
fn a_service_that_hangs_is_given_up_in_time() {
    for act in [Act::Hang, Act::StopInBody] {
        let (result, count) = call_with(vec![act], |o| o.total_timeout(Duration::from_millis(100)));
        let error = result.unwrap_err();
        assert_eq!(error.kind(), &HttpErrorKind::Timeout);
        assert_eq!(error.to_string(), "the service did not answer in time");
        assert_eq!(count, 1);
    }
}

#[test]
fn a_broken_connection_is_tried_again() {
    let (result, count) = call(vec![Act::Close, Act::BreakInBody, ok("[]")]);
    assert_eq!((result.unwrap().text.as_str(), count), ("[]", 3));
    let (result, count) = call(vec![Act::Close, Act::Close, Act::Close]);
    let error = result.unwrap_err();
    assert_eq!((error.kind(), count), (&HttpErrorKind::Connection, 3));
    // The reason behind the colon is the system's.
    let text = error.to_string();
    assert!(text.starts_with("no connection to the service: "), "{text}");
    assert!(text.contains(", at 127.0.0.1:"), "{text}");
}

#[test]
fn bodies_are_bounded() {
    let huge = |status| Act::Answer(status, vec![], vec![b'x'; 20 << 20]);
    let kind = fails(
        vec![huge(200)],
        1,
        "the answer is larger than 1048576 bytes",
    );
    assert_eq!(kind, HttpErrorKind::TooLarge);
    let (result, _) = call(vec![huge(400)]);
    assert_eq!(
        result.unwrap_err().to_string(),
        format!("the service answered 400: {}…", "x".repeat(199))
    );
}

#[test]
fn bodies_that_are_no_json_are_shown_in_short() {
    let html = "<html>\n<body>Bad gateway</body></html>";
    let page = |status| Act::Answer(status, vec![], html.as_bytes().to_vec());
    let shown = "<html> <body>Bad gateway</body></html>";
    let text = format!("the service answered 502: {shown}");
    fails(vec![page(502), page(502), page(502)], 3, &text);
    fails(
        vec![page(200)],
        1,
        &format!("the answer is not one of the service: {shown}"),
    );
    let empty = Act::Answer(200, vec![], vec![]);
    fails(
        vec![empty],
        1,
        "the answer is not one of the service: the body is empty",
    );
    let other = Act::Answer(200, vec![], b"{}".to_vec());
    fails(
        vec![other],
        1,
        "the answer is not one of the service: there is no content",
    );
    let hidden = error(200, "overloaded_error", "busy", &[]);
    fails(
        vec![hidden],
        1,
        "the service answered 200 (overloaded_error): busy",
    );
}

#[test]
fn refusals_and_cut_answers_come_back_with_their_reason() {
    for reason in ["refusal", "max_tokens"] {
        let body = json!({"content": [{"type": "text", "text": "[\"a.m"}], "stop_reason": reason});
        let (result, _) = call(vec![Act::Answer(
            200,
            vec![],
            body.to_string().into_bytes(),
        )]);
        let reply = result.unwrap();
        assert_eq!(reply.stop_reason.as_deref(), Some(reason));
        assert_eq!((reply.text.as_str(), reply.input_tokens), ("[\"a.m", None));
    }
    let nothing = json!({"content": [], "stop_reason": "refusal"});
    let (result, _) = call(vec![Act::Answer(
        200,
        vec![],
        nothing.to_string().into_bytes(),
    )]);
    assert_eq!(result.unwrap().text, "");
}

#[test]
fn no_error_and_no_debug_text_holds_the_key() {
    let said = format!("{}invalid x-api-key: {KEY}", " ".repeat(30));
    let cut = format!("{}{KEY}", "x".repeat(185));
    let long = format!("{}{KEY}", "x".repeat(45));
    for (kind, message) in [(KEY, &said), (KEY, &cut), (&long, &said)] {
        let (result, _) = call(vec![error(401, kind, message, &[])]);
        let error = result.unwrap_err();
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(!text.contains(&KEY[..8]), "{text}");
            assert!(text.contains("[key]"), "{text}");
        }
    }
    let client =
        MessagesClient::new(Auth::ApiKey(KEY.to_owned()), options("http://127.0.0.1")).unwrap();
    assert!(!format!("{client:?}").contains(KEY));
    assert!(!format!("{:?}", Auth::Bearer(KEY.to_owned())).contains(KEY));
}

#[test]
fn a_client_that_cannot_work_is_refused_at_once() {
    let setup = |auth: Auth, url: &str| {
        let error = MessagesClient::new(auth, options(url)).unwrap_err();
        assert_eq!(error.kind(), &HttpErrorKind::Setup);
        error.to_string()
    };
    let key = || Auth::ApiKey(KEY.to_owned());
    assert_eq!(
        setup(key(), "ftp://x"),
        "the client cannot be made: expected an address with http:// or https://"
    );
    assert_eq!(
        setup(Auth::ApiKey("line\nbreak".to_owned()), "http://x"),
        "the client cannot be made: the key cannot stand in a header"
    );
    for url in [
        "",
        "http://",
        "http:///",
        "http:///host",
        "http://a b",
        "http://host:99999",
        "http://[::1",
        "//host",
        "host",
        "http:host",
        "file:///etc/passwd",
        "data:text/plain,x",
    ] {
        let text = setup(key(), url);
        assert!(
            text.ends_with("expected an address with http:// or https://"),
            "{url}"
        );
    }
    assert_eq!(
        setup(key(), "http://x?key=1"),
        "the client cannot be made: expected an address without ? and #"
    );
    assert_eq!(
        setup(key(), "http://me:secret@x"),
        "the client cannot be made: expected an address without a name or password in it"
    );
    let shown = format!("{:?}", options("http://me:secret@x"));
    assert!(!shown.contains("secret"), "{shown}");
    for url in [
        "http://x/",
        "HTTP://x",
        " http://x:80/gateway/v2// ",
        "http://[::1]:1",
    ] {
        assert!(MessagesClient::new(key(), options(url)).is_ok(), "{url}");
    }
    for header in ["", "a\r\nx-evil: 1", "a\0"] {
        let is_fine = header.is_empty();
        let made = MessagesClient::new(Auth::Bearer(header.to_owned()), options("http://x"));
        assert_eq!(made.is_ok(), is_fine, "{header:?}");
    }
    let tls = MessagesClient::new(key(), options("https://x"));
    if cfg!(feature = "http-rustls") {
        // No provider of the process is installed, and none is needed.
        assert!(tls.is_ok());
    } else {
        assert_eq!(
            tls.unwrap_err().to_string(),
            "the client cannot be made: https needs the feature http-rustls"
        );
    }
}

#[test]
fn a_hanging_service_does_not_hold_up_a_recall() {
    let world = crate::world::World::new();
    world.memory("db.md", "feedback", "database tests", "x");
    let recall = world.recall();
    run(async {
        let (url, _) = server(vec![Act::Hang]).await;
        let client = MessagesClient::new(Auth::ApiKey(KEY.to_owned()), options(&url)).unwrap();
        let query = Query::new("database tests");
        let deadline = tokio::time::sleep(Duration::from_millis(50));
        let picked = recall.pick_with(&query, &client, deadline).await;
        assert_eq!(crate::world::files(&picked), ["db.md"]);
        let model = picked.receipt.model.unwrap();
        assert_eq!(model.fallback, Some(memdir_recall::Fallback::Deadline));
    });
}

#[test]
fn a_compressed_body_is_refused() {
    // The client asks for none; this one would unpack to nothing but zeros.
    let packed = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &[0; 4_096]].concat();
    let headers = vec![("content-encoding", "gzip".to_owned())];
    let (result, count) = call(vec![Act::Answer(200, headers, packed)]);
    let error = result.unwrap_err();
    assert_eq!((error.kind(), count), (&HttpErrorKind::Unexpected, 1));
}

#[tokio::test]
async fn a_request_of_the_hosts_own_goes_the_same_way() {
    let overloaded = error(529, "overloaded_error", "busy", &[]);
    let (url, seen) = server(vec![
        overloaded,
        ok("hello"),
        error(400, "invalid_request_error", "prompt is too long", &[]),
    ])
    .await;
    let options = ClientOptions::default()
        .base_url(url)
        .backoff(Duration::from_millis(1));
    let client = MessagesClient::new(Auth::ApiKey(KEY.to_owned()), options).unwrap();
    let body =
        json!({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "a"}]});
    let answer: Value =
        serde_json::from_str(&client.send(body.to_string()).await.unwrap()).unwrap();
    assert_eq!(answer["content"][1]["text"], "hello");
    let sent: Vec<Value> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|(_, body)| body.clone())
        .collect();
    assert_eq!(sent, [body.clone(), body.clone()]);
    let refused = client.send(body.to_string()).await.unwrap_err();
    assert!(
        refused.to_string().contains("prompt is too long"),
        "{refused}"
    );
}
