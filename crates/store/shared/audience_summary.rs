//! Whom a send would go to: how many, by push service and age, and how many of them took the last one (CONTRACT 12).
//!
//! Up to 100,000 of them are looked at one by one. Of more, 10,000 are, evenly spread, and stand for all. They are read in parts, each of
//! which ends after a second.

#[path = "audience_summary/sampled_audience.rs"]
mod sampled_audience;

use futures_util::stream::BoxStream;
use hato_domain::{AppId, AudienceFilter, PositionSet, UnixMillis};
use hato_service::ports::AudienceSummary;

use self::sampled_audience::SampledAudience;
use crate::Database;
use crate::bounded_reads::is_out_of_time;
use crate::dialect::{DbConnection, bounded_reader, sql};
use crate::reach_blocks::{ReachBlocks, blocks_of, decoded};
use crate::sampled_devices::spread;
use crate::selection::select_on;
use crate::values::{count_i64, number_list};

/// Most that are looked at one by one, and how many of more are.
const MAX_EXACT: usize = 100_000;
const SAMPLE: i64 = 10_000;
/// How many one statement reads: a process that gets a tenth of a processor still takes them all within the statement's second.
const MAX_READ: usize = 5_000;
/// Most positions that are tried in order to find as many active ones.
const MAX_TRIED: i64 = 100_000;

