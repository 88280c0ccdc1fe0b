//! A look at an engine from outside, also while it runs.

use std::sync::Arc;

use super::Engine;
use super::context::EngineContext;
use crate::push::snapshot::EngineSnapshot;

/// Tells what an engine has in work.
pub struct EngineObserver<Q: ?Sized>(Arc<EngineContext<Q>>);

impl<Q: ?Sized> Engine<Q> {
    /// A look at this engine, for as long as somebody wants one.
    pub fn observer(&self) -> EngineObserver<Q> {
        EngineObserver(Arc::clone(&self.0))
    }
}

impl<Q: ?Sized> EngineObserver<Q> {
    /// The engine at this moment.
    pub fn snapshot(&self) -> EngineSnapshot {
        EngineSnapshot {
            leased_pages: self.0.leases.count(),
            max_connections: self.0.settings.connections,
            origins: self.0.push_sender.origins(),
            deliveries: self.0.host_deliveries.by_host(),
        }
    }
}
