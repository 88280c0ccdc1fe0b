//! `hato listen`: an app's events as they happen, shown, and posted to an address of the developer's (CONTRACT 16).

mod event_stream;
mod forwarder;

use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::api::Api;
use crate::connection::ServerConnection;
use crate::error::{CliError, Exit, Result};
use crate::output::Output;
use crate::text::printable;
use event_stream::{EventReader, SentEvent};
use forwarder::{ForwardResult, Forwarder};

/// The wait before the first try to listen again; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest of these waits.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// For how long it tries.
const GIVE_UP_AFTER: Duration = Duration::from_mins(10);

/// The arguments of `hato listen`.
#[derive(Args)]
pub struct ListenArgs {
    /// Post each event there, signed as a webhook's are, with a secret that is shown
    #[arg(long, value_name = "URL")]
    forward: Option<String>,
}

/// What is told once events can come.
#[derive(Serialize)]
struct ListeningNotice<'a> {
    app_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    forward: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a str>,
}

/// An event, and what became of it where it was posted.
#[derive(Serialize)]
struct PrintedEvent {
    id: String,
    event: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    forwarded: Option<ForwardResult>,
}

impl ListenArgs {
    /// Goes on until it is interrupted, which is its success, or cannot listen any more.
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let forwarder = self.forward.as_deref().map(Forwarder::new).transpose()?;
        let path = connection.app_path("/events/stream")?;
        let (app, api) = (connection.app()?, connection.api());
        end_when_interrupted()?;
        let mut stream = EventReader::open(api, &path)?;
        let listening = ListeningNotice {
            app_id: app,
            forward: self.forward.as_deref(),
            secret: forwarder.as_ref().map(Forwarder::secret),
        };
        output.line(&listening, ListeningNotice::to_line)?;
        loop {
            while let Some(event) = stream.next() {
                let printed = PrintedEvent::new(event, forwarder.as_ref());
                output.line(&printed, PrintedEvent::to_line)?;
            }
            anstream::eprintln!(
                "hato: the connection was cut; what happens until it is back is not heard"
            );
            stream = reopen(api, &path)?;
            anstream::eprintln!("hato: listening again");
        }
    }
}

/// Whoever has had enough says so with Ctrl-C.
fn end_when_interrupted() -> Result<()> {
    ctrlc::set_handler(|| std::process::exit(0)).map_err(|error| {
        let message = format!("Ctrl-C cannot be noticed: {error}");
        CliError::new(Exit::Usage, "interrupt", message, "try another terminal")
    })
}

/// Listens again, once the server is there and has noticed that the old connection is not.
fn reopen(api: &Api, path: &str) -> Result<EventReader> {
    let (begun_at, mut wait) = (Instant::now(), FIRST_WAIT);
    loop {
        sleep(wait);
        match EventReader::open(api, path) {
            Err(error) if error.may_pass() && begun_at.elapsed() < GIVE_UP_AFTER => {
                wait = (wait * 2).min(LONGEST_WAIT);
            }
            result => return result,
        }
    }
}

impl ListeningNotice<'_> {
    fn to_line(&self) -> String {
        match (self.forward, self.secret) {
            (Some(url), Some(secret)) => {
                format!(
                    "Listening to {}; events go to {url}, signed with {secret}",
                    self.app_id
                )
            }
            _ => format!("Listening to {}", self.app_id),
        }
    }
}

impl PrintedEvent {
    fn new(event: SentEvent, forwarder: Option<&Forwarder>) -> Self {
        Self {
            forwarded: forwarder.map(|forwarder| forwarder.post(&event)),
            event: serde_json::from_str(&event.body).unwrap_or(Value::String(event.body)),
            id: event.id,
        }
    }

    /// When, what, of which send, with its numbers, and how the post was answered.
    fn to_line(&self) -> String {
        let (event, data) = (&self.event, &self.event["data"]);
        let words = [&event["timestamp"], &event["type"], &data["send_id"]];
        let mut words: Vec<_> = words.into_iter().filter_map(Value::as_str).collect();
        let numbers = numbers(data);
        words.extend(numbers.iter().map(String::as_str));
        let line = words.join("  ");
        printable(&match &self.forwarded {
            Some(forwarded) => format!("{line}  -> {forwarded}"),
            None => line,
        })
    }
}

/// How many results, or each number that the event has.
fn numbers(data: &Value) -> Vec<String> {
    if let Some(results) = data["results"].as_array() {
        return vec![format!("results={}", results.len())];
    }
    let members = data.as_object().into_iter().flatten();
    let number = |(name, value): (&String, &Value)| Some(format!("{name}={}", value.as_i64()?));
    members.filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::PrintedEvent;
    use super::forwarder::ForwardResult;

    #[test]
    fn an_event_is_a_line_without_commands_for_terminals() {
        let printed = PrintedEvent {
            id: "msg_1".into(),
            event: json!({
                "type": "send.completed\u{1b}[2J", "timestamp": "2026-11-23T08:00:00.000Z",
                "data": {"app_id": "app_1", "send_id": "snd_1", "recipients": 2, "sent_count": 2},
            }),
            forwarded: Some(ForwardResult::Answered { status: 204 }),
        };
        let line = "2026-11-23T08:00:00.000Z  send.completed [2J  snd_1  recipients=2  sent_count=2  -> 204";
        assert_eq!(printed.to_line(), line);
    }
}
