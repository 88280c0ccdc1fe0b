//! One setting: its variable, what it takes, and what was given.

use std::ffi::OsString;
use std::path::Path;

/// A setting has a value that it does not take. The value is not repeated: it may be a secret.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} takes {expected}")]
pub struct SettingError {
    name: &'static str,
    expected: &'static str,
}

impl SettingError {
    /// Names the variable and what it takes.
    pub const fn new(name: &'static str, expected: &'static str) -> Self {
        Self { name, expected }
    }
}

/// A setting as it was given: once, by its flag or else by its variable. Empty counts as not given.
pub struct Setting {
    error: SettingError,
    raw: Vec<OsString>,
}

impl Setting {
    /// The variable `name`, which takes `expected`.
    pub fn new(name: &'static str, expected: &'static str, raw: Vec<OsString>) -> Self {
        let error = SettingError::new(name, expected);
        Self { error, raw }
    }

    /// Reads the value; `None` from `read` is a bad one, and so is a flag that was given twice or is not UTF-8.
    pub fn parse<T>(self, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, SettingError> {
        self.whole(|text| read(text.trim()))
    }

    /// Reads one of these words.
    pub fn word<T: Copy>(self, words: &[(&str, T)]) -> Result<Option<T>, SettingError> {
        self.parse(|text| {
            let known = words.iter().find(|(word, _)| *word == text);
            known.map(|(_, meaning)| *meaning)
        })
    }

    /// Reads the value as a path, whose spaces count.
    pub fn path<T>(self, read: impl FnOnce(&Path) -> Option<T>) -> Result<Option<T>, SettingError> {
        self.whole(|text| read(Path::new(text)))
    }

    fn whole<T>(self, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, SettingError> {
        let text = match &self.raw[..] {
            [] => return Ok(None),
            [once] if once.is_empty() => return Ok(None),
            [once] => once.to_str(),
            _ => None,
        };
        text.and_then(read).map(Some).ok_or(self.error)
    }
}
