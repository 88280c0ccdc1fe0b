//! The clock that use cases and the delivery engine go by.

use std::time::{SystemTime, UNIX_EPOCH};

use hato_domain::UnixMillis;

/// A source of the current time, injected so that tests can turn it.
pub trait Clock: Send + Sync + 'static {
    /// The current time in Unix milliseconds.
    fn now(&self) -> UnixMillis;
}

/// The clock of the machine, for everything but tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the machine's clock is read"
    )]
    fn now(&self) -> UnixMillis {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        UnixMillis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }
}
