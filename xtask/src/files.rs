//! Files in memory, by their path: what the tasks pass to one another.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Contents by path, relative to the folder that they are read from or written to.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The paths of all files below a folder; none when there is no such folder.
pub fn paths_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                found.extend(paths_below(&path)?);
            } else {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// All files below a folder; none when there is no such folder.
pub fn read(folder: &Path) -> Result<Files> {
    paths_below(folder)?
        .into_iter()
        .map(|path| Ok((path.strip_prefix(folder)?.to_owned(), fs::read(&path)?)))
        .collect()
}

/// The same files in a folder of that name.
pub fn move_into(folder: &Path, files: Files) -> Files {
    let moved = files
        .into_iter()
        .map(|(path, content)| (folder.join(path), content));
    moved.collect()
}

/// Writes one file and the folders above it.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder)?;
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Files, move_into, read, write};

    #[test]
    fn what_was_written_is_read_by_its_path() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = Path::new("below/hato.js");
        write(&folder.path().join(path), b"hato").expect("it can be written");
        let files = read(folder.path()).expect("it can be read");
        let hato = Files::from([("hato.js".into(), b"hato".to_vec())]);
        assert_eq!(files, move_into(Path::new("below"), hato));
    }

    #[test]
    fn no_folder_means_no_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = read(&folder.path().join("none")).expect("that is no error");
        assert!(files.is_empty());
    }
}
