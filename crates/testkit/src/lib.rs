//! Real peers for Hato's tests, benchmarks and demo: a push service, a customer's site, the server's process.
//!
//! Nothing here is a mock: the push service speaks TLS, HTTP/2, HTTP/1.1 and Firefox's WebSocket protocol,
//! verifies VAPID and decrypts with code that is not the sender's, so that what passes here passes outside.
//!
//! ```no_run
//! # async fn example() {
//! use hato_testkit::push_service::{PushService, ScriptedResponse};
//!
//! let service = PushService::start().await;
//! let browser = service.subscribe(None);
//! service.script(&browser, [ScriptedResponse::Status(500), ScriptedResponse::Created]);
//! // … let the server under test send to browser.endpoint …
//! service.wait_until(|seen| seen.counts(&browser.id).created == 1).await;
//! service.assert_no_violations();
//! # }
//! ```

pub mod client;
pub mod customer_site;
pub mod declarative_push;
pub mod event_stream_reader;
pub mod fault_proxy;
pub mod firefox_profile;
pub mod github;
mod listener_task;
pub mod load_balancer;
pub mod manual_clock;
pub mod old_postgres;
pub mod owner;
mod plain_http;
pub mod port;
pub mod program;
pub mod push_service;
pub mod secured_cluster;
pub mod seeded_rng;
pub mod server;
pub mod test_ca;
mod test_database;
pub mod webhook_receiver;

pub use hato_testkit_macros::on_each_database;
pub use test_database::{TestDatabase, partitioning};
