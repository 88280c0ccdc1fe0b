//! Connecting to a server: until that is done, nothing of a request has been sent.

use std::fmt;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport,
};

/// Why no connection was made.
#[derive(Debug)]
pub enum ServerUnreachableError {
    /// The host's name leads to no address.
    Resolve(ureq::Error),
    /// No connection came about, the handshake of TLS included.
    Connect(ureq::Error),
}

/// An error as users read it, without the wrapping of [`ServerUnreachableError`].
pub fn describe(error: &ureq::Error) -> String {
    ServerUnreachableError::downcast(error)
        .map_or_else(|| error.to_string(), ServerUnreachableError::to_string)
}

impl ServerUnreachableError {
    /// The reason if a request failed before anything of it was sent.
    pub fn downcast(error: &ureq::Error) -> Option<&Self> {
        match error {
            ureq::Error::Other(cause) => cause.downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for ServerUnreachableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Resolve(cause) | Self::Connect(cause)) = self;
        cause.fmt(f)
    }
}

impl std::error::Error for ServerUnreachableError {}

impl From<ServerUnreachableError> for ureq::Error {
    fn from(cause: ServerUnreachableError) -> Self {
        Self::Other(Box::new(cause))
    }
}

/// The system's resolver, whose failures are told apart from those of a request.
#[derive(Debug, Default)]
pub struct HostResolver(DefaultResolver);

impl Resolver for HostResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout);
        found.map_err(|error| ServerUnreachableError::Resolve(error).into())
    }
}

/// ureq's connector, TLS included, whose failures are told apart from those of a request.
#[derive(Debug, Default)]
pub struct HostConnector(DefaultConnector);

impl Connector for HostConnector {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        let made = self.0.connect(details, chained);
        made.map_err(|error| ServerUnreachableError::Connect(error).into())
    }
}
