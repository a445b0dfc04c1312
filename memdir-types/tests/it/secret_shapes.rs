//! Tokens and benign lines, drawn anew in every run: no token stands in a file.

/// A small generator, so that no token stands in this file and every run makes the same ones.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    pub(crate) fn text(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..length)
            .map(|_| alphabet[self.next(alphabet.len())])
            .collect()
    }
}

const HEX: &str = "0123456789abcdef";
pub(crate) const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The published shapes, written here a second time: literal parts and drawn parts by turns.
pub(crate) fn shapes() -> Vec<(&'static str, Vec<Part>)> {
    use Part::{Drawn as D, Literal as L};
    vec![
        ("anthropic-key", vec![L("sk-ant-api03-"), D(URL, 95)]),
        ("openai-key", vec![L("sk-proj-"), D(URL, 64)]),
        (
            "openai-key",
            vec![L("sk-"), D(ALNUM, 20), L("T3BlbkFJ"), D(ALNUM, 20)],
        ),
        ("openrouter-key", vec![L("sk-or-v1-"), D(HEX, 64)]),
        ("huggingface-token", vec![L("hf_"), D(ALNUM, 34)]),
        ("groq-key", vec![L("gsk_"), D(ALNUM, 52)]),
        ("replicate-token", vec![L("r8_"), D(ALNUM, 37)]),
        ("aws-access-key", vec![L("AKIA"), D(BASE32, 16)]),
        ("aws-access-key", vec![L("ASIA"), D(BASE32, 16)]),
        ("google-api-key", vec![L("AIza"), D(URL, 35)]),
        ("google-oauth-secret", vec![L("GOCSPX-"), D(URL, 28)]),
        ("google-oauth-token", vec![L("ya29."), D(URL, 120)]),
        (
            "azure-storage-key",
            vec![L("AccountKey="), D(BASE64, 86), L("==")],
        ),
        (
            "azure-client-secret",
            vec![D(ALNUM, 3), L("8Q~"), D(ALNUM, 34)],
        ),
        ("digitalocean-token", vec![L("dop_v1_"), D(HEX, 64)]),
        ("github-token", vec![L("ghp_"), D(ALNUM, 36)]),
        ("github-token", vec![L("gho_"), D(ALNUM, 36)]),
        ("github-token", vec![L("ghs_"), D(ALNUM, 36)]),
        (
            "github-fine-grained-token",
            vec![L("github_pat_"), D(ALNUM, 22), L("_"), D(ALNUM, 59)],
        ),
        ("gitlab-token", vec![L("glpat-"), D(URL, 20)]),
        (
            "slack-token",
            vec![
                L("xoxb-"),
                D("0123456789", 12),
                L("-"),
                D("0123456789", 12),
                L("-"),
                D(ALNUM, 24),
            ],
        ),
        (
            "slack-webhook",
            vec![
                L("https://hooks.slack.com/services/T"),
                D(UPPER, 8),
                L("/B"),
                D(UPPER, 8),
                L("/"),
                D(ALNUM, 24),
            ],
        ),
        ("stripe-key", vec![L("sk_live_"), D(ALNUM, 24)]),
        ("stripe-key", vec![L("rk_live_"), D(ALNUM, 99)]),
        ("npm-token", vec![L("npm_"), D(ALNUM, 36)]),
        ("pypi-token", vec![L("pypi-AgEIcHlwaS5vcmc"), D(URL, 120)]),
        (
            "json-web-token",
            vec![
                L("eyJhbGciOiJIUzI1NiJ9.eyJ"),
                D(URL, 60),
                L("."),
                D(URL, 43),
            ],
        ),
        (
            "sendgrid-key",
            vec![L("SG."), D(URL, 22), L("."), D(URL, 43)],
        ),
        ("twilio-key", vec![L("SK"), D(HEX, 32)]),
        ("mailgun-key", vec![L("key-"), D(HEX, 32)]),
        ("mailchimp-key", vec![D(HEX, 32), L("-us14")]),
        ("databricks-token", vec![L("dapi"), D(HEX, 32)]),
        ("shopify-token", vec![L("shpat_"), D(HEX, 32)]),
        ("square-token", vec![L("sq0atp-"), D(URL, 22)]),
        (
            "telegram-token",
            vec![D("123456789", 9), L(":AA"), D(URL, 33)],
        ),
        (
            "discord-token",
            vec![L("M"), D(ALNUM, 23), L("."), D(URL, 6), L("."), D(URL, 27)],
        ),
        ("docker-token", vec![L("dckr_pat_"), D(URL, 27)]),
        ("linear-key", vec![L("lin_api_"), D(ALNUM, 40)]),
        ("notion-token", vec![L("ntn_"), D(ALNUM, 46)]),
        ("figma-token", vec![L("figd_"), D(URL, 40)]),
        (
            "airtable-token",
            vec![L("pat"), D(ALNUM, 14), L("."), D(HEX, 64)],
        ),
        ("atlassian-token", vec![L("ATATT3"), D(ALNUM, 186)]),
        (
            "grafana-token",
            vec![L("glsa_"), D(ALNUM, 32), L("_"), D(HEX, 8)],
        ),
        ("newrelic-key", vec![L("NRAK-"), D(UPPER, 27)]),
        ("sentry-token", vec![L("sntryu_"), D(HEX, 64)]),
        ("doppler-token", vec![L("dp.pt."), D(ALNUM, 43)]),
        ("planetscale-secret", vec![L("pscale_tkn_"), D(URL, 43)]),
        (
            "postman-key",
            vec![L("PMAK-"), D(HEX, 24), L("-"), D(HEX, 34)],
        ),
        ("pulumi-token", vec![L("pul-"), D(HEX, 40)]),
        ("rubygems-key", vec![L("rubygems_"), D(HEX, 48)]),
        ("cargo-token", vec![L("cio"), D(ALNUM, 32)]),
        ("vault-token", vec![L("hvs."), D(URL, 90)]),
        (
            "terraform-token",
            vec![D(ALNUM, 14), L(".atlasv1."), D(URL, 64)],
        ),
        ("supabase-key", vec![L("sbp_"), D(HEX, 40)]),
        (
            "tailscale-key",
            vec![L("tskey-auth-"), D(ALNUM, 12), L("-"), D(ALNUM, 32)],
        ),
        (
            "dynatrace-token",
            vec![L("dt0c01."), D(UPPER, 24), L("."), D(UPPER, 64)],
        ),
        (
            "age-key",
            vec![
                L("AGE-SECRET-KEY-1"),
                D("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
            ],
        ),
        ("artifactory-key", vec![L("AKCp"), D(ALNUM, 69)]),
        ("sonar-token", vec![L("squ_"), D(HEX, 40)]),
        ("alibaba-key", vec![L("LTAI"), D(ALNUM, 20)]),
        (
            "azure-devops-token",
            vec![D(ALNUM, 76), L("AZDO"), D(ALNUM, 4)],
        ),
        ("neon-key", vec![L("napi_"), D(LOWER, 64)]),
    ]
}

pub(crate) enum Part {
    Literal(&'static str),
    Drawn(&'static str, usize),
}

pub(crate) fn make(parts: &[Part], dice: &mut Dice) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Literal(text) => (*text).to_owned(),
            Part::Drawn(alphabet, length) => dice.text(alphabet, *length),
        })
        .collect()
}

