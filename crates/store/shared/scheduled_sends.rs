//! Scheduled sends: rows of `sends` with a time in `waits_until`, and nothing in the queue until they are due (CONTRACT 14).
//!
//! Starting one is one transaction on the condition that it still waits: whoever comes second finds that it does not, so it is charged
//! and queued once, however many processes start what is due.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, ErrorCode, EventType, PositionSet, SendId, UnixMillis};
use hato_service::ports::{
    ScheduledSend, ScheduledSendStore, SendCounts, SendStatus, StartSendOutcome, StoreError,
};

use crate::Database;
use crate::acceptance::{charge, count_send, queue};
use crate::audience::{ResolvedAudience, SendingApp, find_app, find_hashed};
use crate::costly_selections::SelectionOccasion;
use crate::dialect::{DbConnection, from_stored, may_claim, readers, sql, to_stored};
use crate::due_sends::find_in_turns;
use crate::error::{decode_error, is_unreadable, with_context};
use crate::event_readers::EventReaders;
use crate::included::Included;
use crate::selection::select;
use crate::shared_clock::{SharedClock, shared_now};
use crate::stored_audience::StoredAudience;
use crate::stored_content::StoredContent;
use crate::stored_event::NewEvent;
use crate::transaction::transaction;
use crate::webhook_events::{insert_completed_event, insert_event};

/// How long a send that cannot be read is put off: the operator, or the next version, may mend it.
const UNREADABLE_SEND_DELAY: Duration = Duration::from_hours(1);

#[async_trait]
impl ScheduledSendStore for Database {
    async fn scheduled_sends(
        &self,
        now: UnixMillis,
        limit: u32,
    ) -> Result<Vec<ScheduledSend>, StoreError> {
        let clock = SharedClock::at(self, now);
        sqlx::query!(
            r#"SELECT s.id, s.waits_until AS "due_at!"
           FROM sends AS s CROSS JOIN apps AS p
           WHERE p.id = s.app_id AND s.waits_until IS NOT NULL
             AND p.deleted_at IS NULL AND p.review_since IS NULL
           ORDER BY s.waits_until, s.id LIMIT $1"#,
            i64::from(limit)
        )
        .map(move |row| ScheduledSend {
            id: SendId::trusted(row.id),
            due_at: clock.own(UnixMillis(row.due_at)),
        })
        .fetch_all(readers(self))
        .await
        .map_err(with_context("look for scheduled sends"))
    }

    async fn due_sends_in_turns(
        &self,
        now: UnixMillis,
        limit: u32,
    ) -> Result<Vec<SendId>, StoreError> {
        let due = find_in_turns(self, shared_now(self, now), limit).await;
        due.map_err(with_context("look for scheduled sends of each app"))
    }

    async fn start_send(
        &self,
        send: &SendId,
        now: UnixMillis,
    ) -> Result<StartSendOutcome, StoreError> {
        if !may_claim(self, now).await? {
            return Ok(StartSendOutcome::NotWaiting);
        }
        let now = shared_now(self, now);
        let context = with_context("select the recipients of a send");
        let selected = match select_for(self, send, now).await {
            Err(error) if is_unreadable(&error) => {
                let send = send.clone();
                transaction!(self, "put a scheduled send off", |c| {
                    defer_unreadable(c, &send, now).await
                })?;
                return Ok(StartSendOutcome::Unreadable(context(error)));
            }
            selected => selected.map_err(context)?,
        };
        let send = send.clone();
        transaction!(self, "start a scheduled send", |c| {
            start_or_defer(c, &send, &selected, now).await
        })
    }
}

/// A send that waits, as it is stored.
struct WaitingSendRow {
    id: String,
    app_id: String,
    title: String,
    body: String,
    url: Option<String>,
    actor_name: String,
    audience: Option<String>,
    due_at: i64,
}

