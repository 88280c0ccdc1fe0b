//! What deploy/ and the workflows say is valid, by the tools that read it. systemd is asked where it is installed; what takes a container
//! engine or a cluster is not run here, but held against its schema. The image runs in `server/tests/api/image.rs`.

mod packages;
mod proxies;
mod schemas;
mod units;
mod workflows;
mod written_secrets;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hato_cluster::find_program;
use serde_json::Value;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().expect("the repository")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files of a folder whose names end so.
fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let found: Vec<_> = paths
        .filter(|path| path.to_string_lossy().ends_with(end))
        .collect();
    assert!(!found.is_empty(), "{folder} has no {end}");
    found
}

/// A program of Python that `scripts/setup test` installs beside others that verify.
fn verifier(name: &str) -> Command {
    let folder = root().join("server/tests/verifiers/python/.venv/bin");
    let program = folder.join(name);
    assert!(
        program.exists(),
        "{} is missing; `scripts/setup test` installs it",
        program.display()
    );
    Command::new(program)
}

/// A proxy: the one that was fetched for tests, or the machine's.
fn proxy(name: &str) -> Command {
    let fetched = root().join("server/tests/verifiers/bin").join(name);
    let found = Some(fetched).filter(|program| program.exists());
    let found = found.or_else(|| find_program(name));
    let program =
        found.unwrap_or_else(|| panic!("{name} is missing; `scripts/setup test` fetches it"));
    Command::new(program)
}

/// What a program says that need not be there; None if it is not.
fn where_installed(command: &mut Command) -> Option<Output> {
    match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("not run, because it is not installed: {command:?}");
            None
        }
        output => Some(output.expect("it runs")),
    }
}

fn assert_success(output: &Output) {
    let said = [output.stdout.as_slice(), &output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{said}");
}

/// A document of YAML.
fn yaml(path: &Path) -> Value {
    let script = "import json, sys, ruamel.yaml\n\
        json.dump(ruamel.yaml.YAML(typ='safe').load(open(sys.argv[1])), sys.stdout)";
    let mut python = verifier("python");
    let output = python.args(["-c", script]).arg(path).output();
    let output = output.expect("it runs");
    assert_success(&output);
    serde_json::from_slice(&output.stdout).expect("JSON")
}
