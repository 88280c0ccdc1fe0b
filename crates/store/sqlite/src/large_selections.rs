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

/// Lets one large selection be written at a time, and rests after each.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::{LONGEST_REST, LargeSelections};

    #[tokio::test(start_paused = true)]
    async fn the_next_write_waits_a_hundred_times_as_long_as_the_last_one_took() {
        let (turns, began) = (LargeSelections::default(), Instant::now());
        turns.in_turn(sleep(Duration::from_millis(1))).await;
        assert_eq!(began.elapsed(), Duration::from_millis(1), "at once");
        turns.in_turn(async {}).await;
        assert_eq!(began.elapsed(), Duration::from_millis(101));
        turns.in_turn(sleep(Duration::from_secs(1))).await;
        let slow = Instant::now();
        turns.in_turn(async {}).await;
        assert_eq!(slow.elapsed(), LONGEST_REST, "and no longer than that");
    }

    #[tokio::test(start_paused = true)]
    async fn one_write_runs_at_a_time() {
        let (turns, began) = (LargeSelections::default(), Instant::now());
        let write = || turns.in_turn(async { sleep(Duration::from_secs(1)).await });
        tokio::join!(write(), write());
        assert_eq!(
            began.elapsed(),
            Duration::from_secs(2) + LONGEST_REST,
            "and the second rests before it"
        );
    }
}
