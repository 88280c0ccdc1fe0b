//! The bodies of the three requests that send.

mod action;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

pub use self::action::NotifyAction;
use self::action::link;
use super::list;
use super::member::{
    ForbiddenMember, any_object, object, present, present_object, present_text, text, value,
};
#[cfg(feature = "openapi")]
use super::openapi_schema;
use crate::notification::{
    AppBadge, EventTime, Links, NotificationActions, NotificationData, NotificationTag,
    RichMembers, TextDirection,
};
use crate::{
    AudienceFilter, Endpoint, ErrorCode, LanguageTag, Notification, PushOptions, Schedule, Topic,
    Ttl, Urgency,
};

/// Which part of the audience a send is for; never ignored once it is present (CONTRACT 12).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct To {
    /// The users whose browsers are meant, as their subscriptions name them.
    #[serde(default, deserialize_with = "list::users")]
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
    /// The large picture below the text (CONTRACT 13).
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^(https://.*)?$"))]
    pub image: Option<String>,
    /// The buttons, each with a name of its own.
    #[serde(default, deserialize_with = "listed_actions")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = actions))]
    pub actions: Option<Vec<NotifyAction>>,
    /// The name under which a newer notification takes this one's place on the screen.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub tag: Option<String>,
    /// Whether the device rings again when it takes another one's place; with `tag` only, and not when silent.
    #[serde(default, deserialize_with = "value")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::renotify))]
    pub renotify: Option<bool>,
    /// Whether it stays until somebody does something with it.
    #[serde(default, deserialize_with = "value")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::require_interaction))]
    pub require_interaction: Option<bool>,
    /// Whether it comes without sound and vibration.
    #[serde(default, deserialize_with = "value")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::silent))]
    pub silent: Option<bool>,
    /// What the site's own scripts find in the notification: an object of at most 1,024 bytes as JSON.
    #[serde(default, deserialize_with = "bounded_data")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::data))]
    pub data: Option<Box<RawValue>>,
    /// In which direction its texts are written: `auto`, `ltr` or `rtl`.
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::text_direction))]
    pub dir: Option<String>,
    /// The language of its texts (BCP 47).
    #[serde(default, deserialize_with = "text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 35))]
    pub lang: Option<String>,
    /// When what it tells of happened, Unix milliseconds.
    #[serde(default, deserialize_with = "value")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(schema_with = openapi_schema::timestamp)
    )]
    pub timestamp: Option<i64>,
    /// The number on the app's icon; 0 takes it away.
    #[serde(default, deserialize_with = "value")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::app_badge))]
    pub app_badge: Option<i64>,
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

    fn links(&self) -> Result<Links, ErrorCode> {
        Ok(Links {
            url: link(self.url.as_deref())?,
            icon: link(self.icon.as_deref())?,
            badge: link(self.badge.as_deref())?,
        })
    }

    /// The notification; `MISSING_FIELDS` without title or body, `INVALID_URL` for a link that is none, `INVALID_INPUT` for another
    /// member that is wrong, `PAYLOAD_TOO_LARGE`.
    pub fn into_notification(self) -> Result<Notification, ErrorCode> {
        let links = self.links();
        let title = self.title.ok_or(ErrorCode::MissingFields)?;
        let body = self.body.ok_or(ErrorCode::MissingFields)?;
        let links = links?;
        let rich = RichMembers {
            image: link(self.image.as_deref())?,
            actions: self.actions.map(read_actions).transpose()?,
            tag: self.tag.map(NotificationTag::parse).transpose()?,
            renotify: self.renotify,
            require_interaction: self.require_interaction,
            silent: self.silent,
            data: self.data.as_deref().map(read_data).transpose()?,
            dir: self.dir.as_deref().map(TextDirection::parse).transpose()?,
            lang: self.lang.as_deref().map(LanguageTag::parse).transpose()?,
            timestamp: self.timestamp.map(EventTime::parse).transpose()?,
            app_badge: self.app_badge.map(AppBadge::parse).transpose()?,
        };
        Notification::with_members(title, body, links, &rich)
    }
}

fn read_data(json: &RawValue) -> Result<NotificationData, ErrorCode> {
    NotificationData::parse(json.get())
}

fn read_actions(all: Vec<NotifyAction>) -> Result<NotificationActions, ErrorCode> {
    let actions = all.into_iter().map(NotifyAction::into_action);
    NotificationActions::new(actions.collect::<Result<_, _>>()?)
}

/// The body of `POST /api/v1/notify/batch` (SPEC 4.9).
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NotifyBatch {
    /// The endpoints to send to, at most 100.
    #[serde(default, deserialize_with = "listed_endpoints")]
    #[cfg_attr(feature = "openapi", schema(schema_with = endpoints, required))]
    pub endpoints: Option<Vec<String>>,
    /// What to send to each; a member `endpoint` of it is refused.
    #[serde(default, deserialize_with = "object")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = Notify))]
    pub payload: Option<Notify>,
    #[serde(default, rename = "to", skip_serializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    _to: ForbiddenMember,
    #[serde(default, rename = "send_at", skip_serializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    _send_at: ForbiddenMember,
    #[serde(default, rename = "expires_at", skip_serializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    _expires_at: ForbiddenMember,
    #[serde(default, rename = "max_per_minute", skip_serializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    _max_per_minute: ForbiddenMember,
}

#[cfg(feature = "openapi")]
fn actions() -> utoipa::openapi::schema::Schema {
    openapi_schema::actions(<NotifyAction as utoipa::PartialSchema>::schema())
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

/// The endpoints of a batch, one more than permitted at most.
fn listed_endpoints<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    list::texts::<{ NotifyBatch::MAX_ENDPOINTS }, D>(from)
}

/// The buttons of a notification, one more than permitted at most.
fn listed_actions<'de, D>(from: D) -> Result<Option<Vec<NotifyAction>>, D::Error>
where
    D: Deserializer<'de>,
{
    list::objects::<NotifyAction, { NotificationActions::MAX }, D>(from)
}

/// What a notification carries, as a text as long as it may be too large.
fn bounded_data<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    any_object::<{ NotificationData::MAX_BYTES }, D>(from)
}

#[cfg(test)]
mod tests;
