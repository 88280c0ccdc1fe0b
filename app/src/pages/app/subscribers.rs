//! Who subscribes, newest first, and who did.

use hato_domain::ErrorCode;
use hato_service::ServiceResult;
use hato_service::ports::{
    AppRecord, StateFilter, SubscriptionFilter, SubscriptionPage, SubscriptionRecord,
};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::frame::{AppFrame, Section, app_path};
use super::load_app;
use crate::components::{
    Column, ConfirmDialog, EmptyState, FormErrorNote, HiddenFields, List, Note, Pager, PostForm,
    SuccessNote, TimeCell, Timestamp, Tone,
};
use crate::i18n::{SubscribersTexts, group_thousands};
use crate::local_path::with_query;
use crate::pages::load_page;
use crate::request_context::RequestContext;
use crate::server_fns::RemoveSubscriber;

/// Longest text that is searched for, in characters.
const MAX_SEARCH: usize = 200;

/// The page of subscribers that the search and `before` ask for.
#[component]
pub fn SubscribersPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let filter = filter(&ctx)?;
        let before = ctx.query("before").map(|text| text.parse());
        let before = before.transpose().map_err(|_| ErrorCode::InvalidInput)?;
        let page = ctx
            .service()
            .subscriptions(&access, &filter, before)
            .await?;
        Ok(view! { <SubscribersView ctx app filter page /> }.into_any())
    })
}

fn filter(ctx: &RequestContext) -> ServiceResult<SubscriptionFilter> {
    let text = ctx.query("q").unwrap_or_default().trim().to_owned();
    if text.chars().nth(MAX_SEARCH).is_some() {
        return Err(ErrorCode::InvalidInput.into());
    }
    let asked = ctx.query("state").unwrap_or_default();
    let state = STATES.into_iter().find(|state| tag(*state) == asked);
    Ok(SubscriptionFilter {
        text,
        state: state.unwrap_or_default(),
    })
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

/// Where in which list a subscriber is.
#[derive(Clone)]
struct ListPosition {
    app: String,
    search: [(&'static str, String); 2],
    before: Option<String>,
}

impl ListPosition {
    /// The list at `path` from another beginning, searched for the same.
    fn path(&self, path: &str, before: Option<&str>) -> String {
        let [(q, text), (state, tag)] = &self.search;
        let before = ("before", before.unwrap_or_default());
        with_query(path, &[(*q, text.as_str()), (*state, tag.as_str()), before])
    }

    /// The fields by which the form that removes `subscription` leads back here.
    fn into_fields(self, subscription: String) -> HiddenFields {
        let [text, state] = self.search;
        let before = ("before", self.before.unwrap_or_default());
        let subscription = ("subscription", subscription);
        vec![subscription, ("app", self.app), text, state, before]
    }
}

#[component]
fn SubscribersView(
    ctx: RequestContext,
    app: AppRecord,
    filter: SubscriptionFilter,
    page: SubscriptionPage,
) -> impl IntoView {
    let texts = &ctx.texts().app.subscribers;
    let (base, id) = (app_path(&app), app.id.to_string());
    let path = format!("{base}/subscribers");
    let searching = filter.is_search();
    let position = ListPosition {
        app: id,
        search: [
            ("q", filter.text.clone()),
            ("state", tag(filter.state).to_owned()),
        ],
        before: ctx.query("before"),
    };
    let older = page
        .next
        .map(|next| position.path(&path, Some(&next.to_string())));
    let newest = position.path(&path, None);
    let is_empty = !searching && page.items.is_empty() && position.before.is_none();
    let lead = (texts.lead)(group_thousands(app.active_subscriptions));
    let list = if is_empty {
        view! {
            <EmptyState title=texts.empty_title text=texts.empty>
                <a class="button" href=format!("{base}#embed")>
                    {texts.embed}
                </a>
            </EmptyState>
        }
        .into_any()
    } else {
        view! {
            <Search texts path=path.clone() filter searching />
            {page.is_cut_short.then(|| view! { <CutShortNote texts goes_on=page.next.is_some() /> })}
            <SearchResults texts position page />
        }
        .into_any()
    };
    view! {
        <AppFrame app section=Section::Subscribers>
            <p class="lead">{lead}</p>
            <SuccessNote what="remove" text=texts.removed />
            <FormErrorNote form="remove" />
            {list}
            <Pager path=newest older />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn Search(
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
    view! {
        <form class="search" method="get" action=path.clone() role="search">
            <div class="field">
                <label for="search-q">{texts.search}</label>
                <input
                    id="search-q"
                    type="search"
                    name="q"
                    value=filter.text.clone()
                    maxlength=MAX_SEARCH
                    placeholder=texts.search_hint
                />
            </div>
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

/// Why there may be more than was found, and what to do about it.
#[component]
fn CutShortNote(texts: &'static SubscribersTexts, goes_on: bool) -> impl IntoView {
    let text = if goes_on {
        texts.cut_short
    } else {
        texts.not_looked_at
    };
    view! { <Note tone=Tone::Warning text /> }
}

#[component]
fn SearchResults(
    texts: &'static SubscribersTexts,
    position: ListPosition,
    page: SubscriptionPage,
) -> impl IntoView {
    let none = if page.is_cut_short {
        texts.none_so_far
    } else {
        texts.none_found
    };
    let row = |item| view! { <Row texts position=position.clone() item /> }.into_any();
    let rows = page.items.into_iter().map(row).collect();
    let columns = vec![
        Column::Text(texts.endpoint),
        Column::Text(texts.platform),
        Column::Text(texts.since),
        Column::Text(texts.state),
        Column::Actions(texts.remove),
    ];
    view! {
        <List class="list subscribers" columns rows>
            <p class="empty">{none}</p>
        </List>
    }
    .into_any()
}

#[component]
fn Row(
    texts: &'static SubscribersTexts,
    position: ListPosition,
    item: SubscriptionRecord,
) -> impl IntoView {
    let (class, state) = match item.deactivated {
        None => ("status done", texts.active),
        Some(_) => ("status", texts.deactivated),
    };
    let ended = item.deactivated.map(|end| {
        view! {
            <span class="hint">
                {texts.reason(end.reason)} " · " <Timestamp at=end.at />
            </span>
        }
    });
    let host = crate::islands::host(&item.endpoint);
    let rest = item
        .endpoint
        .strip_prefix(&format!("https://{host}"))
        .unwrap_or_default()
        .to_owned();
    view! {
        <tr>
            <td class="endpoint" title=item.endpoint.clone()>
                <b>{host.clone()}</b>
                <code>{rest}</code>
            </td>
            <td data-label=texts.platform>{item.platform.unwrap_or_else(|| "–".to_owned())}</td>
            <TimeCell label=texts.since at=item.created_at />
            <td class="state-cell">
                <span class=class>{state}</span>
                {ended}
            </td>
            <td class="actions-cell">
                <ConfirmDialog label=texts.remove about=host>
                    <p>{texts.remove_text}</p>
                    <PostForm
                        action=RemoveSubscriber::url()
                        hidden=position.into_fields(item.id.to_string())
                        button=texts.remove_now
                        button_class="button danger"
                    />
                </ConfirmDialog>
            </td>
        </tr>
    }
    .into_any()
}
