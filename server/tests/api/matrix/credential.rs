//! Whatever a request may show of itself.

use hato_domain::Scope;

/// A credential, as seen from the app in the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TestCredential {
    /// Neither an Authorization header nor a cookie.
    Nothing,
    /// An Authorization header that is not `Bearer <something>`.
    Malformed(&'static str),
    /// A key that was never made.
    UnknownKey,
    /// A full key of the app that was deleted.
    DeletedKey,
    /// A key of the app.
    Key(Scope),
    /// A key of another account's app.
    KeyOfOther(Scope),
    /// A session of the app's owner.
    Session(SessionTransport),
    /// A session of another account.
    SessionOfOther(SessionTransport),
    /// A session of the owner that was ended.
    DeadSession(SessionTransport),
}

/// How a session travels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SessionTransport {
    /// In the Authorization header.
    Bearer,
    /// In the Authorization header, from a page of another site.
    CrossSiteBearer,
    /// As a cookie, from one of our own pages.
    Cookie,
    /// As a cookie, from a page of another site.
    CrossSiteCookie,
}

impl TestCredential {
    /// Every credential, each of which every endpoint is asked with.
    pub const ALL: [Self; 26] = [
        Self::Nothing,
        Self::Malformed("Basic dTpw"),
        Self::Malformed("Bearer"),
        Self::Malformed("Bearer "),
        Self::Malformed("Bearer one two"),
        Self::Malformed("pk_0000000000000000000000000000000000000000000000000000000000000000"),
        Self::UnknownKey,
        Self::DeletedKey,
        Self::Key(Scope::SubscribeOnly),
        Self::Key(Scope::Notify),
        Self::Key(Scope::Full),
        Self::KeyOfOther(Scope::SubscribeOnly),
        Self::KeyOfOther(Scope::Notify),
        Self::KeyOfOther(Scope::Full),
        Self::Session(SessionTransport::Bearer),
        Self::Session(SessionTransport::CrossSiteBearer),
        Self::Session(SessionTransport::Cookie),
        Self::Session(SessionTransport::CrossSiteCookie),
        Self::SessionOfOther(SessionTransport::Bearer),
        Self::SessionOfOther(SessionTransport::CrossSiteBearer),
        Self::SessionOfOther(SessionTransport::Cookie),
        Self::SessionOfOther(SessionTransport::CrossSiteCookie),
        Self::DeadSession(SessionTransport::Bearer),
        Self::DeadSession(SessionTransport::CrossSiteBearer),
        Self::DeadSession(SessionTransport::Cookie),
        Self::DeadSession(SessionTransport::CrossSiteCookie),
    ];

    /// Whether somebody is behind it.
    pub fn is_live(&self) -> bool {
        matches!(
            self,
            Self::Key(_) | Self::KeyOfOther(_) | Self::Session(_) | Self::SessionOfOther(_)
        )
    }

    /// The same credential, seen from an app that is not its own.
    pub fn of_somebody_else(self) -> Self {
        match self {
            Self::Key(scope) => Self::KeyOfOther(scope),
            Self::Session(transport) => Self::SessionOfOther(transport),
            other => other,
        }
    }

    /// Whether the request says that it comes from a page of another site.
    pub fn names_another_site(self) -> bool {
        matches!(
            self.transport(),
            Some(SessionTransport::CrossSiteBearer | SessionTransport::CrossSiteCookie)
        )
    }

    /// Whether a browser may have added the session on behalf of another site.
    pub fn is_cross_site_cookie(self) -> bool {
        self.transport() == Some(SessionTransport::CrossSiteCookie)
    }

    /// How a session travels.
    pub fn transport(self) -> Option<SessionTransport> {
        match self {
            Self::Session(transport)
            | Self::SessionOfOther(transport)
            | Self::DeadSession(transport) => Some(transport),
            _ => None,
        }
    }
}

impl SessionTransport {
    /// The headers that carry a session's token.
    pub fn headers(self, token: &str) -> Vec<(&'static str, String)> {
        let bearer = ("authorization", format!("Bearer {token}"));
        let cookie = ("cookie", format!("hato_session={token}"));
        let site = |site: &str| ("sec-fetch-site", site.to_owned());
        match self {
            Self::Bearer => vec![bearer],
            Self::CrossSiteBearer => vec![bearer, site("cross-site")],
            Self::Cookie => vec![cookie, site("same-origin")],
            Self::CrossSiteCookie => vec![cookie, site("cross-site")],
        }
    }
}
