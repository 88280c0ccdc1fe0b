//! Accepting a send: charged, recorded and queued in one transaction, or not at all.
//!
//! The order is that of the answers: a repeated request is recognised first, since it costs nothing; then an app or a subscriber
//! that is not there; then how often the app sends, and the quota. What is counted is taken back if the quota refuses the send, and
//! nothing can refuse it after that.
//!
//! A send that is scheduled is judged the same way, but for the quota, and only recorded.
//!
//! Equal requests that come together wait for each other (`lock_request`): the second finds what the first has saved. A refused
//! request has saved nothing, so its idempotency key is free again.

use hato_domain::{AppId, Month, UnixMillis};
use hato_service::ports::{AcceptSendOutcome, MAX_SCHEDULED, NewSend, SendCounts, SendStatus};

use crate::audience::{ResolvedAudience, SendingApp, find_sending_app, resolve_audience};
use crate::dialect::{DbConnection, to_stored};
use crate::event_readers::EventReaders;
use crate::idempotency::{self, PriorRequest};
use crate::included::Included;
use crate::jobs::{queue_list, queue_positions, queue_range};
use crate::selection::{self, QueuedSelection};
use crate::send_windows;
use crate::stored_audience::StoredAudience;
use crate::stored_content::StoredContent;
use crate::values::parse_plan;
use crate::webhook_events::insert_completed_event;

/// Answers a repeated request, or accepts the send, or does nothing.
pub(crate) async fn accept(
    c: &mut DbConnection,
    send: &NewSend,
) -> sqlx::Result<AcceptSendOutcome> {
    match idempotency::find(c, send).await? {
        PriorRequest::Same {
            send_id,
            recipients,
        } => Ok(AcceptSendOutcome::Replayed {
            send_id,
            recipients,
        }),
        _ if !send.schedule.is_ahead_of(send.now) => Ok(AcceptSendOutcome::NotAhead),
        PriorRequest::Other => Ok(AcceptSendOutcome::Conflict),
        PriorRequest::None => accept_new(c, send).await,
    }
}

async fn accept_new(c: &mut DbConnection, send: &NewSend) -> sqlx::Result<AcceptSendOutcome> {
    let Some((sending_app, audience)) = find_audience(c, send).await? else {
        return Ok(AcceptSendOutcome::NotFound);
    };
    if send.schedule.send_at().is_some() {
        return schedule(c, &sending_app, send).await;
    }
    if !send_windows::count(c, send).await? {
        return Ok(AcceptSendOutcome::OverRateLimit);
    }
    let recipients = audience.recipients();
    if !charge_or_count(c, &sending_app, (send.now.month(), recipients)).await? {
        send_windows::uncount(c, send).await?;
        return Ok(AcceptSendOutcome::OverMonthlyLimit);
    }
    let included = Included::new(&audience, sending_app.last_position);
    insert_send(c, send, recipients, included.as_ref()).await?;
    queue_or_complete(c, send, &audience).await?;
    idempotency::save(c, send, recipients).await?;
    Ok(AcceptSendOutcome::Queued { recipients })
}

/// Whom the send is for; `None` when the app or a subscriber is not there.
async fn find_audience(
    c: &mut DbConnection,
    send: &NewSend,
) -> sqlx::Result<Option<(SendingApp, ResolvedAudience)>> {
    let Some(sending_app) = find_sending_app(c, send).await? else {
        return Ok(None);
    };
    let audience = resolve_audience(c, &sending_app, send).await?;
    Ok(audience.map(|audience| (sending_app, audience)))
}

/// Charges the recipients to the month; a send to nobody only counts. `false` when the month has no room.
async fn charge_or_count(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    (month, recipients): (Month, i64),
) -> sqlx::Result<bool> {
    match recipients {
        0 => count_uncharged(c, sending_app, month).await,
        _ => charge(c, sending_app, month, recipients).await,
    }
}

/// Counts the send on its day and queues it; one to nobody is over at once.
async fn queue_or_complete(
    c: &mut DbConnection,
    send: &NewSend,
    audience: &ResolvedAudience,
) -> sqlx::Result<()> {
    count_send(c, &send.app_id, send.now).await?;
    if audience.recipients() == 0 {
        return queue_completed_event(c, send).await;
    }
    let queued = (send.id.as_str(), send.app_id.as_str());
    queue(c, queued, audience, send.now).await
}

/// Writes the event that tells that a send to nobody is over, if somebody reads the app's.
async fn queue_completed_event(c: &mut DbConnection, send: &NewSend) -> sqlx::Result<()> {
    let readers = EventReaders::find(c, &send.app_id, send.now).await?;
    let (of, completed) = ((&send.app_id, &send.id), (0, SendCounts::default()));
    insert_completed_event(c, readers, of, completed, send.now).await
}

/// Records a send that waits for its time: it is charged, counted and queued when it is due (`scheduled_sends.rs` beside this).
async fn schedule(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    send: &NewSend,
) -> sqlx::Result<AcceptSendOutcome> {
    if !has_room(c, &send.app_id).await? {
        return Ok(AcceptSendOutcome::TooManyScheduled);
    }
    if !send_windows::count(c, send).await? {
        return Ok(AcceptSendOutcome::OverRateLimit);
    }
    if !count_uncharged(c, sending_app, send.now.month()).await? {
        send_windows::uncount(c, send).await?;
        return Ok(AcceptSendOutcome::OverMonthlyLimit);
    }
    insert_send(c, send, 0, None).await?;
    idempotency::save(c, send, 0).await?;
    Ok(AcceptSendOutcome::Scheduled)
}