/// The summary; `None` when others read so long that there was no time for it.
pub(crate) async fn summarize(
    database: &Database,
    app: &AppId,
    filter: Option<&AudienceFilter>,
    now: UnixMillis,
) -> sqlx::Result<Option<AudienceSummary>> {
    match try_to_summarize(database, app, filter, now).await {
        Ok(summary) => Ok(Some(summary)),
        Err(error) if is_out_of_time(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How many meet the conditions; `None` as in [`summarize`].
pub(crate) async fn count(
    database: &Database,
    app: &AppId,
    filter: &AudienceFilter,
) -> sqlx::Result<Option<i64>> {
    let selecting = async {
        let mut connection = bounded_reader(database).await?;
        select_on(&mut connection, app, filter).await
    };
    match selecting.await {
        Ok(selected) => Ok(Some(count_i64(selected.len()))),
        Err(error) if is_out_of_time(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn try_to_summarize(
    database: &Database,
    app: &AppId,
    filter: Option<&AudienceFilter>,
    now: UnixMillis,
) -> sqlx::Result<AudienceSummary> {
    let population = Population::read(database, app, filter).await?;
    let recipients = population.len();
    let is_exact = recipients <= count_i64(MAX_EXACT);
    let positions = if is_exact {
        population.everybody()
    } else {
        Some(population.sample())
    };
    let sampled = read_sample(database, app, &population, positions, now).await?;
    Ok(sampled.summary((!is_exact).then_some(recipients)))
}

/// Those whom a summary is of.
enum Population {
    /// All active subscriptions of an app.
    Everyone(Everyone),
    /// Those at these positions.
    Selected(PositionSet),
}

/// All active subscriptions of an app: so many, up to its last position.
#[derive(Default)]
struct Everyone {
    active: i64,
    last_position: i64,
    blocks: ReachBlocks,
}

impl Everyone {
    async fn read(c: &mut DbConnection, app: &AppId) -> sqlx::Result<Self> {
        let rows = sqlx::query!(
            r#"SELECT p.active_subscriptions, p.last_position, r.block AS "block?",
                      r.answers AS "answers?"
               FROM apps AS p LEFT JOIN reach AS r ON r.app_id = p.id WHERE p.id = $1"#,
            app.as_str()
        )
        .fetch_all(c)
        .await?;
        let mut everyone = Self::default();
        for row in rows {
            everyone.active = row.active_subscriptions;
            everyone.last_position = row.last_position;
            if let (Some(block), Some(answers)) = (row.block, row.answers) {
                everyone.blocks.insert(block, decoded(block, &answers)?);
            }
        }
        Ok(everyone)
    }
}

impl Population {
    async fn read(
        database: &Database,
        app: &AppId,
        filter: Option<&AudienceFilter>,
    ) -> sqlx::Result<Self> {
        let mut connection = bounded_reader(database).await?;
        if let Some(filter) = filter {
            let selected = select_on(&mut connection, app, filter).await?;
            return Ok(Self::Selected(selected));
        }
        Everyone::read(&mut connection, app)
            .await
            .map(Self::Everyone)
    }

    fn len(&self) -> i64 {
        match self {
            Self::Everyone(everyone) => everyone.active,
            Self::Selected(positions) => count_i64(positions.len()),
        }
    }

    /// Where all of them stand; `None` for wherever somebody does.
    fn everybody(&self) -> Option<Vec<i64>> {
        match self {
            Self::Everyone(_) => None,
            Self::Selected(positions) => Some(positions.iter().collect()),
        }
    }

    /// Where some of them stand, evenly spread. Of everybody's positions some are nobody's any more.
    fn sample(&self) -> Vec<i64> {
        match self {
            Self::Everyone(everyone) => {
                spread(everyone.active, everyone.last_position, SAMPLE, MAX_TRIED)
            }
            Self::Selected(positions) => {
                let distance = (count_i64(positions.len()) / SAMPLE).max(1);
                let distance = usize::try_from(distance).unwrap_or(usize::MAX);
                positions.iter().step_by(distance).collect()
            }
        }
    }
}

struct AudienceMemberRow {
    position: i64,
    endpoint: String,
    created_at: i64,
}

/// Counts those at these positions, or everybody, and who of them took the last send.
async fn read_sample(
    database: &Database,
    app: &AppId,
    population: &Population,
    positions: Option<Vec<i64>>,
    now: UnixMillis,
) -> sqlx::Result<SampledAudience> {
    let mut sampled = match positions {
        Some(positions) => read_some(database, app, &positions, now).await?,
        None => read_all(database, app, now).await?,
    };
    if let Population::Everyone(everyone) = population {
        sampled.count(&everyone.blocks);
    } else {
        let positions: Vec<i64> = sampled.positions().collect();
        let mut connection = bounded_reader(database).await?;
        let blocks = blocks_of(&mut *connection, app, &positions).await?;
        sampled.count(&blocks);
    }
    Ok(sampled)
}

async fn read_some(
    database: &Database,
    app: &AppId,
    positions: &[i64],
    now: UnixMillis,
) -> sqlx::Result<SampledAudience> {
    let mut sampled = SampledAudience::default();
    for part in positions.chunks(MAX_READ) {
        let mut connection = bounded_reader(database).await?;
        let rows = rows_at(&mut connection, app, part)?;
        sampled.read(rows, now).await?;
    }
    Ok(sampled)
}

async fn read_all(
    database: &Database,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<SampledAudience> {
    let mut sampled = SampledAudience::default();
    let mut is_last = false;
    while !is_last && sampled.len() < MAX_EXACT {
        let mut connection = bounded_reader(database).await?;
        let before = sampled.len();
        let rows = rows_behind(&mut connection, app, sampled.last_position());
        sampled.read(rows, now).await?;
        is_last = sampled.len() - before < MAX_READ;
    }
    Ok(sampled)
}

type AudienceMemberRows<'c> = BoxStream<'c, sqlx::Result<AudienceMemberRow>>;

/// The next ones behind this position.
fn rows_behind<'c>(c: &'c mut DbConnection, app: &'c AppId, after: i64) -> AudienceMemberRows<'c> {
    let rows = sqlx::query_as!(
        AudienceMemberRow,
        r#"SELECT position AS "position!", endpoint, created_at FROM subscriptions
           WHERE app_id = $1 AND position > $2 ORDER BY position LIMIT $3"#,
        app.as_str(),
        after,
        count_i64(MAX_READ)
    );
    rows.fetch(c)
}

fn rows_at<'c>(
    c: &'c mut DbConnection,
    app: &'c AppId,
    positions: &[i64],
) -> sqlx::Result<AudienceMemberRows<'c>> {
    let rows = sql!(query_as AudienceMemberRow [
        r#"SELECT position AS "position!", endpoint, created_at FROM subscriptions
           WHERE "# OF_APP("position" IN NUMBERS)
    ] number_list(positions)?, app.as_str());
    Ok(rows.fetch(c))
}
