//! Who subscribes, newest first, and who did.

mod device_cell;
mod search;

use hato_domain::{Tag, UnixMillis};
use hato_service::ports::{
    AppRecord, Deactivated, SubscriptionFilter, SubscriptionPage, SubscriptionRecord,
};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::device::Device;
use super::frame::{AppFrame, Section, app_path};
use super::{load_app, requested_page};
use crate::components::{
    Column, ConfirmDialog, EmptyState, FormErrorNote, HiddenFields, List, Note, Pager, PostForm,
    SuccessNote, TimeCell, TimeStyle, Timestamp, Tone,
};
use crate::i18n::{SubscribersTexts, group_thousands};
use crate::local_path::with_query;
use crate::pages::load_page;
use crate::request_context::RequestContext;
use crate::server_fns::{RemoveSubscriber, RemoveSubscribers};
use device_cell::DeviceCell;
pub use search::filter as subscriber_filter;
use search::{Fields, SubscriberSearch, fields};

/// Subscribers on a page.
const PAGE_SIZE: &str = "25";

/// The id of the form of what is ticked.
const SELECTION: &str = "selection";

/// The page of subscribers that the search and the cursor ask for.
#[component]
pub fn SubscribersPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let filter = subscriber_filter(&|name| ctx.query(name))?;
        let page = requested_page(&ctx, PAGE_SIZE)?;
        let page = ctx.service().subscriptions(&access, &filter, &page).await?;
        Ok(view! { <SubscribersView ctx app filter page /> }.into_any())
    })
}

/// Where in which list a subscriber is.
#[derive(Clone)]
struct ListPosition {
    app: String,
    search: Fields,
    /// `before` and `before_id` of the page.
    cursor: [String; 2],
}

impl ListPosition {
    fn new(ctx: &RequestContext, app: &AppRecord, filter: &SubscriptionFilter) -> Self {
        let cursor = ["before", "before_id"].map(|name| ctx.query(name).unwrap_or_default());
        Self {
            app: app.id.to_string(),
            search: fields(filter),
            cursor,
        }
    }

    /// The list at `path` from another beginning, searched for the same.
    fn path(&self, path: &str, [before, before_id]: [&str; 2]) -> String {
        let search = self.search.iter();
        let mut fields: Vec<_> = search
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        fields.extend([("before", before), ("before_id", before_id)]);
        with_query(path, &fields)
    }

    /// The list at `path` after this page, if there is more of it.
    fn older(&self, path: &str, page: &SubscriptionPage) -> Option<String> {
        let next = page.next.as_ref()?;
        let before = next.before.0.to_string();
        let before_id = next.before_id.as_deref().unwrap_or_default();
        Some(self.path(path, [&before, before_id]))
    }

    /// The fields by which the form that removes `subscription` leads back here.
    fn into_fields(self, subscription: String) -> HiddenFields {
        let mut fields = vec![("subscription", subscription)];
        fields.extend(self.list_fields());
        fields
    }

