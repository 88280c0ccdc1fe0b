//! One suite for every store, through the ports alone, on a real database each.

mod accounts;
mod apps;
mod cancellations;
mod claims;
mod clock_steps;
mod commits;
mod dead_letters;
mod github;
mod history;
mod key_events;
mod keys;
mod leases;
mod opening;
mod operator;
mod queue_model;
mod repeated;
mod retention;
mod sends;
mod sessions;
mod settlements;
mod stats;
mod subscription_list;
mod subscriptions;
mod turns;
mod webhooks;
mod world;
