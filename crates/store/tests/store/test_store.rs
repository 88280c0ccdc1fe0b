//! A fresh store on a database of its own, and what the tests put into it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::notification::Links;
use hato_domain::{
    AccountId, AppId, BrowserKeys, Cursor, Email, Endpoint, KeyEventId, KeyId, Notification,
    PageRequest, Plan, ProfileChange, PushOptions, Schedule, Scope, SendId, SubscriptionId,
    UnixMillis, VapidKeyId,
};
use hato_service::access::{ActorKind, ActorRecord};
use hato_service::ports::{
    AcceptSendOutcome, AccountRecord, AddVapidKeyOutcome, AppRecord, Audience, ClaimedPage,
    CreateKeyOutcome, KeyRecord, NewApp, NewKeyRecord, NewSend, NewSession, NewSubscription,
    NewVapidKey, NextPage, PageClaimRequest, Recipient, RecipientId, RetryJob, SendRecord,
    SentRecipient, SettleOutcome, Settlement, Store, VapidKeyAct,
};
use hato_store::PostgresSettings;
use hato_testkit::TestDatabase;
use uuid::Uuid;

/// The moment at which every test begins: 2026-01-01T00:00:00Z.
pub const START: UnixMillis = UnixMillis(1_767_225_600_000);

/// What stands for the hash of every account's password.
const PASSWORD_HASH: &str = "$argon2id$";

/// How long a claim lasts.
pub const LEASE: Duration = Duration::from_mins(1);

/// How many are registered as browsers register.
const MOST_ONE_BY_ONE: usize = 1_000;

/// How many register at the same time.
const AT_A_TIME: usize = 256;

/// A store and its database.
pub struct TestStore {
    pub store: Arc<dyn Store>,
    pub database: TestDatabase,
    number: AtomicU64,
    /// Whose the apps are that were made here.
    owners: Mutex<HashMap<AppId, AccountId>>,
}

/// The newest page of so many items, or the one behind the cursor.
pub fn page(limit: usize, cursor: Option<Cursor>) -> PageRequest {
    let page = PageRequest::parse(Some(&limit.to_string()), None, None);
    PageRequest {
        cursor,
        ..page.expect("1 to 100")
    }
}

/// So many milliseconds after the start.
pub fn at(millis: i64) -> UnixMillis {
    UnixMillis(START.0 + millis)
}

pub fn endpoint(number: usize) -> Endpoint {
    Endpoint::parse(&format!("https://push.example/{number}")).expect("an endpoint")
}

pub fn keys(byte: u8) -> BrowserKeys {
    BrowserKeys {
        p256dh: [byte; 65],
        auth: [byte; 16],
    }
}

pub fn actor() -> ActorRecord {
    ActorRecord {
        kind: ActorKind::ApiKey,
        id: "key_1".to_owned(),
        name: "server".to_owned(),
    }
}

pub fn notification(title: &str) -> Notification {
    Notification::new(title.to_owned(), "body".to_owned(), Links::default()).expect("small")
}

/// The numbers of these recipients.
pub fn ids(recipients: &[Recipient]) -> Vec<RecipientId> {
    recipients.iter().map(|recipient| recipient.id).collect()
}

/// All of them reached.
pub fn sent_to(recipients: &[RecipientId]) -> Vec<SentRecipient> {
    let sent = recipients.iter().map(|recipient| SentRecipient {
        recipient: *recipient,
        http_status: 201,
    });
    sent.collect()
}

/// A session of an account that has the password of the test's.
pub fn new_session(
    token_hash: [u8; 32],
    account: AccountId,
    expires_at: UnixMillis,
    browser: Option<String>,
) -> NewSession {
    NewSession {
        token_hash,
        account,
        password_hash: Some(PASSWORD_HASH.to_owned()),
        created_at: START,
        expires_at,
        browser,
    }
}

impl TestStore {
    pub async fn new(database: TestDatabase) -> Self {
        Self::with_settings(database, &PostgresSettings::default()).await
    }

    pub async fn with_settings(database: TestDatabase, settings: &PostgresSettings) -> Self {
        let store = hato_store::open_with(database.url(), settings).await;
        Self {
            store: store.expect("a new store"),
            database,
            number: AtomicU64::new(1),
            owners: Mutex::default(),
        }
    }

    /// The same store opened anew, the old one dropped as a process drops it that ends.
    pub async fn reopened(self) -> Self {
        drop(self.store);
        let store = hato_store::open(self.database.url()).await;
        Self {
            store: store.expect("the same store"),
            ..self
        }
    }

