//! When keys were last used, kept in memory between writes: a database write per request would cost more than the request.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hato_domain::{KeyId, UnixMillis};

/// Uses of keys that the store does not know yet; bounded by the number of keys that were used since the last flush.
#[derive(Default)]
pub struct LastUsed(Mutex<HashMap<KeyId, UnixMillis>>);

impl LastUsed {
    /// Records a use. Requests that overtake each other do not move it back.
    pub fn record(&self, key: &KeyId, at: UnixMillis) {
        let mut uses = self.uses();
        match uses.get_mut(key) {
            Some(last) => *last = at.max(*last),
            None => drop(uses.insert(key.clone(), at)),
        }
    }

    /// The last uses that the store does not know yet.
    pub fn unsaved(&self) -> HashMap<KeyId, UnixMillis> {
        self.uses().clone()
    }

    /// Drops what was written, unless the key was used again meanwhile.
    pub fn forget(&self, written: &[(KeyId, UnixMillis)]) {
        let mut uses = self.uses();
        for (key, at) in written {
            if uses.get(key) == Some(at) {
                uses.remove(key);
            }
        }
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<KeyId, UnixMillis>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::LastUsed;
    use hato_domain::{KeyId, UnixMillis};

    #[test]
    fn a_use_during_the_write_is_kept_and_never_moves_back() {
        let (uses, key) = (LastUsed::default(), KeyId::trusted("key_1".into()));
        uses.record(&key, UnixMillis(1));
        let written: Vec<_> = uses.unsaved().into_iter().collect();
        uses.record(&key, UnixMillis(3));
        uses.record(&key, UnixMillis(2));
        uses.forget(&written);
        assert_eq!(uses.unsaved().get(&key), Some(&UnixMillis(3)));
        uses.forget(&[(key, UnixMillis(3))]);
        assert!(uses.unsaved().is_empty());
    }
}
