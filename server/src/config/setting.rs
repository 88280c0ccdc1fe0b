//! One setting: its variable, what it takes, and what was given.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A setting has a value that it does not take. The value is not repeated: it may be a secret.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} takes {takes}")]
pub struct BadSetting {
    name: &'static str,
    takes: &'static str,
}

impl BadSetting {
    /// Names the variable and what it takes.
    pub const fn new(name: &'static str, takes: &'static str) -> Self {
        Self { name, takes }
    }
}

/// A setting as it was given; empty counts as not given.
pub struct Setting {
    bad: BadSetting,
    given: Option<OsString>,
}

impl Setting {
    /// The variable `name`, which takes `takes`.
    pub fn new(name: &'static str, takes: &'static str, given: Option<OsString>) -> Self {
        Self {
            bad: BadSetting::new(name, takes),
            given: given.filter(|value| !value.is_empty()),
        }
    }

    /// Reads the value; `None` from `read` is a bad one.
    pub fn parse<T>(self, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, BadSetting> {
        let Some(value) = self.given else {
            return Ok(None);
        };
        let value = value.to_str().and_then(|text| read(text.trim()));
        value.map(Some).ok_or(self.bad)
    }

    /// Reads one of these words.
    pub fn word<T: Copy>(self, words: &[(&str, T)]) -> Result<Option<T>, BadSetting> {
        self.parse(|text| {
            let known = words.iter().find(|(word, _)| *word == text);
            known.map(|(_, meaning)| *meaning)
        })
    }

    /// The value as a path.
    pub fn path(self) -> Option<PathBuf> {
        self.given.map(PathBuf::from)
    }

    /// Reads the file that the value names; `None` from `read` is a bad one.
    pub fn path_and<T>(
        self,
        read: impl FnOnce(&Path) -> Option<T>,
    ) -> Result<Option<T>, BadSetting> {
        let Some(path) = self.given.map(PathBuf::from) else {
            return Ok(None);
        };
        read(&path).map(Some).ok_or(self.bad)
    }
}
