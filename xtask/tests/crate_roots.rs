//! The root of each crate of the workspace shows how the crate is used, by an example that its documentation tests compile.

use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;

/// A crate that cannot have one, and what its root says instead.
const WITHOUT_AN_EXAMPLE: [(&str, &str); 1] =
    [("hato-frontend", "There is no example in Rust: only a page")];

/// The crates of the workspace that are libraries: their names, and their roots.
fn libraries() -> Vec<(String, PathBuf)> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .exec()
        .expect("cargo describes the workspace");
    let roots = metadata.packages.iter().flat_map(|package| {
        let targets = package.targets.iter();
        let libraries = targets.filter(|target| target.src_path.ends_with("lib.rs"));
        libraries.map(|target| (package.name.to_string(), target.src_path.clone().into()))
    });
    roots.collect()
}

/// The text of a crate's root documentation.
fn root_documentation(source: &str) -> String {
    let lines = source.lines().take_while(|line| line.starts_with("//!"));
    let text = lines.map(|line| line.trim_start_matches("//!").trim());
    text.collect::<Vec<_>>().join("\n")
}

/// Whether rustdoc compiles a block of code in the text.
fn has_compiled_example(documentation: &str) -> bool {
    let fences = documentation
        .lines()
        .filter_map(|line| line.strip_prefix("```"));
    let mut openings = fences.step_by(2);
    openings.any(|attributes| ["", "rust", "no_run", "should_panic"].contains(&attributes))
}

#[test]
fn every_crate_root_has_an_example_or_says_why_it_has_none() {
    let libraries = libraries();
    assert!(libraries.len() > 10, "{libraries:?}");
    for (name, root) in libraries {
        let source = fs::read_to_string(&root).expect("a root can be read");
        let documentation = root_documentation(&source);
        match WITHOUT_AN_EXAMPLE
            .iter()
            .find(|(without, _)| *without == name)
        {
            Some((_, reason)) => assert!(documentation.contains(reason), "{name}: {documentation}"),
            None => assert!(
                has_compiled_example(&documentation),
                "{name}: {documentation}"
            ),
        }
    }
}

#[test]
fn an_example_is_one_that_rustdoc_compiles() {
    for (documentation, compiled) in [
        ("Text.\n\n```\nf();\n```", true),
        ("```no_run\nf();\n```", true),
        ("```sh\nmake\n```\n\n```\nf();\n```", true),
        ("```ignore\nf();\n```", false),
        ("```text\na diagram\n```\n\nText.", false),
        ("Text.", false),
    ] {
        assert_eq!(
            has_compiled_example(documentation),
            compiled,
            "{documentation}"
        );
    }
    let source = "//! Text.\n//!\n//! ```\n\nmod a;\n//! no root\n";
    assert_eq!(root_documentation(source), "Text.\n\n```");
}
