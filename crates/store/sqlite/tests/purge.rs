//! Deleting an app leaves no row of it in any table, and no transaction removes more rows than it may.

use std::path::PathBuf;
use std::time::Duration;

use hato_domain::{AccountId, AppId, Email, Plan, UnixMillis};
use hato_service::ports::{
    AccountRecord, AccountStore as _, AppStore as _, DeliveryQueue as _, NewApp, NextPage,
    PageClaimRequest,
};
use hato_store_sqlite::Database;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, SqliteConnection};
use tempfile::TempDir;

const NOW: UnixMillis = UnixMillis(1_767_225_600_000);

/// So many rows of the app in each table that can hold more than one; of each send's failures, and of its blocks of recipients, there are two.
const ROWS: i64 = 40;

/// Fills every table below `app_1`, with `n` from 1 to [`ROWS`].
const FILL: [&str; 26] = [
    "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position,
                                created_at)
     SELECT 'sub_' || n, 'app_1', 'https://push.example/' || n, CAST(n AS BLOB), x'04', x'01', n, 0
     FROM numbers",
    "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                                deactivated_at, deactivation_reason, created_at)
     SELECT 'sub_gone_' || n, 'app_1', 'https://push.example/gone/' || n, CAST(-n AS BLOB), x'04',
            x'01', 0, 'expired', 0
     FROM numbers",
    "INSERT INTO tag_positions (app_id, tag, block, positions)
     SELECT 'app_1', 'tag', n, x'0000' FROM numbers",
    "INSERT INTO refusals (subscription_id, app_id, reason, sends, days, last_day)
     SELECT n, 'app_1', 'refused', 1, 1, 0 FROM numbers",
    "INSERT INTO sends (id, app_id, title, body, payload, ttl, recipients, status, actor_kind,
                        actor_id, actor_name, created_at)
     SELECT 'snd_' || n, 'app_1', 't', 'b', '{}', 0, 1, 'queued', 'user', 'usr_1', 'a@example.com', n
     FROM numbers",
    "INSERT INTO send_failures (send_id, host, reason, recipients)
     SELECT 'snd_' || n, host, 'refused', 1
     FROM numbers, (SELECT 'a.example' AS host UNION SELECT 'b.example')",
    "INSERT INTO send_positions (send_id, block, positions)
     SELECT 'snd_' || n, block, x'0000'
     FROM numbers, (SELECT 0 AS block UNION SELECT 1)",
    "INSERT INTO send_missed (send_id, block, positions)
     SELECT 'snd_' || n, block, x'0000'
     FROM numbers, (SELECT 0 AS block UNION SELECT 1)",
    "INSERT INTO engaged_recipients (send_id, engagement, hour, block, recipients)
     SELECT 'snd_' || n, 'displayed', 0, block, x'0000'
     FROM numbers, (SELECT 0 AS block UNION SELECT 1)",
    "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason, attempts, created_at)
     SELECT 'snd_' || n, 'app_1', 'sub_' || n, 'https://push.example/' || n, 'refused', 1, 0
     FROM numbers",
    "INSERT INTO jobs (send_id, app_id, recipients, attempt, due_at)
     SELECT 'snd_' || n, 'app_1', '[]', 0, 0 FROM numbers",
    "INSERT INTO idempotency_keys (app_id, path, key, request_hash, send_id, queued, created_at)
     SELECT 'app_1', '/notify', 'key ' || n, x'00', 'snd_' || n, 1, 0 FROM numbers",
    "INSERT INTO reach (app_id, block, answers) SELECT 'app_1', n, x'' FROM numbers",
    "INSERT INTO send_windows (app_id, opened_at, sends) SELECT 'app_1', 0, 1 FROM numbers WHERE n = 1",
    "INSERT INTO daily_counts (app_id, day, sends) SELECT 'app_1', n, 1 FROM numbers",
    "INSERT INTO daily_subscribers (app_id, day, gained, lost) SELECT 'app_1', n, 1, 0 FROM numbers",
    "INSERT INTO recent_counts (app_id, quarter, sent, failed, displayed, clicked, dismissed)
     SELECT 'app_1', n, 1, 0, 0, 0, 0 FROM numbers",
    "INSERT INTO recent_subscribers (app_id, quarter, gained, lost)
     SELECT 'app_1', n, 1, 0 FROM numbers",
    "INSERT INTO key_events (id, app_id, event, key_id, key_name, key_scope, actor_kind, actor_id,
                             actor_name, created_at)
     SELECT 'evt_' || n, 'app_1', 'created', 'key_' || n, 'key', 'full', 'user', 'usr_1',
            'a@example.com', 0
     FROM numbers",
    "INSERT INTO vapid_keys (app_id, number, public_key, sealed_private_key, created_at)
     SELECT 'app_1', n, x'04', x'00', 0 FROM numbers",
    "INSERT INTO pictures (app_id, name, created_at, content)
     SELECT 'app_1', n, 0, x'00' FROM numbers",
    "INSERT INTO listeners (app_id, expires_at) SELECT 'app_1', n FROM numbers",
    "INSERT INTO heard_events (public_id, app_id, type, content, created_at)
     SELECT 'msg_' || n, 'app_1', 'webhook.test', '{}', 0 FROM numbers",
    "INSERT INTO webhooks (app_id) SELECT 'app_1' FROM numbers WHERE n = 1",
    "INSERT INTO webhook_events (id, public_id, app_id, type, content, created_at)
     SELECT n, 'msg_' || n, 'app_1', 'webhook.test', '{}', 0 FROM numbers",
    "INSERT INTO webhook_attempts (app_id, event_id, attempt, url, http_status, answer, started_at,
                                   duration_ms)
     SELECT 'app_1', n, 1, 'https://hooks.example', 200, '', 0, 0 FROM numbers",
];

