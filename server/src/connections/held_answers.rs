//! Answers that clients are slow to take, bounded in bytes for all of them together (CONTRACT 18).
//!
//! What is left of a long answer stays in memory until the client has taken it, however slowly. When it is too much of all, whoever has
//! been at it for longest loses the connection.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Most bytes of all answers. A longer one is taken alone.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The answers of a listener that are held in memory.
#[derive(Clone, Debug, Default)]
pub struct HeldAnswers(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    last_id: u64,
    bytes: usize,
    /// In the order in which they began.
    held: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    bytes: usize,
    connection: CancellationToken,
}

/// An answer's place among them, which it has until this is dropped.
#[derive(Debug)]
pub struct HeldAnswer {
    answers: HeldAnswers,
    id: u64,
}

impl HeldAnswers {
    /// Notes that `bytes` are held for a client whose connection ends when `connection` is cancelled, as happens to the first ones when
    /// there is no room.
    pub fn hold(&self, bytes: usize, connection: &CancellationToken) -> HeldAnswer {
        let mut entries = self.entries();
        entries.last_id += 1;
        let id = entries.last_id;
        let connection = connection.clone();
        entries.bytes += bytes;
        entries.held.insert(id, Entry { bytes, connection });
        while entries.bytes > MAX_BYTES && entries.held.len() > 1 {
            let Some((_, first)) = entries.held.pop_first() else {
                break;
            };
            entries.bytes -= first.bytes;
            first.connection.cancel();
            tracing::debug!("an answer that is taken slowly makes room for others");
        }
        drop(entries);
        HeldAnswer {
            answers: self.clone(),
            id,
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldAnswer {
    fn drop(&mut self) {
        let mut entries = self.answers.entries();
        if let Some(entry) = entries.held.remove(&self.id) {
            entries.bytes -= entry.bytes;
        }
    }
}
