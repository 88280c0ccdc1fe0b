//! Hato's use cases, and the ports through which they reach the world.
//!
//! REST handlers, the dashboard's server functions and operator commands are thin adapters over [`Service`]. What a caller
//! may do is a value (`access`) that only authentication makes, and each use case takes the one it needs: forgetting a
//! check does not compile.

pub mod access;
mod accounts;
mod actor;
mod apps;
mod dead_letters;
mod error;
mod github;
mod history;
mod keys;
mod last_used;
mod notifier;
mod operator;
mod paging;
mod password_hash;
pub mod ports;
mod secrets;
mod sends;
mod service;
mod sessions;
mod settings;
mod stats;
mod subscriptions;
mod webhooks;

pub use apps::APP_PURGE_BATCH_SIZE;
pub use error::{ServiceError, ServiceResult};
pub use github::{GithubLogin, GithubUser};
pub use keys::{KEY_PREFIX, NewKey};
pub use notifier::{AppNotifier, Notifier};
pub use secrets::{Sealer, Secrets, UnsealError};
pub use sends::{IDEMPOTENCY_TTL, IdempotentRequest, SendReceipt};
pub use service::Service;
pub use sessions::{AuthenticatedSession, ListedSession, SESSION_LIFETIME};
pub use settings::ServiceSettings;
pub use stats::AppOverview;
pub use subscriptions::Registration;
pub use webhooks::{MAX_KEPT_ATTEMPTS, WebhookDetails, event_body, new_secret};
