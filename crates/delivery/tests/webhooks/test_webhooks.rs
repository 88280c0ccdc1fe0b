//! An app with a webhook and subscribers, a store, and a sender.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hato_delivery::{WebhookSender, WebhookSettings};
use hato_domain::notification::Links;
use hato_domain::{
    AccountId, AppId, BrowserKeys, Email, Endpoint, Notification, OutboundPolicy, Plan,
    ProfileChange, PushOptions, Schedule, SendId, SubscriptionId, WebhookUrl,
};
use hato_service::access::{ActorKind, ActorRecord};
use hato_service::ports::{
    AcceptSendOutcome, AccountRecord, AppChange, AttemptRecord, Audience, ChangeAppOutcome,
    ClaimedPage, Clock, NewApp, NewSend, NewSubscription, NextPage, PageClaimRequest,
    QueueTestOutcome, Recipient, SentRecipient, SettleOutcome, Settlement, Store, WebhookRecord,
};
use hato_service::{Notifier, SecretKey, Secrets};
use hato_testkit::TestDatabase;
use hato_testkit::manual_clock::ManualClock;
use hato_testkit::test_ca::TestCa;
use hato_testkit::webhook_receiver::WebhookReceiver;

pub const ENCRYPTION_KEY: [u8; 32] = [7; 32];
pub const DAY: Duration = Duration::from_hours(24);

pub struct TestWebhooks {
    pub test_ca: TestCa,
    pub receiver: WebhookReceiver,
    pub store: Arc<dyn Store>,
    pub clock: Arc<ManualClock>,
    pub notifier: Notifier,
    pub settings: WebhookSettings,
    pub app: AppId,
    number: AtomicU64,
    _database: TestDatabase,
}

/// The waits before the retries of an event, unless a test sets its own.
fn retry_delays() -> Vec<Duration> {
    let seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    seconds.map(Duration::from_secs).to_vec()
}

pub fn any_address() -> OutboundPolicy {
    OutboundPolicy::parse("127.0.0.0/8").expect("a CIDR list")
}

impl TestWebhooks {
    /// An app whose events go to the receiver.
    pub async fn new(database: TestDatabase) -> Self {
        let test_ca = TestCa::new();
        let store = hato_store::open(database.url()).await;
        let mut test = Self {
            receiver: WebhookReceiver::start(&test_ca).await,
            settings: WebhookSettings {
                outbound: any_address(),
                outbound_ca: Some(test_ca.pem()),
                // Long enough for a slow machine; tests of time-outs shorten it.
                response_timeout: Duration::from_mins(1),
                ..WebhookSettings::new(retry_delays())
            },
            test_ca,
            store: store.expect("a new store"),
            clock: Arc::new(ManualClock::starting_now()),
            notifier: Notifier::default(),
            app: AppId::trusted(String::new()),
            number: AtomicU64::new(0),
            _database: database,
        };
        test.app = test.new_app().await;
        test.set_webhook_url(&test.app, test.receiver.url()).await;
        test
    }

    fn number(&self) -> u64 {
        self.number.fetch_add(1, Ordering::SeqCst)
    }

    /// An app of a new account on plan Pro, `NUMBER@example.com`.
    pub async fn new_app(&self) -> AppId {
        let number = self.number();
        let (account, now) = (
            AccountId::trusted(format!("usr_{number}")),
            self.clock.now(),
        );
        let created = self.store.create_account(AccountRecord {
            id: account.clone(),
            email: Email::parse(&format!("{number}@example.com")).expect("an address"),
            password_hash: None,
            plan: Plan::Pro,
            created_at: now,
        });
        assert!(created.await.expect("stored"));
        let id = AppId::trusted(format!("app_{number}"));
        let app = NewApp {
            id: id.clone(),
            account_id: account,
            name: "app".into(),
            vapid_public_key: vec![4; 65],
            sealed_private_key: vec![7; 60],
            created_at: now,
        };
        self.store.create_app(app).await.expect("stored");
        id
    }

    /// Sets an app's webhook.
    pub async fn set_webhook_url(&self, app: &AppId, url: &str) {
        let url = WebhookUrl::parse(url, &any_address()).expect("a URL");
        let set = self
            .store
            .change_app(app, AppChange::from_webhook(Some(url)))
            .await;
        assert!(matches!(set.expect("stored"), ChangeAppOutcome::Changed(_)));
    }

