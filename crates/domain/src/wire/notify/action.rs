//! The buttons of a request that sends.

use serde::{Deserialize, Serialize};

use super::super::member::text;
use crate::notification::NotificationAction;
use crate::{ErrorCode, HttpsUrl};

/// A button of a notification (CONTRACT 13).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NotifyAction {
    /// The button's name, by which reports call it: 1 to 32 characters.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1, max_length = 32))]
    pub action: Option<String>,
    /// What the button shows.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1))]
    pub title: Option<String>,
    /// The link that the button opens; without one, that of the notification.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^(https://.*)?$"))]
    pub url: Option<String>,
    /// The picture on the button.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^(https://.*)?$"))]
    pub icon: Option<String>,
}

impl NotifyAction {
    /// The button; `INVALID_INPUT` without a name or a title, `INVALID_URL` for a link that is none.
    pub(super) fn into_action(self) -> Result<NotificationAction, ErrorCode> {
        let action = self.action.ok_or(ErrorCode::InvalidInput)?;
        let title = self.title.ok_or(ErrorCode::InvalidInput)?;
        NotificationAction::new(
            action,
            title,
            link(self.url.as_deref())?,
            link(self.icon.as_deref())?,
        )
    }
}

/// A link, if there is one; `INVALID_URL` for what is none.
pub(super) fn link(text: Option<&str>) -> Result<Option<HttpsUrl>, ErrorCode> {
    text.map(HttpsUrl::parse).transpose()
}
