//! Secrets in other forms than on one line: divided, escaped, hidden, encoded, at any length.

use memdir_types::{Audience, GateRule, Memory, Severity, gate, gate_text, redact};

use crate::secret_shapes::{BASE64, Dice, encode_base64, make, shapes};

fn is_found(text: &str) -> bool {
    let Err(refusal) = gate_text(text, Audience::Team) else {
        return false;
    };
    let found = refusal.findings();
    found
        .iter()
        .any(|finding| matches!(finding.rule, GateRule::Secret(_)))
}

/// What may stand between the two halves of a token, with what then stands around it.
const JOINTS: [(&str, &str, &str); 14] = [
    ("", "\n", ""),
    ("the key is\n", "\r\n    ", "\nand no more"),
    ("words before it\n  ", "\n  ", "\n  words behind"),
    ("x = \"", "\" + \"", "\""),
    ("x = '", "' . '", "'"),
    ("x = \"", "\" \"", "\""),
    ("x = \"", "\" +\n    \"", "\""),
    ("x = \"", "\"\n    + \"", "\""),
    ("// ", "\n// ", ""),
    ("# ", "\n# ", ""),
    ("-- ", "\n-- ", ""),
    ("", "\\\n", ""),
    ("", "\u{200b}", ""),
    ("", "\u{ad}\u{200d}", ""),
];

#[test]
fn a_divided_token_is_found_and_redacted_as_a_whole() {
    let mut dice = Dice(31);
    let (mut tried, mut missed) = (0, Vec::new());
    for (kind, parts) in shapes() {
        // The host of a webhook is not wrapped with its token.
        if kind.ends_with("webhook") || kind == "azure-storage-key" {
            continue;
        }
        for (before, joint, after) in JOINTS {
            let token = make(&parts, &mut dice);
            let (left, right) = token.split_at(token.len() / 2);
            let text = format!("{before}{left}{joint}{right}{after}\n");
            tried += 1;
            let redacted = redact(&text).text;
            if !is_found(&text) || redacted.contains(&right[right.len() - 6..]) {
                missed.push(format!("{kind} {joint:?}"));
            }
        }
    }
    assert!(
        missed.len() * 100 <= tried * 2,
        "{} of {tried}: {missed:?}",
        missed.len()
    );
}

#[test]
fn escape_sequences_hide_nothing_under_any_key() {
    let mut dice = Dice(32);
    for (kind, parts) in shapes() {
        let token = make(&parts, &mut dice);
        let forms: [fn(char) -> String; 4] = [
            |c| format!("\\x{:02x}", u32::from(c)),
            |c| format!("\\u{:04X}", u32::from(c)),
            |c| format!("\\U{:08x}", u32::from(c)),
            |c| format!("\\u{{{:x}}}", u32::from(c)),
        ];
        for form in forms {
            let spelled: String = token
                .char_indices()
                .map(|(at, c)| if at % 5 == 0 { form(c) } else { c.into() })
                .collect();
            let text = format!("---\nname: n\nmore:\n  list: [\"{spelled}\"]\n---\n\nbody\n");
            let refusal = gate(&Memory::parse(&text), Audience::Team);
            assert!(refusal.is_err(), "{kind}");
            let redacted = redact(&text).text;
            assert!(!redacted.contains(&token[token.len() - 4..]), "{kind}");
            assert!(redacted.ends_with("\n---\n\nbody\n"), "{kind}: {redacted}");
        }
    }
}

#[test]
fn wrapped_base64_is_read_as_one() {
    let mut dice = Dice(33);
    for (kind, parts) in shapes() {
        let token = make(&parts, &mut dice);
        for before in ["config with the key ", "配置文件 key: ", "x"] {
            let encoded = encode_base64(&format!("{before} {token} and more text"));
            let lines: Vec<&str> = encoded
                .as_bytes()
                .chunks(40)
                .map(|line| std::str::from_utf8(line).unwrap())
                .collect();
            let text = format!("the data\n{}\nand so on\n", lines.join("\n"));
            assert!(is_found(&text), "{kind}");
        }
    }
}

#[test]
fn credentials_in_an_encoded_url_are_found() {
    let mut dice = Dice(34);
    let password = dice.text(BASE64, 18).replace(['/', '+'], "x");
    let url = format!("postgres://svc:{password}@db.internal/app");
    assert!(is_found(&format!("data: {}\n", encode_base64(&url))));
}

