//! Putting the parts together, in the order in which they need each other.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hato_delivery::{
    ClientBuildError, DeliverySettings, Engine, Janitor, WebhookSender, WebhookSettings,
};
use hato_outbound::RootStoreError;
use hato_service::ports::{Clock, Store, SystemClock};
use hato_service::{Notifier, Secrets, Service, ServiceSettings};
use hato_store::StoreOpenError;
use tokio::net::TcpListener;

use crate::accounts::github::{GithubProvider, GithubProviderError};
use crate::admin::AdminError;
use crate::config::{self, BaseUrl, Config, MigrateConfig, SettingError, StoreConfig};
use crate::lifecycle::{ServerRuntime, ShutdownSignals, TaskExitError, Workers};
use crate::metrics::{self, MetricsError, MetricsServer};
use crate::router;
use crate::secrets_file::{self, SecretsFileError};
use crate::state::{AppState, AppStateInner};

/// Used when push services are given no contact; some refuse it (Apple).
const DEFAULT_SUBJECT: &str = "mailto:admin@example.com";

/// The server did not start, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// A setting has a value that it does not take.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The file of secrets cannot be used.
    #[error(transparent)]
    Secrets(#[from] SecretsFileError),
    /// The data folder cannot be made.
    #[error("HATO_DATA_DIR takes a folder that is there or can be made, not {0}")]
    DataDir(PathBuf, #[source] io::Error),
    /// The database cannot be opened or migrated.
    #[error("the database cannot be opened")]
    Store(#[source] StoreOpenError),
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {0}")]
    Listen(SocketAddr, #[source] io::Error),
    /// The threads cannot be started.
    #[error("the threads cannot be started")]
    Runtime(#[source] io::Error),
    /// The signals cannot be caught.
    #[error("signals cannot be caught")]
    Signals(#[source] io::Error),
    /// GitHub cannot be talked to with these settings.
    #[error(transparent)]
    GithubProvider(GithubProviderError),
    /// Webhooks cannot be posted to with these settings.
    #[error(transparent)]
    Webhooks(ClientBuildError),
    /// Metrics cannot be recorded.
    #[error("metrics cannot be recorded")]
    Metrics(#[from] MetricsError),
    /// An operator's command did not do what it was asked.
    #[error(transparent)]
    Admin(#[from] AdminError),
    /// A part of the server ended while it should run.
    #[error(transparent)]
    Ended(#[from] TaskExitError),
}

impl BootError {
    /// 2 after a bad setting (CONTRACT 1), 1 otherwise.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Setting(_) | Self::Secrets(SecretsFileError::Damaged(..)) | Self::DataDir(..) => {
                2
            }
            Self::Admin(error) => error.exit_code(),
            _ => 1,
        }
    }
}

/// Runs the server until it is told to stop.
pub async fn serve(config: Config) -> Result<(), BootError> {
    let signals = ShutdownSignals::catch().map_err(BootError::Signals)?;
    let store = open_store(&config.store).await?;
    let secrets = secrets_file::load(&config.store.data_dir, &config.secrets)?;
    let server = assemble(&config, store, secrets).await?;
    announce(&server.listener, &config)?;
    Ok(server.run(signals).await?)
}

/// Brings the database to this version's schema.
pub async fn migrate(config: MigrateConfig) -> Result<(), BootError> {
    let store = open_store(&config.store).await?;
    store.close().await;
    tracing::info!("the database has the schema of this version");
    Ok(())
}

/// Opens the database and brings it to this version's schema.
pub async fn open_store(config: &StoreConfig) -> Result<Arc<dyn Store>, BootError> {
    make_data_dir(&config.data_dir)?;
    let url = match &config.database_url {
        Some(url) => url.clone(),
        None => format!("sqlite:{}", config.data_dir.join("hato.db").display()),
    };
    hato_store::open(&url).await.map_err(|error| match error {
        StoreOpenError::Sqlite(_) => BootError::Store(error),
        StoreOpenError::PostgreSql
        | StoreOpenError::UnknownScheme
        | StoreOpenError::InvalidPath => config::database_url_error().into(),
    })
}

fn make_data_dir(path: &Path) -> Result<(), BootError> {
    secrets_file::make_data_dir(path).map_err(|error| BootError::DataDir(path.to_owned(), error))
}

async fn assemble(
    config: &Config,
    store: Arc<dyn Store>,
    secrets: Secrets,
) -> Result<ServerRuntime, BootError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let notifier = Notifier::default();
    let settings = settings(config);
    let delivery = delivery_settings(config, &settings);
    let parts = (Arc::clone(&store), Arc::clone(&clock));
    let workers = workers(config, delivery, parts, (&secrets, &notifier))?;
    let service = Service::new(
        Arc::clone(&store),
        clock,
        secrets.clone(),
        settings,
        notifier,
    );
    let service = Arc::new(service);
    let state = AppStateInner::new(Arc::clone(&service), secrets, provider(config)?, config);
    Ok(ServerRuntime {
        listener: listen(config.listen).await?,
        metrics: metrics_server(config, &service).await?,
        router: routes(config, &state),
        workers: config.role.delivers().then_some(workers),
        service,
        store,
    })
}

/// Made in every role, so that settings that cannot be used stop each.
fn workers(
    config: &Config,
    delivery: DeliverySettings,
    (store, clock): (Arc<dyn Store>, Arc<dyn Clock>),
    (secrets, notifier): (&Secrets, &Notifier),
) -> Result<Workers, BootError> {
    let webhooks = WebhookSender::new(
        Arc::clone(&store),
        Arc::clone(&clock),
        secrets.clone(),
        notifier.clone(),
        webhook_settings(config),
    );
    let janitor = Janitor::new(Arc::clone(&store), Arc::clone(&clock), &delivery);
    let engine = Engine::new(store, clock, secrets.clone(), notifier.clone(), delivery);
    Ok(Workers {
        engine: engine.map_err(|error| unusable_roots(&error))?,
        webhooks: webhooks.map_err(unusable_webhook_client)?,
        janitor,
    })
}

async fn listen(address: SocketAddr) -> Result<TcpListener, BootError> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| BootError::Listen(address, error))
}

/// Metrics, when somebody may read them.
async fn metrics_server(
    config: &Config,
    service: &Arc<Service>,
) -> Result<Option<MetricsServer>, BootError> {
    let Some(address) = config.metrics_listen else {
        return Ok(None);
    };
    let listener = listen(address).await?;
    tracing::info!(
        "metrics at http://{}/metrics",
        bound_address(&listener, address)?
    );
    let now = SystemClock.now();
    Ok(Some(MetricsServer::start(
        listener,
        Arc::clone(service),
        now,
    )?))
}

fn provider(config: &Config) -> Result<Option<GithubProvider>, BootError> {
    let Some(github) = &config.github else {
        return Ok(None);
    };
    let provider = GithubProvider::new(github, &config.base_url, config.outbound_ca.as_deref());
    provider.map(Some).map_err(|error| match error {
        GithubProviderError::Roots(error) => unusable_roots(&error).into(),
        other => BootError::GithubProvider(other),
    })
}

fn routes(config: &Config, state: &AppState) -> axum::Router {
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

fn settings(config: &Config) -> ServiceSettings {
    ServiceSettings {
        vapid_subject: vapid_subject(config),
        default_plan: config.default_plan,
        registration_open: config.registration_open,
        outbound: config.outbound.clone(),
    }
}

fn vapid_subject(config: &Config) -> String {
    match &config.vapid_subject {
        Some(subject) => subject.clone(),
        None if config.base_url.is_https() => config.base_url.to_string(),
        None => {
            tracing::warn!(
                "HATO_VAPID_SUBJECT is not set: push services are told {DEFAULT_SUBJECT}"
            );
            DEFAULT_SUBJECT.to_owned()
        }
    }
}

fn delivery_settings(config: &Config, settings: &ServiceSettings) -> DeliverySettings {
    DeliverySettings {
        vapid_subject: settings.vapid_subject.clone(),
        outbound: config.outbound.clone(),
        outbound_ca: config.outbound_ca.clone(),
        retry_delays: config.retry_delays,
        retention_days: config.retention_days,
        ..DeliverySettings::default()
    }
}

fn webhook_settings(config: &Config) -> WebhookSettings {
    WebhookSettings {
        outbound: config.outbound.clone(),
        outbound_ca: config.outbound_ca.clone(),
        retry_delays: config.webhook_retry_delays.clone(),
        ..WebhookSettings::default()
    }
}

fn unusable_webhook_client(error: ClientBuildError) -> BootError {
    match error {
        ClientBuildError::Roots(error) => unusable_roots(&error).into(),
        other @ ClientBuildError::Client(_) => BootError::Webhooks(other),
    }
}

fn unusable_roots(error: &RootStoreError) -> SettingError {
    tracing::debug!(%error, "the additional trusted roots cannot be used");
    config::outbound_ca_error()
}

/// What people and programs that started the server wait for.
fn announce(listener: &TcpListener, config: &Config) -> Result<(), BootError> {
    let address = bound_address(listener, config.listen)?;
    tracing::info!("listening on http://{address}");
    if config.role.serves() {
        let base_url: &BaseUrl = &config.base_url;
        tracing::info!("Open {base_url}");
    }
    Ok(())
}

/// The address that the system gave for the one that was asked for.
fn bound_address(listener: &TcpListener, requested: SocketAddr) -> Result<SocketAddr, BootError> {
    let address = listener.local_addr();
    address.map_err(|error| BootError::Listen(requested, error))
}
