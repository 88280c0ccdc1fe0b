//! What an API key may do (SPEC 5.2).

use crate::ErrorCode;

/// The scope of an API key, from the lowest to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Subscribing and unsubscribing only: made to be public in a page.
    SubscribeOnly,
    /// Sending, and what `SubscribeOnly` may.
    Notify,
    /// Everything of its app.
    Full,
}

impl Scope {
    /// The three scopes.
    pub const ALL: [Self; 3] = [Self::SubscribeOnly, Self::Notify, Self::Full];

    /// Reads a scope; anything else is `INVALID_SCOPE`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or(ErrorCode::InvalidScope)
    }

    /// The text form, as in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SubscribeOnly => "subscribe_only",
            Self::Notify => "notify",
            Self::Full => "full",
        }
    }
}
