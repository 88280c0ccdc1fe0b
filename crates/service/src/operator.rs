//! What operators do, on the database itself (CONTRACT 1).

use std::time::Duration;

use hato_domain::{AccountId, Email, ErrorCode, LoginPassword, NewPassword, Plan};

use crate::access::{AccountPrincipal, Operator};
use crate::error::found;
use crate::password_hash::HasherLoad;
use crate::ports::{AccountRecord, AccountUsage, DatabaseFiles};
use crate::{Service, ServiceResult};

/// Accounts read in one transaction.
const ACCOUNTS_PER_PAGE: i64 = 1_000;

/// Accounts on a page of the dashboard.
const ACCOUNTS_SHOWN: usize = 50;

/// Pages, or events, counted at most: a scrape must not take longer when the queue is long.
const MAX_COUNTED: i64 = 100_000;

impl Service {
    /// Gives an account a plan, which its next request goes by; `NOT_FOUND` for an unknown address.
    pub async fn set_plan(&self, _: &Operator, email: &Email, plan: Plan) -> ServiceResult<()> {
        found(self.store.set_plan(email, plan).await?)
    }

    /// Gives an account a password and ends its sessions; `NOT_FOUND` for an unknown address.
    pub async fn set_password(
        &self,
        _: &Operator,
        email: &Email,
        password: NewPassword,
    ) -> ServiceResult<()> {
        let hash = self.hasher.hash(password).await?;
        found(self.store.set_password(email, hash).await?)
    }

    /// Makes an account, whether strangers may register or not; `EMAIL_IN_USE` for a known address.
    pub async fn create_account(
        &self,
        _: &Operator,
        email: Email,
        password: NewPassword,
    ) -> ServiceResult<AccountRecord> {
        self.make_account(email, password).await
    }

    /// Makes an account an operator's, which has the dashboard's page of accounts, or an ordinary one again; `NOT_FOUND` for an
    /// unknown address.
    pub async fn set_operator(
        &self,
        _: &Operator,
        email: &Email,
        is_operator: bool,
    ) -> ServiceResult<()> {
        found(self.store.set_operator(email, is_operator).await?)
    }

    /// Gives an account a password as [`Self::set_password`] does, where a session asks: whoever has got hold of that must know the
    /// operator's own password too, `INVALID_CREDENTIALS`.
    pub async fn set_password_as(
        &self,
        owner: &AccountPrincipal,
        confirmation: LoginPassword,
        email: &Email,
        password: NewPassword,
    ) -> ServiceResult<()> {
        let operator = owner.may_operate()?;
        self.confirm(owner, confirmation).await?;
        self.set_password(&operator, email, password).await
    }

    /// The id of the account with this address, by which logs name it; `NOT_FOUND`.
    pub async fn account_id(&self, _: &Operator, email: &Email) -> ServiceResult<AccountId> {
        let account = self.store.account_by_email(email).await?;
        Ok(account.ok_or(ErrorCode::NotFound)?.id)
    }

    /// Up to 50 accounts with what they use, those that were made after this one, and whether there are more.
    pub async fn accounts_after(
        &self,
        _: &Operator,
        after: Option<AccountId>,
    ) -> ServiceResult<(Vec<AccountUsage>, bool)> {
        let month = self.clock.now().month();
        let most = i64::try_from(ACCOUNTS_SHOWN + 1).unwrap_or(i64::MAX);
        let mut accounts = self.store.accounts(month, after, most).await?;
        let are_more = accounts.len() > ACCOUNTS_SHOWN;
        accounts.truncate(ACCOUNTS_SHOWN);
        Ok((accounts, are_more))
    }

    /// Every account with what it uses, in the order of their making.
    pub async fn accounts(&self, _: &Operator) -> ServiceResult<Vec<AccountUsage>> {
        let month = self.clock.now().month();
        let mut all: Vec<AccountUsage> = Vec::new();
        loop {
            let after = all.last().map(|account| account.id.clone());
            let page = self.store.accounts(month, after, ACCOUNTS_PER_PAGE).await?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }

    /// How many pages are queued, claimed ones included; counted up to 100,000.
    pub async fn queued_pages(&self, _: &Operator) -> ServiceResult<i64> {
        Ok(self.store.queued_pages(MAX_COUNTED).await?)
    }

    /// For how long the page that has been due longest waits to be claimed; zero when none is due.
    pub async fn oldest_page_age(&self, _: &Operator) -> ServiceResult<Duration> {
        let due = self.store.first_due_page().await?;
        Ok(due.map_or(Duration::ZERO, |at| self.clock.now().since(at)))
    }

    /// How many events of webhooks wait to be posted, for the first time or again; counted up to 100,000.
    pub async fn queued_events(&self, _: &Operator) -> ServiceResult<i64> {
        Ok(self.store.queued_events(MAX_COUNTED).await?)
    }

    /// The sizes of the database's files; `None` when they are another server's matter.
    pub async fn database_files(&self, _: &Operator) -> ServiceResult<Option<DatabaseFiles>> {
        Ok(self.store.files().await?)
    }

    /// How many passwords are being hashed, and how many wait for their turn.
    pub fn hashed_passwords(&self, _: &Operator) -> HasherLoad {
        self.hasher.load()
    }

    /// How long the oldest of the webhooks' events that wait for their first attempt has waited; zero when none waits.
    pub async fn oldest_event_age(&self, _: &Operator) -> ServiceResult<Duration> {
        let oldest = self.store.oldest_event().await?;
        Ok(oldest.map_or(Duration::ZERO, |at| self.clock.now().since(at)))
    }
}
