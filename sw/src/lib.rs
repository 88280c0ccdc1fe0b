//! What the service worker on customers' sites decides: what a push shows and where a click leads.
//!
//! `worker/worker.js` listens to the browser's events, does the waiting, and calls [`push`] and
//! [`click_destination`], compiled to wasm without an asynchronous runtime, which would weigh as much as the
//! rest. The decisions are in [`message`] and [`destination`], which know nothing of a browser, so
//! that they are tested without one:
//!
//! ```
//! use hato_sw::destination::destination;
//! use hato_sw::message::{MemberValue, PushMessage};
//!
//! // In the worker this looks into the object that the browser's JSON.parse has made of the push.
//! let member = |path: &[&str]| match path {
//!     ["title"] => Some(MemberValue::Text("Fresh bread".to_owned())),
//!     ["url"] => Some(MemberValue::Text("javascript:alert(1)".to_owned())),
//!     _ => None,
//! };
//! let message = PushMessage::read(member).expect("it has a title");
//! assert_eq!(message.title.as_deref(), Some("Fresh bread"));
//! assert_eq!(destination(message.url, "https://bakery.example"), "https://bakery.example/");
//! ```

pub mod destination;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
pub mod message;

mod exports;

pub use exports::{click_destination, push};
