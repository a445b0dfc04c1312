//! A selector over HTTP: one request to the Messages API, bounded in time and size.

mod call;
mod error;
mod wire;

use std::fmt;
use std::future::Future;
use std::time::Duration;

pub use error::{HttpError, HttpErrorKind};

use reqwest::Url;

use crate::{SelectReply, SelectRequest, Selector};

/// The model that picks unless another one is asked for: small, fast, and able to keep to a
/// schema.
pub const DEFAULT_MODEL: &str = "claude-haiku-4-5";

/// Where the Messages API is, unless a gateway stands in front of it.
pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

/// How long a connection may take to be made: 5 seconds, this crate's own choice.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long everything together may take, retries included: 30 seconds, this crate's own choice;
/// a host's deadline is shorter.
pub const TOTAL_TIMEOUT: Duration = Duration::from_secs(30);

/// How often a call is tried again: 2 tries after the first, as the official clients do.
pub const MAX_RETRIES: u32 = 2;

/// How much of an answer's body is read: 1 MiB (1,048,576 bytes), this crate's own choice.
pub const MAX_BODY_BYTES: usize = 1024 * 1024;

/// How the client shows who it is.
///
/// Its `Debug` tells the kind, never the key.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Auth {
    /// A key, in the header `x-api-key`.
    ApiKey(String),
    /// A token, in the header `authorization`.
    Bearer(String),
}

impl Auth {
    fn secret(&self) -> &str {
        match self {
            Auth::ApiKey(secret) | Auth::Bearer(secret) => secret,
        }
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Auth::ApiKey(_) => "ApiKey(…)",
            Auth::Bearer(_) => "Bearer(…)",
        })
    }
}

/// In which field of the request the schema of the answer stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaField {
    /// `output_config.format`, the current one.
    #[default]
    OutputConfig,
    /// `output_format` with its beta header, for gateways that know only the older form.
    OutputFormat,
    /// In none; the instructions alone ask for JSON.
    Absent,
}

/// What a [`MessagesClient`] is made of.
///
/// Its `Debug` shows no name or password that stands in the address.
#[derive(Clone)]
#[non_exhaustive]
pub struct ClientOptions {
    /// Where the API is, without `/v1/messages`; [`DEFAULT_BASE_URL`] by default. No name, no
    /// password and no query: what is secret belongs into [`Auth`].
    pub base_url: String,
    /// The model unless the request names one; [`DEFAULT_MODEL`] by default.
    pub model: String,
    /// Where the schema stands.
    pub schema_field: SchemaField,
    /// How long a connection may take to be made; [`CONNECT_TIMEOUT`] by default.
    pub connect_timeout: Duration,
    /// How long everything together may take; [`TOTAL_TIMEOUT`] by default.
    pub total_timeout: Duration,
    /// How often a call is tried again; [`MAX_RETRIES`] by default.
    pub retries: u32,
    /// The wait before the first retry, doubled for each further one and varied by chance;
    /// half a second by default. A `retry-after` of the service counts instead.
    pub backoff: Duration,
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = match address(&self.base_url) {
            Ok(_) => self.base_url.as_str(),
            Err(_) => "…",
        };
        f.debug_struct("ClientOptions")
            .field("base_url", &shown)
            .field("model", &self.model)
            .field("schema_field", &self.schema_field)
            .field("connect_timeout", &self.connect_timeout)
            .field("total_timeout", &self.total_timeout)
            .field("retries", &self.retries)
            .field("backoff", &self.backoff)
            .finish()
    }
}

impl Default for ClientOptions {
    fn default() -> ClientOptions {
        ClientOptions {
            base_url: DEFAULT_BASE_URL.to_owned(),
            model: DEFAULT_MODEL.to_owned(),
            schema_field: SchemaField::default(),
            connect_timeout: CONNECT_TIMEOUT,
            total_timeout: TOTAL_TIMEOUT,
            retries: MAX_RETRIES,
            backoff: Duration::from_millis(500),
        }
    }
}

