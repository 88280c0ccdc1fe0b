//! Renders the guides of `docs/` for the pages below `/docs`.

mod guide;

use std::path::Path;
use std::{env, fs};

use guide::{RenderedGuide, RenderedPart};

/// The guides, below `docs/`, in the order in which they are listed.
const GUIDES: [&str; 11] = [
    "EMBED.md",
    "guides/SENDING.md",
    "guides/RICH.md",
    "guides/AUDIENCE.md",
    "guides/MEASURING.md",
    "guides/MOVING.md",
    "CLI.md",
    "MCP.md",
    "DEPLOY.md",
    "FLEET.md",
    "METRICS.md",
];

fn main() {
    println!("cargo::rerun-if-changed=build");
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the package's folder");
    let docs = Path::new(&package).join("../docs");
    let guides: String = GUIDES.iter().map(|path| source(&docs, path)).collect();
    let output = env::var_os("OUT_DIR").expect("cargo names a folder for what is generated");
    fs::write(Path::new(&output).join("guides.rs"), format!("[{guides}]"))
        .expect("the guides can be written");
}

/// The guide at this path as `app/src/pages/guides.rs` includes it.
fn source(docs: &Path, path: &str) -> String {
    let file = docs.join(path);
    println!("cargo::rerun-if-changed={}", file.display());
    let markdown =
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let RenderedGuide { title, parts } =
        guide::render(&markdown, |link| guide::target(&GUIDES, path, link));
    let parts: String = parts.iter().enumerate().map(part_source).collect();
    let name = guide::name(path);
    format!("Guide {{ name: {name:?}, title: {title:?}, parts: &[{parts}] }},")
}

fn part_source((number, part): (usize, &RenderedPart)) -> String {
    match part {
        RenderedPart::Html(html) => format!("Part::Html({html:?}),"),
        RenderedPart::Code(text) => {
            let id = format!("code-{number}");
            format!("Part::Code {{ id: {id:?}, text: {text:?} }},")
        }
    }
}
