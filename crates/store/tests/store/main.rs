//! One suite for every store, through the ports alone, on a real database each.

mod accounts;
mod apps;
mod claims;
mod commits;
mod history;
mod keys;
mod leases;
mod opening;
mod sends;
mod sessions;
mod settlements;
mod subscriptions;
mod world;
