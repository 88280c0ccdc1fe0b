//! Following sends to their end.

use std::thread::sleep;
use std::time::{Duration, Instant};

use hato_domain::wire::{HistoryItem, Page};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::connection::ServerConnection;
use crate::error::{CliError, Exit, Result};
use crate::history;
use crate::text::recipient_noun;

/// The wait between two requests for a send's state.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

fn seconds_of(unit: &str) -> Option<u64> {
    match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3_600),
        _ => None,
    }
}

/// Reads the value of `--timeout`: a whole number of seconds, minutes or hours, with its unit.
pub fn parse_timeout(text: &str) -> std::result::Result<Duration, &'static str> {
    const EXPECTED: &str = "a number with s, m or h, for example 10m";
    let unit = text.find(|c: char| !c.is_ascii_digit()).ok_or(EXPECTED)?;
    let (number, unit) = text.split_at(unit);
    let seconds = seconds_of(unit).ok_or(EXPECTED)?;
    let number: u32 = number.parse().map_err(|_| EXPECTED)?;
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

/// What became of one or several sends together, in the names of the history (SPEC 2.5).
#[derive(Clone, Default, Serialize)]
pub struct SendOutcome {
    recipients: i64,
    sent_count: i64,
    failed_expired: i64,
    failed_other: i64,
    skipped_count: i64,
    cancelled_count: i64,
}

/// Fails unless the credential may read the history: better before the send than after it.
pub fn require_history_access(connection: &ServerConnection) -> Result<()> {
    let list = connection.app_path("/notifications?limit=1")?;
    let page: Result<Page<HistoryItem>> = connection.api().get(&list);
    page.map(drop).map_err(|error| {
        if error.code() == "INSUFFICIENT_SCOPE" {
            return error
                .add_hint("--wait reads the history: use a key with scope full; nothing was sent");
        }
        error
    })
}

/// Waits until every send has ended; a bar shows how far they are if somebody watches.
pub fn follow(
    connection: &ServerConnection,
    ids: &[&str],
    recipients: i64,
    timeout: Duration,
) -> Result<SendOutcome> {
    let deadline = Instant::now() + timeout;
    let bar = bar(recipients);
    let mut ended = SendOutcome::default();
    for id in ids {
        loop {
            let send = fetch_send(connection, id, deadline)?;
            let mut so_far = ended.clone();
            so_far.add(&send);
            bar.set_length(u64::try_from(recipients.max(so_far.recipients)).unwrap_or(0));
            bar.set_position(u64::try_from(so_far.completed()).unwrap_or(0));
            if let Some(reason) = &send.refused_reason {
                bar.abandon();
                return Err(refused(id, reason));
            }
            if matches!(send.status.as_str(), "done" | "cancelled") {
                ended = so_far;
                break;
            }
            if is_past(deadline) {
                bar.abandon();
                return Err(timed_out(id));
            }
            sleep(POLL_INTERVAL);
        }
    }
    bar.finish_and_clear();
    Ok(ended)
}

/// A send as it stands now, if there is time to ask.
fn fetch_send(connection: &ServerConnection, id: &str, deadline: Instant) -> Result<HistoryItem> {
    let path = history::path(connection, id)?;
    let send = connection.api().with_deadline(deadline).get(&path);
    send.map_err(|error| {
        if is_past(deadline) {
            timed_out(id)
        } else {
            error
        }
    })
}

/// Whether there is no time for another request.
fn is_past(deadline: Instant) -> bool {
    Instant::now() + POLL_INTERVAL >= deadline
}

/// On standard error, and only if that is a terminal.
fn bar(recipients: i64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed}");
    let bar = ProgressBar::new(u64::try_from(recipients).unwrap_or(0));
    bar.with_style(style.expect("the template is well-formed"))
}

fn timed_out(id: &str) -> CliError {
    CliError::new(
        Exit::Timeout,
        "late",
        format!("{id} goes on, but not within --timeout"),
        format!("`hato history show {id}` tells how far it is"),
    )
}

fn refused(id: &str, reason: &str) -> CliError {
    CliError::new(
        Exit::Negative,
        reason,
        format!("{id} was refused when it was due, and nobody got it"),
        "the month has no room for its recipients: send to fewer, or next month",
    )
}

impl SendOutcome {
    fn add(&mut self, send: &HistoryItem) {
        self.recipients += send.recipients;
        self.sent_count += send.sent_count;
        self.failed_expired += send.failed_expired;
        self.failed_other += send.failed_other;
        self.skipped_count += send.skipped_count;
        self.cancelled_count += send.cancelled_count;
    }

    fn completed(&self) -> i64 {
        let failed = self.failed_expired + self.failed_other;
        self.sent_count + failed + self.skipped_count + self.cancelled_count
    }

    /// It worked if somebody was reached, or nobody was to be, and nothing failed but subscriptions that were gone.
    pub fn check_delivered(&self) -> Result<()> {
        let reached = self.sent_count > 0 || self.recipients == self.skipped_count;
        let hint = if self.failed_other > 0 {
            "`hato dead-letters` says why"
        } else if self.cancelled_count > 0 {
            "somebody cancelled it: `hato history` shows what was sent"
        } else if reached {
            return Ok(());
        } else {
            "the subscriptions are gone and were deactivated: browsers subscribe anew on their next visit"
        };
        let error = CliError::new(Exit::Negative, "not-delivered", self.line(), hint);
        Err(error)
    }

    pub fn line(&self) -> String {
        let Self {
            recipients,
            sent_count,
            failed_expired,
            failed_other,
            skipped_count,
            cancelled_count,
        } = self;
        let noun = recipient_noun(*recipients);
        format!(
            "Of {recipients} {noun}: {sent_count} sent, {failed_expired} expired, {failed_other} failed, \
             {skipped_count} skipped, {cancelled_count} cancelled."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::parse_timeout;

    #[test]
    fn a_duration_has_a_unit() {
        let seconds = |text: &str| parse_timeout(text).ok().map(|it| it.as_secs());
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("10m"), Some(600));
        assert_eq!(seconds("2h"), Some(7_200));
        for text in [
            "",
            "10",
            "m",
            "1d",
            "-1s",
            "+1s",
            "1.5h",
            "10é",
            "99999999999s",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
