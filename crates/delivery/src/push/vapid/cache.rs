//! A bounded map that forgets what was not asked for lately.

use std::collections::HashMap;
use std::hash::Hash;

/// Holds at most `capacity` entries in two generations. When the young one is full, the old one is dropped and the young
/// one becomes old; what is looked up becomes young again.
pub struct GenerationalCache<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    half: usize,
}

impl<K: Eq + Hash + Clone, V: Clone> GenerationalCache<K, V> {
    /// An empty map of at most `capacity` (at least 2) entries.
    pub fn new(capacity: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            half: (capacity / 2).max(1),
        }
    }

    /// The entry, if it is still there.
    pub fn get(&mut self, key: &K) -> Option<V> {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    /// Adds or replaces the entry.
    pub fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&key);
        self.young.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::GenerationalCache;

    #[test]
    fn it_stays_bounded_and_keeps_what_is_used() {
        let mut map = GenerationalCache::new(10);
        map.insert(0, 0);
        for n in 1..1_000 {
            assert_eq!(map.get(&0), Some(0), "in use, round {n}");
            map.insert(n, n);
            assert!(map.young.len() + map.old.len() <= 10);
        }
        assert_eq!(map.get(&1), None);
        assert_eq!(map.get(&999), Some(999));
    }

    #[test]
    fn an_entry_is_replaced_whichever_generation_holds_it() {
        let mut map = GenerationalCache::new(2);
        map.insert("a", 1);
        map.insert("b", 1);
        map.insert("a", 2);
        assert_eq!(map.get(&"a"), Some(2));
        map.insert("a", 3);
        assert_eq!(map.get(&"a"), Some(3));
    }
}
