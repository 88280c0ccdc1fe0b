//! Requests of every kind: known and unknown paths, any method, any header, any body.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use fastrand::Rng;
use http::{HeaderName, HeaderValue, Method, Request, Uri};

use super::{body, mcp};

/// The ids of an app, a send and a key that exist, for paths that lead somewhere.
pub struct KnownIds {
    pub app: String,
    pub send: String,
    pub key: String,
}

/// A request, and the place of the client that makes it.
pub struct RequestCase {
    pub method: Method,
    pub client: usize,
    target: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

/// Credentials by the place of their client: none, the owner's session, keys from the highest scope to the lowest.
const CLIENTS: usize = 5;
const ANONYMOUS: usize = 0;
const ADMIN: usize = 2;

/// The endpoint that takes messages of a protocol of their own, and those of a full key alone.
const MCP: &str = "/mcp";

const SEGMENTS: [&str; 26] = [
    "",
    ".",
    "..",
    "%2e%2e",
    "%2F",
    "%5c",
    "%00",
    "%0a",
    "%ff%fe",
    "%c3%28",
    "%ed%a0%80",
    "%",
    "%zz",
    "%25",
    "~",
    "*",
    "{appId}",
    "'%20OR%201=1--",
    "a;b=c",
    "a,b",
    "a@b",
    "a:b",
    "+",
    "null",
    "-1",
    "18446744073709551616",
];

const QUERIES: [&str; 20] = [
    "",
    "limit=",
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=%ff",
    "limit=1&limit=2",
    "limit=1e9",
    "limit[]=1",
    "before=99999999999999999999",
    "before=%00",
    "before=1&before_id=%ed%a0%80",
    "before_id=x",
    "appId=",
    "appId=%ff",
    "appId=app_x&appId=app_y",
    "&&&===",
    "%",
    "code=%00&state=%ff",
    "state=x",
];

const METHODS: [&str; 12] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get",
    "QUERY", "M-SEARCH",
];

const NAMES: [&str; 14] = [
    "authorization",
    "idempotency-key",
    "content-type",
    "accept",
    "cookie",
    "origin",
    "sec-fetch-site",
    "accept-encoding",
    "accept-language",
    "content-encoding",
    "if-none-match",
    "range",
    "x-forwarded-proto",
    "x-http-method-override",
];

const VALUES: [&[u8]; 34] = [
    b"",
    b" ",
    b"x",
    b"null",
    b"\xff\xfe",
    b"\t",
    b"*/*",
    b"text/html",
    b"text/html;q=1e999,*",
    b"application/json",
    b"application/x-www-form-urlencoded",
    b"multipart/form-data; boundary=",
    b"Bearer",
    b"Bearer ",
    b"Bearer pk_",
    b"Bearer pk_\xff",
    b"Bearer x",
    b"bearer\tx",
    b"Basic Og==",
    b"Bearer a b",
    b"hato_session=",
    b"hato_session=x; hato_session=y",
    b"hato_session=\xe9",
    b"=;;=;",
    b"https://evil.example",
    b"null, null",
    b"cross-site",
    b"same-origin",
    b"gzip, br;q=0, *;q=9",
    b"gzip",
    b"deflate",
    b"bytes=0-",
    b"W/\"x\", *",
    b"ja;q=x,en;q=-1",
];

impl RequestCase {
    /// One of the server's endpoints, with something wrong about the request, mostly.
    pub fn generate(random: &mut Rng, known: &KnownIds) -> Self {
        let endpoints = hato_server::endpoints();
        let endpoint = random.choice(&endpoints).expect("there are some");
        let takes_a_body = !matches!(endpoint.method, Method::GET);
        let strange_path = random.u8(..4) == 0;
        let mut case = Self {
            method: method(random, &endpoint.method),
            client: random.usize(..CLIENTS),
            target: target(random, &endpoint.path, known, strange_path),
            headers: headers(random),
            body: if endpoint.path == MCP && random.u8(..4) > 0 {
                mcp::generate(random)
            } else if takes_a_body || random.bool() {
                body::generate(random)
            } else {
                Bytes::new()
            },
        };
        if endpoint.path == MCP && random.u8(..4) > 0 {
            case.client = ADMIN;
        }
        if !strange_path && would_succeed_without_a_body(&case.method, &endpoint.path) {
            case.client = ANONYMOUS;
        }
        case
    }

