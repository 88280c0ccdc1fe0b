//! The bodies of the three requests that send.

use serde::{Deserialize, Serialize};

use super::member::{Refused, object, present, present_object, present_text, text, value};
#[cfg(feature = "openapi")]
use super::openapi_schema;
use crate::notification::Links;
use crate::{
    AudienceFilter, Endpoint, ErrorCode, HttpsUrl, Notification, PushOptions, Schedule, Topic, Ttl,
    Urgency,
};

/// Which part of the audience a send is for; never ignored once it is present (CONTRACT 12).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct To {
    /// The users whose browsers are meant, as their subscriptions name them.
    #[serde(default, deserialize_with = "present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>, min_items = 1, max_items = 1000))]
    pub user_ids: Option<Vec<String>>,
    /// What must hold of the subscription's tags: tags, `!`, `&&`, `||` and parentheses.
    #[serde(default, deserialize_with = "present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, min_length = 1, max_length = 1024))]
    pub tags: Option<String>,
}

/// The body of `POST /api/v1/notify` and its app-scoped form (SPEC 4.8, 4.10).
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Notify {
    /// The title, the first line of the notification.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1))]
    pub title: Option<String>,
    /// The text below the title.
    #[serde(default, deserialize_with = "text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String, min_length = 1))]
    pub body: Option<String>,
    /// The link that a click opens.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^(https://.*)?$"))]
    pub url: Option<String>,
    /// The picture beside the text.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^(https://.*)?$"))]
    pub icon: Option<String>,
    /// The small monochrome picture for where there is little room, such as a status bar.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^(https://.*)?$"))]
    pub badge: Option<String>,
    /// Restricts the send to one subscriber; once present it is never ignored (CONTRACT 2).
    #[serde(default, deserialize_with = "present_text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, pattern = "^https://", max_length = 2048))]
    pub endpoint: Option<String>,
    /// Restricts the send to a part of the audience; not beside `endpoint`, nor in a batch.
    #[serde(default, deserialize_with = "present_object")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = To))]
    pub to: Option<To>,
    /// When it is to be sent, Unix milliseconds: more than now and at most 366 days ahead (CONTRACT 14).
    #[serde(default, deserialize_with = "present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub send_at: Option<i64>,
    /// When it is worth nothing any more, Unix milliseconds: later than it is sent.
    #[serde(default, deserialize_with = "present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub expires_at: Option<i64>,
    /// How many recipients are tried for the first time in any 60 s at most.
    #[serde(default, deserialize_with = "present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = i64, minimum = 1, maximum = 10_000_000))]
    pub max_per_minute: Option<i64>,
    /// How long push services keep the message, seconds.
    #[serde(default, deserialize_with = "value")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::ttl))]
    pub ttl: Option<i64>,
    /// How soon it has to arrive: `very-low`, `low`, `normal` or `high`.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::urgency))]
    pub urgency: Option<String>,
    /// A name under which newer messages replace older ones.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^[A-Za-z0-9_-]{0,32}$"))]
    pub topic: Option<String>,
}

impl Notify {
    /// TTL, urgency and topic; `INVALID_INPUT` for a value that they do not have.
    pub fn options(&self) -> Result<PushOptions, ErrorCode> {
        Ok(PushOptions {
            ttl: self.ttl.map_or(Ok(Ttl::MAX), Ttl::parse)?,
            urgency: self.urgency.as_deref().map(Urgency::parse).transpose()?,
            topic: self.topic.as_deref().map(Topic::parse).transpose()?,
        })
    }

    /// When it is due, until when, and how fast it goes (CONTRACT 14); `INVALID_INPUT` for what can be right at no time.
    pub fn schedule(&self) -> Result<Schedule, ErrorCode> {
        Schedule::parse(self.send_at, self.expires_at, self.max_per_minute)
    }

    /// Which part of the audience it is for, if not all of it; `INVALID_INPUT` for what is no condition, or beside `endpoint`.
    pub fn filter(&self) -> Result<Option<AudienceFilter>, ErrorCode> {
        let Some(to) = &self.to else {
            return Ok(None);
        };
        if self.endpoint.is_some() {
            return Err(ErrorCode::InvalidInput);
        }
        AudienceFilter::parse(to.user_ids.as_deref(), to.tags.as_deref()).map(Some)
    }

    /// The notification; `MISSING_FIELDS` without title or body, `INVALID_URL` for a link that is none,
    /// `PAYLOAD_TOO_LARGE`.
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

/// The body of `POST /api/v1/notify/batch` (SPEC 4.9).
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NotifyBatch {
    /// The endpoints to send to, at most 100.
    #[serde(default, deserialize_with = "value")]
    #[cfg_attr(feature = "openapi", schema(schema_with = endpoints, required))]
    pub endpoints: Option<Vec<String>>,
    /// What to send to each; a member `endpoint` of it is refused.
    #[serde(default, deserialize_with = "object")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = Notify))]
    pub payload: Option<Notify>,
    #[serde(default, rename = "to", skip_serializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    _to: Refused,
    #[serde(default, rename = "send_at", skip_serializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    _send_at: Refused,
    #[serde(default, rename = "expires_at", skip_serializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    _expires_at: Refused,
    #[serde(default, rename = "max_per_minute", skip_serializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    _max_per_minute: Refused,
}

#[cfg(feature = "openapi")]
fn endpoints() -> utoipa::openapi::schema::Schema {
    openapi_schema::endpoints(NotifyBatch::MAX_ENDPOINTS)
}

impl NotifyBatch {
    /// Most endpoints of a batch (SPEC 8).
    pub const MAX_ENDPOINTS: usize = 100;

