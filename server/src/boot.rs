//! Putting the parts of a server together, in the order in which they need each other.

mod clock;
mod error;
mod gaps;
mod listener;
mod secrets;
mod workers;

use std::sync::Arc;

use axum::Router;
use hato_app::AppContext;
use hato_service::ports::{Clock, CountedRequest, Store, SystemClock};
use hato_service::{EventBodyMemory, Notifier, Secrets, Service, ServiceSettings, StrangerWindows};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

pub use error::BootError;

use self::listener::{bound_address, listen};
use crate::api::event_stream::{MAX_BODY_BYTES, MAX_EVENT_STREAMS};
use crate::config::{Config, DEFAULT_VAPID_SUBJECT};
use crate::connections::ConnectionSettings;
use crate::database;
use crate::file_limit;
use crate::github_provider::GithubProvider;
use crate::http::in_flight::MAX_IN_FLIGHT;
use crate::lifecycle::{ServerRuntime, ShutdownSignals};
use crate::logging::ANNOUNCEMENT;
use crate::metrics::{self, MetricsServer, Observed};
use crate::state::{
    AppState, AppStateInner, ClientLimiter, RateLimits, SharedPictures, rate_window,
};
use crate::{assets, openapi, router};

/// How often a stranger may change subscriptions for each one that may be made: a page registers again with each visit, and whole
/// offices share an address.
const CHANGES_PER_REGISTRATION: u32 = 20;

/// Runs the server until it is told to stop. What gives way to requests runs in `background`.
pub async fn serve(config: Config, background: Handle) -> Result<(), BootError> {
    let mut signals = ShutdownSignals::catch().map_err(BootError::Signals)?;
    file_limit::raise();
    gaps::warn_of_gaps(&config);
    let github = github_provider(&config)?;
    let store = tokio::select! {
        () = signals.next() => {
            tracing::info!("stopped before the database was open");
            return Ok(());
        }
        opened = database::open(&config.store) => opened?,
    };
    let starting = async {
        let secrets = secrets::load(&config, &*store).await?;
        let server = assemble(&config, Arc::clone(&store), secrets, github, background).await?;
        let announced = server.store.announce_server().await;
        announced.map_err(BootError::Announcement)?;
        Ok::<_, BootError>(server)
    };
    let server = tokio::select! {
        () = signals.next() => {
            store.close().await;
            tracing::info!("stopped before anything was served");
            return Ok(());
        }
        started = starting => started?,
    };
    announce(&server.listener, &config)?;
    Ok(server.run(signals).await?)
}

async fn assemble(
    config: &Config,
    store: Arc<dyn Store>,
    secrets: Secrets,
    github: Option<GithubProvider>,
    background: Handle,
) -> Result<ServerRuntime, BootError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let notifier = Notifier::default();
    let settings = settings(config);
    let subject = settings.vapid_subject.clone();
    relay_wake_ups(&store, &notifier);
    clock::keep_comparing(&store, &clock).await;
    let parts = (Arc::clone(&store), Arc::clone(&clock));
    // Made in every role, so that settings that cannot be used stop each.
    let workers = workers::build(config, subject, parts, (&secrets, &notifier))?;
    let kept = secrets.clone();
    let service = Service::new(Arc::clone(&store), clock, kept, settings, notifier);
    let service = service.hash_in(background.clone());
    let service = Arc::new(service.limit_strangers(stranger_windows(config, &store)));
    let limits = RateLimits::new(&store);
    let state = state(config, Arc::clone(&service), (secrets, limits), github);
    let workers = config.role.delivers().then_some(workers);
    let observed = Observed {
        service: Arc::clone(&service),
        engine: workers.as_ref().map(|it| it.engine.observer()),
    };
    Ok(ServerRuntime {
        listener: listen(config.listen)?,
        metrics: metrics_server(config, observed)?,
        router: routes(config, &state),
        connections: connection_settings(config),
        workers,
        background,
        service,
        store,
    })
}

/// Tells other processes on the database of work, and hears from them, until the store is closed.
fn relay_wake_ups(store: &Arc<dyn Store>, notifier: &Notifier) {
    let (store, notifier) = (Arc::clone(store), notifier.clone());
    tokio::spawn(async move { store.relay_wake_ups(&notifier).await });
}

