//! The engine between a real store and a push service that is real on the wire.

mod app;
mod clock_steps;
mod connections;
mod hostile;
mod janitor;
mod outcomes;
mod panics;
mod retries;
mod running;
mod sharing;
mod throttling;
mod watched;
mod webhook;
mod world;
