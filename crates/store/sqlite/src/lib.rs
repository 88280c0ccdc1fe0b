//! Hato's store on an embedded SQLite file.
//!
//! The statements stand once, in `../shared`, and are compiled and checked here against SQLite. What is SQLite's own is the
//! opening of the file (`database`), the few words of SQL that differ (`dialect`) and the one writer (`writer`).

mod database;
mod dialect;
mod writer;

#[path = "../../shared/accounts.rs"]
mod accounts;
#[path = "../../shared/apps.rs"]
mod apps;
#[path = "../../shared/claim.rs"]
mod claim;
#[path = "../../shared/failure.rs"]
mod failure;
#[path = "../../shared/keys.rs"]
mod keys;
#[path = "../../shared/queue.rs"]
mod queue;
#[path = "../../shared/sends.rs"]
mod sends;
#[path = "../../shared/sessions.rs"]
mod sessions;
#[path = "../../shared/settlement.rs"]
mod settlement;
#[path = "../../shared/subscriptions.rs"]
mod subscriptions;

pub use database::{Database, OpenError};
