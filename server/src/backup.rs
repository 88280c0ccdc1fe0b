//! `hato-server backup`: the database as of one moment and the secrets, in one file (CONTRACT 1).
//!
//! Servers go on meanwhile. The file appears by a rename, after it was read again: what is there is whole. Whatever is unfinished is in a
//! folder beside it, for the owner alone.

mod archive;
mod error;
mod restore;
mod schedule;
mod unfinished;

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use hato_domain::UnixMillis;
use hato_store::{has_queued_pages, snapshot, verify_snapshot};
use zeroize::Zeroizing;

pub use self::error::BackupError;
pub use self::restore::{RestoreArgs, restore};
pub use self::schedule::{BackupSchedule, describe};
use self::unfinished::Unfinished;
use crate::config::{ConfiguredSecrets, StoreConfig};
use crate::secrets_file;

/// The arguments of `hato-server backup`.
#[derive(Args)]
pub struct BackupArgs {
    /// The file to make, which must not be there
    file: PathBuf,
    /// Whose database and secrets are saved.
    #[command(flatten)]
    source: BackupSource,
}

/// What is saved: the database and the secrets of a server.
#[derive(Args, Clone)]
pub struct BackupSource {
    /// Where the data is.
    #[command(flatten)]
    pub store: StoreConfig,
    /// The secrets that the server is given.
    #[command(flatten)]
    pub secrets: ConfiguredSecrets,
}

/// Makes a back-up, and says so on standard output.
pub async fn run(args: &BackupArgs) -> Result<(), BackupError> {
    let MadeBackup { bytes, depth } = make(&args.source, &args.file).await?;
    let file = args.file.display();
    let saved = format_args!("saved the database and the secrets in {file}: {bytes} bytes");
    match depth {
        None => println!(
            "saved the secrets in {file}; the database is PostgreSQL's: save it with pg_dump --format=custom"
        ),
        Some(CheckDepth::Whole) => println!("{saved}, read again and compared"),
        Some(CheckDepth::Tables) => println!(
            "{saved}, read again and compared, and without a check of every row: pages of recipients are queued"
        ),
    }
    Ok(())
}

/// A back-up that was made.
struct MadeBackup {
    bytes: u64,
    /// `None` without a database in it.
    depth: Option<CheckDepth>,
}

/// How much of the database's copy was checked. Reading all of it takes longer than the rest of a back-up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckDepth {
    /// That it has Hato's tables.
    Tables,
    /// Every row and index.
    Whole,
}

/// Makes the file, which must not be there.
async fn make(source: &BackupSource, file: &Path) -> Result<MadeBackup, BackupError> {
    if fs::symlink_metadata(file).is_ok() {
        return Err(BackupError::Taken(file.to_owned()));
    }
    let secrets = secrets_file::effective(&source.store.data_dir, &source.secrets)?;
    let unfinished = Unfinished::beside(file).map_err(|error| written(file, error))?;
    let (database, depth) = match source.store.sqlite_file() {
        Some(database) => {
            let copy = unfinished.path("hato.db");
            snapshot(&database, &copy).await?;
            let depth = verify(&copy).await?;
            (Some(copy), Some(depth))
        }
        None => (None, None),
    };
    let file = file.to_owned();
    let archiving = move || finish(&file, &unfinished, &secrets, database.as_deref());
    let bytes = tokio::task::spawn_blocking(archiving)
        .await
        .map_err(|_| BackupError::Panicked)??;
    Ok(MadeBackup { bytes, depth })
}

/// Looks through a copy of the database. While something is delivered, the processor's time is the deliveries'.
async fn verify(copy: &Path) -> Result<CheckDepth, BackupError> {
    if has_queued_pages(copy).await? {
        return Ok(CheckDepth::Tables);
    }
    verify_snapshot(copy).await?;
    Ok(CheckDepth::Whole)
}

/// Writes the archive, reads it again, and gives it its name.
fn finish(
    file: &Path,
    unfinished: &Unfinished,
    secrets: &Zeroizing<String>,
    database: Option<&Path>,
) -> Result<u64, BackupError> {
    let made = unfinished.path("archive");
    let archive = unfinished.create("archive");
    let archive = archive.map_err(|error| written(file, error))?;
    archive::write(&archive, secrets, database).map_err(|error| written(file, error))?;
    compare(&made, secrets, database)?;
    let named = fs::rename(&made, file).and_then(|()| sync_folder(file));
    named.map_err(|error| written(file, error))?;
    let size = archive.metadata().map_err(|error| written(file, error))?;
    Ok(size.len())
}

/// The archive can be read, and has byte for byte what went into it.
fn compare(archive: &Path, secrets: &str, database: Option<&Path>) -> Result<(), BackupError> {
    let mut original = Original::open(database).map_err(|error| written(archive, error))?;
    let contents = archive::read(archive, &mut original).map_err(BackupError::Archive)?;
    secrets_file::verify(&contents.secrets)?;
    if *contents.secrets != *secrets || contents.database != original.size {
        return Err(BackupError::Differs);
    }
    Ok(())
}

/// What was archived, to be compared with what is written to it.
struct Original {
    file: Option<BufReader<File>>,
    size: Option<u64>,
}

impl Original {
    fn open(path: Option<&Path>) -> io::Result<Self> {
        let file = path.map(File::open).transpose()?;
        let metadata = file.as_ref().map(File::metadata).transpose()?;
        Ok(Self {
            file: file.map(BufReader::new),
            size: metadata.map(|it| it.len()),
        })
    }
}

impl Write for Original {
    fn write(&mut self, written: &[u8]) -> io::Result<usize> {
        let mut expected = vec![0; written.len()];
        let differs = || io::Error::other("it differs from what went into it");
        let file = self.file.as_mut().ok_or_else(differs)?;
        file.read_exact(&mut expected)?;
        if expected == written {
            Ok(written.len())
        } else {
            Err(differs())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A time as names have it: 20260131T040000Z.
fn stamp(time: UnixMillis) -> String {
    let text = time.to_rfc3339();
    let seconds = text.split(['.', 'Z']).next().unwrap_or_default();
    format!("{}Z", seconds.replace(['-', ':'], ""))
}

/// The folder in which the file is.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// The name is on the disk.
fn sync_folder(file: &Path) -> io::Result<()> {
    File::open(folder_of(file))?.sync_all()
}

fn written(file: &Path, error: io::Error) -> BackupError {
    BackupError::Write(file.to_owned(), error)
}
