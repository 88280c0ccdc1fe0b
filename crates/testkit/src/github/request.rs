//! What the server under test asks of GitHub, step by step.

use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderName, USER_AGENT};

/// The media type of every answer that is not a form.
pub(super) const JSON: &str = "application/json";

/// A request that the server under test makes to GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OauthStep {
    /// The exchange of the code for a token.
    Token,
    /// The request for who the user is, `GET /user`.
    User,
    /// The request for the user's addresses, `GET /user/emails`.
    Emails,
}

impl OauthStep {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::Token, Self::User, Self::Emails];
}

/// What a step answers in place of the truth.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The status of the answer; one of 3xx leads back to the same address.
    pub status: u16,
    /// The body of the answer.
    pub body: String,
}

pub(super) fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

/// What a request to the API shows of itself.
pub(super) struct ApiCaller {
    pub(super) token: String,
    pub(super) has_user_agent: bool,
}

impl ApiCaller {
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        let token = text(headers, AUTHORIZATION).strip_prefix("Bearer ");
        Self {
            token: token.unwrap_or_default().to_owned(),
            has_user_agent: !text(headers, USER_AGENT).is_empty(),
        }
    }
}
