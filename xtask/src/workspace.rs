//! Where the workspace and its build output are, and cargo as a child process.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Metadata, MetadataCommand};

/// The folders that the tasks read and write.
pub struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's target directory, wherever the environment or a configuration file puts it.
    pub target: PathBuf,
    metadata: Metadata,
}

impl Workspace {
    /// Asks cargo where everything is.
    pub fn find() -> Result<Self> {
        let metadata = MetadataCommand::new().no_deps().exec()?;
        Ok(Self {
            root: metadata.workspace_root.clone().into(),
            target: metadata.target_directory.clone().into(),
            metadata,
        })
    }

    /// What browsers download. The server embeds it from here, so it is never anywhere else.
    pub fn site(&self) -> PathBuf {
        self.root.join("target/site")
    }

    /// The version of one of the workspace's packages.
    pub fn version_of(&self, package: &str) -> Result<String> {
        self.metadata
            .workspace_packages()
            .iter()
            .find(|found| found.name == package)
            .map(|found| found.version.to_string())
            .with_context(|| format!("the workspace has no package {package}"))
    }

    /// A cargo command in the workspace's root, without the variables that `cargo run` added for
    /// xtask: build scripts that watch them would run again.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root);
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command
    }
}

/// Runs the command to its end; an exit status other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}
