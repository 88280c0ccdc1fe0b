//! Rows that are written for later: no port reads them yet.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hato_domain::notification::Links;
use hato_domain::{
    AccountId, AppId, BrowserKeys, Email, Endpoint, FailureReason, KeyEventId, KeyId, Notification,
    Plan, PushOptions, Scope, SendId, SubscriptionId, UnixMillis,
};
use hato_service::access::{Actor, ActorKind};
use hato_service::ports::{
    AccountStore as _, AppStore as _, Audience, ClaimedPage, DeadLetter, DeliveryQueue as _,
    KeyStore as _, NewAccount, NewApp, NewKeyRecord, NewSend, NewSubscription, NextPage, Recipient,
    SendStore as _, Settlement, SubscriptionStore as _,
};
use hato_store_sqlite::Database;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{ConnectOptions as _, Row as _};
use tempfile::TempDir;

const NOW: UnixMillis = UnixMillis(1_767_225_600_000);

/// A store that holds one account with one app.
struct Bench {
    folder: TempDir,
    database: Database,
    app: AppId,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = Database::open(&file(folder.path()))
            .await
            .expect("a new file");
        let bench = Self {
            folder,
            database,
            app: AppId::trusted("app_1".to_owned()),
        };
        bench.make_account().await;
        bench.make_app().await;
        bench
    }

    async fn make_account(&self) {
        let account = NewAccount {
            id: AccountId::trusted("usr_1".to_owned()),
            email: Email::parse("a@example.com").expect("an address"),
            password_hash: None,
            plan: Plan::Pro,
            created_at: NOW,
        };
        self.database.create_account(account).await.expect("stored");
    }

    async fn make_app(&self) {
        let app = NewApp {
            id: self.app.clone(),
            account_id: AccountId::trusted("usr_1".to_owned()),
            name: "app".to_owned(),
            vapid_public_key: vec![4; 65],
            sealed_private_key: vec![7; 60],
            created_at: NOW,
        };
        self.database.create_app(app).await.expect("stored");
    }

    async fn subscribe(&self, number: usize) {
        let subscription = NewSubscription {
            id: SubscriptionId::trusted(format!("sub_{number}")),
            app_id: self.app.clone(),
            endpoint: Endpoint::trusted(format!("https://push.example/{number}")),
            keys: BrowserKeys {
                p256dh: [4; 65],
                auth: [1; 16],
            },
            platform: None,
            now: NOW,
        };
        self.database
            .register_subscription(subscription)
            .await
            .expect("registered");
    }

    /// A page with everybody, and who that is.
    async fn page(&self) -> (ClaimedPage, Vec<Recipient>) {
        let notification = Notification::new("title".into(), "body".into(), Links::default());
        let send = NewSend {
            id: SendId::trusted("snd_1".to_owned()),
            app_id: self.app.clone(),
            notification: notification.expect("small"),
            options: PushOptions::default(),
            audience: Audience::Everyone,
            actor: actor(),
            now: NOW,
            month: NOW.month(),
        };
        self.database.accept_send(send).await.expect("judged");
        let claimed = self
            .database
            .claim_page(NOW, Duration::from_mins(1), 100)
            .await;
        let NextPage::Claimed(page) = claimed.expect("asked") else {
            panic!("a page is due")
        };
        let recipients = self.database.recipients(&page).await.expect("read");
        (*page, recipients)
    }

    async fn rows(&self, sql: &'static str) -> Vec<SqliteRow> {
        let options = SqliteConnectOptions::new().filename(file(self.folder.path()));
        let mut connection = options.connect().await.expect("the file");
        sqlx::query(sql)
            .fetch_all(&mut connection)
            .await
            .expect("the table")
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("hato.db")
}

fn actor() -> Actor {
    Actor {
        kind: ActorKind::User,
        id: "usr_1".to_owned(),
        name: "a@example.com".to_owned(),
    }
}

#[tokio::test]
async fn a_dead_letter_says_who_and_why() {
    let bench = Bench::new().await;
    for number in 0..3 {
        bench.subscribe(number).await;
    }
    let (page, recipients) = bench.page().await;
    let letter = |of: usize, reason, http_status| DeadLetter {
        recipient: recipients[of].id,
        reason,
        http_status,
    };
    let dead_letters = vec![
        letter(2, FailureReason::Refused, Some(403)),
        letter(0, FailureReason::Unreachable, None),
        letter(1, FailureReason::OutOfTime, None),
    ];
    let settlement = Settlement {
        dead_letters,
        ..Settlement::default()
    };
    bench
        .database
        .settle(&page, settlement, NOW)
        .await
        .expect("settled");
    let rows = bench
        .rows("SELECT * FROM dead_letters ORDER BY endpoint")
        .await;
    let told: Vec<(String, String, String, Option<i64>)> = rows
        .iter()
        .map(|row| {
            let text = |column| row.get::<String, _>(column);
            (
                text("subscription_id"),
                text("endpoint"),
                text("reason"),
                row.get("http_status"),
            )
        })
        .collect();
    let expected = [
        ("0", "unreachable", None),
        ("1", "out_of_time", None),
        ("2", "refused", Some(403)),
    ];
    assert_eq!(
        told,
        expected.map(|(number, reason, status)| (
            format!("sub_{number}"),
            format!("https://push.example/{number}"),
            reason.to_owned(),
            status
        ))
    );
    for row in &rows {
        assert_eq!((row.get("send_id"), row.get("app_id")), ("snd_1", "app_1"));
        assert_eq!(row.get::<i64, _>("created_at"), NOW.0);
    }
    let attempts: Vec<i64> = rows.iter().map(|row| row.get("attempts")).collect();
    assert_eq!(attempts, [1, 0, 1], "no attempt was made without time");
}

#[tokio::test]
async fn making_a_key_leaves_an_event() {
    let bench = Bench::new().await;
    let key = NewKeyRecord {
        id: KeyId::trusted("key_1".to_owned()),
        app_id: bench.app.clone(),
        name: "server".to_owned(),
        scope: Scope::Notify,
        hash: [1; 32],
        event_id: KeyEventId::trusted("evt_1".to_owned()),
        actor: actor(),
        created_at: NOW,
    };
    assert!(bench.database.create_key(key).await.expect("stored"));
    let rows = bench.rows("SELECT * FROM key_events").await;
    assert_eq!(rows.len(), 1);
    for (column, value) in [
        ("id", "evt_1"),
        ("app_id", "app_1"),
        ("event", "created"),
        ("key_id", "key_1"),
        ("key_name", "server"),
        ("key_scope", "notify"),
        ("actor_kind", "user"),
        ("actor_id", "usr_1"),
        ("actor_name", "a@example.com"),
    ] {
        assert_eq!(rows[0].get::<String, _>(column), value, "{column}");
    }
}
