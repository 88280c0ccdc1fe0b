//! The adaptive limit of an app at a push-service origin: how many requests it may have in flight there, learnt from the responses.
//!
//! Nobody tells a sender how much a push service takes, so the limiter begins with few and adapts ([`aimd`]). An origin that
//! throttles an app slows that app's subscribers there and nobody else: each app has a limiter of its own for each origin, and
//! only what is the origin's is known to all ([`origin_memory`]). A request that the limiter rejects was not sent: it either comes
//! back later in the same attempt, when the origin takes less ([`turn_queue`]), or fails like those in flight, when nobody is answered.

mod admission;
mod aimd;
mod origin_memory;
mod turn_queue;
mod window;

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

pub use admission::Rejected;
use aimd::AimdState;
pub use aimd::LimiterBounds;
pub use origin_memory::OriginMemory;
pub use window::Feedback;

/// The largest ceiling that is taken: half of what a semaphore can count.
const MAX_PERMITS: usize = Semaphore::MAX_PERMITS >> 1;

/// The limiter of one app at one origin: a semaphore whose size follows [`AimdState`].
///
/// A semaphore is fair, wakes one waiter per permit and gives a permit back when its request is dropped; what it cannot do is
/// shrink below what is in use, which is why permits beyond the limit are taken away one by one as they are released.
pub struct AdaptiveLimiter {
    permits: Arc<Semaphore>,
    state: Mutex<AimdState>,
    /// Wakes those who wait when they are to be rejected instead.
    closed: Notify,
    permit_timeout: Duration,
}

/// A limiter at a moment.
pub struct LimiterLoad {
    /// How many requests are admitted at a time.
    pub limit: usize,
    /// How many wait to be.
    pub waiting: usize,
    /// Whether new ones are rejected: the push service asked to be left alone, or answers nobody.
    pub is_closed: bool,
}

impl AdaptiveLimiter {
    /// A limiter of requests to an origin.
    pub fn new(bounds: LimiterBounds, origin: Arc<OriginMemory>) -> Self {
        let bounds = LimiterBounds {
            initial: bounds.initial.max(1),
            ceiling: bounds.ceiling.clamp(1, MAX_PERMITS),
            ..bounds
        };
        let state = AimdState::new(bounds, origin, Instant::now());
        Self {
            permits: Arc::new(Semaphore::new(state.limit)),
            state: Mutex::new(state),
            closed: Notify::new(),
            permit_timeout: bounds.permit_timeout,
        }
    }

    /// Whether it is worth preparing a request: there is a permit, or one to wait for.
    pub fn check(&self) -> Result<(), Rejected> {
        let free = self.permits.available_permits() > 0;
        self.state().admission.admit(free, Instant::now())
    }

    /// A permit, at once or within `permit_timeout`. Those who wait are rejected as soon as the origin is paused or answers
    /// nobody: their permit would come too late to be of use.
    pub async fn acquire(self: &Arc<Self>) -> Result<PushPermit, Rejected> {
        self.check()?;
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(self.issue(permit));
        }
        let _waiting = WaiterGuard::new(self);
        let entered = timeout(self.permit_timeout, self.wait()).await;
        entered.unwrap_or_else(|_| Err(self.state().admission.reject(Instant::now())))
    }

    /// Takes note of a page that begins while nothing is in flight to the origin, if `is_origin_idle`. At most `ceiling` are admitted
    /// at a time from now on; a higher ceiling is reached step by step.
    pub fn begin_page(&self, ceiling: usize, is_origin_idle: bool) {
        let mut state = self.state();
        let before = state.limit;
        let ceiling = ceiling.clamp(1, MAX_PERMITS);
        state.begin_page(ceiling, is_origin_idle, Instant::now());
        self.resize(&mut state, before);
    }

    /// How long so many of a page who were rejected are to stay away, all together.
    pub fn reserve(&self, count: usize) -> Duration {
        let mut state = self.state();
        let limit = state.limit;
        state.admission.reserve(count, limit, Instant::now())
    }

    /// What it permits now, and who waits for it.
    pub fn load(&self) -> LimiterLoad {
        let state = self.state();
        LimiterLoad {
            limit: state.limit,
            waiting: state.admission.waiting,
            is_closed: state.admission.is_closed(Instant::now()),
        }
    }

    /// Whether nothing is in flight or waits, and a new limiter would behave the same.
    pub fn is_forgettable(&self) -> bool {
        self.state().is_forgettable(Instant::now())
    }

    fn state(&self) -> MutexGuard<'_, AimdState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait(self: &Arc<Self>) -> Result<PushPermit, Rejected> {
        let mut permit = pin!(Arc::clone(&self.permits).acquire_owned());
        let unresponsive_windows = self.state().admission.unresponsive_windows;
        loop {
            let closed = self.closed.notified();
            self.state()
                .admission
                .check_open(unresponsive_windows, Instant::now())?;
            tokio::select! {
                Ok(permit) = &mut permit => {
                    // Issued before the check, so that a rejected one is dropped as a permit and counts toward shrinking.
                    let issued = self.issue(permit);
                    self.state().admission.check_open(unresponsive_windows, Instant::now())?;
                    return Ok(issued);
                }
                () = closed => {}
            }
        }
    }

    fn issue(self: &Arc<Self>, permit: OwnedSemaphorePermit) -> PushPermit {
        let generation = self.state().start();
        PushPermit {
            limiter: Arc::clone(self),
            permit: Some(permit),
            generation,
        }
    }

    fn record(&self, feedback: Feedback, generation: u64) {
        let mut state = self.state();
        let before = state.limit;
        let has_closed = state.record(feedback, generation, Instant::now());
        self.resize(&mut state, before);
        drop(state);
        if has_closed {
            self.closed.notify_waiters();
        }
    }

    /// Adds permits, or takes them away: free ones at once, the others when they are released.
    fn resize(&self, state: &mut AimdState, before: usize) {
        let limit = state.limit;
        if limit > before {
            self.permits
                .add_permits(state.settle_shrink(limit - before));
        } else if limit < before {
            let taken = self.permits.forget_permits(before - limit);
            state.defer_shrink(before - limit - taken);
        }
    }
}

