//! Whom a send is for, as the column `audience` holds it: all of it while the send waits, because its recipients are taken when it is
//! due, and from then on what its page tells of the conditions. No id of a user outlives the wait.

use hato_domain::{AudienceFilter, TagExpression, UserId};
use hato_service::ports::{Audience, NewSend, SendConditions};
use serde::{Deserialize, Serialize};

use crate::error::{decode_error, json};
use crate::values::hexadecimal_hash;

/// The column, as JSON.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoredAudience {
    Everyone,
    /// Those with the endpoints of these hashes.
    Endpoints(Vec<String>),
    /// Those who meet these conditions.
    Matching {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user_ids: Option<Vec<String>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tags: Option<String>,
    },
    /// Those who met such conditions: so many users, and this expression.
    Matched {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        users: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tags: Option<String>,
    },
}

impl StoredAudience {
    /// What is stored of the send when it is accepted; `None` for nothing.
    pub(crate) fn from_send(send: &NewSend) -> sqlx::Result<Option<String>> {
        let is_scheduled = send.schedule.send_at().is_some();
        let audience = match &send.audience {
            Audience::Selected(filter, _) => Some(Self::matching(filter).matched()),
            _ if !is_scheduled => None,
            Audience::Everyone => Some(Self::Everyone),
            Audience::One(endpoint) => Some(Self::Endpoints(vec![hexadecimal_hash(endpoint)])),
            Audience::Listed(endpoints) => {
                let hashes = endpoints.iter().map(hexadecimal_hash);
                Some(Self::Endpoints(hashes.collect()))
            }
            Audience::Matching(filter) => Some(Self::matching(filter)),
        };
        audience.map(|audience| audience.to_json()).transpose()
    }

    /// What a send that waits holds.
    pub(crate) fn parse(text: &str) -> sqlx::Result<Self> {
        serde_json::from_str(text).map_err(|_| decode_error("audience"))
    }

    /// The conditions, if it is by them and they are still to be met.
    pub(crate) fn into_filter(self) -> sqlx::Result<Option<AudienceFilter>> {
        let Self::Matching { user_ids, tags } = self else {
            return Ok(None);
        };
        let tags = tags.as_deref().map(TagExpression::parse).transpose();
        let users = |ids: Vec<String>| ids.into_iter().map(UserId::trusted).collect();
        Ok(Some(AudienceFilter {
            user_ids: user_ids.map(users),
            tags: tags.map_err(|_| decode_error("tags"))?,
        }))
    }

    /// What is kept of the text once the send waits no more.
    pub(crate) fn kept(text: Option<&str>) -> sqlx::Result<Option<String>> {
        let waiting = text.and_then(|text| Self::parse(text).ok());
        match waiting.map(Self::matched) {
            Some(matched @ Self::Matched { .. }) => matched.to_json().map(Some),
            _ => Ok(None),
        }
    }

    /// The conditions as the send's page tells them.
    pub(crate) fn conditions(text: Option<&str>) -> Option<SendConditions> {
        match Self::parse(text?).ok()?.matched() {
            Self::Matched { users, tags } => Some(SendConditions { users, tags }),
            _ => None,
        }
    }

    fn matching(filter: &AudienceFilter) -> Self {
        let text = |id: &UserId| id.as_str().to_owned();
        let users = filter.user_ids.as_ref();
        let tags = filter.tags.as_ref();
        Self::Matching {
            user_ids: users.map(|ids| ids.iter().map(text).collect()),
            tags: tags.map(|tags| tags.as_str().to_owned()),
        }
    }

    /// The conditions as a finished send keeps them: of users only how many there were.
    fn matched(self) -> Self {
        match self {
            Self::Matching { user_ids, tags } => Self::Matched {
                users: user_ids.map(|ids| ids.len()),
                tags,
            },
            other => other,
        }
    }

    fn to_json(&self) -> sqlx::Result<String> {
        json(self)
    }
}
