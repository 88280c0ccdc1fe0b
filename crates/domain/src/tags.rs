//! All tags of a subscription, and changes of them (CONTRACT 12).

mod tag_texts;
mod tags_change;

use std::collections::BTreeSet;

pub(crate) use self::tag_texts::TagTexts;
pub use self::tags_change::TagsChange;
use crate::{ErrorCode, Tag};

/// The tags of a subscription: each once, in their order, at most [`Tag::MAX_PER_SUBSCRIPTION`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(BTreeSet<Tag>);

impl Tags {
    /// Reads tags, of which those that are there twice count once; one that is none, and too many of them, are `INVALID_INPUT`.
    pub fn parse(texts: &[String]) -> Result<Self, ErrorCode> {
        let tags = texts.iter().map(|text| Tag::parse(text));
        Self::bounded(tags.collect::<Result<_, _>>()?)
    }

    /// Tags that were read before, such as those from the database.
    pub fn trusted(texts: impl IntoIterator<Item = String>) -> Self {
        Self(texts.into_iter().map(Tag::trusted).collect())
    }

    /// The tags in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Tag> {
        self.0.iter()
    }

    /// Whether this tag is one of them.
    pub fn contains(&self, tag: &Tag) -> bool {
        self.0.contains(tag)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that only the site's owner sets and removes.
    #[must_use]
    pub fn owners(&self) -> Self {
        self.only(true)
    }

    /// Those that a visitor may set and remove as well.
    #[must_use]
    pub fn visitors(&self) -> Self {
        self.only(false)
    }

    fn only(&self, are_owners: bool) -> Self {
        let tags = self.0.iter().filter(|tag| tag.is_owners() == are_owners);
        Self(tags.cloned().collect())
    }

    /// Those that these have and `others` do not, in their order.
    pub fn without<'a>(&'a self, others: &'a Self) -> impl Iterator<Item = &'a Tag> {
        self.0.difference(&others.0)
    }

    /// These and those together; `INVALID_INPUT` when that is too many.
    pub fn with(&self, others: &Self) -> Result<Self, ErrorCode> {
        Self::bounded(self.0.union(&others.0).cloned().collect())
    }

    /// These, and of `others` as many as there is room for, in their order.
    #[must_use]
    pub fn filled_up_with(mut self, others: &Self) -> Self {
        let room = Tag::MAX_PER_SUBSCRIPTION.saturating_sub(self.0.len());
        let added: Vec<Tag> = others.without(&self).take(room).cloned().collect();
        self.0.extend(added);
        self
    }

    /// These as `change` leaves them; `INVALID_INPUT` when it makes them too many.
    pub fn changed(&self, change: &TagsChange) -> Result<Self, ErrorCode> {
        match change {
            TagsChange::Keep => Ok(self.clone()),
            TagsChange::Replace(tags) => Ok(tags.clone()),
            TagsChange::ReplaceVisitors(tags) => tags.with(&self.owners()),
            TagsChange::Edit { add, remove } => {
                Self(self.without(remove).cloned().collect()).with(add)
            }
        }
    }

    fn bounded(tags: BTreeSet<Tag>) -> Result<Self, ErrorCode> {
        if tags.len() <= Tag::MAX_PER_SUBSCRIPTION {
            Ok(Self(tags))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Tags, TagsChange};
    use crate::ErrorCode;

    fn list(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&it| it.to_owned()).collect()
    }

    fn tags(texts: &[&str]) -> Tags {
        Tags::parse(&list(texts)).expect("tags")
    }

    #[test]
    fn tags_are_in_order_and_each_once() {
        let read = tags(&["b", "a", "b", "_c", "B"]);
        let read: Vec<_> = read.iter().map(super::Tag::as_str).collect();
        assert_eq!(read, ["B", "_c", "a", "b"]);
        let many = |count: usize| (0..count).map(|it| it.to_string()).collect::<Vec<_>>();
        assert!(Tags::parse(&many(50)).is_ok());
        assert!(Tags::parse(&[many(50), many(50)].concat()).is_ok());
        assert_eq!(Tags::parse(&many(51)), Err(ErrorCode::InvalidInput));
    }

    #[test]
    fn changes_keep_what_they_do_not_name() {
        let before = tags(&["a", "b", "_vip"]);
        let after = |change| before.changed(&change).expect("few tags");
        assert_eq!(after(TagsChange::Keep), before);
        assert_eq!(after(TagsChange::Replace(tags(&["c"]))), tags(&["c"]));
        let replaced = after(TagsChange::ReplaceVisitors(tags(&["c"])));
        assert_eq!(replaced, tags(&["c", "_vip"]));
        let (add, remove) = (tags(&["c", "a"]), tags(&["b", "d"]));
        let edited = after(TagsChange::Edit { add, remove });
        assert_eq!(edited, tags(&["a", "c", "_vip"]));
    }

    #[test]
    fn tags_are_filled_up_to_as_many_as_there_may_be() {
        let some: Vec<_> = (10..58).map(|it| it.to_string()).collect();
        let some = tags(&some.iter().map(String::as_str).collect::<Vec<_>>());
        let filled = some.clone().filled_up_with(&tags(&["a", "10", "b", "c"]));
        let added: Vec<_> = filled.without(&some).map(super::Tag::as_str).collect();
        assert_eq!(added, ["a", "b"]);
        assert_eq!(filled.clone().filled_up_with(&tags(&["c"])), filled);
        assert_eq!(tags(&[]).filled_up_with(&tags(&["a"])), tags(&["a"]));
    }

    #[test]
    fn no_change_makes_too_many() {
        let full: Vec<_> = (0..49).map(|it| it.to_string()).collect();
        let full = Tags::parse(&[full, list(&["_vip"])].concat()).expect("50 tags");
        let edit = |add, remove| TagsChange::Edit { add, remove };
        assert!(full.changed(&edit(tags(&["x"]), tags(&["0"]))).is_ok());
        assert!(full.changed(&edit(tags(&["x"]), tags(&["y"]))).is_err());
        let replaced = |count: usize| {
            let texts: Vec<_> = (0..count).map(|it| format!("n{it}")).collect();
            let tags = Tags::parse(&texts).expect("tags");
            full.changed(&TagsChange::ReplaceVisitors(tags)).is_ok()
        };
        assert!(replaced(49) && !replaced(50));
    }
}
