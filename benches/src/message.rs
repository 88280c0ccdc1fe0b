//! What is sent, and whether what arrived is that: the message decrypted, the token verified.

use anyhow::{Context as _, ensure};
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use serde_json::{Value, json};
use web_push_native::Auth;

use crate::audience::{BenchAudience, decode, number};
use crate::sink::protocol::SampledRequest;
use crate::sink::run_state::now;

/// The size of the plaintext, bytes.
const SIZE: usize = 250;
/// The longest life of a token (RFC 8292 §2), seconds.
const MAX_TOKEN_LIFETIME: u64 = 24 * 60 * 60;
/// The title of every notification.
pub const TITLE: &str = "Benchmark";
/// The `sub` of every token.
pub const SUBJECT: &str = "mailto:bench@example.com";
/// How long push services should keep the messages, seconds.
pub const TTL: u32 = 2_419_200;

/// The body of every notification.
pub fn body() -> String {
    let rest = json!({ "title": TITLE, "body": "" }).to_string().len();
    "鳩".repeat((SIZE - rest) / 3) + &"x".repeat((SIZE - rest) % 3)
}

/// The plaintext of every message.
pub fn payload() -> String {
    format!(r#"{{"title":"{TITLE}","body":"{}"}}"#, body())
}

/// Whether an arrived message is what its recipient should get from the owner of this VAPID key.
pub fn verify(sample: &SampledRequest, audience: &BenchAudience, key: &str) -> anyhow::Result<()> {
    let number = number(&sample.path).context("not an endpoint")?;
    let browser = audience.browser(number);
    let body = decode(&sample.body)?;
    let auth = Auth::clone_from_slice(&browser.auth);
    let plain = web_push_native::decrypt(body, &browser.secret, &auth)
        .map_err(|error| anyhow::anyhow!("it cannot be decrypted: {error}"))?;
    ensure!(is_payload(&plain), "it says something else");
    let header = |name: &str| {
        sample
            .headers
            .get(name)
            .with_context(|| format!("no {name}"))
    };
    ensure!(
        header("content-encoding")? == "aes128gcm",
        "another encoding"
    );
    ensure!(header("ttl")?.parse::<u32>()? <= TTL, "another TTL");
    verify_token(header("authorization")?, &audience.origin, key)
}

/// Whether this is the payload, alone or with a token as its last member (CONTRACT 15).
fn is_payload(plain: &[u8]) -> bool {
    let expected = payload();
    let open = &expected.as_bytes()[..expected.len() - 1];
    let Some(rest) = plain.strip_prefix(open) else {
        return false;
    };
    rest == b"}" || (rest.starts_with(b",\"t\":\"") && rest.len() == 48)
}

fn verify_token(authorization: &str, origin: &str, expected: &str) -> anyhow::Result<()> {
    let parameters = authorization.strip_prefix("vapid ").context("not vapid")?;
    let parameter = |name: &str| {
        let mut all = parameters
            .split(',')
            .filter_map(|one| one.trim().split_once('='));
        all.find_map(|(key, value)| (key == name).then_some(value))
    };
    let (token, key) = parameter("t")
        .zip(parameter("k"))
        .context("t or k is missing")?;
    ensure!(key == expected, "it is another key");
    let (signed, signature) = token.rsplit_once('.').context("no signature")?;
    let signature = Signature::from_slice(&decode(signature)?)?;
    VerifyingKey::from_sec1_bytes(&decode(key)?)?.verify(signed.as_bytes(), &signature)?;
    let (header, claims) = signed.split_once('.').context("no claims")?;
    let header: Value = serde_json::from_slice(&decode(header)?)?;
    ensure!(header["alg"] == "ES256", "another algorithm");
    verify_claims(&serde_json::from_slice(&decode(claims)?)?, origin)
}

fn verify_claims(claims: &Value, origin: &str) -> anyhow::Result<()> {
    let now = now() as u64;
    let exp = claims["exp"].as_u64().context("no exp")?;
    ensure!(claims["aud"] == origin, "aud is {}", claims["aud"]);
    ensure!(claims["sub"] == SUBJECT, "sub is {}", claims["sub"]);
    ensure!(
        (now + 1..=now + MAX_TOKEN_LIFETIME).contains(&exp),
        "exp is {exp}"
    );
    Ok(())
}
