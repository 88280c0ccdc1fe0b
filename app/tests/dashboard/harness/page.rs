//! An answer of the dashboard, and what a test finds in it.

use axum::body::Body;
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;

/// What the dashboard answered to one request of the browser.
pub struct PageResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl PageResponse {
    pub async fn read(response: http::Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        let text = String::from_utf8(body.to_vec()).expect("text");
        Self {
            status: parts.status,
            headers: parts.headers,
            // Leptos ends a text with an empty comment where the types of views are erased.
            body: text.replace("<!>", ""),
        }
    }

    /// A header's value; nothing when it is not there.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("a readable header"))
    }

    /// The path that a redirect leads to.
    pub fn location(&self) -> String {
        assert_eq!(self.status, StatusCode::SEE_OTHER, "{}", self.body);
        assert_eq!(self.header("cache-control"), "no-store");
        self.header(LOCATION.as_str()).to_owned()
    }

    /// Asserts that a script was told of success.
    #[track_caller]
    pub fn assert_success(&self) -> &Self {
        assert_eq!(self.status, StatusCode::OK, "{}", self.body);
        self
    }

    /// The text between the first `before` and the next `after`.
    pub fn between(&self, before: &str, after: &str) -> Option<&str> {
        let (_, rest) = self.body.split_once(before)?;
        Some(rest.split_once(after)?.0)
    }

    /// The path of the page of older items that a list leads to.
    pub fn older_path(&self) -> Option<String> {
        let (before, _) = self.body.split_once("\" rel=\"next\"")?;
        let (_, path) = before.rsplit_once("href=\"")?;
        Some(path.replace("&amp;", "&"))
    }

    /// Asserts that the page contains a text.
    #[track_caller]
    pub fn shows(&self, text: &str) -> &Self {
        assert!(self.body.contains(text), "no {text:?} in\n{}", self.body);
        self
    }

    /// Asserts that the page does not contain a text.
    #[track_caller]
    pub fn hides(&self, text: &str) -> &Self {
        assert!(!self.body.contains(text), "{text:?} in\n{}", self.body);
        self
    }

    /// Asserts that these fields of the compose page, and no others, are said to be wrong: in the note, and below each of them.
    #[track_caller]
    pub fn names_wrong_fields(&self, fields: &[&str]) -> &Self {
        for field in fields {
            let said = format!("send-{field}-wrong");
            let read_with = self.body.matches(&format!("{said}\"")).count();
            assert!(read_with > 1, "{field} is not described by {said}");
            self.shows(&format!("href=\"#send-{field}\""))
                .shows(&format!("id=\"{said}\""))
                .shows("aria-invalid=\"true\"");
        }
        let said = self.body.matches("class=\"wrong\"").count();
        assert_eq!(said, fields.len(), "{fields:?} in\n{}", self.body);
        self
    }
}
