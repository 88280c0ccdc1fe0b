//! A file of messages, one a line: each is sent once, and a run that was interrupted goes on where it stopped.

mod lines;

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use hato_domain::ErrorCode;
use hato_domain::wire::{Notify, SendAccepted};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::{new_key, send_path};
use crate::connection::ServerConnection;
use crate::error::{CliError, Result};
use crate::output::Output;
use crate::progress_file::ProgressFile;
use crate::text::recipient_noun;
use lines::MessageLines;

/// Between two attempts at a line while the app's limit of sends a minute is reached.
const LIMIT_DELAY: Duration = Duration::from_secs(5);

/// Attempts at one line: the limit's window is a minute, so that further ones would be in vain.
const MAX_ATTEMPTS: usize = 30;

/// The lines that are done, and what names their requests.
#[derive(Serialize, Deserialize)]
struct Progress {
    idempotency_key: String,
    lines: u64,
}

/// What became of the lines of this run.
#[derive(Default, Serialize)]
struct FileReport {
    /// The lines that an earlier run had done.
    skipped: u64,
    sent: u64,
    /// Recipients of all lines that were sent.
    queued: i64,
    refused: Vec<RefusedLine>,
}

/// A line whose only recipient is not there.
#[derive(Serialize)]
struct RefusedLine {
    line: u64,
    code: String,
}

/// Sends each line of `file`, the body of a request that sends, once it is certain that all of them are well-formed.
pub fn send(file: &Path, connection: &ServerConnection, output: &Output) -> Result<()> {
    connection.require_named_app()?;
    let total = lines::check(file, connection.has_key())?;
    let mut progress = ProgressFile::open(file, Progress::begin)?;
    let Progress {
        idempotency_key,
        lines: done,
    } = &progress.state;
    let (key, done) = (idempotency_key.clone(), *done);
    if done > total {
        return Err(progress.unusable());
    }
    // The name of the requests is kept before the first of them.
    progress.save()?;
    let mut report = FileReport {
        skipped: done,
        ..FileReport::default()
    };
    let bar = ProgressBar::new(total).with_position(done);
    let mut messages = MessageLines::open(file)?;
    while let Some((line, message)) = messages.next_message()? {
        if line <= done {
            continue;
        }
        let sent = send_line(connection, &message, &format!("{key}-{line}"));
        report
            .add(line, sent)
            .map_err(|error| stopped(file, line, error))?;
        progress.state.lines = line;
        progress.save()?;
        bar.set_position(line);
    }
    bar.finish_and_clear();
    progress.finish()?;
    output.show(&report, FileReport::lines)
}

/// Waits while the limit of sends a minute is reached.
fn send_line(connection: &ServerConnection, message: &Notify, key: &str) -> Result<SendAccepted> {
    let path = send_path(connection, message.endpoint.is_some())?;
    for _ in 1..MAX_ATTEMPTS {
        let sent = connection.api().post_with_key(&path, message, key);
        match sent {
            Err(error) if error.code() == ErrorCode::RateLimited.as_str() => sleep(LIMIT_DELAY),
            _ => return sent,
        }
    }
    connection.api().post_with_key(&path, message, key)
}

fn stopped(file: &Path, line: u64, error: CliError) -> CliError {
    let name = file.display();
    error.add_remedy(&format!(
        "{name}:{line} was not sent; the same command goes on there"
    ))
}

impl Progress {
    fn begin() -> Self {
        Self {
            idempotency_key: new_key(),
            lines: 0,
        }
    }
}

impl FileReport {
    /// A recipient who has left stops nobody else's message.
    fn add(&mut self, line: u64, sent: Result<SendAccepted>) -> Result<()> {
        match sent {
            Ok(accepted) => {
                self.sent += 1;
                self.queued += accepted.queued;
            }
            Err(error) if error.code() == ErrorCode::NotFound.as_str() => {
                let code = error.code().to_owned();
                self.refused.push(RefusedLine { line, code });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn lines(&self) -> Vec<String> {
        let noun = recipient_noun(self.queued);
        let mut lines = vec![format!(
            "Sent {} messages, queued for {} {noun}.",
            self.sent, self.queued
        )];
        if self.skipped > 0 {
            lines.push(format!("{} were sent before.", self.skipped));
        }
        let refused = self.refused.iter();
        lines.extend(refused.map(|it| format!("line {}: {}", it.line, it.code)));
        lines
    }
}
