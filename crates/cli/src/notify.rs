//! `hato notify`: to everyone, to users or tags, to one subscriber, or to a list in batches; now or later.

mod endpoints;
mod messages;
mod rich;
pub mod wait;
mod zoned_time;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hato_domain::wire::{BatchAccepted, Notify, NotifyBatch, SendAccepted, To};
use hato_domain::{IdempotencyKey, Urgency};
use serde::Serialize;
use uuid::Uuid;

use crate::connection::ServerConnection;
use crate::error::{CliError, Exit, FailedSend, Result};
use crate::output::Output;
use crate::selection::{tag_expression, user_id};
use crate::text::recipient_noun;
use rich::RichArgs;
use wait::{SendOutcome, parse_timeout};
use zoned_time::{ZonedTime, parse_time};

/// What a message in a file says itself, and what is about one send.
const FILE_CONFLICTS: [&str; 26] = [
    "title",
    "body",
    "url",
    "icon",
    "badge",
    "ttl",
    "urgency",
    "topic",
    "to",
    "to_file",
    "users",
    "tags",
    "at",
    "expires",
    "per_minute",
    "idempotency_key",
    "wait",
    "image",
    "actions",
    "tag",
    "require_interaction",
    "silent",
    "data",
    "dir",
    "timestamp",
    "app_badge",
];

/// The arguments of `hato notify`.
#[derive(Args)]
pub struct NotifyArgs {
    /// The headline
    #[arg(required_unless_present = "file")]
    title: Option<String>,
    /// The text
    #[arg(required_unless_present = "file")]
    body: Option<String>,
    /// Many different messages instead: one JSON object a line, as POST /api/v1/notify takes it
    #[arg(long, conflicts_with_all = FILE_CONFLICTS)]
    file: Option<PathBuf>,
    /// Opened on click, https://
    #[arg(long)]
    url: Option<String>,
    /// A picture beside the text, https://
    #[arg(long, value_name = "URL")]
    icon: Option<String>,
    /// A small picture for status bars, https://
    #[arg(long, value_name = "URL")]
    badge: Option<String>,
    /// Seconds that push services keep it for browsers that are off, up to 2419200
    #[arg(long, value_name = "SECONDS")]
    ttl: Option<i64>,
    /// How soon it has to arrive
    #[arg(long, value_parser = Urgency::ALL.map(Urgency::as_str))]
    urgency: Option<String>,
    /// A name under which a newer message replaces one that still waits
    #[arg(long)]
    topic: Option<String>,
    /// Only to this subscriber
    #[arg(long, value_name = "ENDPOINT", conflicts_with = "to_file")]
    to: Option<String>,
    /// Only to the endpoints in this file, one a line; - is standard input
    #[arg(long, value_name = "FILE")]
    to_file: Option<PathBuf>,
    /// Only to the browsers of this user; once for each of several users
    #[arg(long = "user", value_name = "ID", conflicts_with_all = ["to", "to_file"], value_parser = user_id)]
    users: Vec<String>,
    /// Only to those whose tags meet this, for example "news && !(sports || muted)"
    #[arg(long, value_name = "EXPRESSION", conflicts_with_all = ["to", "to_file"], value_parser = tag_expression)]
    tags: Option<String>,
    /// When to send it, in this machine's time zone: "tomorrow 9:00", "2026-12-24 18:00", "+90 minutes"
    #[arg(long, value_name = "WHEN", value_parser = parse_time)]
    at: Option<ZonedTime>,
    /// When it is worth nothing any more, likewise
    #[arg(long, value_name = "WHEN", value_parser = parse_time)]
    expires: Option<ZonedTime>,
    /// How many recipients a minute at most
    #[arg(long, value_name = "NUMBER")]
    per_minute: Option<i64>,
    /// Names the request, so that repeating the whole command within a day sends nothing twice
    #[arg(long, value_name = "KEY", value_parser = idempotency_key)]
    idempotency_key: Option<String>,
    /// Follow the send to its end; the exit code says whether it worked
    #[arg(long)]
    wait: bool,
    /// How long to wait at most: a number with s, m or h
    #[arg(long, value_name = "TIME", default_value = "30m", requires = "wait", value_parser = parse_timeout)]
    timeout: Duration,
    #[command(flatten)]
    rich: RichArgs,
}

/// What was accepted, and what became of it if somebody waited.
#[derive(Default, Serialize)]
struct SendReport {
    sends: Vec<QueuedSend>,
    queued: i64,
    idempotency_key: String,
    /// When it will be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    send_at: Option<ZonedTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<SendOutcome>,
}

#[derive(Serialize)]
struct QueuedSend {
    send_id: String,
    queued: i64,
}

impl NotifyArgs {
    pub fn run(mut self, connection: &ServerConnection, output: &Output) -> Result<()> {
        if let Some(file) = &self.file {
            return messages::send(file, connection, output);
        }
        let batches = self.to_file.take().map(|file| endpoints::read(&file));
        let batches = batches.transpose()?;
        connection.require_named_app()?;
        if self.wait {
            wait::require_history_access(connection)?;
        }
        let key = self.idempotency_key.take().unwrap_or_else(new_key);
        if let Some(batches) = &batches {
            require_key_length(&key, batches.len())?;
        }
        let mut report = SendReport {
            idempotency_key: key,
            send_at: self.at.clone(),
            ..SendReport::default()
        };
        let done = self.send_and_wait(connection, batches, &mut report, output);
        done.map_err(|error| error.with_send(report.into_failed_send()))
    }

