//! Registering and removing browsers.

use std::net::IpAddr;

use hato_domain::wire::RegisterSubscription;
use hato_domain::{
    AppId, BrowserKeys, Endpoint, ErrorCode, Platform, RegistrationFault, SiteOrigin,
    SubscriptionId, VapidPublicKey,
};
use uuid::Uuid;

use crate::access::{MayManage, MaySubscribe};
use crate::error::found;
use crate::ports::{NewSubscription, RateWindow, RegisterOutcome, StoreError, SubscriptionRecord};
use crate::{Service, ServiceResult};

/// Most subscriptions that are removed at once.
const MAX_REMOVED: usize = 100;

/// A client whose new subscription is counted.
struct CountedClient<'a> {
    window: &'a dyn RateWindow,
    client: IpAddr,
}

/// Who asks for a registration.
#[derive(Clone, Debug)]
pub struct Registrant {
    /// The address by which a stranger counts.
    pub client: IpAddr,
    /// The site whose page asks, if a browser does.
    pub origin: Option<SiteOrigin>,
}

/// The response to a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistrationReceipt {
    /// The subscription's id, `sub_…`.
    pub id: SubscriptionId,
    /// Whether the endpoint was new to the app.
    pub is_new: bool,
    /// Whether the endpoint was known and deactivated: its push service may not know it any more (CONTRACT 4).
    pub was_deactivated: bool,
    /// The app's primary VAPID public key, if the client named another one (CONTRACT 16).
    pub primary_key: Option<Vec<u8>>,
}

impl Service {
    /// Registers a browser's subscription: an upsert on its endpoint (SPEC 4.1). `INVALID_URL`, `INVALID_ENDPOINT`,
    /// `INVALID_INPUT`; `MISSING_FIELDS` unless endpoint, p256dh and auth are there; `INVALID_USER_TOKEN`. A new one is `RATE_LIMITED` when the stranger at
    /// `from` has made too many, and `SUBSCRIBER_LIMIT_EXCEEDED` when the operator lets no app have more (CONTRACT 18).
    pub async fn register_subscription(
        &self,
        access: &MaySubscribe,
        from: Registrant,
        request: RegisterSubscription,
    ) -> ServiceResult<RegistrationReceipt> {
        let client = from.client;
        let subscription = self.proven_subscription(access, from, request).await?;
        let counted = self.count_new(access, client, &subscription).await?;
        let primary_key = other_primary_key(access, &subscription);
        let registered = self.store.register_subscription(subscription).await;
        let registration = self.settle_count(counted, registered).await?;
        Ok(RegistrationReceipt {
            primary_key,
            ..registration
        })
    }

    /// Registers a subscription likewise, but a new endpoint only as long as the plan allows:
    /// `SUBSCRIBER_LIMIT_EXCEEDED` (SPEC 4.2).
    pub async fn register_within_limit(
        &self,
        access: &MaySubscribe,
        from: Registrant,
        request: RegisterSubscription,
    ) -> ServiceResult<RegistrationReceipt> {
        let client = from.client;
        let subscription = self.proven_subscription(access, from, request).await?;
        let counted = self.count_new(access, client, &subscription).await?;
        let primary_key = other_primary_key(access, &subscription);
        let registered = self.store.register_within_limit(subscription).await;
        let registration = self.settle_count(counted, registered).await?;
        Ok(RegistrationReceipt {
            primary_key,
            ..registration
        })
    }