pub(crate) fn encode_base64(text: &str) -> String {
    let alphabet = BASE64.as_bytes();
    let mut out = String::new();
    for group in text.as_bytes().chunks(3) {
        let word = group
            .iter()
            .fold(0_u32, |word, byte| word << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for at in 0..=group.len() {
            out.push(char::from(alphabet[(word >> (18 - 6 * at)) as usize & 63]));
        }
        out.extend(std::iter::repeat_n('=', 3 - group.len()));
    }
    out
}

/// Two thousand lines of what fills repositories: hashes, ids, lock files, minified code, pictures.
pub(crate) fn benign_lines() -> Vec<String> {
    let mut dice = Dice(42);
    let mut lines = Vec::new();
    for n in 0..160 {
        let hex = |dice: &mut Dice, length| dice.text(HEX, length);
        let uuid = |dice: &mut Dice| {
            [8, 4, 4, 4, 12]
                .map(|length| dice.text(HEX, length))
                .join("-")
        };
        lines.push(format!("commit {}", hex(&mut dice, 40)));
        lines.push(format!("{}  target/release/app", hex(&mut dice, 64)));
        lines.push(format!("checksum = \"{}\"", hex(&mut dice, 64)));
        lines.push(format!(
            "      \"integrity\": \"sha512-{}==\",",
            dice.text(BASE64, 86)
        ));
        lines.push(format!(
            "request_id={} user={}",
            uuid(&mut dice),
            uuid(&mut dice)
        ));
        lines.push(format!("  id: {}", uuid(&mut dice)));
        lines.push(format!(
            "{} {}/{n}-{}.js",
            hex(&mut dice, 7),
            dice.text(LOWER, 9),
            hex(&mut dice, 8)
        ));
        lines.push(format!(
            "<img src=\"data:image/png;base64,{}\">",
            dice.text(BASE64, 900)
        ));
        lines.push(format!(
            "!function(e,t){{var n=t.{}||{{}};n.token=e.token,n.key=\"{}\"}}(a,b{});",
            dice.text(LOWER, 4),
            dice.text(LOWER, 6),
            n
        ));
        lines.push(format!("ETag: W/\"{}\"", hex(&mut dice, 32)));
        lines.push(format!(
            "sourceMappingURL=app.{}.js.map",
            hex(&mut dice, 20)
        ));
        lines.push(format!(
            "0x{} -> 0x{}",
            hex(&mut dice, 16),
            hex(&mut dice, 16)
        ));
        lines.push(dice.text(BASE64, 76));
    }
    lines
}
