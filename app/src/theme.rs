//! Which colours a page has: those that were chosen, or else those of the visitor's system (CONTRACT 11).

use http::HeaderMap;

use crate::cookie;

/// The cookie that holds a chosen theme.
pub const COOKIE: &str = "hato_theme";

/// The colours of the dashboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Those of the visitor's system, at any time.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// All of them, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The theme of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

    /// Its name, in the cookie and in `<html data-theme>`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// What browsers are told before they have read the style sheet, so that nothing flashes.
    pub const fn color_scheme(self) -> &'static str {
        match self {
            Self::System => "light dark",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of a request.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let chosen = cookie::read(headers, COOKIE);
        chosen
            .and_then(|name| Self::parse(&name))
            .unwrap_or_default()
    }
}
