//! Paging through lists that are newest first (SPEC 4.11, CONTRACT 4).

use crate::{ErrorCode, UnixMillis};

/// How many items a page holds: 1 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimit(i64);

impl PageLimit {
    /// The limit of a request that gives none (CONTRACT 4).
    pub const DEFAULT: Self = Self(50);

    /// Reads a decimal number without sign or leading zeros; outside 1 to 100 it is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let is_plain = text.starts_with(|first: char| ('1'..='9').contains(&first));
        match text.parse() {
            Ok(limit @ 1..=100) if is_plain => Ok(Self(limit)),
            _ => Err(ErrorCode::InvalidInput),
        }
    }

    /// The most items that the page holds.
    pub const fn get(self) -> i64 {
        self.0
    }
}

/// Where the previous page ended: items strictly older, or of the same time and with a smaller id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// `before`: the last item's time.
    pub before: UnixMillis,
    /// `before_id`: the last item's id, which orders items of the same time.
    pub before_id: Option<String>,
}

/// The page of a list that a client asks for: how many items, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// The most items that the page holds.
    pub limit: PageLimit,
    /// Where the previous page ended; `None` starts with the newest item.
    pub cursor: Option<Cursor>,
}

impl PageRequest {
    /// Longest `before_id` looked at, in bytes.
    const MAX_ID_BYTES: usize = 64;

    /// Reads `limit`, `before` and `before_id` as they stand in a query; bad ones, empty ones too, are `INVALID_INPUT`
    /// (CONTRACT 4).
    pub fn parse(
        limit: Option<&str>,
        before: Option<&str>,
        before_id: Option<&str>,
    ) -> Result<Self, ErrorCode> {
        let limit = limit.map_or(Ok(PageLimit::DEFAULT), PageLimit::parse)?;
        let cursor = match (before, before_id) {
            (None, None) => None,
            (None, Some(_)) => return Err(ErrorCode::InvalidInput),
            (Some(before), before_id) => Some(Self::cursor(before, before_id)?),
        };
        Ok(Self { limit, cursor })
    }

    fn cursor(before: &str, before_id: Option<&str>) -> Result<Cursor, ErrorCode> {
        let is_bad = |id: &str| id.is_empty() || id.len() > Self::MAX_ID_BYTES || id.contains('\0');
        match before.parse() {
            Ok(millis) if !before_id.is_some_and(is_bad) && !before.starts_with('+') => {
                Ok(Cursor {
                    before: UnixMillis(millis),
                    before_id: before_id.map(str::to_owned),
                })
            }
            _ => Err(ErrorCode::InvalidInput),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageRequest;

    #[test]
    fn bad_limits_and_cursors_are_refused() {
        for (limit, before, before_id) in [
            (Some("0"), None, None),
            (Some("101"), None, None),
            (Some("ten"), None, None),
            (Some("+5"), None, None),
            (Some("05"), None, None),
            (None, Some("+5"), None),
            (None, Some("soon"), None),
            (None, None, Some("snd_1")),
            (Some(""), None, None),
            (None, Some(""), None),
            (None, Some("1"), Some("")),
            (None, None, Some("")),
            (None, Some("1"), Some("snd_\0")),
        ] {
            assert!(PageRequest::parse(limit, before, before_id).is_err());
        }
        assert!(PageRequest::parse(None, Some("1"), Some("snd_1")).is_ok());
        assert_eq!(
            PageRequest::parse(None, None, None)
                .expect("default")
                .limit
                .get(),
            50
        );
    }
}
