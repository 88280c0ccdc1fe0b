//! Sends that a search of the history finds, newest first.
//!
//! No index helps to find a part of a text, so a search looks at the app's sends one by one, from the latest on that may match. What one
//! page costs is bounded by how many it looks at and for how long, not by how many it finds.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::TryStreamExt as _;
use hato_domain::{AppId, Cursor, PageRequest, UnixMillis};
use hato_service::ports::{SendFilter, SendPage, SendRecord, SendSearchStore, StoreError};
use tokio::task::yield_now;

use crate::Database;
use crate::bounded_reads::is_out_of_time;
use crate::dialect::bounded_reader;
use crate::error::with_context;
use crate::paging::bound;
use crate::sends::sends;

/// Most sends that a search looks at for one page.
const MAX_SCANNED: i64 = 5_000;

/// How many it looks at until others have their turn on this thread.
const YIELD_INTERVAL: i64 = 256;

/// How much earlier a send may have been accepted than it was due (CONTRACT 14), and a day.
const MAX_WAIT: Duration = Duration::from_hours(367 * 24);

#[async_trait]
impl SendSearchStore for Database {
    async fn search_sends(
        &self,
        app: &AppId,
        filter: &SendFilter,
        page: &PageRequest,
    ) -> Result<SendPage, StoreError> {
        search(self, app, filter, page)
            .await
            .map_err(with_context("search the history"))
    }
}

async fn search(
    database: &Database,
    app: &AppId,
    filter: &SendFilter,
    page: &PageRequest,
) -> sqlx::Result<SendPage> {
    let mut search = SendSearch::new(filter, page);
    match search.run(database, app).await {
        Ok(SendSearchEnd::PageFull) => {}
        Ok(SendSearchEnd::HistoryEnd) => search.last = None,
        Ok(SendSearchEnd::LimitReached) => search.is_cut_short = true,
        Err(error) if is_out_of_time(&error) => search.is_cut_short = true,
        Err(error) => return Err(error),
    }
    Ok(SendPage {
        items: search.found,
        next: search.last,
        is_cut_short: search.is_cut_short,
    })
}

/// Why a search ended by itself.
enum SendSearchEnd {
    PageFull,
    HistoryEnd,
    LimitReached,
}

/// A search for one page.
struct SendSearch {
    /// With its texts in lower case.
    filter: SendFilter,
    /// Most that are found.
    limit: usize,
    scanned: i64,
    /// The last one that was looked at, or before which the search begins.
    last: Option<Cursor>,
    is_cut_short: bool,
    found: Vec<SendRecord>,
}

impl SendSearch {
    fn new(filter: &SendFilter, page: &PageRequest) -> Self {
        Self {
            filter: SendFilter {
                text: filter.text.to_lowercase(),
                sender: filter.sender.to_lowercase(),
                ..filter.clone()
            },
            limit: usize::try_from(page.limit.get()).unwrap_or(usize::MAX),
            scanned: 0,
            last: page.cursor.clone(),
            is_cut_short: false,
            found: Vec::new(),
        }
    }

    /// Where it begins: nothing is due before it is accepted.
    fn beginning(&self) -> Option<Cursor> {
        let latest = self.filter.until.map(|before| Cursor {
            before,
            before_id: None,
        });
        match (self.last.clone(), latest) {
            (Some(last), Some(latest)) if latest.before < last.before => Some(latest),
            (last, latest) => last.or(latest),
        }
    }

    /// Looks at one after the other.
    async fn run(&mut self, database: &Database, app: &AppId) -> sqlx::Result<SendSearchEnd> {
        let beginning = self.beginning();
        let (before, before_id) = bound(beginning.as_ref());
        let from = self.filter.from.unwrap_or(UnixMillis(0));
        let mut connection = bounded_reader(database).await?;
        let mut rows = sends!(
            ["app_id = $1 AND (created_at, id) < ($2, $3) AND created_at >= $4
              ORDER BY created_at DESC, id DESC LIMIT $5"]
            app.as_str(), before, before_id, from.minus(MAX_WAIT).0, MAX_SCANNED
        )
        .fetch(&mut *connection);
        while let Some(send) = rows.try_next().await? {
            if !self.scan(send) {
                return Ok(SendSearchEnd::PageFull);
            }
            if self.scanned % YIELD_INTERVAL == 0 {
                yield_now().await;
            }
        }
        Ok(self.end())
    }

    /// Why there was nothing more to look at.
    const fn end(&self) -> SendSearchEnd {
        if self.scanned == MAX_SCANNED {
            SendSearchEnd::LimitReached
        } else {
            SendSearchEnd::HistoryEnd
        }
    }

    /// Takes a send that matches; `false` when it belongs to the next page.
    fn scan(&mut self, send: SendRecord) -> bool {
        let matches = self.filter.matches(&send);
        if matches && self.found.len() == self.limit {
            return false;
        }
        self.last = Some(Cursor {
            before: send.created_at,
            before_id: Some(send.id.to_string()),
        });
        if matches {
            self.found.push(send);
        }
        self.scanned += 1;
        true
    }
}