    /// The request that sends the message to these endpoints.
    pub fn new(endpoints: Vec<String>, payload: Notify) -> Self {
        Self {
            endpoints: Some(endpoints),
            payload: Some(payload),
            ..Self::default()
        }
    }

    /// The endpoints, each once, and what to send to them: `MISSING_FIELDS` without either, `TOO_MANY_ENDPOINTS`,
    /// `INVALID_URL` or `INVALID_ENDPOINT` for an entry, `INVALID_INPUT` for a payload that names recipients itself.
    pub fn into_parts(self) -> Result<(Vec<Endpoint>, Notify), ErrorCode> {
        let endpoints = self.endpoints.filter(|list| !list.is_empty());
        let endpoints = endpoints.ok_or(ErrorCode::MissingFields)?;
        let payload = self.payload.ok_or(ErrorCode::MissingFields)?;
        if payload.to.is_some() {
            return Err(ErrorCode::InvalidInput);
        }
        if endpoints.len() > Self::MAX_ENDPOINTS {
            return Err(ErrorCode::TooManyEndpoints);
        }
        let mut distinct = Vec::with_capacity(endpoints.len());
        for endpoint in endpoints {
            let endpoint = Endpoint::parse(&endpoint)?;
            if !distinct.contains(&endpoint) {
                distinct.push(endpoint);
            }
        }
        Ok((distinct, payload))
    }
}

#[cfg(test)]
mod tests {
    use super::{Notify, NotifyBatch};
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
    fn a_part_of_the_audience_is_never_ignored() {
        for json in [
            r#"{"to":null}"#,
            r#"{"to":""}"#,
            r#"{"to":[]}"#,
            r#"{"to":["a"]}"#,
            r#"{"to":"a"}"#,
            r#"{"to":{"user_ids":null}}"#,
            r#"{"to":{"tags":null}}"#,
            r#"{"to":{"user_id":"a"}}"#,
            r#"{"to":{"tags":"a","x":1}}"#,
            r#"{"to":{"tags":"a","tags":"b"}}"#,
            r#"{"to":{"user_ids":"a"}}"#,
            r#"{"to":{"tags":["a"]}}"#,
        ] {
            assert!(read(json).is_err(), "{json}");
        }
        for (json, good) in [
            (r#"{"to":{"tags":"a"}}"#, true),
            (r#"{"to":{"user_ids":["a"],"tags":"a"}}"#, true),
            (r#"{"to":{}}"#, false),
            (r#"{"to":{"tags":""}}"#, false),
            (r#"{"to":{"user_ids":[]}}"#, false),
            (r#"{"to":{"tags":"a"},"endpoint":""}"#, false),
        ] {
            let filter = read(json).expect("well-formed").filter();
            assert_eq!(filter.is_ok(), good, "{json}");
        }
    }

    #[test]
    fn times_and_pace_are_never_ignored() {
        for member in ["send_at", "expires_at", "max_per_minute"] {
            for value in ["null", r#""""#, r#""1""#, "1.5", "[]", "true"] {
                let json = format!(r#"{{"{member}":{value}}}"#);
                assert!(read(&json).is_err(), "{json}");
            }
            assert!(read(&format!(r#"{{"{member}":1}}"#)).is_ok());
        }
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

    #[test]
    fn a_batch_is_a_list_and_an_object() {
        let parts = |json: &str| {
            crate::wire::read::<NotifyBatch>(json.as_bytes())?
                .into_parts()
                .map(|(endpoints, _)| endpoints.len())
        };
        let twice = r#"{"endpoints":["https://a.example/","https://a.example/"],"payload":{}}"#;
        assert_eq!(parts(twice), Ok(1));
        for (json, code) in [
            (r#"{"endpoints":[],"payload":{}}"#, ErrorCode::MissingFields),
            (r#"{"endpoints":"","payload":{}}"#, ErrorCode::MissingFields),
            (
                r#"{"endpoints":["https://a.example/"],"payload":null}"#,
                ErrorCode::MissingFields,
            ),
            (
                r#"{"endpoints":["https://a.example/"],"payload":["t","b"]}"#,
                ErrorCode::InvalidInput,
            ),
            (
                r#"{"endpoints":["https://a.example/"],"payload":{"title":"a","title":"b"}}"#,
                ErrorCode::InvalidInput,
            ),
            (r#"{"endpoints":[""],"payload":{}}"#, ErrorCode::InvalidUrl),
            (
                r#"{"endpoints":["https://a.example/"],"payload":{"to":{"tags":"a"}}}"#,
                ErrorCode::InvalidInput,
            ),
            (
                r#"{"endpoints":["https://a.example/"],"payload":{},"to":{"tags":"a"}}"#,
                ErrorCode::InvalidInput,
            ),
            (
                r#"{"endpoints":["https://a.example/"],"payload":{},"send_at":null}"#,
                ErrorCode::InvalidInput,
            ),
            (
                r#"{"endpoints":["https://a.example/"],"payload":{},"max_per_minute":5}"#,
                ErrorCode::InvalidInput,
            ),
            (
                r#"{"endpoints":[null],"payload":{}}"#,
                ErrorCode::InvalidInput,
            ),
        ] {
            assert_eq!(parts(json), Err(code), "{json}");
        }
    }
}
