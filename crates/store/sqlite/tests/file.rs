//! What the file holds: how large it becomes, what is given back of it, and how much of it one read looks at.

use std::path::PathBuf;
use std::time::Duration;

use hato_domain::notification::Links;
use hato_domain::{
    AccountId, AppId, Email, HttpsUrl, IdempotencyKey, Notification, PageRequest, Plan,
    PushOptions, Schedule, SendId, Topic, UnixMillis, Urgency,
};
use hato_service::access::{ActorKind, ActorRecord};
use hato_service::ports::{
    AcceptSendOutcome, AccountRecord, AccountStore as _, AppStore as _, Audience,
    DeliveryQueue as _, IdempotencyEntry, NewApp, NewSend, PageClaimRequest, SendStore as _,
    Store as _, SubscriptionFilter, SubscriptionStore as _,
};
use hato_store_sqlite::Database;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, SqliteConnection};
use tempfile::TempDir;
use tokio::time::{interval, timeout};
use uuid::Uuid;

const NOW: UnixMillis = UnixMillis(1_767_225_600_000);

/// Bytes of a page of the file.
const PAGE: i64 = 4_096;

/// `$1` subscriptions of `app_1`, each with an endpoint of more than `$2` bytes.
const SUBSCRIBE: &str = "
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
    INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position,
                               created_at)
    SELECT 'sub_' || i, 'app_1', 'https://push.example/' || i || hex(zeroblob($2 / 2)), randomblob(32),
           x'04', x'01', i, 0
    FROM n";

/// A store with the app `app_1`.
struct FileFixture {
    folder: TempDir,
    database: Database,
    app: AppId,
}

impl FileFixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = Database::open(&folder.path().join("hato.db")).await;
        let fixture = Self {
            database: database.expect("a new file"),
            folder,
            app: AppId::trusted("app_1".to_owned()),
        };
        let account_id = AccountId::trusted("usr_1".to_owned());
        let account = AccountRecord {
            id: account_id.clone(),
            email: Email::parse("a@example.com").expect("an address"),
            password_hash: None,
            plan: Plan::Pro,
            created_at: NOW,
        };
        let made = fixture.database.create_account(account).await;
        assert!(made.expect("stored"));
        let app = NewApp {
            id: fixture.app.clone(),
            account_id,
            name: "app".to_owned(),
            vapid_public_key: vec![4; 65],
            sealed_private_key: vec![7; 60],
            created_at: NOW,
        };
        fixture.database.create_app(app).await.expect("stored");
        fixture
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("hato.db")
    }

    async fn subscribe(&self, count: i64, endpoint_bytes: i64) {
        let mut file = open(self.path()).await;
        let filling = sqlx::query(SUBSCRIBE).bind(count).bind(endpoint_bytes);
        filling.execute(&mut file).await.expect("written");
        file.close().await.expect("closed");
    }

    /// Pages of the file, and how many of them hold nothing.
    async fn pages(&self) -> (i64, i64) {
        let mut file = open(self.path()).await;
        let all = number(&mut file, "PRAGMA page_count").await;
        let free = number(&mut file, "PRAGMA freelist_count").await;
        file.close().await.expect("closed");
        (all, free)
    }

    async fn used_bytes(&self) -> i64 {
        let (all, free) = self.pages().await;
        (all - free) * PAGE
    }

    fn send_to_nobody(&self, number: u128, content: &str, url: Option<&str>) -> NewSend {
        let links = Links {
            url: url.map(|url| HttpsUrl::parse(url).expect("a URL")),
            ..Links::default()
        };
        let notification = Notification::new(content.to_owned(), content.to_owned(), links);
        NewSend {
            id: SendId::from_uuid(Uuid::from_u128(number << 76)),
            app_id: self.app.clone(),
            account_id: AccountId::trusted("usr_1".to_owned()),
            notification: notification.expect("small enough"),
            options: PushOptions::default(),
            audience: Audience::Everyone,
            actor: ActorRecord {
                kind: ActorKind::ApiKey,
                id: format!("key_{}", Uuid::from_u128(1).simple()),
                name: "A server's key".to_owned(),
            },
            idempotency: None,
            schedule: Schedule::default(),
            max_per_minute: None,
            now: NOW,
        }
    }
}

