//! The address filter as the name resolver of a reqwest client.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use crate::address_filter::AddressFilter;

/// Resolves the names that a reqwest client connects to, and gives it permitted addresses only (CONTRACT 5).
///
/// A host that is an address literal is never resolved: ask [`AddressFilter::permits_literal`] before the request. A name none of whose
/// addresses is permitted fails with [`ResolveError::Blocked`](crate::ResolveError::Blocked) among the error's sources.
pub struct FilteredResolver(AddressFilter);

impl FilteredResolver {
    /// A resolver that finds what `filter` lets through.
    pub fn new(filter: AddressFilter) -> Self {
        Self(filter)
    }
}

impl Resolve for FilteredResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let filter = self.0.clone();
        Box::pin(async move {
            let host = Host::Domain(name.as_str().to_owned());
            let found = filter.addresses(&host, 0).await?;
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}
