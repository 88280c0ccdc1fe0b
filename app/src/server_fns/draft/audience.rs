//! Whom a notification is for, as the form asks it.

use hato_domain::wire::To;
use hato_domain::{AudienceFilter, ErrorCode};
use serde::Deserialize;

/// The fields as they were typed; both are empty for everybody.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct AudienceDraft {
    /// Ids of users, one a line.
    pub users: String,
    /// An expression of tags.
    pub tags: String,
}

impl AudienceDraft {
    /// The part of the audience; `None` for everybody, and `INVALID_INPUT` for what is no condition. A field with blanks alone is filled
    /// in: it never stands for everybody.
    pub fn filter(&self) -> Result<Option<AudienceFilter>, ErrorCode> {
        let filter = |to: To| AudienceFilter::parse(to.user_ids.as_deref(), to.tags.as_deref());
        self.to().map(filter).transpose()
    }

    /// The same as a request has it, unchecked.
    pub(super) fn to(&self) -> Option<To> {
        let is_given = |field: &str| !field.is_empty();
        if !is_given(&self.users) && !is_given(&self.tags) {
            return None;
        }
        let lines = self.users.lines().map(str::trim);
        let users = lines.filter(|line| !line.is_empty()).map(str::to_owned);
        Some(To {
            user_ids: is_given(&self.users).then(|| users.collect()),
            tags: is_given(&self.tags).then(|| self.tags.trim().to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::AudienceDraft;
    use hato_domain::ErrorCode;

    fn filter(users: &str, tags: &str) -> Result<Option<(usize, String)>, ErrorCode> {
        let (users, tags) = (users.to_owned(), tags.to_owned());
        let filter = AudienceDraft { users, tags }.filter()?;
        Ok(filter.map(|filter| {
            let tags = filter.tags.map(|tags| tags.as_str().to_owned());
            let users = filter.user_ids.unwrap_or_default();
            (users.len(), tags.unwrap_or_default())
        }))
    }

    #[test]
    fn only_empty_fields_are_for_everybody() {
        assert_eq!(filter("", ""), Ok(None));
        for (users, tags) in [(" ", ""), ("\r\n", ""), ("", " "), ("u", " "), (" ", "a")] {
            let filter = filter(users, tags);
            assert_eq!(filter, Err(ErrorCode::InvalidInput), "{users:?} {tags:?}");
        }
    }

    #[test]
    fn users_stand_in_lines() {
        let read = filter(" u 1\r\n\r\nu2 \nu2", " a && !b ");
        assert_eq!(read, Ok(Some((2, "a && !b".to_owned()))));
    }
}
