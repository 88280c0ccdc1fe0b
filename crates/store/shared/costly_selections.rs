//! Turns of those who read a large part of an app's subscriptions to choose the recipients of a send.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::AppId;
use hato_service::{HeavyReadPermit, HeavyReads};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Selections that are made at a time, and how long one waits for others.
const AT_A_TIME: usize = 2;
const MAX_WAIT: Duration = Duration::from_secs(10);

/// What asks who the recipients are.
#[derive(Clone, Copy)]
pub(crate) enum SelectionOccasion {
    /// A client, who may have any number of requests.
    Request,
    /// A scheduled send that is due, of which the scheduler starts a few at a time.
    Schedule,
}

/// Lets the requests for an app make one costly selection at a time, and those for all apps two. Scheduled sends have two of their own: no
/// number of requests keeps them waiting.
pub(crate) struct CostlySelections {
    of_apps: HeavyReads<AppId>,
    requests: Arc<Semaphore>,
    scheduled: Arc<Semaphore>,
}

/// Held while a costly selection is made.
pub(crate) type CostlyTurn = (Option<HeavyReadPermit>, OwnedSemaphorePermit);

impl Default for CostlySelections {
    fn default() -> Self {
        Self {
            of_apps: HeavyReads::default(),
            requests: Arc::new(Semaphore::new(AT_A_TIME)),
            scheduled: Arc::new(Semaphore::new(AT_A_TIME)),
        }
    }
}

impl CostlySelections {
    /// Waits for a turn; in vain as who finds no connection.
    pub(crate) async fn turn(
        &self,
        app: &AppId,
        occasion: SelectionOccasion,
    ) -> sqlx::Result<CostlyTurn> {
        let waiting = async {
            match occasion {
                SelectionOccasion::Request => {
                    let of_app = self.of_apps.wait_for_permit(app).await;
                    let permit = Arc::clone(&self.requests).acquire_owned();
                    Ok((Some(of_app), permit.await?))
                }
                SelectionOccasion::Schedule => {
                    let permit = Arc::clone(&self.scheduled).acquire_owned();
                    Ok((None, permit.await?))
                }
            }
        };
        let turn: Result<CostlyTurn, AcquireError> = timeout(MAX_WAIT, waiting)
            .await
            .map_err(|_| sqlx::Error::PoolTimedOut)?;
        turn.map_err(|_| sqlx::Error::PoolClosed)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use hato_domain::AppId;

    use super::{CostlySelections, SelectionOccasion};

    const REQUEST: SelectionOccasion = SelectionOccasion::Request;

    fn app(id: &str) -> AppId {
        AppId::trusted(id.to_owned())
    }

    #[tokio::test]
    async fn requests_for_an_app_select_one_costly_part_at_a_time_and_all_two() {
        let turns = CostlySelections::default();
        let [first, second, third] = ["app_a", "app_b", "app_c"].map(app);
        let held = turns.turn(&first, REQUEST).await.expect("a turn");
        let mut again = Box::pin(turns.turn(&first, REQUEST));
        assert!(again.as_mut().now_or_never().is_none(), "the app has one");
        let other = turns.turn(&second, REQUEST).await.expect("another app's");
        let mut last = Box::pin(turns.turn(&third, REQUEST));
        assert!(last.as_mut().now_or_never().is_none(), "there are two");
        let scheduled = turns.turn(&first, SelectionOccasion::Schedule);
        drop(scheduled.await.expect("scheduled sends have others"));
        drop(other);
        drop(last.await.expect("its turn"));
        drop(held);
        drop(again.await.expect("its turn"));
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_is_told_so() {
        let turns = CostlySelections::default();
        let held = turns.turn(&app("app_a"), REQUEST).await.expect("a turn");
        let waited = turns.turn(&app("app_a"), REQUEST).await;
        assert!(matches!(waited, Err(sqlx::Error::PoolTimedOut)));
        drop(held);
    }
}
