//! What the history is searched for.

use std::time::Duration;

use hato_domain::{ErrorCode, LocalDay, UnixMillis};
use hato_service::ServiceResult;
use hato_service::ports::{SendFilter, SendStatus};
use leptos::prelude::*;

use super::super::search_field::{QueryValue, SearchField, searched_text};
use crate::i18n::HistoryTexts;
use crate::local_path::with_query;

const DAY: Duration = Duration::from_hours(24);

const MINUTE_MILLIS: i64 = 60_000;

/// The members that say of the two days whose they are (`app/scripts/days.js`).
const FROM_OFFSET: &str = "from_offset";
const TO_OFFSET: &str = "to_offset";

/// What the list can be narrowed down to.
const STATUSES: [SendStatus; 6] = [
    SendStatus::Scheduled,
    SendStatus::Queued,
    SendStatus::Sending,
    SendStatus::Done,
    SendStatus::Cancelled,
    SendStatus::Refused,
];

/// How far a zone's clocks may be from UTC, in minutes.
const MAX_OFFSET: i64 = 14 * 60;

/// A search of the history, with the days in it as the visitor means them.
#[derive(Clone)]
pub struct HistoryQuery {
    pub filter: SendFilter,
    /// By how many minutes the first day begins before that of UTC does; none is a day of UTC.
    from_offset: Option<i64>,
    /// By how many minutes the last day ends before that of UTC does.
    to_offset: Option<i64>,
}

impl HistoryQuery {
    /// What the query asks for; a text that is too long, and what is no day, is `INVALID_INPUT`.
    pub fn parse(query: &QueryValue<'_>) -> ServiceResult<Self> {
        let asked = query("status").unwrap_or_default();
        let (from, to) = (day(query, "from")?, day(query, "to")?);
        let from_offset = from.and_then(|_| offset(query, FROM_OFFSET));
        let to_offset = to.and_then(|_| offset(query, TO_OFFSET));
        let filter = SendFilter {
            text: searched_text(query, "q")?,
            sender: searched_text(query, "sender")?,
            status: STATUSES.into_iter().find(|it| it.as_str() == asked),
            from: from.map(|start| earlier(start, from_offset)),
            until: to.map(|start| earlier(start.plus(DAY), to_offset)),
        };
        Ok(Self {
            filter,
            from_offset,
            to_offset,
        })
    }

