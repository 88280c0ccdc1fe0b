//! Whose janitor sweeps: one at a time over all processes of a database. A process that dies while it sweeps leaves a lease that ends.

use std::time::Duration;

use crate::dialect::DbConnection;

/// Takes the lease for `holder`, or renews it, until `lease` from now; `false` while somebody else holds it. A lease that ends later
/// than two from now was taken before the database's clock was set back, and is nobody's.
pub(crate) async fn take(c: &mut DbConnection, holder: i64, lease: Duration) -> sqlx::Result<bool> {
    let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
    let taken = sqlx::query!(
        "WITH moment AS (SELECT CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) AS now)
         INSERT INTO sweep_lease AS l (id, holder, ends_at)
         SELECT 1, CAST($1 AS BIGINT), moment.now + CAST($2 AS BIGINT) FROM moment
         ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
         WHERE l.holder = excluded.holder OR l.ends_at <= excluded.ends_at - $2
            OR l.ends_at > excluded.ends_at + $2",
        holder,
        lease
    );
    Ok(taken.execute(c).await?.rows_affected() == 1)
}

/// Gives the lease back, if `holder` has it.
pub(crate) async fn end(c: &mut DbConnection, holder: i64) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM sweep_lease WHERE holder = $1", holder)
        .execute(c)
        .await
        .map(drop)
}
