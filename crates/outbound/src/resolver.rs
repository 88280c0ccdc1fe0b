//! How names become addresses.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;

/// Finds the addresses of names: [`SystemResolver`](crate::SystemResolver), except in tests.
#[async_trait]
pub trait Resolver: fmt::Debug + Send + Sync {
    /// All addresses of `name`, permitted or not, at least one, in the order in which they are to be tried.
    async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, LookupError>;
}

/// A name did not become an address. Only the first says something about the name alone; the others may as well be the machine's
/// fault, or the resolver's.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LookupError {
    /// A name server says that there is no such name, or that it has no address.
    #[error("there is no such name")]
    NoSuchName,
    /// There was no answer in time.
    #[error("the look-up timed out")]
    TimedOut,
    /// No name server could be asked.
    #[error("{0}")]
    Io(Arc<io::Error>),
    /// The name servers failed: SERVFAIL, REFUSED and the like (RFC 1035 §4.1.1).
    #[error("{0}")]
    Failed(String),
}
