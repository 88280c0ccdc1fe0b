//! RFC 8291's example, and round trips through an implementation that shares no code with this one.

use aws_lc_rs::agreement::{ECDH_P256, PrivateKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use hato_curve::{Agreement, Avx512Ecdh, LANES, Scalar};
use hato_domain::BrowserKeys;
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;
use web_push_native::{Auth, decrypt};

use super::batch::agree_single;
use super::record::{HEADER_SIZE, MAX_PLAINTEXT, seal};
use super::{EncryptionError, Encryptor, PlainMessage, encrypt, encrypt_page};

fn decode<const N: usize>(text: &str) -> [u8; N] {
    let bytes = URL_SAFE_NO_PAD.decode(text).expect("base64url");
    bytes.try_into().expect("the length")
}

/// A browser: the keys it publishes and those it keeps.
struct Browser {
    secret: SecretKey,
    keys: BrowserKeys,
}

impl Browser {
    /// One whose private key and authentication secret consist of `byte`.
    fn new(byte: u8) -> Self {
        let secret = SecretKey::from_slice(&[byte; 32]).expect("a scalar");
        let point = secret.public_key().to_encoded_point(false);
        let p256dh = point.as_bytes().try_into().expect("65 bytes");
        Self {
            secret,
            keys: BrowserKeys {
                p256dh,
                auth: [byte; 16],
            },
        }
    }

    fn open(&self, body: &[u8]) -> Vec<u8> {
        let auth = Auth::clone_from_slice(&self.keys.auth);
        decrypt(body.to_vec(), &self.secret, &auth).expect("the message is for this browser")
    }
}

/// RFC 8291 Appendix A, with the agreement made alone and, where the processor can, in lanes.
#[test]
fn the_example_of_the_rfc_comes_out() {
    let sender: [u8; 32] = decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
    let keys = BrowserKeys {
        p256dh: decode(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        ),
        auth: decode("BTBZMqHH6r4Tts7J_aSIgg"),
    };
    let ephemeral = PrivateKey::from_private_key(&ECDH_P256, &sender).expect("a key");
    assert_example(
        &agree_single(&ephemeral, &keys).expect("an agreement"),
        &keys,
    );
    if let Some(ecdh) = Avx512Ecdh::detect() {
        let scalar = Scalar::new(&sender).expect("a key");
        let agreement = ecdh.ecdh_batch(&[scalar], &[keys.p256dh]).remove(0);
        assert_example(&agreement.expect("an agreement"), &keys);
    }
}

fn assert_example(agreement: &Agreement, keys: &BrowserKeys) {
    let plaintext = b"When I grow up, I want to be a watermelon";
    let salt = decode("DGv6ra1nlYgDCS1FRnbzlw");
    let body = seal(agreement, salt, keys, plaintext);
    let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIg\
                    Dll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2K\
                    s3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
    assert_eq!(URL_SAFE_NO_PAD.encode(body.expect("a message")), expected);
}

#[test]
fn another_implementation_reads_every_length() {
    let browser = Browser::new(7);
    for length in [0, 1, 15, 16, 17, 250, 3_072, MAX_PLAINTEXT] {
        let plaintext: Vec<u8> = (0..=u8::MAX).cycle().take(length).collect();
        let body = encrypt(&browser.keys, &plaintext).expect("a message");
        assert_eq!(body.len(), HEADER_SIZE + length + 17);
        assert_eq!(browser.open(&body), plaintext, "{length} bytes");
    }
}

#[test]
fn a_body_has_at_most_4096_bytes() {
    let keys = Browser::new(7).keys;
    let largest = encrypt(&keys, &[0; MAX_PLAINTEXT]).expect("a message");
    assert_eq!(largest.len(), 4_096);
    assert_eq!(
        encrypt(&keys, &[0; MAX_PLAINTEXT + 1]),
        Err(EncryptionError::TooLong)
    );
}

fn messages(recipients: &[BrowserKeys], text: &'static [u8]) -> Vec<PlainMessage> {
    let plaintext = Bytes::from_static(text);
    let message = |keys: &BrowserKeys| PlainMessage {
        keys: keys.clone(),
        plaintext: plaintext.clone(),
    };
    recipients.iter().map(message).collect()
}

#[test]
fn recipients_of_a_page_read_their_own_messages() {
    let browsers: Vec<Browser> = (1..=9).map(Browser::new).collect();
    let page = browsers.iter().zip(["plain", "declarative"].iter().cycle());
    let page = page.map(|(browser, text)| PlainMessage {
        keys: browser.keys.clone(),
        plaintext: Bytes::from_static(text.as_bytes()),
    });
    let page: Vec<_> = page.collect();
    for ((browser, body), message) in browsers.iter().zip(encrypt_page(&page)).zip(&page) {
        assert_eq!(browser.open(&body.expect("a message")), message.plaintext);
    }
}

#[test]
fn no_two_messages_share_a_salt_or_a_key() {
    let keys = Browser::new(7).keys;
    let bodies = encrypt_page(&messages(&vec![keys; LANES + 2], b"same"));
    let bodies: Vec<Bytes> = bodies
        .into_iter()
        .map(|it| it.expect("a message"))
        .collect();
    for (i, one) in bodies.iter().enumerate() {
        for two in &bodies[..i] {
            assert_ne!(one[..16], two[..16], "salt");
            assert_ne!(one[21..HEADER_SIZE], two[21..HEADER_SIZE], "public key");
        }
    }
}

/// Lengths that fill groups of lanes, nearly do, and leave one or two over.
#[test]
fn pages_of_every_length_are_read_by_their_recipients() {
    let browsers: Vec<Browser> = (1..=33).map(Browser::new).collect();
    for length in 0..=browsers.len() {
        let recipients: Vec<BrowserKeys> = browsers[..length]
            .iter()
            .map(|it| it.keys.clone())
            .collect();
        let bodies = encrypt_page(&messages(&recipients, b"hello"));
        assert_eq!(bodies.len(), length);
        for (browser, body) in browsers.iter().zip(bodies) {
            assert_eq!(browser.open(&body.expect("a message")), b"hello");
        }
    }
}

#[test]
fn a_page_of_lanes_has_its_failures_in_place() {
    let good = Browser::new(3);
    for at in 0..LANES {
        let mut recipients = vec![good.keys.clone(); LANES];
        recipients[at].p256dh = [4; 65];
        for (i, body) in encrypt_page(&messages(&recipients, b"hello"))
            .into_iter()
            .enumerate()
        {
            let opened = body.map(|body| good.open(&body));
            let expected = if i == at {
                Err(EncryptionError::NoPoint)
            } else {
                Ok(b"hello".to_vec())
            };
            assert_eq!(opened, expected, "{at}");
        }
    }
}

#[tokio::test]
async fn a_page_comes_back_in_order_with_its_failures_in_place() {
    let browsers = [Browser::new(1), Browser::new(2)];
    let off_curve = BrowserKeys {
        p256dh: [4; 65],
        auth: [0; 16],
    };
    let recipients = vec![
        browsers[0].keys.clone(),
        off_curve,
        browsers[1].keys.clone(),
    ];
    let page = Encryptor::new()
        .encrypt(messages(&recipients, b"hello"))
        .await;
    let bodies = page.expect("not interrupted");
    assert_eq!(
        browsers[0].open(bodies[0].as_ref().expect("a message")),
        b"hello"
    );
    assert_eq!(bodies[1], Err(EncryptionError::NoPoint));
    assert_eq!(
        browsers[1].open(bodies[2].as_ref().expect("a message")),
        b"hello"
    );
}
