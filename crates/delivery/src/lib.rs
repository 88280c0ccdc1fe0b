//! Hato's delivery engine: claim → page → encrypt → push → classify → settle.
//!
//! [`Engine`] takes pages of recipients off the queue, [`push::encryption`] makes a message for each recipient, the client
//! pushes them through a pool of connections per push-service origin, [`push::response`] judges what comes back, and the page is
//! settled as one transaction. Nothing here grows with the audience: pages in flight, connections, requests per origin,
//! answers and their time are all bounded ([`DeliverySettings`]). [`WebhookSender`] posts what became of them to the apps'
//! webhooks.

mod janitor;
pub mod metrics;
pub mod push;
mod retry;
mod shutdown;
mod webhooks;

pub use janitor::Janitor;
pub use push::{DeliverySettings, Engine, OriginLimits};
pub use shutdown::Shutdown;
pub use webhooks::{ClientBuildError, WebhookSender, WebhookSettings};
