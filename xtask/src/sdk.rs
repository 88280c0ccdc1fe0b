//! The SDK, which is what customers' sites load: the service worker with its wasm inside, the page
//! script in its two forms, the elements, and the types. Its sources are in `sw/`.

mod releases;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::files::{self, Files};
use crate::script::{fill, quoted, strip};
use crate::style;
use crate::wasm::{self, BindgenOutput, ScriptKind};
use crate::workspace::Workspace;

/// Where the SDK is in `target/site`.
pub const FOLDER: &str = "sdk";
const PACKAGE: &str = "hato-sw";
/// Where the files of releases are kept, a folder for each version.
const RELEASES: &str = "sw/releases";
/// The parts of the page script, in their order.
const PAGE: [&str; 8] = [
    "shared.js",
    "reports.js",
    "page/browser.js",
    "page/scope.js",
    "page/settings.js",
    "page/audience.js",
    "page/arrival.js",
    "page/hato.js",
];

/// The SDK's files: the current ones, and those of every release in a folder of its version.
///
/// A version that is not released yet has no folder: the server answers with the current files in
/// its place (`server/src/assets.rs`). Browsers keep those for a year as well, and snippets carry a
/// query that names the build, so that the next one is loaded all the same.
pub fn build(workspace: &Workspace, dev: bool) -> Result<Files> {
    let version = workspace.version_of(PACKAGE)?;
    let folder = workspace.root.join(RELEASES);
    let current = current(workspace, &version, dev)?;
    if !dev && releases::differs(&folder, &version, &current)? {
        eprintln!(
            "warning: sw/ is no longer what was released as {version}; /sdk/{version}/ stays as \
             released, so raise the version before the next release"
        );
    }
    releases::add_to(current, &folder).map(|files| files::move_into(Path::new(FOLDER), files))
}

/// Freezes the current files as the release of the package's version.
pub fn release(workspace: &Workspace) -> Result<()> {
    let version = workspace.version_of(PACKAGE)?;
    let current = current(workspace, &version, false)?;
    let report = releases::freeze(&workspace.root.join(RELEASES), &version, &current)?;
    println!("{report}");
    Ok(())
}

fn current(workspace: &Workspace, version: &str, dev: bool) -> Result<Files> {
    let source = |name: &str| {
        let path = workspace.root.join("sw").join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let shared = source("shared.js")?;
    let page = PAGE.map(source).into_iter().collect::<Result<String>>()?;
    let element = |name: &str| {
        let style = style::bundle(&workspace.root.join(format!("sw/page/{name}.css")))?;
        let script = source("page/element.js")? + &source(&format!("page/{name}.js"))?;
        anyhow::Ok(classic(&fill(&script, &[("style", &quoted(&style))])))
    };
    let built = wasm::build(workspace, PACKAGE, ScriptKind::Classic, dev)?;
    let reports = source("reports.js")? + &source("worker/reports.js")?;
    let worker = worker(&source("worker/worker.js")?, [&shared, &reports], &built)?;
    let scripts = [
        ("sw.js", worker),
        (
            "hato.js",
            classic(&format!("{page}\nglobalThis.hato = hato;")),
        ),
        ("hato.mjs", strip(&format!("{page}\nexport {{ hato }};\n"))),
        ("bell.js", element("bell")?),
        ("preferences.js", element("preferences")?),
        ("hato.d.ts", source("page/hato.d.ts")?),
    ];
    let banner = format!("/*! Hato {version} | MIT OR Apache-2.0 */\n");
    let signed = |(name, text): (&str, String)| (name.into(), (banner.clone() + &text).into());
    Ok(scripts.into_iter().map(signed).collect())
}

/// The worker is one file: a worker that the browser wakes while our server cannot be reached
/// still has its wasm.
fn worker(template: &str, [shared, reports]: [&str; 2], built: &BindgenOutput) -> Result<String> {
    let glue = std::str::from_utf8(&built.script)?;
    let wasm = STANDARD.encode(&built.wasm);
    Ok(strip(&fill(
        template,
        &[
            ("shared", shared),
            ("reports", reports),
            ("glue", glue),
            ("wasm", &wasm),
        ],
    )))
}

/// A classic script that leaves no names behind.
fn classic(script: &str) -> String {
    strip(&format!("(() => {{\n\"use strict\";\n{script}\n}})();\n"))
}