impl ClientOptions {
    /// Sets where the API is, without `/v1/messages`.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> ClientOptions {
        self.base_url = url.into();
        self
    }

    /// Sets the model unless the request names one.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> ClientOptions {
        self.model = model.into();
        self
    }

    /// Sets where the schema stands.
    #[must_use]
    pub fn schema_field(mut self, field: SchemaField) -> ClientOptions {
        self.schema_field = field;
        self
    }

    /// Sets how long a connection may take to be made.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> ClientOptions {
        self.connect_timeout = timeout;
        self
    }

    /// Sets how long everything together may take, retries included.
    #[must_use]
    pub fn total_timeout(mut self, timeout: Duration) -> ClientOptions {
        self.total_timeout = timeout;
        self
    }

    /// Sets how often a call is tried again.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> ClientOptions {
        self.retries = retries;
        self
    }

    /// Sets the wait before the first retry.
    #[must_use]
    pub fn backoff(mut self, wait: Duration) -> ClientOptions {
        self.backoff = wait;
        self
    }
}

/// A small model behind the Messages API as a [`Selector`].
///
/// It follows no redirect, uses no proxy of the environment, and needs a tokio runtime with time
/// and I/O. Dropping a call cancels it.
#[derive(Clone)]
pub struct MessagesClient {
    http: reqwest::Client,
    url: Url,
    auth: Auth,
    options: ClientOptions,
}

impl fmt::Debug for MessagesClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessagesClient")
            .field("url", &self.url.as_str())
            .field("auth", &self.auth)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl MessagesClient {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`HttpErrorKind::Setup`] if the address is none, if it holds a password or a query, if it
    /// begins with `https` and the feature `http-rustls` is off, or if key or certificates cannot
    /// be used.
    pub fn new(auth: Auth, options: ClientOptions) -> Result<MessagesClient, HttpError> {
        let url = address(&options.base_url)?;
        call::auth_header(&auth)?;
        let builder = reqwest::Client::builder()
            .connect_timeout(options.connect_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy();
        #[cfg(feature = "http-rustls")]
        let builder = builder.tls_backend_preconfigured(tls()?);
        Ok(MessagesClient {
            http: build(builder)?,
            url,
            auth,
            options,
        })
    }
}

/// Where messages go, from the address of the API.
fn address(base: &str) -> Result<Url, HttpError> {
    let no_address = || HttpError::setup("expected an address with http:// or https://");
    let base = base.trim().trim_end_matches('/');
    // A parser of addresses finds a host behind any number of slashes.
    let (scheme, rest) = base.split_once("://").ok_or_else(no_address)?;
    if rest.is_empty() || rest.starts_with(['/', '\\']) {
        return Err(no_address());
    }
    if scheme.eq_ignore_ascii_case("https") {
        if !cfg!(feature = "http-rustls") {
            return Err(HttpError::setup("https needs the feature http-rustls"));
        }
    } else if !scheme.eq_ignore_ascii_case("http") {
        return Err(no_address());
    }
    let url = Url::parse(&format!("{base}/v1/messages")).map_err(|_| no_address())?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(HttpError::setup("expected an address without ? and #"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(HttpError::setup(
            "expected an address without a name or password in it",
        ));
    }
    Ok(url)
}

#[cfg(feature = "http-rustls")]
fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, HttpError> {
    builder.build().map_err(|_| HttpError::setup(NO_CLIENT))
}

/// Without TLS of our own, another crate of the program may have given the HTTP library one that
/// lacks a provider; the library panics then.
#[cfg(not(feature = "http-rustls"))]
fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, HttpError> {
    let built = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| builder.build()));
    match built {
        Ok(built) => built.map_err(|_| HttpError::setup(NO_CLIENT)),
        Err(_) => Err(HttpError::setup(
            "TLS has no provider here; install one, or use the feature http-rustls",
        )),
    }
}

const NO_CLIENT: &str = "the HTTP client cannot be made";

/// TLS of this client alone: a default provider of the process is neither needed nor set.
#[cfg(feature = "http-rustls")]
fn tls() -> Result<rustls::ClientConfig, HttpError> {
    use rustls_platform_verifier::BuilderVerifierExt;

    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map(|builder| builder.with_no_client_auth())
        .map_err(|_| HttpError::setup("the certificates of the system cannot be used"))
}

impl Selector for MessagesClient {
    type Error = HttpError;

    fn select(
        &self,
        request: SelectRequest,
    ) -> impl Future<Output = Result<SelectReply, HttpError>> + Send {
        self.call(request)
    }
}
