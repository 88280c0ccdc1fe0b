//! What a claimed page takes from its send and its app.

use hato_domain::{AppId, Schedule, SendId, Topic, Ttl, UnixMillis, Urgency};
use hato_service::ports::{ClaimedPage, JobId, PageLease, PageRange, VapidKeyNumber};

use crate::app_settings;
use crate::dialect::DbConnection;
use crate::error::decode_error;

/// What a page needs of its send and its app.
pub(crate) struct ClaimedSendRow {
    pub(crate) status: String,
    payload: String,
    ttl: i64,
    urgency: Option<String>,
    topic: Option<String>,
    accepted_at: i64,
    send_at: Option<i64>,
    expires_at: Option<i64>,
    max_per_minute: Option<i64>,
    vapid_key: i64,
    sealed_private_key: Vec<u8>,
    site_url: Option<String>,
    declarative: bool,
    tracking: String,
    pub(crate) is_of_deleted_app: bool,
}

/// The send that a claimed job is of.
pub(crate) async fn send_of(c: &mut DbConnection, job: &JobRow) -> sqlx::Result<ClaimedSendRow> {
    sqlx::query_as!(
        ClaimedSendRow,
        r#"SELECT s.status, s.payload, s.ttl, s.urgency, s.topic,
                  COALESCE(s.send_at, s.created_at) AS "accepted_at!: i64",
                  s.send_at, s.expires_at, s.max_per_minute,
                  p.vapid_key, p.sealed_private_key,
                  p.site_url, p.declarative <> 0 AS "declarative!: bool", p.tracking,
                  p.deleted_at IS NOT NULL AS "is_of_deleted_app!: bool"
           FROM sends AS s JOIN apps AS p ON p.id = s.app_id
           WHERE s.app_id = $1 AND s.id = $2"#,
        job.app_id,
        job.send_id
    )
    .fetch_one(c)
    .await
}

/// The page, still without its recipients.
pub(crate) fn claimed_page(job: &JobRow, send: ClaimedSendRow) -> sqlx::Result<ClaimedPage> {
    let urgency = |text: String| Urgency::parse(&text).map_err(|_| decode_error("urgency"));
    let schedule = Schedule::parse(send.send_at, send.expires_at, send.max_per_minute);
    let topic = |text: String| Topic::parse(&text).map_err(|_| decode_error("topic"));
    Ok(ClaimedPage {
        lease: job.lease(),
        send_id: SendId::trusted(job.send_id.clone()),
        app_id: AppId::trusted(job.app_id.clone()),
        range: PageRange::List(Vec::new()),
        attempt: u8::try_from(job.attempt).map_err(|_| decode_error("attempt"))?,
        payload: send.payload,
        messages: app_settings::read(send.site_url, send.declarative, &send.tracking)?,
        ttl: Ttl::parse(send.ttl).map_err(|_| decode_error("TTL"))?,
        urgency: send.urgency.map(urgency).transpose()?,
        topic: send.topic.map(topic).transpose()?,
        accepted_at: UnixMillis(send.accepted_at),
        schedule: schedule.map_err(|_| decode_error("schedule"))?,
        vapid_key: VapidKeyNumber(send.vapid_key),
        sealed_private_key: send.sealed_private_key,
        clock_lead: 0,
    })
}

pub(crate) struct JobRow {
    pub(crate) id: i64,
    pub(crate) send_id: String,
    pub(crate) app_id: String,
    pub(crate) after_position: i64,
    pub(crate) up_to_position: Option<i64>,
    pub(crate) recipients: Option<String>,
    pub(crate) attempt: i64,
    pub(crate) lease_token: i64,
}

impl JobRow {
    /// The lease under which the job was claimed.
    pub(crate) fn lease(&self) -> PageLease {
        PageLease {
            job: JobId(self.id),
            token: self.lease_token,
        }
    }
}
