//! Secrets: what is refused, what passes, and that nothing of a secret leaks.

use memdir_types::{Audience, GateRule, SecretKind, gate_text, redact};

use crate::secret_shapes::{ALNUM, BASE64, Dice, URL, benign_lines, encode_base64, make, shapes};

/// The kinds of secret that a text is refused for.
fn kinds(text: &str) -> Vec<&'static str> {
    let findings = match gate_text(text, Audience::Team) {
        Ok(cleared) => cleared.findings().to_vec(),
        Err(refusal) => refusal.findings().to_vec(),
    };
    findings
        .iter()
        .filter_map(|finding| match finding.rule {
            GateRule::Secret(kind) => Some(kind.id()),
            _ => None,
        })
        .collect()
}

/// What people write around a token.
fn surroundings(token: &str, dice: &mut Dice) -> Vec<String> {
    let middle = 8 + dice.next(token.len() - 12);
    vec![
        format!("For the staging system we use {token} until the end of the month."),
        format!("```sh\nexport SERVICE={token}\n```"),
        format!("{{\"service\": \"{token}\", \"retries\": 3}}"),
        format!("测试环境用的是{token}，月底更换。"),
        format!(
            "wrapped by a mail program: {}\n{}",
            &token[..middle],
            &token[middle..]
        ),
        format!("> quoted: {}\n> {}", &token[..middle], &token[middle..]),
        format!("log: {}", encode_base64(token)),
        format!("one line of JSON: \"first\\n{token}\\nlast\""),
        format!("callback%3Dkey%3D{token}"),
    ]
}