    /// Registers a browser of the app's owner, who tries notifications from the dashboard at `origin`, within the plan's limit as
    /// well.
    pub async fn register_own_browser(
        &self,
        access: &MayManage,
        origin: Option<SiteOrigin>,
        request: RegisterSubscription,
    ) -> ServiceResult<RegistrationReceipt> {
        let subscription = NewSubscription {
            origin,
            ..self.new_subscription(access.app(), request, false)?
        };
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

    /// Removes a subscription with its record; `NOT_FOUND` when the app has no such subscription.
    pub async fn remove_subscription(&self, access: &MayManage, id: &str) -> ServiceResult<()> {
        let id = SubscriptionId::parse(id)?;
        let now = self.clock.now();
        let removal = self.store.remove_subscription(access.app(), &id, now);
        found(removal.await?)
    }

    /// Removes several likewise, at most 100: `INVALID_INPUT` for more of them, `MISSING_FIELDS` for none, and `NOT_FOUND` when the app has
    /// none of them, or one is no id. Refused, it removes nothing. Returns how many there were.
    pub async fn remove_subscriptions(
        &self,
        access: &MayManage,
        ids: &[String],
    ) -> ServiceResult<usize> {
        let ids = removed_ids(ids)?;
        let (app, now) = (access.app(), self.clock.now());
        let mut removed = 0;
        for id in ids {
            let was_there = self.store.remove_subscription(app, &id, now).await?;
            removed += usize::from(was_there);
        }
        found(removed > 0)?;
        Ok(removed)
    }

    /// The app's subscription with this id; `NOT_FOUND` for any other.
    pub async fn subscription(
        &self,
        access: &MayManage,
        id: &str,
    ) -> ServiceResult<SubscriptionRecord> {
        let id = SubscriptionId::parse(id)?;
        let found = self.store.subscription_of(access.app(), &id).await?;
        Ok(found.ok_or(ErrorCode::NotFound)?)
    }

    /// The subscription that the request describes, whose user is proven: `INVALID_USER_TOKEN`.
    async fn proven_subscription(
        &self,
        access: &MaySubscribe,
        from: Registrant,
        mut request: RegisterSubscription,
    ) -> ServiceResult<NewSubscription> {
        let token = request.user_token.take();
        let subscription = NewSubscription {
            origin: from.origin,
            ..self.new_subscription(access.app(), request, access.is_public())?
        };
        self.require_proven_user(access, &subscription.profile, token.as_deref())
            .await?;
        Ok(subscription)
    }

    pub(crate) fn new_subscription(
        &self,
        app: &AppId,
        request: RegisterSubscription,
        by_visitor: bool,
    ) -> Result<NewSubscription, RegistrationFault> {
        let profile = request.profile_change(by_visitor)?;
        let endpoint = request.endpoint.ok_or(RegistrationFault::NoEndpoint)?;
        let p256dh = request.p256dh.ok_or(RegistrationFault::NoBrowserKeys)?;
        let auth = request.auth.ok_or(RegistrationFault::NoBrowserKeys)?;
        let platform = request.platform.as_deref().map(Platform::parse);
        let replaces = request.replaces.as_deref().map(Endpoint::parse);
        let vapid_public_key = request
            .vapid_public_key
            .as_deref()
            .map(VapidPublicKey::parse);
        let now = self.clock.now();
        Ok(NewSubscription {
            id: SubscriptionId::from_uuid(Uuid::now_v7()),
            app_id: app.clone(),
            platform: platform
                .transpose()
                .map_err(|_| RegistrationFault::Platform)?,
            profile,
            replaces: replaces
                .transpose()
                .map_err(RegistrationFault::from_replaced_error)?,
            origin: None,
            endpoint: self
                .parse_endpoint(&endpoint)
                .map_err(RegistrationFault::from_endpoint_error)?,
            keys: BrowserKeys::parse(&p256dh, &auth)?,
            vapid_public_key: vapid_public_key
                .transpose()
                .map_err(|_| RegistrationFault::VapidKey)?,
            max_active: self.settings.app_limits.subscribers,
            now,
            created_at: now,
        })
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, ErrorCode> {
        let endpoint = Endpoint::parse_permitted(text, &self.settings.outbound)?;
        let is_permitted = endpoint.is_at(&self.settings.push_hosts);
        is_permitted
            .then_some(endpoint)
            .ok_or(ErrorCode::InvalidEndpoint)
    }

    /// Counts a subscription that a stranger is about to make, and returns where; `RATE_LIMITED` beyond the limit. An endpoint that
    /// the app knows makes none, and counts as a change (CONTRACT 18).
    async fn count_new(
        &self,
        access: &MaySubscribe,
        client: IpAddr,
        subscription: &NewSubscription,
    ) -> ServiceResult<Option<CountedClient<'_>>> {
        let Some(strangers) = self.strangers.as_ref().filter(|_| access.is_public()) else {
            return Ok(None);
        };
        let (app, endpoint) = (access.app(), &subscription.endpoint);
        if self.store.knows_endpoint(app, endpoint).await? {
            self.count_change(access, client).await?;
            return Ok(None);
        }
        let window = &*strangers.registrations;
        if window.count(client).await? {
            Ok(Some(CountedClient { window, client }))
        } else {
            Err(ErrorCode::RateLimited.into())
        }
    }

    /// Counts a change that a stranger is about to make of a subscription; `RATE_LIMITED` beyond the limit (CONTRACT 18).
    pub(crate) async fn count_change(
        &self,
        access: &MaySubscribe,
        client: IpAddr,
    ) -> ServiceResult<()> {
        match self.strangers.as_ref().filter(|_| access.is_public()) {
            Some(strangers) if !strangers.changes.count(client).await? => {
                Err(ErrorCode::RateLimited.into())
            }
            _ => Ok(()),
        }
    }

    /// The answer to a registration; the count is taken back if it has made no subscription.
    async fn settle_count(
        &self,
        counted: Option<CountedClient<'_>>,
        registered: Result<RegisterOutcome, StoreError>,
    ) -> ServiceResult<RegistrationReceipt> {
        if let Some(CountedClient { window, client }) = counted
            && !matches!(registered, Ok(RegisterOutcome::Created(_)))
        {
            window.uncount(client).await?;
        }
        registration(registered?)
    }

    /// Deactivates the subscription with this endpoint, if the app has it (SPEC 4.3); `RATE_LIMITED` when the stranger at `client`
    /// changes too much.
    pub async fn unsubscribe(
        &self,
        access: &MaySubscribe,
        client: IpAddr,
        endpoint: &Endpoint,
    ) -> ServiceResult<()> {
        self.count_change(access, client).await?;
        let now = self.clock.now();
        Ok(self.store.unsubscribe(access.app(), endpoint, now).await?)
    }
}

/// The app's primary VAPID key, if the client names another.
fn other_primary_key(access: &MaySubscribe, subscription: &NewSubscription) -> Option<Vec<u8>> {
    let named = subscription.vapid_public_key.as_ref()?;
    let primary = access.vapid_public_key();
    (named.as_bytes() != primary).then(|| primary.to_vec())
}

fn removed_ids(ids: &[String]) -> Result<Vec<SubscriptionId>, ErrorCode> {
    match ids.len() {
        0 => Err(ErrorCode::MissingFields),
        count if count > MAX_REMOVED => Err(ErrorCode::InvalidInput),
        _ => ids.iter().map(|id| SubscriptionId::parse(id)).collect(),
    }
}

fn registration(registered: RegisterOutcome) -> ServiceResult<RegistrationReceipt> {
    let (id, is_new, was_deactivated) = match registered {
        RegisterOutcome::Created(id) => (id, true, false),
        RegisterOutcome::Updated(id) => (id, false, false),
        RegisterOutcome::Reactivated(id) => (id, false, true),
        RegisterOutcome::LimitReached => {
            return Err(ErrorCode::SubscriberLimitExceeded.into());
        }
        RegisterOutcome::TooManyTags
        | RegisterOutcome::UnknownVapidKey
        | RegisterOutcome::Unsubscribed => {
            return Err(ErrorCode::InvalidInput.into());
        }
        RegisterOutcome::NoApp => return Err(ErrorCode::NotFound.into()),
    };
    Ok(RegistrationReceipt {
        id,
        is_new,
        was_deactivated,
        primary_key: None,
    })
}
