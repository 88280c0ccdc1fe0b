//! Rebuilds the server when the site that is embedded in it changes.

use std::path::Path;

fn main() {
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/site");
    // Cargo takes a missing path for a change, at every build.
    if std::fs::create_dir_all(&site).is_ok() {
        println!("cargo::rerun-if-changed={}", site.display());
    }
}
