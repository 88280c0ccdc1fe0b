//! `hato-server restore`: puts a back-up where a server's data belongs (CONTRACT 1).
//!
//! Everything is read and judged in a folder beside that place first, or above it while it is not there. What is there is never
//! overwritten: with `--force` it gets another name.

mod existing_files;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use clap::Args;
use hato_store::verify_snapshot;
use rustix::fs::{FlockOperation, fcntl_lock};

use self::existing_files::{
    COMPANIONS, free_suffix, keep, refuse_if_any_there, refuse_if_there, rename_if_there,
    with_suffix,
};
use super::archive::{self, Contents};
use super::error::BackupError;
use super::unfinished::Unfinished;
use super::{folder_of, sync_folder};
use crate::config::StoreConfig;
use crate::secrets_file;

/// The arguments of `hato-server restore`.
#[derive(Args)]
pub struct RestoreArgs {
    /// A file that `hato-server backup` has made.
    #[arg(help = "A file that hato-server backup has made")]
    file: PathBuf,
    /// Puts the back-up in the place of data that are there, which are kept under other names
    #[arg(long)]
    force: bool,
    /// Where the data belongs.
    #[command(flatten)]
    store: StoreConfig,
}

/// Restores, and says so on standard output.
pub async fn restore(args: &RestoreArgs) -> Result<(), BackupError> {
    let data_dir = &args.store.data_dir;
    let database = args.store.sqlite_file();
    let place = database.clone().unwrap_or_else(|| data_dir.join("hato.db"));
    if !args.force {
        refuse_if_there(&data_dir.join("secrets.toml"))?;
    }
    let unpacked = Unpacked::read(&args.file, &place).await?;
    let database = match (unpacked.contents.database, database) {
        (Some(_), None) => return Err(BackupError::OtherDatabase),
        (Some(_), Some(database)) => Some(database),
        (None, _) => None,
    };
    if !args.force {
        database.as_deref().map_or(Ok(()), refuse_if_any_there)?;
    }
    // Nobody goes on with secrets that are not those of the database, either.
    let held = args
        .store
        .sqlite_file()
        .as_deref()
        .map(lock_database)
        .transpose()?;
    if args.force && args.store.is_postgres() {
        hato_store::refuse_if_in_use(&args.store.url()).await?;
    }
    make_folders(data_dir, database.as_deref())?;
    unpacked.put(data_dir, database.as_deref())?;
    drop(held);
    print_restored(data_dir, database.as_deref());
    Ok(())
}

/// Makes the folders that are not there, for the server's user alone.
fn make_folders(data_dir: &Path, database: Option<&Path>) -> Result<(), BackupError> {
    for folder in [Some(data_dir), database.map(folder_of)]
        .into_iter()
        .flatten()
    {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| write_error(folder, error))?;
    }
    Ok(())
}

fn print_restored(data_dir: &Path, database: Option<&Path>) {
    let folder = data_dir.display();
    match database {
        Some(database) => println!(
            "restored {} and the secrets in {folder}",
            database.display()
        ),
        None => println!("restored the secrets in {folder}; the back-up has no database"),
    }
}

/// A back-up that was read and found good.
struct Unpacked {
    unfinished: Unfinished,
    contents: Contents,
}

impl Unpacked {
    /// Reads the file into a folder on the disk of the database's place, and judges what was in it.
    async fn read(file: &Path, place: &Path) -> Result<Self, BackupError> {
        let unfinished = Unfinished::within(nearest_folder(folder_of(place)));
        let unfinished = unfinished.map_err(|error| write_error(place, error))?;
        let unpacked = Self::unpack(file, unfinished).map_err(|error| match error {
            UnpackError::Archive(error) => BackupError::Archive(error),
            UnpackError::Write(error) => write_error(place, error),
        })?;
        secrets_file::verify(&unpacked.contents.secrets)?;
        if unpacked.contents.database.is_some() {
            verify_snapshot(&unpacked.database()).await?;
        }
        Ok(unpacked)
    }

    fn unpack(file: &Path, unfinished: Unfinished) -> Result<Self, UnpackError> {
        let mut database = unfinished.create("hato.db")?;
        let contents = archive::read(file, &mut database).map_err(UnpackError::Archive)?;
        database.sync_all()?;
        Ok(Self {
            unfinished,
            contents,
        })
    }

    fn database(&self) -> PathBuf {
        self.unfinished.path("hato.db")
    }

    /// Puts what was read where it belongs: first the secrets, so that no start makes others for the database. At no time is there
    /// nothing in either place.
    fn put(&self, data_dir: &Path, database: Option<&Path>) -> Result<(), BackupError> {
        let secrets = data_dir.join("secrets.toml");
        let suffix = free_suffix(&secrets, database);
        let keep_both = || {
            database.map_or(Ok(()), |database| keep(database, &suffix))?;
            keep(&secrets, &suffix)
        };
        let put = || database.map_or(Ok(()), |database| self.put_database(database, &suffix));
        secrets_file::replace(data_dir, &self.contents.secrets, keep_both, put)
    }

    /// The log of the database that is there goes to the name that this was given: SQLite would apply it to whatever bears its own.
    fn put_database(&self, database: &Path, suffix: &str) -> Result<(), BackupError> {
        for companion in COMPANIONS {
            let kept = with_suffix(&with_suffix(database, suffix), companion);
            rename_if_there(&with_suffix(database, companion), &kept)?;
        }
        let put = fs::rename(self.database(), database).and_then(|()| sync_folder(database));
        put.map_err(|error| write_error(database, error))
    }
}

/// The folder, or while it is not there the one in which it would be made.
fn nearest_folder(folder: &Path) -> &Path {
    let mut folders = folder.ancestors();
    let nearest = folders.find(|folder| folder.is_dir());
    nearest.unwrap_or_else(|| Path::new("."))
}

/// Why a file was not unpacked.
enum UnpackError {
    Archive(archive::ArchiveError),
    Write(io::Error),
}

impl From<io::Error> for UnpackError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Keeps everybody away from the database that is there, for as long as the file is open and has its name: whoever has a SQLite file
/// open has a lock on it, whatever state it is in.
fn lock_database(database: &Path) -> Result<Option<File>, BackupError> {
    let opened = OpenOptions::new().read(true).write(true).open(database);
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| write_error(database, error))?,
    };
    let is_locked = fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
    // Another restore may have put a database in its place before it was locked.
    if is_locked && is_named(&file, database).map_err(|error| write_error(database, error))? {
        Ok(Some(file))
    } else {
        Err(BackupError::InUse(database.to_owned()))
    }
}

fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    let (file, named) = (file.metadata()?, fs::metadata(path)?);
    Ok((file.dev(), file.ino()) == (named.dev(), named.ino()))
}

fn write_error(path: &Path, error: io::Error) -> BackupError {
    BackupError::RestoreTarget(path.to_owned(), error)
}
