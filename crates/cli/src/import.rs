//! `hato import`: subscribers from another service or another Hato (CONTRACT 16).

mod list;
mod probe;
mod refused_file;
mod report;
mod vapid_key;

use std::path::{Path, PathBuf};

use clap::Args;
use hato_domain::import::{Batches, ListEntry, RefusedLine};
use hato_domain::wire::{BulkItem, RegisteredMany};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use crate::connection::ServerConnection;
use crate::error::{CliError, Exit, Result};
use crate::output::Output;
use crate::progress_file::{DoneLines, ProgressFile, beside};
use list::SubscriberList;
use probe::{ChosenProbe, EndpointSample, ProbeArgs, ProbeReport};
use refused_file::{RefusedFile, RefusedState};
use report::{ImportReport, ImportTotals};
use vapid_key::{ImportedKey, KeyFile};

/// The arguments of `hato import`.
#[derive(Args)]
pub struct ImportArgs {
    /// One subscription a line, as `hato export` or `PushSubscription.toJSON()` writes them, or CSV with a line of column names
    file: PathBuf,
    /// The VAPID key that they were made with: PEM, a JWK, 32 bytes base64url, or what `web-push generate-vapid-keys --json` or a Hato's export of the key writes
    #[arg(long, value_name = "FILE")]
    vapid_key: Option<PathBuf>,
    /// Say what would be taken and refused, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// Where the lines that were refused are written, with the reason for each [default: FILE.refused]
    #[arg(long, value_name = "FILE")]
    refused: Option<PathBuf>,
    #[command(flatten)]
    probe: ProbeArgs,
}

/// How far the import has come.
#[derive(Clone, Serialize, Deserialize)]
struct ImportProgress {
    done: DoneLines,
    totals: ImportTotals,
    refused: RefusedState,
    /// The probe that was begun when all lines were done.
    probe: Option<ChosenProbe>,
}

#[derive(Serialize)]
struct BulkBody<'a> {
    items: &'a [BulkItem],
}

struct Import<'a> {
    connection: &'a ServerConnection,
    path: String,
    key: ImportedKey,
    batches: Batches,
    /// The last line of the batch, and the hash of the file up to it.
    end: (u64, u64),
    sample: EndpointSample,
    probe: Option<ChosenProbe>,
    report: ImportReport,
    done: DoneLines,
    progress: Option<ProgressFile<ImportProgress>>,
    refused: RefusedFile,
    /// Whether the next batch may be one that an earlier run has registered without counting it.
    may_repeat: bool,
}

impl ImportArgs {
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let refused_path = self.refused_path()?;
        let mut list = SubscriberList::open(&self.file)?;
        let beginning = list.beginning()?;
        let mut import = self.start(connection, refused_path)?;
        for (entry, hash) in beginning {
            import.read(entry, hash)?;
        }
        let bar = ProgressBar::new(list.bytes());
        while let Some(entry) = list.next()? {
            import.read(entry, list.hash())?;
            bar.set_position(list.position());
        }
        import.send()?;
        bar.finish_and_clear();
        import.finish(&self.probe, output)
    }

    /// Never a file of somebody else's: what was refused before is replaced.
    fn refused_path(&self) -> Result<PathBuf> {
        let Some(path) = &self.refused else {
            return Ok(beside(&self.file, "refused"));
        };
        if path.exists() && !beside(&self.file, "progress").exists() {
            let message = format!("{} is there already", path.display());
            return Err(CliError::usage(message, "name another file"));
        }
        Ok(path.clone())
    }

    fn start<'a>(
        &self,
        connection: &'a ServerConnection,
        refused_path: PathBuf,
    ) -> Result<Import<'a>> {
        let sample = self.probe.begin(connection)?;
        let query = if self.dry_run { "?dry_run=true" } else { "" };
        let path = connection.app_path(&format!("/subscriptions/bulk{query}"))?;
        let progress = self.progress(connection, &refused_path)?;
        let ImportProgress {
            done,
            totals,
            refused,
            probe,
        } = progress.state.clone();
        let key = KeyFile::read(self.vapid_key.as_deref())?;
        let refused = RefusedFile::resume(refused_path, &refused)?;
        if !self.dry_run {
            // Better before the first line is stored than after it.
            progress.save()?;
        }
        Ok(Import {
            connection,
            path,
            key: key.import_into(connection, self.dry_run)?,
            batches: Batches::default(),
            end: (0, 0),
            sample,
            probe,
            report: ImportReport::new(totals, self.dry_run),
            done,
            may_repeat: progress.is_resumed() && !self.dry_run,
            progress: (!self.dry_run).then_some(progress),
            refused,
        })
    }

    /// How far an earlier run has come; an error for one that cannot go on like this.
    fn progress(
        &self,
        connection: &ServerConnection,
        refused: &Path,
    ) -> Result<ProgressFile<ImportProgress>> {
        let begin = ImportProgress {
            done: DoneLines::none(connection)?,
            totals: ImportTotals::default(),
            refused: RefusedState::none(refused),
            probe: None,
        };
        let progress = ProgressFile::open(&self.file, || begin)?;
        let done = &progress.state.done;
        if !done.is_for(connection)? || (self.dry_run && done.count() > 0) {
            return Err(progress.unusable());
        }
        Ok(progress)
    }
}

