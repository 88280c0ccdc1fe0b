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
use hato_cluster::{Cluster, Durability};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use crate::files;
use crate::workspace::{self, Workspace};

/// A crate that compiles the statements for one database.
struct StoreCrate {
    package: &'static str,
    folder: &'static str,
    /// Named by the crate's `sqlx.toml`.
    url_variable: &'static str,
}

const SQLITE: StoreCrate = StoreCrate {
    package: "hato-store-sqlite",
    folder: "crates/store/sqlite",
    url_variable: "HATO_SQLITE_URL",
};

const POSTGRES: StoreCrate = StoreCrate {
    package: "hato-store-postgres",
    folder: "crates/store/postgres",
    url_variable: "HATO_POSTGRES_URL",
};

/// File names and contents of one `.sqlx` folder.
type QueryData = BTreeMap<OsString, Vec<u8>>;

/// Brings the repository's query data up to date; with `check`, only fails when it is not.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    fs::create_dir_all(&workspace.target)?;
    let scratch = tempfile::tempdir_in(&workspace.target)?;
    let url = migrated_sqlite(workspace, &scratch.path().join("hato.db"))?;
    update(workspace, &SQLITE, &url, check)?;
    let cluster = Cluster::start(Durability::None)?;
    let url = migrated_postgres(workspace, &cluster)?;
    update(workspace, &POSTGRES, &url, check)
}

/// The same for one store, whose statements the database at `url` describes.
fn update(workspace: &Workspace, store: &StoreCrate, url: &str, check: bool) -> Result<()> {
    let folder = workspace.root.join(store.folder).join(".sqlx");
    let generated = describe(workspace, store, url)?;
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
fn describe(workspace: &Workspace, store: &StoreCrate, url: &str) -> Result<QueryData> {
    let output = tempfile::tempdir_in(&workspace.target)?;
    // Cargo does not know that the macros read a database: only a newer source runs them again.
    touch(&workspace.root.join(store.folder).join("src/lib.rs"))?;
    workspace::run(
        workspace
            .cargo()
            .args(["check", "--quiet", "--package", store.package])
            .env(store.url_variable, url)
            .env("SQLX_OFFLINE", "false")
            .env("SQLX_OFFLINE_DIR", output.path()),
    )?;
    read(output.path())
}

/// Makes the database file, runs all migrations, and returns its URL.
fn migrated_sqlite(workspace: &Workspace, database: &Path) -> Result<String> {
    let migrations = workspace.root.join("migrations/sqlite");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let options = SqliteConnectOptions::new()
            .filename(database)
            .create_if_missing(true);
        let pool = SqlitePool::connect_with(options).await?;
        let migrator = Migrator::new(migrations.as_path())
            .await
            .with_context(|| format!("cannot read {}", migrations.display()))?;
        migrator.run(&pool).await?;
        pool.close().await;
        Ok(format!("sqlite://{}", database.display()))
    })
}

/// Makes a database with all migrations on the cluster, and returns its URL.
fn migrated_postgres(workspace: &Workspace, cluster: &Cluster) -> Result<String> {
    const DATABASE: &str = "prepare";
    cluster.create_database(DATABASE)?;
    let mut files = files::paths_below(&workspace.root.join("migrations/postgres"))?;
    files.sort();
    for file in files {
        cluster.execute(DATABASE, &fs::read_to_string(file)?)?;
    }
    Ok(cluster.url(DATABASE))
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
