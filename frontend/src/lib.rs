//! The dashboard's wasm: it hydrates the islands and nothing else.

use hato_app as _; // its islands are exported to the page's script
use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by the page's script, before the islands are hydrated.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
