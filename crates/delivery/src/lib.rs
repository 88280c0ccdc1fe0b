//! Hato's delivery engine: claim → page → encrypt → push → classify → settle.
//!
//! A send is accepted in one transaction, whatever its audience; everything that takes long happens here, in the background. [`Engine`]
//! takes pages of at most 500 recipients off the queue, makes a message for each ([`push::encryption`]), pushes the messages through
//! a pool of connections per push service, and settles the page as one transaction. Nothing grows with the audience: pages
//! in flight, connections, requests per origin, responses and their time are all bounded ([`DeliverySettings`]). [`WebhookSender`]
//! posts what became of the recipients to the apps' webhooks, [`Scheduler`] starts what was scheduled, and [`Janitor`] removes what is
//! too old. How it all works together is
//! in `docs/ENGINE.md`.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use hato_delivery::{DeliverySettings, Engine};
//! use hato_service::ports::SystemClock;
//! use hato_service::{Notifier, Secrets};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let store = hato_store::open(&format!("sqlite:{}", folder.path().join("hato.db").display())).await?;
//! let retry_delays = [5, 60, 600].map(Duration::from_secs);
//! let engine = Engine::new(
//!     store,
//!     Arc::new(SystemClock),
//!     Secrets::new(None, None),
//!     Notifier::default(),
//!     DeliverySettings::new("mailto:ops@example.com".into(), retry_delays, 90),
//! )?;
//! engine.run_until_idle().await?;
//! # Ok(())
//! # }
//! ```

mod clock_leap;
mod due_time_repair;
mod exhaustion;
mod failure_log;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
mod janitor;
mod lease_renewal;
pub mod metrics;
pub mod push;
mod scheduler;
mod shutdown;
mod store_retry;
mod webhooks;

/// The target of spans that only traces need: of pages, and of the pushes of small ones.
pub const TRACED: &str = "hato_traced";

pub use janitor::Janitor;
pub use push::{
    DeliverySettings, Engine, EngineObserver, EngineSnapshot, OriginLimits, OriginSnapshot,
};
pub use scheduler::Scheduler;
pub use shutdown::Shutdown;
pub use webhooks::{ClientBuildError, WebhookSender, WebhookSettings};
