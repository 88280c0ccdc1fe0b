//! How much memory messages take while they are trees of JSON values, of which the protocol's library makes one of its own.
//!
//! `{"":0}` becomes a tree of 700 bytes, so a body of 256 KiB would become one of 26 MB.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Most values of a message, names of members included: more than any tool takes, whose `data` has 4 KiB. They make a tree of 2 MB.
pub const MAX_VALUES: usize = 5_000;

/// Messages that are trees at a time.
static TREES: Semaphore = Semaphore::const_new(8);

/// A message's leave to be a tree, which ends when the last copy of this is dropped, or before.
#[derive(Clone, Debug)]
pub struct MessageTree(Arc<Mutex<Option<SemaphorePermit<'static>>>>);

impl MessageTree {
    /// Waits until there are fewer.
    pub async fn enter() -> Self {
        // Nobody closes it.
        Self(Arc::new(Mutex::new(TREES.acquire().await.ok())))
    }

    /// The message is none any more.
    pub fn leave(&self) {
        let mut permit = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(permit.take());
    }
}

/// How many values the JSON has at most, names of members included.
pub fn count_values(json: &[u8]) -> usize {
    let (mut values, mut is_in_string, mut is_escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_in_string => is_escaped = true,
            b'"' => is_in_string = !is_in_string,
            b'[' | b'{' | b',' | b':' if !is_in_string => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::{MessageTree, count_values};

    #[tokio::test]
    async fn eight_messages_are_trees_at_a_time() {
        let mut trees = Vec::new();
        for _ in 0..8 {
            trees.push(MessageTree::enter().await);
        }
        let mut ninth = Box::pin(MessageTree::enter());
        assert!(ninth.as_mut().now_or_never().is_none(), "it waits");
        trees[0].clone().leave();
        ninth.await;
    }

    #[test]
    fn what_stands_in_a_string_is_no_value() {
        for (json, values) in [
            ("1", 1),
            (r#""[,{:""#, 1),
            (r#""\"[,\\""#, 1),
            (r#"{"a": [1, "b,\\", {"c": 2}]}"#, 8),
        ] {
            assert_eq!(count_values(json.as_bytes()), values, "{json}");
        }
    }
}