    /// The fields by which a form leads back here.
    fn list_fields(self) -> HiddenFields {
        let list = self.path("", self.cursor.each_ref().map(String::as_str));
        vec![("app", self.app), ("list", list)]
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
    let base = app_path(&app);
    let path = format!("{base}/subscribers");
    let searching = filter.is_search();
    let position = ListPosition::new(&ctx, &app, &filter);
    let older = position.older(&path, &page);
    let newest = position.path(&path, [""; 2]);
    let is_newest = position.cursor[0].is_empty();
    let is_empty = !searching && page.items.is_empty() && is_newest;
    let import = &ctx.texts().app.import;
    let export = format!("/api/v1/apps/{}/export", app.id);
    let csv = position.path(&format!("{path}.csv"), [""; 2]);
    let removed = ctx.query("removed").and_then(|text| text.parse().ok());
    let lead = (texts.lead)(group_thousands(app.active_subscriptions));
    let list = if is_empty {
        view! {
            <EmptyState title=texts.empty_title text=texts.empty>
                <a class="button" href=format!("{base}/embed")>
                    {texts.embed}
                </a>
            </EmptyState>
        }
        .into_any()
    } else {
        view! {
            <SubscriberSearch texts path=path.clone() filter searching />
            {page.is_cut_short.then(|| view! { <CutShortNote texts goes_on=page.next.is_some() /> })}
            <SearchResults texts base position page />
        }
        .into_any()
    };
    view! {
        <AppFrame app section=Section::Subscribers>
            <p class="lead">{lead}</p>
            <p>
                <a href=format!("{path}/import")>{import.title}</a>
                " · "
                <a href=export download="subscribers.ndjson">
                    {import.export}
                </a>
                " · "
                <a href=csv download>
                    {texts.download}
                </a>
            </p>
            <SuccessNote what="remove" text=texts.removed />
            {removed.map(|count| view! { <Note tone=Tone::Success text={(texts.removed_many)(count)} /> })}
            <FormErrorNote form="remove" />
            {list}
            <Pager path=newest older />
        </AppFrame>
    }
    .into_any()
}

/// Why there may be more than was found, and what to do about it.
#[component]
fn CutShortNote(texts: &'static SubscribersTexts, goes_on: bool) -> impl IntoView {
    let text = if goes_on {
        texts.cut_short
    } else {
        texts.not_searched
    };
    view! { <Note tone=Tone::Warning text /> }
}

#[component]
fn SearchResults(
    texts: &'static SubscribersTexts,
    base: String,
    position: ListPosition,
    page: SubscriptionPage,
) -> impl IntoView {
    let none = if page.is_cut_short {
        texts.none_so_far
    } else {
        texts.none_found
    };
    let row =
        |item| view! { <Row texts base=base.clone() position=position.clone() item /> }.into_any();
    let selection = (!page.items.is_empty())
        .then(|| view! { <RemoveSelected texts fields=position.clone().list_fields() /> });
    let rows = page.items.into_iter().map(row).collect();
    let columns = vec![
        Column::Actions(texts.select),
        Column::Text(texts.subscriber),
        Column::Text(texts.user),
        Column::Text(texts.tags),
        Column::Text(texts.since),
        Column::Text(texts.last_success),
        Column::Text(texts.state),
        Column::Actions(texts.remove),
    ];
    view! {
        <List class="list subscribers" columns rows>
            <p class="empty">{none}</p>
        </List>
        {selection}
    }
    .into_any()
}

#[component]
fn Row(
    texts: &'static SubscribersTexts,
    base: String,
    position: ListPosition,
    item: SubscriptionRecord,
) -> impl IntoView {
    let tags: Vec<&str> = item.tags.iter().map(Tag::as_str).collect();
    let tags = Some(tags.join(", ")).filter(|tags| !tags.is_empty());
    let device = Device::new(item.platform.as_deref(), &item.endpoint);
    let name = device.name(&item.endpoint);
    let path = format!("{base}/subscribers/{}", item.id);
    view! {
        <tr>
            <td class="select-cell">
                <input
                    type="checkbox"
                    form=SELECTION
                    name="subscriptions[]"
                    value=item.id.to_string()
                    aria-label=(texts.select_one)(&name)
                />
            </td>
            <DeviceCell device name=name.clone() path endpoint=item.endpoint platform=item.platform />
            <td data-label=texts.user>
                <bdi>{or_dash(item.user_id)}</bdi>
            </td>
            <td class="tags" data-label=texts.tags>
                <span dir="auto">{or_dash(tags)}</span>
            </td>
            <TimeCell label=texts.since at=item.created_at style=TimeStyle::Ago />
            <td class="time" data-label=texts.last_success>
                <LastSuccess day=item.last_success_on />
            </td>
            <td class="state-cell">
                <SubscriberState texts deactivated=item.deactivated />
            </td>
            <td class="actions-cell">
                <ConfirmDialog label=texts.remove about=name is_menu=true>
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

/// The form of the boxes that are ticked.
#[component]
fn RemoveSelected(texts: &'static SubscribersTexts, fields: HiddenFields) -> impl IntoView {
    view! {
        <ConfirmDialog label=texts.remove_selected>
            <p>{texts.remove_selected_text}</p>
            <PostForm
                id=SELECTION
                action=RemoveSubscribers::url()
                hidden=fields
                button=texts.remove_selected_now
                button_class="button danger"
            />
        </ConfirmDialog>
    }
    .into_any()
}

/// Whether it is active, or since when and why it is not.
#[component]
pub fn SubscriberState(
    texts: &'static SubscribersTexts,
    deactivated: Option<Deactivated>,
) -> impl IntoView {
    let (class, state) = match deactivated {
        None => ("status done", texts.active),
        Some(_) => ("status", texts.deactivated),
    };
    let ended = deactivated.map(|end| {
        view! {
            <span class="hint">
                {texts.reason(end.reason)} " · " <Timestamp at=end.at />
            </span>
        }
    });
    view! {
        <span class=class>{state}</span>
        {ended}
    }
    .into_any()
}

/// The day in UTC on which it last took a send, or a dash.
#[component]
pub fn LastSuccess(day: Option<i64>) -> impl IntoView {
    let day = day.map(UnixMillis::from_day_number);
    match day {
        Some(at) => view! { <Timestamp at style=TimeStyle::UtcDay /> }.into_any(),
        None => or_dash(None).into_any(),
    }
}

/// What is known, or a dash.
fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}
