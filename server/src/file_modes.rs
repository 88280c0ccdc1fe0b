//! Whether others than its owner may read or write a file that holds secrets.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The bits of a mode by which the group and everybody else read and write.
const OTHERS: u32 = 0o066;

/// Warns when others may read or write the file, which was made for its owner alone and may have been copied since.
pub fn warn_if_shared(path: &Path) {
    let Ok(metadata) = fs::metadata(path) else {
        return;
    };
    let mode = metadata.permissions().mode() & 0o777;
    if mode & OTHERS != 0 {
        let (path, mode) = (path.display(), format!("{mode:04o}"));
        tracing::warn!(%path, mode, "others may read or write this file: its mode should be 0600");
    }
}
