//! `hato notify`: to everyone, to one subscriber, or to a list in batches.

mod endpoints;
mod wait;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hato_domain::wire::{BatchAccepted, Notify, NotifyBatch, SendAccepted};
use serde::Serialize;
use uuid::Uuid;

use crate::connection::Connection;
use crate::failure::{Exit, Failure, Result};
use crate::output::Output;
use wait::{Outcome, Patience};

/// What to send, to whom.
#[derive(Args)]
pub struct Send {
    /// The headline
    title: String,
    /// The text
    body: String,
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
    #[arg(long, value_enum)]
    urgency: Option<Urgency>,
    /// A name under which a newer message replaces one that still waits
    #[arg(long)]
    topic: Option<String>,
    /// Only to this subscriber
    #[arg(long, value_name = "ENDPOINT", conflicts_with = "to_file")]
    to: Option<String>,
    /// Only to the endpoints in this file, one a line; - is standard input
    #[arg(long, value_name = "FILE")]
    to_file: Option<PathBuf>,
    /// Names the request, so that repeating the whole command sends nothing twice
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Follow the send to its end; the exit code says whether it worked
    #[arg(long)]
    wait: bool,
    /// How long to wait at most: a number with s, m or h
    #[arg(long, default_value = "30m", requires = "wait")]
    timeout: Patience,
}

#[derive(Clone, Copy, ValueEnum)]
enum Urgency {
    VeryLow,
    Low,
    Normal,
    High,
}

/// What was accepted, and what became of it if somebody waited.
#[derive(Serialize)]
struct Report {
    sends: Vec<Accepted>,
    queued: i64,
    idempotency_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
}

#[derive(Serialize)]
struct Accepted {
    send_id: String,
    queued: i64,
}

impl Send {
    /// Sends it, and waits if that was asked for.
    pub fn run(mut self, connection: &Connection, output: &Output) -> Result<()> {
        let batches = self.to_file.take().map(|file| endpoints::read(&file));
        let batches = batches.transpose()?;
        connection.require_named_app()?;
        if self.wait {
            wait::require_right(connection)?;
        }
        let key = self.idempotency_key.take();
        let key = key.unwrap_or_else(|| format!("hato-cli-{}", Uuid::new_v4().simple()));
        let sends = match batches {
            Some(batches) => self.send_batches(connection, batches, &key)?,
            None => vec![self.send(connection, &key)?],
        };
        let mut report = Report {
            queued: sends.iter().map(|send| send.queued).sum(),
            sends,
            idempotency_key: key,
            outcome: None,
        };
        if !self.wait {
            return output.show(&report, Report::lines);
        }
        let ids: Vec<_> = report.sends.iter().map(|send| &*send.send_id).collect();
        let outcome = wait::follow(connection, &ids, report.queued, self.timeout)?;
        let worked = outcome.worked();
        report.outcome = Some(outcome);
        output.show(&report, Report::lines)?;
        worked
    }

    /// A session has no send of its own but the broadcast (SPEC 4.8 to 4.10).
    fn send(&self, connection: &Connection, key: &str) -> Result<Accepted> {
        let path = if connection.has_key() {
            "/api/v1/notify".to_owned()
        } else if self.to.is_none() {
            connection.of_app("/notify")?
        } else {
            return Err(needs_key());
        };
        let accepted: SendAccepted = connection.api().post_once(&path, &self.message(), key)?;
        Ok(Accepted {
            send_id: accepted.send_id,
            queued: accepted.queued,
        })
    }

    fn send_batches(
        &self,
        connection: &Connection,
        batches: Vec<Vec<String>>,
        key: &str,
    ) -> Result<Vec<Accepted>> {
        if !connection.has_key() {
            return Err(needs_key());
        }
        let mut sends = Vec::with_capacity(batches.len());
        for (number, endpoints) in batches.into_iter().enumerate() {
            let request = NotifyBatch {
                endpoints: Some(endpoints),
                payload: Some(self.message()),
            };
            let key_of_batch = format!("{key}-{number}");
            let accepted: Result<BatchAccepted> =
                connection
                    .api()
                    .post_once("/api/v1/notify/batch", &request, &key_of_batch);
            let accepted = accepted.map_err(|failure| interrupted(failure, number, key))?;
            sends.push(Accepted {
                send_id: accepted.send_id,
                queued: accepted.queued,
            });
        }
        Ok(sends)
    }

    fn message(&self) -> Notify {
        let urgency = self.urgency.and_then(|urgency| urgency.to_possible_value());
        Notify {
            title: Some(self.title.clone()),
            body: Some(self.body.clone()),
            url: self.url.clone(),
            icon: self.icon.clone(),
            badge: self.badge.clone(),
            endpoint: self.to.clone(),
            ttl: self.ttl,
            urgency: urgency.map(|urgency| urgency.get_name().to_owned()),
            topic: self.topic.clone(),
        }
    }
}

impl Report {
    fn lines(&self) -> Vec<String> {
        let ids = self.sends.iter().map(|send| send.send_id.clone());
        let mut lines: Vec<_> = ids.collect();
        let people = if self.queued == 1 {
            "recipient"
        } else {
            "recipients"
        };
        lines.push(match &self.outcome {
            None => format!("Queued for {} {people}.", self.queued),
            Some(outcome) => outcome.line(),
        });
        lines
    }
}

fn needs_key() -> Failure {
    Failure::new(
        Exit::NotAllowed,
        "UNAUTHORIZED",
        "a session can only send to everyone",
        "set HATO_KEY to a key with scope notify, or store one with `hato login --key`",
    )
}

/// Says how to go on where earlier batches have been sent.
fn interrupted(failure: Failure, batches: usize, key: &str) -> Failure {
    if batches == 0 {
        return failure;
    }
    failure.and(&format!(
        "{batches} batches are sent: repeat with --idempotency-key {key} and the same list to send only the rest"
    ))
}
