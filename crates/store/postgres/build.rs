//! Tells cargo which files the macros read behind its back.

fn main() {
    for path in ["../../../migrations/postgres", ".sqlx", "sqlx.toml"] {
        println!("cargo:rerun-if-changed={path}");
    }
}
