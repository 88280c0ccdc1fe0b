//! What customers' sites load: the service worker with its wasm inside, and the page script in its
//! two forms.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::publish::Files;
use crate::script::{fill, strip};
use crate::wasm::{self, Bound, Flavour};
use crate::workspace::Workspace;

/// Where the SDK is in the site.
pub const FOLDER: &str = "sdk";
const PACKAGE: &str = "hato-sw";

/// The SDK's files, each also under the version of the package.
pub fn build(workspace: &Workspace, dev: bool) -> Result<Files> {
    let version = workspace.version_of(PACKAGE)?;
    let source = |name: &str| {
        let path = workspace.root.join("sw").join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let registration = source("page/registration.js")?;
    let page = source("page/hato.js")?;
    let bound = wasm::build(workspace, PACKAGE, Flavour::Classic, dev)?;
    let banner = format!("/*! Hato {version} | MIT OR Apache-2.0 */\n");
    let scripts = [
        (
            "sw.js",
            banner.clone() + &worker(&source("worker/shell.js")?, &registration, &bound)?,
        ),
        ("hato.js", banner.clone() + &classic(&registration, &page)),
        ("hato.mjs", banner + &module(&registration, &page)),
        ("hato.d.ts", source("page/hato.d.ts")?),
    ];
    Ok(scripts
        .into_iter()
        .flat_map(|(name, text)| places(name, &version, text))
        .collect())
}

/// The worker is one file: a worker that the browser wakes while our server cannot be reached
/// still has its wasm.
fn worker(shell: &str, registration: &str, bound: &Bound) -> Result<String> {
    let glue = std::str::from_utf8(&bound.script)?;
    let wasm = STANDARD.encode(&bound.wasm);
    Ok(strip(&fill(
        shell,
        &[
            ("registration", registration),
            ("glue", glue),
            ("wasm", &wasm),
        ],
    )))
}

fn classic(registration: &str, page: &str) -> String {
    strip(&format!(
        "(() => {{\n\"use strict\";\n{registration}\n{page}\nglobalThis.hato = hato;\n}})();\n"
    ))
}

fn module(registration: &str, page: &str) -> String {
    strip(&format!("{registration}\n{page}\nexport {{ hato }};\n"))
}

fn places(name: &str, version: &str, text: String) -> Files {
    let folder = Path::new(FOLDER);
    let content = text.into_bytes();
    Files::from([
        (folder.join(version).join(name), content.clone()),
        (folder.join(name), content),
    ])
}
