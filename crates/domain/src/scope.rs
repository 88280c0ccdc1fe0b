//! What an API key may do (SPEC 5.2).

use crate::{ErrorCode, text_enum};

text_enum!(
    /// The scope of an API key. Scopes are ordered: a higher one may do all that a lower one may.
    #[derive(PartialOrd, Ord)]
    Scope or ErrorCode::InvalidScope {
        /// May subscribe and unsubscribe browsers: a key of this scope is made to be public in a page.
        SubscribeOnly = "subscribe_only",
        /// May also send notifications.
        Notify = "notify",
        /// May do everything that concerns its app.
        Full = "full",
    }
);
