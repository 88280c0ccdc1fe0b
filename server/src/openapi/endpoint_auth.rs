//! Who may use an endpoint, and what everybody else is answered (SPEC 5, CONTRACT 2, 3).

use hato_domain::{ErrorCode, Scope};
use utoipa::openapi::path::HttpMethod;
use utoipa::openapi::security::SecurityRequirement;

/// The name of the scheme of API keys.
pub const KEY: &str = "apiKey";
/// The name of the scheme of sessions as bearer tokens.
pub const SESSION: &str = "session";
/// The name of the scheme of sessions as cookies.
pub const COOKIE: &str = "sessionCookie";

/// Who may use an endpoint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EndpointAuth {
    /// A key of at least this scope, no session.
    Key(Scope),
    /// A session of the owner, or a key of the app with scope `full`.
    SessionOrFullKey,
    /// A session, no key.
    Session,
    /// Anybody, without a session or a key.
    Anybody,
}

impl EndpointAuth {
    /// The security requirements of the document, of which any one suffices.
    pub fn requirements(self) -> Vec<SecurityRequirement> {
        let schemes: &[&str] = match self {
            Self::Key(_) => &[KEY],
            Self::SessionOrFullKey => &[KEY, SESSION, COOKIE],
            Self::Session => &[SESSION, COOKIE],
            Self::Anybody => &[],
        };
        let requirement = |scheme: &&str| SecurityRequirement::new(*scheme, [""; 0]);
        schemes.iter().map(requirement).collect()
    }

    /// The same as a phrase for people.
    pub fn text(self) -> String {
        match self {
            Self::Key(Scope::SubscribeOnly) => "API key of any scope".to_owned(),
            Self::Key(scope) => format!("API key with scope {} or higher", scope.as_str()),
            Self::SessionOrFullKey => "session, or API key with scope full".to_owned(),
            Self::Session => "session".to_owned(),
            Self::Anybody => "none".to_owned(),
        }
    }

    /// What those are answered who may not use it on this path.
    pub fn errors(self, method: &HttpMethod, path: &str) -> Vec<ErrorCode> {
        use ErrorCode as E;
        if self == Self::Anybody {
            return Vec::new();
        }
        let mut codes = vec![
            E::Unauthorized,
            E::InvalidApiKey,
            E::InvalidSession,
            // Keys cannot be told apart without the pepper.
            E::ConfigError,
        ];
        // Failed keys are counted under the API alone.
        if path.starts_with("/api/v1/") {
            codes.push(E::RateLimited);
        }
        let accepts_sessions = matches!(self, Self::SessionOrFullKey | Self::Session);
        if accepts_sessions && *method != HttpMethod::Get {
            codes.push(E::InvalidOrigin);
        }
        if self != Self::Key(Scope::SubscribeOnly) {
            codes.push(E::InsufficientScope);
        }
        if path.contains("{appId}") && self != Self::Session {
            codes.push(E::AppMismatch);
        }
        if path.contains("{appId}") && accepts_sessions {
            codes.push(E::NotFound);
        }
        codes
    }
}
