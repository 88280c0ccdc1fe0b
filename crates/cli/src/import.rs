//! `hato import`: subscribers from another service or another Hato (CONTRACT 16).

mod list;
mod probe;
mod refused_file;
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
use probe::{ProbeArgs, ProbeReport, Sample};
use refused_file::{RefusedFile, RefusedState};
use vapid_key::{ImportedKey, KeyFile};

/// Refused lines that are shown; the file has all.
const MAX_SHOWN: usize = 10;

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
    totals: Totals,
    refused: RefusedState,
}

/// What became of the lines so far.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Totals {
    created: usize,
    updated: usize,
    /// Those of the known that a run may have registered that was stopped before it heard so.
    perhaps_created: usize,
    refused: usize,
}

#[derive(Serialize)]
struct ImportReport {
    #[serde(flatten)]
    totals: Totals,
    dry_run: bool,
    /// The first of those that this run has refused.
    first_refused: Vec<RefusedLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probe: Option<ProbeReport>,
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
    sample: Sample,
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
        import.finish(self.probe, output)
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
            key: key.take_over(connection, self.dry_run)?,
            batches: Batches::default(),
            end: (0, 0),
            sample,
            report: ImportReport {
                totals,
                dry_run: self.dry_run,
                first_refused: Vec::new(),
                probe: None,
            },
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
            totals: Totals::default(),
            refused: RefusedState::none(refused),
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
        self.report.totals.refused += refused.len();
        self.refused.append(&refused)?;
        let room = MAX_SHOWN.saturating_sub(self.report.first_refused.len());
        self.report
            .first_refused
            .extend(refused.into_iter().take(room));
        Ok(())
    }

    fn finish(mut self, probe: ProbeArgs, output: &Output) -> Result<()> {
        if let Some(progress) = &self.progress {
            progress.finish()?;
        }
        let probe = probe.send(self.connection, &self.sample);
        let (report, failed) = match probe {
            Ok(report) => (report, Ok(())),
            Err(error) => (None, Err(error)),
        };
        let nobody = report.as_ref().is_some_and(ProbeReport::is_empty);
        self.report.probe = report;
        output.show(&self.report, ImportReport::lines)?;
        failed?;
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

impl ImportReport {
    fn lines(&self) -> Vec<String> {
        let Totals {
            created,
            updated,
            perhaps_created,
            refused,
        } = self.totals;
        let would = if self.dry_run {
            "Nothing is stored: "
        } else {
            ""
        };
        let mut lines = vec![format!(
            "{would}{created} new, {updated} known, {refused} refused."
        )];
        if perhaps_created > 0 {
            lines.push(format!(
                "Of the known ones up to {perhaps_created} may be new: an earlier run was stopped while they were registered."
            ));
        }
        let shown = self.first_refused.iter();
        lines.extend(shown.map(|it| format!("line {}: {}: {}", it.line, it.code, it.message)));
        lines.extend(self.probe.as_ref().map(ProbeReport::line));
        lines
    }
}
