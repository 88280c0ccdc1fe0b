//! A PgBouncer in front of a cluster, which lends its few sessions for a transaction each.

use std::path::{Path, PathBuf};
use std::process::Child;

use crate::{Cluster, ClusterError, USER, end_of, find_program, ready_folder, spawn};

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
        let program = find_program("pgbouncer").ok_or(ClusterError::MissingPooler)?;
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
