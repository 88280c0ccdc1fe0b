//! A send: what it was, and how far it is.

mod failures;
mod progress;

use hato_service::ports::SendRecord;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

pub use self::progress::{Progress, SendSnapshot};
use super::frame::{AppFrame, Section, app_path};
use super::{load_app, path_segment};
use crate::components::{ConfirmDialog, Fact, FormErrorNote, Note, PostForm, Timestamp, Tone};
use crate::i18n::SendTexts;
use crate::islands::{LiveProgress, Preview, host};
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use crate::server_fns::CancelSend;

/// The page of the send that the path names.
#[component]
pub fn SendPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let send = ctx.service().sent(&access, path_segment(&ctx, 3)).await?;
        let snapshot = SendSnapshot::load(ctx.service(), &access, send).await?;
        let texts = &ctx.texts().app;
        let path = app_path(&app);
        let name = app.name.clone();
        let running = snapshot.is_running();
        let send = snapshot.send.clone();
        let page = format!("{path}/sends/{}", send.id);
        Ok(view! {
            <AppFrame app section=Section::History title=send.title.clone()>
                {running.then(|| view! { <IslandAssets /> })}
                <CancelledNote ctx=ctx.clone() />
                <FormErrorNote form="cancel" />
                <div class="send">
                    <div class="send-progress">
                        <LiveProgress
                            events=format!("{page}/events")
                            page
                            texts=texts.frame.live_errors()
                        >
                            <Progress texts snapshot />
                        </LiveProgress>
                    </div>
                    <div class="send-side">
                        <SendDetails texts=&texts.send send=send.clone() name />
                        {running.then(|| view! { <CancelForm texts=&texts.send send path /> })}
                    </div>
                </div>
            </AppFrame>
        }
        .into_any())
    })
}

/// How many deliveries cancelling has stopped (`?cancelled=`).
#[component]
fn CancelledNote(ctx: RequestContext) -> impl IntoView {
    let texts = &ctx.texts().app.send;
    let count: Option<i64> = ctx.query("cancelled").and_then(|text| text.parse().ok());
    count.map(|count| view! { <Note tone=Tone::Success text=(texts.was_cancelled)(count) /> })
}

/// The notification, when and by whom.
#[component]
fn SendDetails(texts: &'static SendTexts, send: SendRecord, name: String) -> impl IntoView {
    let site = send.url.as_deref().map_or(name, host);
    let opens = send
        .url
        .map(|url| view! { <Fact label=texts.opens>{url}</Fact> });
    view! {
        <section class="card send-details">
            <Preview title=send.title body=send.body icon=String::new() site />
            <dl class="facts">
                <Fact label=texts.accepted>
                    <Timestamp at=send.created_at />
                    " UTC"
                </Fact>
                <Fact label=texts.by>{send.actor.name}</Fact>
                {opens}
                <Fact label=texts.id>
                    <code>{send.id.to_string()}</code>
                </Fact>
            </dl>
        </section>
    }
    .into_any()
}

#[component]
fn CancelForm(texts: &'static SendTexts, send: SendRecord, path: String) -> impl IntoView {
    let app = path.trim_start_matches("/apps/").to_owned();
    view! {
        <div id="cancelling" data-live>
            <ConfirmDialog label=texts.cancel_open>
                <p>{texts.cancel_text}</p>
                <PostForm
                    action=CancelSend::url()
                    hidden=vec![("app", app), ("send", send.id.to_string())]
                    button=texts.cancel
                    button_class="button danger"
                />
            </ConfirmDialog>
        </div>
    }
    .into_any()
}
