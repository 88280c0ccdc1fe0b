//! Requests that were accepted before, by the idempotency keys that their clients gave them (CONTRACT 6).

use hato_domain::{IdempotencyKey, SendId};
use hato_service::IDEMPOTENCY_TTL;
use hato_service::ports::NewSend;
use sha2::{Digest as _, Sha256};

use crate::dialect::{DbConnection, lock_request};

/// What became of an earlier request with the same key.
pub(crate) enum PriorRequest {
    /// No request with this key was accepted, or its answer is too old to be repeated.
    None,
    /// A request with the same body was accepted, as this send.
    Same { send_id: SendId, recipients: i64 },
    /// A request with another body was accepted.
    Other,
}

/// What is stored of a key, however long it is: the first 128 bits of its SHA-256, in hexadecimal. Two keys of one app with the same
/// are as unlikely as two equal ids.
fn stored(key: &IdempotencyKey) -> String {
    let hash = Sha256::digest(key.as_str());
    let number = hash[..16]
        .iter()
        .fold(0, |number, byte| number << 8 | u128::from(*byte));
    format!("{number:032x}")
}

/// The request of the same app, path and key, unless it is too old. Another one of them waits until this transaction has ended.
pub(crate) async fn find(c: &mut DbConnection, send: &NewSend) -> sqlx::Result<PriorRequest> {
    let Some(request) = &send.idempotency else {
        return Ok(PriorRequest::None);
    };
    lock_request(c, &send.app_id, request.path, request.key.as_str()).await?;
    let row = sqlx::query_as!(
        PriorRow,
        "SELECT request_hash, send_id, queued FROM idempotency_keys
         WHERE app_id = $1 AND path = $2 AND key = $3 AND created_at > $4",
        send.app_id.as_str(),
        request.path,
        stored(&request.key),
        send.now.minus(IDEMPOTENCY_TTL).0
    )
    .fetch_optional(c)
    .await?;
    Ok(match row {
        None => PriorRequest::None,
        Some(row) if row.request_hash == request.body_hash => row.into_same(),
        Some(_) => PriorRequest::Other,
    })
}

struct PriorRow {
    request_hash: Vec<u8>,
    send_id: String,
    queued: i64,
}

impl PriorRow {
    fn into_same(self) -> PriorRequest {
        PriorRequest::Same {
            send_id: SendId::trusted(self.send_id),
            recipients: self.queued,
        }
    }
}

/// Keeps the answer of a send that is being accepted, in place of one that is too old.
pub(crate) async fn save(
    c: &mut DbConnection,
    send: &NewSend,
    recipients: i64,
) -> sqlx::Result<()> {
    let Some(request) = &send.idempotency else {
        return Ok(());
    };
    sqlx::query!(
        "INSERT INTO idempotency_keys (app_id, path, key, request_hash, send_id, queued, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (app_id, path, key) DO UPDATE
         SET request_hash = excluded.request_hash, send_id = excluded.send_id,
             queued = excluded.queued, created_at = excluded.created_at",
        send.app_id.as_str(),
        request.path,
        stored(&request.key),
        &request.body_hash[..],
        send.id.as_str(),
        recipients,
        send.now.0
    )
    .execute(c)
    .await
    .map(drop)
}
