//! Sends: charged, recorded and queued in one transaction, and listed as the history shows them.

use async_trait::async_trait;
use hato_domain::{AppId, Cursor, HttpsUrl, PageRequest, SendId, Topic, UnixMillis, Urgency};
use hato_service::access::{Actor, ActorKind};
use hato_service::ports::{
    AcceptedSend, Audience, NewSend, SendCounts, SendRecord, SendStatus, SendStore, StoreError,
};

use crate::Database;
use crate::accounts::plan;
use crate::dialect::{Connection, readers, write};
use crate::failure::{during, unreadable};
use crate::queue::{number_list, queue_list, queue_positions};
use crate::subscriptions::endpoint_hash;

#[async_trait]
impl SendStore for Database {
    async fn accept_send(&self, send: NewSend) -> Result<AcceptedSend, StoreError> {
        write(self, "accept a send", |c| Box::pin(accept(c, send))).await
    }

    async fn sends_of(
        &self,
        app: &AppId,
        page: &PageRequest,
    ) -> Result<Vec<SendRecord>, StoreError> {
        let app = app.as_str();
        let (before, before_id) = bound(page.cursor.as_ref());
        let limit = page.limit.get() + 1;
        let rows = sqlx::query_as!(
            SendRow,
            "SELECT id, title, body, url, status, recipients, sent, failed_expired, failed_other,
                    skipped, cancelled, actor_kind, actor_id, actor_name, created_at
             FROM sends WHERE app_id = $1 AND (created_at, id) < ($2, $3)
             ORDER BY created_at DESC, id DESC LIMIT $4",
            app,
            before,
            before_id,
            limit
        );
        rows.fetch_all(readers(self))
            .await
            .and_then(|rows| rows.into_iter().map(SendRow::into_record).collect())
            .map_err(during("list sends"))
    }
}

/// The (time, id) before which a page begins. No id is smaller than the empty one, so a time alone means strictly older.
fn bound(cursor: Option<&Cursor>) -> (i64, &str) {
    cursor.map_or((i64::MAX, ""), |cursor| {
        (
            cursor.before.0,
            cursor.before_id.as_deref().unwrap_or_default(),
        )
    })
}

struct SendRow {
    id: String,
    title: String,
    body: String,
    url: Option<String>,
    status: String,
    recipients: i64,
    sent: i64,
    failed_expired: i64,
    failed_other: i64,
    skipped: i64,
    cancelled: i64,
    actor_kind: String,
    actor_id: String,
    actor_name: String,
    created_at: i64,
}

impl SendRow {
    fn into_record(self) -> sqlx::Result<SendRecord> {
        Ok(SendRecord {
            id: SendId::trusted(self.id),
            title: self.title,
            body: self.body,
            url: self.url,
            status: status(&self.status)?,
            recipients: self.recipients,
            counts: SendCounts {
                sent: self.sent,
                failed_expired: self.failed_expired,
                failed_other: self.failed_other,
                skipped: self.skipped,
                cancelled: self.cancelled,
            },
            actor: Actor {
                kind: actor_kind(&self.actor_kind)?,
                id: self.actor_id,
                name: self.actor_name,
            },
            created_at: UnixMillis(self.created_at),
        })
    }
}

fn status(text: &str) -> sqlx::Result<SendStatus> {
    use SendStatus::{Cancelled, Done, Queued, Sending};
    [Queued, Sending, Done, Cancelled]
        .into_iter()
        .find(|status| status.as_str() == text)
        .ok_or_else(|| unreadable("status"))
}

fn actor_kind(text: &str) -> sqlx::Result<ActorKind> {
    [ActorKind::User, ActorKind::ApiKey]
        .into_iter()
        .find(|kind| kind.as_str() == text)
        .ok_or_else(|| unreadable("kind of actor"))
}

async fn accept(c: &mut Connection, send: NewSend) -> sqlx::Result<AcceptedSend> {
    let Some(sender) = sender(c, &send).await? else {
        return Ok(AcceptedSend::NotFound);
    };
    let Some(target) = sender.target(&send.audience) else {
        return Ok(AcceptedSend::NotFound);
    };
    let recipients = target.recipients();
    if !charge(c, &sender, &send, recipients).await? {
        return Ok(AcceptedSend::OverMonthlyLimit);
    }
    record(c, &send, recipients).await?;
    queue(c, &send, target).await?;
    Ok(AcceptedSend::Queued { recipients })
}

/// The sending app: its account and its audience, read by one statement so that they fit together.
struct Sender {
    account_id: String,
    plan: String,
    active_subscriptions: i64,
    last_position: i64,
    /// The active subscription with the endpoint to which the send is.
    one: Option<i64>,
}

