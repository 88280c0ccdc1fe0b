//! Opens connections: a permitted address, TLS, HTTP, within a time and a number.
//!
//! It connects to the very addresses that the filter permits and resolves no name twice, so that a name cannot turn into
//! a private address in between.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hato_outbound::{AddressFilter, LookupPermit, RootStoreError, client_config};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use super::connection::PushConnection;
use super::error::ConnectError;
use crate::push::origin::Origin;
use crate::push::settings::DeliverySettings;

/// Opens connections to push services, as many as the settings allow to be open at a time.
pub struct Connector {
    filter: AddressFilter,
    tls: TlsConnector,
    slots: Arc<Semaphore>,
    timeout: Duration,
}

impl Connector {
    /// A connector with the bounds, permitted networks and trusted roots of `settings`.
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
    /// about the push service, and a time-out makes the app's limiter shrink.
    pub async fn open(&self, origin: &Origin) -> Result<PushConnection, ConnectError> {
        let slot = Arc::clone(&self.slots)
            .acquire_owned()
            .await
            .map_err(ConnectError::unreachable)?;
        let lookup = self.filter.lookup_permit(&origin.host).await;
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
            .addresses(&origin.host, origin.port, lookup)
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

/// The name that the peer's certificate must be valid for (RFC 9525).
fn server_name(
    origin: &Origin,
) -> Result<ServerName<'static>, rustls::pki_types::InvalidDnsNameError> {
    match &*origin.host {
        Host::Domain(name) => ServerName::try_from(name.clone()),
        Host::Ipv4(v4) => Ok(ServerName::from(std::net::IpAddr::V4(*v4))),
        Host::Ipv6(v6) => Ok(ServerName::from(std::net::IpAddr::V6(*v6))),
    }
}
