//! A raw key that was just made: it is shown this once.

use hato_domain::Scope;

use crate::calls::MadeKey;
use crate::once::{self, NEW_KEY};
use crate::visit::Visit;

/// A raw key and what it may do.
#[derive(Clone)]
pub struct NewKey {
    /// The raw key.
    pub raw: String,
    /// What it may do.
    pub scope: Scope,
}

impl NewKey {
    /// The key that was handed to this page.
    pub fn take(visit: &Visit) -> Option<Self> {
        let made: MadeKey = once::take(visit, NEW_KEY)?;
        Some(Self {
            scope: Scope::parse(&made.scope).ok()?,
            raw: made.raw,
        })
    }
}
