//! `target/site`, which the server embeds: the dashboard's wasm, script and style under one hashed
//! name, and the SDK. (Elsewhere, a site is a customer's.)
//!
//! Leptos looks for `pkg/NAME.js`, `.wasm` and `.css` with one output name for the three, so one
//! hash is made over all of them; `build.txt` tells the server that name.

use std::path::Path;

use anyhow::Result;
use clap::ValueEnum;
use sha2::{Digest, Sha256};

use crate::files::{self, Files};
use crate::publish::publish;
use crate::wasm::{self, ScriptKind};
use crate::workspace::Workspace;
use crate::{sdk, style};

/// A part of the site that can be built alone.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SitePart {
    /// What customers' sites load: the service worker and the page script
    Sw,
    /// The dashboard's wasm, script, style and icons
    Dashboard,
}

/// Builds the site, or one part of it, into `target/site` and removes what is no longer part of it.
pub fn build(workspace: &Workspace, dev: bool, only: Option<SitePart>) -> Result<()> {
    let mut files = Files::new();
    if only != Some(SitePart::Dashboard) {
        files.extend(sdk::build(workspace, dev)?);
    }
    if only != Some(SitePart::Sw) {
        files.extend(dashboard(workspace, dev)?);
    }
    publish(&workspace.site(), &files, !dev, |path| {
        only.is_none_or(|part| path.starts_with(sdk::FOLDER) == (part == SitePart::Sw))
    })
}

fn dashboard(workspace: &Workspace, dev: bool) -> Result<Files> {
    let css = style::bundle(&workspace.root.join("style/main.css"))?;
    let built = wasm::build(workspace, "hato-frontend", ScriptKind::Module, dev)?;
    let name = format!(
        "hato-{}",
        hash([&built.script, &built.wasm, css.as_bytes()])
    );
    let package = Path::new("pkg");
    let mut files = files::read(&workspace.root.join("style/public"))?;
    let snippets = files::move_into(&package.join("snippets"), built.snippets);
    files.extend(snippets);
    files.insert(package.join(format!("{name}.js")), built.script);
    files.insert(package.join(format!("{name}.wasm")), built.wasm);
    files.insert(package.join(format!("{name}.css")), css.into_bytes());
    files.insert("build.txt".into(), name.into_bytes());
    Ok(files)
}

/// Twelve hexadecimal digits that stand for these contents.
fn hash(contents: [&[u8]; 3]) -> String {
    let mut hasher = Sha256::new();
    for content in contents {
        hasher.update(Sha256::digest(content));
    }
    let digest = hasher.finalize();
    let start = digest
        .iter()
        .take(6)
        .fold(0, |start, byte| start << 8 | u64::from(*byte));
    format!("{start:012x}")
}
