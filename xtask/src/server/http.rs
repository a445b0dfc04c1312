//! As much of HTTP/1.1 as a client of the API uses.

use std::io::{self, BufRead, Read as _, Write};

/// More than the API takes; the law says so with its own error.
const MAX_BODY_BYTES: usize = 40 << 20;
const MAX_LINE_BYTES: u64 = 64 << 10;
const MAX_HEADERS: usize = 100;

pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// `None` at the end of the connection.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Request>> {
    let Some(first) = line(input)? else {
        return Ok(None);
    };
    let mut words = first.split(' ');
    let (method, path) = match (words.next(), words.next(), words.next()) {
        (Some(method), Some(path), Some("HTTP/1.1" | "HTTP/1.0")) => (method, path),
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut headers = Vec::new();
    while let Some(text) = line(input)?.filter(|text| !text.is_empty()) {
        let (name, value) = text.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        if headers.len() > MAX_HEADERS {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    let mut request = Request {
        method,
        path,
        headers,
        body: Vec::new(),
    };
    let length = match request.header("content-length") {
        Some(text) => text.parse().map_err(|_| io::ErrorKind::InvalidData)?,
        None => 0,
    };
    if length > MAX_BODY_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    request.body = vec![0; length];
    input.read_exact(&mut request.body)?;
    Ok(Some(request))
}

fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    input.take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

pub(super) fn write(
    out: &mut impl Write,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<()> {
    let kind = headers.iter().find(|(name, _)| *name == "content-type");
    // One write: the pieces of several would wait for one another on the way.
    let mut whole = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    if kind.is_none() {
        whole.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        whole.push_str(&format!("{name}: {value}\r\n"));
    }
    whole.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    let mut whole = whole.into_bytes();
    whole.extend_from_slice(body);
    out.write_all(&whole)?;
    out.flush()
}

/// The head of a stream of events, each of which is one chunk.
pub(super) fn write_stream_head(out: &mut impl Write) -> io::Result<()> {
    out.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )
}

pub(super) fn write_chunk(out: &mut impl Write, text: &str) -> io::Result<()> {
    write!(out, "{:x}\r\n{text}\r\n", text.len())?;
    out.flush()
}

/// A body that ends before its announced length.
pub(super) fn write_cut(out: &mut impl Write) -> io::Result<()> {
    out.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 4096\r\n\r\n{\"type\":\"mess",
    )?;
    out.flush()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Payload Too Large",
        429 => "Too Many Requests",
        529 => "Overloaded",
        _ => "Status",
    }
}
