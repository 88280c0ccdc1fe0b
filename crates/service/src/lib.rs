//! Hato's use cases, and the ports through which they reach the world.
//!
//! REST handlers, the dashboard's server functions, MCP tools and operator commands are thin adapters over [`Service`], so
//! that a rule holds however somebody comes in. What a caller may do is a value ([`access`]) that only authentication makes,
//! and each use case takes the one it needs: forgetting a check does not compile. The database and the clock are traits
//! ([`ports`]), because time is passed in and two databases do the same.
//!
//! ```
//! use hato_domain::{Name, Scope};
//! use hato_service::access::AccountPrincipal;
//! use hato_service::{Service, ServiceResult};
//!
//! /// Makes an app and the key that its pages subscribe with.
//! async fn first_app(service: &Service, owner: &AccountPrincipal) -> ServiceResult<String> {
//!     let app = service.create_app(owner, Name::parse("Bakery")?).await?;
//!     let access = service.manage(owner, app.id.as_str()).await?;
//!     let key = service.create_key(&access, Name::parse("Site")?, Scope::SubscribeOnly);
//!     Ok(key.await?.raw)
//! }
//! ```

pub mod access;
mod account_search;
mod accounts;
mod actor;
mod apps;
mod audience;
mod checks;
mod dead_letters;
mod engagement;
mod engagement_reports;
mod engagement_tokens;
mod error;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
mod github;
mod heavy_reads;
mod history;
mod identity;
mod jitter;
mod keys;
mod last_used;
mod list_import;
mod listeners;
pub mod metrics;
mod notifier;
mod operator;
mod paging;
mod password_hash;
mod pictures;
pub mod ports;
mod profiles;
mod reviews;
mod rotation;
mod seal_purpose;
mod secrets;
mod sends;
mod service;
mod sessions;
mod settings;
mod stats;
mod subscriptions;
mod transfer;
mod vapid_keys;
mod webhooks;
mod wire;

pub use account_search::subscription_id;
pub use checks::Check;
pub use engagement_tokens::{
    EngagementTokens, SendTokens, TOKEN_LENGTH, first_counted_hour, hour_of,
};
pub use error::{ServiceError, ServiceResult};
pub use github::{GithubLogin, GithubUser};
pub use heavy_reads::{HeavyReadPermit, HeavyReads};
pub use identity::IdentitySecrets;
pub use jitter::jittered;
pub use keys::{KEY_PREFIX, NewKey};
pub use list_import::{ListError, ListImport, ListOptions, ListReport};
pub use listeners::{EventListener, LISTENER_EVENT_TTL, LISTENER_TTL};
pub use notifier::{AppNotifier, AppsWithEvents, Notifier, WakeUps};
pub use password_hash::HasherLoad;
pub use pictures::{MAX_PICTURE_BYTES, PictureError};
pub use reviews::{AppReview, OTHER_SENDS, ReviewDecision, ReviewDecisions, WEBHOOK};
pub use rotation::Rotation;
pub use seal_purpose::SealPurpose;
pub use secrets::{Sealer, SecretKey, Secrets, UnsealError, Unsealed};
pub use sends::{IDEMPOTENCY_TTL, IdempotentRequest, SendReceipt};
pub use service::{Service, StrangerWindows};
pub use sessions::{AuthenticatedSession, ListedSession, SESSION_LIFETIME};
pub use settings::{AppLimits, ServiceSettings};
pub use stats::{AppOverview, OverviewDay, RECENT_COUNTS_TTL};
pub use subscriptions::{Registrant, RegistrationReceipt};
pub use transfer::SubscriptionExport;
pub use vapid_keys::VapidKeyPair;
pub use webhooks::{
    EventBodyMemory, MAX_EVENT_AGE, MAX_KEPT_ATTEMPTS, PostedEvent, ReservedBodyMemory,
    WebhookDetails, event_body, max_event_body_memory, new_signing_secret,
};
