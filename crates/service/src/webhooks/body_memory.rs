//! How much memory the bodies of events take together: a page of the longest endpoints makes one of more than a megabyte.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ports::EventContent;

/// Bytes of a body without results at most.
const BASE_BYTES: usize = 4_096;
/// Bytes of a result at most: an endpoint of 2,048 bytes, and what stands around it.
const MAX_RESULT_BYTES: usize = 2_048 + 256;
/// How often a body's texts exist while it is made: as rows, as the buffer that grows, and as the body.
const COPIES: usize = 4;

/// Memory for the bodies of all who reserve some of it: one permit for each KiB.
#[derive(Debug)]
pub struct EventBodyMemory {
    free: Arc<Semaphore>,
    total: u32,
}

/// The memory that one body takes, given back when this is dropped.
#[derive(Debug)]
pub struct ReservedBodyMemory(OwnedSemaphorePermit);

impl EventBodyMemory {
    /// So many bytes, and a KiB at least.
    pub fn new(bytes: usize) -> Self {
        let total = kibibytes(bytes).max(1);
        Self {
            free: Arc::new(Semaphore::new(total as usize)),
            total,
        }
    }

    /// Reserves so many bytes, once they are free and all who have waited for longer have theirs. What needs more than everything gets
    /// everything.
    pub async fn reserve(&self, bytes: usize) -> ReservedBodyMemory {
        let wanted = kibibytes(bytes).min(self.total);
        let reserved = Arc::clone(&self.free).acquire_many_owned(wanted);
        ReservedBodyMemory(reserved.await.expect("it is never closed"))
    }
}

impl ReservedBodyMemory {
    /// Gives back what is beyond so many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        let kept = kibibytes(bytes) as usize;
        let surplus = self.0.num_permits().saturating_sub(kept);
        drop(self.0.split(surplus));
    }
}

/// Bytes that making the body of an event with this content takes at most.
pub fn max_event_body_memory(content: &EventContent) -> usize {
    let recipients = content.recipients();
    let recipients: usize = recipients.iter().map(|range| range.count()).sum();
    BASE_BYTES + recipients * MAX_RESULT_BYTES * COPIES
}

fn kibibytes(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use hato_domain::{ResultStatus, SendId};

    use super::{EventBodyMemory, max_event_body_memory};
    use crate::ports::{EventContent, IdRange, RecipientId, ResultGroup};

    const KIB: usize = 1_024;

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
        assert!(max_event_body_memory(&results) > 4 * 500 * 2_048);
        assert!(max_event_body_memory(&EventContent::Test) < 5_000);
    }

    #[tokio::test]
    async fn who_finds_too_little_waits_until_others_have_given_some_back() {
        let memory = EventBodyMemory::new(10 * KIB);
        let reserve = |bytes| memory.reserve(bytes).now_or_never();
        let mut first = memory.reserve(8 * KIB).await;
        assert!(reserve(3 * KIB).is_none());
        first.shrink_to(7 * KIB);
        first.shrink_to(9 * KIB);
        let second = reserve(3 * KIB).expect("what was given back");
        assert!(reserve(1).is_none());
        drop((first, second));
        assert!(reserve(usize::MAX).is_some());
    }
}