    /// Whether its errors are pages (CONTRACT 2).
    pub fn asks_for_a_page(&self) -> bool {
        // Of several the last one is sent.
        let accept = self.headers.iter().rfind(|(name, _)| name == "accept");
        let html = accept.is_some_and(|(_, value)| value.as_bytes().starts_with(b"text/html"));
        html && self.method == Method::GET && self.target.starts_with("/auth/")
    }

    /// The request itself, from an address of its own.
    pub fn request(&self) -> Request<Bytes> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let address = format!("10.{}.{}.{}", number[1], number[2], number[3]);
        let mut request = Request::new(self.body.clone());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.target.parse().expect("it was parsed before");
        request.headers_mut().extend(
            self.headers
                .iter()
                .cloned()
                .map(|(name, value)| (Some(name), value)),
        );
        let address = HeaderValue::try_from(address).expect("an address is visible ASCII");
        request.headers_mut().append("x-forwarded-for", address);
        request
    }
}

/// What is deleted or ended would be missed by later requests.
fn would_succeed_without_a_body(method: &Method, path: &str) -> bool {
    method == Method::DELETE || path == "/auth/logout"
}

fn method(random: &mut Rng, usual: &Method) -> Method {
    match random.u8(..6) {
        0 => random
            .choice(METHODS)
            .expect("there are some")
            .parse()
            .expect("a method"),
        _ => usual.clone(),
    }
}

fn target(random: &mut Rng, path: &str, known: &KnownIds, strange: bool) -> String {
    let segments = path.split('/').map(|segment| match segment {
        "{appId}" if !strange => known.app.clone(),
        "{keyId}" if !strange => known.key.clone(),
        "{send_id}" if !strange => known.send.clone(),
        _ if segment.starts_with('{') => segment_of_any_kind(random),
        _ => segment.to_owned(),
    });
    let mut target = segments.collect::<Vec<_>>().join("/");
    if strange && (random.bool() || !path.contains('{')) {
        target = format!("{target}/{}", segment_of_any_kind(random));
    }
    if random.bool() {
        target = format!(
            "{target}?{}",
            random.choice(QUERIES).expect("there are some")
        );
    }
    // What a client cannot say is none of the server's business.
    if target.parse::<Uri>().is_ok() {
        target
    } else {
        path.replace(['{', '}'], "")
    }
}

fn segment_of_any_kind(random: &mut Rng) -> String {
    match random.u8(..4) {
        0 => "a".repeat(random.usize(..20_000)),
        1 => random_bytes(random),
        _ => (*random.choice(SEGMENTS.iter()).expect("there are some")).to_owned(),
    }
}

fn random_bytes(random: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(1..40) {
        write!(text, "%{:02x}", random.u8(..)).expect("a string takes any text");
    }
    text
}

fn headers(random: &mut Rng) -> Vec<(HeaderName, HeaderValue)> {
    let count = random.usize(..4).saturating_sub(1);
    let mut headers = Vec::new();
    for _ in 0..count {
        let name = HeaderName::from_static(random.choice(NAMES).expect("there are some"));
        if let Ok(value) = HeaderValue::from_bytes(&header_value(random)) {
            headers.push((name, value));
        }
    }
    headers
}

fn header_value(random: &mut Rng) -> Vec<u8> {
    match random.u8(..4) {
        0 => vec![random.u8(b' '..); random.usize(..10_000)],
        1 => (0..random.usize(..40)).map(|_| random.u8(b' '..)).collect(),
        _ => random.choice(VALUES).expect("there are some").to_vec(),
    }
}

impl fmt::Debug for RequestCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = |bytes: &[u8]| bytes[..bytes.len().min(300)].escape_ascii().to_string();
        write!(
            f,
            "{} {} by client {}",
            self.method,
            start(self.target.as_bytes()),
            self.client
        )?;
        for (name, value) in &self.headers {
            write!(
                f,
                "\n  {name}: {} ({} bytes)",
                start(value.as_bytes()),
                value.len()
            )?;
        }
        write!(f, "\n  {} ({} bytes)", start(&self.body), self.body.len())
    }
}
