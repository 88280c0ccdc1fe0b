//! A customer's site: the files of a folder, on an origin of their own, under a strict policy.
//!
//! The samples in `end2end/samples` name [`HATO`] and [`APP_KEY`], as a reader of the documentation would find them;
//! the site puts the real ones in their place.

use crate::{
    listener_task::ListenerTask,
    plain_http::{self, PlainResponse, respond},
};
use http::{HeaderValue, Method, Request, StatusCode, header::CONTENT_SECURITY_POLICY};
use hyper::body::Incoming;
use std::{
    fs, io,
    net::{Ipv4Addr, SocketAddr},
    path::{Component, Path, PathBuf},
    sync::Arc,
};
use tokio::net::TcpListener;

/// Stands for the server's address in a site's files.
pub const HATO: &str = "https://push.example.com";
/// Stands for the `subscribe_only` key in a site's files.
pub const APP_KEY: &str = "pk_subscribe_only";

/// The bakery of the demo, from the sources of this workspace.
pub const PLAIN_SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../end2end/samples/plain");

/// What the site's Content-Security-Policy lets the pages and the worker do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The least that Hato works under.
    #[default]
    Strict,
    /// The strict policy without `'wasm-unsafe-eval'`: the worker's wasm must not run.
    WithoutWasm,
    /// No policy at all.
    Open,
}

/// What a site is made of.
#[derive(Clone, Debug)]
pub struct SiteSettings {
    /// Where the site listens; port 0 picks one.
    pub listen: SocketAddr,
    /// The files; `/` is its `index.html`.
    pub folder: PathBuf,
    /// The server's public address without a slash at the end, as the browser reaches it.
    pub hato_url: String,
    /// A key of the scope `subscribe_only`, which is public in the site's pages.
    pub app_key: String,
    /// The Content-Security-Policy of every answer.
    pub policy: Policy,
}

impl SiteSettings {
    /// Settings for the bakery on a loopback port that the system chooses.
    pub fn new(hato_url: impl Into<String>, app_key: impl Into<String>) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            folder: PLAIN_SAMPLE.into(),
            hato_url: hato_url.into(),
            app_key: app_key.into(),
            policy: Policy::default(),
        }
    }
}

/// A running site; dropping it closes its socket.
pub struct CustomerSite {
    address: SocketAddr,
    _listener_task: ListenerTask,
}

impl CustomerSite {
    /// Starts the site; fails when the address cannot be bound.
    pub async fn start(settings: SiteSettings) -> io::Result<Self> {
        let listener = TcpListener::bind(settings.listen).await?;
        let address = listener.local_addr()?;
        let settings = Arc::new(settings);
        let listener_task = plain_http::serve(listener, move |request| {
            let response = settings.answer(&request);
            async { response }
        });
        Ok(Self {
            address,
            _listener_task: listener_task,
        })
    }

    /// The address that the site listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The site's origin, `http://localhost:PORT`: a secure context for browsers, and another origin than the server's.
    pub fn url(&self) -> String {
        format!("http://localhost:{}", self.address.port())
    }
}

impl SiteSettings {
    fn answer(&self, request: &Request<Incoming>) -> PlainResponse {
        let file = (request.method() == Method::GET)
            .then(|| self.read(request.uri().path()))
            .flatten();
        let mut response = match file {
            Some((content_type, content)) => respond(StatusCode::OK, content_type, content),
            None => respond(StatusCode::NOT_FOUND, "text/plain", "404"),
        };
        if let Some(policy) = self.policy.text(&self.hato_url) {
            let policy = HeaderValue::try_from(policy).expect("an address is visible ASCII");
            let headers = response.headers_mut();
            headers.insert(CONTENT_SECURITY_POLICY, policy);
        }
        response
    }

    /// Read at each request, so that whoever works on a sample only reloads the page.
    fn read(&self, path: &str) -> Option<(&'static str, Vec<u8>)> {
        let relative = Path::new(path.trim_start_matches('/'));
        let stays_below = |part| matches!(part, Component::Normal(_));
        if !relative.components().all(stays_below) {
            return None;
        }
        let mut file = self.folder.join(relative);
        if file.is_dir() {
            file.push("index.html");
        }
        let content = fs::read(&file).ok()?;
        Some((content_type(&file), self.fill(content)))
    }

    fn fill(&self, content: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(content) {
            Ok(text) => text
                .replace(HATO, &self.hato_url)
                .replace(APP_KEY, &self.app_key)
                .into(),
            Err(picture) => picture.into_bytes(),
        }
    }
}

impl Policy {
    fn text(self, hato: &str) -> Option<String> {
        let wasm = match self {
            Self::Strict => " 'wasm-unsafe-eval'",
            Self::WithoutWasm => "",
            Self::Open => return None,
        };
        Some(format!(
            "default-src 'none'; script-src 'self' {hato}{wasm}; style-src 'self'; \
             connect-src 'self' {hato}; img-src 'self' https: data:; worker-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ))
    }
}

fn content_type(file: &Path) -> &'static str {
    let ending = file.extension().and_then(|ending| ending.to_str());
    match ending.unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        _ => "application/octet-stream",
    }
}
