//! Registering and logging in.

use hato_domain::{AccountId, Email, ErrorCode, LoginPassword, NewPassword};
use uuid::Uuid;

use crate::access::Owner;
use crate::ports::{AccountRecord, NewAccount};
use crate::{Outcome, Service};

impl Service {
    /// Makes an account: `REGISTRATION_CLOSED`, `EMAIL_IN_USE`.
    pub async fn register(&self, email: Email, password: NewPassword) -> Outcome<Owner> {
        if !self.settings.registration_open {
            return Err(ErrorCode::RegistrationClosed.into());
        }
        Ok(Owner::new(self.make_account(email, password).await?))
    }

    /// Checks a password. An unknown address and a wrong password are the same answer, `INVALID_CREDENTIALS`, in the same
    /// time (CONTRACT 4).
    pub async fn log_in(&self, email: &Email, password: LoginPassword) -> Outcome<Owner> {
        let account = self.store.account_by_email(email).await?;
        let hash = account
            .as_ref()
            .and_then(|account| account.password_hash.clone());
        let matches = self.hasher.verify(password, hash).await?;
        match account {
            Some(account) if matches => Ok(Owner::new(account)),
            _ => Err(ErrorCode::InvalidCredentials.into()),
        }
    }

    /// Makes an account with a password; `EMAIL_IN_USE`.
    pub(crate) async fn make_account(
        &self,
        email: Email,
        password: NewPassword,
    ) -> Outcome<AccountRecord> {
        let password_hash = self.hasher.hash(password).await?;
        let account = self.new_account(email, Some(password_hash));
        let record = as_record(&account);
        if !self.store.create_account(account).await? {
            return Err(ErrorCode::EmailInUse.into());
        }
        Ok(record)
    }

    /// An account that could be made.
    pub(crate) fn new_account(&self, email: Email, password_hash: Option<String>) -> NewAccount {
        NewAccount {
            id: AccountId::from_uuid(Uuid::now_v7()),
            email,
            password_hash,
            plan: self.settings.default_plan,
            created_at: self.clock.now(),
        }
    }
}

fn as_record(account: &NewAccount) -> AccountRecord {
    AccountRecord {
        id: account.id.clone(),
        email: account.email.as_str().to_owned(),
        password_hash: account.password_hash.clone(),
        plan: account.plan,
        created_at: account.created_at,
    }
}
