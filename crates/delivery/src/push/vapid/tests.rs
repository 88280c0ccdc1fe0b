//! What a token says, that it verifies, and how long it is kept.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::{AppId, Endpoint, UnixMillis};
use hato_service::ports::VapidKeyNumber;
use http::HeaderValue;

use super::{Signer, SignerKey, Vapid};
use crate::push::clock_reading::{ClockReader, ClockReading};
use crate::push::origin::{Origin, PushTarget};

const NOW: UnixMillis = UnixMillis(1_767_225_600_000);
const HOUR: i64 = 3_600_000;

fn signer() -> Signer {
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("a key pair");
    let document = pair.to_pkcs8v1().expect("a document");
    Signer::from_pkcs8(document.as_ref()).expect("a key on P-256")
}

/// This time, and a clock that shows it.
fn at(time: UnixMillis) -> (UnixMillis, ClockReading) {
    (time, ClockReader::new().read(time))
}

fn key(app: &str, number: i64) -> SignerKey {
    let app = AppId::trusted(format!("app_{app}"));
    (app, VapidKeyNumber(number))
}

fn origin(endpoint: &str) -> Origin {
    let endpoint = Endpoint::parse(endpoint).expect("an endpoint");
    PushTarget::from_endpoint(&endpoint)
        .expect("a target")
        .origin
}

fn decode(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD
        .decode(text)
        .expect("base64url without padding")
}

/// Checks the signature with the key in the header, and returns the claims.
fn verified_claims(header: &HeaderValue) -> serde_json::Value {
    let text = header
        .to_str()
        .expect("ASCII")
        .strip_prefix("vapid t=")
        .expect("the scheme");
    let (token, key) = text.split_once(", k=").expect("t and k");
    let (signed, signature) = token.rsplit_once('.').expect("three parts");
    let (head, claims) = signed.split_once('.').expect("three parts");
    assert_eq!(decode(head), br#"{"typ":"JWT","alg":"ES256"}"#);
    assert_eq!(decode(key).len(), 65);
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(key))
        .verify(signed.as_bytes(), &decode(signature))
        .expect("the signature is the key's");
    serde_json::from_slice(&decode(claims)).expect("JSON")
}

#[test]
fn a_token_says_for_whom_until_when_and_by_whom() {
    let vapid = Vapid::new("mailto:\"ops\"@example.com".into());
    let origin = origin("https://push.example.com:8443/x/y?z");
    let header = vapid
        .authorization(&key("a", 0), &signer(), &origin, at(NOW))
        .expect("a header")
        .header;
    let expected = serde_json::json!({
        "aud": "https://push.example.com:8443",
        "exp": (NOW.0 + 12 * HOUR) / 1000,
        "sub": "mailto:\"ops\"@example.com",
    });
    assert_eq!(verified_claims(&header), expected);
}

#[test]
fn a_token_is_kept_for_six_hours_per_key_and_origin() {
    let vapid = Vapid::new("mailto:ops@example.com".into());
    let signer = signer();
    let (here, there) = (origin("https://a.example/x"), origin("https://b.example/x"));
    let header = |key: &SignerKey, origin: &Origin, hours: i64| {
        let time = at(UnixMillis(NOW.0 + hours * HOUR));
        let authorization = vapid.authorization(key, &signer, origin, time);
        authorization.expect("a header").header
    };
    let first = header(&key("a", 0), &here, 0);
    assert_eq!(header(&key("a", 0), &here, 6), first);
    assert_ne!(header(&key("a", 0), &there, 0), first);
    assert_ne!(header(&key("b", 0), &here, 0), first);
    assert_ne!(header(&key("a", 1), &here, 0), first);
    assert_ne!(header(&key("a", 0), &here, 7), first);
    let set_back = header(&key("a", 0), &here, -20);
    assert_eq!(verified_claims(&set_back)["exp"], (NOW.0 - 8 * HOUR) / 1000);
}

#[test]
fn what_is_no_key_is_refused() {
    assert!(Signer::from_pkcs8(b"no key").is_err());
}

#[test]
fn a_key_is_opened_once() {
    let vapid = Vapid::new("mailto:ops@example.com".into());
    assert!(vapid.kept_signer(&key("a", 0)).is_none());
    vapid.keep_signer(key("a", 0), signer());
    assert!(vapid.kept_signer(&key("a", 0)).is_some());
    assert!(vapid.kept_signer(&key("a", 1)).is_none());
    assert!(vapid.kept_signer(&key("b", 0)).is_none());
}
