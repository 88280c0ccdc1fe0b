//! One suite for every store, through the ports alone, on a real database each.

mod accounts;
mod apps;
mod cancellations;
mod claims;
mod commits;
mod dead_letters;
mod due_time_repair;
mod excluded_apps;
mod github;
mod history;
mod idempotency;
mod key_events;
mod keys;
mod leases;
mod opening;
mod operator;
mod queue_model;
mod retention;
mod sends;
mod sessions;
mod settlements;
mod stats;
mod subscription_list;
mod subscriptions;
mod test_store;
mod webhooks;
