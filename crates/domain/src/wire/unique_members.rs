//! JSON in which a member stands twice, which the parser of untyped values takes for one (CONTRACT 2).

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Any JSON value in which no object, at any depth, has a member twice.
struct UniqueMembers;

/// Whether `json` is a JSON value in which no object, at any depth, has a member twice.
pub fn has_unique_members(json: &[u8]) -> bool {
    serde_json::from_slice::<UniqueMembers>(json).is_ok()
}

impl<'de> Deserialize<'de> for UniqueMembers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueMembers {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON whose objects have no member twice")
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            members.next_value::<Self>()?;
            if !names.insert(name) {
                return Err(A::Error::custom("a member stands twice"));
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::has_unique_members;

    #[test]
    fn a_member_that_stands_twice_is_found_at_any_depth() {
        for json in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": {"b": 1, "b": 2}}"#,
            r#"[{"a": [{"b": null, "b": null}]}]"#,
            r#"{"ab": 1, "a\u0062": 2}"#,
        ] {
            assert!(!has_unique_members(json.as_bytes()), "{json}");
        }
        for json in [
            r#"{"a": {"a": 1}, "b": [{"a": -1}, {"a": 1.5}], "c": [true, null, "a", "a"]}"#,
            "1",
        ] {
            assert!(has_unique_members(json.as_bytes()), "{json}");
        }
    }
}
