//! Users and tags of subscriptions (CONTRACT 12).

use std::net::IpAddr;

use hato_domain::wire::UpdateSubscription;
use hato_domain::{AppId, ErrorCode, ProfileChange, UserId};

use crate::access::{MayManage, MaySubscribe};
use crate::ports::{ChangeProfileOutcome, ProfileRecord};
use crate::{Service, ServiceResult};

/// Subscriptions that a transaction erases.
const ERASED_AT_A_TIME: u32 = 200;

/// Scheduled sends that a transaction looks at, each of which may name a thousand users or a hundred endpoints.
const LOOKED_AT_AT_A_TIME: u32 = 20;

impl Service {
    /// Changes what is known of the person behind an active subscription of the app, and returns how it is then: `MISSING_FIELDS`,
    /// `INVALID_URL`, `INVALID_ENDPOINT`, `INVALID_INPUT`; `INVALID_USER_TOKEN` for a user whom a visitor does not prove; `RATE_LIMITED`
    /// when the stranger at `client` changes too much; `NOT_FOUND`.
    pub async fn update_subscription(
        &self,
        access: &MaySubscribe,
        client: IpAddr,
        request: UpdateSubscription,
    ) -> ServiceResult<ProfileRecord> {
        let app = access.app();
        let (endpoint, change) = request.parse(access.is_public())?;
        self.count_change(access, client).await?;
        self.require_proven_user(access, &change, request.user_token.as_deref())
            .await?;
        if change.is_none() {
            let record = self.store.profile(app, &endpoint).await?;
            return Ok(record.ok_or(ErrorCode::NotFound)?);
        }
        match self.store.change_profile(app, &endpoint, change).await? {
            ChangeProfileOutcome::Changed(record) => Ok(record),
            ChangeProfileOutcome::NotFound => Err(ErrorCode::NotFound.into()),
            ChangeProfileOutcome::TooManyTags => Err(ErrorCode::InvalidInput.into()),
        }
    }

    /// Removes the user's subscriptions, active or not, and what names them or the user; returns how many there were.
    pub async fn erase_user(&self, access: &MayManage, user: &UserId) -> ServiceResult<i64> {
        let app = access.app();
        self.forget_scheduled(app, user).await?;
        let (mut removed, now) = (0, self.clock.now());
        loop {
            let erased = self
                .store
                .erase_subscriptions(app, user, ERASED_AT_A_TIME, now);
            match erased.await? {
                0 => return Ok(removed),
                erased => removed += i64::from(erased),
            }
        }
    }

    /// Takes the user out of what is scheduled.
    async fn forget_scheduled(&self, app: &AppId, user: &UserId) -> ServiceResult<()> {
        let mut last = None;
        loop {
            let forgotten = self
                .store
                .forget_scheduled_user(app, user, last, LOOKED_AT_AT_A_TIME);
            last = forgotten.await?;
            if last.is_none() {
                return Ok(());
            }
        }
    }

    /// Passes unless a visitor sets a user without its token: `INVALID_USER_TOKEN`.
    pub(crate) async fn require_proven_user(
        &self,
        access: &MaySubscribe,
        change: &ProfileChange,
        token: Option<&str>,
    ) -> ServiceResult<()> {
        match change.user_id.value() {
            Some(user) if access.is_public() => {
                self.require_user_token(access.app(), user, token).await
            }
            _ => Ok(()),
        }
    }
}
