//! Subscriptions as lists show them, newest first, all or those that a search finds.
//!
//! Those of a user, and those that have a rare tag and are active, are found by an index. No index helps to find the others, so a search
//! looks at the app's subscriptions one by one. What one page costs is bounded by how many it looks at and for how long, not by how many
//! it finds: a page may come back short, or empty, and yet say where the next one begins.

use futures_util::TryStreamExt as _;
use hato_domain::{AppId, Cursor, Endpoint, PageRequest, PositionSet, SubscriptionId, UserId};
use hato_service::ports::{StateFilter, SubscriptionFilter, SubscriptionPage, SubscriptionRecord};
use tokio::task::yield_now;

use crate::Database;
use crate::bounded_reads::is_out_of_time;
use crate::dialect::{DbConnection, bounded_reader, readers};
use crate::listed_subscription::{
    Beginning, ListedRow, ListedRows, MAX_SORTED, row_of, rows_at, rows_of_all, rows_of_user,
};
use crate::paging::bound;
use crate::reach_blocks::{ReachBlocks, blocks_of, last_successes, tagged_with_blocks};

/// Most subscriptions that a search looks at for one page.
const MAX_SCANNED: i64 = 20_000;

/// How many it looks at until others have their turn on this thread.
const YIELD_INTERVAL: i64 = 256;

/// A page, from the newest or from the cursor on.
pub(crate) async fn list(
    database: &Database,
    app: &AppId,
    filter: &SubscriptionFilter,
    page: &PageRequest,
) -> sqlx::Result<SubscriptionPage> {
    let mut search = SubscriptionSearch::new(filter, page);
    match search.run(database, app).await {
        Ok(SubscriptionSearchEnd::PageFull) => {}
        Ok(SubscriptionSearchEnd::ListEnd) => search.last = None,
        Ok(SubscriptionSearchEnd::LimitReached) => search.is_cut_short = true,
        Err(error) if is_out_of_time(&error) => search.is_cut_short = true,
        Err(error) => return Err(error),
    }
    Ok(SubscriptionPage {
        items: with_days(database, app, search.found, search.blocks).await?,
        next: search.last,
        is_cut_short: search.is_cut_short,
    })
}

/// These subscriptions, with the days on which they last took a send.
async fn with_days(
    database: &Database,
    app: &AppId,
    found: Vec<ListedRow>,
    blocks: Option<ReachBlocks>,
) -> sqlx::Result<Vec<SubscriptionRecord>> {
    let positions: Vec<i64> = found.iter().filter_map(|row| row.position).collect();
    let blocks = match blocks {
        Some(blocks) => blocks,
        None if positions.is_empty() => ReachBlocks::new(),
        None => blocks_of(readers(database), app, &positions).await?,
    };
    let days = last_successes(&blocks, &positions);
    let records = found.into_iter().map(|row| {
        let day = row.position.and_then(|it| days.get(&it).copied());
        row.into_record(day)
    });
    records.collect()
}

/// The newest subscriptions of a user, without the days on which they last took a send.
pub(crate) async fn list_of_user(
    database: &Database,
    app: &AppId,
    user: &UserId,
    limit: i64,
) -> sqlx::Result<Vec<SubscriptionRecord>> {
    let mut connection = readers(database).acquire().await?;
    let (before, before_id) = bound(None);
    let rows = rows_of_user(&mut connection, app, user, (before, before_id, limit));
    let rows: Vec<_> = rows.try_collect().await?;
    rows.into_iter().map(|row| row.into_record(None)).collect()
}

/// The app's subscription with this id.
pub(crate) async fn find(
    database: &Database,
    app: &AppId,
    id: &SubscriptionId,
) -> sqlx::Result<Option<SubscriptionRecord>> {
    let Some(row) = row_of(readers(database), app, id).await? else {
        return Ok(None);
    };
    let positions: Vec<i64> = row.position.into_iter().collect();
    let blocks = if positions.is_empty() {
        ReachBlocks::new()
    } else {
        blocks_of(readers(database), app, &positions).await?
    };
    let days = last_successes(&blocks, &positions);
    let day = positions.first().and_then(|it| days.get(it).copied());
    row.into_record(day).map(Some)
}

/// Why a search ended by itself.
enum SubscriptionSearchEnd {
    PageFull,
    ListEnd,
    LimitReached,
}

/// Where the subscriptions come from that a search looks at.
enum Source {
    /// All of the app.
    All,
    /// Those of a user.
    User(UserId),
    /// Those at these positions, few enough to be sorted.
    Positions(PositionSet),
}

impl Source {
    fn rows<'c>(
        &'c self,
        c: &'c mut DbConnection,
        app: &'c AppId,
        from: Beginning<'c>,
    ) -> sqlx::Result<ListedRows<'c>> {
        Ok(match self {
            Self::All => rows_of_all(c, app, from),
            Self::User(user) => rows_of_user(c, app, user, from),
            Self::Positions(positions) => rows_at(c, app, positions, from)?,
        })
    }
}

