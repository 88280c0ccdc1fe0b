//! This process's clock beside the database's. What is stored for others goes by the database's, as far as a process knows it
//! (`shared_clock.rs`). Outboxes go by the clock of each process, and what it knows may be wrong: one that is ahead would take what others have
//! in work, and deliver it a second time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hato_domain::UnixMillis;
use hato_service::ports::Clock;

use crate::connections::Connections;

/// A difference of more than this is said in the log, ms.
const REPORTED: u64 = 2_000;
/// One that was said is gone when it is no more than this, ms.
const UNREPORTED: u64 = 1_000;
/// A clock that differs by more than this claims nothing, ms: two that differ by as much, one each way, leave a lease that is renewed after
/// a third of its 20 s to who holds it.
const TOLERATED: u64 = 6_000;

/// For how long an answer is believed rather than later ones that took longer.
const MAX_AGE: Duration = Duration::from_mins(1);
/// How far clocks that nobody sets drift apart in that time at most, ms.
const MAX_DRIFT: i64 = 100;

/// What is known of the database's clock, and what has been said about it. Nothing is known until it was compared once.
#[derive(Debug, Default)]
pub(crate) struct ClockCheck {
    known: Mutex<Option<DatabaseTime>>,
    is_reported: AtomicBool,
    withholds_claims: AtomicBool,
    /// One claim at a time finds out what is right by now, so that the last one to say it has asked last.
    turn: tokio::sync::Mutex<()>,
}

/// What the database's clock showed at a moment between the question and the answer.
#[derive(Clone, Copy, Debug)]
struct DatabaseTime {
    shown: i64,
    asked: Instant,
    answered: Instant,
}

impl DatabaseTime {
    async fn ask(connections: &Connections) -> sqlx::Result<Self> {
        let asked = Instant::now();
        let shown = sqlx::query_scalar!(
            r#"SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS "now!""#
        );
        Ok(Self {
            shown: shown.fetch_one(connections).await?,
            asked,
            answered: Instant::now(),
        })
    }

    /// How long the answer took, within which nobody knows when it was made.
    fn uncertainty(&self) -> Duration {
        self.answered.saturating_duration_since(self.asked)
    }

    /// Whether this is right, or says more than what was known before: a slow answer says less than a quick one did a moment ago.
    fn replaces(&self, known: &Self) -> bool {
        let age = self.answered.saturating_duration_since(known.answered);
        self.uncertainty() <= known.uncertainty() || age > MAX_AGE || self.contradicts(known)
    }

    /// Whether both cannot be true: the database's clock was set since, or this machine has slept.
    fn contradicts(&self, known: &Self) -> bool {
        let shown = UnixMillis(self.shown);
        known.lead(shown, self.answered) > MAX_DRIFT || known.lead(shown, self.asked) < -MAX_DRIFT
    }

    /// How far a clock that shows `now` at `moment` is ahead of the database's, ms; negative when it is behind. As long as the answer
    /// took, nobody knows.
    fn lead(&self, now: UnixMillis, moment: Instant) -> i64 {
        let earliest = self.shown + millis_between(self.answered, moment);
        let latest = self.shown + millis_between(self.asked, moment);
        (now.0 - latest).max(0) + (now.0 - earliest).min(0)
    }
}

/// Negative when `to` is before `from`.
fn millis_between(from: Instant, to: Instant) -> i64 {
    let millis = |later: Instant, earlier: Instant| {
        let since = later.saturating_duration_since(earlier);
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    };
    millis(to, from) - millis(from, to)
}

impl ClockCheck {
    /// Asks the database for its time, and says in the log when the clock begins or ceases to differ from it.
    pub(crate) async fn compare(
        &self,
        connections: &Connections,
        clock: &dyn Clock,
    ) -> sqlx::Result<()> {
        let database = self.ask(connections).await?;
        let lead = database.lead(clock.now(), Instant::now());
        let was_reported = self.is_reported.load(Ordering::Relaxed);
        let bound = if was_reported { UNREPORTED } else { REPORTED };
        let is_off = lead.unsigned_abs() > bound;
        self.is_reported.store(is_off, Ordering::Relaxed);
        match (was_reported, is_off) {
            (false, true) => tracing::warn!(
                "this machine's clock is {} the database's: let NTP set both",
                difference(lead)
            ),
            (true, false) => tracing::info!("this machine's clock is that of the database again"),
            _ => {}
        }
        Ok(())
    }

