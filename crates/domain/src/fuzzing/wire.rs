//! A target of `make fuzz`: every wire type.

mod requests;
mod responses;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::requests::REQUESTS;
use self::responses::RESPONSES;
use crate::compact_json::min_compact_len;
use crate::wire::{has_unique_members, read};

/// What is read, by its name: whether a body is one, and means something.
type Kind = (&'static str, fn(&[u8]) -> bool);

/// What is read of a JSON body and written again says the same. The first byte says as what it is read.
pub fn wire(data: &[u8]) {
    let Some((kind, body)) = data.split_first() else {
        return;
    };
    let kinds = kinds();
    let (_, is_accepted) = kinds[usize::from(*kind) % kinds.len()];
    is_accepted(body);
    if has_unique_members(body) {
        assert_min_len(body);
    }
}

/// What is known of a value's length before anything is made of it is no more than it has.
fn assert_min_len(body: &[u8]) {
    let (text, value) = (str::from_utf8(body), serde_json::from_slice::<Value>(body));
    if let (Ok(text), Ok(value)) = (text, value) {
        assert!(min_compact_len(text) <= value.to_string().len());
    }
}

fn kinds() -> Vec<Kind> {
    REQUESTS.into_iter().chain(RESPONSES).collect()
}

/// Whether the body can be read, as what is written again as it is.
fn is_kept<T: Serialize + DeserializeOwned>(body: &[u8]) -> bool {
    kept::<T>(body).is_some()
}

/// The body, if it can be read: written and read again, it is the same.
fn kept<T: Serialize + DeserializeOwned>(body: &[u8]) -> Option<T> {
    let value: T = read(body).ok()?;
    let written = serde_json::to_vec(&value).expect("wire types are plain data");
    let again: T = read(&written).expect("what was written can be read");
    assert_eq!(shown(&again), shown(&value));
    Some(value)
}

fn shown(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("wire types are plain data")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::kinds;

    /// Adds the names of all members.
    fn add_names(value: &Value, names: &mut BTreeSet<String>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| add_names(item, names)),
            Value::Object(members) => {
                for (name, value) in members {
                    names.insert(name.clone());
                    add_names(value, names);
                }
            }
            _ => {}
        }
    }

    /// Bytes that no reader accepts lead nowhere, however they are changed.
    #[test]
    fn each_kind_has_a_seed_that_is_accepted_and_whose_names_are_in_the_dictionary() {
        let dictionary = hato_corpus::dictionary("wire");
        for (number, (kind, is_accepted)) in kinds().into_iter().enumerate() {
            let seeds = hato_corpus::inputs_of("wire", kind);
            assert!(!seeds.is_empty(), "{kind} has no seed");
            for seed in seeds {
                let (first, body) = seed.split_first().expect("a seed");
                assert_eq!(usize::from(*first), number, "{kind}");
                assert!(is_accepted(body), "{kind}: {}", body.escape_ascii());
                let mut names = BTreeSet::new();
                add_names(&serde_json::from_slice(body).expect("JSON"), &mut names);
                for name in names {
                    let entry = format!("\"\\\"{name}\\\":\"\n");
                    assert!(dictionary.contains(&entry), "{kind}: {name}");
                }
            }
        }
    }
}
