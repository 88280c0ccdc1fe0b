//! Which language a page speaks: the chosen one, or else what the browser asks for (CONTRACT 11).

use std::time::Duration;

use http::HeaderMap;
use http::header::ACCEPT_LANGUAGE;

use crate::cookie;

/// The cookie that holds a chosen language.
pub const COOKIE: &str = "hato_lang";

/// How long a choice is remembered.
pub const COOKIE_LIFETIME: Duration = Duration::from_hours(365 * 24);

/// A language of the dashboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// Japanese, spoken unless English is asked for.
    #[default]
    Ja,
    /// English, for visitors whose browser prefers it or who chose it.
    En,
}

impl Lang {
    /// Both languages, in the order of the switch.
    pub const ALL: [Self; 2] = [Self::Ja, Self::En];

    /// The language named by a tag such as `en` or `en-GB`.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.split('-').next()?;
        Self::ALL
            .into_iter()
            .find(|lang| primary.eq_ignore_ascii_case(lang.as_str()))
    }

    /// The tag, for `<html lang>`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ja => "ja",
            Self::En => "en",
        }
    }

    /// The language's own name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ja => "日本語",
            Self::En => "English",
        }
    }

    /// The language of a request.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let chosen = cookie::read(headers, COOKIE).and_then(|tag| Self::parse(&tag));
        let asked = || headers.get(ACCEPT_LANGUAGE)?.to_str().ok();
        chosen
            .or_else(|| Self::preferred(asked()?))
            .unwrap_or_default()
    }

    /// The first of the most wanted languages of an `Accept-Language` header (RFC 9110 §12.5.4).
    fn preferred(header: &str) -> Option<Self> {
        let mut best: Option<(Self, u16)> = None;
        for (lang, weight) in header.split(',').filter_map(parse_item) {
            if weight > best.map_or(0, |(_, weight)| weight) {
                best = Some((lang, weight));
            }
        }
        best.map(|(lang, _)| lang)
    }
}

/// A known language and its weight in thousandths.
fn parse_item(item: &str) -> Option<(Lang, u16)> {
    let (tag, parameters) = item.split_once(';').unwrap_or((item, ""));
    let weight = match parameters.trim().strip_prefix("q=") {
        Some(weight) => thousandths(weight)?,
        None => 1_000,
    };
    Some((Lang::parse(tag.trim())?, weight))
}

fn thousandths(weight: &str) -> Option<u16> {
    let (whole, fraction) = weight.trim().split_once('.').unwrap_or((weight.trim(), ""));
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    let whole: u16 = whole.parse().ok().filter(|whole| *whole <= 1)?;
    Some(whole * 1_000 + digits.parse::<u16>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::Lang;
    use http::HeaderMap;

    fn asked(header: &str) -> Lang {
        let mut headers = HeaderMap::new();
        headers.insert("accept-language", header.parse().expect("a header value"));
        Lang::from_headers(&headers)
    }

    #[test]
    fn the_most_wanted_known_language_wins() {
        for (header, lang) in [
            ("en", Lang::En),
            ("en-GB,ja;q=0.9", Lang::En),
            ("fr,en;q=0.5,ja;q=0.8", Lang::Ja),
            ("en;q=0, ja;q=0.1", Lang::Ja),
            ("de", Lang::Ja),
            ("*", Lang::Ja),
            ("en;q=nonsense", Lang::Ja),
        ] {
            assert_eq!(asked(header), lang, "{header}");
        }
        assert_eq!(Lang::from_headers(&HeaderMap::new()), Lang::Ja);
    }

    #[test]
    fn a_choice_outranks_the_browser() {
        let mut headers = HeaderMap::new();
        headers.insert("accept-language", "ja".parse().expect("a header value"));
        headers.insert(
            "cookie",
            "a=b; hato_lang=en".parse().expect("a header value"),
        );
        assert_eq!(Lang::from_headers(&headers), Lang::En);
    }
}
