//! The windows of a server, each with its limit (SPEC 8, CONTRACT 3); `http/rate_limit.rs` is where they are asked. That of new
//! subscriptions is asked by their use case.

use std::sync::Arc;

use hato_service::ports::{CountedRequest, RateWindow, Store};

use super::window_counter::WindowCounter;

/// One window for each limit.
pub struct RateLimits {
    /// `POST /auth/login` and the form that stands for it, and `GET /auth/github`.
    pub login: EntranceLimit,
    /// `POST /auth/register` and the form that stands for it.
    pub register: EntranceLimit,
    /// Answers `UNAUTHORIZED` and `INVALID_API_KEY` under /api/v1 and /mcp.
    pub keys: Arc<dyn RateWindow>,
}

/// The limit of an entrance at which passwords are hashed: for a client, and for a network of many IPv6 clients together.
pub struct EntranceLimit {
    /// A client's, by its address or its /64.
    pub client: Arc<dyn RateWindow>,
    /// Of a /48, which is as much as a site is given and has 65,536 clients in it: ten times a client's.
    pub site: Arc<dyn RateWindow>,
}

impl RateLimits {
    /// The windows, in the store where processes share it.
    pub fn new(store: &Arc<dyn Store>) -> Self {
        use CountedRequest::{FailedKey, LogIn, LogInFromSite, Register, RegisterFromSite};
        let entrance = |client, site, limit| EntranceLimit {
            client: rate_window(store, client, limit),
            site: rate_window(store, site, 10 * limit),
        };
        Self {
            login: entrance(LogIn, LogInFromSite, 10),
            register: entrance(Register, RegisterFromSite, 5),
            keys: rate_window(store, FailedKey, 20),
        }
    }
}

/// Lets `limit` requests of a client through in a window: over all processes that share the store, or in this one's memory where
/// there is no other.
pub fn rate_window(
    store: &Arc<dyn Store>,
    counted: CountedRequest,
    limit: u32,
) -> Arc<dyn RateWindow> {
    let shared = Arc::clone(store).rate_window(counted, limit);
    shared.unwrap_or_else(|| Arc::new(WindowCounter::new(limit)))
}
