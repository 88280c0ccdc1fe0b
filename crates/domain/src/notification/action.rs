//! The buttons of a notification (CONTRACT 13).

use serde::Serialize;

use crate::{ErrorCode, HttpsUrl};

/// A button of a notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotificationAction {
    action: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<HttpsUrl>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<HttpsUrl>,
}

impl NotificationAction {
    /// Most characters of its name.
    pub const MAX_NAME_CHARS: usize = 32;

    /// The button that shows `title`, and that reports call `action`: 1 to 32 characters; `INVALID_INPUT` for other names, and for an
    /// empty title.
    pub fn new(
        action: String,
        title: String,
        url: Option<HttpsUrl>,
        icon: Option<HttpsUrl>,
    ) -> Result<Self, ErrorCode> {
        let is_name = (1..=Self::MAX_NAME_CHARS).contains(&action.chars().count());
        if !is_name || title.is_empty() {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(Self {
            action,
            title,
            url,
            icon,
        })
    }

    /// What reports call it.
    pub fn name(&self) -> &str {
        &self.action
    }
}

/// The buttons of a notification, whose names differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NotificationActions(Vec<NotificationAction>);

impl NotificationActions {
    /// Most buttons of a notification.
    pub const MAX: usize = 3;

    /// These buttons; `INVALID_INPUT` for more than 3, and for two of one name, of which a click would open the wrong address.
    pub fn new(actions: Vec<NotificationAction>) -> Result<Self, ErrorCode> {
        let is_repeated = |(at, it): (usize, &NotificationAction)| {
            actions[..at].iter().any(|other| other.name() == it.name())
        };
        if actions.len() > Self::MAX || actions.iter().enumerate().any(is_repeated) {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(Self(actions))
    }
}

#[cfg(test)]
mod tests {
    use super::{NotificationAction, NotificationActions};
    use crate::ErrorCode;

    fn button(action: &str, title: &str) -> Result<NotificationAction, ErrorCode> {
        NotificationAction::new(action.to_owned(), title.to_owned(), None, None)
    }

    #[test]
    fn a_name_has_1_to_32_characters_and_a_title_one_at_least() {
        assert!(button(&"鳩".repeat(32), "t").is_ok());
        for (action, title) in [(&*"鳩".repeat(33), "t"), ("", "t"), ("a", "")] {
            let refused = button(action, title);
            assert_eq!(refused, Err(ErrorCode::InvalidInput), "{action} {title}");
        }
    }

    #[test]
    fn there_are_at_most_three_and_each_has_a_name_of_its_own() {
        let list = |names: &[&str]| {
            let buttons = names
                .iter()
                .map(|name| button(name, "t").expect("a button"));
            NotificationActions::new(buttons.collect())
        };
        assert!(list(&[]).is_ok() && list(&["a", "b", "c"]).is_ok());
        for names in [&["a", "b", "c", "d"][..], &["a", "b", "a"][..]] {
            assert_eq!(list(names), Err(ErrorCode::InvalidInput), "{names:?}");
        }
    }
}
