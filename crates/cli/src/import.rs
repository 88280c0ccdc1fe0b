//! `hato import`: subscribers from another service or another Hato (CONTRACT 16).

mod probe;
mod record;
mod vapid_key;

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use hato_domain::wire::{MAX_BULK_ITEMS, RegisteredMany};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::connection::ServerConnection;
use crate::error::{CliError, Exit, Result};
use crate::lines::{Line, Lines, Refusal};
use crate::output::Output;
use crate::progress_file::{DoneLines, ProgressFile, beside};
use probe::{ProbeArgs, ProbeReport, Sample};
use record::{Format, Item};
use vapid_key::ImportedKey;

/// Most bytes of the items of a request, so that its body stays below the server's 4 MiB.
const MAX_BATCH_BYTES: usize = 3 * 1024 * 1024;

/// Most bytes of a line: more than a subscription with all its tags takes.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Refused lines that are shown; the file has all.
const MAX_SHOWN: usize = 10;

/// The arguments of `hato import`.
#[derive(Args)]
pub struct ImportArgs {
    /// One subscription a line, as `hato export` or `PushSubscription.toJSON()` writes them, or CSV with a line of column names
    file: PathBuf,
    /// The VAPID key that they were made with: PEM, a JWK, 32 bytes base64url, or what `web-push generate-vapid-keys --json` writes
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
struct Progress {
    done: DoneLines,
    totals: Totals,
}

/// What became of the lines so far.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Totals {
    created: usize,
    updated: usize,
    refused: usize,
}

/// A line that was not taken.
#[derive(Serialize)]
struct RefusedLine {
    line: u64,
    code: String,
    message: String,
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

/// Lines that are not sent yet, and what is known about them.
#[derive(Default)]
struct Batch {
    items: Vec<Box<RawValue>>,
    /// Number and endpoint of each.
    lines: Vec<(u64, String)>,
    endpoints: HashSet<String>,
    refused: Vec<RefusedLine>,
    bytes: usize,
    /// The number of its last line, and the hash of the file up to it.
    end: (u64, u64),
}

#[derive(Serialize)]
struct BulkBody<'a> {
    items: &'a [Box<RawValue>],
}

struct Import<'a> {
    connection: &'a ServerConnection,
    path: String,
    key: ImportedKey,
    format: Format,
    /// The endpoints that were taken, by their hashes.
    known: HashSet<u64>,
    hashes: RandomState,
    sample: Sample,
    report: ImportReport,
    done: DoneLines,
    progress: Option<ProgressFile<Progress>>,
    refused_path: PathBuf,
}

impl ImportArgs {
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let refused_path = self.refused_path()?;
        let mut lines = Lines::open(&self.file, MAX_LINE_BYTES)?;
        let (format, refused) = Format::of(&mut lines)?;
        let mut import = self.start(connection, format, refused_path)?;
        let bar = ProgressBar::new(lines.bytes());
        let mut batch = Batch::default();
        for (line, refusal) in refused {
            import.read(&mut batch, (line, Err(refusal)), &lines)?;
        }
        while let Some(line) = lines.next()? {
            import.read(&mut batch, line, &lines)?;
            if batch.is_full() {
                import.send(&mut batch)?;
                bar.set_position(lines.position());
            }
        }
        import.send(&mut batch)?;
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
        format: Format,
        refused_path: PathBuf,
    ) -> Result<Import<'a>> {
        let sample = self.probe.begin(connection)?;
        let query = if self.dry_run { "?dry_run=true" } else { "" };
        let path = connection.app_path(&format!("/subscriptions/bulk{query}"))?;
        let begin = Progress {
            done: DoneLines::none(connection)?,
            totals: Totals::default(),
        };
        let progress = ProgressFile::open(&self.file, || begin)?;
        let Progress { done, totals } = progress.state.clone();
        if !done.is_for(connection)? || (self.dry_run && done.count() > 0) {
            return Err(progress.unusable());
        }
        if done.count() == 0 {
            forget(&refused_path)?;
        }
        if !self.dry_run {
            // Better before the first line is stored than after it.
            progress.save()?;
        }
        let key = self.vapid_key.as_deref();
        Ok(Import {
            connection,
            path,
            key: ImportedKey::take_over(connection, key, self.dry_run)?,
            format,
            known: HashSet::new(),
            hashes: RandomState::new(),
            sample,
            report: ImportReport {
                totals,
                dry_run: self.dry_run,
                first_refused: Vec::new(),
                probe: None,
            },
            done,
            progress: (!self.dry_run).then_some(progress),
            refused_path,
        })
    }
}

impl Batch {
    fn push(&mut self, line: u64, item: Item, key: &ImportedKey) {
        let endpoint = item.endpoint().to_owned();
        let item = item.into_json(key);
        self.bytes += item.get().len();
        self.endpoints.insert(endpoint.clone());
        self.items.push(item);
        self.lines.push((line, endpoint));
    }

