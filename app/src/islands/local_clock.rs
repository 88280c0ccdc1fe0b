//! Moments in the visitor's own time zone, as the browser reckons them.

use js_sys::{Array, Date, Intl, Object, Reflect};
use leptos::wasm_bindgen::JsValue;

const MINUTE: f64 = 60_000.0;

/// Bytes of `2026-01-31T09:05`; a browser may add seconds.
const MINUTES_LENGTH: usize = 16;

/// By how many minutes clocks are set, longest first.
const CLOCK_CHANGES: [f64; 3] = [120.0, 60.0, 30.0];

/// What a local date and time names.
pub struct LocalMoment {
    /// The moment, in milliseconds since 1970.
    pub at: f64,
    /// What is unusual about it.
    pub oddity: Option<ClockOddity>,
}

/// What setting clocks makes of a local time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ClockOddity {
    /// It is skipped that day; meant is what the clock would show without having been set.
    Skipped,
    /// It comes twice that day; meant is the first.
    Twice,
}

/// The moment that `2026-01-31T09:05` is for the visitor; `None` for what is no date and time.
pub fn read(local: &str) -> Option<LocalMoment> {
    let local = local.get(..MINUTES_LENGTH)?;
    let at = Date::new(&JsValue::from_str(local)).get_time();
    if at.is_nan() {
        return None;
    }
    if write(at) != local {
        let oddity = Some(ClockOddity::Skipped);
        return Some(LocalMoment { at, oddity });
    }
    let moved = |minutes: f64| at + minutes * MINUTE;
    let earlier = CLOCK_CHANGES.map(|minutes| moved(-minutes));
    let first = earlier.into_iter().find(|it| write(*it) == local);
    let comes_later = CLOCK_CHANGES.iter().any(|it| write(moved(*it)) == local);
    let oddity = (first.is_some() || comes_later).then_some(ClockOddity::Twice);
    Some(LocalMoment {
        at: first.unwrap_or(at),
        oddity,
    })
}

/// The moment on the visitor's clock: `2026-01-31T09:05`.
pub fn write(at: f64) -> String {
    let date = Date::new(&JsValue::from_f64(at));
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}",
        date.get_full_year(),
        date.get_month() + 1,
        date.get_date(),
        date.get_hours(),
        date.get_minutes()
    )
}

/// The moment that `2026-01-31T09:05` is in UTC.
pub fn read_utc(text: &str) -> Option<f64> {
    let at = Date::parse(&format!("{text}Z"));
    (!at.is_nan()).then_some(at)
}

/// The moment in UTC: `2026-01-31T09:05`.
pub fn write_utc(at: f64) -> String {
    let text = Date::new(&JsValue::from_f64(at)).to_iso_string();
    text.slice(0, 16).into()
}

/// The name of the visitor's time zone, such as `Asia/Tokyo`.
pub fn zone() -> Option<String> {
    let format = Intl::DateTimeFormat::new(&Array::new(), &Object::new());
    let options = format.resolved_options();
    let zone = Reflect::get(&options, &"timeZone".into());
    zone.ok()?.as_string().filter(|zone| !zone.is_empty())
}
