//! What somebody lists as tags, before it is judged.

use std::collections::BTreeSet;

use crate::Tag;

/// Texts that are to be tags, each once and in their order: as many as a subscription may have, and one more that shows that they are
/// too many. What else a hostile list is made of costs no memory.
#[derive(Default)]
pub(crate) struct TagTexts(BTreeSet<String>);

impl TagTexts {
    /// The texts, for [`super::Tags::parse`].
    pub(crate) fn into_vec(self) -> Vec<String> {
        self.0.into_iter().collect()
    }
}

impl FromIterator<String> for TagTexts {
    fn from_iter<I: IntoIterator<Item = String>>(texts: I) -> Self {
        let mut kept = BTreeSet::new();
        for text in texts {
            if kept.len() <= Tag::MAX_PER_SUBSCRIPTION {
                kept.insert(text);
            }
        }
        Self(kept)
    }
}
