//! `target/site`, which the server embeds: the dashboard's wasm, script and style under one hashed
//! name, and the SDK. (Elsewhere, a site is a customer's.)
//!
//! Leptos looks for `pkg/NAME.js`, `.wasm` and `.css` with one output name for the three, so one
//! hash is made over all of them, over `NAME-page.js`, which every page runs, and over the styles
//! and scripts of a few pages, such as `NAME-previews.css` and `NAME-upload.js`; `build.txt` tells
//! the server that name.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::ValueEnum;
use sha2::{Digest, Sha256};

use crate::files::{self, Files};
use crate::publish::publish;
use crate::script::strip;
use crate::wasm::{self, ScriptKind};
use crate::workspace::Workspace;
use crate::{sdk, style};

/// The parts of the script of every page, below `app/scripts`.
const PAGE_SCRIPT: [&str; 8] = [
    "times.js",
    "offsets.js",
    "copy.js",
    "forms.js",
    "passwords.js",
    "questions.js",
    "folded.js",
    "palette.js",
];

/// Those of a few pages beside the one of every page, by how their names end: of the page to which
/// lists are uploaded, of the reference, and of the history.
const OTHER_SCRIPTS: [(&str, &[&str]); 3] = [
    ("-upload.js", &["upload.js"]),
    ("-reference.js", &["samples.js", "contents.js"]),
    ("-history.js", &["days.js"]),
];

/// The styles of a few pages beside the one of every page, likewise.
const OTHER_STYLES: [(&str, &str); 2] = [
    ("-previews.css", "style/previews.css"),
    ("-reference.css", "style/reference.css"),
];

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
    let parts = parts(workspace)?;
    let built = wasm::build(workspace, "hato-frontend", ScriptKind::Module, dev)?;
    let own = [&built.script[..], &built.wasm, css.as_bytes()];
    let contents = own
        .into_iter()
        .chain(parts.iter().map(|(_, part)| part.as_bytes()));
    let name = format!("hato-{}", hash(contents));
    let package = Path::new("pkg");
    let mut files = files::read(&workspace.root.join("style/public"))?;
    let snippets = files::move_into(&package.join("snippets"), built.snippets);
    files.extend(snippets);
    files.insert(package.join(format!("{name}.js")), built.script);
    files.insert(package.join(format!("{name}.wasm")), built.wasm);
    files.insert(package.join(format!("{name}.css")), css.into_bytes());
    for (ending, part) in parts {
        files.insert(package.join(format!("{name}{ending}")), part.into_bytes());
    }
    files.insert("build.txt".into(), name.into_bytes());
    Ok(files)
}

/// The script of every page, and the scripts and styles of a few, by how their names end.
fn parts(workspace: &Workspace) -> Result<Vec<(&'static str, String)>> {
    let mut parts = vec![("-page.js", script_of(workspace, &PAGE_SCRIPT)?)];
    for (ending, sources) in OTHER_SCRIPTS {
        parts.push((ending, script_of(workspace, sources)?));
    }
    for (ending, source) in OTHER_STYLES {
        parts.push((ending, style::bundle(&workspace.root.join(source))?));
    }
    Ok(parts)
}

/// What pages of the dashboard run, islands or not.
fn script_of(workspace: &Workspace, parts: &[&str]) -> Result<String> {
    let folder = workspace.root.join("app/scripts");
    let source = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let sources = parts.iter().map(|part| source(part));
    Ok(strip(&sources.collect::<Result<String>>()?))
}

/// Twelve hexadecimal digits that stand for these contents.
fn hash<'c>(contents: impl IntoIterator<Item = &'c [u8]>) -> String {
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