async fn open(path: PathBuf) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path);
    options.connect().await.expect("the file")
}

async fn number(file: &mut SqliteConnection, query: &'static str) -> i64 {
    let number = sqlx::query_scalar(query).fetch_one(file).await;
    number.expect("a number")
}

#[tokio::test]
async fn the_space_of_what_was_removed_is_given_back_step_by_step() {
    let fixture = FileFixture::new().await;
    fixture.subscribe(3_000, 2_000).await;
    let mut file = open(fixture.path()).await;
    let removed = file.execute("DELETE FROM subscriptions").await;
    assert_eq!(removed.expect("removed").rows_affected(), 3_000);
    file.close().await.expect("closed");
    let (full, free) = fixture.pages().await;
    assert!(free > 3_000, "{free} of {full} pages");
    let mut pages = full;
    while fixture.database.give_back_space().await.expect("given") {
        let (left, _) = fixture.pages().await;
        assert!(left < pages && pages - left <= 300, "{pages} to {left}");
        pages = left;
    }
    assert!(pages < full - 2_000, "{pages} of {full} pages");
    fixture.database.close().await;
    let bytes = std::fs::metadata(fixture.path()).expect("a file").len();
    assert_eq!(i64::try_from(bytes).ok(), Some(pages * PAGE));
}

#[tokio::test]
async fn a_file_that_kept_its_space_is_made_one_that_gives_it_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("hato.db");
    let options = SqliteConnectOptions::new().filename(&path);
    let mut file = options.create_if_missing(true).connect().await;
    let file = file.as_mut().expect("a new file");
    file.execute("CREATE TABLE letters (n INTEGER); INSERT INTO letters VALUES (7)")
        .await
        .expect("written");
    assert_eq!(number(file, "PRAGMA auto_vacuum").await, 0);
    let database = Database::open(&path).await.expect("opened");
    database.close().await;
    let mut file = open(path).await;
    let kept = number(&mut file, "SELECT n FROM letters").await;
    assert_eq!(
        (number(&mut file, "PRAGMA auto_vacuum").await, kept),
        (2, 7)
    );
}

#[tokio::test]
async fn the_log_is_emptied_when_nobody_writes() {
    let fixture = FileFixture::new().await;
    let log = fixture.folder.path().join("hato.db-wal");
    let claim = PageClaimRequest {
        now: NOW,
        lease: Duration::from_mins(1),
        max_recipients: 10,
        excluded_apps: Vec::new(),
        splits_rest: false,
    };
    let emptied = async {
        let mut ticks = interval(Duration::from_millis(50));
        while std::fs::metadata(&log).expect("a log").len() > 0 {
            // Delivery asks all the time; that writes nothing.
            let next = fixture.database.claim_page(claim.clone()).await;
            next.expect("asked");
            ticks.tick().await;
        }
    };
    let in_time = timeout(Duration::from_mins(1), emptied).await;
    in_time.expect("an empty log");
    let app = fixture.database.app(&fixture.app).await;
    assert!(app.expect("read").is_some());
}

#[tokio::test]
async fn a_send_to_nobody_costs_less_than_a_kibibyte() {
    const SENDS: i64 = 1_000;
    let fixture = FileFixture::new().await;
    let before = fixture.used_bytes().await;
    let longest = "鳩".repeat(500);
    let actor_name = "𠮷".repeat(100);
    for number in 0..SENDS {
        let mut send =
            fixture.send_to_nobody(u128::try_from(number).expect("small"), &longest, None);
        send.actor.name.clone_from(&actor_name);
        send.options.urgency = Some(Urgency::VeryLow);
        send.options.topic = Some(Topic::parse(&"t".repeat(32)).expect("a topic"));
        let key = format!(
            "{:0251x}-{number:03}",
            u64::MAX / (1 + number.unsigned_abs())
        );
        send.idempotency = Some(IdempotencyEntry {
            key: IdempotencyKey::parse(key.as_bytes()).expect("a key"),
            path: "/apps/{appId}/notify",
            body_hash: [1; 32],
        });
        let accepted = fixture.database.accept_send(send).await;
        let nobody = AcceptSendOutcome::Queued { recipients: 0 };
        assert_eq!(accepted.expect("judged"), nobody);
    }
    let each = (fixture.used_bytes().await - before) / SENDS;
    assert!(each <= 1_024, "{each} bytes");
}

