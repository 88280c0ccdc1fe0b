//! A raw key that was just made: it is shown this once.

use hato_domain::Scope;

use crate::flash::{self, NEW_KEY};
use crate::request_context::RequestContext;

/// A raw key and what it may do.
#[derive(Clone)]
pub struct RevealedKey {
    pub raw: String,
    pub scope: Scope,
}

impl RevealedKey {
    /// The key that was handed to this page.
    pub fn take(ctx: &RequestContext) -> Option<Self> {
        let (raw, scope): (String, String) = flash::take(ctx, NEW_KEY)?;
        let scope = Scope::parse(&scope).ok()?;
        Some(Self { raw, scope })
    }
}
