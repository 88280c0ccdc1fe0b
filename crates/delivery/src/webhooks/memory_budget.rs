//! Memory for the bodies of events: as much for each tier as the settings say, however large bodies are. None is made
//! before there is memory for it, and its memory is free again when the last of it is on the wire.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use hato_service::ports::{EventContent, ResultGroup};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of a result at most: an endpoint of 2,048 bytes, and what stands around it.
const RESULT: usize = 2_048 + 256;
/// How often a body exists while it is made: as the database gathers it, as its result, as the texts of that, and as the body.
const COPIES: usize = 4;
/// An event without results.
const SMALL: usize = 4_096;

/// The memory for one tier.
pub struct MemoryBudget {
    kibibytes: Arc<Semaphore>,
    most: u32,
}

/// Some of it, for a body.
pub struct MemoryPermit(Mutex<OwnedSemaphorePermit>);

/// A body with its permit.
struct BudgetedBody {
    body: String,
    _permit: Arc<MemoryPermit>,
}

impl AsRef<[u8]> for BudgetedBody {
    fn as_ref(&self) -> &[u8] {
        self.body.as_bytes()
    }
}

/// Bytes that making a body takes at most.
pub fn body_memory(content: &EventContent) -> usize {
    match content {
        EventContent::Results(_, groups) => {
            let results: usize = groups.iter().map(ResultGroup::count).sum();
            SMALL + results * RESULT * COPIES
        }
        EventContent::Completed(..) | EventContent::Test => SMALL,
    }
}

fn kibibytes(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX)
}

impl MemoryBudget {
    /// For so many bytes.
    pub fn new(bytes: usize) -> Self {
        let most = kibibytes(bytes).max(1);
        Self {
            kibibytes: Arc::new(Semaphore::new(most as usize)),
            most,
        }
    }

    /// Memory for so many bytes, once there is. What needs more than everything gets everything.
    pub async fn acquire(&self, bytes: usize) -> Arc<MemoryPermit> {
        let wanted = kibibytes(bytes).min(self.most);
        let permit = Arc::clone(&self.kibibytes).acquire_many_owned(wanted).await;
        Arc::new(MemoryPermit(Mutex::new(
            permit.expect("it is never closed"),
        )))
    }

    /// Takes over what a permit holds, if there is as much here.
    pub fn transfer(&self, permit: &MemoryPermit) {
        let mut held = permit.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = u32::try_from(held.num_permits()).unwrap_or(u32::MAX);
        if let Ok(permit) = Arc::clone(&self.kibibytes).try_acquire_many_owned(wanted) {
            *held = permit;
        }
    }
}

impl MemoryPermit {
    /// Puts a body in, and gives back what it does not take.
    pub fn attach(self: Arc<Self>, mut body: String) -> Bytes {
        body.shrink_to_fit();
        self.shrink(kibibytes(body.len()));
        Bytes::from_owner(BudgetedBody {
            body,
            _permit: self,
        })
    }

    fn shrink(&self, kibibytes: u32) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let surplus = held.num_permits().saturating_sub(kibibytes as usize);
        drop(held.split(surplus));
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use hato_domain::{ResultStatus, SendId};
    use hato_service::ports::{EventContent, IdRange, RecipientId, ResultGroup};

    use super::{MemoryBudget, body_memory};

    const KIB: usize = 1_024;

    #[tokio::test]
    async fn bodies_wait_for_memory_and_leave_it_when_they_are_gone() {
        let budget = MemoryBudget::new(10 * KIB);
        let first = budget.acquire(8 * KIB).await;
        let mut second = Box::pin(budget.acquire(8 * KIB));
        assert!((&mut second).now_or_never().is_none(), "there is no room");
        let first = first.attach("x".repeat(2 * KIB));
        let second = second.now_or_never().expect("the first is small");
        assert!(budget.acquire(KIB).now_or_never().is_none());
        let part = first.slice(KIB..);
        drop(first);
        assert!(
            budget.acquire(KIB).now_or_never().is_none(),
            "a part is left"
        );
        drop(part);
        drop(budget.acquire(2 * KIB).await);
        drop(second);
        drop(budget.acquire(usize::MAX).await);
    }

    #[tokio::test]
    async fn a_body_of_the_slow_moves_to_their_budget_if_there_is_enough() {
        let (prompt, slow) = (MemoryBudget::new(4 * KIB), MemoryBudget::new(6 * KIB));
        let bodies = [prompt.acquire(4 * KIB).await, slow.acquire(3 * KIB).await];
        slow.transfer(&bodies[0]);
        assert!(prompt.acquire(KIB).now_or_never().is_none(), "there is not");
        let [first, other] = bodies;
        drop(other);
        slow.transfer(&first);
        assert!(prompt.acquire(4 * KIB).now_or_never().is_some());
        assert!(slow.acquire(3 * KIB).now_or_never().is_none());
    }

    #[test]
    fn a_page_of_the_longest_endpoints_is_counted_in_full() {
        let group = ResultGroup {
            status: ResultStatus::Sent,
            http_status: Some(201),
            attempts: 1,
            recipients: IdRange::from_ids((0..500).map(RecipientId).collect()),
        };
        let send = SendId::trusted("snd_1".into());
        let results = EventContent::Results(send, vec![group]);
        assert!(body_memory(&results) > 4 * 500 * 2_048);
        assert!(body_memory(&EventContent::Test) < 5_000);
    }
}
