//! Getting into contact with a server: until then, nothing of a request has been sent.

use std::fmt;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport,
};

/// Why there was no contact.
#[derive(Debug)]
pub enum NoContact {
    /// The host's name leads to no address.
    Name(ureq::Error),
    /// No connection came about, the handshake of TLS included.
    Connection(ureq::Error),
}

/// An error in words.
pub fn why(error: &ureq::Error) -> String {
    NoContact::of(error).map_or_else(|| error.to_string(), NoContact::to_string)
}

impl NoContact {
    /// What a request failed of, if it failed before anything was sent.
    pub fn of(error: &ureq::Error) -> Option<&Self> {
        match error {
            ureq::Error::Other(cause) => cause.downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for NoContact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Name(cause) | Self::Connection(cause)) = self;
        cause.fmt(f)
    }
}

impl std::error::Error for NoContact {}

impl From<NoContact> for ureq::Error {
    fn from(cause: NoContact) -> Self {
        Self::Other(Box::new(cause))
    }
}

/// Finds addresses as the system does.
#[derive(Debug, Default)]
pub struct Names(DefaultResolver);

impl Resolver for Names {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout);
        found.map_err(|error| NoContact::Name(error).into())
    }
}

/// Connects, by TLS where the address says so.
#[derive(Debug, Default)]
pub struct Connections(DefaultConnector);

impl Connector for Connections {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        let made = self.0.connect(details, chained);
        made.map_err(|error| NoContact::Connection(error).into())
    }
}
