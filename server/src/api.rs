//! The endpoints of /api/v1, one file per noun: wire type in, use case, wire type out.

pub mod apps;
pub mod dead_letters;
pub mod key_events;
pub mod keys;
pub mod notifications;
pub mod notify;
pub mod stats;
pub mod subscriptions;
pub mod vapid_public_key;
pub mod webhook;
