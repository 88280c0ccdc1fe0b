//! Hato's dashboard: pages, components, islands and server functions.
//!
//! Every page is rendered on the server and every form is a plain POST, so that nothing depends on scripts; islands add
//! what must be lively. With `ssr` this is the server's half, with `hydrate` the browser's, which holds the islands and
//! the callers of the server functions and nothing else.

#![recursion_limit = "256"]

pub mod calls;
mod grouped;
pub mod islands;

#[cfg(feature = "ssr")]
mod components;
#[cfg(feature = "ssr")]
mod context;
#[cfg(feature = "ssr")]
pub mod cookie;
#[cfg(feature = "ssr")]
mod headers;
#[cfg(feature = "ssr")]
mod i18n;
#[cfg(feature = "ssr")]
mod language;
#[cfg(feature = "ssr")]
mod once;
#[cfg(feature = "ssr")]
mod own_path;
#[cfg(feature = "ssr")]
mod pages;
#[cfg(feature = "ssr")]
mod progress_events;
#[cfg(feature = "ssr")]
mod router;
#[cfg(feature = "ssr")]
mod sdk;
#[cfg(feature = "ssr")]
pub mod session_cookie;
#[cfg(feature = "ssr")]
mod shell;
#[cfg(feature = "ssr")]
mod visit;

#[cfg(feature = "ssr")]
pub use context::AppContext;
#[cfg(feature = "ssr")]
pub use own_path::own_path;
#[cfg(feature = "ssr")]
pub use progress_events::Draining;
#[cfg(feature = "ssr")]
pub use router::{error_page, router};
#[cfg(feature = "ssr")]
pub use sdk::Sdk;
