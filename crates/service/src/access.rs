//! What a caller may do, as values that only authentication can make.
//!
//! A use case that needs a right takes its value: [`MaySubscribe`], [`MaySend`], [`MayManage`] or [`AccountPrincipal`]. Their
//! fields are private to this crate, so no handler can make one up, and each names the app that it is for, so no handler can
//! use it on another.

use hato_domain::{AccountId, AppId, ErrorCode, MessageSettings, Scope};

pub use crate::actor::{ActorKind, ActorRecord};
use crate::ports::{AccountRecord, AppRecord, AuthenticatedKey, SessionRecord};

/// A program that authenticated with an API key, which is bound to one app (SPEC 2.3).
#[derive(Clone, Debug)]
pub struct ApiKeyPrincipal(pub(crate) AuthenticatedKey);

/// A person who authenticated with a session, and the account that it is of. Code calls it `owner`, since apps are the
/// account's; histories and ids, `usr_…`, call the same a user.
#[derive(Clone, Debug)]
pub struct AccountPrincipal {
    account: AccountRecord,
    under_review: bool,
    is_operator: bool,
}

/// The right to register and remove subscriptions of an app, and to read its public key.
#[derive(Clone, Debug)]
pub struct MaySubscribe {
    app: AppId,
    vapid_public_key: Vec<u8>,
    is_public: bool,
}

/// The right to send to an app's subscribers, in the name of the actor.
#[derive(Clone, Debug)]
pub struct MaySend {
    app: AppId,
    /// The account that the app belongs to.
    account: AccountId,
    actor: ActorRecord,
    /// What the app says of all its messages.
    messages: MessageSettings,
}

/// The right to manage an app: its keys, webhook, subscriptions, history and end. It comes with that to send (SPEC 5.3).
#[derive(Clone, Debug)]
pub struct MayManage(MaySend);

/// Who runs the server: somebody at the machine, who can open the database by themselves, or an account that such a one has made an
/// operator's.
#[derive(Clone, Copy, Debug)]
pub struct Operator(());

impl Operator {
    /// The right of commands and metrics, which whoever runs the server asks for.
    pub const fn local() -> Self {
        Self(())
    }
}

impl ApiKeyPrincipal {
    /// The right to subscribe, which any scope has (SPEC 5.2).
    pub fn may_subscribe(self) -> MaySubscribe {
        MaySubscribe {
            is_public: self.0.record.scope == Scope::SubscribeOnly,
            app: self.0.record.app_id,
            vapid_public_key: self.0.vapid_public_key,
        }
    }

    /// The right to subscribe to `app`, which must be the key's own: `APP_MISMATCH` (SPEC 4.2, 4.3).
    pub fn may_subscribe_to(self, app: &str) -> Result<MaySubscribe, ErrorCode> {
        self.require_own(app)?;
        Ok(self.may_subscribe())
    }

    /// The right to send, which takes the scope `notify` or `full` (SPEC 5.2); otherwise `INSUFFICIENT_SCOPE`.
    pub fn may_send(&self) -> Result<MaySend, ErrorCode> {
        self.require_scope(Scope::Notify)?;
        Ok(self.sender())
    }

    /// Managing takes a full key (`INSUFFICIENT_SCOPE`) of this very app (`APP_MISMATCH`); scope is judged first
    /// (CONTRACT 3).
    pub fn may_manage(&self, app: &str) -> Result<MayManage, ErrorCode> {
        self.require_scope(Scope::Full)?;
        self.require_own(app)?;
        Ok(MayManage(self.sender()))
    }

    /// Managing the key's own app, where a request names none, takes a full key; otherwise `INSUFFICIENT_SCOPE`.
    pub fn may_manage_own(&self) -> Result<MayManage, ErrorCode> {
        self.may_manage(self.0.record.app_id.as_str())
    }

    fn require_own(&self, app: &str) -> Result<(), ErrorCode> {
        if self.0.record.app_id.as_str() == app {
            Ok(())
        } else {
            Err(ErrorCode::AppMismatch)
        }
    }

    fn require_scope(&self, scope: Scope) -> Result<(), ErrorCode> {
        if self.0.record.scope >= scope {
            Ok(())
        } else {
            Err(ErrorCode::InsufficientScope)
        }
    }

