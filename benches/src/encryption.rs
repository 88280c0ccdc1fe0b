//! One RFC 8291 message of 250 bytes: Hato's chunks of 32 recipients, its module for one recipient on aws-lc, and
//! web-push-native, which is pure Rust.

use std::hint::black_box;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_delivery::push::encryption::{PlainMessage, encrypt, encrypt_page};
use hato_domain::BrowserKeys;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use web_push_native::{Auth, WebPushBuilder};

use crate::table::{Candidate, compare};

const MESSAGES: u32 = 960;
/// Recipients that the engine encrypts for at a time.
const CHUNK: usize = 32;
const AUTH: [u8; 16] = [7; 16];

pub fn run() -> anyhow::Result<()> {
    let browser = p256::SecretKey::from_slice(&[5; 32])?.public_key();
    let point = browser.to_encoded_point(false);
    let keys = BrowserKeys::parse(
        &URL_SAFE_NO_PAD.encode(point.as_bytes()),
        &URL_SAFE_NO_PAD.encode(AUTH),
    )?;
    let payload = vec![b'x'; 250];
    let builder = WebPushBuilder::new(
        "https://push.example/".parse()?,
        browser,
        Auth::clone_from_slice(&AUTH),
    );
    let message = PlainMessage {
        keys: keys.clone(),
        plaintext: payload.clone().into(),
    };
    let chunk = vec![message; CHUNK];
    let chunks = || {
        for _ in 0..MESSAGES as usize / CHUNK {
            for message in encrypt_page(black_box(&chunk)) {
                black_box(message.expect("a message"));
            }
        }
    };
    let alone = || {
        for _ in 0..MESSAGES {
            black_box(encrypt(&keys, black_box(&payload)).expect("a message"));
        }
    };
    let native = || {
        for _ in 0..MESSAGES {
            black_box(
                builder
                    .build(black_box(payload.clone()))
                    .expect("a message"),
            );
        }
    };
    compare(
        "encryption",
        MESSAGES,
        &mut [
            Candidate {
                name: "hato, 32 recipients",
                round: Box::new(chunks),
            },
            Candidate {
                name: "hato, one recipient",
                round: Box::new(alone),
            },
            Candidate {
                name: "web-push-native",
                round: Box::new(native),
            },
        ],
    )
}
