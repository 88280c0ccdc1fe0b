//! Sends pushes to any number of push services, through a pool for each origin.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::answer::Answer;
use crate::connector::Connector;
use crate::origin::Origin;
use crate::pool::{Pool, Undelivered};
use crate::push::Push;
use crate::roots::BadRoots;
use crate::settings::{DeliverySettings, OriginLimits};

/// Pools kept before the idle ones among them are forgotten early.
const POOLS: usize = 16_384;
/// How long an idle pool is kept.
const IDLE: Duration = Duration::from_mins(1);

/// The client of all push services.
pub struct PushClient {
    connector: Arc<Connector>,
    limits: OriginLimits,
    answer_timeout: Duration,
    pools: Mutex<HashMap<Origin, Arc<Pool>>>,
}

impl PushClient {
    /// One that goes by `settings`.
    pub fn new(settings: &DeliverySettings) -> Result<Self, BadRoots> {
        Ok(Self {
            connector: Arc::new(Connector::new(settings)?),
            limits: settings.per_origin,
            answer_timeout: settings.answer_timeout,
            pools: Mutex::new(HashMap::new()),
        })
    }

    /// Sends a push and answers what the push service said, whatever it said; redirects are not followed.
    pub async fn send(&self, push: &Push) -> Result<Answer, Undelivered> {
        if self.connector.is_full() {
            self.forget_idle(Duration::ZERO);
        }
        self.pool(&push.target.origin)
            .send(push, self.answer_timeout)
            .await
    }

    /// Closes the connections that were not used for a minute.
    pub fn tidy(&self) {
        self.forget_idle(IDLE);
    }

    fn pools(&self) -> MutexGuard<'_, HashMap<Origin, Arc<Pool>>> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pool(&self, origin: &Origin) -> Arc<Pool> {
        let mut pools = self.pools();
        if let Some(pool) = pools.get(origin) {
            return Arc::clone(pool);
        }
        if pools.len() >= POOLS {
            keep_used(&mut pools, Instant::now());
        }
        let pool = Pool::new(origin.clone(), Arc::clone(&self.connector), self.limits);
        let pool = Arc::new(pool);
        pools.insert(origin.clone(), Arc::clone(&pool));
        pool
    }

    fn forget_idle(&self, unused_for: Duration) {
        let now = Instant::now();
        keep_used(
            &mut self.pools(),
            now.checked_sub(unused_for).unwrap_or(now),
        );
    }
}

/// A pool that a request is about to use is held by it, and stays.
fn keep_used(pools: &mut HashMap<Origin, Arc<Pool>>, since: Instant) {
    pools.retain(|_, pool| Arc::strong_count(pool) > 1 || !pool.is_idle_since(since));
}
