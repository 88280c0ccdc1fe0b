//! A browser as far as a login needs one: it keeps cookies, each for its path, and follows nothing by itself.

use std::sync::atomic::{AtomicU8, Ordering};

use hato_testkit::client::{Client, Reply};
use hato_testkit::github::Github;
use hato_testkit::server::HatoServer;
use http::Method;
use serde_json::Value;

use crate::fixtures::send;

/// The last number of the address of the browser that was made last: each counts in rate limits on its own.
static LAST: AtomicU8 = AtomicU8::new(0);

struct BrowserCookie {
    name: String,
    value: String,
    path: String,
}

pub struct LoginBrowser {
    client: Client,
    address: String,
    cookies: Vec<BrowserCookie>,
}

impl LoginBrowser {
    /// A browser without cookies.
    pub fn new(server: &HatoServer) -> Self {
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        Self {
            client: server.client(),
            address: format!("198.51.100.{number}"),
            cookies: Vec::new(),
        }
    }

    /// A browser whose user came back from GitHub.
    pub async fn logged_in(server: &HatoServer, github: &Github) -> Self {
        let mut browser = Self::new(server);
        browser.log_in(github).await;
        browser
    }

    /// Goes to GitHub and back.
    pub async fn log_in(&mut self, github: &Github) {
        let callback = self.agree(github, "/auth/github").await;
        let back = self.get(&callback).await;
        assert_eq!(back.status, 302, "{back}");
    }

    /// Goes to GitHub, where the person agrees: the path to come back to.
    pub async fn agree(&mut self, github: &Github, path: &str) -> String {
        let away = self.get(path).await;
        assert_eq!(away.status, 302, "{away}");
        github.approve(away.header("location").expect("a location"))
    }

    /// The answer to a GET with the cookies of its path; what it sets is kept.
    pub async fn get(&mut self, path: &str) -> Reply {
        self.request(path, "*/*").await
    }

    /// The same from a person who waits for a page.
    pub async fn open(&mut self, path: &str) -> Reply {
        self.request(path, "text/html,*/*;q=0.8").await
    }

    async fn request(&mut self, path: &str, accept: &str) -> Reply {
        let sent = self.cookies.iter().filter(|it| path.starts_with(&it.path));
        let sent: Vec<_> = sent.map(|it| format!("{}={}", it.name, it.value)).collect();
        let cookies = sent.join("; ");
        let mut headers = vec![("accept", accept), ("x-forwarded-for", &self.address)];
        if !cookies.is_empty() {
            headers.push(("cookie", &cookies));
        }
        let reply = send(&self.client, Method::GET, path, &headers, "").await;
        for cookie in reply.headers.get_all("set-cookie") {
            self.store_cookie(cookie.to_str().expect("visible ASCII"));
        }
        reply
    }

    /// Whose session it is.
    pub async fn user(&mut self) -> Value {
        let session = self.get("/auth/session").await;
        assert_eq!(session.status, 200, "{session}");
        session.json()["user"].clone()
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let cookie = self.cookies.iter().find(|cookie| cookie.name == name);
        cookie.map(|cookie| cookie.value.as_str())
    }

    fn store_cookie(&mut self, set_cookie: &str) {
        let (pair, attributes) = set_cookie.split_once("; ").expect("attributes");
        let (name, value) = pair.split_once('=').expect("a value");
        self.cookies.retain(|cookie| cookie.name != name);
        let mut attributes = attributes.split("; ");
        let path = attributes.clone().find_map(|it| it.strip_prefix("Path="));
        if !attributes.any(|attribute| attribute == "Max-Age=0") {
            self.cookies.push(BrowserCookie {
                name: name.to_owned(),
                value: value.to_owned(),
                path: path.expect("a path").to_owned(),
            });
        }
    }
}
