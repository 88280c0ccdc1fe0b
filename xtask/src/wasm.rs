//! Packages of the workspace as wasm with JavaScript around it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

use crate::files::{self, Files};
use crate::workspace::{self, Workspace};

/// Wasm builds have a target directory of their own, so that they never wait for a native build.
const TARGET: &str = "wasm32-site";
/// The platform of Rust for code that browsers run.
const PLATFORM: &str = "wasm32-unknown-unknown";

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
    let mut cargo = workspace.cargo();
    cargo
        .args(["build", "--quiet", "--lib", "--target", PLATFORM])
        .args(["--package", package, "--profile", profile, "--target-dir"])
        .arg(&target);
    let mut flags = vec![remap_home_flag()?];
    if !dev {
        leave_panics_out(&mut cargo, &mut flags);
    }
    cargo.args(["--config", &flags_config(&flags)]);
    workspace::run(&mut cargo)?;
    let file = format!("{PLATFORM}/{folder}/{}.wasm", package.replace('-', "_"));
    let output = target.join("bound").join(folder).join(package);
    bind(&target.join(file), &output, kind)?;
    read(&output)
}

/// Panics name the files of dependencies: without this machine's folder the bytes are everybody's.
fn remap_home_flag() -> Result<String> {
    let cargo = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .context("cargo has no home")?;
    Ok(format!("--remap-path-prefix={}=cargo", cargo.display()))
}

/// Compiles the standard library too, so that a panic stops the program without a word: what writes its message is an eighth of what
/// browsers load, and nobody reads it there. The toolchain is pinned, so that what is unstable of this is the same for everybody.
fn leave_panics_out(cargo: &mut Command, flags: &mut Vec<String>) {
    cargo
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features="]);
    flags.extend(
        [
            "-Zunstable-options",
            "-Cpanic=immediate-abort",
            "-Zfmt-debug=none",
        ]
        .map(str::to_owned),
    );
}

fn flags_config(flags: &[String]) -> String {
    format!("target.{PLATFORM}.rustflags={flags:?}")
}

/// Whether what wasm-bindgen made last time is newer than the wasm and than xtask itself.
fn is_bound(wasm: &Path, output: &Path) -> Result<bool> {
    let Ok(output_time) = modified_time(&output.join("package_bg.wasm")) else {
        return Ok(false);
    };
    Ok(output_time > modified_time(wasm)? && output_time > modified_time(&env::current_exe()?)?)
}

/// Runs wasm-bindgen, unless that has nothing new to do.
fn bind(wasm: &Path, output: &Path, kind: ScriptKind) -> Result<()> {
    if is_bound(wasm, output)? {
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
