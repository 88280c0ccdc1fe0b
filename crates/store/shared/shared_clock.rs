//! The clock that all processes have in common, as far as each knows it: the database's, where they have several. Sends, pages and their
//! leases go by it: what is written, and what is looked for by its time.

use hato_domain::UnixMillis;

use crate::Database;
use crate::dialect::clock_lead;

/// How a process's own clock and the shared one differ at a moment.
#[derive(Clone, Copy)]
pub(crate) struct SharedClock {
    lead: i64,
}

impl SharedClock {
    /// At the moment when the process's own clock shows `now`.
    pub(crate) fn at(database: &Database, now: UnixMillis) -> Self {
        Self {
            lead: clock_lead(database, now),
        }
    }

    /// How far the process's own clock is ahead, ms.
    pub(crate) const fn lead(self) -> i64 {
        self.lead
    }

    /// What the shared clock shows when the process's own shows `time`.
    pub(crate) const fn shared(self, time: UnixMillis) -> UnixMillis {
        UnixMillis(time.0 - self.lead)
    }

    /// What the process's own clock shows when the shared one shows `time`.
    pub(crate) const fn own(self, time: UnixMillis) -> UnixMillis {
        UnixMillis(time.0 + self.lead)
    }
}

/// What the shared clock shows when the process's own shows `now`.
pub(crate) fn shared_now(database: &Database, now: UnixMillis) -> UnixMillis {
    SharedClock::at(database, now).shared(now)
}
