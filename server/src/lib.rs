//! The Hato server: one process with the API, the dashboard, the browser parts and delivery (ARCHITECTURE).
//!
//! Read [`router`] first: it is the whole route table. A request then goes through `http` (who is it, may it, is it
//! well-formed) to a handler in `api`, `accounts` or `mcp`, which is a thin adapter over `hato_service`. What runs besides
//! requests is put together in `boot` and lives and ends in `lifecycle`.
//!
//! Imports go one way: `command` → `boot` → `router` → `api`, `accounts`, `mcp`, `dashboard` → `http` → `state` → `config`.
//!
//! The route table can be read, so that whatever must hold for every endpoint can be held against all of them:
//!
//! ```
//! let routes = hato_server::endpoints();
//! let create = routes.iter().find(|route| route.path == "/api/v1/apps" && route.method == http::Method::POST);
//! assert!(create.is_some());
//! ```

mod accounts;
mod admin;
mod api;
mod assets;
mod background_threads;
mod backup;
mod boot;
mod check;
mod command;
mod config;
mod connections;
mod copy_data;
mod dashboard;
mod database;
mod file_limit;
mod file_modes;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
mod github_provider;
mod health;
mod healthcheck;
mod http;
mod lifecycle;
mod llms;
mod logging;
mod mcp;
mod media;
mod metrics;
mod openapi;
mod rotation;
mod router;
mod routes;
mod secrets_file;
mod state;
mod telemetry;

pub use command::main;
pub use router::endpoints;
pub use routes::Route;
