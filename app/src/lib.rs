//! Hato's dashboard: pages, components, islands and server functions.
//!
//! Every page is rendered on the server and every form is a plain POST, so that nothing depends on scripts; islands add
//! what is interactive. With `ssr` this is the server's half, with `hydrate` the browser's, which holds the islands and
//! the callers of the server functions and nothing else.
//!
//! ```
//! # #[cfg(feature = "ssr")]
//! /// The dashboard as the server mounts it beside the API.
//! fn dashboard(context: hato_app::AppContext) -> axum::Router {
//!     hato_app::router(context)
//! }
//!
//! # #[cfg(feature = "ssr")] {
//! // Where a form leads is a path of this site, never another site.
//! assert_eq!(hato_app::local_path("/apps"), Some("/apps"));
//! assert_eq!(hato_app::local_path("//evil.example"), None);
//! # }
//! ```

#![recursion_limit = "256"]

pub mod islands;
mod live_error_texts;
pub mod server_fns;
mod text_list;
mod thousands;
mod wrong_text;

#[cfg(feature = "ssr")]
mod components;
#[cfg(feature = "ssr")]
mod context;
#[cfg(feature = "ssr")]
pub mod cookie;
#[cfg(feature = "ssr")]
mod csv;
#[cfg(feature = "ssr")]
mod downloads;
#[cfg(feature = "ssr")]
mod flash;
#[cfg(feature = "ssr")]
mod form_page;
#[cfg(feature = "ssr")]
mod form_post;
#[cfg(all(feature = "ssr", any(test, hato_fuzzing)))]
pub mod fuzzing;
#[cfg(feature = "ssr")]
mod headers;
#[cfg(feature = "ssr")]
mod i18n;
#[cfg(feature = "ssr")]
mod language;
#[cfg(feature = "ssr")]
mod lasting_access;
#[cfg(feature = "ssr")]
mod local_path;
#[cfg(feature = "ssr")]
mod pages;
#[cfg(feature = "ssr")]
mod progress_events;
#[cfg(feature = "ssr")]
mod queued_event;
#[cfg(feature = "ssr")]
mod refusal;
#[cfg(feature = "ssr")]
mod rendering;
#[cfg(feature = "ssr")]
mod request_context;
#[cfg(feature = "ssr")]
mod router;
#[cfg(feature = "ssr")]
mod sdk;
#[cfg(feature = "ssr")]
mod send_snapshot;
#[cfg(feature = "ssr")]
pub mod session_cookie;
#[cfg(feature = "ssr")]
mod shell;
#[cfg(feature = "ssr")]
mod theme;
#[cfg(feature = "ssr")]
mod time_zone;
#[cfg(feature = "ssr")]
mod upload;

#[cfg(feature = "ssr")]
pub use context::AppContext;
#[cfg(feature = "ssr")]
pub use local_path::local_path;
#[cfg(feature = "ssr")]
pub use progress_events::Draining;
#[cfg(feature = "ssr")]
pub use refusal::RefusalCode;
#[cfg(feature = "ssr")]
pub use rendering::error_page;
#[cfg(feature = "ssr")]
pub use router::router;
#[cfg(feature = "ssr")]
pub use sdk::Sdk;
#[cfg(feature = "ssr")]
pub use upload::{MAX_FORM_BYTES, MAX_LIST_BYTES, brings_picture, takes_list, takes_picture};
