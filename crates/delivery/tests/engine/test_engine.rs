//! Apps with subscribers at a push service, a store, and an engine to reach them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::stream::{self, StreamExt as _};
use hato_delivery::{DeliverySettings, Engine};
use hato_domain::notification::Links;
use hato_domain::{
    BrowserKeys, Endpoint, Notification, OutboundPolicy, PageRequest, ProfileChange, PushOptions,
    Schedule, SendId, SubscriptionId, UnixMillis,
};
use hato_service::access::{ActorKind, ActorRecord};
use hato_service::ports::{
    AcceptSendOutcome, Audience, Clock, DeadLetterRecord, NewSend, NewSubscription, NextPage,
    PageClaimRequest, SendRecord, Store,
};
use hato_service::{Notifier, SecretKey, Secrets};
use hato_testkit::TestDatabase;
use hato_testkit::manual_clock::ManualClock;
use hato_testkit::push_service::{
    BrowserSubscription, Decryption, Protocols, PushService, PushServiceOptions,
};

use crate::spy_queue::SpyQueue;
use crate::test_app::TestApp;
use crate::test_log;

pub const ENCRYPTION_KEY: [u8; 32] = [7; 32];
pub const PAYLOAD: &str = r#"{"title":"鳩","body":"coo"}"#;

pub struct TestEngine {
    pub service: PushService,
    pub store: Arc<dyn Store>,
    pub queue: Arc<SpyQueue>,
    pub clock: Arc<ManualClock>,
    pub notifier: Notifier,
    pub settings: DeliverySettings,
    pub app: TestApp,
    number: AtomicU64,
    pub database: TestDatabase,
}

pub fn http1() -> PushServiceOptions {
    PushServiceOptions {
        protocols: Protocols::Http1,
        ..PushServiceOptions::default()
    }
}

/// For many messages: only some are decrypted, which takes long in a debug build.
pub fn many() -> PushServiceOptions {
    PushServiceOptions {
        decryption: Decryption::EveryNth(20),
        ..PushServiceOptions::default()
    }
}

impl TestEngine {
    pub async fn new(database: TestDatabase) -> Self {
        Self::with(database, PushServiceOptions::default()).await
    }

    pub async fn with(database: TestDatabase, options: PushServiceOptions) -> Self {
        test_log::keep();
        let service = PushService::start_with(options).await.expect("a free port");
        let store = hato_store::open(database.url()).await;
        let store = store.expect("a new store");
        let clock = Arc::new(ManualClock::starting_now());
        Self {
            settings: settings(&service),
            service,
            queue: Arc::new(SpyQueue::new(Arc::clone(&store))),
            app: TestApp::new(&*store, "1", clock.now()).await,
            store,
            clock,
            notifier: Notifier::default(),
            number: AtomicU64::new(0),
            database,
        }
    }

    /// Makes another app in the same store, of another account.
    pub async fn other_app(&self) -> TestApp {
        TestApp::new(&*self.store, &self.number(), self.clock.now()).await
    }

    fn number(&self) -> String {
        format!("x{}", self.number.fetch_add(1, Ordering::SeqCst))
    }

    /// So many subscribers of the app, in the order of their pages.
    pub async fn subscribe(&self, count: usize) -> Vec<BrowserSubscription> {
        let app = self.app.clone();
        self.subscribe_at(&self.service, &app, count).await
    }

    /// So many subscribers of an app at a push service.
    pub async fn subscribe_at(
        &self,
        service: &PushService,
        app: &TestApp,
        count: usize,
    ) -> Vec<BrowserSubscription> {
        let subscriptions = service.subscribe_many(Some(&app.public_key), count);
        self.register(app, &subscriptions).await;
        subscriptions
    }

