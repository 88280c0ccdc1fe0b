//! How what a process has claimed stays with it for as long as it works on it.

use std::ops::ControlFlow;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Renews a lease again and again, three times as often as it would end, the first time a third of it after `claimed_at`, until `renew`
/// breaks. A renewal that fails may be the next time's.
pub async fn renew_repeatedly<Lost, Renewing: Future<Output = ControlFlow<Lost>>>(
    lease: Duration,
    claimed_at: Instant,
    renew: impl Fn() -> Renewing,
) -> Lost {
    let mut renewed_at = claimed_at;
    loop {
        sleep_until(renewed_at + lease / 3).await;
        renewed_at = Instant::now();
        if let ControlFlow::Break(lost) = renew().await {
            return lost;
        }
    }
}