/// Those who meet the conditions of the send now, if it has any and is due: asked before the transaction, which everybody waits for.
/// Conditions that cannot be read are found again there.
async fn select_for(
    database: &Database,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<PositionSet> {
    let waiting = sqlx::query!(
        r#"SELECT app_id, audience AS "audience!" FROM sends
           WHERE id = $1 AND waits_until <= $2 AND audience IS NOT NULL"#,
        send.as_str(),
        now.0
    );
    let Some(waiting) = waiting.fetch_optional(readers(database)).await? else {
        return Ok(PositionSet::default());
    };
    let filter = StoredAudience::parse(&waiting.audience);
    match filter.and_then(StoredAudience::into_filter) {
        Ok(Some(filter)) => {
            let app = AppId::trusted(waiting.app_id);
            select(database, &app, &filter, SelectionOccasion::Schedule).await
        }
        Ok(None) | Err(_) => Ok(PositionSet::default()),
    }
}

/// Starts the send, or puts it off when it cannot be read.
async fn start_or_defer(
    c: &mut DbConnection,
    send: &SendId,
    selected: &PositionSet,
    now: UnixMillis,
) -> sqlx::Result<StartSendOutcome> {
    match start(c, send, selected, now).await {
        Err(error) if is_unreadable(&error) => {
            defer_unreadable(c, send, now).await?;
            let error = with_context("read a scheduled send")(error);
            Ok(StartSendOutcome::Unreadable(error))
        }
        started => started,
    }
}

async fn start(
    c: &mut DbConnection,
    send: &SendId,
    selected: &PositionSet,
    now: UnixMillis,
) -> sqlx::Result<StartSendOutcome> {
    let Some(waiting) = find_due(c, send, now).await? else {
        return Ok(StartSendOutcome::NotWaiting);
    };
    let Some(sending_app) = find_app(c, &waiting.app_id, None).await? else {
        return Ok(StartSendOutcome::NotWaiting);
    };
    let (app, due_at) = (waiting.app(), UnixMillis(waiting.due_at));
    let audience = resolve(c, &sending_app, &waiting, selected).await?;
    let recipients = audience.recipients();
    if !charge(c, &sending_app, due_at.month(), recipients).await? {
        end(c, &waiting, UnstartedOutcome::Refused, now).await?;
        return Ok(StartSendOutcome::Ended(app));
    }
    count_send(c, &app, due_at).await?;
    if recipients == 0 {
        end(c, &waiting, UnstartedOutcome::ForNobody, now).await?;
        return Ok(StartSendOutcome::Ended(app));
    }
    let included = Included::new(&audience, sending_app.last_position);
    begin(c, &waiting, recipients, included.as_ref()).await?;
    queue(c, (send.as_str(), app.as_str()), &audience, now).await?;
    Ok(StartSendOutcome::Queued)
}

/// The send, if it waits and is due, and nobody else is starting it.
async fn find_due(
    c: &mut DbConnection,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<Option<WaitingSendRow>> {
    sql!(query_as WaitingSendRow [
        r#"SELECT id, app_id, title, body, url, actor_name, audience, waits_until AS "due_at!"
           FROM sends WHERE id = $1 AND waits_until <= $2"# SKIP_LOCKED
    ] send.as_str(), now.0)
    .fetch_optional(c)
    .await
}

/// Who of those whom it is for is there at this moment.
async fn resolve(
    c: &mut DbConnection,
    sending_app: &SendingApp,
    waiting: &WaitingSendRow,
    selected: &PositionSet,
) -> sqlx::Result<ResolvedAudience> {
    let text = waiting.audience.as_deref().unwrap_or_default();
    Ok(match StoredAudience::parse(text)? {
        StoredAudience::Everyone => sending_app.everyone(),
        StoredAudience::Endpoints(hashes) => {
            ResolvedAudience::Listed(find_hashed(c, &waiting.app_id, &hashes).await?)
        }
        StoredAudience::Matched { .. } => return Err(decode_error("audience")),
        matching @ StoredAudience::Matching { .. } => {
            matching.into_filter()?;
            ResolvedAudience::Selected(selected.clone())
        }
    })
}

/// The send waits no more: it is queued like any other.
async fn begin(
    c: &mut DbConnection,
    waiting: &WaitingSendRow,
    recipients: i64,
    included: Option<&Included>,
) -> sqlx::Result<()> {
    let included = included.map(Included::to_json).transpose()?;
    sqlx::query!(
        "UPDATE sends SET waits_until = NULL, audience = $4, recipients = $2, included = $3
         WHERE id = $1",
        waiting.id,
        recipients,
        included,
        StoredAudience::kept(waiting.audience.as_deref())?
    )
    .execute(c)
    .await
    .map(drop)
}

async fn defer_unreadable(
    c: &mut DbConnection,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let deferred = sqlx::query!(
        "UPDATE sends SET waits_until = $2 WHERE id = $1 AND waits_until IS NOT NULL",
        send.as_str(),
        now.plus(UNREADABLE_SEND_DELAY).0
    );
    deferred.execute(c).await.map(drop)
}

/// Cancels the app's send if it still waits; whether it did.
pub(crate) async fn cancel_waiting(
    c: &mut DbConnection,
    app: &AppId,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    let waiting = sql!(query_as WaitingSendRow [
        r#"SELECT id, app_id, title, body, url, actor_name, audience, waits_until AS "due_at!"
           FROM sends WHERE id = $1 AND app_id = $2 AND waits_until IS NOT NULL"# FOR_UPDATE
    ] send.as_str(), app.as_str())
    .fetch_optional(&mut *c)
    .await?;
    let Some(waiting) = waiting else {
        return Ok(false);
    };
    end(c, &waiting, UnstartedOutcome::Cancelled, now).await?;
    Ok(true)
}

/// How a send ends that has reached nobody.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnstartedOutcome {
    ForNobody,
    Cancelled,
    Refused,
}

impl UnstartedOutcome {
    const fn status(self) -> SendStatus {
        match self {
            Self::ForNobody | Self::Refused => SendStatus::Done,
            Self::Cancelled => SendStatus::Cancelled,
        }
    }

    fn refused_reason(self) -> Option<&'static str> {
        (self == Self::Refused).then(|| ErrorCode::MonthlyLimitExceeded.as_str())
    }
}

