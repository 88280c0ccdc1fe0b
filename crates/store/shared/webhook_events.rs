//! Events: written in the transaction that counts what they tell of, for apps whose webhook is active or that somebody listens to; read
//! to be posted.
//! An event is small: its content names recipients by number, and the body is made of it for each attempt.

use std::collections::BTreeMap;

use hato_domain::{AppId, EventType, ResultStatus, SendId, UnixMillis, WebhookEventId};
use hato_service::ports::{IdRange, MAX_WAITING_TESTS, RecipientId, SendCounts, Settlement};
use uuid::Uuid;

use crate::dialect::{DbConnection, lock_webhook};
use crate::error::json;
use crate::event_readers::EventReaders;
use crate::listeners::insert_listener_event;
use crate::settled_page::PageSettlement;
use crate::stored_event::{IdRangeJson, NewEvent};
use crate::webhook_outbox::queue_event;

/// Writes the event that tells what became of a page's recipients; `false` and none when nothing is final yet.
pub(crate) async fn insert_results_event(
    c: &mut DbConnection,
    readers: EventReaders,
    settled: &PageSettlement,
) -> sqlx::Result<bool> {
    let page = &settled.page;
    let groups = groups(page.attempt, &settled.settlement);
    if groups.is_empty() {
        return Ok(false);
    }
    let event = NewEvent {
        app: &page.app_id,
        kind: EventType::DeliveryResults,
        send: Some(&page.send_id),
        content: &json(&groups)?,
        now: settled.now,
    };
    insert_event(c, readers, &event).await?;
    Ok(true)
}

/// Writes the event that tells that every recipient of a send is settled.
pub(crate) async fn insert_completed_event(
    c: &mut DbConnection,
    readers: EventReaders,
    (app, send): (&AppId, &SendId),
    (recipients, counts): (i64, SendCounts),
    now: UnixMillis,
) -> sqlx::Result<()> {
    let numbers = [
        recipients,
        counts.sent,
        counts.failed_expired,
        counts.failed_other,
        counts.skipped,
        counts.cancelled,
    ];
    let event = NewEvent {
        app,
        kind: EventType::SendCompleted,
        send: Some(send),
        content: &json(&numbers)?,
        now,
    };
    insert_event(c, readers, &event).await
}

/// Writes an event that tells nothing; `false` and none when as many of them wait as may.
pub(crate) async fn insert_test_event(
    c: &mut DbConnection,
    readers: EventReaders,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    lock_webhook(c, app).await?;
    if waiting_tests(c, app).await? >= MAX_WAITING_TESTS {
        return Ok(false);
    }
    let event = NewEvent {
        app,
        kind: EventType::Test,
        send: None,
        content: "[]",
        now,
    };
    insert_event(c, readers, &event).await?;
    Ok(true)
}

/// How many test events wait, of the newest events alone: how many others wait, nobody bounds, and whoever makes them has to send.
async fn waiting_tests(c: &mut DbConnection, app: &AppId) -> sqlx::Result<i64> {
    let app = app.as_str();
    sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "waiting!: i64"
           FROM (SELECT type, due_at FROM webhook_events WHERE app_id = $1
                 ORDER BY id DESC LIMIT 1000) AS newest
           WHERE type = 'webhook.test' AND due_at IS NOT NULL"#,
        app
    )
    .fetch_one(c)
    .await
}

/// Writes an event for those who read the app's, under one id; first for the webhook, so that everybody takes the locks in one order.
pub(crate) async fn insert_event(
    c: &mut DbConnection,
    readers: EventReaders,
    event: &NewEvent<'_>,
) -> sqlx::Result<()> {
    let id = WebhookEventId::from_uuid(Uuid::now_v7());
    if readers.has_active_webhook {
        queue_event(c, id.as_str(), event).await?;
    }
    if readers.has_listeners {
        insert_listener_event(c, id.as_str(), event).await?;
    }
    Ok(())
}

/// Status, the push service's answer, attempts, and the recipients with these three.
type StoredResultGroup = (&'static str, Option<u16>, u8, Vec<IdRangeJson>);

/// What the recipients of a group have in common.
type GroupKey = (ResultStatus, Option<u16>, u8);

fn groups(earlier_attempts: u8, settlement: &Settlement) -> Vec<StoredResultGroup> {
    let mut groups: BTreeMap<_, Vec<RecipientId>> = BTreeMap::new();
    for ((status, http_status, attempts), recipient) in results(earlier_attempts + 1, settlement) {
        let key = (status.as_str(), http_status, attempts);
        groups.entry(key).or_default().push(recipient);
    }
    let group = |((status, http_status, attempts), recipients)| {
        let ranges = IdRange::from_ids(recipients).into_iter();
        let recipients = ranges.map(IdRangeJson::from).collect();
        (status, http_status, attempts, recipients)
    };
    groups.into_iter().map(group).collect()
}

/// Every recipient whose outcome is known, with its group.
fn results(attempts: u8, settlement: &Settlement) -> impl Iterator<Item = (GroupKey, RecipientId)> {
    let sent = settlement.sent.iter().map(move |one| {
        let key = (ResultStatus::Sent, Some(one.http_status), attempts);
        (key, one.recipient)
    });
    let expired = settlement.expired.iter().map(move |one| {
        let key = (ResultStatus::Expired, Some(one.http_status), attempts);
        (key, one.recipient)
    });
    let failed = settlement.dead_letters.iter().map(|one| {
        let key = (ResultStatus::Failed, one.http_status, one.attempts);
        (key, one.recipient)
    });
    sent.chain(expired).chain(failed)
}
