//! The files of the SDK's releases, which stay in the repository: a site that names a version gets
//! the bytes that it was tested with, and that its integrity values ask for, for ever.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::files::{Files, paths_below};

/// Every release below `folder`, by its version.
pub fn read(folder: &Path) -> Result<BTreeMap<String, Files>> {
    let mut releases = BTreeMap::<String, Files>::new();
    for path in paths_below(folder)? {
        let relative = path.strip_prefix(folder)?;
        let mut parts = relative.components();
        let version = parts.next().context("a file has a path")?;
        let name = parts.as_path();
        // Beside the releases there is a page for people.
        if name.as_os_str().is_empty() {
            continue;
        }
        let version = version.as_os_str().to_string_lossy().into_owned();
        let release = releases.entry(version).or_default();
        release.insert(name.to_owned(), fs::read(&path)?);
    }
    Ok(releases)
}

/// Writes a release into its new folder.
pub fn write(folder: &Path, release: &Files) -> Result<()> {
    fs::create_dir_all(folder)?;
    for (name, content) in release {
        let path = folder.join(name);
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::PathBuf;

    use super::{Files, read, write};

    #[test]
    fn what_was_released_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("README.md"), "for people").expect("it is ours");
        let release = |text: &str| Files::from([(PathBuf::from("hato.js"), text.into())]);
        let (old, new) = (release("old"), release("new"));
        write(&folder.path().join("0.1.0"), &old).expect("it can be written");
        write(&folder.path().join("0.2.0"), &new).expect("it can be written");
        let releases = read(folder.path()).expect("it can be read");
        let expected = [("0.1.0".to_owned(), old), ("0.2.0".to_owned(), new)];
        assert_eq!(releases, BTreeMap::from(expected));
    }

    #[test]
    fn no_folder_means_no_release() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let releases = read(&folder.path().join("none")).expect("that is no error");
        assert!(releases.is_empty());
    }
}