/// Ends the send. Of what it says is kept what is kept of any send to nobody.
async fn end(
    c: &mut DbConnection,
    waiting: &WaitingSendRow,
    end: UnstartedOutcome,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let cancelled_at = (end == UnstartedOutcome::Cancelled).then_some(now.0);
    let (title, body) = (
        from_stored(waiting.title.clone()),
        from_stored(waiting.body.clone()),
    );
    let url = waiting.url.as_deref();
    let content = StoredContent::from_undelivered((&title, &body), url, &waiting.actor_name);
    sqlx::query!(
        "UPDATE sends SET waits_until = NULL, audience = $10, status = $2, finished_at = $3,
                          cancelled_at = $4, refused_reason = $5, title = $6, body = $7, url = $8,
                          payload = '', urgency = NULL, topic = NULL, actor_name = $9
         WHERE id = $1",
        waiting.id,
        end.status().as_str(),
        now.0,
        cancelled_at,
        end.refused_reason(),
        &*to_stored(&content.title),
        &*to_stored(&content.body),
        content.url,
        &*content.actor_name,
        StoredAudience::kept(waiting.audience.as_deref())?
    )
    .execute(&mut *c)
    .await?;
    queue_completed_event(c, waiting, end, now).await
}

/// Writes the event that tells that the send is over, if somebody reads the app's.
async fn queue_completed_event(
    c: &mut DbConnection,
    waiting: &WaitingSendRow,
    end: UnstartedOutcome,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let (app, send) = (waiting.app(), SendId::trusted(waiting.id.clone()));
    let readers = EventReaders::find(c, &app, now).await?;
    let Some(reason) = end.refused_reason() else {
        let completed = (0, SendCounts::default());
        return insert_completed_event(c, readers, (&app, &send), completed, now).await;
    };
    let event = NewEvent {
        app: &app,
        kind: EventType::SendCompleted,
        send: Some(&send),
        content: &format!("\"{reason}\""),
        now,
    };
    insert_event(c, readers, &event).await
}

impl WaitingSendRow {
    fn app(&self) -> AppId {
        AppId::trusted(self.app_id.clone())
    }
}
