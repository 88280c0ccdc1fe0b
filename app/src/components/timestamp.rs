//! A point in time.

use hato_domain::UnixMillis;
use leptos::prelude::*;

/// How a moment is written in the visitor's own time zone, where scripts run (`app/scripts/times.js`).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeStyle {
    /// To the minute: `2026-01-31 09:05`.
    #[default]
    Minute,
    /// To the second: `2026-01-31 09:05:07`.
    Second,
    /// The day alone: `2026-01-31`.
    Day,
    /// `2026-01-31`, of a day in UTC of which no moment is known: wherever it is read, it is that day.
    UtcDay,
    /// The time of day alone: `09:05`.
    Clock,
    /// To the minute, with the zone: `2026-01-31 09:05 (Asia/Tokyo)`.
    Zoned,
    /// `3 minutes ago`, and from a day on as [`Self::Minute`].
    Ago,
}

impl TimeStyle {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Day => "day",
            Self::UtcDay => "utc-day",
            Self::Clock => "clock",
            Self::Zoned => "zoned",
            Self::Ago => "ago",
        }
    }

    /// The moment in UTC, and that it is.
    fn utc(self, at: UnixMillis) -> String {
        let text = match self {
            Self::Minute | Self::Zoned | Self::Ago => at.to_minute(),
            Self::Second => at.to_second(),
            Self::Day | Self::UtcDay => at.day(),
            Self::Clock => at.to_minute().split_off("YYYY-MM-DD ".len()),
        };
        format!("{text} UTC")
    }
}

/// A moment in the visitor's own time zone, with UTC on hover; in UTC where no scripts run.
#[component]
pub fn Timestamp(at: UnixMillis, #[prop(optional)] style: TimeStyle) -> impl IntoView {
    let utc = style.utc(at);
    let hover = utc.clone();
    view! {
        <time datetime=at.to_rfc3339() title=hover data-as=style.as_str()>
            {utc}
        </time>
    }
}