#[test]
fn tokens_of_every_shape_are_refused_wherever_they_stand() {
    let mut dice = Dice(7);
    let mut missed = Vec::new();
    let mut all = 0;
    for round in 0..4 {
        for (id, parts) in shapes() {
            let token = make(&parts, &mut dice);
            for text in surroundings(&token, &mut dice) {
                all += 1;
                if kinds(&text).is_empty() {
                    missed.push(format!("{round} {id}: {text}"));
                }
            }
        }
    }
    // Chance draws a token that looks like an example now and then.
    assert!(
        missed.len() * 100 <= all,
        "{} of {all} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

#[test]
fn a_token_is_named_by_its_provider() {
    let mut dice = Dice(11);
    for (id, parts) in shapes() {
        let token = make(&parts, &mut dice);
        assert!(
            kinds(&format!("it is {token} now")).contains(&id),
            "{id}: {token}"
        );
    }
}

#[test]
fn there_are_more_than_forty_shapes_and_each_has_a_name_of_its_own() {
    let ids: Vec<_> = SecretKind::all().map(SecretKind::id).collect();
    assert!(ids.len() > 60, "{}", ids.len());
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
}

#[track_caller]
fn refused(text: &str) {
    assert!(!kinds(text).is_empty(), "passed: {text}");
}

#[track_caller]
fn passes(text: &str) {
    assert_eq!(kinds(text), Vec::<&str>::new(), "refused: {text}");
}

#[test]
fn private_keys_are_refused_in_every_wrapping() {
    let mut dice = Dice(3);
    let body: Vec<String> = (0..20).map(|_| dice.text(BASE64, 64)).collect();
    for name in [
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let pem = format!(
            "-----BEGIN {name}-----\n{}\n-----END {name}-----\n",
            body.join("\n")
        );
        refused(&pem);
        refused(&format!("The key:\n\n    {}", pem.replace('\n', "\n    ")));
        refused(&format!("{{\"key\": \"{}\"}}", pem.replace('\n', "\\n")));
        refused(&format!("> {}", pem.replace('\n', "\n> ")));
        for filler in ["", "x", "xx", "xxx"] {
            let encoded = encode_base64(&format!("{filler}{pem}"));
            refused(&format!("tls.key: {encoded}"));
            let header = encode_base64(&format!("{filler}-----BEGIN {name}-----\nMIIEvQ"));
            refused(&format!("tls.key: {header}"));
        }
        let clean = redact(&format!("before\n{pem}after"));
        assert_eq!(clean.text, "before\n[redacted: private key]\nafter");
    }
}

#[test]
fn certificates_and_public_keys_are_no_secret() {
    let mut dice = Dice(5);
    let body: Vec<String> = (0..20).map(|_| dice.text(BASE64, 64)).collect();
    for name in [
        "CERTIFICATE",
        "PUBLIC KEY",
        "RSA PUBLIC KEY",
        "CERTIFICATE REQUEST",
    ] {
        let pem = format!(
            "-----BEGIN {name}-----\n{}\n-----END {name}-----\n",
            body.join("\n")
        );
        passes(&pem);
        passes(&format!("ca: {}", encode_base64(&pem)));
    }
    passes(&format!(
        "ssh-ed25519 {} team@laptop",
        dice.text(BASE64, 68)
    ));
}

#[test]
fn the_first_line_of_a_key_alone_is_only_a_warning() {
    let cleared = gate_text(
        "search for `-----BEGIN RSA PRIVATE KEY-----` in the image",
        Audience::Team,
    );
    assert!(cleared.is_ok_and(|cleared| cleared.findings().len() == 1));
}

#[test]
fn credentials_in_urls() {
    refused("postgres://app:vq7RmX2pLk9s@db.internal:5432/app");
    refused("git clone https://ci:vq7RmX2pLk9s@git.internal/team.git");
    refused("redis://:Xk29fQ_81s@cache:6379/0");
    refused("amqp://svc:%2Ffoo9Rm@queue/");
    for text in [
        "https://example.com:8080/a@b",
        "https://user:password@host/",
        "postgres://postgres:postgres@localhost/app",
        "https://$USER:$TOKEN@host/",
        "https://${USER}:${TOKEN}@host/",
        "https://{user}:{password}@host/",
        "https://<user>:<password>@host/",
        "https://user:****@host/",
        "postgres://app:PASSWORD@db/app",
        "ssh://git@host:22/x",
        "mailto:a@b.c see http://a.b/c:d@e",
    ] {
        passes(text);
    }
}

#[test]
fn values_that_their_key_calls_secret() {
    for text in [
        "password = vq7RmX2pLk9s",
        "password: 'Tr0ub4dor&3'",
        "DB_PASSWORD=\"n4-Vk!29qLm\"",
        "the password is Xk29fQm81s",
        "数据库密码：Xk29fQm81s",
        "密码是 Xk29fQm81s，别外传",
        "api_key: 8f3b2c9d7e6a41508f3b2c9d7e6a4150",
        "aws_secret_access_key = wJ4lrXUtnFEMIK7MDENGbPxRfiCYzq8Lm3Vt5Kd2",
        "\"client_secret\": \"Zk8Q~p3Lm9vRt5Xw2Yb7Nc4Jd6Hf1Gs0\"",
        "Authorization: Bearer 9f8e7d6c5b4a39281706f5e4d3c2b1a0",
        "curl -H 'x-api-key: 9f8e7d6c5b4a39281706f5e4d3c2b1a0' host",
        "mysql --password=Xk29fQm81s app",
        "curl -u deploy:Xk29fQm81s https://host/",
        "访问令牌：9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    ] {
        refused(text);
    }
}

#[test]
fn examples_references_and_words_are_no_secret() {
    for text in [
        "password = your-password-here",
        "password: changeme123",
        "password: ********",
        "password: <from the vault>",
        "password: ${DB_PASSWORD}",
        "password = os.environ[\"DB_PASSWORD\"]",
        "password: process.env.DB_PASSWORD",
        "password: vault:secret/data/db#password",
        "password: /run/secrets/db_password_1",
        "'password' => 'required|min:8|confirmed',",
        "password must be at least 12 characters",
        "the password is stored in 1Password",
        "const token = getToken(request.headers.authorization1);",
        "token = request.session.access_token_v2",
        "token: string | undefined",
        "\"NextToken\": \"9f4d9f69-275a-41fe-b58e-2b837bd9ba48\"",
        "generate_private_key: x25519_generate_private_key,",
        "let raw_private_key: Curve25519SeedBin = seed;",
        "def login(username: str, password: Optional[str] = None)",
        "auth = Credentials(user=pair[0], password=pair[1])",
        "completions: username= message= passphrase= password= scmVersion=",
        "arn:aws:secretsmanager:us-west-2:123456789012:secret:PaymentsDb-a1b2c3",
        "max_tokens: 4096, temperature: 0.2",
        "secret: my-app-secret-2024-11",
        "secretKeyRef: { name: app-secrets, key: token }",
        "AWS keys look like AKIAIOSFODNN7EXAMPLE",
        "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_your_token_goes_here_and_is_36_long",
        "export GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "api_key = \"YOUR_API_KEY_FROM_THE_DASHBOARD_1\"",
        "api key rotation happens every 90 days",
        "the token bucket allows 100 requests per minute",
        "primary key: user_id_2024_shard_17",
        "cache_key: user:12:profile:v3",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer {access_token_from_login}",
        "密码至少 12 位，需要包含数字",
        "task-management-and-risk-assessment-disk-0001",
    ] {
        passes(text);
    }
}

#[test]
fn two_thousand_benign_lines_pass_alone_and_as_one_file() {
    let lines = benign_lines();
    assert!(lines.len() >= 2_000);
    for line in &lines {
        passes(line);
    }
    passes(&lines.join("\n"));
}

#[test]
fn nothing_of_a_secret_stands_in_a_finding_or_a_refusal() {
    let mut dice = Dice(13);
    for (_, parts) in shapes() {
        let token = make(&parts, &mut dice);
        let text = format!("first line\nuse {token} here");
        let refusal = gate_text(&text, Audience::Team).err();
        let Some(refusal) = refusal else {
            panic!("passed: {token}");
        };
        let shown = format!("{refusal} {refusal:?}");
        for at in 0..token.len() - 10 {
            // What every token of a kind has in common is no secret.
            assert!(at < 20 || !shown.contains(&token[at..at + 10]), "{shown}");
        }
        assert!(
            refusal
                .findings()
                .iter()
                .all(|finding| finding.code_point.is_none())
        );
        assert!(!redact(&text).text.contains(&token[token.len() - 12..]));
    }
}

#[test]
fn the_finding_says_where() {
    let mut dice = Dice(17);
    let token = format!("ghp_{}", dice.text(ALNUM, 36));
    let refusal = gate_text(&format!("one\ntwo {token}"), Audience::Team).err();
    insta::assert_snapshot!(
        refusal.map(|refusal| refusal.to_string()).unwrap_or_default(),
        @"the text was refused: GitHub token at line 2, column 5"
    );
}

#[test]
fn a_private_memory_keeps_it_and_says_so() {
    let mut dice = Dice(19);
    let text = format!("the token is glpat-{}", dice.text(URL, 20));
    let cleared = gate_text(&text, Audience::Private);
    let found = cleared.map(|cleared| (cleared.as_str() == text, cleared.findings().len()));
    assert_eq!(found.ok(), Some((true, 1)));
}

#[test]
fn a_secret_that_wrapping_divides_is_redacted_as_a_whole() {
    let mut dice = Dice(23);
    let token = format!("ghp_{}", dice.text(ALNUM, 36));
    let text = format!("use {}\n    {} now", &token[..20], &token[20..]);
    assert_eq!(redact(&text).text, "use [redacted: GitHub token] now");
}

#[test]
fn redaction_leaves_other_texts_alone() {
    for text in ["", "no secret", "密码至少 12 位", "a\r\nb\u{0}"] {
        let redacted = redact(text);
        assert_eq!((redacted.text.as_str(), redacted.kinds.len()), (text, 0));
    }
}

#[test]
fn words_that_look_latin_are_named_and_pass() {
    for (text, found) in [
        ("log in at p\u{430}ypal", 1),
        ("run `\u{455}sh` first", 1),
        ("the API-\u{448}\u{43b}\u{44e}\u{437} is down", 0),
        ("JSON\u{43e}\u{43c}", 0),
        ("\u{394}t and \u{3bc}s", 0),
        ("\u{440}\u{435}\u{441}\u{442}", 0),
    ] {
        let cleared = gate_text(text, Audience::Team);
        let count = cleared.map(|cleared| {
            cleared
                .findings()
                .iter()
                .filter(|finding| finding.rule == GateRule::MixedScript)
                .count()
        });
        assert_eq!(count.ok(), Some(found), "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_judged_and_redaction_is_final(text in "[ -~\n\u{4f60}]{0,400}|(?s:.){0,200}") {
        let once = redact(&text).text;
        let twice = redact(&once);
        proptest::prop_assert_eq!(once, twice.text);
        let _ = gate_text(&text, Audience::Team);
    }
}