    /// The report grows with what is accepted, whatever happens then.
    fn send_and_wait(
        &self,
        connection: &ServerConnection,
        batches: Option<Vec<Vec<String>>>,
        report: &mut SendReport,
        output: &Output,
    ) -> Result<()> {
        match batches {
            Some(batches) => self.send_batches(connection, batches, report)?,
            None => self.send(connection, report)?,
        }
        if !self.wait {
            return output.show(report, SendReport::lines);
        }
        let ids: Vec<_> = report.sends.iter().map(|send| &*send.send_id).collect();
        let outcome = wait::follow(connection, &ids, report.queued, self.timeout)?;
        let delivered = outcome.check_delivered();
        report.outcome = Some(outcome);
        output.show(report, SendReport::lines)?;
        delivered
    }

    fn send(&self, connection: &ServerConnection, report: &mut SendReport) -> Result<()> {
        let path = send_path(connection, self.to.is_some())?;
        let (message, key) = (self.message(), &report.idempotency_key);
        let accepted: SendAccepted = connection.api().post_with_key(&path, &message, key)?;
        report.add(accepted.send_id, accepted.queued);
        Ok(())
    }

    fn send_batches(
        &self,
        connection: &ServerConnection,
        batches: Vec<Vec<String>>,
        report: &mut SendReport,
    ) -> Result<()> {
        if !connection.has_key() {
            return Err(needs_key());
        }
        for (number, endpoints) in batches.into_iter().enumerate() {
            let request = NotifyBatch::new(endpoints, self.message());
            let key = batch_key(&report.idempotency_key, number);
            let accepted: BatchAccepted =
                connection
                    .api()
                    .post_with_key("/api/v1/notify/batch", &request, &key)?;
            report.add(accepted.send_id, accepted.queued);
        }
        Ok(())
    }

    fn message(&self) -> Notify {
        self.rich.added_to(Notify {
            title: self.title.clone(),
            body: self.body.clone(),
            url: self.url.clone(),
            icon: self.icon.clone(),
            badge: self.badge.clone(),
            endpoint: self.to.clone(),
            ttl: self.ttl,
            urgency: self.urgency.clone(),
            topic: self.topic.clone(),
            to: self.part_of_audience(),
            send_at: self.at.as_ref().map(ZonedTime::milliseconds),
            expires_at: self.expires.as_ref().map(ZonedTime::milliseconds),
            max_per_minute: self.per_minute,
            ..Notify::default()
        })
    }

    fn part_of_audience(&self) -> Option<To> {
        let user_ids = Some(&self.users).filter(|users| !users.is_empty());
        let is_part = user_ids.is_some() || self.tags.is_some();
        is_part.then(|| To {
            user_ids: user_ids.cloned(),
            tags: self.tags.clone(),
        })
    }
}

fn idempotency_key(text: &str) -> std::result::Result<String, &'static str> {
    let key = IdempotencyKey::parse(text.as_bytes());
    let key = key.map_err(|_| "1 to 255 printable ASCII characters are expected")?;
    Ok(key.as_str().to_owned())
}

/// Each batch of a list has a name of its own, which repeating the command gives it again.
pub fn batch_key(key: &str, number: usize) -> String {
    format!("{key}-{number}")
}

/// Better before the first batch than after it.
fn require_key_length(key: &str, batches: usize) -> Result<()> {
    let longest = batch_key(key, batches);
    let excess = longest.len().saturating_sub(IdempotencyKey::MAX_BYTES);
    if excess == 0 {
        return Ok(());
    }
    Err(CliError::usage(
        format!("the idempotency key is too long for a list of {batches} batches"),
        format!("shorten it by {excess} characters: each batch's number is added"),
    ))
}

/// A name for a request that nobody has named.
pub fn new_key() -> String {
    format!("hato-cli-{}", Uuid::new_v4().simple())
}

impl SendReport {
    fn add(&mut self, send_id: String, queued: i64) {
        self.queued += queued;
        self.sends.push(QueuedSend { send_id, queued });
    }

    fn into_failed_send(self) -> FailedSend {
        let ids = self.sends.into_iter().map(|send| send.send_id);
        FailedSend {
            send_ids: ids.collect(),
            idempotency_key: self.idempotency_key,
        }
    }

    fn lines(&self) -> Vec<String> {
        let ids = self.sends.iter().map(|send| send.send_id.clone());
        let mut lines: Vec<_> = ids.collect();
        let noun = recipient_noun(self.queued);
        lines.push(match (&self.outcome, &self.send_at) {
            (Some(outcome), _) => outcome.line(),
            (None, Some(moment)) => format!("Scheduled for {moment}."),
            (None, None) => format!("Queued for {} {noun}.", self.queued),
        });
        lines
    }
}

/// Where a message is posted. A session has no send of its own but the broadcast (SPEC 4.8 to 4.10).
fn send_path(connection: &ServerConnection, to_one: bool) -> Result<String> {
    if connection.has_key() {
        Ok("/api/v1/notify".to_owned())
    } else if to_one {
        Err(needs_key())
    } else {
        connection.app_path("/notify")
    }
}

/// The refusal of a session where a key is needed.
pub fn needs_key() -> CliError {
    CliError::new(
        Exit::NotAllowed,
        "UNAUTHORIZED",
        "a session can only send to everyone",
        "set HATO_KEY to a key with scope notify, or store one with `hato login --key`",
    )
}
