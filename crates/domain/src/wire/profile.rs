//! Whom a subscription belongs to and what it cares for, and the users of a site (CONTRACT 12).

use serde::{Deserialize, Serialize};

use super::RegisterSubscription;
use super::list;
use super::member::{Change, null_or_text, text};
#[cfg(feature = "openapi")]
use super::openapi_schema;
use crate::{
    Endpoint, ErrorCode, FieldChange, LanguageTag, ProfileChange, RegistrationFault, TagsChange,
    TimeZoneName, UnixMillis, UserId,
};

/// The body of `PATCH /api/v1/subscriptions`: what is absent stays.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpdateSubscription {
    /// The URL of the push service that the browser gave.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, pattern = "^https://", max_length = 2048))]
    pub endpoint: Option<String>,
    /// The site's id of the user; `null` takes it away.
    #[serde(default, deserialize_with = "null_or_text")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 128))]
    user_id: Change,
    /// Proves the user to a `subscribe_only` key.
    #[serde(default, deserialize_with = "text")]
    pub user_token: Option<String>,
    /// The tags from now on; not beside `add_tags` or `remove_tags`.
    #[serde(default, deserialize_with = "list::tags")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::tags))]
    tags: Option<Vec<String>>,
    /// The tags that it gets.
    #[serde(default, deserialize_with = "list::tags")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::tags))]
    add_tags: Option<Vec<String>>,
    /// The tags that it loses.
    #[serde(default, deserialize_with = "list::tags")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::tags))]
    remove_tags: Option<Vec<String>>,
    /// The browser's language (BCP 47); `null` takes it away.
    #[serde(default, deserialize_with = "null_or_text")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 35))]
    lang: Change,
    /// The browser's time zone (IANA); `null` takes it away.
    #[serde(default, deserialize_with = "null_or_text")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 64))]
    time_zone: Change,
}

impl UpdateSubscription {
    /// The endpoint and what is to change: `MISSING_FIELDS` without an endpoint, `INVALID_URL` or `INVALID_ENDPOINT` for a bad one,
    /// otherwise `INVALID_INPUT`, also for what a visitor cannot change.
    pub fn parse(&self, by_visitor: bool) -> Result<(Endpoint, ProfileChange), ErrorCode> {
        let endpoint = self.endpoint.as_deref().ok_or(ErrorCode::MissingFields)?;
        let endpoint = Endpoint::parse(endpoint)?;
        let tags = self.tags.as_deref();
        let (add, remove) = (self.add_tags.as_deref(), self.remove_tags.as_deref());
        let change = ProfileChange {
            user_id: changed(&self.user_id, UserId::parse)?,
            tags: TagsChange::parse(tags, add, remove, by_visitor)?,
            lang: changed(&self.lang, LanguageTag::parse)?,
            time_zone: changed(&self.time_zone, TimeZoneName::parse)?,
        };
        Ok((endpoint, change))
    }
}

impl RegisterSubscription {
    /// What a registration says of whom it belongs to; `INVALID_INPUT`, also for what a visitor cannot set.
    pub fn profile_change(&self, by_visitor: bool) -> Result<ProfileChange, RegistrationFault> {
        let (user, lang) = (self.user_id.as_deref(), self.lang.as_deref());
        let time_zone = self.time_zone.as_deref();
        let tags = TagsChange::parse(self.tags.as_deref(), None, None, by_visitor);
        Ok(ProfileChange {
            user_id: set_if_present(user, UserId::parse).map_err(|_| RegistrationFault::User)?,
            tags: tags.map_err(|_| RegistrationFault::Tags)?,
            lang: set_if_present(lang, LanguageTag::parse)
                .map_err(|_| RegistrationFault::Language)?,
            time_zone: set_if_present(time_zone, TimeZoneName::parse)
                .map_err(|_| RegistrationFault::TimeZone)?,
        })
    }
}

fn changed<T>(
    change: &Change,
    parse: impl FnOnce(&str) -> Result<T, ErrorCode>,
) -> Result<FieldChange<T>, ErrorCode> {
    match change {
        Change::Absent => Ok(FieldChange::Keep),
        Change::Clear => Ok(FieldChange::Clear),
        Change::Set(text) => parse(text).map(FieldChange::Set),
    }
}

fn set_if_present<T>(
    text: Option<&str>,
    parse: impl FnOnce(&str) -> Result<T, ErrorCode>,
) -> Result<FieldChange<T>, ErrorCode> {
    text.map_or(Ok(FieldChange::Keep), |text| {
        parse(text).map(FieldChange::Set)
    })
}