/// A search for one page; one that everybody matches is a list.
struct SubscriptionSearch {
    /// With its texts in lower case.
    filter: SubscriptionFilter,
    /// Most that are found.
    limit: usize,
    /// Most that are looked at.
    max_scanned: i64,
    scanned: i64,
    /// The last one that was looked at, or before which the search begins.
    last: Option<Cursor>,
    is_cut_short: bool,
    found: Vec<ListedRow>,
    /// What is known of where those stand that it looks at, if it had to be read for another reason.
    blocks: Option<ReachBlocks>,
}

/// A list looks no further than its page, and a search of a user's subscriptions at those that are sorted.
fn max_scanned(filter: &SubscriptionFilter, page: &PageRequest) -> i64 {
    let of_anybody = SubscriptionFilter {
        user: None,
        ..filter.clone()
    };
    match (of_anybody.is_search(), &filter.user) {
        (false, _) => page.limit.get() + 1,
        (true, Some(_)) => MAX_SORTED,
        (true, None) => MAX_SCANNED,
    }
}

impl SubscriptionSearch {
    fn new(filter: &SubscriptionFilter, page: &PageRequest) -> Self {
        Self {
            filter: SubscriptionFilter {
                text: filter.text.to_lowercase(),
                host: filter.host.to_lowercase(),
                ..filter.clone()
            },
            limit: usize::try_from(page.limit.get()).unwrap_or(usize::MAX),
            max_scanned: max_scanned(filter, page),
            scanned: 0,
            last: page.cursor.clone(),
            is_cut_short: false,
            found: Vec::new(),
            blocks: None,
        }
    }

    /// Looks at one after the other.
    async fn run(
        &mut self,
        database: &Database,
        app: &AppId,
    ) -> sqlx::Result<SubscriptionSearchEnd> {
        if self.filter.is_heavy() {
            let mut connection = bounded_reader(database).await?;
            let source = self.source(&mut connection, app).await?;
            self.scan(&mut connection, app, source).await
        } else {
            let mut connection = readers(database).acquire().await?;
            let source = self.filter.user.clone().map_or(Source::All, Source::User);
            self.scan(&mut connection, app, source).await
        }
    }

    /// Where it looks. Who has a tag is written down for the active ones only.
    async fn source(&mut self, c: &mut DbConnection, app: &AppId) -> sqlx::Result<Source> {
        let Some(tag) = &self.filter.tag else {
            return Ok(Source::All);
        };
        if self.filter.state != StateFilter::Active {
            return Ok(Source::All);
        }
        let (positions, blocks) = tagged_with_blocks(c, app, tag).await?;
        self.blocks = Some(blocks);
        let is_rare = i64::try_from(positions.len()).is_ok_and(|count| count <= MAX_SORTED);
        Ok(if is_rare {
            Source::Positions(positions)
        } else {
            Source::All
        })
    }

    async fn scan(
        &mut self,
        c: &mut DbConnection,
        app: &AppId,
        source: Source,
    ) -> sqlx::Result<SubscriptionSearchEnd> {
        let last = self.last.clone();
        let (before, before_id) = bound(last.as_ref());
        let from = (before, before_id, self.max_scanned);
        let mut rows = source.rows(c, app, from)?;
        while let Some(row) = rows.try_next().await? {
            if !self.scan_row(row)? {
                return Ok(SubscriptionSearchEnd::PageFull);
            }
            if self.scanned % YIELD_INTERVAL == 0 {
                yield_now().await;
            }
        }
        Ok(self.end())
    }

    /// Why there was nothing more to look at.
    const fn end(&self) -> SubscriptionSearchEnd {
        if self.scanned == self.max_scanned {
            SubscriptionSearchEnd::LimitReached
        } else {
            SubscriptionSearchEnd::ListEnd
        }
    }

    /// Takes a subscription that matches; `false` when it belongs to the next page.
    fn scan_row(&mut self, row: ListedRow) -> sqlx::Result<bool> {
        let (cursor, matches) = (row.cursor(), self.matches(&row)?);
        if matches && self.found.len() == self.limit {
            return Ok(false);
        }
        if matches {
            self.found.push(row);
        }
        self.last = Some(cursor);
        self.scanned += 1;
        Ok(true)
    }

    fn matches(&self, row: &ListedRow) -> sqlx::Result<bool> {
        let filter = &self.filter;
        let is_active = row.position.is_some();
        let has_state = match filter.state {
            StateFilter::Any => true,
            StateFilter::Active => is_active,
            StateFilter::Deactivated => !is_active,
        };
        let has = |text: &str, part: &str| text.to_lowercase().contains(part);
        let platform = row.platform.as_deref().unwrap_or_default();
        let has_text = has(&row.endpoint, &filter.text) || has(platform, &filter.text);
        Ok(has_state
            && has_text
            && has(Endpoint::written_host(&row.endpoint), &filter.host)
            && filter
                .tag
                .as_ref()
                .map_or(Ok(true), |tag| row.has_tag(tag))?)
    }
}
