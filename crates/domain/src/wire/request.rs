//! Request bodies.

use serde::{Deserialize, Serialize};

use super::member::{integer, present_text, text};
use crate::notification::Links;
use crate::{
    Endpoint, ErrorCode, HttpsUrl, LoginPassword, Name, NewPassword, Notification, Platform,
    PushOptions, Scope, Topic, Ttl, Urgency,
};

/// `POST /auth/register` and `POST /auth/login`.
#[derive(Default, Deserialize)]
pub struct Credentials {
    /// The email address.
    #[serde(default, deserialize_with = "text")]
    pub email: Option<String>,
    /// The password.
    #[serde(default, deserialize_with = "text")]
    pub password: Option<String>,
}

impl Credentials {
    /// Both members, or `MISSING_FIELDS`.
    fn both(self) -> Result<(crate::Email, String), ErrorCode> {
        let email = self.email.ok_or(ErrorCode::MissingFields)?;
        let password = self.password.ok_or(ErrorCode::MissingFields)?;
        Ok((crate::Email::parse(&email)?, password))
    }

    /// As a new account's.
    pub fn for_registration(self) -> Result<(crate::Email, NewPassword), ErrorCode> {
        let (email, password) = self.both()?;
        Ok((email, NewPassword::parse(password)?))
    }

    /// As an existing account's.
    pub fn for_login(self) -> Result<(crate::Email, LoginPassword), ErrorCode> {
        let (email, password) = self.both()?;
        Ok((email, LoginPassword::parse(password)?))
    }
}

/// `POST /api/v1/apps`.
#[derive(Default, Serialize, Deserialize)]
pub struct CreateApp {
    /// The app's name.
    #[serde(default, deserialize_with = "text")]
    pub name: Option<String>,
}

impl CreateApp {
    /// The name, or `MISSING_FIELDS`.
    pub fn into_name(self) -> Result<Name, ErrorCode> {
        Name::parse(&self.name.ok_or(ErrorCode::MissingFields)?)
    }
}

/// `POST /api/v1/apps/{appId}/keys` (SPEC 4.6).
#[derive(Default, Serialize, Deserialize)]
pub struct CreateKey {
    /// The key's label.
    #[serde(default, deserialize_with = "text")]
    pub name: Option<String>,
    /// `subscribe_only`, `notify` or `full`.
    #[serde(default, deserialize_with = "text")]
    pub scope: Option<String>,
}

impl CreateKey {
    /// Name and scope: no name is `MISSING_FIELDS`, no or an unknown scope `INVALID_SCOPE` (SPEC 4.6).
    pub fn into_parts(self) -> Result<(Name, Scope), ErrorCode> {
        let name = Name::parse(&self.name.ok_or(ErrorCode::MissingFields)?)?;
        let scope = Scope::parse(&self.scope.ok_or(ErrorCode::InvalidScope)?)?;
        Ok((name, scope))
    }
}

/// `POST /api/v1/subscriptions` and its app-scoped form (SPEC 4.1, 4.2).
#[derive(Default, Serialize, Deserialize)]
pub struct RegisterSubscription {
    /// The push service's URL.
    #[serde(default, deserialize_with = "text")]
    pub endpoint: Option<String>,
    /// The browser's public key.
    #[serde(default, deserialize_with = "text")]
    pub p256dh: Option<String>,
    /// The browser's authentication secret.
    #[serde(default, deserialize_with = "text")]
    pub auth: Option<String>,
    /// A label of the client's platform.
    #[serde(
        default,
        deserialize_with = "text",
        skip_serializing_if = "Option::is_none"
    )]
    pub platform: Option<String>,
}

/// The members of [`RegisterSubscription`] that must be there, and the label.
pub struct RegistrationParts {
    /// The push service's URL, unchecked.
    pub endpoint: String,
    /// The browser's public key, unchecked.
    pub p256dh: String,
    /// The browser's authentication secret, unchecked.
    pub auth: String,
    /// The label.
    pub platform: Option<Platform>,
}

impl RegisterSubscription {
    /// `MISSING_FIELDS` unless endpoint, p256dh and auth are there.
    pub fn into_parts(self) -> Result<RegistrationParts, ErrorCode> {
        Ok(RegistrationParts {
            endpoint: self.endpoint.ok_or(ErrorCode::MissingFields)?,
            p256dh: self.p256dh.ok_or(ErrorCode::MissingFields)?,
            auth: self.auth.ok_or(ErrorCode::MissingFields)?,
            platform: self.platform.as_deref().map(Platform::parse).transpose()?,
        })
    }
}

