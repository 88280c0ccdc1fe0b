//! The engine against a push service that is real on the wire.

mod connections;
mod outcomes;
mod queue;
mod retries;
mod running;
mod world;
