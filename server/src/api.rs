//! The endpoints of /api/v1, one file per group of the description: wire type in, use case, wire type out.

pub mod apps;
pub mod audience;
pub mod event_stream;
pub mod events;
pub mod keys;
pub mod notifications;
pub mod notify;
pub mod stats;
pub mod subscriptions;
pub mod transfer;
pub mod users;
pub mod vapid_keys;
pub mod webhook;
