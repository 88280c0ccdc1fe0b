//! The delivery queue: jobs and their leases. Claiming, settling and repairing due times stand in files of their own.
//!
//! Whatever the holder of a lease changes, it changes `WHERE id = … AND lease_token = …`. A lease that ended and was claimed by
//! somebody else has another token by then, so it changes nothing: a page may be delivered twice after a crash or a long pause,
//! but it is counted once.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, BrowserKeys, Endpoint, SubscriptionId, UnixMillis};
use hato_service::ports::{
    ClaimedPage, DeliveryQueue, NextPage, PageClaimRequest, PageLease, PageRange, Recipient,
    RecipientId, SettleOutcome, Settlement, StoreError, VapidKeyNumber,
};

use crate::Database;
use crate::claim::claim;
use crate::dialect::{may_claim, readers, sql};
use crate::due_time_repair::repair_due_times;
use crate::error::{decode_error, with_context};
use crate::settled_page::{PageSettlement, SettledPage};
use crate::settlement_groups::settle_in_group;
use crate::shared_clock::{SharedClock, shared_now};
use crate::transaction::transaction;
use crate::values::{number_list, recipient_list};

#[async_trait]
impl DeliveryQueue for Database {
    async fn claim_page(&self, mut wanted: PageClaimRequest) -> Result<NextPage, StoreError> {
        if !may_claim(self, wanted.now).await? {
            return Ok(NextPage::Idle { next_due: None });
        }
        let clock = SharedClock::at(self, wanted.now);
        wanted.now = clock.shared(wanted.now);
        let next = transaction!(self, "claim a page", |c| claim(c, &wanted).await)?;
        Ok(match next {
            NextPage::Idle { next_due } => NextPage::Idle {
                next_due: next_due.map(|due| clock.own(due)),
            },
            NextPage::Claimed(mut page) => {
                page.clock_lead = clock.lead();
                NextPage::Claimed(page)
            }
            unreadable @ NextPage::Unreadable { .. } => unreadable,
        })
    }

    async fn repair_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError> {
        if !may_claim(self, now).await? {
            return Ok(());
        }
        let now = shared_now(self, now);
        transaction!(self, "repair due times of jobs", |c| {
            repair_due_times(c, now, lease, longest_wait).await
        })
    }

    async fn recipients(&self, page: &ClaimedPage) -> Result<Vec<Recipient>, StoreError> {
        let recipients = match &page.range {
            PageRange::Positions { after, up_to } => {
                sqlx::query_as!(
                    RecipientRow,
                    "SELECT id, public_id, endpoint, p256dh, auth, vapid_key FROM subscriptions
                 WHERE app_id = $1 AND position > $2 AND position <= $3 ORDER BY position",
                    page.app_id.as_str(),
                    after,
                    up_to
                )
                .try_map(RecipientRow::into_recipient)
                .fetch_all(readers(self))
                .await
            }
            PageRange::List(numbers) => listed_recipients(self, numbers).await,
            PageRange::Selected(positions) => selected_recipients(self, page, positions).await,
        };
        recipients.map_err(with_context("read the recipients of a page"))
    }

    async fn sealed_vapid_key(
        &self,
        app: &AppId,
        key: VapidKeyNumber,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        sqlx::query_scalar!(
            r#"SELECT sealed_private_key AS "sealed_private_key!" FROM apps
               WHERE id = $1 AND vapid_key = $2
               UNION ALL
               SELECT sealed_private_key FROM vapid_keys WHERE app_id = $1 AND number = $2"#,
            app.as_str(),
            key.0
        )
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("read a VAPID key"))
    }

    async fn renew_lease(
        &self,
        lease: PageLease,
        now: UnixMillis,
        lasting: Duration,
    ) -> Result<bool, StoreError> {
        let until = shared_now(self, now).plus(lasting);
        transaction!(self, "renew a lease", |c| {
            let renewed = sqlx::query!(
                "UPDATE jobs SET due_at = $3 WHERE id = $1 AND lease_token = $2",
                lease.job.0,
                lease.token,
                until.0
            );
            Ok(renewed.execute(c).await?.rows_affected() == 1)
        })
    }

    async fn settle(
        &self,
        page: &ClaimedPage,
        settlement: Settlement,
        now: UnixMillis,
    ) -> Result<SettleOutcome, StoreError> {
        let settlement = PageSettlement {
            page: SettledPage::from_claimed(page),
            settlement,
            now,
        };
        settle_in_group(self, settlement).await
    }

    async fn release(
        &self,
        lease: PageLease,
        now: UnixMillis,
        wait: Duration,
    ) -> Result<(), StoreError> {
        let due_at = shared_now(self, now).plus(wait);
        // With a new token, so that the released lease settles nothing any more.
        transaction!(self, "release a page", |c| {
            sqlx::query!(
                "UPDATE jobs SET due_at = $3, lease_token = lease_token + 1, claimed = 0
                 WHERE id = $1 AND lease_token = $2",
                lease.job.0,
                lease.token,
                due_at.0
            )
            .execute(c)
            .await
            .map(drop)
        })
    }
}

struct RecipientRow {
    id: i64,
    public_id: String,
    endpoint: String,
    p256dh: Vec<u8>,
    auth: Vec<u8>,
    vapid_key: i64,
}

impl RecipientRow {
    fn into_recipient(self) -> sqlx::Result<Recipient> {
        let p256dh = self.p256dh.try_into();
        let auth = self.auth.try_into();
        Ok(Recipient {
            id: RecipientId(self.id),
            subscription_id: SubscriptionId::trusted(self.public_id),
            endpoint: Endpoint::trusted(self.endpoint),
            keys: BrowserKeys {
                p256dh: p256dh.map_err(|_| decode_error("public key"))?,
                auth: auth.map_err(|_| decode_error("authentication secret"))?,
            },
            vapid_key: VapidKeyNumber(self.vapid_key),
        })
    }
}

/// The subscriptions of a list that are still active.
async fn listed_recipients(
    database: &Database,
    recipients: &[RecipientId],
) -> sqlx::Result<Vec<Recipient>> {
    let numbers = recipient_list(recipients)?;
    sql!(query_as RecipientRow [
        "SELECT id, public_id, endpoint, p256dh, auth, vapid_key FROM subscriptions
         WHERE id IN (" NUMBERS ") AND position IS NOT NULL"
    ] numbers)
    .try_map(RecipientRow::into_recipient)
    .fetch_all(readers(database))
    .await
}

/// The subscriptions of the app that are still at these positions.
async fn selected_recipients(
    database: &Database,
    page: &ClaimedPage,
    positions: &[i64],
) -> sqlx::Result<Vec<Recipient>> {
    sql!(query_as RecipientRow [
        "SELECT id, public_id, endpoint, p256dh, auth, vapid_key FROM subscriptions
         WHERE " OF_APP("position" IN NUMBERS)
    ] number_list(positions)?, page.app_id.as_str())
    .try_map(RecipientRow::into_recipient)
    .fetch_all(readers(database))
    .await
}
