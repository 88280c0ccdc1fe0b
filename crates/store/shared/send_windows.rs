//! How often an app sends: its accepted sends, counted in windows of a minute (CONTRACT 18).
//!
//! They are counted in the transaction that accepts the send, so neither a repeated request nor a refused one counts, and concurrent
//! sends do not pass the limit together, whichever process takes them.

use hato_domain::ErrorCode;
use hato_service::ports::NewSend;

use crate::dialect::DbConnection;

/// How long a window lasts, milliseconds.
const WINDOW: i64 = ErrorCode::RATE_LIMIT_WINDOW.cast_signed() * 1_000;

/// Counts the send in its app's window; `false`, and nothing counted, when the window is full.
///
/// The limit is a condition of the write itself. A window that opened in the future was so by a clock that has been set back, and
/// counts while it is less than a window away.
pub(crate) async fn count(c: &mut DbConnection, send: &NewSend) -> sqlx::Result<bool> {
    let Some(limit) = send.max_per_minute else {
        return Ok(true);
    };
    let now = send.now.0;
    let counted = sqlx::query!(
        "INSERT INTO send_windows (app_id, opened_at, sends) VALUES ($1, $2, 1)
         ON CONFLICT (app_id) DO UPDATE
         SET opened_at = CASE WHEN send_windows.opened_at > $3 AND send_windows.opened_at < $4
                                   AND send_windows.sends > 0
                              THEN send_windows.opened_at ELSE excluded.opened_at END,
             sends = CASE WHEN send_windows.opened_at > $3 AND send_windows.opened_at < $4
                          THEN send_windows.sends + 1 ELSE 1 END
         WHERE send_windows.sends < $5 OR send_windows.opened_at <= $3 OR send_windows.opened_at >= $4",
        send.app_id.as_str(),
        now,
        now - WINDOW,
        now + WINDOW,
        limit
    );
    Ok(counted.execute(c).await?.rows_affected() == 1)
}

/// Takes back what [`count`] has counted of a send that its plan refuses after all: a second small write in the same transaction, for a
/// request that is then not counted.
pub(crate) async fn uncount(c: &mut DbConnection, send: &NewSend) -> sqlx::Result<()> {
    if send.max_per_minute.is_none() {
        return Ok(());
    }
    sqlx::query!(
        "UPDATE send_windows SET sends = sends - 1 WHERE app_id = $1",
        send.app_id.as_str()
    )
    .execute(c)
    .await
    .map(drop)
}
