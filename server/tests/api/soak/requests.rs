//! The requests that strangers write.

use hato_testkit::owner::PASSWORD;
use hato_testkit::seeded_rng::Rng;
use serde_json::json;

use super::deed::Deed;
use super::stranger_app::StrangerApp;
use super::{Soak, lock};
use crate::fixtures::registration;

/// What is looked at by whom nobody knows: pages, files, and nothing.
const PAGES: [&str; 6] = [
    "/",
    "/pricing",
    "/login",
    "/docs/api",
    "/sdk/hato.js",
    "/nothing",
];
/// What an owner looks at of an app.
const APP_PAGES: [&str; 6] = [
    "",
    "/send",
    "/history",
    "/subscribers",
    "/audience",
    "/dead-letters",
];
pub const NOTIFY: &str = "/api/v1/notify";
const REPORTS: &str = "/api/v1/events";
pub const SUBSCRIPTIONS: &str = "/api/v1/subscriptions";
const ACCEPT_ENCODING: &str = "accept-encoding: gzip, br, zstd\r\n";
/// Each is three of the 5,000 values that a message of an agent may have.
const OBJECTS: usize = 1_600;
/// A body of nearly the most that is read, and one beyond.
const LARGE: usize = 255 * 1_024;
const TOO_LARGE: usize = 300 * 1_024;
/// Bytes that nobody writes in the server's time when they come ten a second: of a head in 10 s, and of a body in 30 s.
pub const LONG_HEAD: usize = 400;
const LONG_BODY: usize = 400;
/// A header with which a head is nearly as long as one may be.
const LONG_HEADER: usize = 30_000;