/// The response to a change of a subscription: what is stored of it now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SubscriptionUpdated {
    /// The subscription's id, `sub_…`.
    pub id: String,
    /// The site's id of the user; `null` when nobody is logged in.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub user_id: Option<String>,
    /// The tags in their order.
    pub tags: Vec<String>,
    /// The browser's language.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub lang: Option<String>,
    /// The browser's time zone.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub time_zone: Option<String>,
}

/// The response to `GET /api/v1/apps/{appId}/identity`: with what the site proves who its users are.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Identity {
    /// The secret, whose bytes as it is shown are the key of the tokens' HMAC.
    pub identity_secret: String,
    /// The secret before, whose tokens are taken as well for a day after a new one was made.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub previous_secret: Option<String>,
    /// When the secret before ends, Unix milliseconds.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub previous_secret_expires_at: Option<UnixMillis>,
}

/// The body of `POST /api/v1/apps/{appId}/users/erase`.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EraseUser {
    /// The site's id of the user.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1, max_length = 128))]
    pub user_id: Option<String>,
}

impl EraseUser {
    /// The user; none is `MISSING_FIELDS`, a malformed one `INVALID_INPUT`.
    pub fn into_user(self) -> Result<UserId, ErrorCode> {
        UserId::parse(&self.user_id.ok_or(ErrorCode::MissingFields)?)
    }
}

/// The response to the erasure of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UserErased {
    /// Always true: a failure has another body.
    pub ok: bool,
    /// How many subscriptions the user had, active or not.
    pub removed: i64,
}

#[cfg(test)]
mod tests {
    use super::{RegisterSubscription, UpdateSubscription};
    use crate::{ErrorCode, FieldChange, ProfileChange, RegistrationFault, TagsChange};

    fn update(members: &str) -> Result<ProfileChange, ErrorCode> {
        let json = format!(r#"{{"endpoint":"https://push.example.com/1",{members}}}"#);
        let request: UpdateSubscription = crate::wire::read(json.as_bytes())?;
        request.parse(false).map(|(_, change)| change)
    }

    #[test]
    fn null_clears_what_is_one_value_and_empty_is_absent() {
        for member in ["user_id", "lang", "time_zone"] {
            let read = |value: &str| update(&format!(r#""{member}":{value}"#));
            assert!(!read("null").expect("a change").is_none(), "{member}");
            assert!(read(r#""""#).expect("a change").is_none(), "{member}");
            for bad in ["1", "[]", "{}", "true", r#""a\nb""#] {
                assert_eq!(read(bad), Err(ErrorCode::InvalidInput), "{member} {bad}");
            }
        }
        let cleared = update(r#""user_id":null"#).expect("a change");
        assert_eq!(cleared.user_id, FieldChange::Clear);
    }

    #[test]
    fn tags_are_lists_and_null_is_none() {
        for member in ["tags", "add_tags", "remove_tags"] {
            let read = |value: &str| update(&format!(r#""{member}":{value}"#));
            for absent in ["null", r#""""#] {
                assert!(read(absent).expect("a change").is_none(), "{member}");
            }
            for bad in [
                r#""a""#,
                "1",
                "{}",
                "[null]",
                "[1]",
                r#"[""]"#,
                r#"["a b"]"#,
            ] {
                assert_eq!(read(bad), Err(ErrorCode::InvalidInput), "{member} {bad}");
            }
        }
        let replaced = update(r#""tags":[],"add_tags":null"#).expect("a change");
        assert!(matches!(replaced.tags, TagsChange::Replace(tags) if tags.is_empty()));
        let both = update(r#""tags":["a"],"add_tags":[]"#);
        assert_eq!(both, Err(ErrorCode::InvalidInput));
    }

    #[test]
    fn a_registration_keeps_what_it_does_not_name() {
        let read = |json: &str| -> Result<ProfileChange, ErrorCode> {
            let request: RegisterSubscription = crate::wire::read(json.as_bytes())?;
            request
                .profile_change(false)
                .map_err(RegistrationFault::code)
        };
        let nothing = r#"{"user_id":null,"tags":null,"lang":"","time_zone":null,"user_token":""}"#;
        assert!(read(nothing).expect("a change").is_none());
        let named = read(r#"{"user_id":"u","tags":["a"],"lang":"ja","time_zone":"UTC"}"#);
        assert!(named.expect("a change").user_id.value().is_some());
        for bad in [
            r#"{"user_token":1}"#,
            r#"{"lang":"日本語"}"#,
            r#"{"time_zone":"/"}"#,
        ] {
            assert_eq!(read(bad), Err(ErrorCode::InvalidInput), "{bad}");
        }
    }
}
