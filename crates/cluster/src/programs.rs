//! Where programs are, PostgreSQL's above all, and who runs them.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Where Debian and Ubuntu keep each version, in a folder with its number.
const DEBIAN_FOLDER: &str = "/usr/lib/postgresql";

/// Where they keep programs that root alone has in PATH.
const ROOTS_FOLDER: &str = "/usr/sbin";

/// The oldest version that the store supports.
const OLDEST_VERSION: u32 = 15;

/// The folder with `initdb`, of the newest version that is there.
pub(crate) fn folder() -> Option<PathBuf> {
    debian_folder().or_else(folder_in_path)
}

/// The program with this name, in PATH or where Debian and Ubuntu keep those that root alone has there.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from(ROOTS_FOLDER)]);
    let mut programs = folders.map(|folder| folder.join(name));
    programs.find(|program| program.is_file())
}

fn debian_folder() -> Option<PathBuf> {
    let versions = fs::read_dir(DEBIAN_FOLDER).ok()?;
    let names = versions.filter_map(|version| version.ok()?.file_name().into_string().ok());
    let numbers = names.filter_map(|name| name.parse::<u32>().ok());
    let newest = numbers.filter(|number| *number >= OLDEST_VERSION).max()?;
    let folder = Path::new(DEBIAN_FOLDER)
        .join(newest.to_string())
        .join("bin");
    has_programs(&folder).then_some(folder)
}

fn folder_in_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).find(|folder| has_programs(folder))
}

/// A machine may have the client alone.
fn has_programs(folder: &Path) -> bool {
    ["initdb", "pg_ctl", "psql"]
        .iter()
        .all(|program| folder.join(program).is_file())
}

/// Who runs PostgreSQL instead of root: the user whom its package makes, or nobody. `None` when this is not root.
pub(crate) fn substitute_for_root() -> Option<&'static str> {
    let owner = fs::metadata("/proc/self").ok()?.uid();
    if owner != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let has_postgres = users.lines().any(|line| line.starts_with("postgres:"));
    Some(if has_postgres { "postgres" } else { "nobody" })
}

/// The number of the user's group.
pub(crate) fn group_of(user: &str) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut lines = users.lines().map(|line| line.split(':'));
    let mut line = lines.find(|line| line.clone().next() == Some(user));
    let group = line.as_mut().and_then(|fields| fields.nth(3));
    group.unwrap_or("65534").to_owned()
}
