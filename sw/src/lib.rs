//! What the service worker on customers' sites decides: what a push shows and where a click leads.
//!
//! `worker/worker.js` listens to the browser's events, does the waiting, and calls [`push`] and
//! [`click_destination`], compiled to wasm without an asynchronous runtime, which would weigh as much as the
//! rest. The decisions are in [`message`] and [`destination`], which know nothing of a browser.

pub mod destination;
pub mod message;

mod worker;

pub use worker::{click_destination, push};
