//! What limits how often a client address may do something.

use std::net::IpAddr;

use async_trait::async_trait;
use hato_domain::text_enum;

use super::StoreError;

text_enum!(
    /// What a limit counts: by its name, processes that share a database find the same windows.
    CountedRequest {
        /// A login of a client (SPEC 8).
        LogIn = "log_in",
        /// A login from an IPv6 site, a /48 (CONTRACT 3).
        LogInFromSite = "log_in_from_site",
        /// A registration of an account by a client (SPEC 8).
        Register = "register",
        /// A registration of an account from an IPv6 site.
        RegisterFromSite = "register_from_site",
        /// A request whose key is wrong (CONTRACT 3).
        FailedKey = "failed_key",
        /// A new subscription that a stranger makes (CONTRACT 18).
        NewSubscription = "new_subscription",
        /// A change by a stranger of a subscription that is there (CONTRACT 18).
        SubscriptionChange = "subscription_change",
    }
);

/// What is counted, and how many of it a client may do in a window.
pub type RequestLimit = (CountedRequest, u32);

/// Counts by client address in windows of 60 s, each of which opens with the first that is counted (CONTRACT 3). One value is one
/// limit; processes that answer the same clients share it.
#[async_trait]
pub trait RateWindow: Send + Sync + 'static {
    /// Counts one more of `client`; `false`, and nothing counted, when the limit is reached.
    async fn count(&self, client: IpAddr) -> Result<bool, StoreError>;

    /// Whether the limit is reached; counts nothing.
    async fn is_reached(&self, client: IpAddr) -> Result<bool, StoreError>;

    /// Takes back one that was counted for what then did not happen.
    async fn uncount(&self, client: IpAddr) -> Result<(), StoreError>;
}

/// Counts by client, and by the network of many clients that an IPv6 client is in, its site (CONTRACT 3). Both are one limit: where
/// processes share it, a request costs one write.
#[async_trait]
pub trait EntranceWindow: Send + Sync + 'static {
    /// Counts one more of `client`, and then of `site`; `false` when a limit is reached. Whom the client's refuses does not use up the
    /// site's.
    async fn count(&self, client: IpAddr, site: Option<IpAddr>) -> Result<bool, StoreError>;
}
