//! Apps: what they are made and changed with, and what is shown of them.

use serde::{Deserialize, Serialize};

use super::member::{Change, text, value};
#[cfg(feature = "openapi")]
use super::openapi_schema;
use crate::{ErrorCode, FieldChange, MessageSettingsChange, Name, SiteUrl, Tracking, UnixMillis};

/// The body of `POST /api/v1/apps`.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateApp {
    /// The app's name.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1, max_length = 100))]
    pub name: Option<String>,
}

impl CreateApp {
    /// The name; `MISSING_FIELDS` without one.
    pub fn into_name(self) -> Result<Name, ErrorCode> {
        Name::parse(&self.name.ok_or(ErrorCode::MissingFields)?)
    }
}

/// The body of `PATCH /api/v1/apps/{appId}` (SPEC 4.13, CONTRACT 13).
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpdateApp {
    /// Where delivery results are posted from now on; `null` or the empty string clears it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, pattern = "^(https://.*)?$"))]
    webhook_url: Change,
    /// The address of the app's site; `null` or the empty string clears it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, pattern = "^(https://.*)?$", max_length = 2048))]
    site_url: Change,
    /// Whether Apple's push service gets declarative messages, which need `site_url`.
    #[serde(default, deserialize_with = "value")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::declarative))]
    declarative: Option<bool>,
    /// What is measured: `off` or `counts`.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::tracking))]
    tracking: Option<String>,
}

impl UpdateApp {
    /// What becomes of the webhook's URL, unchecked, and of the rest; none of the four members is `MISSING_FIELDS` (CONTRACT 13).
    pub fn into_parts(self) -> Result<(FieldChange<String>, MessageSettingsChange), ErrorCode> {
        let webhook_url = self.webhook_url.into_field();
        let settings = MessageSettingsChange {
            site_url: self
                .site_url
                .into_field()
                .try_map(|it| SiteUrl::parse(&it))?,
            declarative: self.declarative,
            tracking: self.tracking.as_deref().map(Tracking::parse).transpose()?,
        };
        if webhook_url == FieldChange::Keep && settings == MessageSettingsChange::default() {
            return Err(ErrorCode::MissingFields);
        }
        Ok((webhook_url, settings))
    }
}

/// An app (SPEC 2.1, CONTRACT 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct App {
    /// The app's id, `app_…`.
    #[serde(rename = "appId")]
    pub app_id: String,
    /// The app's name.
    pub name: String,
    /// The VAPID public key, base64url, 65 bytes uncompressed.
    pub vapid_public_key: String,
    /// The URL that delivery results are posted to; `null` without a webhook.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub webhook_url: Option<String>,
    /// The VAPID `sub`, by which push services reach the operator (RFC 8292).
    pub vapid_subject: String,
    /// The plan of the app's account.
    pub plan: String,
    /// Subscriptions that a broadcast would reach.
    pub active_subscriptions: i64,
    /// When it was made, Unix milliseconds.
    pub created_at: UnixMillis,
    /// The address of the app's site; `null` without one.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub site_url: Option<String>,
    /// Whether Apple's push service gets declarative messages.
    pub declarative: bool,
    /// What is measured: `off` or `counts`.
    pub tracking: String,
}

/// The response to a change of an app (SPEC 4.13, CONTRACT 13).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AppUpdated {
    /// Always true: a failure has another body.
    pub ok: bool,
    /// Where delivery results are posted from now on.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub webhook_url: Option<String>,
    /// The address of the app's site from now on.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub site_url: Option<String>,
    /// Whether Apple's push service gets declarative messages from now on.
    pub declarative: bool,
    /// What is measured from now on: `off` or `counts`.
    pub tracking: String,
}

#[cfg(test)]
mod tests {
    use super::UpdateApp;
    use crate::{ErrorCode, FieldChange, MessageSettingsChange, Tracking};

    type Parts = (FieldChange<String>, MessageSettingsChange);

    fn read(json: &str) -> Result<Parts, ErrorCode> {
        let request: Result<UpdateApp, _> = crate::wire::read(json.as_bytes());
        request.and_then(UpdateApp::into_parts)
    }

    #[test]
    fn a_webhook_url_is_set_or_cleared() {
        let webhook = |json| read(json).map(|(webhook_url, _)| webhook_url);
        for cleared in [r#"{"webhook_url":null}"#, r#"{"webhook_url":""}"#] {
            assert_eq!(webhook(cleared), Ok(FieldChange::Clear));
        }
        let set = webhook(r#"{"webhook_url":"x"}"#);
        assert_eq!(set, Ok(FieldChange::Set("x".to_owned())));
        let listed = webhook(r#"{"webhook_url":["x"]}"#);
        assert_eq!(listed, Err(ErrorCode::InvalidInput));
        let beside = webhook(r#"{"tracking":"counts"}"#);
        assert_eq!(beside, Ok(FieldChange::Keep));
    }

    #[test]
    fn one_of_the_four_members_must_be_there() {
        for nothing in ["{}", r#"{"declarative":null,"tracking":""}"#, r#"{"x":1}"#] {
            assert_eq!(read(nothing), Err(ErrorCode::MissingFields), "{nothing}");
        }
    }

    #[test]
    fn what_is_said_of_messages_is_read_beside_it() {
        let settings = |json| read(json).map(|(_, settings)| settings);
        let off = settings(r#"{"declarative":false,"tracking":"off","site_url":null}"#);
        let expected = MessageSettingsChange {
            site_url: FieldChange::Clear,
            declarative: Some(false),
            tracking: Some(Tracking::Off),
        };
        assert_eq!(off, Ok(expected));
        for (json, code) in [
            (r#"{"site_url":"http://a.example/"}"#, ErrorCode::InvalidUrl),
            (r#"{"site_url":1}"#, ErrorCode::InvalidInput),
            (r#"{"declarative":1}"#, ErrorCode::InvalidInput),
            (r#"{"declarative":"true"}"#, ErrorCode::InvalidInput),
            (r#"{"tracking":"all"}"#, ErrorCode::InvalidInput),
            (r#"{"tracking":true}"#, ErrorCode::InvalidInput),
        ] {
            assert_eq!(settings(json), Err(code), "{json}");
        }
    }
}
