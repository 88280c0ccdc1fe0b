//! What listening to a send costs the database.

use futures_util::future::join_all;
use hato_testkit::{TestDatabase, on_each_database};
use http_body_util::BodyExt as _;
use tracing::{Instrument as _, debug_span};

use crate::harness::{OWNER, TestDashboard};
use crate::query_counts::{count_queries, flush_counts, take_count};

/// Listeners that an account may have.
const LISTENERS: usize = 8;

#[on_each_database]
async fn a_send_is_read_once_for_all_who_listen(database: TestDatabase) {
    count_queries();
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "便り").await;
    let mut listening = Vec::new();
    for _ in 0..LISTENERS {
        listening.push(browser.open(&format!("{send}/events")).await);
    }
    let span = debug_span!("listening");
    let first = listening.iter_mut().map(|body| body.frame());
    for event in join_all(first).instrument(span.clone()).await {
        let event = event.expect("an event").expect("readable");
        assert!(event.is_data());
    }
    flush_counts(&dashboard).await;
    // Each asks whether its session lives. Of the send and its failures each would ask as well; on a busy machine a few come too late for
    // what the others read.
    let queries = take_count(&span);
    assert!(
        (LISTENERS + 2..3 * LISTENERS).contains(&queries),
        "{queries}"
    );
}
