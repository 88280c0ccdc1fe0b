//! CSV with the column names that other services export.

use serde_json::{Map, Value};

use super::EntryError;
use super::records::{Record, RecordReader};
use crate::tags::TagTexts;
use crate::wire::{BulkItem, RegisterSubscription};

/// Where a CSV file has what is wanted; the first name that a file has counts.
pub struct Columns {
    records: RecordReader,
    count: usize,
    endpoint: usize,
    p256dh: Option<usize>,
    auth: Option<usize>,
    user_id: Option<usize>,
    tags: Option<usize>,
    /// Whether they are subscribed, as `OneSignal` numbers it.
    state: Option<usize>,
    /// Whether the endpoint is known to be gone.
    invalid: Option<usize>,
}

impl Columns {
    /// The columns that the line names, if one of them is of endpoints.
    pub fn named(line: &str) -> Option<Self> {
        let mut records = RecordReader::default();
        let names = records.read(line)?;
        let find = |wanted: &[&str]| {
            let is = |name: &str, wanted: &str| name.trim().eq_ignore_ascii_case(wanted);
            let mut wanted = wanted.iter();
            wanted.find_map(|wanted| names.fields().position(|name| is(name, wanted)))
        };
        Some(Self {
            count: names.count(),
            endpoint: find(&["endpoint", "identifier"])?,
            p256dh: find(&["p256dh", "web_p256"]),
            auth: find(&["auth", "web_auth"]),
            user_id: find(&["external_user_id", "uid", "user_id"]),
            tags: find(&["tags"]),
            state: find(&["notification_types"]),
            invalid: find(&["invalid_identifier"]),
            records,
        })
    }

    /// How many columns there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What a record says, if it is one of somebody who is subscribed.
    pub fn item(&mut self, line: &str) -> Result<BulkItem, EntryError> {
        let record = self.records.read(line).ok_or(EntryError::NoEndpoint)?;
        let field = |column: Option<usize>| field(&record, column).map(str::to_owned);
        if self.has_unsubscribed(&record) {
            return Err(EntryError::Unsubscribed);
        }
        Ok(BulkItem {
            registration: RegisterSubscription {
                endpoint: field(Some(self.endpoint)),
                p256dh: field(self.p256dh),
                auth: field(self.auth),
                user_id: field(self.user_id),
                tags: field(self.tags).map(|text| tags(&text).into_vec()),
                ..RegisterSubscription::default()
            },
            created_at: None,
        })
    }

    /// Whether the record is of somebody whom the other service reaches no more.
    fn has_unsubscribed(&self, record: &Record) -> bool {
        field(record, self.state).is_some_and(is_ended)
            || field(record, self.invalid).is_some_and(is_true)
    }
}

/// What the record has in the column; an empty field is none.
fn field(record: &Record, column: Option<usize>) -> Option<&str> {
    let text = record.get(column?)?.trim();
    (!text.is_empty()).then_some(text)
}

/// Whether a subscription with this number has ended: it is positive until then.
fn is_ended(state: &str) -> bool {
    state.parse::<f64>().is_ok_and(|state| state <= 0.0)
}

/// Whether this is true, as databases and their exports write it.
fn is_true(text: &str) -> bool {
    let mut words = ["t", "true", "1"].into_iter();
    words.any(|word| text.eq_ignore_ascii_case(word))
}

/// Tags as services write them: a JSON array, a JSON object of names and values, or words between commas.
fn tags(text: &str) -> TagTexts {
    if let Ok(list) = serde_json::from_str::<Vec<String>>(text) {
        return list.into_iter().collect();
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
    use super::{Columns, tags};
    use crate::Tag;

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
            assert_eq!(tags(text).into_vec(), expected, "{text}");
        }
    }

    #[test]
    fn tags_are_kept_to_the_first_that_is_too_many() {
        let mut columns = Columns::named("endpoint,tags").expect("columns");
        let words: Vec<_> = (0..10_000).map(|number| number.to_string()).collect();
        let item = columns.item(&format!("a,\"{}\"", words.join(",")));
        let tags = item.expect("an item").registration.tags;
        let kept = tags.as_ref().map(Vec::len);
        assert_eq!(kept, Some(Tag::MAX_PER_SUBSCRIPTION + 1));
    }
}
