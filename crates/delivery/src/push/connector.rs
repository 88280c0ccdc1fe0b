//! Opens connections: vetted address, TLS, HTTP, within a time and a number.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hato_outbound::{AddressFilter, LookupPermit, ResolveError, RootStoreError, client_config};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use crate::push::connection::PushConnection;
use crate::push::origin::Origin;
use crate::push::settings::DeliverySettings;

/// Why a connection could not be opened; shared by all requests that waited for it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConnectError {
    /// The address is not permitted.
    #[error("the address is not permitted")]
    Blocked,
    /// It took too long, or failed.
    #[error("unreachable: {0}")]
    Unreachable(Arc<str>),
}

impl ConnectError {
    /// Unreachable, because of `cause`.
    pub fn unreachable(cause: impl std::fmt::Display) -> Self {
        Self::Unreachable(cause.to_string().into())
    }
}

impl From<ResolveError> for ConnectError {
    fn from(cause: ResolveError) -> Self {
        match cause {
            ResolveError::Blocked => Self::Blocked,
            ResolveError::Unresolved(_) => Self::unreachable(cause),
        }
    }
}

/// Opens connections to push services.
pub struct Connector {
    filter: AddressFilter,
    tls: TlsConnector,
    slots: Arc<Semaphore>,
    timeout: Duration,
}

impl Connector {
    /// One that goes by `settings`.
    pub fn new(settings: &DeliverySettings) -> Result<Self, RootStoreError> {
        let config = client_config(settings.outbound_ca.as_deref())?;
        Ok(Self {
            filter: AddressFilter::new(settings.outbound.clone()),
            tls: TlsConnector::from(Arc::new(config)),
            slots: Arc::new(Semaphore::new(settings.connections)),
            timeout: settings.connect_timeout,
        })
    }

    /// Whether every connection that may be open is open, so that idle ones should make room.
    pub fn is_full(&self) -> bool {
        self.slots.available_permits() == 0
    }

    /// How long somebody who wants a connection waits for it at most: to be opened, or to have room again.
    pub fn max_wait(&self) -> Duration {
        self.timeout * 2
    }

    /// A new connection to `origin`. Waiting for a slot or for other lookups does not count toward the time-out: it says nothing
    /// about the push service.
    pub async fn open(&self, origin: &Origin) -> Result<PushConnection, ConnectError> {
        let slot = Arc::clone(&self.slots)
            .acquire_owned()
            .await
            .map_err(ConnectError::unreachable)?;
        let lookup = self.filter.lookup_permit(origin.host()).await;
        match timeout(self.timeout, self.establish(origin, lookup, slot)).await {
            Ok(opened) => opened,
            Err(_) => Err(ConnectError::unreachable("no connection in time")),
        }
    }

    async fn establish(
        &self,
        origin: &Origin,
        lookup: Option<LookupPermit>,
        slot: OwnedSemaphorePermit,
    ) -> Result<PushConnection, ConnectError> {
        let addresses = self
            .filter
            .addresses(origin.host(), origin.port(), lookup)
            .await?;
        let name = server_name(origin).map_err(ConnectError::unreachable)?;
        let tcp = self
            .connect(&addresses)
            .await
            .map_err(ConnectError::unreachable)?;
        let tls = self
            .handshake(name, tcp)
            .await
            .map_err(ConnectError::unreachable)?;
        PushConnection::start(tls, slot).await
    }

    /// The first address that answers; one that does not gets its share of the time, so that the others get theirs.
    async fn connect(&self, addresses: &[SocketAddr]) -> io::Result<TcpStream> {
        let share = self.timeout / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
        let mut failure = io::ErrorKind::NotFound.into();
        for address in addresses {
            match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failure = error,
                Err(_) => failure = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failure)
    }

    async fn handshake(
        &self,
        name: ServerName<'static>,
        tcp: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        tcp.set_nodelay(true)?;
        self.tls.connect(name, tcp).await
    }
}

/// The name that the peer's certificate must be good for.
fn server_name(
    origin: &Origin,
) -> Result<ServerName<'static>, rustls::pki_types::InvalidDnsNameError> {
    match origin.host() {
        Host::Domain(name) => ServerName::try_from(name.clone()),
        Host::Ipv4(v4) => Ok(ServerName::from(std::net::IpAddr::V4(*v4))),
        Host::Ipv6(v6) => Ok(ServerName::from(std::net::IpAddr::V6(*v6))),
    }
}
