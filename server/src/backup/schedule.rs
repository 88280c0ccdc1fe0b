//! Back-ups that a server makes by itself, in a folder, and how many of them are kept (CONTRACT 1, `HATO_BACKUP_DIR`).
//!
//! When the next one is due follows from the names in the folder, and who has locked the folder makes it: so neither a restart nor another
//! process on the same data makes one too many. Only files that are named like those made here are ever removed.

mod file_name;

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::UnixMillis;
use hato_service::ports::Clock;
use metrics::{counter, gauge};
use tokio::time::sleep;

use self::file_name::{file_name, is_ours, made_at};
use super::unfinished::remove_unfinished;
use super::{BackupError, BackupSource, MadeBackup, make, stamp};
use crate::config::BackupConfig;

/// How often it is looked whether one is due.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
/// How long it is waited after one that failed.
const RETRY_DELAY: Duration = Duration::from_mins(10);

const BACKUPS: &str = "hato_backups_total";
const LAST: &str = "hato_last_backup_timestamp_seconds";
const EVERY: &str = "hato_backup_interval_seconds";

/// Makes back-ups of a server's data when they are due.
pub struct BackupSchedule {
    source: BackupSource,
    settings: BackupConfig,
    clock: Arc<dyn Clock>,
}

impl BackupSchedule {
    /// A schedule for what is in `source`; `None` unless the settings name a folder.
    pub fn new(
        source: BackupSource,
        settings: BackupConfig,
        clock: Arc<dyn Clock>,
    ) -> Option<Self> {
        settings.folder.is_some().then_some(Self {
            source,
            settings,
            clock,
        })
    }

    /// Makes one as soon as it is due, again and again, until asked to stop.
    pub async fn run(self, shutdown: Shutdown) {
        tokio::select! {
            () = shutdown.draining() => {}
            () = self.make_repeatedly() => {}
        }
    }

    async fn make_repeatedly(&self) {
        let Some(folder) = &self.settings.folder else {
            return;
        };
        if self.source.store.is_postgres() {
            tracing::warn!(
                "HATO_BACKUP_DIR saves the secrets alone: the database is PostgreSQL's, and saved with pg_dump"
            );
        }
        gauge!(EVERY).set(self.settings.every.as_secs_f64());
        loop {
            let wait = match self.poll(folder).await {
                Ok(()) => POLL_INTERVAL,
                Err(error) => {
                    report_failure(&error);
                    RETRY_DELAY
                }
            };
            sleep(wait).await;
        }
    }

    /// Makes a back-up if one is due, and removes those that are too many.
    async fn poll(&self, folder: &Path) -> Result<(), BackupError> {
        let writing = |error| BackupError::Write(folder.to_owned(), error);
        let Some(_lock) = lock(folder).map_err(writing)? else {
            tracing::debug!("another process makes the back-ups");
            return Ok(());
        };
        let now = self.clock.now();
        let names = names(folder).map_err(writing)?;
        let (name, before) = (stamp(now), stamp(now.minus(self.settings.every)));
        let (name, before) = (file_name(&name), file_name(&before));
        // One from the future was made before the clock was set back.
        let last = names.iter().filter(|it| **it <= name).max();
        if let Some(made_at) = last.and_then(|last| made_at(last)) {
            gauge!(LAST).set(seconds(made_at));
        }
        if last.is_some_and(|last| *last > before) {
            tracing::debug!("no back-up is due");
            return Ok(());
        }
        remove_unfinished(folder).map_err(writing)?;
        let file = folder.join(&name);
        let MadeBackup { bytes, depth } = make(&self.source, &file).await?;
        let depth = depth.map(tracing::field::debug);
        tracing::info!(file = %file.display(), bytes, depth, "made a back-up");
        counter!(BACKUPS, "outcome" => "made").increment(1);
        gauge!(LAST).set(seconds(now));
        self.remove_old(folder, names).map_err(writing)
    }

    /// Removes all but the last ones of these, to which the one that was just made comes.
    fn remove_old(&self, folder: &Path, mut names: Vec<String>) -> io::Result<()> {
        names.sort_unstable();
        let kept = usize::try_from(self.settings.keep).unwrap_or(usize::MAX) - 1;
        let old = names.len().saturating_sub(kept);
        names[..old]
            .iter()
            .try_for_each(|name| fs::remove_file(folder.join(name)))
    }
}

/// Says what is counted, so that rates can be told from the first back-up on.
pub fn describe() {
    metrics::describe_counter!(BACKUPS, "Scheduled back-ups by outcome");
    metrics::describe_gauge!(
        LAST,
        "When the newest of the scheduled back-ups in the folder was made, in Unix seconds"
    );
    metrics::describe_gauge!(EVERY, "Seconds from one scheduled back-up to the next");
    for outcome in ["made", "failed"] {
        counter!(BACKUPS, "outcome" => outcome).increment(0);
    }
}

/// The folder, made if it is missing and locked until the value goes; `None` while another process has it.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let file = File::open(folder)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The names in the folder that are those of back-ups.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if is_ours(&name) && entry.file_type()?.is_file() {
            names.push(name);
        }
    }
    Ok(names)
}

fn seconds(time: UnixMillis) -> f64 {
    f64::from(u32::try_from(time.0 / 1_000).unwrap_or(u32::MAX))
}

fn report_failure(error: &BackupError) {
    let causes = crate::logging::with_causes(error);
    tracing::error!(error = %causes, "the back-up has failed");
    counter!(BACKUPS, "outcome" => "failed").increment(1);
}
