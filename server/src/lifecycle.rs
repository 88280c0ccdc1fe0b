//! From the first request to the exit: run, drain on a signal, stop hard when draining takes too long (CONTRACT 1).

mod workers;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hato_delivery::Shutdown;
use hato_service::Service;
use hato_service::ports::Store;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

pub use self::workers::Workers;
use self::workers::work;
use crate::connections::{self, ConnectionSettings};
use crate::logging;
use crate::metrics::MetricsServer;

/// How long requests and pages in flight may take to finish. With the bounds below, 12 + 4 + 3 times 1, a stop takes 19 seconds at
/// most, of the 20 of CONTRACT 1.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(12);
/// How long the workers may take to settle what is known and release the rest; `crates/delivery/src/store_retry.rs` stays below it.
const STOP_TIMEOUT: Duration = Duration::from_secs(4);
/// How long the last writes may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the reports of browsers are counted: a crash loses those since the last time.
const COUNT_INTERVAL: Duration = Duration::from_millis(500);
/// How often the uses of keys are written, for other processes to see.
const FLUSH_INTERVAL: Duration = Duration::from_millis(250);

/// SIGTERM and SIGINT, caught from the moment this exists.
pub struct ShutdownSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl ShutdownSignals {
    /// Catches the two signals.
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Returns when one of them has arrived.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// A part of the server ended by itself, which none should.
#[derive(Debug, thiserror::Error)]
#[error("{part} has ended by itself")]
pub struct TaskExitError {
    part: &'static str,
}

/// The parts of a process, ready to run.
pub struct ServerRuntime {
    /// The socket at which requests arrive.
    pub listener: TcpListener,
    /// The routes of the parts that the process serves.
    pub router: Router,
    /// What clients may do on the socket.
    pub connections: ConnectionSettings,
    /// What answers `GET /metrics`, if metrics are recorded.
    pub metrics: Option<MetricsServer>,
    /// The workers, in processes that deliver.
    pub workers: Option<Workers>,
    /// Where the workers run.
    pub background: Handle,
    /// The operations of the product, which the routes call.
    pub service: Arc<Service>,
    /// The database, closed at the end.
    pub store: Arc<dyn Store>,
}

/// The parts while they run.
struct RunningTasks {
    http: JoinHandle<()>,
    workers: JoinHandle<()>,
    draining: CancellationToken,
    workers_shutdown: Shutdown,
}

impl ServerRuntime {
    /// Runs until a signal arrives or a part ends by itself, then drains and closes.
    pub async fn run(self, mut signals: ShutdownSignals) -> Result<(), TaskExitError> {
        let service = Arc::clone(&self.service);
        let flushing = tokio::spawn(flush_key_uses(Arc::clone(&service)));
        let stopping = CancellationToken::new();
        let counting = tokio::spawn(count_reports(Arc::clone(&service), stopping.clone()));
        let metrics = self.metrics.map(|metrics| tokio::spawn(metrics.serve()));
        let listening = (self.listener, self.connections);
        let routes = (self.router, Arc::clone(&service));
        let workers = (self.workers, self.background);
        let mut running = RunningTasks::start(listening, routes, workers);
        let ended = tokio::select! {
            () = signals.next() => Ok(()),
            part = running.ended() => Err(part),
        };
        tracing::info!("draining");
        running.drain().await;
        flushing.abort();
        stopping.cancel();
        if let Some(metrics) = metrics {
            metrics.abort();
        }
        let last_uses = timeout(CLOSE_TIMEOUT, service.flush_key_uses()).await;
        if !matches!(last_uses, Ok(Ok(()))) {
            tracing::warn!("the last uses of keys were not written");
        }
        if timeout(CLOSE_TIMEOUT, counting).await.is_err() {
            tracing::warn!("the last reports of browsers were not counted");
        }
        let _ = timeout(CLOSE_TIMEOUT, self.store.close()).await;
        tracing::info!("stopped");
        ended
    }
}

impl RunningTasks {
    fn start(
        (listener, settings): (TcpListener, ConnectionSettings),
        (router, service): (Router, Arc<Service>),
        (workers, background): (Option<Workers>, Handle),
    ) -> Self {
        let (draining, workers_shutdown) = (CancellationToken::new(), Shutdown::new());
        let working = work(workers, workers_shutdown.clone());
        let serving = connections::serve(listener, router, draining.clone(), settings);
        let http = async move {
            serving.await;
            // What clients have begun who went away.
            service.finish().await;
        };
        Self {
            http: tokio::spawn(http),
            workers: background.spawn(working),
            draining,
            workers_shutdown,
        }
    }

    async fn ended(&mut self) -> TaskExitError {
        let (part, ended) = tokio::select! {
            ended = &mut self.http => ("the listener", ended),
            ended = &mut self.workers => ("the workers", ended),
        };
        log_panic(part, &ended);
        TaskExitError { part }
    }

    async fn drain(mut self) {
        self.draining.cancel();
        self.workers_shutdown.drain();
        if timeout(DRAIN_TIMEOUT, self.finished()).await.is_err() {
            tracing::warn!("draining takes too long: releasing what is in flight");
            self.workers_shutdown.abort();
            self.http.abort();
            if timeout(STOP_TIMEOUT, self.finished()).await.is_err() {
                tracing::warn!("some pages were not released: their leases expire");
            }
        }
    }

    async fn finished(&mut self) {
        for part in [&mut self.http, &mut self.workers] {
            if !part.is_finished() {
                // How a part ended does not matter any more.
                let _ = part.await;
            }
        }
    }
}

/// Where it panicked is in the log already; what the panic says may hold anybody's data.
fn log_panic(part: &str, ended: &Result<(), JoinError>) {
    if ended.is_err() {
        tracing::error!(part, "a part of the server failed");
    }
}

/// Counts until it is stopped, and then what is left. What it has begun to count is not interrupted: it would be lost.
async fn count_reports(service: Arc<Service>, stopping: CancellationToken) {
    let mut ticks = interval(COUNT_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_last = false;
    while !is_last {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stopping.cancelled() => is_last = true,
        }
        if let Err(error) = service.count_reports().await {
            let cause = error.cause().map(|cause| logging::with_causes(cause));
            tracing::warn!(error = cause, "the reports of browsers cannot be counted");
        }
    }
}

async fn flush_key_uses(service: Arc<Service>) {
    let mut ticks = interval(FLUSH_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = service.flush_key_uses().await {
            let cause = error.cause().map(|cause| logging::with_causes(cause));
            tracing::warn!(error = cause, "the uses of keys cannot be written");
        }
    }
}
