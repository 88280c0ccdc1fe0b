//! What only PostgreSQL has: a server to be reached, connections to be lost, and others who write at the same time.

mod acceptance_groups;
mod clocks;
mod concurrency;
mod connections;
mod later_tables;
mod opening;
mod outboxes;
mod pooler;
mod rate_windows;
mod silence;
mod sweep_lease;
mod tls;
mod wake_ups;
