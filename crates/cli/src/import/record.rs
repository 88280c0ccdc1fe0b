//! A line as a registration: JSON, or CSV with the column names that other services export.

use csv::{ReaderBuilder, StringRecord};
use hato_domain::wire::RegisterSubscription;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::vapid_key::ImportedKey;
use crate::error::{CliError, Result};
use crate::lines::{Lines, Refusal};

const NO_JSON: Refusal = (
    "INVALID_INPUT",
    "the line is no JSON object of a subscription",
);
const NO_ENDPOINT: Refusal = ("MISSING_FIELDS", "the line has no endpoint");

/// How many lines are looked at to find out how a file is written.
const MAX_LINES_BEFORE: usize = 100;

/// How the lines of a file are written.
pub enum Format {
    /// An object a line.
    Json,
    /// The first line names the columns.
    Csv(Columns),
}

/// Where a CSV file has what is wanted; the first name that a file has counts.
pub struct Columns {
    endpoint: usize,
    p256dh: Option<usize>,
    auth: Option<usize>,
    user_id: Option<usize>,
    tags: Option<usize>,
}

/// A subscription of the file.
#[derive(Serialize)]
pub struct Item {
    #[serde(flatten)]
    registration: RegisterSubscription,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<i64>,
}

/// An exported subscription, or what `PushSubscription.toJSON()` gives.
#[derive(Deserialize)]
struct JsonLine {
    keys: Option<Keys>,
    created_at: Option<i64>,
    #[serde(flatten)]
    registration: RegisterSubscription,
}

#[derive(Deserialize)]
struct Keys {
    p256dh: Option<String>,
    auth: Option<String>,
}

impl Format {
    /// Finds out by the first line that is JSON or names columns, of which the latter is taken; with the lines before it, which are
    /// refused.
    pub fn of(lines: &mut Lines) -> Result<(Self, Vec<(u64, Refusal)>)> {
        let mut refused = Vec::new();
        while refused.len() < MAX_LINES_BEFORE {
            let first = match lines.peek()? {
                Some(Ok(text)) => text.trim(),
                Some(Err(_)) => "",
                // The export of an app without subscribers.
                None if refused.is_empty() => return Ok((Self::Json, refused)),
                None => break,
            };
            if first.starts_with('{') {
                return Ok((Self::Json, refused));
            }
            let columns = record(first).and_then(|names| Columns::named(&names));
            let taken = lines.next()?;
            if let Some(columns) = columns {
                return Ok((Self::Csv(columns), refused));
            }
            if let Some((line, text)) = taken {
                refused.push((line, text.err().unwrap_or(NO_JSON)));
            }
        }
        let message = "no line is a JSON object, and none names a column of endpoints";
        Err(CliError::usage(message, expected()))
    }

    /// What a line says.
    pub fn item(&self, line: &str) -> std::result::Result<Item, Refusal> {
        let item = match self {
            Self::Json => json_item(line)?,
            Self::Csv(columns) => columns.item(&record(line).ok_or(NO_ENDPOINT)?),
        };
        match item.registration.endpoint {
            Some(_) => Ok(item),
            None => Err(NO_ENDPOINT),
        }
    }
}

fn expected() -> &'static str {
    "write a JSON object a line, or CSV with a line of column names, such as endpoint,p256dh,auth"
}

impl Columns {
    fn named(names: &StringRecord) -> Option<Self> {
        let find = |wanted: &[&str]| {
            let is = |name: &str, wanted: &str| name.trim().eq_ignore_ascii_case(wanted);
            let mut wanted = wanted.iter();
            wanted.find_map(|wanted| names.iter().position(|name| is(name, wanted)))
        };
        Some(Self {
            endpoint: find(&["endpoint", "identifier"])?,
            p256dh: find(&["p256dh", "web_p256"]),
            auth: find(&["auth", "web_auth"]),
            user_id: find(&["external_user_id", "uid", "user_id"]),
            tags: find(&["tags"]),
        })
    }

    fn item(&self, record: &StringRecord) -> Item {
        let field = |column: Option<usize>| {
            let text = record.get(column?)?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        Item {
            registration: RegisterSubscription {
                endpoint: field(Some(self.endpoint)),
                p256dh: field(self.p256dh),
                auth: field(self.auth),
                user_id: field(self.user_id),
                tags: field(self.tags).map(|text| tags(&text)),
                ..RegisterSubscription::default()
            },
            created_at: None,
        }
    }
}

impl Item {
    pub fn endpoint(&self) -> &str {
        self.registration.endpoint.as_deref().unwrap_or_default()
    }

    /// The item of a request.
    pub fn into_json(mut self, key: &ImportedKey) -> Box<RawValue> {
        let named = self.registration.vapid_public_key.take();
        self.registration.vapid_public_key = key.of_line(named);
        to_raw_value(&self).expect("a registration is plain data")
    }
}

fn json_item(line: &str) -> std::result::Result<Item, Refusal> {
    let line: JsonLine = serde_json::from_str(line.trim()).map_err(|_| NO_JSON)?;
    let mut registration = line.registration;
    if let Some(Keys { p256dh, auth }) = line.keys {
        (registration.p256dh, registration.auth) = (p256dh, auth);
    }
    // What an import registers is nobody's page.
    registration.user_token = None;
    Ok(Item {
        registration,
        created_at: line.created_at,
    })
}

fn record(line: &str) -> Option<StringRecord> {
    let mut reader = ReaderBuilder::new();
    let mut reader = reader
        .has_headers(false)
        .flexible(true)
        .from_reader(line.as_bytes());
    reader.records().next()?.ok()
}

/// Tags as services write them: a JSON array, a JSON object of names and values, or words between commas.
fn tags(text: &str) -> Vec<String> {
    if let Ok(list) = serde_json::from_str::<Vec<String>>(text) {
        return list;
    }
    if let Ok(pairs) = serde_json::from_str::<Map<String, Value>>(text) {
        return pairs.iter().map(|(name, value)| tag(name, value)).collect();
    }
    let text = text.trim_matches(['{', '}']);
    let words = text
        .split([',', ';'])
        .map(|word| word.trim().trim_matches('"'));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn tag(name: &str, value: &Value) -> String {
    match value {
        Value::Bool(true) | Value::Null => name.to_owned(),
        Value::String(text) if text.is_empty() => name.to_owned(),
        Value::String(text) => format!("{name}:{text}"),
        other => format!("{name}:{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::tags;

    #[test]
    fn tags_are_read_as_services_write_them() {
        for (text, expected) in [
            (r#"["a","b"]"#, &["a", "b"][..]),
            (
                r#"{"team":"osaka","vip":"","paid":true,"n":3}"#,
                &["n:3", "paid", "team:osaka", "vip"],
            ),
            ("a, b;c", &["a", "b", "c"]),
            (r#"{a,"b"}"#, &["a", "b"]),
            (",", &[]),
        ] {
            let mut read = tags(text);
            read.sort();
            assert_eq!(read, expected, "{text}");
        }
    }
}
