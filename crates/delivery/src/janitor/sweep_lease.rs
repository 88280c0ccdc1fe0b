//! The lease under which a janitor sweeps, while those of other processes wait.

use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::Store;
use tokio::time::Instant;

/// How long a lease lasts unless it is renewed: when the process dies, another one goes on after that. A step that takes longer lets
/// another one begin, which does no harm.
const LEASE: Duration = Duration::from_secs(15);
/// A lease that is older is renewed before the next step.
const RENEWAL_AGE: Duration = Duration::from_secs(3);

/// A lease that is held.
pub(super) struct SweepLease<'s> {
    store: &'s dyn Store,
    holder: i64,
    taken_at: Instant,
}

impl<'s> SweepLease<'s> {
    /// The lease, for the janitor that the store knows as `holder`; `None` while another one has it.
    pub(super) async fn take(store: &'s dyn Store, holder: i64, now: UnixMillis) -> Option<Self> {
        let taken_at = Instant::now();
        let is_taken = ask(store, holder, now).await;
        is_taken.then_some(Self {
            store,
            holder,
            taken_at,
        })
    }

    /// Renews the lease where that is due; `false` when it was lost.
    pub(super) async fn keep(&mut self, now: UnixMillis) -> bool {
        let moment = Instant::now();
        if moment.saturating_duration_since(self.taken_at) < RENEWAL_AGE {
            return true;
        }
        self.taken_at = moment;
        ask(self.store, self.holder, now).await
    }
}

async fn ask(store: &dyn Store, holder: i64, now: UnixMillis) -> bool {
    let leased = store.lease_sweep(holder, now, LEASE).await;
    leased.unwrap_or_else(|error| {
        tracing::warn!(%error, "the lease of the sweep cannot be taken");
        false
    })
}
