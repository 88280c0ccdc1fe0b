//! Registering, listing and removing browsers.

use hato_domain::wire::RegisterSubscription;
use hato_domain::{AppId, BrowserKeys, Endpoint, ErrorCode, Platform, SubscriptionId};
use uuid::Uuid;

use crate::access::{MayManage, MaySubscribe};
use crate::error::found;
use crate::ports::{NewSubscription, RegisterOutcome, SubscriptionFilter, SubscriptionPage};
use crate::{Service, ServiceResult};

/// Subscriptions on a page of the list.
const SUBSCRIPTIONS_PER_PAGE: i64 = 25;

/// The response to a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The subscription's id, `sub_…`.
    pub id: SubscriptionId,
    /// Whether the endpoint was new to the app.
    pub is_new: bool,
    /// Whether the endpoint was known and deactivated: its push service may not know it any more (CONTRACT 4).
    pub was_deactivated: bool,
}

impl Service {
    /// Registers a browser's subscription: an upsert on its endpoint (SPEC 4.1). `INVALID_URL`, `INVALID_ENDPOINT`,
    /// `INVALID_INPUT`; `MISSING_FIELDS` unless endpoint, p256dh and auth are there.
    pub async fn register_subscription(
        &self,
        access: &MaySubscribe,
        request: RegisterSubscription,
    ) -> ServiceResult<Registration> {
        let subscription = self.new_subscription(access.app(), request)?;
        registration(self.store.register_subscription(subscription).await?)
    }

    /// Registers a subscription likewise, but a new endpoint only as long as the plan allows:
    /// `SUBSCRIBER_LIMIT_EXCEEDED` (SPEC 4.2).
    pub async fn register_within_limit(
        &self,
        access: &MaySubscribe,
        request: RegisterSubscription,
    ) -> ServiceResult<Registration> {
        let subscription = self.new_subscription(access.app(), request)?;
        registration(self.store.register_within_limit(subscription).await?)
    }

    /// Registers a browser of the app's owner, who tries notifications from the dashboard, within the plan's limit as
    /// well.
    pub async fn register_own_browser(
        &self,
        access: &MayManage,
        request: RegisterSubscription,
    ) -> ServiceResult<Registration> {
        let subscription = self.new_subscription(access.app(), request)?;
        registration(self.store.register_within_limit(subscription).await?)
    }

    /// Deactivates the subscription of the owner's browser, if the app has it.
    pub async fn unsubscribe_own_browser(
        &self,
        access: &MayManage,
        endpoint: &Endpoint,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        Ok(self.store.unsubscribe(access.app(), endpoint, now).await?)
    }

    /// A page of at most 25 of the app's subscriptions, newest first, from the position `before` on.
    pub async fn subscriptions(
        &self,
        access: &MayManage,
        filter: &SubscriptionFilter,
        before: Option<i64>,
    ) -> ServiceResult<SubscriptionPage> {
        let page =
            self.store
                .subscriptions_of(access.app(), filter, before, SUBSCRIPTIONS_PER_PAGE);
        Ok(page.await?)
    }

    /// Removes a subscription with its record; `NOT_FOUND` when the app has no such subscription.
    pub async fn remove_subscription(&self, access: &MayManage, id: &str) -> ServiceResult<()> {
        let id = SubscriptionId::parse(id)?;
        found(self.store.remove_subscription(access.app(), &id).await?)
    }

    fn new_subscription(
        &self,
        app: &AppId,
        request: RegisterSubscription,
    ) -> ServiceResult<NewSubscription> {
        let endpoint = request.endpoint.ok_or(ErrorCode::MissingFields)?;
        let p256dh = request.p256dh.ok_or(ErrorCode::MissingFields)?;
        let auth = request.auth.ok_or(ErrorCode::MissingFields)?;
        let platform = request.platform.as_deref().map(Platform::parse);
        let replaces = request.replaces.as_deref().map(Endpoint::parse);
        Ok(NewSubscription {
            id: SubscriptionId::from_uuid(Uuid::now_v7()),
            app_id: app.clone(),
            platform: platform.transpose()?,
            replaces: replaces.transpose()?,
            endpoint: Endpoint::parse_permitted(&endpoint, &self.settings.outbound)?,
            keys: BrowserKeys::parse(&p256dh, &auth)?,
            now: self.clock.now(),
        })
    }

    /// Deactivates the subscription with this endpoint, if the app has it (SPEC 4.3).
    pub async fn unsubscribe(
        &self,
        access: &MaySubscribe,
        endpoint: &Endpoint,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        Ok(self.store.unsubscribe(access.app(), endpoint, now).await?)
    }
}

fn registration(registered: RegisterOutcome) -> ServiceResult<Registration> {
    let (id, is_new, was_deactivated) = match registered {
        RegisterOutcome::Created(id) => (id, true, false),
        RegisterOutcome::Updated(id) => (id, false, false),
        RegisterOutcome::Reactivated(id) => (id, false, true),
        RegisterOutcome::LimitReached => {
            return Err(ErrorCode::SubscriberLimitExceeded.into());
        }
        RegisterOutcome::NoApp => return Err(ErrorCode::NotFound.into()),
    };
    Ok(Registration {
        id,
        is_new,
        was_deactivated,
    })
}
