//! What is as it is at a moment: read when somebody asks, and recorded for that answer alone. So an origin that nothing goes to any
//! more is gone from the next answer, whatever strangers' endpoints have named meanwhile.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::metrics::OUTCOMES;
use hato_delivery::{EngineObserver, EngineSnapshot, OriginSnapshot};
use hato_service::access::Operator;
use hato_service::ports::{DatabaseFiles, Store};
use hato_service::{HasherLoad, Service, ServiceResult};
use metrics::{counter, gauge};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::time::timeout;

/// How long the database may take to tell what a gauge shows.
const QUERY_TIMEOUT: Duration = Duration::from_secs(5);

const QUEUED_PAGES: &str = "hato_queued_pages";
const OLDEST_PAGE: &str = "hato_queue_oldest_page_seconds";
const QUEUED_EVENTS: &str = "hato_webhook_queued_events";
const OLDEST_EVENT: &str = "hato_webhook_oldest_event_seconds";
const SQLITE_FILE: &str = "hato_sqlite_database_bytes";
const SQLITE_LOG: &str = "hato_sqlite_wal_bytes";
const HASHES_RUNNING: &str = "hato_password_hashes_running";
const HASHES_WAITING: &str = "hato_password_hashes_waiting";
const LEASED_PAGES: &str = "hato_leased_pages";
const MAX_CONNECTIONS: &str = "hato_push_max_connections";
const CONNECTIONS: &str = "hato_push_connections";
const REQUESTS: &str = "hato_push_requests";
const WAITING_REQUESTS: &str = "hato_push_waiting_requests";
const REQUEST_LIMIT: &str = "hato_push_request_limit";
const PAUSED_APPS: &str = "hato_push_paused_apps";
const HOST_DELIVERIES: &str = "hato_host_deliveries_total";

const GAUGES: [(&str, &str); 15] = [
    (
        QUEUED_PAGES,
        "Pages of recipients that wait for delivery or are being delivered",
    ),
    (
        OLDEST_PAGE,
        "How long the page that has been due longest has waited for a worker",
    ),
    (
        QUEUED_EVENTS,
        "Events of webhooks that wait to be posted, for the first time or again",
    ),
    (
        OLDEST_EVENT,
        "How long the oldest of the webhooks' events that were never posted has waited",
    ),
    (SQLITE_FILE, "Size of the SQLite database"),
    (SQLITE_LOG, "Size of the SQLite database's log (WAL)"),
    (HASHES_RUNNING, "Passwords that are being hashed"),
    (HASHES_WAITING, "Passwords that wait to be hashed"),
    (
        LEASED_PAGES,
        "Pages of recipients that this process has in work",
    ),
    (
        MAX_CONNECTIONS,
        "How many connections to push services may be open",
    ),
    (
        CONNECTIONS,
        "Open connections to push services, by origin: the 20 busiest, and other",
    ),
    (
        REQUESTS,
        "Requests to push services that have a connection or want one, by origin",
    ),
    (
        WAITING_REQUESTS,
        "Requests to push services that wait for the limiter, by origin",
    ),
    (
        REQUEST_LIMIT,
        "Requests to push services that the limiters of all apps permit at a time, by origin",
    ),
    (
        PAUSED_APPS,
        "Apps whose limiter leaves the push service alone for now, by origin",
    ),
];

/// What can be asked how it is.
pub struct Observed {
    /// The operations of the product.
    pub service: Arc<Service>,
    /// What delivers, in processes that do.
    pub engine: Option<EngineObserver<dyn Store>>,
}

/// What the database tells; `None` for what it did not tell in time.
struct DatabaseState {
    pages: Option<i64>,
    oldest_page: Option<Duration>,
    events: Option<i64>,
    oldest_event: Option<Duration>,
    files: Option<DatabaseFiles>,
}

impl Observed {
    /// How it is now, in the text format.
    pub async fn render(&self) -> String {
        let database = self.ask_database().await;
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            describe();
            database.record();
            record_hashing(self.service.hashed_passwords(&Operator::local()));
            if let Some(engine) = &self.engine {
                record_engine(&engine.snapshot());
            }
        });
        recorder.handle().render()
    }

    async fn ask_database(&self) -> DatabaseState {
        let (service, operator) = (&self.service, &Operator::local());
        let (pages, oldest_page, events, oldest_event, files) = tokio::join!(
            in_time(QUEUED_PAGES, service.queued_pages(operator)),
            in_time(OLDEST_PAGE, service.oldest_page_age(operator)),
            in_time(QUEUED_EVENTS, service.queued_events(operator)),
            in_time(OLDEST_EVENT, service.oldest_event_age(operator)),
            in_time(SQLITE_FILE, service.database_files(operator)),
        );
        DatabaseState {
            pages,
            oldest_page,
            events,
            oldest_event,
            files: files.flatten(),
        }
    }
}

/// What the database returned in time.
async fn in_time<T>(gauge: &str, asked: impl Future<Output = ServiceResult<T>>) -> Option<T> {
    let result = timeout(QUERY_TIMEOUT, asked).await;
    let result = result.ok().and_then(Result::ok);
    if result.is_none() {
        tracing::warn!(gauge, "a gauge cannot be read from the database");
    }
    result
}

fn describe() {
    for (name, help) in GAUGES {
        metrics::describe_gauge!(name, help);
    }
    metrics::describe_counter!(
        HOST_DELIVERIES,
        "Deliveries by outcome and host of the push service: the 20 largest while they are, and other"
    );
}

impl DatabaseState {
    /// What is not known is no number (NaN), but for files, which there need not be.
    fn record(&self) {
        let number = |known: Option<i64>| {
            known.map_or(f64::NAN, |it| float(u64::try_from(it).unwrap_or_default()))
        };
        let seconds = |known: Option<Duration>| known.map_or(f64::NAN, |it| it.as_secs_f64());
        gauge!(QUEUED_PAGES).set(number(self.pages));
        gauge!(OLDEST_PAGE).set(seconds(self.oldest_page));
        gauge!(QUEUED_EVENTS).set(number(self.events));
        gauge!(OLDEST_EVENT).set(seconds(self.oldest_event));
        if let Some(files) = self.files {
            gauge!(SQLITE_FILE).set(float(files.main));
            gauge!(SQLITE_LOG).set(float(files.log));
        }
    }
}

fn record_hashing(load: HasherLoad) {
    gauge!(HASHES_RUNNING).set(float(load.running as u64));
    gauge!(HASHES_WAITING).set(float(load.waiting as u64));
}

fn record_engine(engine: &EngineSnapshot) {
    gauge!(LEASED_PAGES).set(float(engine.leased_pages as u64));
    gauge!(MAX_CONNECTIONS).set(float(engine.max_connections as u64));
    engine.origins.iter().for_each(record_origin);
    for (host, counts) in &engine.deliveries {
        for (outcome, count) in OUTCOMES.into_iter().zip(counts) {
            counter!(HOST_DELIVERIES, "host" => host.clone(), "outcome" => outcome)
                .absolute(*count);
        }
    }
}

fn record_origin(origin: &OriginSnapshot) {
    for (name, value) in [
        (CONNECTIONS, origin.connections),
        (REQUESTS, origin.requests),
        (WAITING_REQUESTS, origin.waiting),
        (REQUEST_LIMIT, origin.limit),
        (PAUSED_APPS, origin.paused_apps),
    ] {
        gauge!(name, "origin" => origin.name.clone()).set(float(value as u64));
    }
}

/// As Prometheus has numbers.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts and sizes beyond 53 bits need not be exact"
)]
fn float(value: u64) -> f64 {
    value as f64
}
