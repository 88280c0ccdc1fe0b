//! The windows of a server, each with its limit (SPEC 8, CONTRACT 3); `http/rate_limit.rs` is where they are asked. That of new
//! subscriptions is asked by their use case.

use std::sync::Arc;

use hato_service::ports::RateWindow;

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

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            login: EntranceLimit::new(10),
            register: EntranceLimit::new(5),
            keys: Arc::new(WindowCounter::new(20)),
        }
    }
}

impl EntranceLimit {
    fn new(limit: u32) -> Self {
        Self {
            client: Arc::new(WindowCounter::new(limit)),
            site: Arc::new(WindowCounter::new(10 * limit)),
        }
    }
}
