//! One subscriber: what it is, a test to it, and its end.

use hato_domain::{Endpoint, Tag};
use hato_service::ports::{AppRecord, SubscriptionRecord};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::device::{Device, DeviceIcon};
use super::frame::{AppFrame, Section, app_path};
use super::subscribers::{LastSuccess, SubscriberState};
use super::{load_app, path_segment};
use crate::components::{
    CodeBlock, ConfirmDialog, Fact, FormErrorNote, HiddenFields, PostForm, TimeStyle, Timestamp,
};
use crate::i18n::SubscribersTexts;
use crate::local_path::with_query;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use crate::server_fns::{RemoveSubscriber, SendTestTo};

/// The page of the subscriber that the path names.
#[component]
pub fn SubscriberPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let id = path_segment(&ctx, 3);
        let item = ctx.service().subscription(&access, id).await?;
        Ok(view! { <SubscriberView ctx app item /> }.into_any())
    })
}

#[component]
fn SubscriberView(ctx: RequestContext, app: AppRecord, item: SubscriptionRecord) -> impl IntoView {
    let texts = &ctx.texts().app.subscribers;
    let path = app_path(&app);
    let device = Device::new(item.platform.as_deref(), &item.endpoint);
    let name = device.name(&item.endpoint);
    let fields: HiddenFields = vec![
        ("app", app.id.to_string()),
        ("subscription", item.id.to_string()),
    ];
    let test = item.deactivated.is_none().then(|| {
        view! { <TestForm texts fields=fields.clone() /> }
    });
    view! {
        <AppFrame app section=Section::Subscribers title=name.clone()>
            <IslandAssets />
            <FormErrorNote form="test" />
            <FormErrorNote form="remove" />
            <section class="card subscriber">
                <p>
                    <DeviceIcon device />
                    " "
                    <SubscriberState texts deactivated=item.deactivated />
                </p>
                <CodeBlock id="subscriber-id" label=texts.id text=item.id.to_string() line=true />
                <Facts texts path=path.clone() item />
            </section>
            {test}
            <ConfirmDialog label=texts.more_actions about=name is_menu=true>
                <p>{texts.remove_text}</p>
                <PostForm
                    action=RemoveSubscriber::url()
                    hidden=fields
                    button=texts.remove_now
                    button_class="button danger"
                />
            </ConfirmDialog>
            <p>
                <a href=format!("{path}/subscribers")>{texts.all}</a>
            </p>
        </AppFrame>
    }
    .into_any()
}

#[component]
fn TestForm(texts: &'static SubscribersTexts, fields: HiddenFields) -> impl IntoView {
    view! {
        <section class="card" id="test" aria-labelledby="test-title">
            <h2 id="test-title">{texts.test}</h2>
            <p class="hint">{texts.test_text}</p>
            <PostForm action=SendTestTo::url() hidden=fields button=texts.test_now />
        </section>
    }
    .into_any()
}

#[component]
fn Facts(
    texts: &'static SubscribersTexts,
    path: String,
    item: SubscriptionRecord,
) -> impl IntoView {
    let list = format!("{path}/subscribers");
    let search = |name: &str, value: &str| with_query(&list, &[(name, value)]);
    let user = item.user_id.map(|user| {
        let href = search("user", &user);
        view! { <Fact label=texts.user><a href=href>{user}</a></Fact> }
    });
    let tags = item.tags.iter().map(Tag::as_str);
    let tags: Vec<_> = tags
        .map(|tag| view! { <a href=search("tag", tag)>{tag.to_owned()}</a> " " })
        .collect();
    let tags = (!tags.is_empty()).then(|| view! { <Fact label=texts.tags>{tags}</Fact> });
    let fact = |label: &'static str, text: Option<String>| {
        text.map(|text| view! { <Fact label>{text}</Fact> })
    };
    let host = Endpoint::written_host(&item.endpoint).to_owned();
    view! {
        <dl class="facts">
            <Fact label=texts.since>
                <Timestamp at=item.created_at style=TimeStyle::Minute />
            </Fact>
            <Fact label=texts.last_success>
                <LastSuccess day=item.last_success_on />
            </Fact>
            {fact(texts.host, Some(host))}
            {fact(texts.platform, item.platform)}
            {user}
            {tags}
            {fact(texts.language, item.lang)}
            {fact(texts.time_zone, item.time_zone)}
        </dl>
    }
    .into_any()
}