/// Counts the recipients toward the account's month; `false`, and nothing counted, when they would pass the limit.
///
/// The limit is a condition of the write itself, so concurrent sends cannot pass it together. The condition holds for adding to
/// the month's row only; a month without a row is empty, and what alone passes the limit is refused before. The row belongs to
/// the account and refers to no app, so deleting an app gives nothing back.
pub(crate) async fn charge(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    month: Month,
    recipients: i64,
) -> sqlx::Result<bool> {
    let limit = parse_plan(&sending_app.plan)?
        .max_monthly_recipients()
        .unwrap_or(i64::MAX);
    if recipients == 0 || recipients > limit {
        return Ok(recipients == 0);
    }
    let charged = sqlx::query!(
        "INSERT INTO monthly_usage (account_id, month, recipients) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, month) DO UPDATE
         SET recipients = monthly_usage.recipients + excluded.recipients
         WHERE monthly_usage.recipients + excluded.recipients <= $4",
        sending_app.account_id,
        month.0,
        recipients,
        limit
    );
    Ok(charged.execute(c).await?.rows_affected() == 1)
}

/// Counts a send that costs the month nothing now; `false`, and nothing counted, when the account has made as many as it may
/// (CONTRACT 18).
async fn count_uncharged(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    month: Month,
) -> sqlx::Result<bool> {
    let Some(limit) = parse_plan(&sending_app.plan)?.max_monthly_uncharged_sends() else {
        return Ok(true);
    };
    let counted = sqlx::query!(
        "INSERT INTO monthly_usage (account_id, month, recipients, uncharged_sends) VALUES ($1, $2, 0, 1)
         ON CONFLICT (account_id, month) DO UPDATE
         SET uncharged_sends = monthly_usage.uncharged_sends + 1
         WHERE monthly_usage.uncharged_sends < $3",
        sending_app.account_id,
        month.0,
        limit
    );
    Ok(counted.execute(c).await?.rows_affected() == 1)
}

/// Writes the send down; one to nobody is done at once, and one that is scheduled has no recipients yet.
async fn insert_send(
    c: &mut DbConnection,
    send: &NewSend,
    recipients: i64,
    included: Option<&Included>,
) -> sqlx::Result<()> {
    let schedule = &send.schedule;
    let waits_until = schedule.send_at().map(|at| at.0);
    let (status, finished_at) = match recipients {
        0 if waits_until.is_none() => (SendStatus::Done, Some(send.now.0)),
        _ => (SendStatus::Queued, None),
    };
    let content = StoredContent::new(send, recipients);
    let included = included.map(Included::to_json).transpose()?;
    sqlx::query!(
        "INSERT INTO sends (id, app_id, title, body, url, payload, ttl, urgency, topic, recipients,
                            status, actor_kind, actor_id, actor_name, created_at, finished_at,
                            send_at, waits_until, audience, expires_at, max_per_minute, included)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, $18,
                 $19, $20, $21)",
        send.id.as_str(),
        send.app_id.as_str(),
        &*to_stored(&content.title),
        &*to_stored(&content.body),
        content.url,
        content.payload,
        i64::from(send.options.ttl.seconds()),
        content.urgency,
        content.topic,
        recipients,
        status.as_str(),
        send.actor.kind.as_str(),
        send.actor.id,
        &*content.actor_name,
        send.now.0,
        finished_at,
        waits_until,
        StoredAudience::from_send(send)?,
        schedule.expires_at().map(|at| at.0),
        schedule.pace().map(|pace| i64::from(pace.per_minute())),
        included
    )
    .execute(c)
    .await
    .map(drop)
}

/// Counts the send on the day when it is due, whose row settling then adds to.
pub(crate) async fn count_send(
    c: &mut DbConnection,
    app: &AppId,
    due_at: UnixMillis,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO daily_counts (app_id, day, sends) VALUES ($1, $2, 1)
         ON CONFLICT (app_id, day) DO UPDATE SET sends = daily_counts.sends + 1",
        app.as_str(),
        due_at.day_number()
    )
    .execute(c)
    .await
    .map(drop)
}

/// Queues the first attempt, due now: one job, however many recipients there are.
pub(crate) async fn queue(
    c: &mut DbConnection,
    (send, app): (&str, &str),
    audience: &ResolvedAudience,
    now: UnixMillis,
) -> sqlx::Result<()> {
    match audience {
        ResolvedAudience::Positions { up_to, .. } => {
            queue_positions(c, send, app, (0, *up_to), now).await
        }
        ResolvedAudience::Listed(recipients) => queue_list(c, send, app, recipients, 0, now).await,
        ResolvedAudience::Selected(positions) => {
            match selection::save(c, app, send, positions).await? {
                QueuedSelection::Listed(recipients) => {
                    queue_list(c, send, app, &recipients, 0, now).await
                }
                QueuedSelection::Range(range) => queue_range(c, send, app, range, now).await,
            }
        }
    }
}

/// Whether the app may have another scheduled send. Those of an app are accepted one after the other.
pub(crate) async fn has_room(c: &mut DbConnection, app: &AppId) -> sqlx::Result<bool> {
    let waiting = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "waiting!: i64"
           FROM (SELECT id FROM sends WHERE app_id = $1 AND waits_until IS NOT NULL LIMIT $2) AS s"#,
        app.as_str(),
        MAX_SCHEDULED
    );
    Ok(waiting.fetch_one(c).await? < MAX_SCHEDULED)
}