    pub fn uuid(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.number.fetch_add(1, Ordering::Relaxed)))
    }

    pub fn new_account(&self, email: &str, plan: Plan) -> AccountRecord {
        AccountRecord {
            id: AccountId::from_uuid(self.uuid()),
            email: Email::parse(email).expect("an address"),
            password_hash: Some(PASSWORD_HASH.to_owned()),
            plan,
            created_at: START,
        }
    }

    pub async fn account(&self, plan: Plan) -> AccountId {
        let email = format!("{}@example.com", self.uuid().simple());
        let account = self.new_account(&email, plan);
        let id = account.id.clone();
        assert!(self.store.create_account(account).await.expect("stored"));
        id
    }

    pub fn new_app(&self, account: &AccountId) -> NewApp {
        NewApp {
            id: AppId::from_uuid(self.uuid()),
            account_id: account.clone(),
            name: "app".to_owned(),
            vapid_public_key: vec![4; 65],
            sealed_private_key: vec![7; 60],
            created_at: START,
        }
    }

    pub async fn app_of(&self, account: &AccountId) -> AppId {
        let app = self.new_app(account);
        let id = app.id.clone();
        self.store.create_app(app).await.expect("stored");
        self.owners().insert(id.clone(), account.clone());
        id
    }

    fn owners(&self) -> MutexGuard<'_, HashMap<AppId, AccountId>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whose the app is; anybody, if it was not made here.
    fn owner(&self, app: &AppId) -> AccountId {
        let owner = self.owners().get(app).cloned();
        owner.unwrap_or_else(|| AccountId::from_uuid(Uuid::nil()))
    }

    /// An app of an account without limits.
    pub async fn app(&self) -> AppId {
        self.app_of(&self.account(Plan::Pro).await).await
    }

    pub async fn record(&self, app: &AppId) -> AppRecord {
        self.store.app(app).await.expect("read").expect("the app")
    }

    pub fn new_key(&self, app: &AppId, hash: [u8; 32]) -> NewKeyRecord {
        NewKeyRecord {
            record: KeyRecord {
                id: KeyId::from_uuid(self.uuid()),
                app_id: app.clone(),
                name: "key".to_owned(),
                scope: Scope::Notify,
                last_used_at: None,
                created_at: START,
            },
            hash,
            pepper: [1; 8],
            event_id: KeyEventId::from_uuid(self.uuid()),
            actor: actor(),
        }
    }

    /// Stores the key, for which there must be room.
    pub async fn create_key(&self, key: NewKeyRecord) {
        let created = self.store.create_key(key).await;
        assert_eq!(created.expect("judged"), CreateKeyOutcome::Created);
    }

    /// Adds a VAPID key that was made elsewhere to the app, which must have room for it.
    pub async fn add_vapid_key(&self, app: &AppId, public_key: [u8; 65]) {
        let key = NewVapidKey {
            public_key: public_key.to_vec(),
            sealed_private_key: vec![8; 60],
            is_imported: true,
        };
        let added = self.store.add_vapid_key(key, self.vapid_act(app)).await;
        let added = added.expect("judged");
        assert!(matches!(added, AddVapidKeyOutcome::Added(_)), "{added:?}");
    }

    pub fn vapid_act(&self, app: &AppId) -> VapidKeyAct {
        VapidKeyAct {
            app_id: app.clone(),
            key_id: VapidKeyId::from_uuid(self.uuid()),
            key_name: "B".to_owned(),
            event_id: KeyEventId::from_uuid(self.uuid()),
            actor: actor(),
            now: START,
        }
    }

    pub fn new_subscription(&self, app: &AppId, number: usize) -> NewSubscription {
        NewSubscription {
            id: SubscriptionId::from_uuid(self.uuid()),
            app_id: app.clone(),
            endpoint: endpoint(number),
            keys: keys(1),
            vapid_public_key: None,
            platform: None,
            profile: ProfileChange::default(),
            replaces: None,
            origin: None,
            max_active: None,
            now: START,
            created_at: START,
        }
    }

    /// Registers the endpoint with this number.
    pub async fn subscribe(&self, app: &AppId, number: usize) {
        let subscription = self.new_subscription(app, number);
        self.store
            .register_subscription(subscription)
            .await
            .expect("registered");
    }

    /// Registers the endpoints 0 to `count - 1`, many at a time.
    pub async fn subscribe_all(&self, app: &AppId, count: usize) {
        if self.database.is_postgres() && count > MOST_ONE_BY_ONE {
            return self.seed_postgres(app, count);
        }
        for first in (0..count).step_by(AT_A_TIME) {
            let numbers = first..count.min(first + AT_A_TIME);
            join_all(numbers.map(|number| self.subscribe(app, number))).await;
        }
    }

    /// The same with one statement: where each registration waits for the app's row, thousands take minutes.
    fn seed_postgres(&self, app: &AppId, count: usize) {
        let (app, now) = (app.as_str(), START.0);
        self.database.execute(&format!(
            "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                                        position, created_at)
             SELECT 'sub_' || substr('{app}', 5) || n, '{app}', 'https://push.example/' || n - 1,
                    sha256(CAST('https://push.example/' || n - 1 AS BYTEA)),
                    decode(repeat('01', 65), 'hex'), decode(repeat('01', 16), 'hex'), n, {now}
             FROM generate_series(1, {count}) AS n;
             UPDATE apps SET last_position = {count}, active_subscriptions = {count}
             WHERE id = '{app}'"
        ));
    }

    pub async fn unsubscribe(&self, app: &AppId, number: usize) {
        self.store
            .unsubscribe(app, &endpoint(number), START)
            .await
            .expect("unsubscribed");
    }

    pub fn new_send(&self, app: &AppId, audience: Audience, now: UnixMillis) -> NewSend {
        NewSend {
            id: SendId::from_uuid(self.uuid()),
            app_id: app.clone(),
            account_id: self.owner(app),
            notification: notification("title"),
            options: PushOptions::default(),
            audience,
            actor: actor(),
            idempotency: None,
            schedule: Schedule::default(),
            max_per_minute: None,
            now,
        }
    }

    pub async fn accept(&self, send: NewSend) -> AcceptSendOutcome {
        self.store.accept_send(send).await.expect("judged")
    }

    /// A send to everyone, which must be queued.
    pub async fn broadcast(&self, app: &AppId, now: UnixMillis) -> SendId {
        self.queued(self.new_send(app, Audience::Everyone, now))
            .await
    }

    /// A send to one, which must be queued.
    pub async fn send_to(&self, app: &AppId, number: usize, now: UnixMillis) -> SendId {
        self.queued(self.new_send(app, Audience::One(endpoint(number)), now))
            .await
    }

    async fn queued(&self, send: NewSend) -> SendId {
        let id = send.id.clone();
        assert!(matches!(
            self.accept(send).await,
            AcceptSendOutcome::Queued { .. }
        ));
        id
    }

    /// The next page, which must be there.
    pub async fn claim(&self, now: UnixMillis, max: u32) -> ClaimedPage {
        self.try_claim(now, max).await.expect("a page that is due")
    }

    /// What a claim finds that excludes these apps.
    pub async fn next_page(&self, now: UnixMillis, max: u32, excluded_apps: &[AppId]) -> NextPage {
        let claim = PageClaimRequest {
            now,
            lease: LEASE,
            max_recipients: max,
            excluded_apps: excluded_apps.to_vec(),
            splits_rest: false,
        };
        self.store.claim_page(claim).await.expect("asked")
    }

    /// The next page, if there is one, of a broadcast whose rest becomes two jobs.
    pub async fn try_claim_splitting(&self, now: UnixMillis, max: u32) -> Option<ClaimedPage> {
        let claim = PageClaimRequest {
            now,
            lease: LEASE,
            max_recipients: max,
            excluded_apps: Vec::new(),
            splits_rest: true,
        };
        match self.store.claim_page(claim).await.expect("asked") {
            NextPage::Claimed(page) => Some(*page),
            NextPage::Idle { .. } => None,
            NextPage::Unreadable { error, .. } => panic!("{error}"),
        }
    }

    pub async fn try_claim(&self, now: UnixMillis, max: u32) -> Option<ClaimedPage> {
        match self.next_page(now, max, &[]).await {
            NextPage::Claimed(page) => Some(*page),
            NextPage::Idle { .. } => None,
            NextPage::Unreadable { error, .. } => panic!("{error}"),
        }
    }

    pub async fn next_due(&self, now: UnixMillis) -> Option<UnixMillis> {
        match self.next_page(now, 100, &[]).await {
            NextPage::Idle { next_due } => next_due,
            other => panic!("a page is due: {other:?}"),
        }
    }

    pub async fn recipients(&self, page: &ClaimedPage) -> Vec<Recipient> {
        self.store.recipients(page).await.expect("read")
    }

    /// What becomes of a page of whose recipients all are tried again then.
    pub async fn retry_of_all(&self, page: &ClaimedPage, due_at: UnixMillis) -> Settlement {
        let retry = RetryJob {
            recipients: ids(&self.recipients(page).await),
            attempt: 1,
            due_at,
        };
        Settlement {
            retries: vec![retry],
            ..Settlement::default()
        }
    }

    pub async fn settle(&self, page: &ClaimedPage, settlement: Settlement) -> SettleOutcome {
        self.store
            .settle(page, settlement, START)
            .await
            .expect("judged")
    }

    /// Settles the page with everybody reached, and returns who that was.
    pub async fn deliver(&self, page: &ClaimedPage) -> Vec<RecipientId> {
        let recipients = ids(&self.recipients(page).await);
        let settled = self
            .settle(
                page,
                Settlement {
                    sent: sent_to(&recipients),
                    ..Settlement::default()
                },
            )
            .await;
        assert_eq!(settled, SettleOutcome::Recorded);
        recipients
    }

    /// Delivers whatever is due, page after page.
    pub async fn deliver_all(&self, now: UnixMillis, max: u32) -> Vec<RecipientId> {
        let mut reached = Vec::new();
        while let Some(page) = self.try_claim(now, max).await {
            reached.extend(self.deliver(&page).await);
        }
        reached
    }

    /// The newest page of the app's history.
    pub async fn history(&self, app: &AppId) -> Vec<SendRecord> {
        let page = PageRequest::parse(None, None, None).expect("the default page");
        self.store.sends_of(app, &page, None).await.expect("listed")
    }

    pub async fn send(&self, app: &AppId, id: &SendId) -> SendRecord {
        let history = self.history(app).await;
        history
            .into_iter()
            .find(|send| send.id == *id)
            .expect("the send")
    }
}
