//! A PgBouncer in front of a cluster, which lends its few sessions for a transaction each.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Child;

use crate::{Cluster, ClusterError, USER, end_of, ready_folder, spawn};

/// The name of the program, and where Debian and Ubuntu keep it, which is in root's PATH only.
const PROGRAM: &str = "pgbouncer";
const DEBIAN_FOLDER: &str = "/usr/sbin";

/// A pooler that runs. It ends with the process that started it.
#[derive(Debug)]
pub struct Pooler {
    /// Where its socket is.
    folder: PathBuf,
    keeper: Child,
}

impl Pooler {
    /// Starts one in front of all databases of the cluster.
    pub fn start(cluster: &Cluster) -> Result<Self, ClusterError> {
        let program = program().ok_or(ClusterError::MissingPooler)?;
        let arguments = [program.as_path(), cluster.folder(), Path::new(USER)];
        let mut keeper = spawn("pooler.sh", include_str!("pooler.sh"), &arguments, &[])?;
        match ready_folder(&mut keeper) {
            Some(folder) => Ok(Self { folder, keeper }),
            None => Err(ClusterError::Failed {
                program,
                reason: end_of(keeper),
            }),
        }
    }

    /// The URL of a database of the cluster, through the pooler.
    pub fn url(&self, database: &str) -> String {
        let folder = self.folder.display();
        format!("postgres:///{database}?host={folder}&port=6432&user={USER}")
    }
}

/// Closes the keeper's input and waits until it has cleaned up.
impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        self.keeper.wait().ok();
    }
}

fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from(DEBIAN_FOLDER)]);
    let mut programs = folders.map(|folder| folder.join(PROGRAM));
    programs.find(|program| program.is_file())
}