fn settings(config: &Config) -> ServiceSettings {
    ServiceSettings {
        vapid_subject: vapid_subject(config),
        default_plan: config.plan.default_plan,
        registration_open: config.registration_open,
        outbound: config.delivery.outbound(),
        push_hosts: config.limits.push_hosts(),
        app_limits: config.limits.app_limits(),
    }
}

/// Where it is counted what strangers do to subscriptions, if there is a limit.
fn stranger_windows(config: &Config, store: &Arc<dyn Store>) -> Option<StrangerWindows> {
    let limit = config.limits.registrations_per_minute.get()?.get();
    let changes = limit.saturating_mul(CHANGES_PER_REGISTRATION);
    Some(StrangerWindows {
        registrations: rate_window(store, (CountedRequest::NewSubscription, limit)),
        changes: rate_window(store, (CountedRequest::SubscriptionChange, changes)),
    })
}

fn connection_settings(config: &Config) -> ConnectionSettings {
    ConnectionSettings {
        per_address: config.limits.connections_per_address.get(),
        trusted_proxies: config.trusted_proxies(),
        requires_https: config.base_url.is_https(),
        ..ConnectionSettings::default()
    }
}

fn vapid_subject(config: &Config) -> String {
    match &config.delivery.vapid_subject {
        Some(subject) => subject.clone(),
        None if config.base_url.is_https() => config.base_url.to_string(),
        None => {
            tracing::warn!(
                "HATO_VAPID_SUBJECT is not set: push services are told {DEFAULT_VAPID_SUBJECT}"
            );
            DEFAULT_VAPID_SUBJECT.to_owned()
        }
    }
}

fn github_provider(config: &Config) -> Result<Option<GithubProvider>, BootError> {
    let Some(app) = config.github.app()? else {
        return Ok(None);
    };
    let roots = config.delivery.outbound_ca.as_deref();
    let provider = GithubProvider::new(app, &config.github, &config.base_url, roots);
    Ok(Some(provider?))
}

fn state(
    config: &Config,
    service: Arc<Service>,
    (secrets, limits): (Secrets, RateLimits),
    github: Option<GithubProvider>,
) -> AppState {
    Arc::new(AppStateInner {
        app: app_context(config, Arc::clone(&service), github.is_some()),
        service,
        secrets,
        base_url: config.base_url.clone(),
        pricing_url: config.pricing_url(),
        trusted_proxies: config.trusted_proxies(),
        github,
        metrics: config.metrics_listen.is_some(),
        limits,
        in_flight: ClientLimiter::new(Some(MAX_IN_FLIGHT)),
        reports: ClientLimiter::new(Some(MAX_IN_FLIGHT)),
        event_streams: Arc::new(Semaphore::new(MAX_EVENT_STREAMS)),
        event_body_memory: EventBodyMemory::new(MAX_BODY_BYTES),
        pictures: SharedPictures::default(),
    })
}

/// What the dashboard works with.
fn app_context(config: &Config, service: Arc<Service>, github_login: bool) -> AppContext {
    AppContext {
        service,
        base_url: config.base_url.to_string(),
        pricing_url: config.pricing_link(),
        secure_cookies: config.base_url.is_https(),
        output_name: assets::output_name(),
        sdk: assets::current_sdk(),
        registration_open: config.registration_open,
        github_login,
        api: Arc::new(openapi::document(&config.base_url)),
    }
}

fn routes(config: &Config, state: &AppState) -> Router {
    let router = if config.role.serves() {
        router::router(state)
    } else {
        router::worker(state)
    };
    if state.metrics {
        metrics::with_metrics(router)
    } else {
        router
    }
}

/// Metrics, when somebody may read them.
fn metrics_server(config: &Config, observed: Observed) -> Result<Option<MetricsServer>, BootError> {
    let Some(address) = config.metrics_listen else {
        return Ok(None);
    };
    let listener = listen(address)?;
    let bound = bound_address(&listener, address)?;
    tracing::info!(target: ANNOUNCEMENT, "metrics at http://{bound}/metrics");
    let server = MetricsServer::start(listener, observed, SystemClock.now())?;
    Ok(Some(server))
}

/// What people and programs that started the server wait for.
fn announce(listener: &TcpListener, config: &Config) -> Result<(), BootError> {
    let address = bound_address(listener, config.listen)?;
    tracing::info!(target: ANNOUNCEMENT, "listening on http://{address}");
    if config.role.serves() {
        tracing::info!("Open {}", config.base_url);
    }
    Ok(())
}