/// `DELETE /api/v1/apps/{appId}/subscriptions` (SPEC 4.3).
#[derive(Default, Serialize, Deserialize)]
pub struct Unsubscribe {
    /// The push service's URL.
    #[serde(default, deserialize_with = "text")]
    pub endpoint: Option<String>,
}

impl Unsubscribe {
    /// The endpoint: none is `MISSING_FIELDS`, a bad one `INVALID_URL` or `INVALID_ENDPOINT`.
    pub fn into_endpoint(self) -> Result<Endpoint, ErrorCode> {
        Endpoint::parse(&self.endpoint.ok_or(ErrorCode::MissingFields)?)
    }
}

/// `POST /api/v1/notify` and its app-scoped form (SPEC 4.8, 4.10).
#[derive(Default, Serialize, Deserialize)]
pub struct Notify {
    /// The headline.
    #[serde(default, deserialize_with = "text")]
    pub title: Option<String>,
    /// The text.
    #[serde(default, deserialize_with = "text")]
    pub body: Option<String>,
    /// Opened on click.
    #[serde(
        default,
        deserialize_with = "text",
        skip_serializing_if = "Option::is_none"
    )]
    pub url: Option<String>,
    /// Shown beside the text.
    #[serde(
        default,
        deserialize_with = "text",
        skip_serializing_if = "Option::is_none"
    )]
    pub icon: Option<String>,
    /// Shown where there is little room.
    #[serde(
        default,
        deserialize_with = "text",
        skip_serializing_if = "Option::is_none"
    )]
    pub badge: Option<String>,
    /// Restricts the send to one subscriber; once present it is never ignored (CONTRACT 2).
    #[serde(
        default,
        deserialize_with = "present_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub endpoint: Option<String>,
    /// Seconds.
    #[serde(
        default,
        deserialize_with = "integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub ttl: Option<i64>,
    /// `very-low`, `low`, `normal` or `high`.
    #[serde(
        default,
        deserialize_with = "text",
        skip_serializing_if = "Option::is_none"
    )]
    pub urgency: Option<String>,
    /// A name under which newer messages replace older ones.
    #[serde(
        default,
        deserialize_with = "text",
        skip_serializing_if = "Option::is_none"
    )]
    pub topic: Option<String>,
}

impl Notify {
    /// The push options, or `INVALID_INPUT`.
    pub fn options(&self) -> Result<PushOptions, ErrorCode> {
        Ok(PushOptions {
            ttl: self.ttl.map_or(Ok(Ttl::MAX), Ttl::parse)?,
            urgency: self.urgency.as_deref().map(Urgency::parse).transpose()?,
            topic: self.topic.as_deref().map(Topic::parse).transpose()?,
        })
    }

    /// The notification: `MISSING_FIELDS` without title or body, `INVALID_URL` for a link, `PAYLOAD_TOO_LARGE`.
    pub fn into_notification(self) -> Result<Notification, ErrorCode> {
        let title = self.title.ok_or(ErrorCode::MissingFields)?;
        let body = self.body.ok_or(ErrorCode::MissingFields)?;
        let link = |text: Option<String>| text.as_deref().map(HttpsUrl::parse).transpose();
        let links = Links {
            url: link(self.url)?,
            icon: link(self.icon)?,
            badge: link(self.badge)?,
        };
        Notification::new(title, body, links)
    }
}

#[cfg(test)]
mod tests {
    use super::Notify;
    use crate::ErrorCode;

    fn read(json: &str) -> Result<Notify, ErrorCode> {
        crate::wire::read(json.as_bytes())
    }

    #[test]
    fn null_and_empty_count_as_absent() {
        let notify =
            read(r#"{"title":"t","body":"","url":null,"ttl":"","x":1}"#).expect("well-formed");
        assert!(notify.url.is_none() && notify.ttl.is_none());
        assert_eq!(
            notify.into_notification().err(),
            Some(ErrorCode::MissingFields)
        );
    }

    #[test]
    fn an_endpoint_is_never_ignored() {
        assert!(read(r#"{"endpoint":null}"#).is_err());
        assert_eq!(
            read(r#"{"endpoint":""}"#)
                .expect("well-formed")
                .endpoint
                .as_deref(),
            Some("")
        );
    }

    #[test]
    fn wrong_types_are_not_well_formed() {
        for json in [
            r#"{"title":1}"#,
            r#"{"ttl":"60"}"#,
            r#"{"ttl":1.5}"#,
            "[]",
            r#"{"title":"a","title":"b"}"#,
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }
}
