//! Bodies: broken JSON, JSON of the wrong shape, and nearly right ones.

use bytes::Bytes;
use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::fixtures::registration;

/// The members that any endpoint reads.
const MEMBERS: [&str; 30] = [
    "title",
    "body",
    "url",
    "icon",
    "badge",
    "endpoint",
    "endpoints",
    "payload",
    "ttl",
    "urgency",
    "topic",
    "image",
    "actions",
    "tag",
    "renotify",
    "silent",
    "data",
    "app_badge",
    "site_url",
    "declarative",
    "tracking",
    "name",
    "scope",
    "p256dh",
    "auth",
    "platform",
    "webhook_url",
    "email",
    "password",
    "unknown",
];

/// Texts that are not what one thinks.
const BROKEN: [&[u8]; 34] = [
    b"",
    b" ",
    b"\0",
    b"{",
    b"}",
    b"[",
    b"{}{}",
    b"{},",
    b"[{}]",
    b"null",
    b"true",
    b"\"title\"",
    b"1e999",
    b"-",
    b"NaN",
    b"\xef\xbb\xbf{}",
    b"title=t&body=b",
    b"{\"title\":\"t\",}",
    b"{'title':'t'}",
    b"{\"title\":\"\xff\"}",
    b"{\"\xff\":1}",
    b"{\"title\":\"\xed\xa0\x80\"}",
    b"{\"title\":\"\\ud800\",\"body\":\"b\"}",
    b"{\"title\":\"t\",\"body\":\"\\udc00\\ud800\"}",
    b"{\"\\ud800\":1}",
    b"{\"title\":\"a\",\"title\":\"b\",\"body\":\"b\"}",
    b"{\"name\":\"a\",\"name\":\"b\",\"scope\":\"full\"}",
    b"{\"title\":\"a\0\",\"body\":\"b\"}",
    b"{\"title\":\"\\u0000\",\"body\":\"\\u0000\"}",
    b"{\"ttl\":1e400}",
    b"{\"ttl\":99999999999999999999999}",
    b"{\"ttl\":-0}",
    b"/* */{}",
    b"{\"title\":\"t\"",
];

/// A random body: mostly an object, else broken or damaged JSON, random bytes, or JSON that is deep or large.
pub fn generate(random: &mut Rng) -> Bytes {
    match random.u8(..40) {
        0 => deep(random),
        1 => large(random),
        2..8 => random.choice(BROKEN).expect("there are some").to_vec(),
        8..10 => complete().to_string().into_bytes(),
        10..12 => (0..random.usize(..200)).map(|_| random.u8(..)).collect(),
        12..17 => damaged(random),
        _ => object(random, 0).to_string().into_bytes(),
    }
    .into()
}

/// An object with some of the members that any endpoint reads.
pub fn members(random: &mut Rng) -> Value {
    object(random, 0)
}

/// What most endpoints take, for requests with something else wrong about them.
fn complete() -> Value {
    let message = json!({"title": "t", "body": "b"});
    let mut body = registration("https://push.example.com/0");
    for (member, value) in [
        ("title", json!("t")),
        ("body", json!("b")),
        ("endpoints", json!(["https://push.example.com/0"])),
        ("payload", message),
        ("name", json!("n")),
        ("scope", json!("notify")),
        ("webhook_url", json!(null)),
    ] {
        body[member] = value;
    }
    body
}

/// Nested deeper than any stack.
fn deep(random: &mut Rng) -> Vec<u8> {
    let levels = random.usize(10_000..100_000);
    let (open, close) = *random
        .choice(&[
            ("[", "]"),
            ("{\"a\":", "}"),
            ("{\"payload\":", "}"),
            ("[{\"endpoints\":", "}]"),
        ])
        .expect("there are some");
    let inside = format!("{}1{}", open.repeat(levels), close.repeat(levels));
    match random.u8(..3) {
        0 => inside,
        1 => format!("{{\"title\":{inside}}}"),
        _ => format!("{{\"unknown\":{inside},\"title\":\"t\",\"body\":\"b\"}}"),
    }
    .into_bytes()
}

/// Up to 5 MB, which is more than any endpoint reads.
fn large(random: &mut Rng) -> Vec<u8> {
    let size = *random
        .choice(&[262_144, 262_145, 1_000_000, 5_000_000])
        .expect("there are some");
    match random.u8(..3) {
        0 => b" ".repeat(size),
        1 => json!({"title": "t".repeat(size)}).to_string().into_bytes(),
        _ => (0..size).map(|_| random.u8(..)).collect(),
    }
}

/// An object with a byte changed, or cut off.
fn damaged(random: &mut Rng) -> Vec<u8> {
    let mut text = object(random, 0).to_string().into_bytes();
    let place = random.usize(..text.len());
    if random.bool() {
        text[place] = random.u8(..);
    } else {
        text.truncate(place);
    }
    text
}

fn object(random: &mut Rng, depth: usize) -> Value {
    let count = random.usize(..6);
    let members = (0..count).map(|_| {
        let name = *random.choice(MEMBERS.iter()).expect("there are some");
        (name.to_owned(), value(random, depth))
    });
    members.collect::<Map<_, _>>().into()
}

fn value(random: &mut Rng, depth: usize) -> Value {
    match random.u8(..24) {
        0 => json!(null),
        1 => json!(random.bool()),
        2 => json!(random.i64(..)),
        3 => json!(f64::MAX),
        4 => json!(1.5),
        5 => json!(""),
        6 => json!(" "),
        7 => json!("\u{0}"),
        8 => json!("https://"),
        9 => json!("http://example.com/"),
        10 => json!("https://push.example.com/1"),
        11 => json!("https://127.0.0.1/"),
        12 => json!("https://[::1]:99999/"),
        13 => json!("x".repeat(random.usize(..5_000))),
        14 => json!("鳩\u{202e}\u{feff}\u{fffd}"),
        15 => json!(["https://push.example.com/1", null, 1]),
        16 => json!(vec!["https://push.example.com/1"; random.usize(..200)]),
        17 => json!("subscribe_only"),
        18 => json!("a@example.com"),
        19 => json!(-1),
        20..22 if depth < 3 => object(random, depth + 1),
        _ => json!(
            (0..random.usize(..9))
                .map(|_| random.alphanumeric())
                .collect::<String>()
        ),
    }
}
