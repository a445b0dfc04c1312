//! The behavior of memdir-recall, by topic.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod auto_traits;
mod bilingual;
mod bounds;
mod errors;
mod filters;
mod floors;
#[cfg(feature = "http")]
mod http;
mod laws;
mod manifest;
mod model;
mod names;
mod reply;
mod request;
mod scan;
#[cfg(feature = "serde")]
mod serialize;
mod slips;
mod surface;
#[cfg(all(feature = "http-rustls", target_os = "linux"))]
mod tls;
mod words;
mod world;
