//! Subscriptions as lists show them, newest first, all or those that a search finds.
//!
//! No index helps to find a part of a text, so a search looks at the app's subscriptions one by one. What one page costs is
//! bounded by how many it looks at and for how long, not by how many it finds: a page may come back short, or empty, and yet say
//! where the next one begins.

use futures_util::TryStreamExt as _;
use hato_domain::{AppId, SubscriptionId, UnixMillis};
use hato_service::ports::{
    Deactivated, DeactivationReason, StateFilter, SubscriptionFilter, SubscriptionPage,
    SubscriptionRecord,
};
use tokio::task::yield_now;

use crate::Database;
use crate::dialect::{bounded_reader, is_out_of_time, readers};
use crate::error::decode_error;

/// Most subscriptions that a search looks at for one page.
const MAX_SCANNED: i64 = 20_000;

/// How many it looks at until others have their turn on this thread.
const YIELD_INTERVAL: i64 = 256;

/// A page, from the newest or from `before` on.
pub(crate) async fn list(
    database: &Database,
    app: &AppId,
    filter: &SubscriptionFilter,
    before: Option<i64>,
    limit: i64,
) -> sqlx::Result<SubscriptionPage> {
    let mut search = Search::new(filter, before, limit);
    match search.run(database, app).await {
        Ok(SearchEnd::PageFull) => {}
        Ok(SearchEnd::ListEnd) => search.last = None,
        Ok(SearchEnd::LimitReached) => search.page.is_cut_short = true,
        Err(error) if is_out_of_time(&error) => search.page.is_cut_short = true,
        Err(error) => return Err(error),
    }
    search.page.next = search.last;
    Ok(search.page)
}

/// Why a search ended by itself.
enum SearchEnd {
    PageFull,
    ListEnd,
    LimitReached,
}

/// A search for one page; one that everybody matches is a list.
struct Search {
    /// Part of the endpoint or of the platform, in lower case.
    text: String,
    state: StateFilter,
    /// Most that are found.
    limit: usize,
    /// Most that are looked at.
    max_looked_at: i64,
    is_heavy: bool,
    looked_at: i64,
    /// The last one that was looked at, or before which the search begins.
    last: Option<i64>,
    /// What was found.
    page: SubscriptionPage,
}

impl Search {
    fn new(filter: &SubscriptionFilter, before: Option<i64>, limit: i64) -> Self {
        Self {
            text: filter.text.to_lowercase(),
            state: filter.state,
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            max_looked_at: if filter.is_search() {
                MAX_SCANNED
            } else {
                limit + 1
            },
            is_heavy: filter.is_search(),
            looked_at: 0,
            last: before,
            page: SubscriptionPage::default(),
        }
    }

    /// Looks at one after the other.
    async fn run(&mut self, database: &Database, app: &AppId) -> sqlx::Result<SearchEnd> {
        let mut connection = if self.is_heavy {
            bounded_reader(database).await?
        } else {
            readers(database).acquire().await?
        };
        let mut rows = sqlx::query_as!(
            ListedRow,
            "SELECT id, public_id, endpoint, platform, deactivated_at, deactivation_reason, created_at
             FROM subscriptions WHERE app_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
            app.as_str(),
            self.last.unwrap_or(i64::MAX),
            self.max_looked_at
        )
        .fetch(&mut *connection);
        while let Some(row) = rows.try_next().await? {
            if !self.look_at(row)? {
                return Ok(SearchEnd::PageFull);
            }
            if self.looked_at % YIELD_INTERVAL == 0 {
                yield_now().await;
            }
        }
        Ok(if self.looked_at == self.max_looked_at {
            SearchEnd::LimitReached
        } else {
            SearchEnd::ListEnd
        })
    }

    /// Takes a subscription that matches; `false` when it belongs to the next page.
    fn look_at(&mut self, row: ListedRow) -> sqlx::Result<bool> {
        let (number, matches) = (row.id, self.matches(&row));
        if matches && self.page.items.len() == self.limit {
            return Ok(false);
        }
        if matches {
            self.page.items.push(row.into_record()?);
        }
        self.last = Some(number);
        self.looked_at += 1;
        Ok(true)
    }

    fn matches(&self, row: &ListedRow) -> bool {
        let is_active = row.deactivated_at.is_none();
        let has_state = match self.state {
            StateFilter::Any => true,
            StateFilter::Active => is_active,
            StateFilter::Deactivated => !is_active,
        };
        let has_text = |text: &str| text.to_lowercase().contains(&self.text);
        has_state && (has_text(&row.endpoint) || row.platform.as_deref().is_some_and(has_text))
    }
}

struct ListedRow {
    id: i64,
    public_id: String,
    endpoint: String,
    platform: Option<String>,
    deactivated_at: Option<i64>,
    deactivation_reason: Option<String>,
    created_at: i64,
}

impl ListedRow {
    fn into_record(self) -> sqlx::Result<SubscriptionRecord> {
        Ok(SubscriptionRecord {
            deactivated: self.deactivated()?,
            id: SubscriptionId::trusted(self.public_id),
            endpoint: self.endpoint,
            platform: self.platform,
            created_at: UnixMillis(self.created_at),
        })
    }

    fn deactivated(&self) -> sqlx::Result<Option<Deactivated>> {
        let Some(at) = self.deactivated_at.map(UnixMillis) else {
            return Ok(None);
        };
        let reason = self.deactivation_reason.as_deref();
        let reason = reason.and_then(DeactivationReason::parse);
        Ok(Some(Deactivated {
            at,
            reason: reason.ok_or_else(|| decode_error("deactivation_reason"))?,
        }))
    }
}
