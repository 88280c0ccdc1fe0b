//! The files that are there already where a back-up belongs: they are refused, or kept under other names.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use hato_service::ports::{Clock as _, SystemClock};

use super::write_error;
use crate::backup::{BackupError, stamp};

/// What SQLite keeps beside a database.
pub(super) const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// An ending under which nothing was kept yet.
pub(super) fn free_suffix(secrets: &Path, database: Option<&Path>) -> String {
    let suffix = format!(".replaced-{}", stamp(SystemClock.now()));
    let further = (2_u64..).map(|number| format!("{suffix}-{number}"));
    let mut suffixes = iter::once(suffix.clone()).chain(further);
    let is_free = |suffix: &String| {
        let mut paths = database.into_iter().chain([secrets]);
        !paths.any(|path| is_kept(&with_suffix(path, suffix)))
    };
    suffixes.find(is_free).unwrap_or(suffix)
}

/// Whether there is such a file, or one that SQLite would take for its own.
fn is_kept(path: &Path) -> bool {
    let companions = COMPANIONS.iter().map(|it| with_suffix(path, it));
    let mut paths = companions.chain([path.to_owned()]);
    paths.any(|path| fs::symlink_metadata(path).is_ok())
}

/// Gives a file that is there a second name, which remains when another file gets the first one. Where files have one name only, it
/// loses the first.
pub(super) fn keep(path: &Path, suffix: &str) -> Result<(), BackupError> {
    let kept = with_suffix(path, suffix);
    match fs::hard_link(path, &kept) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(write_error(path, error)),
        Err(_) => rename_if_there(path, &kept),
        Ok(()) => {
            print_moved(path, &kept);
            Ok(())
        }
    }
}

pub(super) fn rename_if_there(from: &Path, to: &Path) -> Result<(), BackupError> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write_error(from, error)),
        Err(_) => Ok(()),
        Ok(()) => {
            print_moved(from, to);
            Ok(())
        }
    }
}

fn print_moved(from: &Path, to: &Path) {
    println!("what was in {} is now in {}", from.display(), to.display());
}

pub(super) fn refuse_if_any_there(database: &Path) -> Result<(), BackupError> {
    refuse_if_there(database)?;
    let mut companions = COMPANIONS.iter();
    companions.try_for_each(|it| refuse_if_there(&with_suffix(database, it)))
}

pub(super) fn refuse_if_there(path: &Path) -> Result<(), BackupError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(BackupError::Occupied(path.to_owned())),
        Err(_) => Ok(()),
    }
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