    /// The members of the search by their names in the query.
    fn fields(&self) -> [(&'static str, String); 7] {
        let SendFilter { from, until, .. } = self.filter;
        let day = |at: Option<UnixMillis>| at.map(UnixMillis::day).unwrap_or_default();
        let first = from.map(|at| later(at, self.from_offset));
        let last = until.map(|at| later(at, self.to_offset).minus(DAY));
        let minutes = |offset: Option<i64>| offset.map(|it| it.to_string()).unwrap_or_default();
        let status = self.filter.status.map_or("", |it| it.as_str());
        [
            ("q", self.filter.text.clone()),
            ("status", status.to_owned()),
            ("sender", self.filter.sender.clone()),
            ("from", day(first)),
            (FROM_OFFSET, minutes(self.from_offset)),
            ("to", day(last)),
            (TO_OFFSET, minutes(self.to_offset)),
        ]
    }
}

/// The sends that the query asks for, as [`HistoryQuery::parse`] reads it.
pub fn filter(query: &QueryValue<'_>) -> ServiceResult<SendFilter> {
    Ok(HistoryQuery::parse(query)?.filter)
}

/// When a day of UTC begins that the query names.
fn day(query: &QueryValue<'_>, name: &str) -> Result<Option<UnixMillis>, ErrorCode> {
    let start = |date: String| UnixMillis::from_date_and_time(&format!("{date}T00:00"));
    let day = query(name).map(|date| start(date).ok_or(ErrorCode::InvalidInput));
    day.transpose()
}

/// An offset from UTC that the query has; what no clock has is none.
fn offset(query: &QueryValue<'_>, name: &str) -> Option<i64> {
    let minutes = query(name)?.parse().ok()?;
    (-MAX_OFFSET..=MAX_OFFSET)
        .contains(&minutes)
        .then_some(minutes)
}

fn earlier(at: UnixMillis, offset: Option<i64>) -> UnixMillis {
    UnixMillis(at.0 - offset.unwrap_or(0) * MINUTE_MILLIS)
}

fn later(at: UnixMillis, offset: Option<i64>) -> UnixMillis {
    UnixMillis(at.0 + offset.unwrap_or(0) * MINUTE_MILLIS)
}

/// How people write an offset: `UTC+09:00`.
fn zone(minutes: &str) -> String {
    let Some(minutes) = minutes.parse::<i64>().ok().filter(|it| *it != 0) else {
        return "UTC".to_owned();
    };
    let (sign, size) = (if minutes < 0 { '−' } else { '+' }, minutes.abs());
    format!("UTC{sign}{:02}:{:02}", size / 60, size % 60)
}

/// `path` with this search in its query.
pub(super) fn searched_path(path: &str, query: &HistoryQuery) -> String {
    let fields = query.fields();
    let members = fields.each_ref();
    with_query(path, &members.map(|(name, value)| (*name, value.as_str())))
}

/// `path` with a search in its query for what a day has.
pub fn day_path(path: &str, day: LocalDay) -> String {
    let date = day.date();
    let from_offset = day.start_offset().to_string();
    let to_offset = day.end_offset().to_string();
    let from = [("from", date.as_str()), (FROM_OFFSET, from_offset.as_str())];
    let to = [("to", date.as_str()), (TO_OFFSET, to_offset.as_str())];
    with_query(path, &[from, to].concat())
}

/// The form that searches.
#[component]
pub(super) fn HistorySearch(
    texts: &'static HistoryTexts,
    path: String,
    query: HistoryQuery,
) -> impl IntoView {
    let choice = |it: SendStatus| {
        view! {
            <option value=it.as_str() selected={query.filter.status == Some(it)}>
                {texts.progress(it)}
            </option>
        }
    };
    let clear = query.filter.is_search().then(|| {
        view! {
            <a class="button quiet" href=path.clone()>
                {texts.clear}
            </a>
        }
    });
    let [(_, text), _, (_, sender), from, from_offset, to, to_offset] = query.fields();
    view! {
        <form class="search" method="get" action=path.clone() role="search">
            <SearchField name="q" label=texts.search value=text hint=texts.search_hint />
            <div class="field">
                <label for="filter-status">{texts.status}</label>
                <select id="filter-status" name="status">
                    <option value="">{texts.any}</option>
                    {STATUSES.map(choice)}
                </select>
            </div>
            <SearchField name="sender" label=texts.sender value=sender hint=texts.sender_hint />
            <DayField label=texts.from day=from offset=from_offset />
            <DayField label=texts.to day=to offset=to_offset />
            <button type="submit" class="button quiet">
                {texts.filter}
            </button>
            {clear}
        </form>
    }
    .into_any()
}

/// A day, and whose it is, which the label says.
#[component]
fn DayField(
    label: &'static str,
    /// Its name in the query, and the date.
    day: (&'static str, String),
    offset: (&'static str, String),
) -> impl IntoView {
    let ((name, value), (offset_name, minutes)) = (day, offset);
    let id = format!("search-{name}");
    view! {
        <div class="field">
            <label for=id.clone()>{label} " (" <span>{zone(&minutes)}</span> ")"</label>
            <input id=id type="date" name=name value=value data-offset=offset_name />
            <input type="hidden" name=offset_name value=minutes />
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::zone;

    #[test]
    fn an_offset_is_written_as_people_do() {
        for (minutes, written) in [
            ("", "UTC"),
            ("0", "UTC"),
            ("540", "UTC+09:00"),
            ("-210", "UTC−03:30"),
        ] {
            assert_eq!(zone(minutes), written);
        }
    }
}