    /// Registers so many subscribers of an app.
    pub async fn subscribe(&self, app: &AppId, count: usize) {
        for _ in 0..count {
            let number = self.number();
            let registered = self.store.register_subscription(NewSubscription {
                id: SubscriptionId::trusted(format!("sub_{number}")),
                app_id: app.clone(),
                endpoint: Endpoint::parse(&format!("https://push.example/{number}"))
                    .expect("an endpoint"),
                keys: BrowserKeys {
                    p256dh: [1; 65],
                    auth: [1; 16],
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
        }
    }

    /// Queues a send of an app to all its subscribers.
    pub async fn send(&self, app: &AppId) -> SendId {
        let now = self.clock.now();
        let id = SendId::trusted(format!("snd_{}", self.number()));
        let record = self.store.app(app).await.expect("read");
        let send = NewSend {
            id: id.clone(),
            app_id: app.clone(),
            account_id: record.expect("the app").account_id,
            notification: Notification::new("t".into(), "b".into(), Links::default())
                .expect("small"),
            options: PushOptions::default(),
            audience: Audience::Everyone,
            actor: ActorRecord {
                kind: ActorKind::ApiKey,
                id: "key_1".into(),
                name: "server".into(),
            },
            idempotency: None,
            schedule: Schedule::default(),
            max_per_minute: None,
            now,
        };
        let accepted = self.store.accept_send(send).await.expect("judged");
        assert!(matches!(accepted, AcceptSendOutcome::Queued { .. }));
        id
    }

    /// The next page with its recipients.
    pub async fn claim(&self) -> (ClaimedPage, Vec<Recipient>) {
        let claim = PageClaimRequest {
            now: self.clock.now(),
            lease: Duration::from_mins(1),
            max_recipients: 500,
            excluded_apps: Vec::new(),
            splits_rest: false,
        };
        let NextPage::Claimed(page) = self.store.claim_page(claim).await.expect("asked") else {
            panic!("a page is due");
        };
        let recipients = self.store.recipients(&page).await.expect("read");
        (*page, recipients)
    }

    pub async fn settle(&self, page: &ClaimedPage, settlement: Settlement) -> SettleOutcome {
        let settled = self.store.settle(page, settlement, self.clock.now());
        settled.await.expect("judged")
    }

    /// Queues a send to all subscribers of an app, and settles its one page with everybody reached.
    pub async fn deliver(&self, app: &AppId) -> SendId {
        let send = self.send(app).await;
        let (page, recipients) = self.claim().await;
        let settlement = Settlement {
            sent: reached(&recipients),
            ..Settlement::default()
        };
        let settled = self.settle(&page, settlement).await;
        assert_eq!(settled, SettleOutcome::RecordedWithEvents);
        send
    }

    /// Queues a test event of the fixture's own app.
    pub async fn queue_test_event(&self) {
        self.queue_test_event_of(&self.app).await;
    }

    /// Queues a test event of any app.
    pub async fn queue_test_event_of(&self, app: &AppId) {
        let queued = self.store.queue_test_event(app, self.clock.now());
        assert_eq!(queued.await.expect("stored"), QueueTestOutcome::Queued);
    }

    pub fn sender(&self) -> WebhookSender<dyn Store> {
        self.sender_with_key(Some(ENCRYPTION_KEY))
    }

    pub fn sender_with_key(&self, key: Option<[u8; 32]>) -> WebhookSender<dyn Store> {
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as _;
        WebhookSender::new(
            Arc::clone(&self.store),
            clock,
            Secrets::new(None, key.map(SecretKey::new)),
            self.notifier.clone(),
            self.settings.clone(),
        )
        .expect("the roots are certificates")
    }

    /// Posts what is due.
    pub async fn post(&self) {
        let posted = self.sender().run_until_idle().await;
        posted.expect("the store answers");
    }

    /// The newest attempts, newest first.
    pub async fn attempts(&self) -> Vec<AttemptRecord> {
        let attempts = self.store.webhook_attempts(&self.app, 100).await;
        attempts.expect("read")
    }

    pub async fn webhook(&self) -> WebhookRecord {
        let webhook = self.store.webhook(&self.app, self.clock.now()).await;
        webhook.expect("read").expect("a webhook")
    }

    pub async fn set_plan(&self, plan: Plan) {
        let email = Email::parse("0@example.com").expect("an address");
        let set = self.store.set_plan(&email, plan).await;
        assert!(set.expect("stored"));
    }

    pub fn advance_clock(&self, span: Duration) {
        self.clock.advance(span);
    }

    pub fn rewind_clock(&self, span: Duration) {
        self.clock.set_back(span);
    }
}

/// All of them reached with 201.
pub fn reached(recipients: &[Recipient]) -> Vec<SentRecipient> {
    let sent = recipients.iter().map(|one| SentRecipient {
        recipient: one.id,
        http_status: 201,
    });
    sent.collect()
}
