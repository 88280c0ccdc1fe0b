//! How often an address has asked, in memory that does not grow with the number of addresses (SPEC 8, CONTRACT 3).

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hato_domain::ErrorCode;
use tokio::time::Instant;

/// How long a window lasts after the first request counted in it; the `Retry-After` of a refusal says as much.
const WINDOW: Duration = Duration::from_secs(ErrorCode::RATE_LIMIT_WINDOW);
/// Addresses remembered at a time; the one remembered longest makes room, which whoever has so many does not need.
const MAX_ADDRESSES: usize = 100_000;

/// The counters of a server, each with its limit; `http/rate_limit.rs` is where they are asked.
pub struct RateLimits {
    /// `POST /auth/login` and the form that stands for it, and `GET /auth/github`.
    pub login: WindowCounter,
    /// `POST /auth/register` and the form that stands for it.
    pub register: WindowCounter,
    /// Answers `UNAUTHORIZED` and `INVALID_API_KEY` under /api/v1 and /mcp.
    pub keys: WindowCounter,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            login: WindowCounter::new(10),
            register: WindowCounter::new(5),
            keys: WindowCounter::new(20),
        }
    }
}

/// Counts requests by address in windows of a minute.
pub struct WindowCounter {
    limit: u32,
    windows: Mutex<Windows>,
}

/// Windows by address, and in the order in which they opened, which is the order in which they end.
#[derive(Default)]
struct Windows {
    counts: HashMap<IpAddr, u32>,
    opened: VecDeque<(Instant, IpAddr)>,
}

impl WindowCounter {
    /// Lets `limit` requests of an address through in a window.
    pub fn new(limit: u32) -> Self {
        let windows = Mutex::default();
        Self { limit, windows }
    }

    /// Counts a request; one beyond the limit is `RATE_LIMITED`.
    pub fn count(&self, address: IpAddr) -> Result<(), ErrorCode> {
        self.count_at(Instant::now(), address)
    }

    /// Whether the limit is reached; counts nothing.
    pub fn is_reached(&self, address: IpAddr) -> bool {
        self.is_reached_at(Instant::now(), address)
    }

    fn count_at(&self, now: Instant, address: IpAddr) -> Result<(), ErrorCode> {
        let mut windows = self.windows(now);
        let count = windows.open(now, address);
        *count = count.saturating_add(1);
        if *count > self.limit {
            Err(ErrorCode::RateLimited)
        } else {
            Ok(())
        }
    }

    fn is_reached_at(&self, now: Instant, address: IpAddr) -> bool {
        let windows = self.windows(now);
        let count = windows.counts.get(&address);
        count.is_some_and(|count| *count >= self.limit)
    }

    /// The windows that are open now.
    fn windows(&self, now: Instant) -> MutexGuard<'_, Windows> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.close_ended(now);
        windows
    }
}

impl Windows {
    fn close_ended(&mut self, now: Instant) {
        let ended = |opened: Instant| now.saturating_duration_since(opened) >= WINDOW;
        while self.opened.front().is_some_and(|(at, _)| ended(*at)) {
            self.close_oldest();
        }
    }

    fn close_oldest(&mut self) {
        if let Some((_, address)) = self.opened.pop_front() {
            self.counts.remove(&address);
        }
    }

    fn open(&mut self, now: Instant, address: IpAddr) -> &mut u32 {
        if !self.counts.contains_key(&address) {
            if self.opened.len() >= MAX_ADDRESSES {
                self.close_oldest();
            }
            self.opened.push_back((now, address));
        }
        self.counts.entry(address).or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{MAX_ADDRESSES, WindowCounter};

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(number.into())
    }

    #[test]
    fn a_window_opens_with_the_first_and_ends_after_a_minute() {
        let (limit, start) = (WindowCounter::new(2), Instant::now());
        let count = |seconds, number| {
            let now = start + Duration::from_secs(seconds);
            limit.count_at(now, address(number)).is_ok()
        };
        assert!(count(0, 1) && count(59, 1) && !count(59, 1));
        assert!(limit.is_reached_at(start + Duration::from_secs(59), address(1)));
        assert!(count(59, 2));
        assert!(!limit.is_reached_at(start + Duration::from_mins(1), address(1)));
        assert!(count(60, 1) && count(60, 1) && !count(60, 1));
    }

    #[test]
    fn memory_is_bounded() {
        let (limit, now) = (WindowCounter::new(1), Instant::now());
        for number in 0..=u32::try_from(MAX_ADDRESSES).expect("a small number") {
            assert!(limit.count_at(now, address(number)).is_ok());
        }
        assert!(!limit.is_reached_at(now, address(0)) && limit.is_reached_at(now, address(1)));
        let windows = limit.windows(now);
        assert_eq!(
            (windows.counts.len(), windows.opened.len()),
            (MAX_ADDRESSES, MAX_ADDRESSES)
        );
    }
}
