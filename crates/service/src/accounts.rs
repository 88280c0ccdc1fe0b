//! Accounts: registering, logging in, another password, and the end.

use hato_domain::{AccountId, Email, ErrorCode, LoginPassword, NewPassword};
use uuid::Uuid;

use crate::access::AccountPrincipal;
use crate::ports::{AccountRecord, MonthlyUsage};
use crate::{Service, ServiceResult};

impl Service {
    /// Makes an account for a stranger; `REGISTRATION_CLOSED` where the operator says so, `EMAIL_IN_USE` for a known
    /// address.
    pub async fn register(
        &self,
        email: Email,
        password: NewPassword,
    ) -> ServiceResult<AccountPrincipal> {
        self.require_open_registration()?;
        Ok(AccountPrincipal::new(
            self.make_account(email, password).await?,
        ))
    }

    /// Passes if strangers may make accounts, else `REGISTRATION_CLOSED`.
    pub fn require_open_registration(&self) -> Result<(), ErrorCode> {
        let is_open = self.settings.registration_open;
        is_open.then_some(()).ok_or(ErrorCode::RegistrationClosed)
    }

    /// Logs in with a password. An unknown address and a wrong password are the same answer, `INVALID_CREDENTIALS`,
    /// after the same work, so that nobody learns which addresses have accounts (CONTRACT 4).
    pub async fn log_in(
        &self,
        email: &Email,
        password: LoginPassword,
    ) -> ServiceResult<AccountPrincipal> {
        let account = self.store.account_by_email(email).await?;
        let hash = account
            .as_ref()
            .and_then(|account| account.password_hash.clone());
        let matches = self.hasher.verify(password, hash).await?;
        match account {
            Some(account) if matches => Ok(AccountPrincipal::new(account)),
            _ => Err(ErrorCode::InvalidCredentials.into()),
        }
    }

    /// Replaces the password and ends every session, the caller's included; the owner, who may begin a new one. Who has a password must
    /// give it: `INVALID_CREDENTIALS`.
    pub async fn change_password(
        &self,
        owner: &AccountPrincipal,
        current: LoginPassword,
        new: NewPassword,
    ) -> ServiceResult<AccountPrincipal> {
        if owner.account().password_hash.is_some() {
            self.confirm(owner, current).await?;
        }
        let (email, hash) = (&owner.account().email, self.hasher.hash(new).await?);
        if self.store.set_password(email, hash.clone()).await? {
            Ok(owner.with_password(hash))
        } else {
            Err(ErrorCode::InvalidSession.into())
        }
    }

    /// Deletes the account with its apps and everything in them. It must be confirmed with the password, or, where there
    /// is none, with the address: `INVALID_CREDENTIALS`. All of it is gone at once; the janitor removes the rows.
    pub async fn delete_account(
        &self,
        owner: &AccountPrincipal,
        confirmation: LoginPassword,
    ) -> ServiceResult<()> {
        self.confirm(owner, confirmation).await?;
        let now = self.clock.now();
        if self.store.delete_account(owner.id(), now).await? {
            Ok(())
        } else {
            Err(ErrorCode::InvalidSession.into())
        }
    }

    /// How many recipients the account has sent to in this UTC month, which is what its plan limits (SPEC 8).
    pub async fn monthly_usage(&self, owner: &AccountPrincipal) -> ServiceResult<MonthlyUsage> {
        let month = self.clock.now().month();
        Ok(self.store.monthly_usage(owner.id(), month).await?)
    }

    /// Makes sure that the owner asks, not somebody at an unlocked screen: `INVALID_CREDENTIALS` unless `typed` is the
    /// password, or the address where there is no password.
    pub(crate) async fn confirm(
        &self,
        owner: &AccountPrincipal,
        typed: LoginPassword,
    ) -> ServiceResult<()> {
        let account = owner.account();
        let confirmed = match &account.password_hash {
            Some(hash) => self.hasher.verify(typed, Some(hash.clone())).await?,
            None => typed
                .as_bytes()
                .eq_ignore_ascii_case(account.email.as_str().as_bytes()),
        };
        if confirmed {
            Ok(())
        } else {
            Err(ErrorCode::InvalidCredentials.into())
        }
    }

    /// Makes an account with a password; `EMAIL_IN_USE` for an address that has one.
    pub(crate) async fn make_account(
        &self,
        email: Email,
        password: NewPassword,
    ) -> ServiceResult<AccountRecord> {
        let password_hash = self.hasher.hash(password).await?;
        let account = self.new_account(email, Some(password_hash));
        if !self.store.create_account(account.clone()).await? {
            return Err(ErrorCode::EmailInUse.into());
        }
        Ok(account)
    }

    /// A new account of the default plan; nothing is stored yet.
    pub(crate) fn new_account(&self, email: Email, password_hash: Option<String>) -> AccountRecord {
        AccountRecord {
            id: AccountId::from_uuid(Uuid::now_v7()),
            email,
            password_hash,
            plan: self.settings.default_plan,
            created_at: self.clock.now(),
        }
    }
}
