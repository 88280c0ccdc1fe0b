//! Reviews: what an account's new owner decides about what was there before (CONTRACT 4).
//!
//! Whoever made an account with a password never proved its address. When a login through GitHub proves it, the account goes to
//! somebody else, but the keys and the webhook that were made before are still in the hands of who made them.

use std::collections::BTreeMap;

use hato_domain::{AppId, ErrorCode, KeyEventId, SendId, text_enum};
use uuid::Uuid;

use crate::access::{AccountPrincipal, MayManage};
use crate::error::found;
use crate::ports::{AppRecord, DeletedKey, KeyRecord, ReviewConclusion, SendRecord};
use crate::{MAX_EVENT_AGE, Service, ServiceResult};

/// Held sends that are decided about one by one; older ones are decided about together.
const MAX_LISTED_SENDS: usize = 50;

text_enum!(
    /// What becomes of something that was there before.
    ReviewDecision or ErrorCode::InvalidInput {
        /// It works again: a key, a webhook, a send that waits.
        Keep = "keep",
        /// It goes: a key and a webhook are deleted, a send is cancelled.
        Delete = "delete",
    }
);

/// What was decided, by the ids of keys and sends, [`WEBHOOK`] and [`OTHER_SENDS`].
#[derive(Clone, Debug, Default)]
pub struct ReviewDecisions(BTreeMap<String, ReviewDecision>);

/// The webhook's name among the decisions.
pub const WEBHOOK: &str = "webhook";

/// The name of all sends that have no decision of their own.
pub const OTHER_SENDS: &str = "other_sends";

impl ReviewDecisions {
    /// Reads what a form says of each item; `INVALID_INPUT` for what is no decision.
    pub fn parse(texts: BTreeMap<String, String>) -> Result<Self, ErrorCode> {
        let parse = |(item, text): (String, String)| Ok((item, ReviewDecision::parse(&text)?));
        let decisions = texts.into_iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Self(decisions))
    }

    /// Whether the item goes; `INVALID_INPUT` when nothing was decided about it.
    fn deletes(&self, item: &str) -> Result<bool, ErrorCode> {
        let decision = self.0.get(item).ok_or(ErrorCode::InvalidInput)?;
        Ok(*decision == ReviewDecision::Delete)
    }

    fn cancels(&self, send: &SendId) -> Result<bool, ErrorCode> {
        self.deletes(send.as_str())
            .or_else(|_| self.deletes(OTHER_SENDS))
    }
}

/// An app under review, with what is to be decided about.
#[derive(Clone, Debug)]
pub struct AppReview {
    /// The app, whose webhook URL is one of the items if there is one.
    pub app: AppRecord,
    /// Every key of the app, oldest first.
    pub keys: Vec<KeyRecord>,
    /// The newest sends that wait.
    pub sends: Vec<SendRecord>,
    /// Whether there are older ones, which are decided about together.
    pub has_more_sends: bool,
    /// How many apps of the account come after this one.
    pub apps_left: usize,
}

impl Service {
    /// The oldest app under review, with what is to be decided about it; `None` when nothing is left to decide.
    pub async fn next_review(&self, owner: &AccountPrincipal) -> ServiceResult<Option<AppReview>> {
        let apps = self.store.apps_of(owner.id()).await?;
        let mut waiting = apps.into_iter().filter(|app| app.under_review);
        let Some(app) = waiting.next() else {
            return Ok(None);
        };
        let access = owner.may_manage(&app)?;
        let keys = self.keys(&access).await?;
        let limit = i64::try_from(MAX_LISTED_SENDS + 1).unwrap_or(i64::MAX);
        let mut sends = self.store.held_sends(&app.id, limit).await?;
        let has_more_sends = sends.len() > MAX_LISTED_SENDS;
        sends.truncate(MAX_LISTED_SENDS);
        Ok(Some(AppReview {
            app,
            keys,
            sends,
            has_more_sends,
            apps_left: waiting.count(),
        }))
    }

    /// Ends the review of an app: what is kept works again, the rest goes. `INVALID_INPUT`, and nothing is changed, unless there is a
    /// decision about everything; `NOT_FOUND` for an app that is not under review.
    pub async fn conclude_review(
        &self,
        owner: &AccountPrincipal,
        app: &str,
        decisions: &ReviewDecisions,
    ) -> ServiceResult<()> {
        let (access, app) = self.reviewed(owner, app).await?;
        let now = self.clock.now();
        let conclusion = ReviewConclusion {
            app: app.id.clone(),
            deleted_keys: self.deleted_keys(&access, decisions).await?,
            keeps_webhook: app.webhook_url.is_some() && !decisions.deletes(WEBHOOK)?,
            old_events: now.minus(MAX_EVENT_AGE),
            now,
        };
        self.cancel_held_sends(&app.id, decisions).await?;
        found(self.store.conclude_review(conclusion).await?)?;
        self.notifier.notify();
        self.notifier.notify_event(&app.id);
        Ok(())
    }

    /// Deletes an app under review with everything in it, its VAPID key included; `NOT_FOUND` for any other.
    pub async fn reject_app(&self, owner: &AccountPrincipal, app: &str) -> ServiceResult<()> {
        let (access, _) = self.reviewed(owner, app).await?;
        self.delete_app(&access).await
    }

    async fn reviewed(
        &self,
        owner: &AccountPrincipal,
        app: &str,
    ) -> ServiceResult<(MayManage, AppRecord)> {
        let (access, app) = self.managed(owner, app).await?;
        found(app.under_review)?;
        Ok((access, app))
    }

    async fn deleted_keys(
        &self,
        access: &MayManage,
        decisions: &ReviewDecisions,
    ) -> ServiceResult<Vec<DeletedKey>> {
        let now = self.clock.now();
        let mut deleted = Vec::new();
        for key in self.store.keys_of(access.app()).await? {
            if decisions.deletes(key.id.as_str())? {
                deleted.push(DeletedKey {
                    id: key.id,
                    app_id: key.app_id,
                    event_id: KeyEventId::from_uuid(Uuid::now_v7()),
                    actor: access.actor().clone(),
                    now,
                });
            }
        }
        Ok(deleted)
    }

    /// Cancels those that are not kept, each in a transaction of its own: there may be many, and a review that is left in the
    /// middle of them goes on with the rest.
    async fn cancel_held_sends(
        &self,
        app: &AppId,
        decisions: &ReviewDecisions,
    ) -> ServiceResult<()> {
        let held = self.store.held_send_ids(app).await?;
        let mut cancelled = Vec::new();
        for send in held {
            if decisions.cancels(&send)? {
                cancelled.push(send);
            }
        }
        for send in cancelled {
            let now = self.clock.now();
            self.store.cancel_send(app, &send, now).await?;
        }
        Ok(())
    }
}
