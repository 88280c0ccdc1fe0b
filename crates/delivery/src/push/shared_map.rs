//! A map of shared values that are kept while somebody uses them, and forgotten when they are of no more use.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values beyond which the forgettable ones are looked for before another is added. It is no bound on those in use, which the pages
/// in flight bound.
const MAX_ENTRIES: usize = 16_384;

/// Values by key. One that is in use, because somebody else holds its `Arc`, always stays: two limiters of one app at one origin would
/// each admit all that one may.
pub struct SharedMap<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V> SharedMap<K, V> {
    /// The value of `key`, made by `make` when there is none.
    pub fn get_or_insert(
        &self,
        key: K,
        is_forgettable: impl Fn(&V) -> bool,
        make: impl FnOnce() -> V,
    ) -> Arc<V> {
        let mut values = self.values();
        if values.len() >= MAX_ENTRIES && !values.contains_key(&key) {
            retain(&mut values, is_forgettable);
        }
        Arc::clone(values.entry(key).or_insert_with(|| Arc::new(make())))
    }

    /// Forgets the values that nobody uses and that `is_forgettable`.
    pub fn evict(&self, is_forgettable: impl Fn(&V) -> bool) {
        retain(&mut self.values(), is_forgettable);
    }

    /// Does something with each value, used or not.
    pub fn for_each(&self, mut each: impl FnMut(&K, &V)) {
        let values = self.values();
        values.iter().for_each(|(key, value)| each(key, value));
    }

    fn values(&self) -> MutexGuard<'_, HashMap<K, Arc<V>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn retain<K, V>(values: &mut HashMap<K, Arc<V>>, is_forgettable: impl Fn(&V) -> bool) {
    values.retain(|_, value| Arc::strong_count(value) > 1 || !is_forgettable(value));
}