    /// Registers browsers with an app.
    pub async fn register(&self, app: &TestApp, subscriptions: &[BrowserSubscription]) {
        let registering = subscriptions.iter().map(|it| async {
            let registered = self.store.register_subscription(NewSubscription {
                id: SubscriptionId::trusted(format!("sub_{}", self.number())),
                app_id: app.id.clone(),
                endpoint: Endpoint::parse(&it.endpoint).expect("an endpoint"),
                keys: BrowserKeys {
                    p256dh: decode(&it.p256dh),
                    auth: decode(&it.auth),
                },
                vapid_public_key: None,
                platform: None,
                profile: ProfileChange::default(),
                replaces: None,
                origin: None,
                max_active: None,
                now: self.clock.now(),
                created_at: self.clock.now(),
            });
            registered.await.expect("registered");
        });
        // All at once would wait for a connection longer than the pool allows.
        let registering = stream::iter(registering).buffer_unordered(256);
        registering.collect::<()>().await;
    }

    /// Lets the lease of a page in work end, again and again, until it is not renewed before another process claims it.
    pub async fn lose_page_to_another(&self) {
        loop {
            self.advance_clock(self.settings.lease * 2);
            let claim = PageClaimRequest {
                now: self.clock.now(),
                lease: Duration::from_hours(1),
                max_recipients: 500,
                excluded_apps: Vec::new(),
                splits_rest: false,
            };
            let next = self.store.claim_page(claim).await.expect("asked");
            if matches!(next, NextPage::Claimed(_)) {
                return;
            }
        }
    }

    /// Queues a send of the app to all its subscribers.
    pub async fn send(&self) -> SendId {
        self.send_with(PushOptions::default()).await
    }

    pub async fn send_with(&self, options: PushOptions) -> SendId {
        self.send_of(&self.app, options).await
    }

    /// Queues a send of any app to all its subscribers.
    pub async fn send_of(&self, app: &TestApp, options: PushOptions) -> SendId {
        self.accept(app, notification(), options, Schedule::default())
            .await
    }

    /// Queues a send of this notification to all subscribers of the app.
    pub async fn send_notification(&self, notification: Notification) -> SendId {
        let (options, schedule) = (PushOptions::default(), Schedule::default());
        self.accept(&self.app, notification, options, schedule)
            .await
    }

    /// Queues a send of the app to all its subscribers, or has it wait for its time.
    pub async fn schedule(&self, schedule: Schedule) -> SendId {
        self.schedule_of(&self.app, schedule).await
    }

    /// The same with these options.
    pub async fn schedule_with(&self, options: PushOptions, schedule: Schedule) -> SendId {
        self.accept(&self.app, notification(), options, schedule)
            .await
    }

    /// The same of any app.
    pub async fn schedule_of(&self, app: &TestApp, schedule: Schedule) -> SendId {
        self.accept(app, notification(), PushOptions::default(), schedule)
            .await
    }

    async fn accept(
        &self,
        app: &TestApp,
        notification: Notification,
        options: PushOptions,
        schedule: Schedule,
    ) -> SendId {
        let now = self.clock.now();
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        let id = SendId::trusted(format!("snd_{number:032x}"));
        let record = self.store.app(&app.id).await.expect("read");
        let send = NewSend {
            id: id.clone(),
            app_id: app.id.clone(),
            account_id: record.expect("the app").account_id,
            notification,
            options,
            audience: Audience::Everyone,
            actor: ActorRecord {
                kind: ActorKind::ApiKey,
                id: "key_1".into(),
                name: "server".into(),
            },
            idempotency: None,
            schedule,
            max_per_minute: None,
            now,
        };
        let accepted = self.store.accept_send(send).await.expect("judged");
        assert!(matches!(
            accepted,
            AcceptSendOutcome::Queued { .. } | AcceptSendOutcome::Scheduled
        ));
        id
    }

    pub fn engine(&self) -> Engine<SpyQueue> {
        self.engine_with_key(Some(ENCRYPTION_KEY))
    }

