//! How many requests of all apps may be in flight together, in two tiers.
//!
//! A request that is not answered promptly moves to the slow tier, and the next ones of its app begin there: however many
//! receivers are known to be slow, the others' events find a permit and memory for their bodies. Receivers that have just begun to
//! hang, and find no permit of the slow tier, hold theirs until their time is out.

use std::sync::Arc;

use hato_service::{EventBodyMemory, ReservedBodyMemory};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::settings::WebhookSettings;

/// The permits of a process.
pub(super) struct RequestLimiter {
    prompt: Tier,
    slow: Tier,
}

struct Tier {
    requests: Arc<Semaphore>,
    /// Memory for the bodies of requests that begin in this tier. Out of one budget for both, bodies that slow receivers hold until their
    /// time is out would keep all others from being made
    /// (`webhooks::sharing::bodies_of_slow_receivers_leave_memory_to_the_others` in `tests/webhooks/sharing.rs` shows it).
    body_memory: EventBodyMemory,
}

impl Tier {
    fn new(requests: usize, body_bytes: usize) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(requests)),
            body_memory: EventBodyMemory::new(body_bytes),
        }
    }
}

/// The right to have a request in flight, and to hold so much memory for its body.
pub(super) struct RequestPermit {
    is_slow: bool,
    request: OwnedSemaphorePermit,
    body_memory: Option<ReservedBodyMemory>,
}

impl RequestPermit {
    fn new(is_slow: bool, request: OwnedSemaphorePermit) -> Self {
        Self {
            is_slow,
            request,
            body_memory: None,
        }
    }

    /// Gives back the memory that the body does not take.
    pub(super) fn shrink_body_memory(&mut self, bytes: usize) {
        if let Some(memory) = &mut self.body_memory {
            memory.shrink_to(bytes);
        }
    }

    /// Gives back the memory of a body that is gone.
    pub(super) fn release_body_memory(&mut self) {
        self.body_memory = None;
    }
}

impl RequestLimiter {
    pub(super) fn new(settings: &WebhookSettings) -> Self {
        Self {
            prompt: Tier::new(settings.max_in_flight, settings.body_bytes),
            slow: Tier::new(settings.max_slow_in_flight, settings.body_bytes),
        }
    }

    fn tier(&self, is_slow: bool) -> &Tier {
        if is_slow { &self.slow } else { &self.prompt }
    }

    /// A permit of the prompt tier, once one is free; whoever waits here comes before [`Self::try_acquire`].
    pub(super) async fn acquire_prompt(&self) -> RequestPermit {
        let request = Arc::clone(&self.prompt.requests).acquire_owned().await;
        RequestPermit::new(false, request.expect("it is never closed"))
    }

    /// A permit of this tier, if one is free.
    pub(super) fn try_acquire(&self, is_slow: bool) -> Option<RequestPermit> {
        let requests = Arc::clone(&self.tier(is_slow).requests);
        let request = requests.try_acquire_owned().ok()?;
        Some(RequestPermit::new(is_slow, request))
    }

    /// How many permits of this tier are free; none while somebody waits for one.
    pub(super) fn available(&self, is_slow: bool) -> usize {
        self.tier(is_slow).requests.available_permits()
    }

    /// Reserves memory for a body of at most so many bytes, once there is. What needs more than everything gets everything.
    pub(super) async fn reserve_body_memory(&self, permit: &mut RequestPermit, bytes: usize) {
        permit.release_body_memory();
        let tier = self.tier(permit.is_slow);
        permit.body_memory = Some(tier.body_memory.reserve(bytes).await);
    }

    /// Leaves its permit of the prompt tier to others, if the slow tier has one. Its body stays where its memory was reserved.
    pub(super) fn move_to_slow(&self, permit: &mut RequestPermit) {
        if let (false, Some(slow)) = (permit.is_slow, self.try_acquire(true)) {
            permit.is_slow = true;
            permit.request = slow.request;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::{RequestLimiter, RequestPermit};
    use crate::webhooks::WebhookSettings;

    const KIB: usize = 1_024;

    fn limiter(requests: usize, slow: usize, body_bytes: usize) -> RequestLimiter {
        RequestLimiter::new(&WebhookSettings {
            max_in_flight: requests,
            max_slow_in_flight: slow,
            body_bytes,
            ..WebhookSettings::new(Vec::new())
        })
    }

    fn is_reserved(limiter: &RequestLimiter, permit: &mut RequestPermit, bytes: usize) -> bool {
        let reserved = limiter.reserve_body_memory(permit, bytes);
        reserved.now_or_never().is_some()
    }

    #[tokio::test]
    async fn who_moves_to_the_slow_tier_leaves_a_permit_while_it_has_some() {
        let limiter = limiter(1, 1, KIB);
        let mut first = limiter.acquire_prompt().await;
        assert!(limiter.try_acquire(false).is_none());
        limiter.move_to_slow(&mut first);
        let mut second = limiter
            .try_acquire(false)
            .expect("the first moved to the slow tier");
        limiter.move_to_slow(&mut second);
        assert!(
            limiter.try_acquire(false).is_none(),
            "nothing is left in the slow tier"
        );
        drop(first);
        assert!(limiter.try_acquire(false).is_none());
        assert!(limiter.try_acquire(true).is_some());
    }

    #[tokio::test]
    async fn bodies_wait_for_memory_and_leave_it_when_they_are_gone() {
        let limiter = limiter(3, 1, 10 * KIB);
        let mut first = limiter.acquire_prompt().await;
        let mut second = limiter.acquire_prompt().await;
        assert!(is_reserved(&limiter, &mut first, 8 * KIB));
        assert!(!is_reserved(&limiter, &mut second, 8 * KIB));
        first.shrink_body_memory(2 * KIB);
        assert!(is_reserved(&limiter, &mut second, 8 * KIB));
        let mut third = limiter.acquire_prompt().await;
        assert!(!is_reserved(&limiter, &mut third, KIB));
        first.release_body_memory();
        assert!(is_reserved(&limiter, &mut third, 2 * KIB));
        drop((first, second, third));
        let mut largest = limiter.acquire_prompt().await;
        assert!(is_reserved(&limiter, &mut largest, usize::MAX));
    }
}
