//! The Hato server: one process with the API, the dashboard, the browser parts and delivery (ARCHITECTURE).
//!
//! Read [`router`] first: it is the whole route table. A request then goes through `http` (who is it, may it, is it
//! well-formed) to a handler in `api` or `accounts`, which is a thin adapter over `hato_service`.

mod accounts;
mod admin;
mod api;
mod assets;
mod boot;
mod command;
mod config;
mod connections;
mod health;
mod http;
mod lifecycle;
mod llms;
mod logging;
mod mcp;
mod metrics;
mod openapi;
mod pages;
mod router;
mod routes;
mod secrets_file;
mod state;

pub use command::main;
pub use router::endpoints;
pub use routes::Route;
