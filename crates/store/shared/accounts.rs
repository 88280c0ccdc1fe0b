//! Accounts.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, Email, Month, Plan, UnixMillis};
use hato_service::ports::{AccountRecord, AccountStore, MonthlyUsage, NewAccount, StoreError};

use crate::Database;
use crate::deleted_accounts::mark_deleted;
use crate::dialect::{DbConnection, readers, write};
use crate::error::{decode_error, with_context};

#[async_trait]
impl AccountStore for Database {
    async fn create_account(&self, account: NewAccount) -> Result<bool, StoreError> {
        write(self, "make an account", |c| Box::pin(insert(c, account))).await
    }

    async fn account_by_email(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError> {
        let folded = email.folded();
        let row = sqlx::query_as!(
            AccountRow,
            "SELECT id, email, password_hash, plan, created_at FROM accounts WHERE email_folded = $1",
            folded
        );
        row.fetch_optional(readers(self))
            .await
            .and_then(|row| row.map(AccountRow::into_record).transpose())
            .map_err(with_context("find an account"))
    }

    async fn monthly_usage(
        &self,
        account: &AccountId,
        month: Month,
    ) -> Result<MonthlyUsage, StoreError> {
        monthly_usage(self, account, month)
            .await
            .map_err(with_context("count what an account sends"))
    }

    async fn delete_account(
        &self,
        account: &AccountId,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let account = account.clone();
        write(self, "delete an account", move |c| {
            Box::pin(mark_deleted(c, account, now))
        })
        .await
    }
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
            email: self.email,
            password_hash: self.password_hash,
            plan: parse_plan(&self.plan)?,
            created_at: UnixMillis(self.created_at),
        })
    }
}

async fn monthly_usage(
    database: &Database,
    account: &AccountId,
    month: Month,
) -> sqlx::Result<MonthlyUsage> {
    let (id, number) = (account.as_str(), month.0);
    let recipients = sqlx::query_scalar!(
        "SELECT recipients FROM monthly_usage WHERE account_id = $1 AND month = $2",
        id,
        number
    )
    .fetch_optional(readers(database))
    .await?;
    Ok(MonthlyUsage {
        recipients: recipients.unwrap_or_default(),
        by_app: sent_by_app(database, account, month).await?,
    })
}

struct SentByAppRow {
    app_id: String,
    sent: i64,
}

async fn sent_by_app(
    database: &Database,
    account: &AccountId,
    month: Month,
) -> sqlx::Result<Vec<(AppId, i64)>> {
    let account = account.as_str();
    let (first, next) = (month.start().day_number(), month.end().day_number());
    let rows = sqlx::query_as!(
        SentByAppRow,
        r#"SELECT d.app_id, CAST(SUM(d.sent) AS BIGINT) AS "sent!: i64"
           FROM apps AS p JOIN daily_counts AS d ON d.app_id = p.id
           WHERE p.account_id = $1 AND p.deleted_at IS NULL AND d.day >= $2 AND d.day < $3
           GROUP BY d.app_id"#,
        account,
        first,
        next
    )
    .fetch_all(readers(database))
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (AppId::trusted(row.app_id), row.sent))
        .collect())
}

/// The plan that this text stands for.
pub(crate) fn parse_plan(text: &str) -> sqlx::Result<Plan> {
    Plan::parse(text).map_err(|_| decode_error("plan"))
}

/// Adds the account; `false` when the address is taken.
pub(crate) async fn insert(c: &mut DbConnection, account: NewAccount) -> sqlx::Result<bool> {
    let (id, email, folded) = (
        account.id.as_str(),
        account.email.as_str(),
        account.email.folded(),
    );
    let (plan, created_at) = (account.plan.as_str(), account.created_at.0);
    let inserted = sqlx::query!(
        "INSERT INTO accounts (id, email, email_folded, password_hash, plan, created_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email_folded) DO NOTHING",
        id,
        email,
        folded,
        account.password_hash,
        plan,
        created_at
    )
    .execute(c)
    .await?;
    Ok(inserted.rows_affected() == 1)
}
