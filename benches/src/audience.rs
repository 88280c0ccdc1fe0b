//! Who is subscribed: endpoints at the sink, and browsers' keys of which private halves are kept.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::elliptic_curve::rand_core::{OsRng, RngCore as _};
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use serde_json::{Value, json};

/// How many key pairs subscriptions share in turn: making one for each of a million would take longer than the run.
const KEY_PAIRS: usize = 2_000;

/// Everybody who could be subscribed: one for each number.
pub struct BenchAudience {
    /// The origin of the sink, which all endpoints lead to.
    pub origin: String,
    /// Where the endpoints of those from this number on lead to instead, one after the other.
    elsewhere: (u64, Vec<String>),
    browsers: Arc<[BrowserKeyPair]>,
}

/// What a browser makes when it subscribes.
pub struct BrowserKeyPair {
    pub secret: SecretKey,
    pub point: Vec<u8>,
    pub auth: [u8; 16],
}

impl BrowserKeyPair {
    fn generate() -> Self {
        let secret = SecretKey::random(&mut OsRng);
        let point = secret
            .public_key()
            .to_encoded_point(false)
            .as_bytes()
            .to_vec();
        let mut auth = [0; 16];
        OsRng.fill_bytes(&mut auth);
        Self {
            secret,
            point,
            auth,
        }
    }
}

impl BenchAudience {
    /// One at the push service of this origin.
    pub fn new(origin: String) -> Self {
        let browsers = (0..KEY_PAIRS).map(|_| BrowserKeyPair::generate()).collect();
        Self {
            origin,
            elsewhere: (u64::MAX, Vec::new()),
            browsers,
        }
    }

    /// The same, but for those from the number `first` on, who are at these origins, one at each.
    pub fn with_elsewhere(&self, first: u64, origins: &[String]) -> Self {
        Self {
            origin: self.origin.clone(),
            elsewhere: (first, origins.to_vec()),
            browsers: Arc::clone(&self.browsers),
        }
    }

    fn origin_of(&self, number: u64) -> &str {
        let (first, origins) = &self.elsewhere;
        let elsewhere = number.checked_sub(*first);
        let elsewhere = elsewhere.and_then(|place| origins.get(place as usize));
        elsewhere.unwrap_or(&self.origin)
    }

    /// The key pair of the browser with this number.
    pub fn browser(&self, number: u64) -> &BrowserKeyPair {
        &self.browsers[number as usize % KEY_PAIRS]
    }

    /// The endpoint with this number, about as long as those of real push services.
    pub fn endpoint(&self, number: u64) -> String {
        let token = u128::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        format!(
            "{}/push/{number}/{token:032x}{:032x}",
            self.origin_of(number),
            token.rotate_left(64)
        )
    }

    /// A subscription as browsers write it.
    pub fn subscription(&self, number: u64) -> Value {
        let browser = self.browser(number);
        let (p256dh, auth) = (encode(&browser.point), encode(browser.auth));
        json!({ "endpoint": self.endpoint(number), "keys": { "p256dh": p256dh, "auth": auth } })
    }
}

/// The number of a browser out of its endpoint's path; `None` for any other path.
pub fn number(path: &str) -> Option<u64> {
    path.strip_prefix("/push/")?.split('/').next()?.parse().ok()
}

/// Encodes bytes as base64url without padding.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of base64url without padding.
pub fn decode(text: &str) -> anyhow::Result<Vec<u8>> {
    Ok(URL_SAFE_NO_PAD.decode(text)?)
}
