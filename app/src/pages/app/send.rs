//! A send: what it was, and how far it is.

mod engagement;
mod failures;
mod progress;

use hato_service::ports::{AppRecord, SendRecord, SendStatus};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use self::engagement::AudienceWay;
pub use self::progress::Progress;
use super::delivery_facts::{AudienceFacts, ScheduleFacts};
use super::frame::{AppFrame, Section, app_path};
use super::sender::sender;
use super::{load_app, path_segment};
use crate::components::{ConfirmDialog, Fact, FormErrorNote, Note, PostForm, Timestamp, Tone};
use crate::i18n::{AppTexts, SendTexts};
use crate::islands::{LiveProgress, LiveRefresh, Preview};
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use crate::send_snapshot::SendSnapshot;
use crate::server_fns::CancelSend;

/// The page of the send that the path names.
#[component]
pub fn SendPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let send = ctx.service().sent(&access, path_segment(&ctx, 3)).await?;
        let snapshot = SendSnapshot::load(ctx.service(), &access, send).await?;
        Ok(view! { <SendView ctx app snapshot /> }.into_any())
    })
}

#[component]
fn SendView(ctx: RequestContext, app: AppRecord, snapshot: SendSnapshot) -> impl IntoView {
    let texts = &ctx.texts().app;
    let (path, site) = (app_path(&app), sender(&texts.compose, &app));
    let send = snapshot.send.clone();
    let again = format!("{path}/send?from={}", send.id);
    let is_open = snapshot.is_running() || snapshot.is_scheduled();
    let way = engagement::is_shown(app.messages.tracking, &send)
        .then(|| view! { <LiveWay ctx=ctx.clone() send=send.clone() /> });
    let cancel = is_open.then(|| {
        let send = send.clone();
        view! { <CancelForm texts=&texts.send send path=path.clone() /> }
    });
    view! {
        <AppFrame app section=Section::History title=send.title.clone()>
            {(is_open || way.is_some()).then(|| view! { <IslandAssets /> })}
            <CancelledNote ctx=ctx.clone() send=send.clone() />
            <FormErrorNote form="cancel" />
            <div class="send">
                <div class="send-progress">
                    <LiveParts ctx path snapshot />
                    {way}
                </div>
                <div class="send-side">
                    <SendDetails texts send site />
                    <p>
                        <a class="button quiet small" href=again>
                            {texts.send.again}
                        </a>
                    </p>
                    {cancel}
                </div>
            </div>
        </AppFrame>
    }
    .into_any()
}

/// What changes by itself: event by event while it is under way, and now and then before that.
#[component]
fn LiveParts(ctx: RequestContext, path: String, snapshot: SendSnapshot) -> impl IntoView {
    let texts = &ctx.texts().app;
    let page = format!("{path}/sends/{}", snapshot.send.id);
    if !snapshot.is_scheduled() {
        return view! {
            <LiveProgress events=format!("{page}/events") page texts=texts.frame.live_errors()>
                <Progress texts snapshot />
            </LiveProgress>
        }
        .into_any();
    }
    view! {
        <LiveRefresh
            path=page
            running=".progress .status:is(.scheduled, .queued, .sending)".to_owned()
            texts=texts.frame.live_errors()
        />
        <Progress texts snapshot />
    }
    .into_any()
}

/// What recipients did, kept up to date while reports may come.
#[component]
fn LiveWay(ctx: RequestContext, send: SendRecord) -> impl IntoView {
    let texts = &ctx.texts().app;
    let now = ctx.service().now();
    view! {
        <LiveRefresh
            path=ctx.path_and_query().to_owned()
            running="#engagement[data-counting]".to_owned()
            texts=texts.frame.live_errors()
        />
        <AudienceWay texts=&texts.engagement send now />
    }
    .into_any()
}

/// How many deliveries cancelling has stopped (`?cancelled=`), or that the send will not take place.
#[component]
fn CancelledNote(ctx: RequestContext, send: SendRecord) -> impl IntoView {
    let texts = &ctx.texts().app.send;
    let count: Option<i64> = ctx.query("cancelled").and_then(|text| text.parse().ok());
    let never_started = send.status == SendStatus::Cancelled && send.recipients == 0;
    count.map(|count| {
        let text = if never_started {
            texts.was_called_off.to_owned()
        } else {
            (texts.was_cancelled)(count)
        };
        view! { <Note tone=Tone::Success text /> }
    })
}

/// The notification, when, by whom and for whom.
#[component]
fn SendDetails(texts: &'static AppTexts, send: SendRecord, site: String) -> impl IntoView {
    let words = &texts.send;
    let opens = send
        .url
        .map(|url| view! { <Fact label=words.opens>{url}</Fact> });
    let conditions = send.conditions.map(|conditions| {
        let users = conditions.users.map(texts.delivery.user_count);
        view! { <AudienceFacts texts=&texts.delivery users tags=conditions.tags /> }
    });
    view! {
        <section class="card send-details">
            <Preview title=send.title body=send.body icon=String::new() site />
            <dl class="facts">
                <Fact label=words.accepted>
                    <Timestamp at=send.created_at />
                </Fact>
                {conditions}
                <ScheduleFacts texts=&texts.delivery schedule=send.schedule />
                <Fact label=words.by>{send.actor.name}</Fact>
                {opens}
                <Fact label=words.id>
                    <code>{send.id.to_string()}</code>
                </Fact>
            </dl>
        </section>
    }
    .into_any()
}

/// What the question is called, what it asks, and what its button says.
fn cancelling(texts: &SendTexts, status: SendStatus) -> [&'static str; 3] {
    if status == SendStatus::Scheduled {
        [texts.call_off_open, texts.call_off_text, texts.call_off]
    } else {
        [texts.cancel_open, texts.cancel_text, texts.cancel]
    }
}

#[component]
fn CancelForm(texts: &'static SendTexts, send: SendRecord, path: String) -> impl IntoView {
    let app = path.trim_start_matches("/apps/").to_owned();
    let [label, text, button] = cancelling(texts, send.status);
    view! {
        <div id="cancelling" data-live>
            <ConfirmDialog label>
                <p>{text}</p>
                <PostForm
                    action=CancelSend::url()
                    hidden=vec![("app", app), ("send", send.id.to_string())]
                    button
                    button_class="button danger"
                />
            </ConfirmDialog>
        </div>
    }
    .into_any()
}
