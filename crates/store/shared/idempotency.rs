//! Requests that were accepted before, by the names that their clients gave them (CONTRACT 6).

use hato_domain::SendId;
use hato_service::ports::NewSend;

use crate::dialect::Connection;

/// What became of a request of the same name.
pub(crate) enum Earlier {
    /// None was accepted.
    None,
    /// The same request was.
    Same { send_id: SendId, recipients: i64 },
    /// One with another body was.
    Other,
}

struct KeptRow {
    request_hash: Vec<u8>,
    send_id: String,
    queued: i64,
}

/// The request of the same app, path and name, unless it is too old.
pub(crate) async fn earlier(c: &mut Connection, send: &NewSend) -> sqlx::Result<Earlier> {
    let Some(request) = &send.idempotency else {
        return Ok(Earlier::None);
    };
    let (app, key, since) = (send.app_id.as_str(), request.key.as_str(), request.since.0);
    let kept = sqlx::query_as!(
        KeptRow,
        "SELECT request_hash, send_id, queued FROM idempotency_keys
         WHERE app_id = $1 AND path = $2 AND key = $3 AND created_at > $4",
        app,
        request.path,
        key,
        since
    )
    .fetch_optional(c)
    .await?;
    Ok(match kept {
        None => Earlier::None,
        Some(kept) if kept.request_hash == request.body_hash => Earlier::Same {
            send_id: SendId::trusted(kept.send_id),
            recipients: kept.queued,
        },
        Some(_) => Earlier::Other,
    })
}

/// Keeps the answer of a send that is being accepted, in place of one that is too old.
pub(crate) async fn keep(c: &mut Connection, send: &NewSend, queued: i64) -> sqlx::Result<()> {
    let Some(request) = &send.idempotency else {
        return Ok(());
    };
    let (app, key, id) = (send.app_id.as_str(), request.key.as_str(), send.id.as_str());
    let hash = &request.body_hash[..];
    sqlx::query!(
        "INSERT INTO idempotency_keys (app_id, path, key, request_hash, send_id, queued, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (app_id, path, key) DO UPDATE
         SET request_hash = excluded.request_hash, send_id = excluded.send_id,
             queued = excluded.queued, created_at = excluded.created_at",
        app,
        request.path,
        key,
        hash,
        id,
        queued,
        send.now.0
    )
    .execute(c)
    .await
    .map(drop)
}
