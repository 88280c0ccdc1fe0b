//! The engine between a real store and a push service that is real on the wire.

mod clock_fault;
mod connections;
mod declarative;
mod details;
mod due_time_repair;
mod hostile;
mod janitor;
mod local_faults;
mod outcomes;
mod panics;
mod refusals;
mod retries;
mod running;
mod schedule;
mod sharing;
mod spy_queue;
mod test_app;
mod test_engine;
mod test_log;
mod test_resolver;
mod throttling;
mod webhook;
