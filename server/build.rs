//! Rebuilds the server when the site that is embedded in it changes.

use std::path::Path;

fn main() {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the package's folder");
    let site = Path::new(&package).join("../target/site");
    // Cargo takes a missing path for a change, at every build.
    if std::fs::create_dir_all(&site).is_ok() {
        println!("cargo::rerun-if-changed={}", site.display());
    }
}