#[tokio::test]
async fn the_history_shows_what_a_send_to_nobody_was() {
    let fixture = FileFixture::new().await;
    let url = "https://example.com/letters/1";
    for (number, content, kept) in [
        (1, "coo".to_owned(), ("coo".to_owned(), "coo".to_owned())),
        (
            2,
            "鳩".repeat(60),
            ("鳩".repeat(60), format!("{}…", "鳩".repeat(14))),
        ),
        (
            3,
            "h".repeat(300),
            (format!("{}…", "h".repeat(253)), String::new()),
        ),
    ] {
        let mut send = fixture.send_to_nobody(number, &content, Some(url));
        send.actor.name = "鳩".repeat(34);
        let id = send.id.clone();
        fixture.database.accept_send(send).await.expect("accepted");
        let shown = fixture.database.send_of(&fixture.app, &id).await;
        let shown = shown.expect("read").expect("the send");
        assert_eq!((shown.title, shown.body), kept);
        assert_eq!(shown.actor.name, format!("{}…", "鳩".repeat(32)));
        assert_eq!(shown.url.as_deref(), (number != 3).then_some(url));
    }
}

#[tokio::test]
async fn a_search_looks_at_so_many_and_says_so() {
    let fixture = FileFixture::new().await;
    fixture.subscribe(20_001, 0).await;
    let search = async |text: &str, cursor| {
        let filter = SubscriptionFilter {
            text: text.to_owned(),
            ..SubscriptionFilter::default()
        };
        let page = PageRequest::parse(Some("25"), None, None).expect("a page");
        let asked = PageRequest { cursor, ..page };
        let page = fixture
            .database
            .subscriptions_of(&fixture.app, &filter, &asked)
            .await;
        page.expect("searched")
    };
    let first = search("example/1", None).await;
    assert_eq!((first.items.len(), first.is_cut_short), (25, false));
    let nothing = search("nothing", None).await;
    assert_eq!((nothing.items.len(), nothing.is_cut_short), (0, true));
    assert!(nothing.next.is_some(), "the oldest that was looked at");
    let rest = search("nothing", nothing.next).await;
    assert_eq!((rest.next, rest.is_cut_short), (None, false));
}

#[tokio::test]
async fn the_failures_of_a_send_are_looked_at_up_to_so_many() {
    let fixture = FileFixture::new().await;
    let send = fixture.send_to_nobody(1, "coo", None);
    let id = send.id.clone();
    fixture.database.accept_send(send).await.expect("accepted");
    let failures = async |count: i64| {
        let fill = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
                    INSERT INTO send_failures (send_id, host, reason, recipients)
                    SELECT $1, 'push-' || i || '.example', 'refused', i FROM n WHERE TRUE
                    ON CONFLICT DO NOTHING";
        let filling = sqlx::query(fill).bind(id.as_str()).bind(count);
        let mut database = open(fixture.path()).await;
        filling.execute(&mut database).await.expect("written");
        database.close().await.expect("closed");
        let failures = fixture.database.failures_of(&fixture.app, &id, 3).await;
        failures.expect("listed")
    };
    let few = failures(9_999).await;
    let most: Vec<_> = few.items.iter().map(|failure| failure.recipients).collect();
    assert_eq!((most, few.is_cut_short), (vec![9_999, 9_998, 9_997], false));
    let many = failures(10_001).await;
    assert_eq!((many.items.len(), many.is_cut_short), (3, true));
}
