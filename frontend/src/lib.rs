//! The dashboard's wasm: it hydrates the islands and nothing else.
//!
//! The pages stay on the server, so that this file is small and a page works before it has arrived. The script that Leptos
//! writes into a page with islands loads it and calls [`hydrate`]:
//!
//! ```js
//! import("/pkg/hato.js").then(module => module.default("/pkg/hato_bg.wasm").then(() => module.hydrate()));
//! ```
//!
//! There is no example in Rust: only a page can call [`hydrate`], and the host builds neither this crate nor its tests, because
//! its `hydrate` feature would join the `ssr` of the dashboard there.

use hato_app as _; // its islands are exported to the page's script
use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by the page's script, before the islands are hydrated.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
