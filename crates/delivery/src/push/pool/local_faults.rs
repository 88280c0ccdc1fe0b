//! Tells what this machine lacks from what is wrong with a host (CONTRACT 7).
//!
//! A host that is silent and a machine without a network look the same from one failure. So it is this machine's fault when nothing
//! has succeeded for 30 s, whatever the host, and none of those that have answered pushes is there now: without that question, the one dead
//! host that is called in a quiet hour would pass for a dead network. To lack file descriptors needs no such evidence.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::error::ConnectError;

/// When something that needs this machine's network last succeeded: look-ups, or connections.
pub struct LocalFaults {
    /// What is tried, for the log.
    subject: &'static str,
    /// How long nothing may succeed.
    fault_after: Duration,
    /// How long nothing is tried once the machine is known to be at fault.
    retry_delay: Duration,
    evidence: Mutex<Evidence>,
    /// One at a time asks whom it can reach; the others wait for what it finds.
    probing: tokio::sync::Mutex<()>,
}

struct Evidence {
    /// When it last succeeded; at first, when the process began.
    succeeded_at: Instant,
    /// Until when nothing is tried, while the machine is at fault.
    fault: Option<(Instant, Arc<str>)>,
}

impl LocalFaults {
    /// No fault, and as if something had succeeded just now.
    pub fn new(subject: &'static str, fault_after: Duration, retry_delay: Duration) -> Self {
        Self {
            subject,
            fault_after,
            retry_delay,
            evidence: Mutex::new(Evidence {
                succeeded_at: Instant::now(),
                fault: None,
            }),
            probing: tokio::sync::Mutex::default(),
        }
    }

    /// Fails while the machine is known to be at fault.
    pub fn check(&self) -> Result<(), ConnectError> {
        match &self.evidence().fault {
            Some((until, cause)) if Instant::now() < *until => {
                Err(ConnectError::Local(Arc::clone(cause)))
            }
            _ => Ok(()),
        }
    }

    /// Takes note of a success.
    pub fn succeeded(&self) {
        let mut evidence = self.evidence();
        evidence.succeeded_at = Instant::now();
        if evidence.fault.take().is_some() {
            tracing::info!("{} succeed again", self.subject);
        }
    }

    /// Takes note that the network works. A fault is not over for that: the machine may still lack what something new takes.
    pub fn reached(&self) {
        self.evidence().succeeded_at = Instant::now();
    }

    /// A failure as the host's, or as this machine's. `probe` tries the same with others, if it is asked.
    pub async fn judge(
        &self,
        failure: ConnectError,
        probe: impl Future<Output = bool> + Send,
    ) -> ConnectError {
        let _turn = self.probing.lock().await;
        if !self.is_silent() {
            return failure;
        }
        if self.check().is_err() {
            return failure.into_local();
        }
        if probe.await {
            self.succeeded();
            return failure;
        }
        self.fail(failure)
    }

    /// The failure as this machine's.
    pub fn fail(&self, failure: ConnectError) -> ConnectError {
        let mut evidence = self.evidence();
        let until = Instant::now() + self.retry_delay;
        let is_news = evidence.fault.replace((until, failure.to_string().into()));
        if is_news.is_none() {
            tracing::warn!(%failure, "{} fail on this machine: deliveries wait", self.subject);
        }
        failure.into_local()
    }

    /// Whether nothing has succeeded for as long as that may be chance.
    fn is_silent(&self) -> bool {
        self.evidence().succeeded_at.elapsed() >= self.fault_after
    }

    fn evidence(&self) -> MutexGuard<'_, Evidence> {
        self.evidence.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::time::Duration;

    use tokio::time::advance;

    use super::LocalFaults;
    use crate::DeliverySettings;
    use crate::push::pool::error::ConnectError;

    const HOUR: Duration = Duration::from_hours(1);

    fn faults(fault_after: Duration, retry_delay: Duration) -> LocalFaults {
        LocalFaults::new("tries", fault_after, retry_delay)
    }

    fn failure() -> ConnectError {
        ConnectError::timed_out("no connection")
    }

    /// Whether a failure is this machine's, while others are `reachable`.
    async fn is_local(faults: &LocalFaults, reachable: bool) -> bool {
        let judged = faults.judge(failure(), ready(reachable)).await;
        matches!(judged, ConnectError::Local(_))
    }

    #[tokio::test]
    async fn nothing_for_long_enough_is_this_machines_fault() {
        assert!(
            !is_local(&faults(HOUR, HOUR), false).await,
            "it began just now"
        );
        let faults = faults(Duration::ZERO, Duration::ZERO);
        assert!(is_local(&faults, false).await);
    }

    #[tokio::test(start_paused = true)]
    async fn what_lasts_for_30_s_is_no_chance_any_more() {
        let settings = DeliverySettings::new(String::new(), [HOUR; 3], 0);
        let faults = faults(settings.local_fault_after, HOUR);
        advance(Duration::from_millis(29_999)).await;
        assert!(!is_local(&faults, false).await);
        advance(Duration::from_millis(1)).await;
        assert!(is_local(&faults, false).await);
    }

    #[tokio::test]
    async fn one_host_that_fails_while_another_answers_is_that_hosts_fault() {
        let faults = faults(Duration::ZERO, Duration::ZERO);
        assert!(!is_local(&faults, true).await, "asked, it answers");
        assert!(is_local(&faults, false).await);
        faults.succeeded();
        assert!(!is_local(&faults, true).await);
    }

    #[tokio::test]
    async fn nothing_is_tried_for_a_while_after_a_fault() {
        let faults = faults(Duration::ZERO, HOUR);
        assert!(faults.check().is_ok());
        assert!(is_local(&faults, false).await);
        assert!(matches!(faults.check(), Err(ConnectError::Local(_))));
        faults.succeeded();
        assert!(faults.check().is_ok());
    }

    #[test]
    fn after_the_while_somebody_is_to_find_out() {
        let faults = faults(HOUR, Duration::ZERO);
        faults.fail(failure());
        assert!(faults.check().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_shows_that_the_network_works_and_ends_no_fault() {
        let faults = faults(HOUR, HOUR);
        advance(HOUR).await;
        faults.fail(failure());
        faults.reached();
        assert!(matches!(faults.check(), Err(ConnectError::Local(_))));
        assert!(!is_local(&faults, false).await, "it was not silent");
    }
}
