//! The client over TLS, against a server with a certificate of its own making.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use memdir_recall::{Auth, ClientOptions, MessagesClient, Query, Selector, select_request};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Set in the process that plays the client.
const ADDRESS: &str = "MEMDIR_RECALL_TEST_ADDRESS";

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the system's certificates are chosen by a variable, so the client is another process"
)]
fn the_certificates_of_the_system_decide_whom_to_trust() {
    if let Ok(address) = std::env::var(ADDRESS) {
        return play_the_client(address);
    }
    let known = Identity::new();
    let stranger = Identity::new();
    let temp = tempfile::tempdir().unwrap();
    let roots = temp.path().join("roots.pem");
    fs::write(&roots, known.pem()).unwrap();
    let ask = |server: &Identity| {
        let address = serve(server);
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture"])
            .arg("tls::the_certificates_of_the_system_decide_whom_to_trust")
            .env(ADDRESS, address)
            .env("SSL_CERT_FILE", &roots)
            .env_remove("SSL_CERT_DIR")
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let answer = ask(&known);
    assert!(answer.contains("answer: over TLS"), "{answer}");
    let refusal = ask(&stranger);
    assert!(
        refusal.contains("error: no connection to the service: invalid peer certificate"),
        "{refusal}"
    );
}

#[expect(clippy::print_stdout, reason = "the other process reads it")]
fn play_the_client(address: String) {
    let options = ClientOptions::default()
        .base_url(address)
        .backoff(Duration::from_millis(1))
        .total_timeout(Duration::from_secs(20));
    let client = MessagesClient::new(Auth::Bearer("token".to_owned()), options).unwrap();
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let request = select_request(&Query::new("tests"), "- a.md");
    let result = (builder.enable_all().build().unwrap()).block_on(client.select(request));
    match result {
        Ok(reply) => println!("answer: {}", reply.text),
        Err(error) => println!("error: {error}"),
    }
}

/// Answers every request on a connection of its own; the address of the server.
#[expect(
    clippy::disallowed_methods,
    reason = "the server of a test may have a thread"
)]
fn serve(identity: &Identity) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(identity.key.clone()));
    let chain = vec![CertificateDer::from(identity.certificate.clone())];
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(connection, socket.unwrap());
            // A client that does not trust the server leaves in the middle.
            let _ = answer(&mut stream);
        }
    });
    address
}

fn answer(stream: &mut (impl Read + Write)) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        let mut chunk = [0; 4_096];
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        request.extend_from_slice(&chunk[..count]);
    }
    let body = r#"{"content": [{"type": "text", "text": "over TLS"}]}"#;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    stream.flush()
}

/// A key, and a certificate for 127.0.0.1 that it signed itself.
struct Identity {
    key: Vec<u8>,
    certificate: Vec<u8>,
}

impl Identity {
    fn new() -> Identity {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap();

        let ecdsa_with_sha256 = der(0x30, &[&hex("06082a8648ce3d040302")]);
        // A common name, the same for subject and issuer.
        let name = der(0x0c, &[b"test"]);
        let name = der(0x30, &[&hex("0603550403"), &name]);
        let name = der(0x30, &[&der(0x31, &[&name])]);
        let validity = [
            der(0x17, &[b"200101000000Z"]),
            der(0x17, &[b"491231235959Z"]),
        ]
        .concat();
        let public = [&[0], pair.public_key().as_ref()].concat();
        let public_key = der(
            0x30,
            &[
                &der(0x30, &[&hex("06072a8648ce3d020106082a8648ce3d030107")]),
                &der(0x03, &[&public]),
            ],
        );
        // The alternative name 127.0.0.1.
        let alternative = der(0x30, &[&der(0x87, &[&[127, 0, 0, 1]])]);
        let extension = der(0x30, &[&hex("0603551d11"), &der(0x04, &[&alternative])]);
        let extensions = der(0xa3, &[&der(0x30, &[&extension])]);
        let body = der(
            0x30,
            &[
                &hex("a003020102020101"),
                &ecdsa_with_sha256,
                &name,
                &der(0x30, &[&validity]),
                &name,
                &public_key,
                &extensions,
            ],
        );
        let signature = pair.sign(&random, &body).unwrap();
        let signature = der(0x03, &[&[0], signature.as_ref()]);
        Identity {
            key: key.as_ref().to_vec(),
            certificate: der(0x30, &[&body, &ecdsa_with_sha256, &signature]),
        }
    }

    fn pem(&self) -> String {
        let text = base64(&self.certificate);
        format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
    }
}

/// A value in the encoding of certificates: tag, length, content.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let [high, low] = u16::try_from(content.len()).unwrap().to_be_bytes();
    let head = match (high, low) {
        (0, 0..0x80) => vec![tag, low],
        (0, _) => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    [head, content].concat()
}

fn hex(text: &str) -> Vec<u8> {
    let pairs = (0..text.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let all = [0, 1, 2].map(|at| u32::from(*chunk.get(at).unwrap_or(&0)));
        let word = all[0] << 16 | all[1] << 8 | all[2];
        for digit in 0..4 {
            if digit <= chunk.len() {
                text.push(char::from(DIGITS[(word >> (18 - 6 * digit) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}