#[test]
fn a_signature_behind_other_parameters_is_found() {
    let mut dice = Dice(35);
    let signature = dice.text(crate::secret_shapes::ALNUM, 43);
    let url = format!("https://x.blob.core.windows.net/c?sv=2021-01-01&sig={signature}%3D");
    assert!(is_found(&url));
    assert!(!redact(&url).text.contains(&signature[20..]));
}

/// Each of these is easily read again from every place in it, which takes hours for a long one.
#[test]
fn long_texts_of_nothing_but_beginnings_hold_no_secret() {
    let texts = [
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nAAAA ",
        "PuTTY-User-Key-File-3: ",
        "a\n",
        "a\\\n",
        "\"a\" + ",
        "a\u{200b}",
        "\u{200d}",
        "\u{202e}",
        "\\u0041",
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\n",
    ];
    for text in texts {
        let long = text.repeat(60_000 / text.len());
        let cleared = gate_text(&long, Audience::Private).unwrap();
        let is_secret = |rule| matches!(rule, GateRule::Secret(_));
        let found = cleared.findings().iter();
        let errors = found.filter(|f| f.severity == Severity::Error && is_secret(f.rule));
        assert_eq!(errors.count(), 0, "{text:?}");
        assert_eq!(redact(&long).text, long);
    }
}

#[test]
fn word_lists_and_lines_of_hashes_stay_themselves_when_joined() {
    let mut dice = Dice(36);
    let words: Vec<String> = (0..3_000)
        .map(|_| {
            let length = 3 + dice.next(9);
            format!("cio{}", dice.text("abcdeilnorstu", length))
        })
        .collect();
    let hashes: Vec<String> = (0..500)
        .map(|_| dice.text("0123456789abcdef", 40))
        .collect();
    let commits: Vec<String> = (0..500).map(|_| dice.text("0123456789abcdef", 7)).collect();
    for lines in [words, hashes, commits] {
        for separator in ["\n", "\n// ", "\" \""] {
            let text = lines.join(separator);
            let found = gate_text(&text, Audience::Team);
            assert!(found.is_ok(), "{:?}", found.err().map(|e| e.to_string()));
        }
    }
    let plain = "a line\nand the next\n";
    assert_eq!(redact(plain).text, plain);
    assert!(
        gate_text(plain, Audience::Team)
            .unwrap()
            .findings()
            .iter()
            .all(|finding| finding.severity == Severity::Warning)
    );
}

#[test]
fn a_token_divided_behind_its_own_full_stop_keeps_it() {
    let mut dice = Dice(37);
    for joint in ["\n", "\n  ", "\" +\n\"", "\\\n"] {
        let mut part = |length| dice.text(crate::secret_shapes::URL, length);
        let signature = part(43);
        let text = format!(
            "eyJhbGciOiJIUzI1NiJ9.{joint}eyJ{}.{joint}{signature}\n",
            part(40)
        );
        assert!(is_found(&text), "{text}");
        assert!(!redact(&text).text.contains(&signature[30..]), "{text}");
    }
}

#[test]
fn marks_that_are_called_tokens_and_keep_nothing_secret_pass() {
    let texts = [
        "publicKeyToken=31bf3856ad364e35",
        "--client-token 550e8400-e29b-41d4-a716-446655440000",
        "\"ClientToken\": \"4752b573-40a6-4eac-a8a4-a72058761219\"",
        "--lifecycle-action-token bcd2f1b8-9a78-44d3-8a7a-4dd07d7cf635",
    ];
    for text in texts {
        assert!(!is_found(text), "{text}");
    }
    assert!(is_found("client_secret = q7Zp2Xv9Lr4Tn8Wk3Yb6"));
}

/// What teams write down about passwords and keys, without one.
#[test]
fn notes_about_secrets_are_no_secrets() {
    let notes = include_str!("secret_notes.txt");
    assert!(notes.lines().count() >= 40);
    for note in notes.lines() {
        let text = format!("---\nname: A note\ntype: project\n---\n\n{note}\n");
        let cleared = gate(&Memory::parse(&text), Audience::Team);
        assert!(cleared.is_ok(), "{note}");
    }
}
