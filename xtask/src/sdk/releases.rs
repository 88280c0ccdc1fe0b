//! The files of the SDK's releases, which stay in the repository: a site that names a version gets
//! the bytes that it was tested with, and that its integrity values ask for, for ever.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::files::{self, Files};

/// Keeps `current` as the files of `version` below `folder`, and tells what it did and what is
/// left to do.
///
/// Freezing the same bytes twice changes nothing; other bytes under a version that is released
/// already are an error.
pub fn freeze(folder: &Path, version: &str, current: &Files) -> Result<String> {
    let release = folder.join(version);
    let shown = release.display();
    let frozen = files::read(&release)?;
    if frozen == *current {
        return Ok(format!("{shown} holds these very files already"));
    }
    ensure!(
        frozen.is_empty(),
        "{shown} holds other files: a release never changes, so raise the version in Cargo.toml"
    );
    for (name, content) in current {
        files::write(&release.join(name), content)?;
    }
    Ok(format!(
        "Wrote {} files to {shown}. Commit that folder: servers that are built from now on serve it \
         for good, as /sdk/{version}/",
        current.len()
    ))
}

/// Whether `version` is released with other files than these.
pub fn differs(folder: &Path, version: &str, current: &Files) -> Result<bool> {
    let frozen = files::read(&folder.join(version))?;
    Ok(!frozen.is_empty() && frozen != *current)
}

/// The current files, and each release's in the folder of its version.
pub fn add_to(mut current: Files, folder: &Path) -> Result<Files> {
    current.extend(files::read(folder)?);
    Ok(current)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::{add_to, differs, freeze};
    use crate::files::{self, Files};

    fn folder() -> TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn sdk(script: &str) -> Files {
        Files::from([
            ("hato.js".into(), script.into()),
            ("sw.js".into(), b"worker".to_vec()),
        ])
    }

    #[test]
    fn a_release_stays_beside_the_files_that_follow_it() {
        let folder = folder();
        let report = freeze(folder.path(), "0.1.0", &sdk("old")).expect("it is new");
        assert!(
            report.contains("2 files") && report.contains("Commit"),
            "{report}"
        );
        freeze(folder.path(), "0.2.0", &sdk("new")).expect("it is new");
        let files = add_to(sdk("next"), folder.path()).expect("it can be read");
        let text = |path: &str| {
            files
                .get(path.as_ref() as &std::path::Path)
                .map(Vec::as_slice)
        };
        assert_eq!(files.len(), 6);
        assert_eq!(text("hato.js"), Some(&b"next"[..]));
        assert_eq!(text("0.1.0/hato.js"), Some(&b"old"[..]));
        assert_eq!(text("0.2.0/hato.js"), Some(&b"new"[..]));
    }

    #[test]
    fn a_release_is_never_overwritten() {
        let folder = folder();
        freeze(folder.path(), "0.1.0", &sdk("released")).expect("it is new");
        let report = freeze(folder.path(), "0.1.0", &sdk("released")).expect("it is the same");
        assert!(report.contains("already"), "{report}");
        let error = freeze(folder.path(), "0.1.0", &sdk("changed")).expect_err("it is another");
        assert!(error.to_string().contains("raise the version"), "{error}");
        let kept = files::read(&folder.path().join("0.1.0")).expect("it can be read");
        assert_eq!(kept, sdk("released"));
    }

    #[test]
    fn only_a_release_can_differ() {
        let folder = folder();
        let is_other =
            |script| differs(folder.path(), "0.1.0", &sdk(script)).expect("it can be read");
        assert!(!is_other("new"));
        freeze(folder.path(), "0.1.0", &sdk("released")).expect("it is new");
        assert!(is_other("new") && !is_other("released"));
    }
}
