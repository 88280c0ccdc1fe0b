//! When a send is due, until when it is worth something, and how fast it goes (CONTRACT 14).

use std::time::Duration;

use crate::{ErrorCode, Pace, UnixMillis};

/// How far ahead a send may be scheduled.
const MAX_AHEAD: Duration = Duration::from_hours(366 * 24);

/// The times and the pace of a send; all absent in one that is sent at once, as fast as it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    send_at: Option<UnixMillis>,
    expires_at: Option<UnixMillis>,
    pace: Option<Pace>,
}

impl Schedule {
    /// Takes what is right at any time: it expires after it is sent, and the pace is one. Anything else is `INVALID_INPUT`.
    pub fn parse(
        send_at: Option<i64>,
        expires_at: Option<i64>,
        max_per_minute: Option<i64>,
    ) -> Result<Self, ErrorCode> {
        let is_dead = send_at.zip(expires_at).is_some_and(|(at, end)| end <= at);
        if is_dead {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(Self {
            send_at: send_at.map(UnixMillis),
            expires_at: expires_at.map(UnixMillis),
            pace: max_per_minute.map(Pace::parse).transpose()?,
        })
    }

    /// Whether it can be accepted at `now`: what lies ahead does, and not too far. A request that is repeated is not judged again, so
    /// this stands apart from [`Self::parse`].
    pub fn is_ahead_of(&self, now: UnixMillis) -> bool {
        let latest = now.plus(MAX_AHEAD);
        let is_sent_later = self.send_at.is_none_or(|at| at > now && at <= latest);
        is_sent_later && self.expires_at.is_none_or(|at| at > now)
    }

    /// When it is due, if that is later than its acceptance.
    pub const fn send_at(&self) -> Option<UnixMillis> {
        self.send_at
    }

    /// From when on its message is worth nothing.
    pub const fn expires_at(&self) -> Option<UnixMillis> {
        self.expires_at
    }

    /// How fast it goes at most.
    pub const fn pace(&self) -> Option<Pace> {
        self.pace
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;
    use crate::UnixMillis;

    const NOW: i64 = 1_790_000_000_000;
    const DAY: i64 = 86_400_000;

    /// Whether it is right at any time, and whether it can be accepted now.
    fn judge(send_at: Option<i64>, expires_at: Option<i64>) -> Option<bool> {
        let schedule = Schedule::parse(send_at, expires_at, None).ok()?;
        Some(schedule.is_ahead_of(UnixMillis(NOW)))
    }

    #[test]
    fn it_is_sent_after_now_and_within_366_days() {
        for (send_at, good) in [
            (i64::MIN, false),
            (0, false),
            (NOW, false),
            (NOW + 1, true),
            (NOW + 366 * DAY, true),
            (NOW + 366 * DAY + 1, false),
            (i64::MAX, false),
        ] {
            assert_eq!(judge(Some(send_at), None), Some(good), "{send_at}");
        }
        assert_eq!(judge(None, None), Some(true));
    }

    #[test]
    fn it_expires_after_it_is_sent() {
        for (send_at, expires_at, judged) in [
            (None, NOW, Some(false)),
            (None, NOW + 1, Some(true)),
            (None, i64::MAX, Some(true)),
            (Some(NOW + 9), NOW + 9, None),
            (Some(NOW + 9), NOW + 8, None),
            (Some(NOW + 9), NOW + 10, Some(true)),
        ] {
            let judgement = judge(send_at, Some(expires_at));
            assert_eq!(judgement, judged, "{send_at:?} {expires_at}");
        }
    }

    #[test]
    fn a_pace_that_is_none_is_refused() {
        for (pace, good) in [
            (0, false),
            (1, true),
            (10_000_000, true),
            (10_000_001, false),
        ] {
            assert_eq!(Schedule::parse(None, None, Some(pace)).is_ok(), good);
        }
    }
}
