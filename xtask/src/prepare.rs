//! The query data (`.sqlx`) with which the stores compile when there is no database.
//!
//! sqlx's macros describe each query against a live database when the crate's URL variable is
//! set, and write what they learnt to `SQLX_OFFLINE_DIR`. So: a fresh database with all
//! migrations, one `cargo check` against it, and the result compared with the repository's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use crate::workspace::{self, Workspace};

const PACKAGE: &str = "hato-store-sqlite";
const FOLDER: &str = "crates/store/sqlite";
const MIGRATIONS: &str = "migrations/sqlite";
/// Named by the crate's `sqlx.toml`.
const URL_VARIABLE: &str = "HATO_SQLITE_URL";

/// File names and contents of one `.sqlx` folder.
type QueryData = BTreeMap<OsString, Vec<u8>>;

/// Brings the repository's query data up to date; with `check`, only fails when it is not.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    let folder = workspace.root.join(FOLDER).join(".sqlx");
    let generated = describe(workspace)?;
    let committed = read(&folder)?;
    if generated == committed {
        return Ok(());
    }
    if check {
        bail!(
            "{} is out of date: run `cargo xtask prepare`",
            folder.display()
        );
    }
    replace(&folder, &committed, &generated)
}

/// Compiles the store against a new database and returns what the macros wrote.
fn describe(workspace: &Workspace) -> Result<QueryData> {
    fs::create_dir_all(&workspace.target)?;
    let scratch = tempfile::tempdir_in(&workspace.target)?;
    let database = scratch.path().join("hato.db");
    let output = scratch.path().join("sqlx");
    fs::create_dir(&output)?;
    migrate(&workspace.root.join(MIGRATIONS), &database)?;
    // Cargo does not know that the macros read a database: only a newer source runs them again.
    touch(&workspace.root.join(FOLDER).join("src/lib.rs"))?;
    workspace::run(
        workspace
            .cargo()
            .args(["check", "--quiet", "--package", PACKAGE])
            .env(URL_VARIABLE, format!("sqlite://{}", database.display()))
            .env("SQLX_OFFLINE", "false")
            .env("SQLX_OFFLINE_DIR", &output),
    )?;
    read(&output)
}

/// Makes the database file and runs all migrations.
fn migrate(migrations: &Path, database: &Path) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let options = SqliteConnectOptions::new()
            .filename(database)
            .create_if_missing(true);
        let pool = SqlitePool::connect_with(options).await?;
        let migrator = Migrator::new(migrations)
            .await
            .with_context(|| format!("cannot read {}", migrations.display()))?;
        migrator.run(&pool).await?;
        pool.close().await;
        Ok(())
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo compares a file's time with the system's"
)]
fn touch(file: &Path) -> Result<()> {
    let file = File::options().append(true).open(file)?;
    Ok(file.set_modified(SystemTime::now())?)
}

/// The folder's files; a folder that does not exist has none.
fn read(folder: &Path) -> Result<QueryData> {
    if !folder.exists() {
        return Ok(QueryData::new());
    }
    fs::read_dir(folder)?
        .map(|entry| {
            let entry = entry?;
            Ok((entry.file_name(), fs::read(entry.path())?))
        })
        .collect()
}

/// Makes the folder hold `generated`, leaving files that are already right untouched.
fn replace(folder: &Path, committed: &QueryData, generated: &QueryData) -> Result<()> {
    fs::create_dir_all(folder)?;
    for name in committed
        .keys()
        .filter(|name| !generated.contains_key(*name))
    {
        fs::remove_file(folder.join(name))?;
    }
    for (name, content) in generated
        .iter()
        .filter(|(name, content)| committed.get(*name) != Some(*content))
    {
        fs::write(folder.join(name), content)?;
    }
    Ok(())
}
