//! Hato's delivery engine: claim → page → encrypt → push → classify → settle.
//!
//! [`Engine`] takes pages of recipients off the queue, [`encryption`] makes a message for each recipient, the client
//! pushes them through a pool of connections per push-service origin, [`response`] judges what comes back, and the page is
//! settled as one transaction. Nothing here grows with the audience: pages in flight, connections, requests per origin,
//! answers and their time are all bounded ([`DeliverySettings`]). [`WebhookSender`] posts what became of them to the apps'
//! webhooks.

mod address_filter;
mod client;
mod connect_limiter;
mod connection;
mod connector;
pub mod encryption;
mod engine;
mod janitor;
mod limiter;
pub mod metrics;
mod origin;
mod pool;
mod push;
mod push_sender;
mod recipient_cache;
pub mod response;
mod retry;
mod roots;
mod settings;
mod settlement;
mod shutdown;
mod vapid;
mod webhooks;

pub use engine::Engine;
pub use janitor::Janitor;
pub use recipient_cache::RecipientCache;
pub use roots::{RootStoreError, client_config};
pub use settings::{DeliverySettings, OriginLimits};
pub use shutdown::Shutdown;
pub use webhooks::{ClientBuildError, WebhookSender, WebhookSettings};
