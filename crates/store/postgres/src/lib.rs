//! Hato's store on PostgreSQL 15 or later, which any number of processes share.
//!
//! Every statement stands once, in `../shared`, which is the source of one crate per database: this one compiles it for PostgreSQL
//! and has sqlx check each statement against PostgreSQL's tables. What is PostgreSQL's own is the opening (`database`, `migration`),
//! the few words of SQL that differ (`dialect`), how a transaction is run, and run again (`transactions`), directly or through a pooler
//! (`connections`), how connections are kept (`pool`), how sends and settlements share a commit (`groups`), the end of reads that take too long (`bounded_reads`), how
//! processes wake each other (`wake_ups`), whose clock is right (`clock_check`), and what they share beside the tables of SQLite (`rate_windows`, `sweep_lease`).
//!
//! ```no_run
//! use hato_service::ports::Store as _;
//! use hato_store_postgres::{Database, PostgresSettings};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let url = "postgres://hato:password@localhost/hato";
//! let store = Database::open(url, &PostgresSettings::default()).await?;
//! store.ping().await?;
//! store.close().await;
//! # Ok(())
//! # }
//! ```

mod acceptance_groups;
mod app_locks;
mod app_turns;
mod bounded_reads;
mod clock_check;
mod connection;
mod connections;
mod database;
mod dialect;
mod exclusive;
mod failure;
mod groups;
mod held_connection;
mod migration;
mod open_error;
mod pool;
mod presence;
mod rate_windows;
mod readers;
mod settings;
mod settlement_groups;
mod store;
pub mod stored_text;
mod sweep_lease;
mod transactions;
mod waiting;
mod wake_ups;

