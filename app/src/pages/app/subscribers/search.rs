//! What the list of subscribers is searched for.

use hato_domain::{Tag, UserId};
use hato_service::ServiceResult;
use hato_service::ports::{StateFilter, SubscriptionFilter};
use leptos::prelude::*;

use super::super::search_field::{QueryValue, SearchField, searched_text};
use crate::i18n::SubscribersTexts;

/// The members of a search by their names in the query.
pub(super) type Fields = [(&'static str, String); 5];

/// What the query asks for; a text that is too long, and what is no user or tag is `INVALID_INPUT`.
pub fn filter(query: &QueryValue<'_>) -> ServiceResult<SubscriptionFilter> {
    let asked = query("state").unwrap_or_default();
    let state = STATES.into_iter().find(|state| tag(*state) == asked);
    let tag = query("tag").map(|it| Tag::parse(it.trim())).transpose()?;
    Ok(SubscriptionFilter {
        text: searched_text(query, "q")?,
        host: searched_text(query, "host")?,
        user: query("user").as_deref().map(UserId::parse).transpose()?,
        tag,
        state: state.unwrap_or_default(),
    })
}

/// The members of a search.
pub(super) fn fields(filter: &SubscriptionFilter) -> Fields {
    let user = filter.user.as_ref().map(UserId::as_str);
    let own_tag = filter.tag.as_ref().map(Tag::as_str);
    [
        ("q", filter.text.clone()),
        ("user", user.unwrap_or_default().to_owned()),
        ("tag", own_tag.unwrap_or_default().to_owned()),
        ("host", filter.host.clone()),
        ("state", tag(filter.state).to_owned()),
    ]
}

const STATES: [StateFilter; 3] = [
    StateFilter::Any,
    StateFilter::Active,
    StateFilter::Deactivated,
];

const fn tag(state: StateFilter) -> &'static str {
    match state {
        StateFilter::Any => "",
        StateFilter::Active => "active",
        StateFilter::Deactivated => "deactivated",
    }
}

/// The form that searches.
#[component]
pub(super) fn SubscriberSearch(
    texts: &'static SubscribersTexts,
    path: String,
    filter: SubscriptionFilter,
    searching: bool,
) -> impl IntoView {
    let choice = |state: StateFilter| {
        view! {
            <option value=tag(state) selected={state == filter.state}>
                {texts.filter(state)}
            </option>
        }
    };
    let clear = searching.then(|| {
        view! {
            <a class="button quiet" href=path.clone()>
                {texts.clear}
            </a>
        }
    });
    let [(_, text), (_, user), (_, tag), (_, host), _] = fields(&filter);
    view! {
        <form class="search" method="get" action=path.clone() role="search">
            <SearchField name="q" label=texts.search value=text hint=texts.search_hint />
            <SearchField name="user" label=texts.user value=user />
            <SearchField name="tag" label=texts.tag value=tag />
            <SearchField name="host" label=texts.host value=host hint="fcm.googleapis.com" />
            <div class="field">
                <label for="search-state">{texts.state}</label>
                <select id="search-state" name="state">
                    {STATES.map(choice)}
                </select>
            </div>
            <button type="submit" class="button quiet">
                {texts.find}
            </button>
            {clear}
        </form>
    }
    .into_any()
}
