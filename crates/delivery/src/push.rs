//! The way of a page of recipients: claim → encrypt → push → classify → settle.

mod client;
mod connect_limiter;
mod connection;
mod connector;
pub mod encryption;
pub(crate) mod engine;
mod limiter;
pub(crate) mod origin;
mod pool;
mod push_sender;
mod request;
pub mod response;
mod settings;
mod settlement;
mod vapid;

pub use engine::Engine;
pub use settings::{DeliverySettings, OriginLimits};
