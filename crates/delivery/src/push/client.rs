//! Sends pushes to any number of push services: a pool of connections for each origin, a limiter for each app in front of it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hato_domain::{AppId, UnixMillis};
use hato_outbound::{RootStoreError, retry_after};
use http::StatusCode;
use tokio::time::Instant;

use crate::push::connect_limiter::{AppConnectLimit, ConnectLimiter};
use crate::push::connection::ExchangeError;
use crate::push::connector::{ConnectError, Connector};
use crate::push::limiter::{AdaptiveLimiter, Feedback, Rejected};
use crate::push::origin::Origin;
use crate::push::pool::{DeliveryError, Pool};
use crate::push::request::Push;
use crate::push::response::PushResponse;
use crate::push::settings::{DeliverySettings, OriginLimits};

/// Pools and limiters kept before the idle ones among them are forgotten early.
const MAX_ENTRIES: usize = 16_384;
/// How long an idle pool is kept.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// The client of all push services.
pub struct PushClient {
    connector: Arc<Connector>,
    limits: OriginLimits,
    response_timeout: Duration,
    permit_timeout: Duration,
    pools: Mutex<HashMap<Origin, Arc<Pool>>>,
    limiters: Mutex<HashMap<(AppId, Origin), Arc<AdaptiveLimiter>>>,
    connect_limiter: ConnectLimiter,
}

/// The route of an app's pushes to an origin.
#[derive(Clone)]
pub struct PushRoute {
    limiter: Arc<AdaptiveLimiter>,
    pool: Arc<Pool>,
    connect_limit: AppConnectLimit,
}

impl PushRoute {
    /// Whether it is worth preparing a push.
    pub fn check(&self) -> Result<(), Rejected> {
        self.limiter.check()
    }
}

impl PushClient {
    /// One that goes by `settings`.
    pub fn new(settings: &DeliverySettings) -> Result<Self, RootStoreError> {
        Ok(Self {
            connector: Arc::new(Connector::new(settings)?),
            limits: settings.per_origin,
            response_timeout: settings.response_timeout,
            permit_timeout: settings.permit_timeout,
            pools: Mutex::new(HashMap::new()),
            limiters: Mutex::new(HashMap::new()),
            connect_limiter: ConnectLimiter::new(settings.connects_per_app),
        })
    }

    /// The route of `app` to `origin`.
    pub fn route(&self, app: &AppId, origin: &Origin) -> PushRoute {
        let pool = self.pool(origin);
        let limiter = self.limiter(app, origin);
        limiter.set_ceiling(pool.ceiling());
        let connect_limit = self.connect_limiter.for_app(app);
        PushRoute {
            limiter,
            pool,
            connect_limit,
        }
    }

    /// Sends a push and answers what the push service said, whatever it said; redirects are not followed. `now` is asked
    /// when an answer names a date.
    pub async fn send(
        &self,
        route: &PushRoute,
        push: &Push,
        now: impl Fn() -> UnixMillis,
    ) -> Result<PushResponse, DeliveryError> {
        if self.connector.is_full() {
            self.close_idle_pools(Duration::ZERO);
        }
        let permit = route.limiter.acquire().await?;
        let result = route
            .pool
            .send(push, &route.connect_limit, self.response_timeout)
            .await;
        permit.release(feedback(&result, now));
        result
    }

    /// Closes the connections that were not used for a minute, and forgets limiters that know nothing any more.
    pub fn evict_idle(&self) {
        self.close_idle_pools(IDLE_TIMEOUT);
        evict_forgettable(&mut lock(&self.limiters));
        self.connect_limiter.evict_idle();
    }

    fn pool(&self, origin: &Origin) -> Arc<Pool> {
        let mut pools = lock(&self.pools);
        if let Some(pool) = pools.get(origin) {
            return Arc::clone(pool);
        }
        if pools.len() >= MAX_ENTRIES {
            evict_idle_pools(&mut pools, Instant::now());
        }
        let pool = Pool::new(origin.clone(), Arc::clone(&self.connector), self.limits);
        insert(&mut pools, origin.clone(), pool)
    }

    fn limiter(&self, app: &AppId, origin: &Origin) -> Arc<AdaptiveLimiter> {
        let mut limiters = lock(&self.limiters);
        let key = (app.clone(), origin.clone());
        if let Some(limiter) = limiters.get(&key) {
            return Arc::clone(limiter);
        }
        if limiters.len() >= MAX_ENTRIES {
            evict_forgettable(&mut limiters);
        }
        insert(
            &mut limiters,
            key,
            AdaptiveLimiter::new(self.limits.requests, self.permit_timeout),
        )
    }

    fn close_idle_pools(&self, unused_for: Duration) {
        let now = Instant::now();
        evict_idle_pools(
            &mut lock(&self.pools),
            now.checked_sub(unused_for).unwrap_or(now),
        );
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn insert<K: Eq + Hash, V>(map: &mut HashMap<K, Arc<V>>, key: K, value: V) -> Arc<V> {
    let value = Arc::new(value);
    map.insert(key, Arc::clone(&value));
    value
}

/// A pool that a page is about to use is held by it, and stays.
fn evict_idle_pools(pools: &mut HashMap<Origin, Arc<Pool>>, since: Instant) {
    pools.retain(|_, pool| Arc::strong_count(pool) > 1 || !pool.is_idle_since(since));
}

fn evict_forgettable(limiters: &mut HashMap<(AppId, Origin), Arc<AdaptiveLimiter>>) {
    limiters.retain(|_, limiter| Arc::strong_count(limiter) > 1 || !limiter.is_forgettable());
}

fn feedback(
    result: &Result<PushResponse, DeliveryError>,
    now: impl Fn() -> UnixMillis,
) -> Feedback {
    match result {
        Ok(answer) if is_throttling(answer.status) => {
            Feedback::Throttled(retry_after(&answer.headers, now()))
        }
        Ok(_) => Feedback::Answered,
        Err(
            DeliveryError::Exchange(ExchangeError::Late)
            | DeliveryError::Connect(ConnectError::Unreachable(_)),
        ) => Feedback::Unanswered,
        Err(_) => Feedback::Unclear,
    }
}

fn is_throttling(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE
}
