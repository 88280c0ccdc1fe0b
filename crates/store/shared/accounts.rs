//! Accounts.

use async_trait::async_trait;
use hato_domain::{AccountId, Email, Plan, UnixMillis};
use hato_service::ports::{AccountRecord, AccountStore, NewAccount, StoreError};

use crate::Database;
use crate::dialect::{Connection, readers, write};
use crate::failure::{during, unreadable};

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
            .map_err(during("find an account"))
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
            plan: plan(&self.plan)?,
            created_at: UnixMillis(self.created_at),
        })
    }
}

/// The plan that this text stands for.
pub(crate) fn plan(text: &str) -> sqlx::Result<Plan> {
    Plan::parse(text).map_err(|_| unreadable("plan"))
}

/// Adds the account; `false` when the address is taken.
pub(crate) async fn insert(c: &mut Connection, account: NewAccount) -> sqlx::Result<bool> {
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