impl Import<'_> {
    /// Adds an entry, up to which the file has this hash, unless an earlier run has done it.
    fn read(&mut self, mut entry: ListEntry, hash: u64) -> Result<()> {
        let is_done = self.done.has(entry.last_line, hash);
        if is_done.ok_or_else(|| self.unusable())? {
            self.remember(&entry);
            return Ok(());
        }
        if self.batches.is_full() || self.batches.is_in_the_way(&entry) {
            self.send()?;
        }
        if let Ok(item) = &mut entry.item {
            self.key.give_to(item);
        }
        self.end = (entry.last_line, hash);
        self.batches.add(entry);
        Ok(())
    }

    /// A line that an earlier run has done takes its endpoint's place, and part in the probe, if it was taken.
    fn remember(&mut self, entry: &ListEntry) {
        if let Ok(item) = &entry.item
            && !self.refused.has(entry.line)
        {
            self.batches.remember(item);
            self.sample.offer(item.endpoint());
        }
    }

    /// Registers the batch that is gathered, and notes how far the file is done.
    fn send(&mut self) -> Result<()> {
        let items = self.batches.items();
        let mut answer = RegisteredMany::default();
        if !items.is_empty() {
            let body = BulkBody { items };
            answer = self.connection.api().post_idempotent(&self.path, &body)?;
        }
        self.count(&answer);
        for item in self.batches.taken(&answer) {
            self.sample.offer(item.endpoint());
        }
        let refused = self.batches.settle(&answer);
        self.keep_refused(refused)?;
        self.done.advance(self.end.0, self.end.1);
        self.save_progress()
    }

    fn save_progress(&mut self) -> Result<()> {
        let Some(progress) = &mut self.progress else {
            return Ok(());
        };
        progress.state = ImportProgress {
            done: self.done.clone(),
            totals: self.report.totals.clone(),
            refused: self.refused.state(),
            probe: self.probe.clone(),
        };
        progress.save()
    }

    fn count(&mut self, answer: &RegisteredMany) {
        let totals = &mut self.report.totals;
        totals.created += answer.created;
        totals.updated += answer.updated;
        if std::mem::take(&mut self.may_repeat) {
            totals.perhaps_created += answer.updated;
        }
    }

    fn unusable(&self) -> CliError {
        let path = beside(self.refused.path(), "progress");
        let progress = self.progress.as_ref().map(ProgressFile::unusable);
        progress.unwrap_or_else(|| CliError::usage(format!("{}", path.display()), ""))
    }

    fn keep_refused(&mut self, refused: Vec<RefusedLine>) -> Result<()> {
        self.refused.append(&refused)?;
        self.report.add_refused(refused);
        Ok(())
    }

    /// Asks whom an earlier run has chosen, or else some of those who were taken; none without a probe.
    fn send_probe(&mut self, args: &ProbeArgs) -> Result<Option<ProbeReport>> {
        if !args.is_wanted() {
            return Ok(None);
        }
        let chosen = self.probe.take().unwrap_or_else(|| self.sample.choose());
        self.probe = Some(chosen.clone());
        // Whoever is killed from here on has to ask the same people.
        self.save_progress()?;
        args.send(self.connection, &chosen).map(Some)
    }

    fn finish(mut self, probe: &ProbeArgs, output: &Output) -> Result<()> {
        let (report, failed) = match self.send_probe(probe) {
            Ok(report) => (report, Ok(())),
            Err(error) => (None, Err(error.add_hint(probe::GOES_ON))),
        };
        let nobody = report.as_ref().is_some_and(ProbeReport::is_empty);
        self.report.probe = report;
        let shown = output.show(&self.report, ImportReport::lines);
        failed?;
        if let Some(progress) = &self.progress {
            progress.finish()?;
        }
        shown?;
        self.check(nobody)
    }

    /// Fails if somebody was refused, or nobody was there to be probed.
    fn check(&self, nobody: bool) -> Result<()> {
        let refused = self.report.totals.refused;
        if refused == 0 && nobody {
            return Err(probe::nobody());
        }
        if refused == 0 {
            return Ok(());
        }
        let message = format!("{refused} lines were refused");
        let hint = format!("{} says why, line by line", self.refused.path().display());
        Err(CliError::new(Exit::Negative, "refused", message, hint))
    }
}
