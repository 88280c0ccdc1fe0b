//! What the history is searched for.

use std::time::Duration;

use hato_domain::{ErrorCode, UnixMillis};
use hato_service::ServiceResult;
use hato_service::ports::{SendFilter, SendStatus};
use leptos::prelude::*;

use super::super::search_field::{QueryValue, SearchField, searched_text};
use crate::i18n::HistoryTexts;
use crate::local_path::with_query;

const DAY: Duration = Duration::from_hours(24);

/// What the list can be narrowed down to.
const STATUSES: [SendStatus; 6] = [
    SendStatus::Scheduled,
    SendStatus::Queued,
    SendStatus::Sending,
    SendStatus::Done,
    SendStatus::Cancelled,
    SendStatus::Refused,
];

/// What the query asks for; a text that is too long, and what is no day, is `INVALID_INPUT`.
pub fn filter(query: &QueryValue<'_>) -> ServiceResult<SendFilter> {
    let asked = query("status").unwrap_or_default();
    let last_day = day(query, "to")?;
    Ok(SendFilter {
        text: searched_text(query, "q")?,
        sender: searched_text(query, "sender")?,
        status: STATUSES.into_iter().find(|it| it.as_str() == asked),
        from: day(query, "from")?,
        until: last_day.map(|start| start.plus(DAY)),
    })
}

/// When a day of UTC begins that the query names.
fn day(query: &QueryValue<'_>, name: &str) -> Result<Option<UnixMillis>, ErrorCode> {
    let start = |date: String| UnixMillis::from_date_and_time(&format!("{date}T00:00"));
    let day = query(name).map(|date| start(date).ok_or(ErrorCode::InvalidInput));
    day.transpose()
}

/// The members of a search by their names in the query.
fn fields(filter: &SendFilter) -> [(&'static str, String); 5] {
    let day = |at: Option<UnixMillis>| at.map(UnixMillis::day).unwrap_or_default();
    let status = filter.status.map_or("", |it| it.as_str());
    [
        ("q", filter.text.clone()),
        ("status", status.to_owned()),
        ("sender", filter.sender.clone()),
        ("from", day(filter.from)),
        ("to", day(filter.until.map(|end| end.minus(DAY)))),
    ]
}

/// `path` with this search in its query.
pub(super) fn searched_path(path: &str, filter: &SendFilter) -> String {
    let fields = fields(filter);
    with_query(
        path,
        &fields
            .each_ref()
            .map(|(name, value)| (*name, value.as_str())),
    )
}

/// The form that searches.
#[component]
pub(super) fn Search(
    texts: &'static HistoryTexts,
    path: String,
    filter: SendFilter,
) -> impl IntoView {
    let choice = |it: SendStatus| {
        view! {
            <option value=it.as_str() selected={filter.status == Some(it)}>
                {texts.progress(it)}
            </option>
        }
    };
    let clear = filter.is_search().then(|| {
        view! {
            <a class="button quiet" href=path.clone()>
                {texts.clear}
            </a>
        }
    });
    let [(_, text), _, (_, sender), (_, from), (_, to)] = fields(&filter);
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
            <DayField name="from" label=texts.from value=from />
            <DayField name="to" label=texts.to value=to />
            <button type="submit" class="button quiet">
                {texts.filter}
            </button>
            {clear}
        </form>
    }
    .into_any()
}

#[component]
fn DayField(name: &'static str, label: &'static str, value: String) -> impl IntoView {
    let id = format!("search-{name}");
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input id=id type="date" name=name value=value />
        </div>
    }
    .into_any()
}
