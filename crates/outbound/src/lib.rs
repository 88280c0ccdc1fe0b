//! What reaches strangers' hosts safely: permitted addresses, trusted roots, and the wait that a busy host asks for.
//!
//! A subscription's endpoint and a webhook's URL are typed in by strangers, so a request to them must not become a request into
//! the operator's own network (server-side request forgery). Checking a URL beforehand does not help: its name can mean a
//! public address when it is checked and a private one when it is used (DNS rebinding). [`AddressFilter`] therefore works where
//! names become addresses, and hands out only addresses that [`OutboundPolicy`] permits. Push services are connected to by
//! those addresses; a reqwest client, as webhooks use one, resolves names with [`FilteredResolver`]. What names mean is asked of a
//! [`Resolver`], which holds no thread while a stranger's name server takes its time.
//!
//! [`client_config`] says whom TLS trusts and serves the login with GitHub as well, whose address the operator sets and which
//! therefore needs no filter. [`retry_after`] reads how long a host wants to be left alone, and [`date`] what its
//! clock shows.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hato_domain::OutboundPolicy;
//! use hato_outbound::{AddressFilter, ResolveError, SystemResolver};
//! use url::Host;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let resolver = Arc::new(SystemResolver::default());
//! let filter = AddressFilter::new(OutboundPolicy::default(), resolver);
//! let host = Host::Domain("localhost".to_owned());
//! let found = filter.addresses(&host, 443).await;
//! assert!(matches!(found, Err(ResolveError::Blocked)));
//! # }
//! ```
//!
//! [`OutboundPolicy`]: hato_domain::OutboundPolicy

mod address_filter;
mod filtered_resolver;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
mod http_date;
mod resolver;
mod retry_after;
mod system_resolver;
mod trusted_roots;

pub use address_filter::{AddressFilter, ResolveError};
pub use filtered_resolver::FilteredResolver;
pub use http_date::date;
pub use resolver::{LookupError, Resolver};
pub use retry_after::retry_after;
pub use system_resolver::SystemResolver;
pub use trusted_roots::{RootStoreError, client_config};
