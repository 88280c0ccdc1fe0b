//! What operators do with accounts, and what they ask about the whole server.

use async_trait::async_trait;
use hato_domain::{AccountId, Email, Month, Plan, UnixMillis};
use hato_service::ports::{AccountUsage, DatabaseFiles, OperatorStore, StoreError};

use crate::Database;
use crate::dialect::{files, readers};
use crate::error::with_context;
use crate::sessions::end_sessions;
use crate::transaction::transaction;
use crate::values::parse_plan;

#[async_trait]
impl OperatorStore for Database {
    async fn set_plan(&self, email: &Email, plan: Plan) -> Result<bool, StoreError> {
        let folded = email.folded();
        transaction!(self, "set a plan", |c| {
            let updated = sqlx::query!(
                "UPDATE accounts SET plan = $2 WHERE email_folded = $1",
                folded,
                plan.as_str()
            );
            Ok(updated.execute(c).await?.rows_affected() == 1)
        })
    }

    async fn set_password(&self, email: &Email, hash: String) -> Result<bool, StoreError> {
        let folded = email.folded();
        transaction!(self, "set a password", |c| {
            let account = sqlx::query_scalar!(
                r#"UPDATE accounts SET password_hash = $2 WHERE email_folded = $1
                   RETURNING id AS "id!""#,
                folded,
                hash
            );
            let Some(account) = account.fetch_optional(&mut *c).await? else {
                return Ok(false);
            };
            end_sessions(c, &AccountId::trusted(account)).await?;
            Ok(true)
        })
    }

    async fn set_operator(&self, email: &Email, is_operator: bool) -> Result<bool, StoreError> {
        let folded = email.folded();
        transaction!(self, "make an account an operator's", |c| {
            let updated = sqlx::query!(
                "UPDATE accounts SET is_operator = $2
                 WHERE email_folded = $1 AND deleted_at IS NULL",
                folded,
                i64::from(is_operator)
            );
            Ok(updated.execute(c).await?.rows_affected() == 1)
        })
    }

    async fn accounts(
        &self,
        month: Month,
        after: Option<AccountId>,
        limit: i64,
    ) -> Result<Vec<AccountUsage>, StoreError> {
        sqlx::query!(
            r#"SELECT a.id, a.email, a.plan, a.created_at,
                      a.is_operator <> 0 AS "is_operator!: bool",
                      (SELECT COUNT(*) FROM apps AS p
                       WHERE p.account_id = a.id AND p.deleted_at IS NULL) AS "apps!",
                      CAST(COALESCE((SELECT u.recipients FROM monthly_usage AS u
                       WHERE u.account_id = a.id AND u.month = $1), 0) AS BIGINT) AS "recipients!: i64"
               FROM accounts AS a
               WHERE a.id > $2 AND a.deleted_at IS NULL ORDER BY a.id LIMIT $3"#,
            month.0,
            after.as_ref().map_or("", AccountId::as_str),
            limit
        )
        .try_map(|row| {
            Ok(AccountUsage {
                id: AccountId::trusted(row.id),
                email: row.email,
                plan: parse_plan(&row.plan)?,
                created_at: UnixMillis(row.created_at),
                apps: row.apps,
                recipients: row.recipients,
                is_operator: row.is_operator,
            })
        })
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list accounts"))
    }

    async fn queued_pages(&self, most: i64) -> Result<i64, StoreError> {
        let pages = sqlx::query_scalar!(
            r#"SELECT COUNT(*) AS "n!" FROM (SELECT id FROM jobs LIMIT $1) AS counted"#,
            most
        );
        let pages = pages.fetch_one(readers(self)).await;
        pages.map_err(with_context("count the queued pages"))
    }

    async fn first_due_page(&self) -> Result<Option<UnixMillis>, StoreError> {
        sqlx::query_scalar!(r#"SELECT MIN(due_at) AS "due_at?: i64" FROM jobs WHERE held = 0"#)
            .fetch_one(readers(self))
            .await
            .map(|at| at.map(UnixMillis))
            .map_err(with_context("look for the page that is due first"))
    }

    async fn queued_events(&self, most: i64) -> Result<i64, StoreError> {
        sqlx::query_scalar!(
            r#"SELECT COUNT(*) AS "n!"
               FROM (SELECT id FROM webhook_events WHERE due_at IS NOT NULL LIMIT $1) AS counted"#,
            most
        )
        .fetch_one(readers(self))
        .await
        .map_err(with_context("count the queued events"))
    }

    async fn files(&self) -> Result<Option<DatabaseFiles>, StoreError> {
        files(self)
            .await
            .map_err(with_context("look at the database's files"))
    }

    // The events of an app are posted in order, so its oldest is the first of its outbox: one look at an index per app that has
    // any, instead of a look at every event.
    async fn oldest_event(&self) -> Result<Option<UnixMillis>, StoreError> {
        sqlx::query_scalar!(
            r#"SELECT MIN(e.created_at) AS "at?: i64"
               FROM webhooks AS w JOIN webhook_events AS e ON e.id =
                 (SELECT f.id FROM webhook_events AS f
                  WHERE f.app_id = w.app_id AND f.due_at IS NOT NULL AND f.attempts = 0
                  ORDER BY f.id LIMIT 1)
               WHERE w.due_at IS NOT NULL"#
        )
        .fetch_one(readers(self))
        .await
        .map(|at| at.map(UnixMillis))
        .map_err(with_context("look for the oldest event"))
    }
}
