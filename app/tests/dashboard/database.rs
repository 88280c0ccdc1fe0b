//! What happens to a dashboard by way of its database, where no page leads to it.

use std::time::Duration;

use sqlx::query::Query;
use sqlx::{Connection as _, Database, Encode, PgConnection, SqliteConnection, Type};

use crate::harness::TestDashboard;

/// A parameter of a statement.
#[derive(Clone, Copy)]
pub enum Value<'v> {
    Text(&'v str),
    Number(i64),
}

use Value::{Number, Text};

fn bound<D>(statement: &'static str, values: &[Value<'_>]) -> Query<'static, D, D::Arguments>
where
    D: Database,
    String: Encode<'static, D> + Type<D>,
    i64: Encode<'static, D> + Type<D>,
{
    let query = sqlx::query(statement);
    values.iter().fold(query, |query, value| match *value {
        Text(text) => query.bind(text.to_owned()),
        Number(number) => query.bind(number),
    })
}

impl TestDashboard {
    /// Runs a statement that both databases understand.
    pub async fn execute(&self, statement: &'static str, values: &[Value<'_>]) {
        let url = self.database.url();
        let done = if self.database.is_postgres() {
            let connection = PgConnection::connect(url).await;
            let query = bound(statement, values);
            query
                .execute(&mut connection.expect("the database"))
                .await
                .map(drop)
        } else {
            let connection = SqliteConnection::connect(url).await;
            let query = bound(statement, values);
            query
                .execute(&mut connection.expect("the file"))
                .await
                .map(drop)
        };
        done.expect("the statement works");
    }

    /// Uses up what the account may send this month.
    pub async fn exhaust_monthly_limit(&self, email: &str) {
        let month = self.context.service.now().month().0;
        self.execute(
            "INSERT INTO monthly_usage (account_id, month, recipients)
             SELECT id, $2, 30000 FROM accounts WHERE email = $1
             ON CONFLICT (account_id, month) DO UPDATE SET recipients = 30000",
            &[Text(email), Number(month)],
        )
        .await;
    }

    /// Disables the webhooks of all apps for this reason.
    pub async fn disable_webhooks(&self, reason: &str) {
        let statement = "UPDATE webhooks SET disabled_reason = $1";
        self.execute(statement, &[Text(reason)]).await;
    }

    /// Has a receiver answer every event that was not posted yet, once.
    pub async fn answer_events(&self, http_status: i64) {
        let statement = "INSERT INTO webhook_attempts (app_id, event_id, attempt, url, http_status, answer, started_at,
                                           duration_ms, signature)
             SELECT e.app_id, e.id, 1, 'https://hooks.example.com/1', $1, '', e.created_at, 1, ''
             FROM webhook_events AS e
             WHERE NOT EXISTS (SELECT 1 FROM webhook_attempts AS a WHERE a.event_id = e.id)";
        self.execute(statement, &[Number(http_status)]).await;
    }

    /// Puts two recipients of every send off, until `due_at` milliseconds after 1970.
    pub async fn defer(&self, due_at: i64) {
        for statement in [
            "UPDATE sends SET status = 'sending', sent = recipients - 2 WHERE $1 = $1",
            "UPDATE jobs SET up_to_position = NULL, recipients = '[1,2]', attempt = 1, due_at = $1",
        ] {
            self.execute(statement, &[Number(due_at)]).await;
        }
    }

    /// Puts the last use of every session back by `age`.
    pub async fn age_sessions(&self, age: Duration) {
        let millis = i64::try_from(age.as_millis()).expect("a short time");
        let statement = "UPDATE sessions AS aged SET expires_at = expires_at - $1";
        self.execute(statement, &[Number(millis)]).await;
    }

    /// The id of the only event that was ever queued for a webhook.
    pub async fn only_event(&self) -> String {
        let url = self.database.url();
        let query = "SELECT public_id FROM webhook_events";
        let found = if self.database.is_postgres() {
            let connection = PgConnection::connect(url).await;
            let mut connection = connection.expect("the database");
            sqlx::query_scalar(query).fetch_one(&mut connection).await
        } else {
            let connection = SqliteConnection::connect(url).await;
            let mut connection = connection.expect("the file");
            sqlx::query_scalar(query).fetch_one(&mut connection).await
        };
        found.expect("an event")
    }

    /// Writes a text wherever the outside world can have a word in what the app's pages show.
    pub async fn write_everywhere(&self, app: &str, text: &str) {
        for statement in [
            "UPDATE subscriptions SET platform = $2, endpoint = 'https://push.example/' || $2 WHERE app_id = $1",
            "UPDATE sends SET url = 'https://example.com/' || $2, actor_name = $2,
                              failed_other = 1, status = 'done'
             WHERE app_id = $1",
            "UPDATE key_events SET actor_name = $2 WHERE app_id = $1",
            "UPDATE sessions SET browser = $2 WHERE $1 = $1",
            "INSERT INTO send_failures (send_id, host, reason, recipients)
             SELECT id, $2, 'refused', 1 FROM sends WHERE app_id = $1",
            "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason, detail, attempts, created_at)
             SELECT id, app_id, $2, 'https://push.example/' || $2, 'refused', $2, 1, created_at
             FROM sends WHERE app_id = $1",
            "INSERT INTO webhook_attempts (app_id, event_id, attempt, url, http_status, answer, started_at,
                                           duration_ms, signature)
             SELECT app_id, id, 1, 'https://hooks.example.com/' || $2, 500, $2, created_at, 1, $2
             FROM webhook_events WHERE app_id = $1",
        ] {
            self.execute(statement, &[Text(app), Text(text)]).await;
        }
    }

    /// Has so many recipients of an app's sends fail, and records a dead letter that says `detail`.
    pub async fn fail_sends(&self, app: &str, failed: i64, detail: &str) {
        for statement in [
            "UPDATE sends SET failed_other = $2, status = 'done' WHERE app_id = $1 AND $3 = $3",
            "INSERT INTO send_failures (send_id, host, reason, recipients)
             SELECT id, 'push.example', 'dropped', $2 FROM sends WHERE app_id = $1 AND $3 = $3",
            "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason, detail, attempts, created_at)
             SELECT id, app_id, 'sub_1', 'https://push.example/1', 'dropped', $3, 1, created_at
             FROM sends WHERE app_id = $1 AND $2 = $2",
        ] {
            self.execute(statement, &[Text(app), Number(failed), Text(detail)]).await;
        }
    }
}
