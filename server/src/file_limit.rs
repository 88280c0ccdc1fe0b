//! How many files and sockets the process may have open, and what follows from it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Connections to push services where file descriptors do not matter; `docs/ENGINE.md` says why so many.
const MAX_CONNECTIONS: usize = 512;
/// The share of the file descriptors that they may take. The rest is for clients, webhooks, look-ups and the database.
const CONNECTIONS_DIVISOR: u64 = 4;

/// Raises the number of files that may be open to what the system permits the process. Service managers set the lower limit to what
/// programs of another age could bear.
pub fn raise() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, ?limit, "the number of open files cannot be raised");
    }
}

/// How many connections to push services may be open at a time.
pub fn max_connections() -> usize {
    connections_within(getrlimit(Resource::Nofile).current)
}

/// None is no limit.
fn connections_within(files: Option<u64>) -> usize {
    let share = files.map_or(u64::MAX, |files| files / CONNECTIONS_DIVISOR);
    usize::try_from(share).map_or(MAX_CONNECTIONS, |share| share.clamp(1, MAX_CONNECTIONS))
}

#[cfg(test)]
mod tests {
    use super::connections_within;

    #[test]
    fn connections_follow_from_the_files_that_may_be_open() {
        for (files, connections) in [
            (None, 512),
            (Some(1_048_576), 512),
            (Some(2_048), 512),
            (Some(1_024), 256),
            (Some(2), 1),
        ] {
            assert_eq!(connections_within(files), connections, "{files:?}");
        }
    }
}