/// A store with one app that has rows in every table.
struct PurgeFixture {
    folder: TempDir,
    database: Database,
    app: AppId,
}

impl PurgeFixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("hato.db");
        let fixture = Self {
            database: Database::open(&file).await.expect("a new file"),
            folder,
            app: AppId::trusted("app_1".to_owned()),
        };
        fixture.make_app().await;
        fixture.fill().await;
        fixture
    }

    async fn make_app(&self) {
        let account_id = AccountId::trusted("usr_1".to_owned());
        let account = AccountRecord {
            id: account_id.clone(),
            email: Email::parse("a@example.com").expect("an address"),
            password_hash: None,
            plan: Plan::Pro,
            created_at: NOW,
        };
        self.database.create_account(account).await.expect("stored");
        let app = NewApp {
            id: self.app.clone(),
            account_id,
            name: "app".to_owned(),
            vapid_public_key: vec![4; 65],
            sealed_private_key: vec![7; 60],
            created_at: NOW,
        };
        self.database.create_app(app).await.expect("stored");
    }

    async fn fill(&self) {
        let mut file = self.file().await;
        for statement in FILL {
            let numbers = format!(
                "WITH RECURSIVE numbers (n) AS
                   (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {ROWS}) {statement}"
            );
            sqlx::query(AssertSqlSafe(numbers))
                .execute(&mut file)
                .await
                .expect("the tables have these columns");
        }
        sqlx::query(
            "INSERT INTO api_keys (id, app_id, name, scope, hash, created_at)
             VALUES ('key_1', 'app_1', 'key', 'full', x'00', 0)",
        )
        .execute(&mut file)
        .await
        .expect("the table has these columns");
    }

    async fn file(&self) -> SqliteConnection {
        let file: PathBuf = self.folder.path().join("hato.db");
        let options = SqliteConnectOptions::new().filename(file);
        options.connect().await.expect("the file")
    }

    /// How many rows each table has that belongs to an app.
    async fn rows(&self) -> Vec<(String, i64)> {
        let mut file = self.file().await;
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT t.name FROM sqlite_schema AS t
             WHERE t.type = 'table' AND EXISTS
               (SELECT 1 FROM pragma_foreign_key_list(t.name) AS k
                WHERE k.\"table\" IN ('apps', 'sends'))
             ORDER BY t.name",
        )
        .fetch_all(&mut file)
        .await
        .expect("the schema");
        let mut rows = Vec::new();
        for table in tables {
            let count = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
            let count = sqlx::query_scalar(count).fetch_one(&mut file).await;
            rows.push((table, count.expect("the table")));
        }
        rows
    }

    async fn total(&self) -> i64 {
        self.rows().await.iter().map(|(_, count)| count).sum()
    }
}

#[tokio::test]
async fn no_table_keeps_a_row_of_a_deleted_app() {
    for limit in [1, 7, 1_000] {
        let fixture = PurgeFixture::new().await;
        for (table, count) in fixture.rows().await {
            assert!(count > 0, "{table} is to be filled by this test");
        }
        let deleted = fixture.database.delete_app(&fixture.app, NOW).await;
        assert!(deleted.expect("deleted"));
        let mut left = fixture.total().await;
        while fixture
            .database
            .purge_deleted_apps(limit)
            .await
            .expect("removed")
        {
            let now = fixture.total().await;
            assert!(left - now <= i64::from(limit), "{left} to {now}");
            left = now;
        }
        assert_eq!(left, 0);
        let mut file = fixture.file().await;
        let apps: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM apps")
            .fetch_one(&mut file)
            .await
            .expect("the table");
        assert_eq!(apps, 0);
    }
}

#[tokio::test]
async fn deleting_costs_the_same_whatever_an_app_has() {
    let fixture = PurgeFixture::new().await;
    let before = fixture.total().await;
    let deleted = fixture.database.delete_app(&fixture.app, NOW).await;
    assert!(deleted.expect("deleted"));
    assert_eq!(
        fixture.total().await,
        before - 1,
        "its webhook alone is gone"
    );
}

#[tokio::test]
async fn a_claim_that_meets_jobs_of_a_deleted_app_takes_some_out_of_the_queue() {
    let fixture = PurgeFixture::new().await;
    let deleted = fixture.database.delete_app(&fixture.app, NOW).await;
    assert!(deleted.expect("deleted"));
    let claim = || PageClaimRequest {
        now: NOW,
        lease: Duration::from_mins(1),
        max_recipients: 10,
        excluded_apps: Vec::new(),
        splits_rest: false,
    };
    let next = fixture.database.claim_page(claim()).await;
    let NextPage::Idle { next_due } = next.expect("asked") else {
        panic!("a page of a deleted app")
    };
    assert_eq!(next_due, Some(NOW), "there may be others");
    let next = fixture.database.claim_page(claim()).await;
    let NextPage::Idle { next_due } = next.expect("asked") else {
        panic!("a page of a deleted app")
    };
    assert_eq!(next_due, None);
}
