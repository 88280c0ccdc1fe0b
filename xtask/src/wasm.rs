//! Packages of the workspace as wasm with JavaScript around it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

use crate::files::{self, Files};
use crate::workspace::{self, Workspace};

/// Wasm builds have a target directory of their own, so that they never wait for a native build.
const TARGET: &str = "wasm32-site";

/// The kind of script that wraps the wasm.
#[derive(Clone, Copy)]
pub enum ScriptKind {
    /// An ES module, for pages.
    Module,
    /// A classic script that declares `wasm_bindgen`, for service workers.
    Classic,
}

/// A package's wasm and the script that binds it to the browser.
pub struct BindgenOutput {
    pub script: Vec<u8>,
    pub wasm: Vec<u8>,
    /// Scripts that the main one imports from `./snippets/`.
    pub snippets: Files,
}

/// Compiles the package for browsers, with `dev` without optimisation, and binds it.
pub fn build(
    workspace: &Workspace,
    package: &str,
    kind: ScriptKind,
    dev: bool,
) -> Result<BindgenOutput> {
    let (profile, folder) = if dev {
        ("dev", "debug")
    } else {
        ("wasm", "wasm")
    };
    let target = workspace.target.join(TARGET);
    workspace::run(
        workspace
            .cargo()
            .args([
                "build",
                "--quiet",
                "--lib",
                "--target",
                "wasm32-unknown-unknown",
            ])
            .args(["--package", package, "--profile", profile, "--target-dir"])
            .arg(&target)
            .args(["--config", &remap_home_config()?]),
    )?;
    let file = format!(
        "wasm32-unknown-unknown/{folder}/{}.wasm",
        package.replace('-', "_")
    );
    let output = target.join("bound").join(folder).join(package);
    bind(&target.join(file), &output, kind)?;
    read(&output)
}

/// Panics name the files of dependencies: without this machine's folder the bytes are everybody's.
fn remap_home_config() -> Result<String> {
    let cargo = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .context("cargo has no home")?;
    Ok(format!(
        "target.wasm32-unknown-unknown.rustflags=['--remap-path-prefix={}=cargo']",
        cargo.display()
    ))
}

/// Runs wasm-bindgen, unless what it made last time is newer than the wasm and than xtask itself.
fn bind(wasm: &Path, output: &Path, kind: ScriptKind) -> Result<()> {
    let output_time = output.join("package_bg.wasm");
    if let Ok(output_time) = modified_time(&output_time)
        && output_time > modified_time(wasm)?
        && output_time > modified_time(&env::current_exe()?)?
    {
        return Ok(());
    }
    if output.exists() {
        fs::remove_dir_all(output)?;
    }
    let mut bindgen = Bindgen::new();
    match kind {
        ScriptKind::Module => bindgen.web(true)?,
        ScriptKind::Classic => bindgen.no_modules(true)?,
    };
    bindgen
        .input_path(wasm)
        .out_name("package")
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(true)
        .generate(output)
}

fn modified_time(file: &Path) -> Result<SystemTime> {
    let metadata = fs::metadata(file).with_context(|| format!("no {}", file.display()))?;
    Ok(metadata.modified()?)
}

fn read(output: &Path) -> Result<BindgenOutput> {
    Ok(BindgenOutput {
        script: fs::read(output.join("package.js"))?,
        wasm: fs::read(output.join("package_bg.wasm"))?,
        snippets: files::read(&output.join("snippets"))?,
    })
}