    /// Whether somebody may claim whose clock shows `now`. One that seems to be too far off is compared again at once: either clock may
    /// have been set since, or this machine may have slept.
    pub(crate) async fn permits(
        &self,
        connections: &Connections,
        now: UnixMillis,
    ) -> sqlx::Result<bool> {
        let moment = Instant::now();
        let Some(known) = *self.known() else {
            return Ok(true);
        };
        let seems_off = known.lead(now, moment).unsigned_abs() > TOLERATED;
        if !seems_off && !self.withholds_claims.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let _turn = self.turn.lock().await;
        let lead = self.ask(connections).await?.lead(now, moment);
        let is_off = lead.unsigned_abs() > TOLERATED;
        let was_off = self.withholds_claims.swap(is_off, Ordering::Relaxed);
        match (was_off, is_off) {
            (false, true) => tracing::error!(
                "nothing is delivered from here while this machine's clock is {} the database's",
                difference(lead)
            ),
            (true, false) => tracing::info!("the clock is right again: it is delivered from here"),
            _ => {}
        }
        Ok(!is_off)
    }

    /// How far a clock that shows `now` is ahead of the database's, ms, as far as that is known; negative when it is behind.
    pub(crate) fn lead(&self, now: UnixMillis) -> i64 {
        let known = *self.known();
        known.map_or(0, |known| known.lead(now, Instant::now()))
    }

    async fn ask(&self, connections: &Connections) -> sqlx::Result<DatabaseTime> {
        let database = DatabaseTime::ask(connections).await?;
        let mut known = self.known();
        if known.is_none_or(|known| database.replaces(&known)) {
            *known = Some(database);
        }
        Ok(database)
    }

    fn known(&self) -> MutexGuard<'_, Option<DatabaseTime>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As it stands in the log, in whole seconds.
fn difference(lead: i64) -> String {
    let word = if lead > 0 { "ahead of" } else { "behind" };
    format!("{} s {word}", (lead.unsigned_abs() + 500) / 1_000)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use hato_domain::UnixMillis;

    use super::DatabaseTime;

    #[test]
    fn a_quick_answer_is_believed_until_it_is_a_minute_old() {
        let start = Instant::now();
        let answer = |asked: u64, answered: u64, shown: i64| DatabaseTime {
            shown,
            asked: start + Duration::from_secs(asked),
            answered: start + Duration::from_secs(answered),
        };
        let quick = answer(1, 2, 1_500);
        assert!(answer(11, 12, 11_500).replaces(&quick), "as quick");
        for shown in [11_000, 14_000, 17_000] {
            assert!(!answer(11, 17, shown).replaces(&quick), "{shown}");
        }
        assert!(answer(61, 67, 64_000).replaces(&quick), "old");
        for shown in [9_000, 19_000] {
            assert!(
                answer(11, 17, shown).replaces(&quick),
                "{shown}: it was set"
            );
        }
    }

    #[test]
    fn a_clock_is_off_by_what_the_answers_time_does_not_explain() {
        let asked = Instant::now();
        let database = DatabaseTime {
            shown: 100_000,
            asked,
            answered: asked + Duration::from_secs(3),
        };
        let moment = asked + Duration::from_mins(1);
        for (now, lead) in [
            (157_000, 0),
            (160_000, 0),
            (162_500, 2_500),
            (150_000, -7_000),
        ] {
            assert_eq!(database.lead(UnixMillis(now), moment), lead, "{now}");
        }
        let before = asked.checked_sub(Duration::from_secs(5));
        let before = before.expect("the machine has been up for longer");
        assert_eq!(database.lead(UnixMillis(94_000), before), 0);
    }
}