    fn sender(&self) -> MaySend {
        let key = &self.0.record;
        MaySend {
            app: key.app_id.clone(),
            account: self.0.account_id.clone(),
            actor: ActorRecord {
                kind: ActorKind::ApiKey,
                id: key.id.to_string(),
                name: key.name.clone(),
            },
            messages: self.0.messages.clone(),
        }
    }
}

impl AccountPrincipal {
    /// Somebody who has just proven who they are. Whether apps wait for their review is known from the session that follows.
    pub(crate) fn new(account: AccountRecord) -> Self {
        Self {
            account,
            under_review: false,
            is_operator: false,
        }
    }

    /// Somebody whose session was found.
    pub(crate) fn from_session(session: SessionRecord) -> Self {
        Self {
            account: session.account,
            under_review: session.under_review,
            is_operator: session.is_operator,
        }
    }

    /// The same with another password, of this hash.
    pub(crate) fn with_password(&self, hash: String) -> Self {
        let mut changed = self.clone();
        changed.account.password_hash = Some(hash);
        changed
    }

    /// The account as it was when the session authenticated the request.
    pub fn account(&self) -> &AccountRecord {
        &self.account
    }

    /// The id of the account that is logged in.
    pub fn id(&self) -> &AccountId {
        &self.account.id
    }

    /// Whether apps of the account wait for their owner's review, before which nothing else is changed.
    pub fn is_under_review(&self) -> bool {
        self.under_review
    }

    /// The right to change anything, which comes with the end of the review: `INSUFFICIENT_SCOPE` before (CONTRACT 3).
    pub fn require_reviewed(&self) -> Result<(), ErrorCode> {
        if self.under_review {
            return Err(ErrorCode::InsufficientScope);
        }
        Ok(())
    }

    /// Whether the account is an operator's.
    pub fn is_operator(&self) -> bool {
        self.is_operator
    }

    /// The right of operators. For anybody else there is nothing to see: `NOT_FOUND`.
    pub fn may_operate(&self) -> Result<Operator, ErrorCode> {
        let is_permitted = self.is_operator && !self.under_review;
        is_permitted
            .then_some(Operator(()))
            .ok_or(ErrorCode::NotFound)
    }

    /// The right to manage `app`; another account's app does not exist for this one: `NOT_FOUND` (CONTRACT 3).
    pub(crate) fn may_manage(&self, app: &AppRecord) -> Result<MayManage, ErrorCode> {
        if app.account_id != self.account.id {
            return Err(ErrorCode::NotFound);
        }
        Ok(MayManage(MaySend {
            app: app.id.clone(),
            account: app.account_id.clone(),
            actor: ActorRecord {
                kind: ActorKind::User,
                id: self.account.id.to_string(),
                name: self.account.email.as_str().to_owned(),
            },
            messages: app.messages.clone(),
        }))
    }
}

impl MaySubscribe {
    /// The app that the right is for.
    pub fn app(&self) -> &AppId {
        &self.app
    }

    /// The app's VAPID public key, 65 bytes, which a browser needs to subscribe (SPEC 4.4).
    pub fn vapid_public_key(&self) -> &[u8] {
        &self.vapid_public_key
    }

    /// Whether anybody may have the right: pages show their `subscribe_only` key (SPEC 5.2).
    pub fn is_public(&self) -> bool {
        self.is_public
    }
}

impl MaySend {
    /// The app that the right is for.
    pub fn app(&self) -> &AppId {
        &self.app
    }

    /// The account that the app belongs to.
    pub(crate) fn account(&self) -> &AccountId {
        &self.account
    }

    /// What the app says of all its messages.
    pub(crate) fn messages(&self) -> &MessageSettings {
        &self.messages
    }

    /// The user or key that the history names as the sender.
    pub fn actor(&self) -> &ActorRecord {
        &self.actor
    }
}

impl MayManage {
    /// The app that the right is for.
    pub fn app(&self) -> &AppId {
        &self.0.app
    }

    /// The account that the app belongs to.
    pub(crate) fn account(&self) -> &AccountId {
        &self.0.account
    }

    /// The user or key that key events name.
    pub fn actor(&self) -> &ActorRecord {
        &self.0.actor
    }

    /// The right to send, which comes with that to manage (SPEC 5.3).
    pub fn may_send(&self) -> MaySend {
        self.0.clone()
    }
}
