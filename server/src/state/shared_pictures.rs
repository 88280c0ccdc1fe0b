//! Pictures that are being sent, each of them in memory once, whoever takes it and however slowly.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

/// Most bytes of them. Others are the answers' own.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// By name, of which each has one content for ever.
#[derive(Debug, Default)]
pub struct SharedPictures(Mutex<HashMap<String, Bytes>>);

impl SharedPictures {
    /// The picture with this name, which has this content: that of others who take it now, if there are any.
    pub fn share(&self, name: &str, content: Vec<u8>) -> Bytes {
        let mut pictures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pictures.retain(|_, picture| !picture.is_unique());
        if let Some(picture) = pictures.get(name) {
            return picture.clone();
        }
        let picture = Bytes::from(content);
        let shared: usize = pictures.values().map(Bytes::len).sum();
        if shared + picture.len() <= MAX_BYTES {
            pictures.insert(name.to_owned(), picture.clone());
        }
        picture
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, SharedPictures};

    #[test]
    fn whoever_takes_a_picture_has_it_in_common_with_others() {
        let pictures = SharedPictures::default();
        let first = pictures.share("a", vec![1; 1_000]);
        let second = pictures.share("a", vec![1; 1_000]);
        assert_eq!(first.as_ptr(), second.as_ptr());
        drop((first, second));
        let large = pictures.share("b", vec![2; MAX_BYTES]);
        assert!(!large.is_unique(), "the one before is gone");
        let own = pictures.share("c", vec![3; 1_000]);
        assert!(own.is_unique(), "there is no room for another one");
        assert_eq!(pictures.share("b", Vec::new()), large);
    }
}
