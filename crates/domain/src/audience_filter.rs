//! The part of an app's audience that a send is for, its member `to` (CONTRACT 12).

use crate::{ErrorCode, TagExpression, UserId};

/// Whom a send is for: the subscriptions that meet each condition that is given; at least one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AudienceFilter {
    /// The users, each once; `None` for any, or nobody.
    pub user_ids: Option<Vec<UserId>>,
    /// What must hold of the tags.
    pub tags: Option<TagExpression>,
}

impl AudienceFilter {
    /// Most users of a send.
    pub const MAX_USERS: usize = 1_000;

    /// Reads the conditions; none at all, no user or too many, and what is no user or expression is `INVALID_INPUT`.
    pub fn parse(user_ids: Option<&[String]>, tags: Option<&str>) -> Result<Self, ErrorCode> {
        if user_ids.is_none() && tags.is_none() {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(Self {
            user_ids: user_ids.map(parse_users).transpose()?,
            tags: tags.map(TagExpression::parse).transpose()?,
        })
    }
}

fn parse_users(ids: &[String]) -> Result<Vec<UserId>, ErrorCode> {
    if !(1..=AudienceFilter::MAX_USERS).contains(&ids.len()) {
        return Err(ErrorCode::InvalidInput);
    }
    let mut users = ids
        .iter()
        .map(|id| UserId::parse(id))
        .collect::<Result<Vec<_>, _>>()?;
    users.sort_unstable();
    users.dedup();
    Ok(users)
}

#[cfg(test)]
mod tests {
    use super::AudienceFilter;

    #[test]
    fn a_filter_has_a_condition_and_1_to_1000_users() {
        let users = |count: usize| (0..count).map(|it| it.to_string()).collect::<Vec<_>>();
        let parse =
            |users: Option<Vec<String>>, tags| AudienceFilter::parse(users.as_deref(), tags);
        for (ids, tags, good) in [
            (None, None, false),
            (Some(users(0)), None, false),
            (Some(users(0)), Some("a"), false),
            (Some(users(1)), None, true),
            (Some(users(1_000)), Some("a && b"), true),
            (Some(users(1_001)), None, false),
            (Some(vec![String::new()]), None, false),
            (None, Some("a"), true),
            (None, Some(""), false),
        ] {
            assert_eq!(parse(ids, tags).is_ok(), good);
        }
        let twice = parse(Some(vec!["b".into(), "a".into(), "b".into()]), None);
        let users = twice.expect("a filter").user_ids.expect("users");
        assert_eq!(users.len(), 2);
    }
}
