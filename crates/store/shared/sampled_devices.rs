//! What an app's active subscriptions are, of many of them a part that stands for all: what one look costs does not grow with them.

use hato_domain::AppId;
use hato_service::ports::SampledDevice;

use crate::Database;
use crate::bounded_reads::is_out_of_time;
use crate::dialect::{bounded_reader, readers, sql};
use crate::values::number_list;

/// How many are looked at.
const SAMPLE: i64 = 1_000;
/// Most positions that are tried in order to find as many active ones.
const MAX_TRIED: i64 = 10_000;

/// All of them or so many, evenly spread; `None` when others read so long that there was no time for it.
pub(crate) async fn sampled_devices(
    database: &Database,
    app: &AppId,
    active: i64,
) -> sqlx::Result<Option<Vec<SampledDevice>>> {
    let sampled = if active <= SAMPLE {
        first(database, app).await
    } else {
        spread_over(database, app, active).await
    };
    match sampled {
        Ok(sampled) => Ok(Some(sampled)),
        Err(error) if is_out_of_time(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Positions up to the `last` one that was given away, evenly spread and at most about `max_tried`, among which about `count` are those
/// of some of the `active` ones.
pub(crate) fn spread(active: i64, last: i64, count: i64, max_tried: i64) -> Vec<i64> {
    let tried = count.saturating_mul(last) / active.max(1);
    let distance = (last / tried.clamp(1, max_tried)).max(1);
    let distance = usize::try_from(distance).unwrap_or(usize::MAX);
    (1..=last).step_by(distance).collect()
}

/// So few rows of an index that nobody's place among the bounded reads is taken for them.
async fn first(database: &Database, app: &AppId) -> sqlx::Result<Vec<SampledDevice>> {
    sqlx::query_as!(
        SampledDevice,
        r#"SELECT endpoint AS "endpoint!", platform FROM subscriptions
           WHERE app_id = $1 AND position > 0 ORDER BY position LIMIT $2"#,
        app.as_str(),
        SAMPLE
    )
    .fetch_all(readers(database))
    .await
}

async fn spread_over(
    database: &Database,
    app: &AppId,
    active: i64,
) -> sqlx::Result<Vec<SampledDevice>> {
    let mut connection = bounded_reader(database).await?;
    let last = sqlx::query_scalar!("SELECT last_position FROM apps WHERE id = $1", app.as_str());
    let last = last.fetch_optional(&mut *connection).await?;
    let positions = spread(active, last.unwrap_or_default(), SAMPLE, MAX_TRIED);
    sql!(query_as SampledDevice [
        r#"SELECT endpoint AS "endpoint!", platform FROM subscriptions
           WHERE "# OF_APP("position" IN NUMBERS)
    ] number_list(&positions)?, app.as_str())
    .fetch_all(&mut *connection)
    .await
}
