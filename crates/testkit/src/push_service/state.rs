//! The state that the TLS, WebSocket and control sides share.

use super::{
    autopush_error::AutopushError,
    browsers::Browsers,
    keys,
    options::{Decryption, PushServiceOptions},
    scripted_response::Script,
    seen::SeenTraffic,
    subscription::{BrowserSubscription, StoredSubscription, make_many},
    vapid::SignedToken,
};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{sync::watch, time::Instant};

/// Senders keep a token for an hour or more: a few hundred covers many apps.
const CACHED_TOKENS: usize = 512;

/// What the three sides of one push service share.
pub(super) struct SharedState {
    pub(super) origin: String,
    pub(super) latency: Duration,
    /// The time of one request, when they are handled one after the other.
    pub(super) handling_time: Option<Duration>,
    decryption: Decryption,
    arrived: AtomicU64,
    /// When the last of the requests so far is handled.
    handled_until: Mutex<Instant>,
    state: Mutex<ServiceState>,
    /// Tokens whose signature was verified, by header value: verifying costs more than all else.
    tokens: Mutex<HashMap<String, SignedToken>>,
    /// Counts changes of the state; whoever waits for something is woken by it.
    changes: watch::Sender<u64>,
    /// Raised to end all sockets of browsers.
    disconnects: watch::Sender<u64>,
}

/// The part of the state that is under the lock.
pub(super) struct ServiceState {
    pub(super) subscriptions: HashMap<String, StoredSubscription>,
    pub(super) script: Script,
    /// Subscriptions whose pushes wait for their answers.
    pub(super) held: HashSet<String>,
    pub(super) seen: SeenTraffic,
    pub(super) browsers: Browsers,
}

impl SharedState {
    pub(super) fn new(origin: String, options: &PushServiceOptions) -> Self {
        Self {
            origin,
            latency: options.latency,
            handling_time: options
                .requests_per_second
                .map(|rate| Duration::from_secs(1) / rate),
            handled_until: Mutex::new(Instant::now()),
            decryption: options.decryption,
            arrived: AtomicU64::new(0),
            state: Mutex::new(ServiceState {
                subscriptions: HashMap::new(),
                script: Script::new(),
                held: HashSet::new(),
                seen: SeenTraffic::default(),
                browsers: Browsers::default(),
            }),
            tokens: Mutex::new(HashMap::new()),
            changes: watch::Sender::new(0),
            disconnects: watch::Sender::new(0),
        }
    }

    /// Counts an arrival and says whether it is to be decrypted and kept.
    pub(super) fn should_keep_next(&self) -> bool {
        let number = self.arrived.fetch_add(1, Ordering::Relaxed);
        self.decryption.wants(number)
    }

    /// Waits for a request's turn to be handled.
    pub(super) async fn wait_for_turn(&self) {
        let Some(handling_time) = self.handling_time else {
            return;
        };
        let turn = {
            let mut until = self
                .handled_until
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *until = (*until).max(Instant::now()) + handling_time;
            *until
        };
        tokio::time::sleep_until(turn).await;
    }

    /// Locks the state; the lock must not be held across an await.
    pub(super) fn lock(&self) -> MutexGuard<'_, ServiceState> {
        // A test's assertion may have failed under the lock; the state is whole even so.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes whoever waits.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut ServiceState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changes.send_modify(|count| *count += 1);
        result
    }

    /// A receiver that wakes at each later change of the state.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// A receiver that wakes when sockets of browsers are to end.
    pub(super) fn disconnects(&self) -> watch::Receiver<u64> {
        self.disconnects.subscribe()
    }

    pub(super) fn disconnect_browsers(&self) {
        self.disconnects.send_modify(|count| *count += 1);
    }

    /// Waits until `done` holds; false when it did not within `limit`.
    pub(super) async fn wait(&self, limit: Duration, done: impl Fn(&SeenTraffic) -> bool) -> bool {
        let mut changes = self.changes();
        let waiting = async {
            while !done(&self.lock().seen) {
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::time::timeout(limit, waiting).await.is_ok()
    }

    /// Waits as long as pushes to the subscription are held.
    pub(super) async fn wait_while_held(&self, id: &str) {
        let mut changes = self.changes();
        while self.lock().held.contains(id) {
            changes
                .changed()
                .await
                .expect("the borrowed state keeps the sender");
        }
    }

    /// Makes subscriptions bound to the key, if any; None when it is no application server key.
    pub(super) fn subscribe(
        &self,
        application_server_key: Option<&str>,
        count: usize,
    ) -> Option<Vec<BrowserSubscription>> {
        let key = match application_server_key {
            Some(text) => Some(Arc::from(keys::decode_application_server_key(text)?)),
            None => None,
        };
        let made = make_many(&self.origin, key.as_ref(), count);
        let store = |state: &mut ServiceState| {
            let remember = |(browser, subscription): (BrowserSubscription, _)| {
                state.subscriptions.insert(browser.id.clone(), subscription);
                browser
            };
            made.into_iter().map(remember).collect()
        };
        Some(self.change(store))
    }

    /// Ends a subscription: its endpoint answers 410 with errno 106 from now on. False when there is none.
    pub(super) fn unsubscribe(&self, id: &str) -> bool {
        self.change(|state| match state.subscriptions.get_mut(id) {
            Some(subscription) => {
                subscription.gone = true;
                true
            }
            None => false,
        })
    }

    /// The token of an Authorization header, its signature verified.
    pub(super) fn token(&self, header: &str) -> Result<SignedToken, AutopushError> {
        let cache = || self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = cache().get(header) {
            return Ok(token.clone());
        }
        let token = SignedToken::read(header)?;
        let mut tokens = cache();
        if tokens.len() >= CACHED_TOKENS {
            tokens.clear();
        }
        tokens.insert(header.to_owned(), token.clone());
        Ok(token)
    }

    /// How many different tokens are kept.
    pub(super) fn tokens(&self) -> usize {
        let tokens = self.tokens.lock();
        tokens.unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// The time since 1970 by the machine's clock.
#[expect(
    clippy::disallowed_methods,
    reason = "a peer outside the server goes by the real clock"
)]
pub(super) fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("the clock is past 1970")
}
