//! Permits for requests in flight. A request that is not answered promptly moves to the slow tier, and the next ones
//! of its app begin there: however many receivers are known to be slow, the others' events find a permit, and memory for their bodies.
//! Receivers that have just begun to hang, and find no permit of the slow tier, hold theirs until their time is out.

use std::sync::{Arc, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::memory_budget::{MemoryBudget, MemoryPermit};
use super::settings::WebhookSettings;

/// The limiter of a process.
pub struct RequestLimiter {
    prompt: Tier,
    slow: Tier,
}

struct Tier {
    requests: Arc<Semaphore>,
    most: usize,
    memory: MemoryBudget,
}

impl Tier {
    fn new(requests: usize, bytes: usize) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(requests)),
            most: requests,
            memory: MemoryBudget::new(bytes),
        }
    }
}

/// The right to have a request in flight.
pub struct RequestPermit {
    is_slow: bool,
    _permit: OwnedSemaphorePermit,
}

impl RequestLimiter {
    /// As many as the settings say.
    pub fn new(settings: &WebhookSettings) -> Self {
        Self {
            prompt: Tier::new(settings.max_in_flight, settings.body_bytes),
            slow: Tier::new(settings.max_slow_in_flight, settings.body_bytes),
        }
    }

    fn tier(&self, is_slow: bool) -> &Tier {
        if is_slow { &self.slow } else { &self.prompt }
    }

    /// A permit of the prompt tier, once one is free; whoever waits here comes before [`Self::try_acquire`].
    pub async fn acquire_prompt(&self) -> RequestPermit {
        let permit = Arc::clone(&self.prompt.requests).acquire_owned().await;
        RequestPermit {
            is_slow: false,
            _permit: permit.expect("it is never closed"),
        }
    }

    /// A permit of this tier, if one is free.
    pub fn try_acquire(&self, is_slow: bool) -> Option<RequestPermit> {
        let requests = Arc::clone(&self.tier(is_slow).requests);
        let permit = requests.try_acquire_owned().ok()?;
        Some(RequestPermit {
            is_slow,
            _permit: permit,
        })
    }

    /// Whether a permit of this tier is free, so that nobody waits for one.
    pub fn has_free(&self, is_slow: bool) -> bool {
        self.available(is_slow) > 0
    }

    /// How many permits of this tier are free.
    pub fn available(&self, is_slow: bool) -> usize {
        self.tier(is_slow).requests.available_permits()
    }

    /// Whether half of the permits of the prompt tier are free, so that whoever keeps one for later is in nobody's way.
    pub fn is_half_free(&self) -> bool {
        self.available(false) >= (self.prompt.most / 2).max(1)
    }

    /// Memory for so many bytes of the body of a request with this permit, once there is.
    pub async fn memory(&self, permit: &RequestPermit, bytes: usize) -> Arc<MemoryPermit> {
        self.tier(permit.is_slow).memory.acquire(bytes).await
    }

    /// Moves to the slow tier, if one is free, with what is left of the body.
    pub fn move_to_slow(&self, permit: &mut RequestPermit, memory: &Weak<MemoryPermit>) {
        if permit.is_slow {
            return;
        }
        if let Some(slow) = self.try_acquire(true) {
            *permit = slow;
        }
        if let Some(memory) = memory.upgrade() {
            self.slow.memory.transfer(&memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use super::RequestLimiter;
    use crate::webhooks::WebhookSettings;

    #[tokio::test]
    async fn who_moves_to_the_slow_tier_leaves_a_permit_while_it_has_some() {
        let limiter = RequestLimiter::new(&WebhookSettings {
            max_in_flight: 1,
            max_slow_in_flight: 1,
            ..WebhookSettings::default()
        });
        let mut first = limiter.acquire_prompt().await;
        assert!(limiter.try_acquire(false).is_none());
        limiter.move_to_slow(&mut first, &Weak::new());
        let mut second = limiter
            .try_acquire(false)
            .expect("the first moved to the slow tier");
        limiter.move_to_slow(&mut second, &Weak::new());
        assert!(
            limiter.try_acquire(false).is_none(),
            "nothing is left in the slow tier"
        );
        drop(first);
        assert!(limiter.try_acquire(false).is_none());
        assert!(limiter.try_acquire(true).is_some());
    }
}
