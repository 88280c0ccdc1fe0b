//! A sample customer's site: a page with a subscribe button, and the one-line service worker.

use crate::{
    listening::Listening,
    plain_http::{self, PlainResponse, respond},
};
use http::{HeaderValue, Method, Request, StatusCode, header::CONTENT_SECURITY_POLICY};
use hyper::body::Incoming;
use serde_json::json;
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};
use tokio::net::TcpListener;

const PAGE: &str = include_str!("index.html");
const SCRIPT: &str = include_str!("site.js");
const STYLE: &str = include_str!("site.css");

const HTML: &str = "text/html; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

/// What a site needs to know of Hato.
#[derive(Clone, Debug)]
pub struct SiteSettings {
    /// Where the site listens; port 0 picks one.
    pub listen: SocketAddr,
    /// The server's public address without a slash at the end, as the browser reaches it.
    pub hato_url: String,
    /// A `subscribe_only` key.
    pub app_key: String,
}

impl SiteSettings {
    /// Settings for a site on a loopback port that the system chooses.
    pub fn new(hato_url: impl Into<String>, app_key: impl Into<String>) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            hato_url: hato_url.into(),
            app_key: app_key.into(),
        }
    }
}

/// A running site; dropping it closes its socket.
pub struct CustomerSite {
    address: SocketAddr,
    _listening: Listening,
}

impl CustomerSite {
    /// Starts the site; fails when the address cannot be bound.
    pub async fn start(settings: SiteSettings) -> io::Result<Self> {
        let listener = TcpListener::bind(settings.listen).await?;
        let address = listener.local_addr()?;
        let files = Arc::new(Files::new(&settings));
        let listening = plain_http::serve(listener, move |request| {
            let response = files.answer(&request);
            async { response }
        });
        Ok(Self {
            address,
            _listening: listening,
        })
    }

    /// The socket address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its origin, `http://localhost:PORT`: a secure context for browsers, and another origin than the server's.
    pub fn url(&self) -> String {
        format!("http://localhost:{}", self.address.port())
    }
}

/// The site's four files, as they are served.
struct Files {
    page: String,
    settings_script: String,
    worker: String,
    policy: HeaderValue,
}

impl Files {
    fn new(settings: &SiteSettings) -> Self {
        let hato = &settings.hato_url;
        let init = json!({"baseUrl": hato, "appKey": settings.app_key});
        Self {
            page: PAGE.replace("{hato}", hato),
            settings_script: SCRIPT.replace("{init}", &init.to_string()),
            worker: format!("importScripts(\"{hato}/sdk/sw.js\");\n"),
            policy: policy(hato),
        }
    }

    fn answer(&self, request: &Request<Incoming>) -> PlainResponse {
        let mut response = match (request.method(), request.uri().path()) {
            (&Method::GET, "/") => respond(StatusCode::OK, HTML, self.page.clone()),
            (&Method::GET, "/site.js") => {
                respond(StatusCode::OK, JAVASCRIPT, self.settings_script.clone())
            }
            (&Method::GET, "/site.css") => respond(StatusCode::OK, CSS, STYLE),
            (&Method::GET, "/hato-sw.js") => {
                respond(StatusCode::OK, JAVASCRIPT, self.worker.clone())
            }
            _ => respond(StatusCode::NOT_FOUND, HTML, "404"),
        };
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        response
    }
}

/// The strictest policy that Hato promises to work under.
fn policy(hato: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; script-src 'self' {hato} 'wasm-unsafe-eval'; style-src 'self'; \
         connect-src {hato}; img-src 'self' https: data:; worker-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).expect("an address is visible ASCII")
}
