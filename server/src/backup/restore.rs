//! `hato-server restore`: puts a back-up where a server's data belongs (CONTRACT 1).
//!
//! Everything is read and judged in a folder beside that place first. What is there is never overwritten: with `--force` it gets another
//! name.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use hato_service::ports::{Clock as _, SystemClock};
use hato_store::verify_snapshot;
use rustix::fs::{FlockOperation, fcntl_lock};

use super::archive::{self, Contents};
use super::error::BackupError;
use super::{Unfinished, folder_of, stamp, sync_folder};
use crate::config::StoreConfig;
use crate::secrets_file;

/// What SQLite keeps beside a database.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

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
    for folder in [data_dir.as_path(), folder_of(&place)] {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| BackupError::Place(folder.to_owned(), error))?;
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
    unpacked.put(data_dir, database.as_deref())?;
    let folder = data_dir.display();
    match database {
        Some(database) => println!(
            "restored {} and the secrets in {folder}",
            database.display()
        ),
        None => println!("restored the secrets in {folder}; the back-up has no database"),
    }
    Ok(())
}

/// A back-up that was read and found good.
struct Unpacked {
    unfinished: Unfinished,
    contents: Contents,
}

impl Unpacked {
    /// Reads the file into a folder beside the place of the database, and judges what was in it.
    async fn read(file: &Path, place: &Path) -> Result<Self, BackupError> {
        let unfinished = Unfinished::beside(place).map_err(|error| placing(place, error))?;
        let unpacked = Self::unpack(file, unfinished).map_err(|error| match error {
            UnpackError::Archive(error) => BackupError::Archive(error),
            UnpackError::Place(error) => placing(place, error),
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

    /// Puts what was read where it belongs: first the secrets, so that no start makes others for the database.
    fn put(&self, data_dir: &Path, database: Option<&Path>) -> Result<(), BackupError> {
        let held = database.map(hold).transpose()?;
        let suffix = format!(".replaced-{}", stamp(SystemClock.now()));
        if let Some(database) = database {
            set_aside(database, &suffix)?;
        }
        let secrets = data_dir.join("secrets.toml");
        rename_if_there(&secrets, &with_suffix(&secrets, &suffix))?;
        secrets_file::replace(data_dir, &self.contents.secrets)?;
        if let Some(database) = database {
            let put = fs::rename(self.database(), database).and_then(|()| sync_folder(database));
            put.map_err(|error| placing(database, error))?;
        }
        drop(held);
        Ok(())
    }
}

/// Why a file was not unpacked.
enum UnpackError {
    Archive(archive::ArchiveError),
    Place(io::Error),
}

impl From<io::Error> for UnpackError {
    fn from(error: io::Error) -> Self {
        Self::Place(error)
    }
}

/// Keeps everybody away from the database that is there, for as long as the file is open: whoever has a SQLite file open has a lock on
/// it, whatever state it is in.
fn hold(database: &Path) -> Result<Option<File>, BackupError> {
    let opened = OpenOptions::new().read(true).write(true).open(database);
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| placing(database, error))?,
    };
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(_) => Err(BackupError::InUse(database.to_owned())),
    }
}

/// Its log goes along: SQLite would apply it to whatever bears the name then.
fn set_aside(database: &Path, suffix: &str) -> Result<(), BackupError> {
    let aside = with_suffix(database, suffix);
    rename_if_there(database, &aside)?;
    for companion in COMPANIONS {
        rename_if_there(
            &with_suffix(database, companion),
            &with_suffix(&aside, companion),
        )?;
    }
    Ok(())
}

fn rename_if_there(from: &Path, to: &Path) -> Result<(), BackupError> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(placing(from, error)),
        Err(_) => Ok(()),
        Ok(()) => {
            println!("what was in {} is now in {}", from.display(), to.display());
            Ok(())
        }
    }
}

fn refuse_if_any_there(database: &Path) -> Result<(), BackupError> {
    refuse_if_there(database)?;
    let mut companions = COMPANIONS.iter();
    companions.try_for_each(|it| refuse_if_there(&with_suffix(database, it)))
}

fn refuse_if_there(path: &Path) -> Result<(), BackupError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(BackupError::Occupied(path.to_owned())),
        Err(_) => Ok(()),
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

fn placing(path: &Path, error: io::Error) -> BackupError {
    BackupError::Place(path.to_owned(), error)
}
