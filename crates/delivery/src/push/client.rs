//! Pushes to any number of push services: a pool of connections for each origin, a limiter for each app in front of it.
//!
//! A pool is shared by all apps, since a connection costs a handshake and carries anybody's requests; a limiter is not, since push
//! services throttle a sender and one app must not slow the others.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hato_domain::{AppId, UnixMillis};
use hato_outbound::{RootStoreError, retry_after};
use tokio::sync::Semaphore;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::metrics::record_push;
use crate::push::limiter::{AdaptiveLimiter, Feedback, LimiterBounds, OriginMemory};
use crate::push::origin::Origin;
use crate::push::pool::connection_permits::ConnectionOwner;
use crate::push::pool::connector::Connector;
use crate::push::pool::error::{ConnectError, DeliveryError, ExchangeError};
use crate::push::pool::{ConnectionOpener, Pool};
use crate::push::request::Push;
use crate::push::response::{PushResponse, StatusClass};
use crate::push::settings::{DeliverySettings, OriginLimits};
use crate::push::shared_map::SharedMap;
use crate::push::snapshot::{OriginSnapshot, busiest};

/// How long an idle pool is kept.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// How often idle pools are looked for.
const EVICT_INTERVAL: Duration = Duration::from_secs(10);

/// The client of all push services.
pub struct PushClient {
    connector: Arc<Connector>,
    limits: OriginLimits,
    response_timeout: Duration,
    permit_timeout: Duration,
    connects_per_app: usize,
    pools: SharedMap<Origin, Pool>,
    limiters: SharedMap<(AppId, Origin), AdaptiveLimiter>,
    /// What the limiters of all apps at an origin share; each of them keeps it from being forgotten.
    origin_memories: SharedMap<Origin, OriginMemory>,
    connect_limits: SharedMap<AppId, Semaphore>,
}

/// The way of an app's pushes to an origin. Whoever holds it keeps its limiter and its pool from being forgotten.
#[derive(Clone)]
pub struct PushRoute {
    limiter: Arc<AdaptiveLimiter>,
    pool: Arc<Pool>,
    opener: Arc<ConnectionOpener>,
}

impl PushRoute {
    /// Whether it is worth preparing a push: its encryption is wasted if the limiter then rejects it, or this machine cannot connect.
    pub fn check(&self) -> Result<(), DeliveryError> {
        self.limiter.check()?;
        Ok(self.pool.check()?)
    }
}

impl PushClient {
    /// A client with the bounds, permitted networks and trusted roots of `settings`.
    pub fn new(settings: &DeliverySettings) -> Result<Self, RootStoreError> {
        Ok(Self {
            connector: Arc::new(Connector::new(settings)?),
            limits: settings.per_origin,
            response_timeout: settings.response_timeout,
            permit_timeout: settings.permit_timeout,
            connects_per_app: settings.connects_per_app.max(1),
            pools: SharedMap::default(),
            limiters: SharedMap::default(),
            origin_memories: SharedMap::default(),
            connect_limits: SharedMap::default(),
        })
    }

    /// What a page of `app` needs for pushes to `origin`: the pool, the limiter, and the right to open connections.
    pub fn route(&self, app: &AppId, origin: &Origin) -> PushRoute {
        let pool = self.pool(origin);
        let limiter = self.limiter(app, origin);
        limiter.begin_page(pool.ceiling(), pool.is_idle());
        let owner = ConnectionOwner {
            app: app.clone(),
            host: Arc::clone(&origin.host),
        };
        let opener = ConnectionOpener {
            owner: Arc::new(owner),
            connect_limit: self.connect_limit(app),
        };
        PushRoute {
            limiter,
            pool,
            opener: Arc::new(opener),
        }
    }

    /// Makes a push and returns what the push service said, whatever it said; redirects are not followed. `now` is asked
    /// when `Retry-After` names a date.
    pub async fn push(
        &self,
        route: &PushRoute,
        push: &Push,
        now: impl Fn() -> UnixMillis,
    ) -> Result<PushResponse, DeliveryError> {
        let permit = route.limiter.acquire().await?;
        let result = route
            .pool
            .push(push, &route.opener, self.response_timeout)
            .await;
        permit.release(feedback(&push.target.origin, &result, now));
        let (response, took) = result?;
        record_push(took);
        Ok(response)
    }

