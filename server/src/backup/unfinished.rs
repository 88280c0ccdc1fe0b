//! The folder in which a back-up is made or read, until it is whole.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::folder_of;

/// How the folder is called in which a back-up is made.
const UNFINISHED: &str = ".hato-backup-";

/// A folder on the disk of what it is for, for its owner alone. It goes with the value, and is locked until then.
pub(super) struct Unfinished {
    folder: TempDir,
    _lock: File,
}

impl Unfinished {
    pub(super) fn beside(file: &Path) -> io::Result<Self> {
        Self::within(folder_of(file))
    }

    pub(super) fn within(folder: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(folder)?;
        let lock = File::open(folder.path())?;
        lock.lock()?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// A new file in it.
    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let path = self.path(name);
        options.write(true).create_new(true).mode(0o600).open(path)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Removes what processes have left that were killed: folders that nobody has locked, in which there is nothing but an unfinished
/// back-up.
pub(super) fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_ours = name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes());
        if !is_ours || !entry.file_type()?.is_dir() {
            continue;
        }
        let path = entry.path();
        if File::open(&path).is_ok_and(|left| left.try_lock().is_ok()) {
            for name in ["archive", "hato.db", "hato.db-journal"] {
                fs::remove_file(path.join(name)).ok();
            }
            fs::remove_dir(path).ok();
        }
    }
    Ok(())
}
