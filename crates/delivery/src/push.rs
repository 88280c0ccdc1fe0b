//! The way of a page of recipients: claim → page → encrypt → push → classify → settle.
//!
//! Read it top to bottom in this order: `engine` claims pages; `engine/page_task.rs` takes one through to its settlement;
//! `push_sender` makes its messages (`vapid`, `encryption`, `request`) and hands each to `client`, which asks `limiter`
//! whether the push service takes it and `pool` for a connection; `response` judges the response; `settlement_plan` adds up
//! what is recorded. No two of them use each other.

mod client;
mod clock_fault;
mod clock_reading;
pub mod encryption;
mod engine;
mod failure_detail;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
mod limiter;
mod origin;
mod pool;
mod push_sender;
mod request;
mod response;
mod settings;
mod settlement_plan;
mod shared_map;
mod snapshot;
mod vapid;

pub use engine::{Engine, EngineObserver};
pub use settings::{DeliverySettings, OriginLimits};
pub use snapshot::{EngineSnapshot, OriginSnapshot};
