//! A real message to some of those who were imported: Web Push knows no other way to learn who still listens.

use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use hato_domain::wire::{BatchAccepted, Notify, NotifyBatch};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::connection::ServerConnection;
use crate::error::{CliError, Exit, Result};
use crate::notify::wait::{self, SendOutcome};
use crate::notify::{batch_key, needs_key, new_key};

/// How long the answers of push services are waited for.
const TIMEOUT: Duration = Duration::from_mins(10);

/// What can be done about a probe that failed.
pub const GOES_ON: &str =
    "the same command goes on with the probe, and within a day sends it to nobody twice";

/// The options of a probe; the owner words what people will read.
#[derive(Args)]
pub struct ProbeArgs {
    /// Then send a message to this many of them at random, and say how many still live
    #[arg(long, value_name = "NUMBER", requires_all = ["title", "body"], conflicts_with = "dry_run",
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000))]
    probe: Option<usize>,
    /// The headline of the probe's message
    #[arg(long, requires = "probe")]
    title: Option<String>,
    /// The text of the probe's message
    #[arg(long, requires = "probe")]
    body: Option<String>,
}

/// Some of the endpoints, each with the same chance.
pub struct EndpointSample {
    size: usize,
    seen: u128,
    endpoints: Vec<String>,
}

/// Whom a probe asks, and what names its requests.
#[derive(Clone, Serialize, Deserialize)]
pub struct ChosenProbe {
    endpoints: Vec<String>,
    idempotency_key: String,
}

/// What became of the probe.
#[derive(Serialize)]
pub struct ProbeReport {
    send_ids: Vec<String>,
    #[serde(flatten)]
    outcome: SendOutcome,
}

impl ProbeArgs {
    /// Fails at once if nothing could be sent afterwards.
    pub fn begin(&self, connection: &ServerConnection) -> Result<EndpointSample> {
        let size = self.probe.unwrap_or(0);
        if size > 0 {
            if !connection.has_key() {
                return Err(needs_key());
            }
            wait::require_history_access(connection)?;
        }
        Ok(EndpointSample {
            size,
            seen: 0,
            endpoints: Vec::new(),
        })
    }

    fn message(&self) -> Notify {
        Notify {
            title: self.title.clone(),
            body: self.body.clone(),
            ..Notify::default()
        }
    }

    /// Whether somebody is to be asked.
    pub fn is_wanted(&self) -> bool {
        self.probe.is_some()
    }

    /// Sends the message to those who were chosen, unless an earlier run has, and waits for what becomes of it.
    pub fn send(&self, connection: &ServerConnection, chosen: &ChosenProbe) -> Result<ProbeReport> {
        let (mut send_ids, mut queued) = (Vec::new(), 0);
        let batches = chosen.endpoints.chunks(NotifyBatch::MAX_ENDPOINTS);
        for (number, endpoints) in batches.enumerate() {
            let request = NotifyBatch::new(endpoints.to_vec(), self.message());
            let key = batch_key(&chosen.idempotency_key, number);
            let path = "/api/v1/notify/batch";
            let accepted: BatchAccepted = connection.api().post_with_key(path, &request, &key)?;
            queued += accepted.queued;
            send_ids.push(accepted.send_id);
        }
        let ids: Vec<_> = send_ids.iter().map(|id| &**id).collect();
        let outcome = wait::follow(connection, &ids, queued, TIMEOUT)?;
        Ok(ProbeReport { send_ids, outcome })
    }
}

impl EndpointSample {
    /// Takes the endpoint with the chance that leaves all those seen the same one (reservoir sampling).
    pub fn offer(&mut self, endpoint: &str) {
        self.seen += 1;
        if self.endpoints.len() < self.size {
            self.endpoints.push(endpoint.to_owned());
            return;
        }
        let place = Uuid::new_v4().as_u128() % self.seen;
        let place = usize::try_from(place).ok();
        if let Some(taken) = place.and_then(|place| self.endpoints.get_mut(place)) {
            endpoint.clone_into(taken);
        }
    }

    /// Those of whom it consists now, for a probe.
    pub fn choose(&self) -> ChosenProbe {
        ChosenProbe {
            endpoints: self.endpoints.clone(),
            idempotency_key: new_key(),
        }
    }
}

impl ProbeReport {
    /// Whether there was nobody to send anything to.
    pub fn is_empty(&self) -> bool {
        self.send_ids.is_empty()
    }

    pub fn line(&self) -> String {
        if self.is_empty() {
            return "The probe. There is nobody to probe: no line was taken.".to_owned();
        }
        format!("The probe. {}", self.outcome.line())
    }
}

/// The failure of a probe that nobody could get.
pub fn nobody() -> CliError {
    let message = "there is nobody to probe";
    CliError::new(Exit::Negative, "nobody", message, "no line was taken")
}

#[cfg(test)]
mod tests {
    use super::EndpointSample;

    #[test]
    fn each_has_the_same_chance_wherever_it_stands() {
        const ROUNDS: u32 = 20_000;
        let endpoints: Vec<_> = (0..10).map(|number| number.to_string()).collect();
        let mut taken = [0_u32; 10];
        for _ in 0..ROUNDS {
            let mut sample = EndpointSample {
                size: 3,
                seen: 0,
                endpoints: Vec::new(),
            };
            for endpoint in &endpoints {
                sample.offer(endpoint);
            }
            assert_eq!(sample.endpoints.len(), 3);
            for endpoint in sample.endpoints {
                taken[endpoint.parse::<usize>().expect("a number")] += 1;
            }
        }
        // Of 20,000 rounds 6,000 are expected, and 65 is the standard deviation.
        assert!(
            taken.iter().all(|count| count.abs_diff(6_000) < 600),
            "{taken:?}"
        );
    }
}
