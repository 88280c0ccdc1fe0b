//! What the push service is told to answer, request by request.

use http::{HeaderName, HeaderValue};
use std::{
    collections::{HashMap, VecDeque},
    fmt,
    str::FromStr,
};

/// One answer to a push request that was well-formed.
///
/// Its text form, for command lines and the control side: `created`, `503`, `429:120` (with Retry-After: 120),
/// `200:x-name=value` (with any header), `hang`, `reset`, `redirect`, `endless`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptedResponse {
    /// 201 with Location and TTL (RFC 8030 §5).
    Created,
    /// This status with the error body that Mozilla's service sends.
    Status(u16),
    /// This status with a `Retry-After` header of this text (seconds or a date).
    RetryAfter(u16, String),
    /// This status with a header of this name, in lower case, and this value.
    Header(u16, String, String),
    /// No answer, and the connection stays open.
    Hang,
    /// The TCP connection is closed without an answer, and with it every other stream on it.
    Reset,
    /// 307 to another address of the service; following it is recorded as an unmatched request.
    Redirect,
    /// 200 with a body that never ends.
    Endless,
}

impl ScriptedResponse {
    /// Whether the push service has taken the message.
    pub(super) fn accepts(&self) -> bool {
        matches!(
            self,
            Self::Created | Self::Status(200..=299) | Self::Header(200..=299, ..)
        )
    }
}

impl fmt::Display for ScriptedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Created => f.write_str("created"),
            Self::Status(status) => write!(f, "{status}"),
            Self::RetryAfter(status, after) => write!(f, "{status}:{after}"),
            Self::Header(status, name, value) => write!(f, "{status}:{name}={value}"),
            Self::Hang => f.write_str("hang"),
            Self::Reset => f.write_str("reset"),
            Self::Redirect => f.write_str("redirect"),
            Self::Endless => f.write_str("endless"),
        }
    }
}

/// The text is not that of a [`ScriptedResponse`].
#[derive(Debug, thiserror::Error)]
#[error(
    "an answer is created, hang, reset, redirect, endless, a status, status:retry-after or status:name=value"
)]
pub struct ParseResponseError;

impl FromStr for ScriptedResponse {
    type Err = ParseResponseError;

    fn from_str(text: &str) -> Result<Self, ParseResponseError> {
        match text {
            "created" | "201" => Ok(Self::Created),
            "hang" => Ok(Self::Hang),
            "reset" => Ok(Self::Reset),
            "redirect" => Ok(Self::Redirect),
            "endless" => Ok(Self::Endless),
            other => parse_status(other),
        }
    }
}

fn parse_status(text: &str) -> Result<ScriptedResponse, ParseResponseError> {
    let (status, after) = match text.split_once(':') {
        Some((status, after)) => (status, Some(after)),
        None => (text, None),
    };
    let status = status.parse().map_err(|_| ParseResponseError)?;
    let speakable = after.is_none_or(|after| HeaderValue::from_str(after).is_ok());
    if !(200..=599).contains(&status) || !speakable {
        return Err(ParseResponseError);
    }
    Ok(
        match after.map(|after| after.split_once('=').ok_or(after)) {
            Some(Ok((name, value))) => {
                HeaderName::from_str(name).map_err(|_| ParseResponseError)?;
                ScriptedResponse::Header(status, name.to_owned(), value.to_owned())
            }
            Some(Err(after)) => ScriptedResponse::RetryAfter(status, after.to_owned()),
            None => ScriptedResponse::Status(status),
        },
    )
}

type ByNumber = Box<dyn Fn(u64) -> ScriptedResponse + Send>;

/// The answers to come: a subscription's queue, its own default, the common queue, the common default, in this order.
pub(super) struct Script {
    queues: HashMap<String, VecDeque<ScriptedResponse>>,
    defaults: HashMap<String, ScriptedResponse>,
    queue: VecDeque<ScriptedResponse>,
    default: ByNumber,
}

impl Script {
    pub(super) fn new() -> Self {
        Self {
            queues: HashMap::new(),
            defaults: HashMap::new(),
            queue: VecDeque::new(),
            default: Box::new(|_| ScriptedResponse::Created),
        }
    }

    pub(super) fn queue(&mut self, subscription: Option<&str>, answers: Vec<ScriptedResponse>) {
        match subscription {
            Some(id) => self.queues.entry(id.to_owned()).or_default(),
            None => &mut self.queue,
        }
        .extend(answers);
    }

    pub(super) fn set_default(&mut self, subscription: Option<&str>, answer: ScriptedResponse) {
        match subscription {
            Some(id) => {
                self.defaults.insert(id.to_owned(), answer);
            }
            None => self.default = Box::new(move |_| answer.clone()),
        }
    }

    pub(super) fn set_default_by(&mut self, choose: ByNumber) {
        self.default = choose;
    }

    /// The answer to the request `number` (from 0), which is for `subscription`.
    pub(super) fn next(&mut self, subscription: &str, number: u64) -> ScriptedResponse {
        if let Some(answer) = self
            .queues
            .get_mut(subscription)
            .and_then(VecDeque::pop_front)
        {
            return answer;
        }
        if let Some(answer) = self.defaults.get(subscription) {
            return answer.clone();
        }
        self.queue
            .pop_front()
            .unwrap_or_else(|| (self.default)(number))
    }
}