/// The right to a request in flight. Dropped without [`Self::release`], it goes back and says nothing about the origin.
pub struct PushPermit {
    limiter: Arc<AdaptiveLimiter>,
    permit: Option<OwnedSemaphorePermit>,
    generation: u64,
}

impl PushPermit {
    /// Gives it back with what became of the request.
    pub fn release(self, feedback: Feedback) {
        self.limiter.record(feedback, self.generation);
    }
}

impl Drop for PushPermit {
    fn drop(&mut self) {
        let is_shrinking = self.limiter.state().finish();
        if let Some(permit) = self.permit.take()
            && is_shrinking
        {
            permit.forget();
        }
    }
}

/// Counts one request as waiting for as long as it lives, because waiting is bounded.
struct WaiterGuard<'a>(&'a AdaptiveLimiter);

impl<'a> WaiterGuard<'a> {
    fn new(limiter: &'a AdaptiveLimiter) -> Self {
        limiter.state().admission.waiting += 1;
        Self(limiter)
    }
}

impl Drop for WaiterGuard<'_> {
    fn drop(&mut self) {
        self.0.state().admission.waiting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{AdaptiveLimiter, Feedback, LimiterBounds, OriginMemory, Rejected};

    const PERMIT_TIMEOUT: Duration = Duration::from_millis(10);
    const ANSWERED: Feedback = Feedback::Answered(Duration::from_millis(1));

    /// A limiter that admits so many from the start.
    fn limiter(ceiling: usize, permit_timeout: Duration) -> Arc<AdaptiveLimiter> {
        let bounds = LimiterBounds {
            initial: ceiling,
            ceiling,
            permit_timeout,
        };
        let origin = Arc::new(OriginMemory::new(Instant::now()));
        Arc::new(AdaptiveLimiter::new(bounds, origin))
    }

    async fn fill(limiter: &Arc<AdaptiveLimiter>, count: usize) -> Vec<super::PushPermit> {
        let mut held = Vec::new();
        for _ in 0..count {
            held.push(limiter.acquire().await.expect("a permit"));
        }
        held
    }

    #[tokio::test]
    async fn who_waits_too_long_is_rejected() {
        let limiter = limiter(1, PERMIT_TIMEOUT);
        let held = fill(&limiter, 1).await;
        assert!(matches!(limiter.acquire().await, Err(Rejected::Paused(_))));
        drop(held);
        assert!(limiter.acquire().await.is_ok(), "the permit is free again");
    }

    #[tokio::test]
    async fn a_throttled_limiter_admits_half_as_many() {
        let limiter = limiter(8, PERMIT_TIMEOUT);
        for permit in fill(&limiter, 8).await {
            permit.release(Feedback::Throttled(None));
        }
        let held = fill(&limiter, 4).await;
        assert!(limiter.acquire().await.is_err());
        for permit in held {
            permit.release(ANSWERED);
        }
        assert!(limiter.permits.available_permits() > 4, "and more again");
    }

    #[tokio::test]
    async fn nothing_is_admitted_while_the_origin_is_paused() {
        let limiter = limiter(2, PERMIT_TIMEOUT);
        for permit in fill(&limiter, 2).await {
            permit.release(Feedback::Throttled(Some(Duration::from_mins(1))));
        }
        let Err(Rejected::Paused(wait)) = limiter.acquire().await else {
            panic!("admitted");
        };
        assert!(wait > Duration::from_secs(50), "{wait:?}");
    }

    #[tokio::test]
    async fn who_waits_fails_like_those_who_get_no_answer() {
        let limiter = limiter(1, Duration::from_hours(1));
        let held = fill(&limiter, 1).await.remove(0);
        let waiting = tokio::spawn({
            let limiter = Arc::clone(&limiter);
            async move { limiter.acquire().await.err() }
        });
        tokio::task::yield_now().await;
        held.release(Feedback::Unanswered);
        assert_eq!(
            waiting.await.expect("no panic"),
            Some(Rejected::Unresponsive)
        );
        let probe = limiter.acquire().await.expect("one may find out");
        assert_eq!(limiter.check(), Err(Rejected::Unresponsive));
        probe.release(ANSWERED);
        assert!(limiter.check().is_ok());
    }

    #[tokio::test]
    async fn a_lowered_ceiling_takes_the_permits_that_are_released() {
        let limiter = limiter(4, PERMIT_TIMEOUT);
        let held = fill(&limiter, 4).await;
        limiter.begin_page(1, false);
        drop(held);
        let _held = fill(&limiter, 1).await;
        assert!(limiter.acquire().await.is_err());
    }
}
