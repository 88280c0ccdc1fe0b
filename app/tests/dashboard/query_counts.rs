//! Counts the queries of the store, by what asked for them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::Id;
use tracing::{Event, Span, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::harness::TestDashboard;

/// Connections that read; they take turns.
const READERS: usize = 8;

/// What moves a session's end: it runs on the store's writer, outside of the page's span, and nobody else's session is
/// old enough for it.
const RENEWAL: &str = "UPDATE sessions SET expires_at";

static QUERY_COUNTS: Mutex<Option<QueryCounts>> = Mutex::new(None);

#[derive(Default)]
struct QueryCounts {
    /// Queries by the span in which they ran.
    queries: HashMap<Id, usize>,
    renewals: usize,
}

fn with_counts<T>(look: impl FnOnce(&mut QueryCounts) -> T) -> T {
    let mut counted = QUERY_COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    look(counted.get_or_insert_default())
}

struct QueryCounter;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for QueryCounter {
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if event.metadata().target() != "sqlx::query" {
            return;
        }
        let mut kind = QueryKind::default();
        event.record(&mut kind);
        let span = context.event_span(event);
        with_counts(|counted| {
            counted.renewals += usize::from(kind.is_renewal);
            if let Some(span) = span.filter(|_| !kind.opens_a_connection) {
                *counted.queries.entry(span.id()).or_default() += 1;
            }
        });
    }
}

/// What a query is for, by its first words.
#[derive(Default)]
struct QueryKind {
    is_renewal: bool,
    /// A connection of the pool may be opened at any time, and stays.
    opens_a_connection: bool,
}

impl Visit for QueryKind {
    fn record_str(&mut self, field: &Field, text: &str) {
        if field.name() == "summary" {
            self.is_renewal = text.starts_with(RENEWAL);
            self.opens_a_connection = text.starts_with("PRAGMA");
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

/// Counts queries from then on, whichever test comes first.
pub fn count_queries() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| tracing_subscriber::registry().with(QueryCounter).init());
}

/// Returns when the queries before are counted: a query is told of after its last row, and the next one on the same connection
/// comes after that.
pub async fn flush_counts(dashboard: &TestDashboard) {
    for _ in 0..READERS {
        assert!(dashboard.context.service.is_ready().await);
    }
}

/// How many queries ran in the span.
pub fn take_count(span: &Span) -> usize {
    let queries = with_counts(|counted| span.id().and_then(|id| counted.queries.remove(&id)));
    queries.unwrap_or_default()
}

/// How many sessions were renewed so far.
pub fn renewals() -> usize {
    with_counts(|counted| counted.renewals)
}
