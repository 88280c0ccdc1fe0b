//! Sends pushes to any number of push services: a pool of connections for each origin, a gate for each app in front of it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hato_domain::{AppId, UnixMillis};
use http::StatusCode;
use tokio::time::Instant;

use crate::answer::{Answer, retry_after};
use crate::connection::NoAnswer;
use crate::connector::{Connector, NoConnection};
use crate::gate::{Closed, Gate, Report};
use crate::openings::{Opener, Openings};
use crate::origin::Origin;
use crate::pool::{Pool, Undelivered};
use crate::push::Push;
use crate::roots::BadRoots;
use crate::settings::{DeliverySettings, OriginLimits};

/// Pools and gates kept before the idle ones among them are forgotten early.
const KEPT: usize = 16_384;
/// How long an idle pool is kept.
const IDLE: Duration = Duration::from_mins(1);

/// The client of all push services.
pub struct PushClient {
    connector: Arc<Connector>,
    limits: OriginLimits,
    answer_timeout: Duration,
    turn_patience: Duration,
    pools: Mutex<HashMap<Origin, Arc<Pool>>>,
    gates: Mutex<HashMap<(AppId, Origin), Arc<Gate>>>,
    openings: Openings,
}

/// The way of an app's pushes to an origin.
#[derive(Clone)]
pub struct Way {
    gate: Arc<Gate>,
    pool: Arc<Pool>,
    opener: Opener,
}

impl Way {
    /// Whether it is worth preparing a push.
    pub fn look(&self) -> Result<(), Closed> {
        self.gate.look()
    }
}

impl PushClient {
    /// One that goes by `settings`.
    pub fn new(settings: &DeliverySettings) -> Result<Self, BadRoots> {
        Ok(Self {
            connector: Arc::new(Connector::new(settings)?),
            limits: settings.per_origin,
            answer_timeout: settings.answer_timeout,
            turn_patience: settings.turn_patience,
            pools: Mutex::new(HashMap::new()),
            gates: Mutex::new(HashMap::new()),
            openings: Openings::new(settings.openings_per_app),
        })
    }

    /// The way of `app` to `origin`.
    pub fn way(&self, app: &AppId, origin: &Origin) -> Way {
        let pool = self.pool(origin);
        let gate = self.gate(app, origin);
        gate.set_ceiling(pool.ceiling());
        let opener = self.openings.of(app);
        Way { gate, pool, opener }
    }

    /// Sends a push and answers what the push service said, whatever it said; redirects are not followed. `now` is asked
    /// when an answer names a date.
    pub async fn send(
        &self,
        way: &Way,
        push: &Push,
        now: impl Fn() -> UnixMillis,
    ) -> Result<Answer, Undelivered> {
        if self.connector.is_full() {
            self.forget_idle(Duration::ZERO);
        }
        let place = way.gate.enter().await?;
        let result = way.pool.send(push, &way.opener, self.answer_timeout).await;
        place.leave(report(&result, now));
        result
    }

    /// Closes the connections that were not used for a minute, and forgets gates that know nothing any more.
    pub fn tidy(&self) {
        self.forget_idle(IDLE);
        keep_known(&mut lock(&self.gates));
        self.openings.tidy();
    }

    fn pool(&self, origin: &Origin) -> Arc<Pool> {
        let mut pools = lock(&self.pools);
        if let Some(pool) = pools.get(origin) {
            return Arc::clone(pool);
        }
        if pools.len() >= KEPT {
            keep_used(&mut pools, Instant::now());
        }
        let pool = Pool::new(origin.clone(), Arc::clone(&self.connector), self.limits);
        insert(&mut pools, origin.clone(), pool)
    }

    fn gate(&self, app: &AppId, origin: &Origin) -> Arc<Gate> {
        let mut gates = lock(&self.gates);
        let key = (app.clone(), origin.clone());
        if let Some(gate) = gates.get(&key) {
            return Arc::clone(gate);
        }
        if gates.len() >= KEPT {
            keep_known(&mut gates);
        }
        insert(
            &mut gates,
            key,
            Gate::new(self.limits.requests, self.turn_patience),
        )
    }

    fn forget_idle(&self, unused_for: Duration) {
        let now = Instant::now();
        keep_used(
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
fn keep_used(pools: &mut HashMap<Origin, Arc<Pool>>, since: Instant) {
    pools.retain(|_, pool| Arc::strong_count(pool) > 1 || !pool.is_idle_since(since));
}

fn keep_known(gates: &mut HashMap<(AppId, Origin), Arc<Gate>>) {
    gates.retain(|_, gate| Arc::strong_count(gate) > 1 || !gate.is_forgettable());
}

fn report(result: &Result<Answer, Undelivered>, now: impl Fn() -> UnixMillis) -> Report {
    match result {
        Ok(answer) if is_throttling(answer.status) => {
            Report::Throttled(retry_after(&answer.headers, now()))
        }
        Ok(_) => Report::Answered,
        Err(
            Undelivered::NoAnswer(NoAnswer::Late)
            | Undelivered::NoConnection(NoConnection::Unreachable(_)),
        ) => Report::Unanswered,
        Err(_) => Report::Unclear,
    }
}

fn is_throttling(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE
}
