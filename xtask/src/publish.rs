//! Making a folder hold exactly the files it should, each with its compressed copy.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use brotli::enc::BrotliEncoderParams;

use crate::files::{self, Files, paths_below};

/// Smaller files gain nothing: they fit in one packet as they are.
const MIN_COMPRESSED_SIZE: usize = 1024;

/// Writes `files` below `site`, with `compress` also `NAME.br` beside them, and removes all others
/// for which `is_owned` holds. What is already right is not touched, so that the server is not
/// compiled again for nothing.
pub fn publish(
    site: &Path,
    files: &Files,
    compress: bool,
    is_owned: impl Fn(&Path) -> bool,
) -> Result<()> {
    for (path, content) in files {
        let path = site.join(path);
        let changed = write(&path, content)?;
        let compressed = compressed_path(&path);
        if compress && content.len() > MIN_COMPRESSED_SIZE && (changed || !compressed.exists()) {
            write(&compressed, &brotli(content)?)?;
        }
    }
    remove_others(site, files, compress, is_owned)
}

/// Answers whether the file had to be written.
fn write(path: &Path, content: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|existing| existing == content) {
        return Ok(false);
    }
    files::write(path, content)?;
    Ok(true)
}

fn remove_others(
    site: &Path,
    files: &Files,
    compress: bool,
    is_owned: impl Fn(&Path) -> bool,
) -> Result<()> {
    for path in paths_below(site)? {
        let relative = path.strip_prefix(site)?;
        let original = if relative.extension() == Some(OsStr::new("br")) && compress {
            relative.with_extension("")
        } else {
            relative.to_owned()
        };
        if is_owned(relative) && !files.contains_key(&original) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Where the compressed copy of a file is: `hato.js.br` for `hato.js`.
fn compressed_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".br");
    name.into()
}

/// The smallest form that a browser's `br` decoder reads.
fn brotli(content: &[u8]) -> io::Result<Vec<u8>> {
    let parameters = BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        size_hint: content.len(),
        ..BrotliEncoderParams::default()
    };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &*content, &mut compressed, &parameters)?;
    Ok(compressed)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::SystemTime;

    use tempfile::TempDir;

    use super::publish;
    use crate::files::{Files, paths_below};

    fn site() -> TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn files(files: &[(&str, Vec<u8>)]) -> Files {
        files
            .iter()
            .map(|(path, content)| (path.into(), content.clone()))
            .collect()
    }

    fn names(site: &Path) -> Vec<String> {
        let mut names: Vec<_> = paths_below(site)
            .expect("the site can be listed")
            .iter()
            .map(|path| {
                path.strip_prefix(site)
                    .expect("it is below")
                    .display()
                    .to_string()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn large_files_get_a_compressed_copy_that_reads_the_same() {
        let site = site();
        let large = b"hato ".repeat(1000);
        let files = files(&[
            ("pkg/large.js", large.clone()),
            ("small.txt", b"hato".to_vec()),
        ]);
        publish(site.path(), &files, true, |_| true).expect("it can be written");
        assert_eq!(
            names(site.path()),
            ["pkg/large.js", "pkg/large.js.br", "small.txt"]
        );
        let mut compressed = File::open(site.path().join("pkg/large.js.br")).expect("it is there");
        let mut read = Vec::new();
        brotli::BrotliDecompress(&mut compressed, &mut read).expect("it is brotli");
        assert_eq!(read, large);
    }

    #[test]
    fn what_is_no_longer_part_of_the_site_goes() {
        let site = site();
        let large = vec![b'a'; 2000];
        let old = files(&[("pkg/old.js", large.clone()), ("sdk/sw.js", large.clone())]);
        publish(site.path(), &old, true, |_| true).expect("it can be written");
        let new = files(&[("pkg/new.js", large)]);
        publish(site.path(), &new, false, |path| path.starts_with("pkg"))
            .expect("it can be written");
        assert_eq!(
            names(site.path()),
            ["pkg/new.js", "sdk/sw.js", "sdk/sw.js.br"]
        );
    }

    #[test]
    fn what_is_right_is_not_touched() {
        let site = site();
        let files = files(&[("hato.js", vec![b'a'; 2000])]);
        publish(site.path(), &files, true, |_| true).expect("it can be written");
        for name in ["hato.js", "hato.js.br"] {
            let path = site.path().join(name);
            let file = File::options()
                .append(true)
                .open(&path)
                .expect("it is there");
            file.set_modified(SystemTime::UNIX_EPOCH)
                .expect("it is ours");
        }
        publish(site.path(), &files, true, |_| true).expect("nothing is to do");
        for name in ["hato.js", "hato.js.br"] {
            let metadata = fs::metadata(site.path().join(name)).expect("it is there");
            assert_eq!(
                metadata.modified().expect("a time"),
                SystemTime::UNIX_EPOCH,
                "{name}"
            );
        }
    }
}
