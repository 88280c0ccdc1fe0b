//! Hosts that are asked whether this machine's network works, before a failure is taken for its own (CONTRACT 7).
//!
//! A stranger's host is there and is not as its owner pleases. So only hosts that have answered a push are asked, several of them, and one
//! that is there is enough. A host that goes on answering leaves its place to nobody.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::Instant;
use url::Host;

/// Most hosts that are asked.
const MAX_WITNESSES: usize = 4;
/// How long a host that answers no push keeps its place while others want it.
const MAX_SILENCE: Duration = Duration::from_hours(1);

/// A host that has answered a push, and where.
#[derive(Clone)]
pub struct Witness {
    pub host: Arc<Host<String>>,
    pub address: SocketAddr,
    answered_at: Instant,
}

/// Up to four witnesses, each of another host.
#[derive(Default)]
pub struct Witnesses(Mutex<Vec<Witness>>);

impl Witnesses {
    /// Takes note that `host` has answered a push at `address`.
    pub fn answered(&self, host: &Arc<Host<String>>, address: SocketAddr) {
        let witness = Witness {
            host: Arc::clone(host),
            address,
            answered_at: Instant::now(),
        };
        let mut all = self.all();
        if let Some(known) = all.iter_mut().find(|it| it.host == *host) {
            *known = witness;
        } else if all.len() < MAX_WITNESSES {
            all.push(witness);
        } else if let Some(silent) = all.iter_mut().find(|it| it.is_silent()) {
            *silent = witness;
        }
    }

    /// Whether `probe` finds any of them; all are asked at the same time.
    pub async fn any<F: Future<Output = bool>>(&self, probe: impl Fn(Witness) -> F) -> bool {
        let all = self.all().clone();
        let mut answers: FuturesUnordered<F> = all.into_iter().map(probe).collect();
        while let Some(is_found) = answers.next().await {
            if is_found {
                return true;
            }
        }
        false
    }

    fn all(&self) -> MutexGuard<'_, Vec<Witness>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Witness {
    fn is_silent(&self) -> bool {
        self.answered_at.elapsed() >= MAX_SILENCE
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::net::SocketAddr;
    use std::sync::{Arc, Mutex};

    use tokio::time::advance;
    use url::Host;

    use super::{MAX_SILENCE, Witnesses};

    fn answered(witnesses: &Witnesses, host: &str, port: u16) {
        let host = Arc::new(Host::Domain(host.to_owned()));
        witnesses.answered(&host, SocketAddr::from(([127, 0, 0, 1], port)));
    }

    /// The ports of those that are asked.
    async fn asked(witnesses: &Witnesses) -> Vec<u16> {
        let ports = Mutex::new(Vec::new());
        let found = witnesses.any(|witness| {
            ports.lock().expect("no panic").push(witness.address.port());
            ready(false)
        });
        assert!(!found.await, "nobody is there");
        ports.into_inner().expect("no panic")
    }

    #[tokio::test(start_paused = true)]
    async fn four_hosts_keep_their_places_while_they_answer() {
        let witnesses = Witnesses::default();
        for (port, host) in (1..).zip(["a", "b", "c", "d", "e", "f"]) {
            answered(&witnesses, host, port);
        }
        assert_eq!(asked(&witnesses).await, [1, 2, 3, 4]);
        advance(MAX_SILENCE / 2).await;
        for (port, host) in [(11, "a"), (12, "b"), (13, "c")] {
            answered(&witnesses, host, port);
        }
        advance(MAX_SILENCE / 2).await;
        assert_eq!(asked(&witnesses).await, [11, 12, 13, 4], "nobody else came");
        answered(&witnesses, "e", 15);
        answered(&witnesses, "f", 16);
        assert_eq!(asked(&witnesses).await, [11, 12, 13, 15]);
    }

    #[tokio::test]
    async fn one_that_is_there_is_enough() {
        let witnesses = Witnesses::default();
        assert!(!witnesses.any(|_| ready(true)).await, "nobody is known");
        for (port, host) in [(1, "gone"), (2, "silent"), (3, "there")] {
            answered(&witnesses, host, port);
        }
        let found = witnesses.any(async |witness| match witness.address.port() {
            1 => false,
            2 => pending().await,
            _ => true,
        });
        assert!(found.await);
    }
}