/// The bytes of a request that `deed` takes, for who has this app.
pub fn bytes(soak: &Soak, app: &StrangerApp, deed: Deed, rng: &mut Rng) -> Vec<u8> {
    match deed {
        Deed::Register => {
            let body = registration(&random_endpoint(rng)).to_string();
            posted(SUBSCRIPTIONS, &soak.page_key, body.as_bytes())
        }
        Deed::Send => posted(NOTIFY, &app.notify_key, br#"{"title":"t","body":"b"}"#),
        Deed::SendWithWrongKey => posted(NOTIFY, &soak.page_key, br#"{"title":"t","body":"b"}"#),
        Deed::Report => report(rng),
        Deed::LogIn => {
            let password = if rng.bool() { PASSWORD } else { "none of hers" };
            let body = json!({"email": app.email, "password": password}).to_string();
            written("POST /auth/login", "", body.as_bytes(), body.len())
        }
        Deed::LookAtPages => look_at_pages(soak, rng),
        Deed::LookAtDashboard => {
            let page = rng.choice(APP_PAGES).expect("there are some");
            got(&format!("/apps/{}{page}", app.id), &cookie(&app.session))
        }
        Deed::CallTool => call_tool(app, rng),
        Deed::FollowProgress => follow_progress(soak, app, rng),
        Deed::ListenToEvents => got(&app.events_path(), &bearer(&app.full_key)),
        Deed::Garbage => garbage(rng, 300),
        Deed::GarbageInJson => {
            let body = [br#"{"endpoint":""#.to_vec(), garbage(rng, 200)].concat();
            posted(SUBSCRIPTIONS, &soak.page_key, &body)
        }
        Deed::TooLarge => too_large(app, rng),
        Deed::HoldBody => {
            let body = vec![b' '; LARGE];
            written(&to(NOTIFY), &bearer(&app.notify_key), &body, LARGE + 1)
        }
        Deed::SlowHead => {
            let length = if rng.bool() { LONG_HEAD } else { LONG_HEADER };
            got("/", &format!("x: {}\r\n", "a".repeat(length)))
        }
        Deed::SlowBody => posted(SUBSCRIPTIONS, &soak.page_key, &[b' '; LONG_BODY]),
        Deed::ReadSlowly => read_slowly(soak, app, rng),
        Deed::StopReading => got(&soak.export_path(), &bearer(&soak.full_key)),
        Deed::SayNothing => Vec::new(),
    }
}

/// Of a browser that nobody sends to.
pub fn random_endpoint(rng: &mut Rng) -> String {
    format!("https://push.example.com/{:032x}", rng.u128(..))
}

/// Of a message that nobody was sent.
fn report(rng: &mut Rng) -> Vec<u8> {
    let token = format!("{:032x}", rng.u128(..)).repeat(2);
    let body = json!({"token": token, "event": "clicked"}).to_string();
    written(&to(REPORTS), "", body.as_bytes(), body.len())
}

/// With a length that is beyond everything, and garbage, or as long as it says.
fn too_large(app: &StrangerApp, rng: &mut Rng) -> Vec<u8> {
    let key = bearer(&app.notify_key);
    if rng.bool() {
        let body = garbage(rng, 100_000);
        written(&to(NOTIFY), &key, &body, 99_999_999_999)
    } else {
        written(&to(NOTIFY), &key, &vec![b' '; TOO_LARGE], TOO_LARGE)
    }
}

/// The largest file as well, which stands in the pages. Some have what they get compressed.
fn look_at_pages(soak: &Soak, rng: &mut Rng) -> Vec<u8> {
    let paths = [&PAGES, [soak.largest_file.as_str()].as_slice()].concat();
    let encoding = rng.choice(["", ACCEPT_ENCODING]);
    got(
        rng.choice(paths).expect("there are some"),
        encoding.expect("there are two"),
    )
}

/// Of an agent: one that looks at the sends, or one with nearly the most values that a message may have, in arguments which nobody reads.
fn call_tool(app: &StrangerApp, rng: &mut Rng) -> Vec<u8> {
    let arguments = if rng.bool() {
        json!({})
    } else {
        json!({"a": vec![json!({"": 0}); OBJECTS]})
    };
    let params = json!({"name": "list_notifications", "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let accept = "accept: application/json, text/event-stream\r\n";
    let headers = bearer(&app.full_key) + accept;
    let body = message.to_string();
    written(&to("/mcp"), &headers, body.as_bytes(), body.len())
}

/// Of a send that is due tomorrow, or of the large one that runs, by somebody with a stolen session.
fn follow_progress(soak: &Soak, app: &StrangerApp, rng: &mut Rng) -> Vec<u8> {
    let running = lock(&soak.running).clone();
    match running.filter(|_| rng.bool()) {
        Some(send) => {
            let path = format!("/apps/{}/sends/{send}/events", soak.large.id);
            got(&path, &cookie(&soak.session))
        }
        None => got(&app.progress_path(), &cookie(&app.session)),
    }
}

/// What is longer than the system takes from the server at once, or lasts.
fn read_slowly(soak: &Soak, app: &StrangerApp, rng: &mut Rng) -> Vec<u8> {
    match rng.u8(..7) {
        0 => got("/sdk/sw.js", ""),
        4 => got(&soak.largest_file, ""),
        5 => got(&soak.largest_file, ACCEPT_ENCODING),
        6 => got(&soak.subscriptions_path(), &bearer(&soak.full_key)),
        1 => got("/api/v1/openapi.json", ""),
        2 => got(&app.events_path(), &bearer(&app.full_key)),
        _ => got(&soak.export_path(), &bearer(&soak.full_key)),
    }
}

fn garbage(rng: &mut Rng, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|_| rng.u8(..)).collect()
}

fn bearer(key: &str) -> String {
    format!("authorization: Bearer {key}\r\n")
}

fn cookie(session: &str) -> String {
    format!("cookie: hato_session={session}\r\n")
}

fn to(path: &str) -> String {
    format!("POST {path}")
}

fn got(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: h\r\n{headers}\r\n").into_bytes()
}

fn posted(path: &str, key: &str, body: &[u8]) -> Vec<u8> {
    written(&to(path), &bearer(key), body, body.len())
}

/// A request with a body that is said to be so long.
fn written(line: &str, headers: &str, body: &[u8], length: usize) -> Vec<u8> {
    let head = format!(
        "{line} HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}
