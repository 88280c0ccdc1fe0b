//! Accounts, and how much of its monthly quota each has used.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, Email, Month, UnixMillis};
use hato_service::ports::{AccountRecord, AccountStore, MonthlyUsage, StoreError};

use crate::Database;
use crate::deleted_accounts::mark_deleted;
use crate::dialect::{DbConnection, readers};
use crate::error::with_context;
use crate::transaction::transaction;
use crate::values::parse_plan;

#[async_trait]
impl AccountStore for Database {
    async fn create_account(&self, account: AccountRecord) -> Result<bool, StoreError> {
        transaction!(self, "make an account", |c| insert(c, &account).await)
    }

    async fn account_by_email(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError> {
        sqlx::query_as!(
            AccountRow,
            "SELECT id, email, password_hash, plan, created_at FROM accounts WHERE email_folded = $1",
            email.folded()
        )
        .try_map(AccountRow::into_record)
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("find an account"))
    }

    async fn monthly_usage(
        &self,
        account: &AccountId,
        month: Month,
    ) -> Result<MonthlyUsage, StoreError> {
        let recipients = sqlx::query_scalar!(
            "SELECT recipients FROM monthly_usage WHERE account_id = $1 AND month = $2",
            account.as_str(),
            month.0
        )
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("count what an account sends"))?;
        let by_app = sent_by_app(self, account, month)
            .await
            .map_err(with_context("count what an account's apps sent"))?;
        Ok(MonthlyUsage {
            recipients: recipients.unwrap_or_default(),
            by_app,
        })
    }

    async fn delete_account(
        &self,
        account: &AccountId,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let account = account.clone();
        transaction!(self, "delete an account", |c| {
            mark_deleted(c, &account, now).await
        })
    }
}

/// What the account's apps sent in the month, by the day on which a send was accepted: the part of the quota that reached
/// somebody.
async fn sent_by_app(
    database: &Database,
    account: &AccountId,
    month: Month,
) -> sqlx::Result<Vec<(AppId, i64)>> {
    sqlx::query!(
        r#"SELECT d.app_id, CAST(SUM(d.sent) AS BIGINT) AS "sent!: i64"
           FROM apps AS p JOIN daily_counts AS d ON d.app_id = p.id
           WHERE p.account_id = $1 AND p.deleted_at IS NULL AND d.day >= $2 AND d.day < $3
           GROUP BY d.app_id"#,
        account.as_str(),
        month.start().day_number(),
        month.end().day_number()
    )
    .map(|row| (AppId::trusted(row.app_id), row.sent))
    .fetch_all(readers(database))
    .await
}

/// An account as it is stored.
pub(crate) struct AccountRow {
    pub(crate) id: String,
    pub(crate) email: String,
    pub(crate) password_hash: Option<String>,
    pub(crate) plan: String,
    pub(crate) created_at: i64,
}

impl AccountRow {
    pub(crate) fn into_record(self) -> sqlx::Result<AccountRecord> {
        Ok(AccountRecord {
            id: AccountId::trusted(self.id),
            email: Email::trusted(self.email),
            password_hash: self.password_hash,
            plan: parse_plan(&self.plan)?,
            created_at: UnixMillis(self.created_at),
        })
    }
}

/// Adds the account; `false` when the address is taken.
pub(crate) async fn insert(c: &mut DbConnection, account: &AccountRecord) -> sqlx::Result<bool> {
    let inserted = sqlx::query!(
        "INSERT INTO accounts (id, email, email_folded, password_hash, plan, created_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email_folded) DO NOTHING",
        account.id.as_str(),
        account.email.as_str(),
        account.email.folded(),
        account.password_hash,
        account.plan.as_str(),
        account.created_at.0
    )
    .execute(c)
    .await?;
    Ok(inserted.rows_affected() == 1)
}
