//! What holds for every message and every address, whoever wrote them.

use fastrand::Rng;
use hato_sw::destination::destination;
use hato_sw::message::{MemberValue, PushMessage};
use serde_json::{Map, Value, json};

const CASES: u64 = 20_000;
const MEMBERS: [&str; 11] = [
    "title", "body", "icon", "badge", "url", "image", "actions", "tag", "renotify", "silent", "dir",
];
const SITE: &str = "https://shop.example";

/// Pieces that texts and addresses are made of: what is harmless, what is not, and what looks alike.
const PIECES: [&str; 28] = [
    "https://",
    "HTTPS://",
    "https:/",
    "http://",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "#",
    "?",
    "javascript:",
    "data:text/html,",
    "blob:",
    "shop.example",
    "shop.example.evil",
    "example.com",
    "http://localhost:8080",
    " ",
    "\t",
    "\n",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "鳩",
    "🕊️",
    "a",
    "..",
];

/// Runs the check with a generator for each round; the round that fails is named.
fn always(check: impl Fn(&mut Rng) + std::panic::RefUnwindSafe) {
    for seed in 0..CASES {
        let outcome = std::panic::catch_unwind(|| check(&mut Rng::with_seed(seed)));
        assert!(outcome.is_ok(), "round {seed}");
    }
}

fn text(random: &mut Rng) -> String {
    (0..random.usize(0..6))
        .map(|_| PIECES[random.usize(0..PIECES.len())])
        .collect()
}

fn value(random: &mut Rng, depth: u32) -> Value {
    match random.u32(0..10) {
        0 => Value::Null,
        1 => json!(random.bool()),
        2 => json!(random.i64(..)),
        3 if depth > 0 => (0..random.usize(0..4))
            .map(|_| value(random, depth - 1))
            .collect(),
        4 if depth > 0 => object(random, depth - 1),
        _ => json!(text(random)),
    }
}

/// Members of a message, others, and none.
fn object(random: &mut Rng, depth: u32) -> Value {
    let mut members = Map::new();
    for _ in 0..random.usize(0..7) {
        let name = if random.u32(0..5) == 0 {
            text(random)
        } else {
            MEMBERS[random.usize(0..MEMBERS.len())].to_owned()
        };
        members.insert(name, value(random, depth));
    }
    Value::Object(members)
}

fn read(data: &Value) -> Option<PushMessage> {
    PushMessage::read(|path| {
        let value = path.iter().try_fold(data, |it, name| match it {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            it => it.get(name),
        })?;
        let text = || value.as_str().map(|it| MemberValue::Text(it.to_owned()));
        let flag = || value.as_bool().map(MemberValue::Flag);
        text()
            .or_else(flag)
            .or_else(|| value.as_f64().map(MemberValue::Number))
    })
}

fn said(data: &Value, name: &str) -> Option<String> {
    let text = data[name].as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

#[test]
fn whoever_says_something_is_heard_and_nobody_else() {
    always(|random| {
        let data = value(random, 3);
        let says = said(&data, "title").or(said(&data, "body")).is_some();
        assert_eq!(read(&data).is_some(), says, "{data}");
    });
}

#[test]
fn what_is_shown_is_what_was_sent() {
    always(|random| {
        let data = object(random, 2);
        let Some(message) = read(&data) else { return };
        for (name, shown) in [
            ("title", &message.title),
            ("body", &message.body),
            ("url", &message.url),
        ] {
            assert_eq!(*shown, said(&data, name), "{name} of {data}");
        }
        for (name, shown) in [
            ("icon", &message.icon),
            ("badge", &message.badge),
            ("image", &message.image),
        ] {
            let secure = said(&data, name).filter(|address| address.starts_with("https://"));
            assert_eq!(*shown, secure, "{name} of {data}");
        }
    });
}

#[test]
fn a_message_of_the_server_survives_its_json() {
    always(|random| {
        let title = format!("t{}", text(random));
        let body = format!("b{}", text(random));
        let url = format!("https://example.com/{}", text(random));
        let sent = json!({"title": title, "body": body, "url": url}).to_string();
        let arrived = serde_json::from_str(&sent).expect("it is JSON");
        let message = read(&arrived).expect("it says something");
        assert_eq!(message.title, Some(title));
        assert_eq!(message.body, Some(body));
        assert_eq!(message.url, Some(url));
    });
}

#[test]
fn no_address_leads_anywhere_but_https_and_the_site() {
    always(|random| {
        let requested = (random.u32(0..10) > 0).then(|| text(random));
        let leads_to = destination(requested.clone(), "http://localhost:8080");
        let is_safe =
            leads_to.starts_with("https://") || leads_to.starts_with("http://localhost:8080/");
        assert!(is_safe, "{requested:?} leads to {leads_to}");
        let kept = requested.is_some_and(|requested| requested == leads_to);
        assert!(kept || leads_to == "http://localhost:8080/");
        assert!(destination(Some(leads_to), SITE).starts_with("https://"));
    });
}