    pub fn engine_with_key(&self, encryption_key: Option<[u8; 32]>) -> Engine<SpyQueue> {
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as _;
        self.engine_with_clock(clock, encryption_key)
    }

    /// An engine that goes by this clock.
    pub fn engine_with_clock(
        &self,
        clock: Arc<dyn Clock>,
        encryption_key: Option<[u8; 32]>,
    ) -> Engine<SpyQueue> {
        Engine::new(
            Arc::clone(&self.queue),
            clock,
            Secrets::new(None, encryption_key.map(SecretKey::new)),
            self.notifier.clone(),
            self.settings.clone(),
        )
        .expect("the roots are certificates")
    }

    /// Queues a send and delivers what is due.
    pub async fn deliver(&self) -> SendRecord {
        let send = self.send().await;
        self.run_until_idle().await;
        self.record(&self.app, &send).await
    }

    pub async fn run_until_idle(&self) {
        run(&self.engine()).await;
    }

    /// Queues a send and lets all its attempts pass.
    pub async fn exhaust(&self) -> SendRecord {
        let (engine, send) = (self.engine(), self.send().await);
        for wait in [0, 5, 60, 600] {
            self.advance_clock(Duration::from_secs(wait));
            run(&engine).await;
        }
        self.record(&self.app, &send).await
    }

    /// The send as the history has it.
    pub async fn record(&self, app: &TestApp, send: &SendId) -> SendRecord {
        let record = self.store.send_of(&app.id, send).await.expect("read");
        record.expect("the send")
    }

    /// The app's dead letters: reason, status and attempts.
    pub async fn dead_letters(&self) -> Vec<(String, Option<u16>, i64)> {
        let entry = |it: DeadLetterRecord| (it.reason, it.http_status, it.attempts);
        let mut letters: Vec<_> = self.letters().await.into_iter().map(entry).collect();
        letters.sort();
        letters
    }

    /// What the app's dead letters say besides, those that say something.
    pub async fn details(&self) -> Vec<String> {
        let letters = self.letters().await.into_iter();
        let mut details: Vec<_> = letters.filter_map(|it| it.detail).collect();
        details.sort();
        details
    }

    async fn letters(&self) -> Vec<DeadLetterRecord> {
        let page = PageRequest::parse(None, None, None).expect("the default page");
        let letters = self.store.dead_letters_of(&self.app.id, None, &page, None);
        letters.await.expect("read")
    }

    pub fn advance_clock(&self, span: Duration) {
        self.clock.advance(span);
    }

    pub fn rewind_clock(&self, span: Duration) {
        self.clock.set_back(span);
    }

    /// So many seconds from now.
    pub fn after(&self, seconds: u64) -> UnixMillis {
        self.clock.now().plus(Duration::from_secs(seconds))
    }
}

/// Delivers what is due.
pub async fn run(engine: &Engine<SpyQueue>) {
    engine.run_until_idle().await.expect("the queue answers");
}

/// What is sent where it does not matter: [`PAYLOAD`].
fn notification() -> Notification {
    Notification::new("鳩".into(), "coo".into(), Links::default()).expect("small")
}

fn settings(service: &PushService) -> DeliverySettings {
    let retry_delays = [5, 60, 600].map(Duration::from_secs);
    DeliverySettings {
        outbound: OutboundPolicy::parse("127.0.0.0/8").expect("a CIDR list"),
        outbound_ca: Some(service.ca_pem()),
        // Long enough for a slow machine; tests of time-outs shorten them.
        response_timeout: Duration::from_mins(1),
        connect_timeout: Duration::from_mins(1),
        permit_timeout: Duration::from_mins(1),
        ..DeliverySettings::new("mailto:ops@example.com".into(), retry_delays, 90)
    }
}

fn decode<const N: usize>(text: &str) -> [u8; N] {
    let bytes = URL_SAFE_NO_PAD.decode(text).expect("base64url");
    bytes.try_into().expect("the length")
}
