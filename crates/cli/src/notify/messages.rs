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
use crate::error::{CliError, Exit, Result};
use crate::output::Output;
use crate::progress_file::{DoneLines, ProgressFile};
use crate::text::recipient_noun;
use lines::MessageLines;

/// Between two attempts at a line while the app's limit of sends a minute is reached, unless the server names less.
const LIMIT_DELAY: Duration = Duration::from_secs(5);

/// Attempts at one line: the limit's window is a minute, so that further ones would be in vain.
const MAX_ATTEMPTS: usize = 30;

/// The lines that are done, and what names their requests.
#[derive(Serialize, Deserialize)]
struct MessageProgress {
    idempotency_key: String,
    done: DoneLines,
}

/// What became of the lines of this run.
#[derive(Default, Serialize)]
struct FileReport {
    /// The lines that an earlier run had done.
    skipped: u64,
    sent: u64,
    /// Recipients of all lines that were sent.
    queued: i64,
    refused: Vec<RefusedMessage>,
}

/// A line whose only recipient is not there.
#[derive(Serialize)]
struct RefusedMessage {
    line: u64,
    code: String,
}

/// Sends each line of `file`, the body of a request that sends, once it is certain that all of them are well-formed.
pub fn send(file: &Path, connection: &ServerConnection, output: &Output) -> Result<()> {
    connection.require_named_app()?;
    let total = lines::check(file, connection.has_key())?;
    let begin = MessageProgress::begin(connection)?;
    let mut progress = ProgressFile::open(file, || begin)?;
    let done = progress.state.done.clone();
    if done.count() > total || !done.is_for(connection)? {
        return Err(progress.unusable());
    }
    // The name of the requests is kept before the first of them.
    progress.save()?;
    let mut report = FileReport {
        skipped: done.count(),
        ..FileReport::default()
    };
    let bar = ProgressBar::new(total).with_position(done.count());
    let mut messages = MessageLines::open(file)?;
    while let Some((line, message)) = messages.next_message()? {
        if done
            .has(line, messages.lines().hash())
            .ok_or_else(|| progress.unusable())?
        {
            continue;
        }
        let key = format!("{}-{line}", progress.state.idempotency_key);
        let sent = send_line(connection, &message, &key);
        let is_to_one = message.endpoint.is_some();
        let added = report.add(line, is_to_one, sent);
        added.map_err(|error| stopped(file, line, error.of_list(report.is_begun())))?;
        progress.state.done.advance(line, messages.lines().hash());
        progress.save()?;
        bar.set_position(line);
    }
    bar.finish_and_clear();
    progress.finish()?;
    output.show(&report, FileReport::lines)?;
    report.check()
}

/// Waits while the limit of sends a minute is reached.
fn send_line(connection: &ServerConnection, message: &Notify, key: &str) -> Result<SendAccepted> {
    let path = send_path(connection, message.endpoint.is_some())?;
    for _ in 1..MAX_ATTEMPTS {
        let sent = connection.api().post_with_key(&path, message, key);
        match sent {
            Err(error) if error.code() == ErrorCode::RateLimited.as_str() => {
                sleep(
                    error
                        .retry_after()
                        .map_or(LIMIT_DELAY, |it| it.min(LIMIT_DELAY)),
                );
            }
            _ => return sent,
        }
    }
    connection.api().post_with_key(&path, message, key)
}

fn stopped(file: &Path, line: u64, error: CliError) -> CliError {
    let name = file.display();
    error.add_hint(&format!(
        "the lines before {name}:{line} are sent, and this one may be; the same command goes on there and sends nothing twice"
    ))
}

impl MessageProgress {
    fn begin(connection: &ServerConnection) -> Result<Self> {
        Ok(Self {
            idempotency_key: new_key(),
            done: DoneLines::none(connection)?,
        })
    }
}

impl FileReport {
    /// A recipient who has left stops nobody else's message.
    fn add(&mut self, line: u64, is_to_one: bool, sent: Result<SendAccepted>) -> Result<()> {
        match sent {
            Ok(accepted) => {
                self.sent += 1;
                self.queued += accepted.queued;
            }
            Err(error) if is_to_one && error.code() == ErrorCode::NotFound.as_str() => {
                let code = error.code().to_owned();
                self.refused.push(RefusedMessage { line, code });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn is_begun(&self) -> bool {
        self.skipped + self.sent > 0
    }

    fn check(&self) -> Result<()> {
        if self.refused.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{} lines have a recipient who is not there",
            self.refused.len()
        );
        Err(CliError::new(
            Exit::Negative,
            "refused",
            message,
            "they unsubscribed, or never were here",
        ))
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
