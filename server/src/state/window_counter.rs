//! How often an address has asked, in memory that does not grow with the number of addresses (SPEC 8, CONTRACT 3).

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::ErrorCode;
use hato_service::ports::{EntranceWindow, RateWindow, StoreError};
use tokio::time::Instant;

/// How long a window lasts after the first request counted in it; the `Retry-After` of a refusal says as much.
const WINDOW: Duration = Duration::from_secs(ErrorCode::RATE_LIMIT_WINDOW);
/// Addresses remembered at a time; the one remembered longest makes room, which whoever has so many does not need.
const MAX_ADDRESSES: usize = 100_000;

/// Counts requests by address in windows of a minute, in this process.
pub struct WindowCounter {
    limit: u32,
    windows: Mutex<Windows>,
}

/// Counts clients and their sites, in this process.
pub struct EntranceCounter {
    client: WindowCounter,
    site: WindowCounter,
}

/// Windows by address, and in the order in which they opened, which is the order in which they end.
#[derive(Default)]
struct Windows {
    counts: HashMap<IpAddr, u32>,
    opened: VecDeque<(Instant, IpAddr)>,
}

#[async_trait]
impl RateWindow for WindowCounter {
    async fn count(&self, client: IpAddr) -> Result<bool, StoreError> {
        Ok(self.count_at(Instant::now(), client))
    }

    async fn is_reached(&self, client: IpAddr) -> Result<bool, StoreError> {
        Ok(self.is_reached_at(Instant::now(), client))
    }

    async fn uncount(&self, client: IpAddr) -> Result<(), StoreError> {
        let mut windows = self.windows(Instant::now());
        if let Some(count) = windows.counts.get_mut(&client) {
            *count = count.saturating_sub(1);
        }
        Ok(())
    }
}

#[async_trait]
impl EntranceWindow for EntranceCounter {
    async fn count(&self, client: IpAddr, site: Option<IpAddr>) -> Result<bool, StoreError> {
        let is_counted = self.client.count(client).await?;
        match site.filter(|_| is_counted) {
            Some(site) => self.site.count(site).await,
            None => Ok(is_counted),
        }
    }
}

impl EntranceCounter {
    /// Lets so many requests of a client through in a window, and so many of a site.
    pub fn new(of_client: u32, of_site: u32) -> Self {
        Self {
            client: WindowCounter::new(of_client),
            site: WindowCounter::new(of_site),
        }
    }
}

impl WindowCounter {
    /// Lets `limit` requests of an address through in a window.
    pub fn new(limit: u32) -> Self {
        let windows = Mutex::default();
        Self { limit, windows }
    }

    fn count_at(&self, now: Instant, address: IpAddr) -> bool {
        let mut windows = self.windows(now);
        let count = windows.open(now, address);
        let has_room = *count < self.limit;
        *count += u32::from(has_room);
        has_room
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

    use hato_service::ports::RateWindow as _;
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
            limit.count_at(now, address(number))
        };
        assert!(count(0, 1) && count(59, 1) && !count(59, 1));
        assert!(limit.is_reached_at(start + Duration::from_secs(59), address(1)));
        assert!(count(59, 2));
        assert!(!limit.is_reached_at(start + Duration::from_mins(1), address(1)));
        assert!(count(60, 1) && count(60, 1) && !count(60, 1));
    }

    #[tokio::test]
    async fn what_did_not_happen_is_taken_back() {
        let limit = WindowCounter::new(1);
        let count = async || limit.count(address(1)).await.expect("counted");
        assert!(count().await && !count().await);
        limit.uncount(address(1)).await.expect("taken back");
        limit
            .uncount(address(2))
            .await
            .expect("nothing to take back");
        assert!(count().await && !count().await);
    }

    #[test]
    fn memory_is_bounded() {
        let (limit, now) = (WindowCounter::new(1), Instant::now());
        for number in 0..=u32::try_from(MAX_ADDRESSES).expect("a small number") {
            assert!(limit.count_at(now, address(number)));
        }
        assert!(!limit.is_reached_at(now, address(0)) && limit.is_reached_at(now, address(1)));
        let windows = limit.windows(now);
        assert_eq!(
            (windows.counts.len(), windows.opened.len()),
            (MAX_ADDRESSES, MAX_ADDRESSES)
        );
    }
}
