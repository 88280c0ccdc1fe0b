//! Opens connections: a permitted address, TLS, HTTP, within a time.
//!
//! It connects to the very addresses that the filter permits and resolves no name twice, so that a name cannot turn into
//! a private address in between. It also knows whether a failure is the host's or this machine's ([`LocalFaults`]).

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hato_outbound::{AddressFilter, LookupError, ResolveError, RootStoreError, client_config};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use super::connection::PushConnection;
use super::connection_permits::{ConnectionPermit, ConnectionPermits};
use super::error::ConnectError;
use super::local_faults::LocalFaults;
use super::witnesses::{Witness, Witnesses};
use crate::exhaustion::is_exhaustion;
use crate::push::origin::Origin;
use crate::push::settings::DeliverySettings;

/// How long a witness may take to be reached again.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// Opens connections to push services.
pub struct Connector {
    filter: AddressFilter,
    tls: TlsConnector,
    timeout: Duration,
    /// The connections that may be open at a time.
    pub permits: Arc<ConnectionPermits>,
    lookups: LocalFaults,
    connections: LocalFaults,
    witnesses: Witnesses,
}

impl Connector {
    /// A connector with the bounds, permitted networks, resolver and trusted roots of `settings`.
    pub fn new(settings: &DeliverySettings) -> Result<Self, RootStoreError> {
        let config = client_config(settings.outbound_ca.as_deref())?;
        let (fault_after, retry_delay) =
            (settings.local_fault_after, settings.local_fault_retry_delay);
        Ok(Self {
            filter: AddressFilter::new(settings.outbound.clone(), Arc::clone(&settings.resolver)),
            tls: TlsConnector::from(Arc::new(config)),
            timeout: settings.connect_timeout,
            permits: Arc::new(ConnectionPermits::new(settings.connections)),
            lookups: LocalFaults::new("look-ups", fault_after, retry_delay),
            connections: LocalFaults::new("connections", fault_after, retry_delay),
            witnesses: Witnesses::default(),
        })
    }

    /// How long somebody who wants a connection waits for it at most: to be opened, or to have room again.
    pub fn max_wait(&self) -> Duration {
        self.timeout * 2
    }

    /// Fails while this machine is known to be unable to connect to `host`.
    pub fn check(&self, host: &Host<String>) -> Result<(), ConnectError> {
        self.connections.check()?;
        if is_name(host) {
            self.lookups.check()?;
        }
        Ok(())
    }

    /// Takes note that the push service at `host` has answered, so that this machine's network works.
    pub fn answered(&self, host: &Arc<Host<String>>, address: Option<SocketAddr>) {
        self.connections.reached();
        if let Some(address) = address {
            self.witnesses.answered(host, address);
        }
    }

    /// A new connection to `origin`, which has `permit` for as long as it is open, and where it leads.
    pub async fn open(
        &self,
        origin: &Origin,
        permit: ConnectionPermit,
    ) -> Result<(PushConnection, SocketAddr), ConnectError> {
        self.check(&origin.host)?;
        let deadline = Instant::now() + self.timeout;
        let addresses = self.resolve(origin, deadline).await?;
        let (stream, address) = self.connect(&addresses, deadline).await?;
        let name = server_name(origin).map_err(ConnectError::tls)?;
        let stream = timeout_at(deadline, self.handshake(name, stream))
            .await
            .map_err(|_| ConnectError::timed_out("no TLS handshake"))?
            .map_err(ConnectError::tls)?;
        let connection = timeout_at(deadline, PushConnection::start(stream, permit))
            .await
            .map_err(|_| ConnectError::timed_out("no HTTP connection"))??;
        Ok((connection, address))
    }

    async fn resolve(
        &self,
        origin: &Origin,
        deadline: Instant,
    ) -> Result<Vec<SocketAddr>, ConnectError> {
        let addresses = self.filter.addresses(&origin.host, origin.port);
        let found = timeout_at(deadline, addresses).await;
        match found.unwrap_or(Err(ResolveError::Unresolved(LookupError::TimedOut))) {
            Err(ResolveError::Unresolved(error)) => Err(self.not_resolved(&error).await),
            found => {
                if is_name(&origin.host) {
                    self.lookups.succeeded();
                }
                found.map_err(|_| ConnectError::Blocked)
            }
        }
    }

    /// That there is no such name, a name server has said; anything else may be this machine's fault.
    async fn not_resolved(&self, error: &LookupError) -> ConnectError {
        let failure = ConnectError::name(error);
        match error {
            LookupError::NoSuchName => failure,
            LookupError::Io(cause) if is_exhaustion(cause) => self.connections.fail(failure),
            LookupError::Io(_) | LookupError::TimedOut | LookupError::Failed(_) => {
                self.lookups.judge(failure, self.resolves_any()).await
            }
        }
    }

    /// Whether the name of a witness is found.
    async fn resolves_any(&self) -> bool {
        let resolves = async |witness: Witness| {
            let found = self.filter.addresses(&witness.host, 0).await;
            is_name(&witness.host) && !matches!(found, Err(ResolveError::Unresolved(_)))
        };
        self.witnesses.any(resolves).await
    }

    /// A connection to the first address that answers; one that does not gets its share of the time, so that the others get theirs.
    async fn connect(
        &self,
        addresses: &[SocketAddr],
        deadline: Instant,
    ) -> Result<(TcpStream, SocketAddr), ConnectError> {
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
        let mut failure = None;
        for address in addresses {
            let error = match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    self.connections.succeeded();
                    return Ok((stream, *address));
                }
                Ok(Err(error)) => error,
                Err(_) => io::ErrorKind::TimedOut.into(),
            };
            failure = Some(more_telling(failure, error));
        }
        let failure = failure.unwrap_or_else(|| io::ErrorKind::NotFound.into());
        Err(self.not_connected(&failure).await)
    }

    /// Who refuses a connection is there; anything else may be this machine's fault.
    async fn not_connected(&self, error: &io::Error) -> ConnectError {
        let failure = ConnectError::tcp(error);
        if is_refusal(error) {
            failure
        } else if is_exhaustion(error) {
            self.connections.fail(failure)
        } else {
            let is_any_there = self.witnesses.any(|witness| is_there(witness.address));
            self.connections.judge(failure, is_any_there).await
        }
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

/// Of two addresses that failed, what the first said, unless the second was refused or found this machine exhausted: that is known for
/// certain, while others may only have no route from here.
fn more_telling(first: Option<io::Error>, second: io::Error) -> io::Error {
    match first {
        Some(first) if !is_refusal(&second) && !is_exhaustion(&second) => first,
        _ => second,
    }
}

fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionRefused
}

/// Whether somebody accepts or refuses connections at the address.
async fn is_there(address: SocketAddr) -> bool {
    match timeout(PROBE_TIMEOUT, TcpStream::connect(address)).await {
        Ok(Ok(_)) => true,
        Ok(Err(error)) => is_refusal(&error),
        Err(_) => false,
    }
}

fn is_name(host: &Host<String>) -> bool {
    matches!(host, Host::Domain(_))
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
