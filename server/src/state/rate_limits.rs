//! The windows of a server, each with its limit (SPEC 8, CONTRACT 3); `http/rate_limit.rs` is where they are asked. That of new
//! subscriptions is asked by their use case.

use std::sync::Arc;

use hato_service::ports::{CountedRequest, EntranceWindow, RateWindow, RequestLimit, Store};

use super::window_counter::{EntranceCounter, WindowCounter};

/// How many times a client's limit a /48 has, which is as much as a site is given and has 65,536 clients in it.
const SITE_FACTOR: u32 = 10;

/// One window for each limit. Those at which passwords are hashed are of a client, by its address or its /64, and of its site, a /48.
pub struct RateLimits {
    /// `POST /auth/login` and the form that stands for it, and `GET /auth/github`.
    pub login: Arc<dyn EntranceWindow>,
    /// `POST /auth/register` and the form that stands for it.
    pub register: Arc<dyn EntranceWindow>,
    /// Answers `UNAUTHORIZED` and `INVALID_API_KEY` under /api/v1 and /mcp.
    pub keys: Arc<dyn RateWindow>,
}

impl RateLimits {
    /// The windows, in the store where processes share it.
    pub fn new(store: &Arc<dyn Store>) -> Self {
        use CountedRequest::{FailedKey, LogIn, LogInFromSite, Register, RegisterFromSite};
        Self {
            login: entrance_window(store, (LogIn, 10), LogInFromSite),
            register: entrance_window(store, (Register, 5), RegisterFromSite),
            keys: rate_window(store, (FailedKey, 20)),
        }
    }
}

/// Lets as many requests of a client through in a window as its limit says: over all processes that share the store, or in this one's
/// memory where there is no other.
pub fn rate_window(store: &Arc<dyn Store>, limit: RequestLimit) -> Arc<dyn RateWindow> {
    let shared = Arc::clone(store).rate_window(limit);
    shared.unwrap_or_else(|| Arc::new(WindowCounter::new(limit.1)))
}

fn entrance_window(
    store: &Arc<dyn Store>,
    client: RequestLimit,
    from_site: CountedRequest,
) -> Arc<dyn EntranceWindow> {
    let site = (from_site, SITE_FACTOR * client.1);
    let shared = Arc::clone(store).entrance_window(client, site);
    shared.unwrap_or_else(|| Arc::new(EntranceCounter::new(client.1, site.1)))
}
