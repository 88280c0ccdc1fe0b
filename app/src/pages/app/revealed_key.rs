//! A raw key that was just made: it is shown this once.

use hato_domain::Scope;

use crate::flash::{self, NEW_KEY};
use crate::request_context::RequestContext;
use crate::server_fns::FlashedKey;

/// A raw key and what it may do.
#[derive(Clone)]
pub struct RevealedKey {
    /// The raw key.
    pub raw: String,
    /// What it may do.
    pub scope: Scope,
}

impl RevealedKey {
    /// The key that was handed to this page.
    pub fn take(ctx: &RequestContext) -> Option<Self> {
        let flashed: FlashedKey = flash::take(ctx, NEW_KEY)?;
        Some(Self {
            scope: Scope::parse(&flashed.scope).ok()?,
            raw: flashed.raw,
        })
    }
}
