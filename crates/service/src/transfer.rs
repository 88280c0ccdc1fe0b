//! Subscribers that come from elsewhere, and those that leave (CONTRACT 16).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::wire::{
    BulkItem, ExportedKeys, ExportedSubscription, RegisteredMany, RejectedItem, UNSUBSCRIBED,
};
use hato_domain::{AppId, ErrorCode, RegistrationFault};
use tokio::task::yield_now;

use crate::access::MayManage;
use crate::ports::{
    ExportCursor, ExportRecord, MAX_REGISTERED_TOGETHER, NewSubscription, RegisterOutcome, Store,
    VapidKeyNumber, VapidKeyRecord,
};
use crate::{Service, ServiceResult};

/// How many subscriptions of an export are in memory at a time. Each client that reads none of it holds as many: beside those of `make soak`
/// a server had 257.6 MB with 100, and 244.8 with 50.
const EXPORT_PAGE: u32 = 50;

/// Items that are judged at a stretch, which takes a few milliseconds at most.
const YIELD_INTERVAL: usize = 64;

impl Service {
    /// Registers many browsers, within the plan's limit, and says what became of each. Whoever unsubscribed here is not subscribed
    /// again. An account does so once at a time, in a transaction for each [`MAX_REGISTERED_TOGETHER`]. A dry run stores nothing, so that no limit
    /// ends it: it has to have its turn in time, as with [`Self::audience`].
    pub async fn register_many(
        &self,
        access: &MayManage,
        items: Vec<Result<BulkItem, RegistrationFault>>,
        is_dry_run: bool,
    ) -> ServiceResult<RegisteredMany> {
        let _turn = if is_dry_run {
            self.heavy_read(access).await?
        } else {
            let account = access.account();
            self.bulk_registrations.wait_for_permit(account).await
        };
        let app = access.app();
        let mut answer = RegisteredMany::default();
        let judged = self.bulk_subscriptions(app, items, &mut answer.rejected);
        let (indices, subscriptions) = judged.await;
        if subscriptions.is_empty() {
            return Ok(answer);
        }
        let outcomes = self.register_all(app, subscriptions, is_dry_run).await?;
        for (index, outcome) in indices.into_iter().zip(outcomes) {
            match outcome {
                RegisterOutcome::Created(_) => answer.created += 1,
                RegisterOutcome::Updated(_) | RegisterOutcome::Reactivated(_) => {
                    answer.updated += 1;
                }
                refused => answer.rejected.push(refusal(index, &refused)?),
            }
        }
        answer.rejected.sort_unstable_by_key(|it| it.index);
        Ok(answer)
    }

    /// What becomes of each. A dry run has one transaction: the next would not find what it has only tried.
    async fn register_all(
        &self,
        app: &AppId,
        subscriptions: Vec<NewSubscription>,
        is_dry_run: bool,
    ) -> ServiceResult<Vec<RegisterOutcome>> {
        let at_a_time = if is_dry_run {
            usize::MAX
        } else {
            MAX_REGISTERED_TOGETHER
        };
        let (mut outcomes, mut rest) = (Vec::new(), subscriptions);
        while !rest.is_empty() {
            let later = rest.split_off(rest.len().min(at_a_time));
            outcomes.extend(self.store.register_many(app, rest, is_dry_run).await?);
            rest = later;
        }
        Ok(outcomes)
    }

    /// The places of the items that are right in themselves, and the subscriptions that they describe; the others are rejected.
    async fn bulk_subscriptions(
        &self,
        app: &AppId,
        items: Vec<Result<BulkItem, RegistrationFault>>,
        rejected: &mut Vec<RejectedItem>,
    ) -> (Vec<usize>, Vec<NewSubscription>) {
        let (mut indices, mut subscriptions) = (Vec::new(), Vec::new());
        for (index, item) in items.into_iter().enumerate() {
            match item.and_then(|item| self.bulk_subscription(app, item)) {
                Ok(subscription) => {
                    indices.push(index);
                    subscriptions.push(subscription);
                }
                Err(fault) => rejected.push(RejectedItem::with_fault(index, fault)),
            }
            if (index + 1).is_multiple_of(YIELD_INTERVAL) {
                yield_now().await;
            }
        }
        (indices, subscriptions)
    }

    /// The subscription that an item describes; when it was made is not in the future.
    fn bulk_subscription(
        &self,
        app: &AppId,
        item: BulkItem,
    ) -> Result<NewSubscription, RegistrationFault> {
        let subscription = self.new_subscription(app, item.registration, false)?;
        let created_at = item.created_at.unwrap_or(subscription.now);
        let is_past = (0..=subscription.now.0).contains(&created_at.0);
        is_past
            .then_some(NewSubscription {
                created_at,
                ..subscription
            })
            .ok_or(RegistrationFault::CreatedAt)
    }

