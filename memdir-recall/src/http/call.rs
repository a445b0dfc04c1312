//! One call: tries, waits between them, and the time that all of it may take.

use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode};
use tokio::time::Instant;

use super::{Auth, HttpError, HttpErrorKind, MAX_BODY_BYTES, MessagesClient, SchemaField, wire};
use crate::{SelectReply, SelectRequest};

/// How much of an error's body is read: 8 KiB (8,192 bytes).
const MAX_ERROR_BYTES: usize = 8 * 1024;

/// The longest wait between two tries: 8 seconds.
const MAX_BACKOFF: Duration = Duration::from_secs(8);

/// A try that failed, and whether another one may help.
struct Failure {
    error: HttpError,
    retry: Retry,
}

#[derive(Clone, Copy)]
enum Retry {
    No,
    Backoff,
    After(Duration),
}

impl MessagesClient {
    pub(super) async fn call(&self, request: SelectRequest) -> Result<SelectReply, HttpError> {
        let body = wire::request(&request, &self.options.model, self.options.schema_field);
        let answer = self.post(body).await?;
        wire::reply(&answer).map_err(|error| self.redact(error))
    }

    /// Sends a request of your own, a body of the Messages API as JSON text, and gives back the
    /// answer as it came. For hosts whose other ports speak to the same service: timeouts, retries,
    /// limits and errors are those of this client; its model and its schema have no part in it.
    ///
    /// # Errors
    ///
    /// As a selection's, but that the answer is not read.
    pub async fn send(&self, body: impl Into<String>) -> Result<String, HttpError> {
        let answer = self.post(body.into().into_bytes()).await?;
        String::from_utf8(answer).map_err(|_| HttpError::new(HttpErrorKind::Unexpected, ""))
    }

    async fn post(&self, body: Vec<u8>) -> Result<Vec<u8>, HttpError> {
        let total = self.options.total_timeout;
        // A time beyond what the clock can tell is no limit.
        let end = Instant::now().checked_add(total);
        match tokio::time::timeout(total, self.tries(&body, end)).await {
            Ok(result) => result,
            Err(_) => Err(HttpError::new(HttpErrorKind::Timeout, "")),
        }
        .map_err(|error| self.redact(error))
    }

    async fn tries(&self, body: &[u8], end: Option<Instant>) -> Result<Vec<u8>, HttpError> {
        let mut tries = 0;
        loop {
            let failure = match self.once(body.to_vec()).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            let wait = match failure.retry {
                _ if tries >= self.options.retries => return Err(failure.error),
                Retry::No => return Err(failure.error),
                Retry::After(wait) => wait,
                Retry::Backoff => backoff(self.options.backoff, tries),
            };
            // A wait that ends when the call has to would only hide why it failed.
            if end.is_some_and(|end| wait >= end.saturating_duration_since(Instant::now())) {
                return Err(failure.error);
            }
            tries += 1;
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(&self, body: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let fail = |error| Failure {
            error,
            retry: Retry::No,
        };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        if self.options.schema_field == SchemaField::OutputFormat {
            let beta = HeaderValue::from_static("structured-outputs-2025-11-13");
            headers.insert("anthropic-beta", beta);
        }
        let (name, value) = auth_header(&self.auth).map_err(fail)?;
        headers.insert(name, value);
        let sent = self
            .http
            .post(self.url.clone())
            .headers(headers)
            .body(body)
            .send();
        let mut response = sent.await.map_err(|e| transport(&e))?;
        let status = response.status();
        if status == StatusCode::OK {
            let body = read(&mut response, MAX_BODY_BYTES).await?;
            if body.len() > MAX_BODY_BYTES {
                return Err(fail(HttpError::new(HttpErrorKind::TooLarge, "")));
            }
            return Ok(body);
        }
        let retry = retry(status.as_u16(), response.headers());
        // An error without its body is still the error.
        let body = read(&mut response, MAX_ERROR_BYTES)
            .await
            .unwrap_or_default();
        Err(Failure {
            error: wire::status(status.as_u16(), &body),
            retry,
        })
    }

    /// A service may repeat what it was sent; a key never gets into an error.
    fn redact(&self, error: HttpError) -> HttpError {
        error.without(self.auth.secret())
    }
}

/// The body, or its start: one chunk more than `limit` at most.
async fn read(response: &mut Response, limit: usize) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while body.len() <= limit {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk[..chunk.len().min(limit + 1)]),
            Ok(None) => break,
            Err(e) => return Err(transport(&e)),
        }
    }
    Ok(body)
}

fn transport(error: &reqwest::Error) -> Failure {
    let error = if error.is_timeout() {
        HttpError::new(HttpErrorKind::Timeout, "")
    } else {
        // What lies deepest says it best, such as a refused certificate. The library's own text
        // holds the whole address and no reason; of the address, host and port say which service.
        let mut deepest = error.source();
        while let Some(next) = deepest.and_then(Error::source) {
            deepest = Some(next);
        }
        let mut reason = deepest.map(ToString::to_string).unwrap_or_default();
        if let Some(url) = error.url()
            && let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default())
        {
            reason = format!("{reason}, at {host}:{port}");
        }
        HttpError::new(HttpErrorKind::Connection, &reason)
    };
    Failure {
        error,
        retry: Retry::Backoff,
    }
}

fn retry(status: u16, headers: &HeaderMap) -> Retry {
    if !matches!(status, 408 | 409 | 429 | 500..=599) {
        return Retry::No;
    }
    let after = headers.get("retry-after").and_then(|value| {
        let seconds: f64 = value.to_str().ok()?.trim().parse().ok()?;
        // Not a number and what is past are no wait; more than a `Duration` holds is for ever.
        let wait = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        (seconds >= 0.0).then_some(wait)
    });
    after.map_or(Retry::Backoff, Retry::After)
}

/// Between half and all of a wait that doubles with each try.
fn backoff(first: Duration, tries: u32) -> Duration {
    let doubled = first.saturating_mul(2u32.saturating_pow(tries));
    // A hasher's keys are random, and that is all that is needed to spread clients.
    let chance = RandomState::new().hash_one(tries) % 512;
    let share = 512 + u32::try_from(chance).unwrap_or(0);
    doubled.min(MAX_BACKOFF) / 1_024 * share
}

pub(super) fn auth_header(auth: &Auth) -> Result<(HeaderName, HeaderValue), HttpError> {
    let (name, text) = match auth {
        Auth::ApiKey(key) => (HeaderName::from_static("x-api-key"), key.clone()),
        Auth::Bearer(token) => (reqwest::header::AUTHORIZATION, format!("Bearer {token}")),
    };
    let mut value = HeaderValue::from_str(&text)
        .map_err(|_| HttpError::setup("the key cannot stand in a header"))?;
    value.set_sensitive(true);
    Ok((name, value))
}
