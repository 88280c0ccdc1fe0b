//! `hato import`: subscribers from another service or another Hato (CONTRACT 16).

mod probe;
mod record;
mod vapid_key;

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
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
use crate::progress_file::{ProgressFile, beside};
use probe::{ProbeArgs, ProbeReport, Sample};
use record::{Format, Item};

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
#[derive(Clone, Default, Serialize, Deserialize)]
struct Totals {
    /// The lines that are done.
    lines: u64,
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
    lines: Vec<u64>,
    refused: Vec<RefusedLine>,
    bytes: usize,
}

#[derive(Serialize)]
struct BulkBody<'a> {
    items: &'a [Box<RawValue>],
}

struct Import<'a> {
    connection: &'a ServerConnection,
    path: String,
    vapid_public_key: Option<String>,
    format: Format,
    /// The endpoints of the lines before.
    known: HashSet<String>,
    sample: Sample,
    report: ImportReport,
    progress: Option<ProgressFile<Totals>>,
    refused_path: PathBuf,
}

impl ImportArgs {
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let mut lines = Lines::open(&self.file, MAX_LINE_BYTES)?;
        let format = Format::of(&mut lines)?;
        let refused_path = self
            .refused
            .clone()
            .unwrap_or_else(|| beside(&self.file, "refused"));
        let mut import = self.start(connection, format, refused_path)?;
        let bar = ProgressBar::new(lines.bytes());
        let mut batch = Batch::default();
        while let Some((line, text)) = lines.next()? {
            import.read(&mut batch, line, text);
            if batch.is_full() {
                import.send(std::mem::take(&mut batch), line)?;
                bar.set_position(lines.position());
            }
        }
        import.send(batch, lines.number())?;
        bar.finish_and_clear();
        import.finish(self.probe, output)
    }

    fn start<'a>(
        &self,
        connection: &'a ServerConnection,
        format: Format,
        refused_path: PathBuf,
    ) -> Result<Import<'a>> {
        let sample = self.probe.begin(connection)?;
        let query = if self.dry_run { "?dry_run=true" } else { "" };
        let key = self.vapid_key.as_deref();
        let vapid_public_key = vapid_key::take_over(connection, key, self.dry_run)?;
        let progress = if self.dry_run {
            None
        } else {
            Some(ProgressFile::open(&self.file, Totals::default)?)
        };
        let totals = progress.as_ref().map(|it| it.state.clone());
        let totals = totals.unwrap_or_default();
        if totals.lines == 0 {
            forget(&refused_path)?;
        }
        Ok(Import {
            connection,
            path: connection.app_path(&format!("/subscriptions/bulk{query}"))?,
            vapid_public_key,
            format,
            known: HashSet::new(),
            sample,
            report: ImportReport {
                totals,
                dry_run: self.dry_run,
                first_refused: Vec::new(),
                probe: None,
            },
            progress,
            refused_path,
        })
    }
}

impl Batch {
    fn is_full(&self) -> bool {
        self.items.len() == MAX_BULK_ITEMS
            || self.refused.len() >= MAX_BULK_ITEMS
            || self.bytes > MAX_BATCH_BYTES
    }
}

impl Import<'_> {
    /// Adds a line to the batch, unless an earlier run has done it.
    fn read(&mut self, batch: &mut Batch, line: u64, text: Line) {
        let item = text.and_then(|text| self.format.item(&text));
        let item = item.and_then(|item| self.first_of_its_endpoint(item));
        if line <= self.report.totals.lines {
            return;
        }
        match item {
            Ok(item) => {
                let item = item.into_json(self.vapid_public_key.as_deref());
                batch.bytes += item.get().len();
                batch.items.push(item);
                batch.lines.push(line);
            }
            Err((code, message)) => batch.refused.push(RefusedLine {
                line,
                code: code.to_owned(),
                message: message.to_owned(),
            }),
        }
    }

    fn first_of_its_endpoint(&mut self, item: Item) -> std::result::Result<Item, Refusal> {
        if self.known.insert(item.endpoint().to_owned()) {
            self.sample.offer(item.endpoint());
            Ok(item)
        } else {
            Err(("DUPLICATE", "an earlier line has the same endpoint"))
        }
    }

    /// Registers what the batch has; `last` is the number of its last line.
    fn send(&mut self, mut batch: Batch, last: u64) -> Result<()> {
        if !batch.items.is_empty() {
            let body = BulkBody {
                items: &batch.items,
            };
            let done: RegisteredMany = self.connection.api().post_idempotent(&self.path, &body)?;
            self.report.totals.created += done.created;
            self.report.totals.updated += done.updated;
            let refused = done.rejected.into_iter().filter_map(|it| {
                let line = *batch.lines.get(it.index)?;
                Some(RefusedLine {
                    line,
                    code: it.code,
                    message: it.message,
                })
            });
            batch.refused.extend(refused);
        }
        self.keep_refused(batch.refused)?;
        self.report.totals.lines = last.max(self.report.totals.lines);
        if let Some(progress) = &mut self.progress {
            progress.state = self.report.totals.clone();
            progress.save()?;
        }
        Ok(())
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
        self.report.probe = probe.send(self.connection, &self.sample)?;
        output.show(&self.report, ImportReport::lines)?;
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