    /// The app's active subscriptions, to be read page by page.
    pub async fn export_subscriptions(
        &self,
        access: &MayManage,
    ) -> ServiceResult<SubscriptionExport> {
        let app = access.app().clone();
        let vapid_keys = self.store.vapid_keys_of(&app).await?;
        Ok(SubscriptionExport {
            store: Arc::clone(&self.store),
            app,
            vapid_keys,
            gone: Vec::new(),
            after: None,
        })
    }
}

/// Why an item was not taken; `NOT_FOUND` for all of them when the app is gone.
fn refusal(index: usize, outcome: &RegisterOutcome) -> ServiceResult<RejectedItem> {
    Ok(match outcome {
        RegisterOutcome::Unsubscribed => {
            let (code, message) = UNSUBSCRIBED;
            RejectedItem::with_code(index, code, message)
        }
        RegisterOutcome::NoApp => return Err(ErrorCode::NotFound.into()),
        RegisterOutcome::LimitReached => {
            let code = ErrorCode::SubscriberLimitExceeded;
            RejectedItem::with_code(index, code.as_str(), code.message())
        }
        RegisterOutcome::UnknownVapidKey => {
            RejectedItem::with_fault(index, RegistrationFault::UnknownVapidKey)
        }
        RegisterOutcome::TooManyTags => {
            RejectedItem::with_fault(index, RegistrationFault::TooManyTags)
        }
        RegisterOutcome::Created(_)
        | RegisterOutcome::Updated(_)
        | RegisterOutcome::Reactivated(_) => {
            return Err(ErrorCode::InternalError.into());
        }
    })
}

/// The active subscriptions of an app in the order of their registration.
pub struct SubscriptionExport {
    store: Arc<dyn Store>,
    app: AppId,
    vapid_keys: Vec<VapidKeyRecord>,
    /// Keys that the app has no more: a number is never given again.
    gone: Vec<VapidKeyNumber>,
    after: Option<ExportCursor>,
}

impl SubscriptionExport {
    /// The next ones; none at the end.
    pub async fn next_page(&mut self) -> ServiceResult<Vec<ExportedSubscription>> {
        let after = self.after.take();
        let page = self.store.export_page(&self.app, after, EXPORT_PAGE);
        let page = page.await?;
        self.know_keys_of(&page).await?;
        self.after = page.last().map(|it| ExportCursor {
            created_at: it.created_at,
            id: it.id.clone(),
        });
        Ok(page.into_iter().map(|it| self.exported(it)).collect())
    }

    /// Reads the app's keys again if some of the page were made with one that has come since.
    async fn know_keys_of(&mut self, page: &[ExportRecord]) -> ServiceResult<()> {
        if page.iter().all(|it| self.knows(it.vapid_key)) {
            return Ok(());
        }
        self.vapid_keys = self.store.vapid_keys_of(&self.app).await?;
        for record in page {
            if !self.knows(record.vapid_key) {
                self.gone.push(record.vapid_key);
            }
        }
        Ok(())
    }

    fn knows(&self, key: VapidKeyNumber) -> bool {
        self.gone.contains(&key) || self.vapid_keys.iter().any(|known| known.number == key)
    }

    /// The key of this number, or the primary one for a key that is gone: deliveries go by that, too.
    fn key(&self, number: VapidKeyNumber) -> Option<&VapidKeyRecord> {
        let keys = &self.vapid_keys;
        let key = keys.iter().find(|key| key.number == number);
        key.or_else(|| keys.iter().find(|key| key.is_primary))
    }

    fn exported(&self, record: ExportRecord) -> ExportedSubscription {
        let key = self.key(record.vapid_key);
        ExportedSubscription {
            endpoint: record.endpoint,
            keys: ExportedKeys {
                p256dh: URL_SAFE_NO_PAD.encode(record.keys.p256dh),
                auth: URL_SAFE_NO_PAD.encode(record.keys.auth),
            },
            vapid_public_key: key.map(VapidKeyRecord::public_text).unwrap_or_default(),
            user_id: record.user_id,
            tags: record
                .tags
                .iter()
                .map(|it| it.as_str().to_owned())
                .collect(),
            lang: record.lang,
            time_zone: record.time_zone,
            platform: record.platform,
            created_at: record.created_at,
        }
    }
}
