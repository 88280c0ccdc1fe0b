//! Hato's vocabulary: values that are valid once they exist, the error table and the wire types.
//!
//! Everything here is pure and builds for wasm, so that server, dashboard, command line and service worker speak of the same
//! things. A value of a type of this crate has passed its checks, which live in one constructor each; code that holds one
//! never checks again.
//!
//! ```
//! use hato_domain::{Endpoint, ErrorCode};
//!
//! let endpoint = Endpoint::parse("https://push.example/abc")?;
//! assert_eq!(endpoint.as_str(), "https://push.example/abc");
//!
//! let error = Endpoint::parse("http://push.example/abc").expect_err("it is not https");
//! assert_eq!((error, error.status()), (ErrorCode::InvalidUrl, 400));
//! # Ok::<(), ErrorCode>(())
//! ```

mod audience_filter;
mod browser_keys;
mod compact_json;
mod cursor;
mod dead_letter;
mod email;
mod endpoint;
mod engagement;
mod error_code;
mod failure_detail;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
mod id;
mod idempotency_key;
#[cfg(feature = "import")]
pub mod import;
pub mod lines;
mod locale;
mod message_settings;
mod name;
pub mod notification;
pub mod outbound_policy;
mod pace;
mod password;
mod plan;
mod position_set;
mod profile;
mod push_hosts;
mod push_options;
mod reach_block;
mod registration_fault;
mod schedule;
mod scope;
mod site_origin;
mod tag;
mod tag_expression;
mod tags;
mod text_enum;
mod time;
mod time_zone;
mod user_id;
mod user_token;
#[cfg(feature = "private-key")]
mod vapid_private_key;
mod vapid_public_key;
mod webhook;
mod webhook_url;
pub mod wire;

pub use self::time::{Month, UnixMillis};
pub use audience_filter::AudienceFilter;
pub use browser_keys::BrowserKeys;
pub use cursor::{Cursor, PageLimit, PageRequest};
pub use dead_letter::{DeadLetterId, FailureReason, MAX_DEAD_LETTERS};
pub use email::Email;
pub use endpoint::{Endpoint, HttpsUrl};
pub use engagement::Engagement;
pub use error_code::ErrorCode;
pub use failure_detail::FailureDetail;
pub use id::{
    AccountId, AppId, KeyEventId, KeyId, SendId, SubscriptionId, VapidKeyId, WebhookEventId,
};
pub use idempotency_key::IdempotencyKey;
pub use locale::{LanguageTag, TimeZoneName};
pub use message_settings::{MessageSettings, MessageSettingsChange, SiteUrl, Tracking};
pub use name::{Name, Platform};
pub use notification::Notification;
pub use outbound_policy::OutboundPolicy;
pub use pace::{Pace, PacedPages};
pub use password::{LoginPassword, NewPassword};
pub use plan::Plan;
pub use position_set::PositionSet;
pub use profile::{FieldChange, Profile, ProfileChange};
pub use push_hosts::PushHosts;
pub use push_options::{PushOptions, Topic, Ttl, Urgency};
pub use reach_block::ReachBlock;
pub use registration_fault::RegistrationFault;
pub use schedule::Schedule;
pub use scope::Scope;
pub use site_origin::SiteOrigin;
pub use tag::Tag;
pub use tag_expression::{TagExpression, TagMatches, TagStep};
pub use tags::{Tags, TagsChange};
pub use time_zone::{LocalDay, OffsetSpan, TimeZoneOffsets};
pub use user_id::UserId;
pub use user_token::UserToken;
#[cfg(feature = "private-key")]
pub use vapid_private_key::VapidPrivateKey;
pub use vapid_public_key::VapidPublicKey;
pub use webhook::{DisabledReason, EventType, NoResponseReason, ResultStatus};
pub use webhook_url::WebhookUrl;
