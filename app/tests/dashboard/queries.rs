//! What a page costs the database.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use http::StatusCode;
use tracing::span::Id;
use tracing::{Event, Instrument as _, Subscriber, debug_span};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::site::{Browser, Site, id};

/// Most queries of a page.
const MOST: usize = 5;

/// Queries by the span in which they ran.
static QUERIES: Mutex<Option<HashMap<Id, usize>>> = Mutex::new(None);

struct Counter;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Counter {
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let span = context.event_span(event);
        let Some(span) = span.filter(|_| event.metadata().target() == "sqlx::query") else {
            return;
        };
        let mut queries = QUERIES.lock().unwrap_or_else(PoisonError::into_inner);
        let queries = queries.get_or_insert_default();
        *queries.entry(span.id()).or_default() += 1;
    }
}

/// How many queries the page took.
async fn cost(site: &Site, browser: &mut Browser<'_>, path: &str) -> usize {
    let span = debug_span!("page");
    let answer = browser.get(path).instrument(span.clone()).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}");
    // A query is told of after its last row; the next one on the same connection comes after that.
    assert!(site.context.service.is_ready().await);
    let queries = QUERIES.lock().unwrap_or_else(PoisonError::into_inner);
    let counted = span.id().and_then(|id| queries.as_ref()?.get(&id).copied());
    counted.unwrap_or_default()
}

#[tokio::test]
async fn the_html_of_any_page_costs_few_queries() {
    tracing_subscriber::registry().with(Counter).init();
    let site = Site::unlimited().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "便り").await;
    let fields = [("app", id(&app)), ("name", "key"), ("scope", "full")];
    browser.submit("/_app/create_key", &fields).await;
    let below = |page: &str| format!("{app}{page}");
    for (path, least) in [
        ("/".to_owned(), 1),
        ("/pricing".to_owned(), 1),
        ("/apps".to_owned(), 3),
        ("/account".to_owned(), 2),
        (app.clone(), 4),
        (below("/send"), 2),
        (send, 3),
        (below("/history"), 3),
        (below("/subscribers"), 3),
        (below("/subscribers?q=push"), 3),
        (below("/keys"), 3),
        (below("/keys/history"), 3),
        (below("/dead-letters"), 3),
        (below("/settings"), 2),
    ] {
        let cost = cost(&site, &mut browser, &path).await;
        assert!((least..=MOST).contains(&cost), "{cost} queries for {path}");
    }
}
