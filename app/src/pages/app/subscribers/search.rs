//! What the list of subscribers is searched for.

use hato_domain::{ErrorCode, Tag, UserId};
use hato_service::ServiceResult;
use hato_service::ports::{StateFilter, SubscriptionFilter};
use leptos::prelude::*;

use crate::i18n::SubscribersTexts;
use crate::request_context::RequestContext;

/// Longest text that is searched for, in characters.
const MAX_SEARCH: usize = 200;

/// The members of a search by their names in the query.
pub(super) type Fields = [(&'static str, String); 5];

/// What the query asks for; a text that is too long, and what is no user or tag is `INVALID_INPUT`.
pub(super) fn filter(ctx: &RequestContext) -> ServiceResult<SubscriptionFilter> {
    let text = |name: &str| {
        let text = ctx.query(name).unwrap_or_default().trim().to_owned();
        let is_long = text.chars().nth(MAX_SEARCH).is_some();
        (!is_long).then_some(text).ok_or(ErrorCode::InvalidInput)
    };
    let asked = ctx.query("state").unwrap_or_default();
    let state = STATES.into_iter().find(|state| tag(*state) == asked);
    Ok(SubscriptionFilter {
        text: text("q")?,
        host: text("host")?,
        user: ctx
            .query("user")
            .as_deref()
            .map(UserId::parse)
            .transpose()?,
        tag: ctx
            .query("tag")
            .map(|it| Tag::parse(it.trim()))
            .transpose()?,
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
pub(super) fn Search(
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
            <TextField name="q" label=texts.search value=text hint=texts.search_hint />
            <TextField name="user" label=texts.user value=user hint="" />
            <TextField name="tag" label=texts.tag value=tag hint="" />
            <TextField name="host" label=texts.host value=host hint="fcm.googleapis.com" />
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

#[component]
fn TextField(
    name: &'static str,
    label: &'static str,
    value: String,
    hint: &'static str,
) -> impl IntoView {
    let id = format!("search-{name}");
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input id=id type="search" name=name value=value maxlength=MAX_SEARCH placeholder=hint />
        </div>
    }
    .into_any()
}