    /// How long so many of a page whom the limiter of `app` at `origin` has rejected are to stay away.
    pub fn reserve(&self, app: &AppId, origin: &Origin, count: usize) -> Duration {
        self.limiter(app, origin).reserve(count)
    }

    /// Closes idle connections for as long as it is polled: those that others wait for at once, and any other after a minute. Forgets
    /// limiters that know nothing any more.
    pub async fn close_idle(&self) {
        let mut ticks = interval(EVICT_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => self.evict_idle(),
                () = self.connector.permits.wanted() => self.pools.for_each(|_, pool| pool.make_room()),
            }
        }
    }

    /// What is in work at each origin: the busiest ones by name, and the others together.
    pub fn origins(&self) -> Vec<OriginSnapshot> {
        let mut origins: HashMap<Origin, OriginSnapshot> = HashMap::new();
        self.pools.for_each(|origin, pool| {
            let snapshot = origins.entry(origin.clone()).or_default();
            snapshot.connections = pool.connections();
            snapshot.requests = pool.requests();
        });
        self.limiters.for_each(|(_, origin), limiter| {
            let (load, snapshot) = (limiter.load(), origins.entry(origin.clone()).or_default());
            snapshot.limit += load.limit;
            snapshot.waiting += load.waiting;
            snapshot.paused_apps += usize::from(load.is_closed);
        });
        let named = origins
            .into_iter()
            .map(|(origin, snapshot)| OriginSnapshot {
                name: origin.to_string(),
                ..snapshot
            });
        busiest(named.collect())
    }

    fn evict_idle(&self) {
        let now = Instant::now();
        let since = now.checked_sub(IDLE_TIMEOUT).unwrap_or(now);
        self.pools.evict(|pool| pool.is_idle_since(since));
        self.limiters.evict(AdaptiveLimiter::is_forgettable);
        self.origin_memories.evict(|_| true);
        self.connect_limits.evict(|_| true);
    }

    fn pool(&self, origin: &Origin) -> Arc<Pool> {
        let now = Instant::now();
        let is_idle = |pool: &Pool| pool.is_idle_since(now);
        self.pools.get_or_insert(origin.clone(), is_idle, || {
            Pool::new(origin.clone(), Arc::clone(&self.connector), self.limits)
        })
    }

    fn limiter(&self, app: &AppId, origin: &Origin) -> Arc<AdaptiveLimiter> {
        let key = (app.clone(), origin.clone());
        self.limiters
            .get_or_insert(key, AdaptiveLimiter::is_forgettable, || {
                AdaptiveLimiter::new(self.limiter_bounds(), self.origin_memory(origin))
            })
    }

    fn limiter_bounds(&self) -> LimiterBounds {
        LimiterBounds {
            initial: self.limits.initial_requests,
            ceiling: self.limits.requests,
            permit_timeout: self.permit_timeout,
        }
    }

    fn origin_memory(&self, origin: &Origin) -> Arc<OriginMemory> {
        let make = || OriginMemory::new(Instant::now());
        self.origin_memories
            .get_or_insert(origin.clone(), |_| true, make)
    }

    fn connect_limit(&self, app: &AppId) -> Arc<Semaphore> {
        self.connect_limits.get_or_insert(
            app.clone(),
            |_| true,
            || Semaphore::new(self.connects_per_app),
        )
    }
}

fn feedback(
    origin: &Origin,
    result: &Result<(PushResponse, Duration), DeliveryError>,
    now: impl Fn() -> UnixMillis,
) -> Feedback {
    match result {
        Ok((response, _)) if StatusClass::from_response(response, origin).is_throttling() => {
            Feedback::Throttled(retry_after(&response.headers, now()))
        }
        Ok((_, rtt)) => Feedback::Answered(*rtt),
        Err(
            DeliveryError::Exchange(ExchangeError::TimedOut)
            | DeliveryError::Connect(ConnectError::Unreachable(_)),
        ) => Feedback::Unanswered,
        Err(_) => Feedback::Unclear,
    }
}
