//! Hato's delivery engine: claim → page → encrypt → push → classify → settle.
//!
//! [`Engine`] takes pages of recipients off the queue, [`encryption`] makes a message for each recipient, the client
//! pushes them through a pool of connections per push-service origin, [`answer`] judges what comes back, and the page is
//! settled as one transaction. Nothing here grows with the audience: pages in flight, connections, requests per origin,
//! answers and their time are all bounded ([`DeliverySettings`]). [`WebhookSender`] posts what became of them to the apps'
//! webhooks.

pub mod answer;
mod client;
mod connection;
mod connector;
mod courier;
pub mod encryption;
mod engine;
mod gate;
mod guard;
mod handover;
mod janitor;
pub mod metrics;
mod openings;
mod origin;
mod perseverance;
mod pool;
mod push;
mod roots;
mod settings;
mod settlement;
mod shutdown;
mod vapid;
mod webhooks;

pub use engine::Engine;
pub use handover::Handover;
pub use janitor::Janitor;
pub use roots::{BadRoots, client_config};
pub use settings::{DeliverySettings, OriginLimits};
pub use shutdown::Shutdown;
pub use webhooks::{BadPoster, WebhookSender, WebhookSettings};