    fn has(&self, endpoint: &str) -> bool {
        self.endpoints.contains(endpoint)
    }

    fn is_full(&self) -> bool {
        self.items.len() == MAX_BULK_ITEMS
            || self.refused.len() >= MAX_BULK_ITEMS
            || self.bytes > MAX_BATCH_BYTES
    }
}

impl Import<'_> {
    /// Adds a line, the last that was read of `lines`, to the batch, unless an earlier run has done it.
    fn read(&mut self, batch: &mut Batch, (line, text): (u64, Line), lines: &Lines) -> Result<()> {
        let is_done = self.done.has(line, lines);
        let is_done = is_done.ok_or_else(|| self.unusable())?;
        let item = text.and_then(|text| self.format.item(&text));
        if is_done {
            if let Ok(item) = &item {
                self.known.insert(self.hashes.hash_one(item.endpoint()));
            }
            return Ok(());
        }
        if let Ok(item) = &item
            && batch.has(item.endpoint())
        {
            // Whether the line before is good is for the server to say.
            self.send(batch)?;
        }
        match item.and_then(|item| self.first_of_its_endpoint(item)) {
            Ok(item) => batch.push(line, item, &self.key),
            Err((code, message)) => batch.refused.push(RefusedLine {
                line,
                code: code.to_owned(),
                message: message.to_owned(),
            }),
        }
        batch.end = (line, lines.hash());
        Ok(())
    }

    fn first_of_its_endpoint(&self, item: Item) -> std::result::Result<Item, Refusal> {
        let hash = self.hashes.hash_one(item.endpoint());
        if self.known.contains(&hash) {
            Err(("DUPLICATE", "an earlier line has the same endpoint"))
        } else {
            Ok(item)
        }
    }

    /// Registers what the batch has, and empties it.
    fn send(&mut self, batch: &mut Batch) -> Result<()> {
        let mut batch = std::mem::take(batch);
        if !batch.items.is_empty() {
            let body = BulkBody {
                items: &batch.items,
            };
            let done: RegisteredMany = self.connection.api().post_idempotent(&self.path, &body)?;
            self.report.totals.created += done.created;
            self.report.totals.updated += done.updated;
            for it in done.rejected {
                let Some(line) = batch.lines.get_mut(it.index) else {
                    continue;
                };
                // It was not taken.
                line.1.clear();
                batch.refused.push(RefusedLine {
                    line: line.0,
                    code: it.code,
                    message: it.message,
                });
            }
            let taken = batch.lines.iter().filter(|line| !line.1.is_empty());
            for (_, endpoint) in taken {
                self.known.insert(self.hashes.hash_one(endpoint));
                self.sample.offer(endpoint);
            }
        }
        self.keep_refused(batch.refused)?;
        self.done.advance(batch.end.0, batch.end.1);
        if let Some(progress) = &mut self.progress {
            progress.state = Progress {
                done: self.done.clone(),
                totals: self.report.totals.clone(),
            };
            progress.save()?;
        }
        Ok(())
    }

    fn unusable(&self) -> CliError {
        let path = beside(&self.refused_path, "progress");
        let progress = self.progress.as_ref().map(ProgressFile::unusable);
        progress.unwrap_or_else(|| CliError::usage(format!("{}", path.display()), ""))
    }

    fn keep_refused(&mut self, mut refused: Vec<RefusedLine>) -> Result<()> {
        if refused.is_empty() {
            return Ok(());
        }
        refused.sort_by_key(|it| it.line);
        self.report.totals.refused += refused.len();
        append(&self.refused_path, &refused)?;
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
        self.report.probe = report;
        output.show(&self.report, ImportReport::lines)?;
        failed?;
        let refused = self.report.totals.refused;
        if refused == 0 {
            return Ok(());
        }
        let message = format!("{refused} lines were refused");
        let remedy = format!("{} says why, line by line", self.refused_path.display());
        Err(CliError::new(Exit::Negative, "refused", message, remedy))
    }
}

impl ImportReport {
    fn lines(&self) -> Vec<String> {
        let Totals {
            created,
            updated,
            refused,
            ..
        } = self.totals;
        let would = if self.dry_run {
            "Nothing is stored: "
        } else {
            ""
        };
        let mut lines = vec![format!(
            "{would}{created} new, {updated} known, {refused} refused."
        )];
        let shown = self.first_refused.iter();
        lines.extend(shown.map(|it| format!("line {}: {}: {}", it.line, it.code, it.message)));
        lines.extend(self.probe.as_ref().map(ProbeReport::line));
        lines
    }
}

/// Removes what an earlier import has left.
fn forget(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(CliError::file(path, &error))
        }
        _ => Ok(()),
    }
}

fn append(path: &Path, refused: &[RefusedLine]) -> Result<()> {
    let mut text = Vec::new();
    for line in refused {
        serde_json::to_writer(&mut text, line).expect("a line is plain data");
        text.push(b'\n');
    }
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(&text));
    written.map_err(|error| CliError::file(path, &error))
}
