//! Real peers for Hato's tests, benchmarks and demo: a push service, a customer's site, the server's process.
//!
//! Nothing here is a mock: the push service speaks TLS, HTTP/2, HTTP/1.1 and Firefox's WebSocket protocol,
//! verifies VAPID and decrypts with code that is not the sender's, so that what passes here passes outside.
//!
//! ```no_run
//! # async fn example() {
//! use hato_testkit::push_service::{Answer, PushService};
//!
//! let service = PushService::start().await;
//! let browser = service.subscribe(None);
//! service.script(&browser, [Answer::Status(500), Answer::Created]);
//! // … let the server under test send to browser.endpoint …
//! service.wait_until(|seen| seen.counts(&browser.id).created == 1).await;
//! service.assert_no_violations();
//! # }
//! ```

pub mod authority;
pub mod chance;
pub mod client;
pub mod customer_site;
pub mod firefox_profile;
pub mod github;
mod listening;
pub mod owner;
mod plain_http;
pub mod program;
pub mod push_service;
pub mod server;
pub mod webhook_receiver;
pub mod wire;