async fn sender(c: &mut Connection, send: &NewSend) -> sqlx::Result<Option<Sender>> {
    let app = send.app_id.as_str();
    let hash = match &send.audience {
        Audience::Everyone => None,
        Audience::One(endpoint) => Some(endpoint_hash(endpoint)),
    };
    let hash = hash.as_ref().map(|hash| &hash[..]);
    sqlx::query_as!(
        Sender,
        r#"SELECT p.account_id, a.plan, p.active_subscriptions, p.last_position,
                  (SELECT s.id FROM subscriptions AS s
                   WHERE s.app_id = p.id AND s.endpoint_hash = $2 AND s.position IS NOT NULL)
                  AS "one?: i64"
           FROM apps AS p JOIN accounts AS a ON a.id = p.account_id WHERE p.id = $1"#,
        app,
        hash
    )
    .fetch_optional(c)
    .await
}

/// Whom a send reaches.
enum Target {
    /// So many, with positions up to this one.
    Positions { recipients: i64, up_to: i64 },
    /// The subscription with this number.
    One(i64),
}

impl Sender {
    fn target(&self, audience: &Audience) -> Option<Target> {
        match audience {
            Audience::Everyone => Some(Target::Positions {
                recipients: self.active_subscriptions,
                up_to: self.last_position,
            }),
            Audience::One(_) => self.one.map(Target::One),
        }
    }
}

impl Target {
    fn recipients(&self) -> i64 {
        match self {
            Self::Positions { recipients, .. } => *recipients,
            Self::One(_) => 1,
        }
    }
}

/// Counts the recipients toward the account's month; `false`, and nothing counted, when they would pass the limit.
async fn charge(
    c: &mut Connection,
    sender: &Sender,
    send: &NewSend,
    recipients: i64,
) -> sqlx::Result<bool> {
    let limit = plan(&sender.plan)?.max_monthly_sends().unwrap_or(i64::MAX);
    if recipients == 0 || recipients > limit {
        return Ok(recipients == 0);
    }
    let charged = sqlx::query!(
        "INSERT INTO monthly_usage (account_id, month, recipients) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, month) DO UPDATE
         SET recipients = monthly_usage.recipients + excluded.recipients
         WHERE monthly_usage.recipients + excluded.recipients <= $4",
        sender.account_id,
        send.month.0,
        recipients,
        limit
    )
    .execute(c)
    .await?;
    Ok(charged.rows_affected() == 1)
}

/// Writes the send down; one to nobody is done at once.
async fn record(c: &mut Connection, send: &NewSend, recipients: i64) -> sqlx::Result<()> {
    let nobody = recipients == 0;
    let status = if nobody {
        SendStatus::Done
    } else {
        SendStatus::Queued
    }
    .as_str();
    let finished_at = nobody.then_some(send.now.0);
    let (id, app) = (send.id.as_str(), send.app_id.as_str());
    let (content, options) = (&send.notification, &send.options);
    let (title, body, payload) = (content.title(), content.body(), content.payload());
    let url = content.url().map(HttpsUrl::as_str);
    let icon = content.icon().map(HttpsUrl::as_str);
    let badge = content.badge().map(HttpsUrl::as_str);
    let ttl = i64::from(options.ttl.seconds());
    let urgency = options.urgency.map(Urgency::as_str);
    let topic = options.topic.as_ref().map(Topic::as_str);
    let kind = send.actor.kind.as_str();
    sqlx::query!(
        "INSERT INTO sends (id, app_id, title, body, url, icon, badge, payload, ttl, urgency, topic,
                            recipients, status, actor_kind, actor_id, actor_name, created_at,
                            finished_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
        id,
        app,
        title,
        body,
        url,
        icon,
        badge,
        payload,
        ttl,
        urgency,
        topic,
        recipients,
        status,
        kind,
        send.actor.id,
        send.actor.name,
        send.now.0,
        finished_at
    )
    .execute(c)
    .await
    .map(drop)
}

async fn queue(c: &mut Connection, send: &NewSend, target: Target) -> sqlx::Result<()> {
    match target {
        Target::Positions { recipients: 0, .. } => Ok(()),
        Target::Positions { up_to, .. } => {
            queue_positions(c, &send.id, &send.app_id, (0, up_to), send.now).await
        }
        Target::One(subscription) => {
            let list = number_list(&[subscription])?;
            queue_list(c, &send.id, &send.app_id, &list, 0, send.now).await
        }
    }
}