#[path = "../../shared/acceptance.rs"]
mod acceptance;
#[path = "../../shared/account_search.rs"]
mod account_search;
#[path = "../../shared/accounts.rs"]
mod accounts;
#[path = "../../shared/app_settings.rs"]
mod app_settings;
#[path = "../../shared/apps.rs"]
mod apps;
#[path = "../../shared/audience.rs"]
mod audience;
#[path = "../../shared/audience_summary.rs"]
mod audience_summary;
#[path = "../../shared/bulk_registration.rs"]
mod bulk_registration;
#[path = "../../shared/cancellation.rs"]
mod cancellation;
#[path = "../../shared/checks.rs"]
mod checks;
#[path = "../../shared/claim.rs"]
mod claim;
#[path = "../../shared/claimed_send.rs"]
mod claimed_send;
#[path = "../../shared/completion.rs"]
mod completion;
#[path = "../../shared/costly_selections.rs"]
mod costly_selections;
#[path = "../../shared/deactivation.rs"]
mod deactivation;
#[path = "../../shared/dead_letters.rs"]
mod dead_letters;
#[path = "../../shared/deleted_accounts.rs"]
mod deleted_accounts;
#[path = "../../shared/deleted_apps.rs"]
mod deleted_apps;
#[path = "../../shared/due_jobs.rs"]
mod due_jobs;
#[path = "../../shared/due_sends.rs"]
mod due_sends;
#[path = "../../shared/due_time_repair.rs"]
mod due_time_repair;
#[path = "../../shared/engagement.rs"]
mod engagement;
#[path = "../../shared/engagement_events.rs"]
mod engagement_events;
#[path = "../../shared/erasure.rs"]
mod erasure;
#[path = "../../shared/error.rs"]
mod error;
#[path = "../../shared/event_readers.rs"]
mod event_readers;
#[path = "../../shared/export.rs"]
mod export;
#[path = "../../shared/github.rs"]
mod github;
#[path = "../../shared/idempotency.rs"]
mod idempotency;
#[path = "../../shared/identity.rs"]
mod identity;
#[path = "../../shared/included.rs"]
mod included;
#[path = "../../shared/jobs.rs"]
mod jobs;
#[path = "../../shared/key_events.rs"]
mod key_events;
#[path = "../../shared/keys.rs"]
mod keys;
#[path = "../../shared/listed_subscription.rs"]
mod listed_subscription;
#[path = "../../shared/listeners.rs"]
mod listeners;
#[path = "../../shared/missed.rs"]
mod missed;
#[path = "../../shared/operator.rs"]
mod operator;
#[path = "../../shared/origins.rs"]
mod origins;
#[path = "../../shared/outbox_release.rs"]
mod outbox_release;
#[path = "../../shared/pacing.rs"]
mod pacing;
#[path = "../../shared/paging.rs"]
mod paging;
#[path = "../../shared/pictures.rs"]
mod pictures;
#[path = "../../shared/profiles.rs"]
mod profiles;
#[path = "../../shared/queue.rs"]
mod queue;
#[path = "../../shared/reach.rs"]
mod reach;
#[path = "../../shared/reach_blocks.rs"]
mod reach_blocks;
#[path = "../../shared/recent_counts.rs"]
mod recent_counts;
#[path = "../../shared/refusals.rs"]
mod refusals;
#[path = "../../shared/registered_profile.rs"]
mod registered_profile;
#[path = "../../shared/registration.rs"]
mod registration;
#[path = "../../shared/reported_recipients.rs"]
mod reported_recipients;
#[path = "../../shared/retention.rs"]
mod retention;
#[path = "../../shared/reviews.rs"]
mod reviews;
#[path = "../../shared/sampled_devices.rs"]
mod sampled_devices;
#[path = "../../shared/scheduled_sends.rs"]
mod scheduled_sends;
#[path = "../../shared/sealed_texts.rs"]
mod sealed_texts;
#[path = "../../shared/selection.rs"]
mod selection;
#[path = "../../shared/send_failures.rs"]
mod send_failures;
#[path = "../../shared/send_search.rs"]
mod send_search;
#[path = "../../shared/send_windows.rs"]
mod send_windows;
#[path = "../../shared/sends.rs"]
mod sends;
#[path = "../../shared/sent_content.rs"]
mod sent_content;
#[path = "../../shared/sessions.rs"]
mod sessions;
#[path = "../../shared/settled_page.rs"]
mod settled_page;
#[path = "../../shared/settlement.rs"]
mod settlement;
#[path = "../../shared/shared_clock.rs"]
mod shared_clock;
#[path = "../../shared/stats.rs"]
mod stats;
#[path = "../../shared/stored_audience.rs"]
mod stored_audience;
#[path = "../../shared/stored_content.rs"]
mod stored_content;
#[path = "../../shared/stored_event.rs"]
mod stored_event;
#[path = "../../shared/stored_webhook.rs"]
mod stored_webhook;
#[path = "../../shared/subscription_counts.rs"]
mod subscription_counts;
#[path = "../../shared/subscription_list.rs"]
mod subscription_list;
#[path = "../../shared/subscription_purge.rs"]
mod subscription_purge;
#[path = "../../shared/subscriptions.rs"]
mod subscriptions;
#[path = "../../shared/tag_checks.rs"]
mod tag_checks;
#[path = "../../shared/tag_positions.rs"]
mod tag_positions;
#[path = "../../shared/transaction.rs"]
mod transaction;
#[path = "../../shared/values.rs"]
mod values;
#[path = "../../shared/vapid_keys.rs"]
mod vapid_keys;
#[path = "../../shared/webhook_attempts.rs"]
mod webhook_attempts;
#[path = "../../shared/webhook_events.rs"]
mod webhook_events;
#[path = "../../shared/webhook_outbox.rs"]
mod webhook_outbox;
#[path = "../../shared/webhook_purge.rs"]
mod webhook_purge;
#[path = "../../shared/webhooks.rs"]
mod webhooks;
#[path = "../../shared/written_blocks.rs"]
mod written_blocks;

pub use database::Database;
pub use exclusive::{open_exclusively, refuse_if_in_use};
pub use open_error::PostgresOpenError;
pub use presence::is_awaited;
pub use settings::PostgresSettings;
