//! Sends to a large part of an audience take turns, with a rest between them, so that others' writes seldom meet one.
//!
//! # Why
//!
//! Who the half of a million subscribers are is 128 kB, for which the one writer needs some 2 ms, several times what most else takes. Accepted
//! one after the other, 400 such sends a second made the slowest hundredth of other apps' sends take 3.9 times as long as without them
//! (`accept_p99_beside_tags_over_alone` of the benchmark `bench-audience`, which is to be 2 at most). With the rest it is six a second, more
//! recipients than any machine delivers to. A send that comes alone is accepted at once.

use std::future::Future;
use std::time::Duration;

use hato_service::ports::{Audience, NewSend};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// Recipients from which on it is large.
const LARGE: usize = 10_000;

/// The rest is so many times as long as the write before it.
const REST: u32 = 100;
const LONGEST_REST: Duration = Duration::from_millis(250);

/// Whose turn it is.
#[derive(Default)]
pub(crate) struct LargeSelections {
    /// When the next one may be written. Locked while one is.
    next: Mutex<Option<Instant>>,
}

impl LargeSelections {
    /// Awaits `writing` when its turn has come.
    pub(crate) async fn in_turn<T>(&self, writing: impl Future<Output = T>) -> T {
        let mut next = self.next.lock().await;
        if let Some(next) = *next {
            sleep_until(next).await;
        }
        let began = Instant::now();
        let written = writing.await;
        let rest = LONGEST_REST.min(began.elapsed() * REST);
        *next = Some(Instant::now() + rest);
        written
    }
}

/// Whether the send is to a large selection.
pub(crate) fn is_large(send: &NewSend) -> bool {
    matches!(&send.audience, Audience::Selected(_, positions) if positions.len() > LARGE)
}
