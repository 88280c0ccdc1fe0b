//! What only PostgreSQL has: a server to be reached, connections to be lost, and others who write at the same time.

mod concurrency;
mod connections;
mod opening;
mod outboxes;
mod rate_windows;
mod sweep_lease;
mod wake_ups;
