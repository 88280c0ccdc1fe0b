//! Verification of VAPID (RFC 8292) with the p256 crate, on the raw token.

use super::{autopush_error::AutopushError, keys};
use p256::ecdsa::{Signature, VerifyingKey, signature::Verifier};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest life of a token, in seconds (RFC 8292 §2).
const MAX_LIFE: u64 = 24 * 60 * 60;

/// The claims of a token that was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VapidClaims {
    /// The origin the token is for.
    pub aud: String,
    /// When the token ends, Unix seconds.
    pub exp: u64,
    /// How to reach the sender: a mailto: or https: address.
    pub sub: String,
}

/// A token whose signature is good; its claims are yet to be judged.
#[derive(Clone)]
pub(super) struct SignedToken {
    claims: RawClaims,
    key: Vec<u8>,
}

#[derive(Clone, Deserialize)]
struct RawClaims {
    aud: Option<Value>,
    exp: Option<Value>,
    sub: Option<Value>,
}

#[derive(Deserialize)]
struct JoseHeader {
    alg: String,
    typ: Option<String>,
}

impl SignedToken {
    /// Reads `vapid t=…, k=…` (RFC 8292 §3) and verifies the ES256 signature of t under k.
    pub(super) fn read(header: &str) -> Result<Self, AutopushError> {
        let (token, key) = parameters(header)?;
        let key = keys::decode(key).ok_or_else(|| AutopushError::vapid("k is not base64url"))?;
        let payload = verify(token, &key)?;
        let claims = serde_json::from_slice(&payload)
            .map_err(|_| AutopushError::vapid("claims are no JSON object"))?;
        Ok(Self { claims, key })
    }

    /// Judges the claims for an endpoint of `origin` and the subscription's key, at `now` (Unix seconds).
    pub(super) fn claims(
        &self,
        origin: &str,
        bound_to: Option<&[u8]>,
        now: u64,
    ) -> Result<VapidClaims, AutopushError> {
        if bound_to.is_some_and(|key| key != self.key) {
            return Err(AutopushError::vapid("VAPID public key mismatch"));
        }
        Ok(VapidClaims {
            aud: self.audience(origin)?,
            exp: self.expiry(now)?,
            sub: self.subject()?,
        })
    }

    fn audience(&self, origin: &str) -> Result<String, AutopushError> {
        match self.claims.aud.as_ref().and_then(Value::as_str) {
            Some(aud) if aud == origin => Ok(aud.to_owned()),
            _ => Err(AutopushError::vapid("aud is not the endpoint's origin")),
        }
    }

    fn expiry(&self, now: u64) -> Result<u64, AutopushError> {
        let exp = self.claims.exp.as_ref().and_then(Value::as_u64);
        match exp.ok_or_else(|| AutopushError::vapid("exp is missing or no number"))? {
            past if past <= now => Err(AutopushError::vapid("exp is past")),
            far if far > now + MAX_LIFE => Err(AutopushError::vapid("exp is over 24 hours ahead")),
            exp => Ok(exp),
        }
    }

    fn subject(&self) -> Result<String, AutopushError> {
        match self.claims.sub.as_ref().and_then(Value::as_str) {
            Some(sub) if sub.starts_with("mailto:") || sub.starts_with("https:") => {
                Ok(sub.to_owned())
            }
            _ => Err(AutopushError::vapid("sub is no mailto: or https: address")),
        }
    }
}

fn parameters(header: &str) -> Result<(&str, &str), AutopushError> {
    let rest = match header.split_once(' ') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("vapid") => rest,
        _ => return Err(AutopushError::vapid("the scheme is not vapid")),
    };
    let find = |name: &str| {
        rest.split(',')
            .filter_map(|parameter| parameter.trim().split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))
    };
    find("t")
        .zip(find("k"))
        .ok_or_else(|| AutopushError::vapid("t or k is missing"))
}

/// The payload of a compact JWS (RFC 7515) signed with ES256 by `key` (uncompressed point).
fn verify(token: &str, key: &[u8]) -> Result<Vec<u8>, AutopushError> {
    let broken = || AutopushError::vapid("the token is no ES256 JWT");
    let (signed, signature) = token.rsplit_once('.').ok_or_else(broken)?;
    let (header, payload) = signed.split_once('.').ok_or_else(broken)?;
    let header: JoseHeader = keys::decode(header)
        .and_then(|json| serde_json::from_slice(&json).ok())
        .ok_or_else(broken)?;
    if header.alg != "ES256" || header.typ.is_some_and(|typ| typ != "JWT") {
        return Err(broken());
    }
    if key.len() != 65 {
        return Err(AutopushError::vapid("k is no uncompressed P-256 point"));
    }
    let key = VerifyingKey::from_sec1_bytes(key)
        .map_err(|_| AutopushError::vapid("k is no uncompressed P-256 point"))?;
    let signature = keys::decode(signature)
        .and_then(|bytes| Signature::from_slice(&bytes).ok())
        .ok_or_else(broken)?;
    key.verify(signed.as_bytes(), &signature)
        .map_err(|_| AutopushError::vapid("the signature is wrong"))?;
    keys::decode(payload).ok_or_else(broken)
}
