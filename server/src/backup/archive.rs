//! What is in a back-up's file: a tar archive, compressed by zstd, of `secrets.toml` and `hato.db`, in that order. What zstd adds to it,
//! a checksum and an end, tells whether it is whole.
//!
//! Reading takes these two members and nothing else, so that no name or link of an archive ever leads anywhere.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use hato_service::ports::{Clock as _, SystemClock};
use tar::{Archive, Builder, Entry, EntryType, Header};
use zeroize::Zeroizing;

const SECRETS: &str = "secrets.toml";
const DATABASE: &str = "hato.db";

/// Most bytes of `secrets.toml`, which has some hundreds.
const MAX_SECRETS: usize = 65_536;
/// One of zstd's fast levels: a database is half keys and other random bytes, which no level makes smaller.
const LEVEL: i32 = -3;
/// Most memory that reading takes, as a power of two: 8 MiB.
const WINDOW_LOG: u32 = 23;
/// Most bytes after the last member, which are zeros.
const MAX_PADDING: u64 = 1_048_576;

/// A file is no back-up, or not a whole one.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It cannot be opened.
    #[error("it cannot be opened")]
    Open(#[source] io::Error),
    /// It ends too early, its checksum is wrong, or what is in it cannot be written.
    #[error("it is cut short or damaged, or there is no space for it")]
    Unreadable(#[source] io::Error),
    /// It has a member that no back-up has.
    #[error("it has a member that no back-up has: {0}")]
    Member(String),
    /// One of the two is there twice, or in the wrong place.
    #[error("it has {0} twice, or in the wrong place")]
    Order(&'static str),
    /// The secrets are missing, too long, or no text.
    #[error("it has no secrets.toml that can be read")]
    Secrets,
    /// There is something after the last member.
    #[error("it has something after its end")]
    Trailing,
}

/// What was read of an archive.
pub struct Contents {
    /// The text of its `secrets.toml`.
    pub secrets: Zeroizing<String>,
    /// Bytes of its database, which it has unless that was PostgreSQL's.
    pub database: Option<u64>,
}

/// Writes an archive of the secrets and, if there is one, the database's file, to the disk.
pub fn write(archive: &File, secrets: &str, database: Option<&Path>) -> io::Result<()> {
    let mut encoder = zstd::Encoder::new(archive, LEVEL)?;
    encoder.include_checksum(true)?;
    let mut builder = Builder::new(encoder);
    append(
        &mut builder,
        SECRETS,
        secrets.as_bytes(),
        secrets.len() as u64,
    )?;
    if let Some(path) = database {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        append(&mut builder, DATABASE, file, size)?;
    }
    builder.into_inner()?.finish()?.sync_all()
}

fn append<W: Write>(
    builder: &mut Builder<W>,
    name: &str,
    contents: impl Read,
    size: u64,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o600);
    header.set_size(size);
    let seconds = u64::try_from(SystemClock.now().0 / 1_000).unwrap_or_default();
    header.set_mtime(seconds);
    builder.append_data(&mut header, name, contents)
}

/// Reads an archive to its end, and writes its database, if it has one, to `database`.
pub fn read(archive: &Path, database: &mut impl Write) -> Result<Contents, ArchiveError> {
    let file = File::open(archive).map_err(ArchiveError::Open)?;
    let mut decoder = zstd::Decoder::new(file).map_err(ArchiveError::Unreadable)?;
    decoder
        .window_log_max(WINDOW_LOG)
        .map_err(ArchiveError::Unreadable)?;
    let mut decoder = decoder.single_frame();
    let contents = read_members(&mut decoder, database)?;
    read_padding(&mut decoder)?;
    let mut rest = decoder.finish();
    match rest.read(&mut [0]) {
        Ok(0) => contents.ok_or(ArchiveError::Secrets),
        Ok(_) => Err(ArchiveError::Trailing),
        Err(error) => Err(ArchiveError::Unreadable(error)),
    }
}

/// `None` when there is no member at all.
fn read_members(
    archive: impl Read,
    database: &mut impl Write,
) -> Result<Option<Contents>, ArchiveError> {
    let mut archive = Archive::new(archive);
    let mut contents: Option<Contents> = None;
    // Raw, for a member that says something of the next one, such as its long name, would be read into memory whole, however large.
    let entries = archive.entries().map_err(ArchiveError::Unreadable)?;
    for entry in entries.raw(true) {
        let mut entry = entry.map_err(ArchiveError::Unreadable)?;
        match (member(&entry)?, &mut contents) {
            (SECRETS, None) => {
                let secrets = read_secrets(entry)?;
                contents = Some(Contents {
                    secrets,
                    database: None,
                });
            }
            (DATABASE, Some(contents)) if contents.database.is_none() => {
                let copied = io::copy(&mut entry, database).map_err(ArchiveError::Unreadable)?;
                if copied != entry.size() {
                    return Err(ArchiveError::Unreadable(
                        io::ErrorKind::UnexpectedEof.into(),
                    ));
                }
                contents.database = Some(copied);
            }
            (name, _) => return Err(ArchiveError::Order(name)),
        }
    }
    Ok(contents)
}

/// Which of the two members it is: a plain file of exactly that name.
fn member<R: Read>(entry: &Entry<'_, R>) -> Result<&'static str, ArchiveError> {
    let path = entry.path_bytes();
    let is_file = entry.header().entry_type() == EntryType::Regular;
    let known = [SECRETS, DATABASE]
        .into_iter()
        .find(|name| *path == *name.as_bytes());
    known.filter(|_| is_file).ok_or_else(|| {
        let name: String = String::from_utf8_lossy(&path).chars().take(100).collect();
        ArchiveError::Member(name.escape_debug().to_string())
    })
}

fn read_secrets(entry: impl Read) -> Result<Zeroizing<String>, ArchiveError> {
    // With room for all of it: a text that moves leaves a copy of itself behind.
    let mut text = Zeroizing::new(String::with_capacity(MAX_SECRETS + 1));
    match entry.take(MAX_SECRETS as u64 + 1).read_to_string(&mut text) {
        Ok(length) if length <= MAX_SECRETS => Ok(text),
        Err(error) if error.kind() != io::ErrorKind::InvalidData => {
            Err(ArchiveError::Unreadable(error))
        }
        _ => Err(ArchiveError::Secrets),
    }
}

/// Reads on to where the checksum is compared.
fn read_padding(decoder: &mut impl Read) -> Result<(), ArchiveError> {
    let mut padding = Vec::new();
    let read = decoder.take(MAX_PADDING + 1).read_to_end(&mut padding);
    let read = read.map_err(ArchiveError::Unreadable)?;
    if read as u64 > MAX_PADDING || padding.iter().any(|byte| *byte != 0) {
        return Err(ArchiveError::Trailing);
    }
    Ok(())
}
