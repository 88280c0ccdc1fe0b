//! The delivery queue: jobs, and the operations on them that stand in no file of their own.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, BrowserKeys, Endpoint, SendId, SubscriptionId, UnixMillis};
use hato_service::ports::{
    ClaimedPage, DeliveryQueue, NextPage, PageClaimRequest, PageLease, PageRange, Recipient,
    RecipientId, SettleOutcome, Settlement, StoreError,
};

use crate::Database;
use crate::claim::claim;
use crate::dialect::{DbConnection, readers, sql, write};
use crate::due_time_repair::clamp_due_times;
use crate::error::{decode_error, with_context};
use crate::settlement::{SettledPage, settle};

#[async_trait]
impl DeliveryQueue for Database {
    async fn claim_page(&self, wanted: PageClaimRequest) -> Result<NextPage, StoreError> {
        write(self, "claim a page", |c| Box::pin(claim(c, wanted))).await
    }

    async fn clamp_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError> {
        write(self, "clamp due times of jobs", move |c| {
            Box::pin(clamp_due_times(c, now, lease, longest_wait))
        })
        .await
    }

    async fn recipients(&self, page: &ClaimedPage) -> Result<Vec<Recipient>, StoreError> {
        let rows = match &page.range {
            PageRange::Positions { after, up_to } => {
                recipients_at_positions(self, &page.app_id, *after, *up_to).await
            }
            PageRange::List(numbers) => listed_recipients(self, numbers).await,
        };
        rows.and_then(|rows| rows.into_iter().map(RecipientRow::into_recipient).collect())
            .map_err(with_context("read the recipients of a page"))
    }

    async fn renew_leases(
        &self,
        leases: &[PageLease],
        until: UnixMillis,
    ) -> Result<(), StoreError> {
        if leases.is_empty() {
            return Ok(());
        }
        let leases = leases.to_vec();
        write(self, "renew leases", move |c| {
            Box::pin(renew(c, leases, until))
        })
        .await
    }

    async fn settle(
        &self,
        page: &ClaimedPage,
        settlement: Settlement,
        now: UnixMillis,
    ) -> Result<SettleOutcome, StoreError> {
        let page = SettledPage::from_claimed(page);
        write(self, "settle a page", move |c| {
            Box::pin(settle(c, page, settlement, now))
        })
        .await
    }

    async fn release(&self, lease: PageLease, due_at: UnixMillis) -> Result<(), StoreError> {
        write(self, "release a page", move |c| {
            Box::pin(release(c, lease, due_at))
        })
        .await
    }
}

struct RecipientRow {
    id: i64,
    public_id: String,
    endpoint: String,
    p256dh: Vec<u8>,
    auth: Vec<u8>,
}

impl RecipientRow {
    fn into_recipient(self) -> sqlx::Result<Recipient> {
        let keys = BrowserKeys {
            p256dh: self
                .p256dh
                .try_into()
                .map_err(|_| decode_error("public key"))?,
            auth: self
                .auth
                .try_into()
                .map_err(|_| decode_error("authentication secret"))?,
        };
        Ok(Recipient {
            id: RecipientId(self.id),
            subscription_id: SubscriptionId::trusted(self.public_id),
            endpoint: Endpoint::trusted(self.endpoint),
            keys,
        })
    }
}

async fn recipients_at_positions(
    database: &Database,
    app: &AppId,
    after: i64,
    up_to: i64,
) -> sqlx::Result<Vec<RecipientRow>> {
    let app = app.as_str();
    sqlx::query_as!(
        RecipientRow,
        "SELECT id, public_id, endpoint, p256dh, auth FROM subscriptions
         WHERE app_id = $1 AND position > $2 AND position <= $3 ORDER BY position",
        app,
        after,
        up_to
    )
    .fetch_all(readers(database))
    .await
}

async fn listed_recipients(
    database: &Database,
    numbers: &[RecipientId],
) -> sqlx::Result<Vec<RecipientRow>> {
    let numbers: Vec<i64> = numbers.iter().map(|number| number.0).collect();
    let numbers = number_list(&numbers)?;
    sql!(query_as RecipientRow [
        "SELECT id, public_id, endpoint, p256dh, auth FROM subscriptions
         WHERE id IN (" NUMBERS ") AND position IS NOT NULL"
    ] numbers)
    .fetch_all(readers(database))
    .await
}

async fn renew(
    c: &mut DbConnection,
    leases: Vec<PageLease>,
    until: UnixMillis,
) -> sqlx::Result<()> {
    for lease in leases {
        sqlx::query!(
            "UPDATE jobs SET due_at = $3 WHERE id = $1 AND lease_token = $2",
            lease.job.0,
            lease.token,
            until.0
        )
        .execute(&mut *c)
        .await?;
    }
    Ok(())
}

/// A new token, so that the released lease settles nothing any more.
async fn release(c: &mut DbConnection, lease: PageLease, due_at: UnixMillis) -> sqlx::Result<()> {
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
}

/// Subscription numbers as a job and the statements take them: a JSON array.
pub(crate) fn number_list(numbers: &[i64]) -> sqlx::Result<String> {
    serde_json::to_string(numbers).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Queues the first attempt for the subscriptions with `after < position <= up_to`.
pub(crate) async fn queue_positions(
    c: &mut DbConnection,
    send: &SendId,
    app: &AppId,
    (after, up_to): (i64, i64),
    due_at: UnixMillis,
) -> sqlx::Result<()> {
    let (send, app) = (send.as_str(), app.as_str());
    sqlx::query!(
        "INSERT INTO jobs (send_id, app_id, after_position, up_to_position, attempt, due_at)
         VALUES ($1, $2, $3, $4, 0, $5)",
        send,
        app,
        after,
        up_to,
        due_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Queues an attempt for the subscriptions of a list, which [`number_list`] makes.
pub(crate) async fn queue_list(
    c: &mut DbConnection,
    send: &SendId,
    app: &AppId,
    list: &str,
    attempt: u8,
    due_at: UnixMillis,
) -> sqlx::Result<()> {
    let (send, app) = (send.as_str(), app.as_str());
    let attempt = i64::from(attempt);
    sqlx::query!(
        "INSERT INTO jobs (send_id, app_id, recipients, attempt, due_at)
         VALUES ($1, $2, $3, $4, $5)",
        send,
        app,
        list,
        attempt,
        due_at.0
    )
    .execute(c)
    .await
    .map(drop)
}
