//! The JSON bodies of the API, requests and responses, as SPEC 4 and CONTRACT 4 show them.
//!
//! A request type only says what JSON is well-formed: unknown members are ignored, `null` and the empty string count as
//! absent (CONTRACT 2). What the values mean is judged where they become domain types.

mod app;
mod audience;
mod body;
mod bulk;
mod engagement;
mod export;
mod history;
mod list;
mod member;
mod notify;
#[cfg(feature = "openapi")]
mod openapi_schema;
mod profile;
mod request;
mod response;
mod stats;
mod unique_members;
mod vapid;
mod webhook;

pub use app::{App, AppUpdated, CreateApp, UpdateApp};
pub use audience::{AgeShare, AudienceReport, HostReach, HostShare, Subscription};
pub use body::{MAX_BODY_BYTES, read};
pub use bulk::{
    BulkItem, MAX_BULK_BODY_BYTES, MAX_BULK_ITEMS, RegisterMany, RegisteredMany, RejectedItem,
    UNSUBSCRIBED,
};
pub use engagement::ReportEngagement;
pub use export::{ExportedKeys, ExportedSubscription};
pub use history::HistoryItem;
pub use notify::{Notify, NotifyAction, NotifyBatch, To};
pub use profile::{EraseUser, Identity, SubscriptionUpdated, UpdateSubscription, UserErased};
pub use request::{
    CreateKey, Credentials, ListEntries, NamedKey, RegisterSubscription, Unsubscribe,
};
pub use response::{
    Account, Acknowledged, Actor, ApiKey, BatchAccepted, Cancelled, CreatedKey, DeadLetter,
    ErrorBody, KeyEvent, Page, PublicKey, Registered, SendAccepted, SessionCreated, User,
};
pub use stats::{DailyStats, Stats};
pub use unique_members::has_unique_members;
pub use vapid::{AddVapidKey, ConfirmOwner, EcJwk, ExportedVapidKey, VapidKey};
pub use webhook::{EventBody, EventData, EventResult, Webhook};
