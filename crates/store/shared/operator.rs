//! What operators ask.

use async_trait::async_trait;
use hato_domain::{AccountId, Email, Month, Plan, UnixMillis};
use hato_service::ports::{AccountUsage, OperatorStore, StoreError};

use crate::Database;
use crate::accounts::parse_plan;
use crate::dialect::{DbConnection, readers, write};
use crate::error::with_context;
use crate::sessions::end_sessions;

#[async_trait]
impl OperatorStore for Database {
    async fn set_plan(&self, email: &Email, plan: Plan) -> Result<bool, StoreError> {
        let folded = email.folded();
        write(self, "set a plan", move |c| {
            Box::pin(set_plan(c, folded, plan))
        })
        .await
    }

    async fn set_password(&self, email: &Email, hash: String) -> Result<bool, StoreError> {
        let folded = email.folded();
        write(self, "set a password", move |c| {
            Box::pin(set_password(c, folded, hash))
        })
        .await
    }

    async fn accounts(
        &self,
        month: Month,
        after: Option<AccountId>,
        limit: i64,
    ) -> Result<Vec<AccountUsage>, StoreError> {
        let after = after.as_ref().map_or("", AccountId::as_str);
        let rows = sqlx::query_as!(
            AccountUseRow,
            r#"SELECT a.id, a.email, a.plan, a.created_at,
                      (SELECT COUNT(*) FROM apps AS p
                       WHERE p.account_id = a.id AND p.deleted_at IS NULL) AS "apps!",
                      CAST(COALESCE((SELECT u.recipients FROM monthly_usage AS u
                       WHERE u.account_id = a.id AND u.month = $1), 0) AS BIGINT) AS "recipients!: i64"
               FROM accounts AS a
               WHERE a.id > $2 AND a.deleted_at IS NULL ORDER BY a.id LIMIT $3"#,
            month.0,
            after,
            limit
        );
        rows.fetch_all(readers(self))
            .await
            .and_then(|rows| rows.into_iter().map(AccountUseRow::into_use).collect())
            .map_err(with_context("list accounts"))
    }

    async fn queued_pages(&self, most: i64) -> Result<i64, StoreError> {
        sqlx::query_scalar!(
            r#"SELECT COUNT(*) AS "n!" FROM (SELECT id FROM jobs LIMIT $1) AS counted"#,
            most
        )
        .fetch_one(readers(self))
        .await
        .map_err(with_context("count the queued pages"))
    }

    async fn oldest_event(&self) -> Result<Option<UnixMillis>, StoreError> {
        let oldest = sqlx::query_scalar!(
            r#"SELECT MIN(e.created_at) AS "at?: i64"
               FROM webhooks AS w JOIN webhook_events AS e ON e.id =
                 (SELECT f.id FROM webhook_events AS f
                  WHERE f.app_id = w.app_id AND f.due_at IS NOT NULL AND f.attempts = 0
                  ORDER BY f.id LIMIT 1)
               WHERE w.due_at IS NOT NULL"#
        );
        let oldest = oldest.fetch_one(readers(self)).await;
        oldest
            .map(|at| at.map(UnixMillis))
            .map_err(with_context("look for the oldest event"))
    }
}

struct AccountUseRow {
    id: String,
    email: String,
    plan: String,
    created_at: i64,
    apps: i64,
    recipients: i64,
}

impl AccountUseRow {
    fn into_use(self) -> sqlx::Result<AccountUsage> {
        Ok(AccountUsage {
            id: AccountId::trusted(self.id),
            email: self.email,
            plan: parse_plan(&self.plan)?,
            created_at: UnixMillis(self.created_at),
            apps: self.apps,
            recipients: self.recipients,
        })
    }
}

async fn set_plan(c: &mut DbConnection, folded: String, plan: Plan) -> sqlx::Result<bool> {
    let plan = plan.as_str();
    let updated = sqlx::query!(
        "UPDATE accounts SET plan = $2 WHERE email_folded = $1",
        folded,
        plan
    )
    .execute(c)
    .await?;
    Ok(updated.rows_affected() == 1)
}

async fn set_password(c: &mut DbConnection, folded: String, hash: String) -> sqlx::Result<bool> {
    let account = sqlx::query_scalar!(
        r#"UPDATE accounts SET password_hash = $2 WHERE email_folded = $1 RETURNING id AS "id!""#,
        folded,
        hash
    )
    .fetch_optional(&mut *c)
    .await?;
    let Some(account) = account else {
        return Ok(false);
    };
    end_sessions(c, &account).await?;
    Ok(true)
}
