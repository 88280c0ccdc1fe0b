//! Changes of a subscription's tags, as requests ask for them.

use super::Tags;
use crate::ErrorCode;

/// What becomes of a subscription's tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TagsChange {
    /// The tags stay as they are stored.
    #[default]
    Keep,
    /// It has these from now on.
    Replace(Tags),
    /// It has these from now on, and those of the owner's that it had, which a visitor cannot change.
    ReplaceVisitors(Tags),
    /// It loses some and gets some.
    Edit {
        /// What it has afterwards.
        add: Tags,
        /// What it has no more.
        remove: Tags,
    },
}

impl TagsChange {
    /// What a request asks for: `tags` replaces all, `add` and `remove` change some. `INVALID_INPUT` for the former beside one of the
    /// latter, for a tag that is added and removed, and for an owner's tag of a visitor.
    pub fn parse(
        tags: Option<&[String]>,
        add: Option<&[String]>,
        remove: Option<&[String]>,
        by_visitor: bool,
    ) -> Result<Self, ErrorCode> {
        let read = |texts: Option<&[String]>| {
            let tags = texts.map(Tags::parse).transpose()?;
            let is_allowed = !by_visitor || tags.as_ref().is_none_or(|it| it.owners().is_empty());
            is_allowed.then_some(tags).ok_or(ErrorCode::InvalidInput)
        };
        match (read(tags)?, read(add)?, read(remove)?) {
            (None, None, None) => Ok(Self::Keep),
            (Some(tags), None, None) if by_visitor => Ok(Self::ReplaceVisitors(tags)),
            (Some(tags), None, None) => Ok(Self::Replace(tags)),
            (Some(_), _, _) => Err(ErrorCode::InvalidInput),
            (None, add, remove) => {
                let (add, remove) = (add.unwrap_or_default(), remove.unwrap_or_default());
                if add.0.is_disjoint(&remove.0) {
                    Ok(Self::Edit { add, remove })
                } else {
                    Err(ErrorCode::InvalidInput)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TagsChange;

    #[test]
    fn a_change_says_one_thing_and_a_visitor_nothing_of_the_owners() {
        let [a, b, owners] = ["a", "b", "_vip"].map(|it| [it.to_owned()]);
        let (a, b, owners) = (Some(&a[..]), Some(&b[..]), Some(&owners[..]));
        for (of, good_for_visitor, good_for_owner) in [
            ((None, None, None), true, true),
            ((a, None, None), true, true),
            ((None, a, b), true, true),
            ((None, None, b), true, true),
            ((owners, None, None), false, true),
            ((None, owners, None), false, true),
            ((None, None, owners), false, true),
            ((a, b, None), false, false),
            ((a, None, b), false, false),
            ((None, a, a), false, false),
        ] {
            let (tags, add, remove) = of;
            let read = |by_visitor| TagsChange::parse(tags, add, remove, by_visitor).is_ok();
            assert_eq!(
                (read(true), read(false)),
                (good_for_visitor, good_for_owner),
                "{of:?}"
            );
        }
    }
}
