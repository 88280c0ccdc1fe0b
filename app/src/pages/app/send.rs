//! A send: what it was, and how far it is.

mod failures;
mod progress;

use hato_service::ports::SendRecord;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

pub use self::progress::{Progress, Standing};
use super::frame::{AppFrame, Section, path_of};
use super::{managed, segment};
use crate::calls::CancelSend;
use crate::components::{Confirm, Moment, Note, RefusalNote, Tone};
use crate::i18n::Send;
use crate::islands::{LiveProgress, Preview, host};
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// The page of the send that the path names.
#[component]
pub fn SendPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let (access, app) = managed(&visit).await?;
        let send = visit.service().sent(&access, segment(&visit, 3)).await?;
        let standing = Standing::of(visit.service(), &access, send).await?;
        let texts = &visit.texts().app;
        let path = path_of(&app);
        let name = app.name.clone();
        let running = standing.is_running();
        let send = standing.send.clone();
        let page = format!("{path}/sends/{}", send.id);
        Ok(view! {
            <AppFrame app section=Section::History title=send.title.clone()>
                {running.then(|| view! { <Lively /> })}
                <Cancelled visit=visit.clone() />
                <RefusalNote form="cancel" />
                <div class="send">
                    <div class="send-progress">
                        <LiveProgress
                            events=format!("{page}/events")
                            page
                            texts=texts.frame.trouble()
                        >
                            <Progress texts standing />
                        </LiveProgress>
                    </div>
                    <div class="send-side">
                        <What texts=&texts.send send=send.clone() name />
                        {running.then(|| view! { <Cancelling texts=&texts.send send path /> })}
                    </div>
                </div>
            </AppFrame>
        }
        .into_any())
    })
}

/// What cancelling has stopped.
#[component]
fn Cancelled(visit: Visit) -> impl IntoView {
    let texts = &visit.texts().app.send;
    let count: Option<i64> = visit.query("cancelled").and_then(|text| text.parse().ok());
    count.map(|count| {
        view! {
            <Note tone=Tone::Good>
                <p>{(texts.was_cancelled)(count)}</p>
            </Note>
        }
    })
}

/// The notification, when and by whom.
#[component]
fn What(texts: &'static Send, send: SendRecord, name: String) -> impl IntoView {
    let site = send.url.as_deref().map_or(name, host);
    let opens = send.url.map(|url| {
        view! {
            <div>
                <dt>{texts.opens}</dt>
                <dd>{url}</dd>
            </div>
        }
    });
    view! {
        <section class="card what">
            <Preview title=send.title body=send.body icon=String::new() site />
            <dl class="facts">
                <div>
                    <dt>{texts.accepted}</dt>
                    <dd>
                        <Moment at=send.created_at />
                        " UTC"
                    </dd>
                </div>
                <div>
                    <dt>{texts.by}</dt>
                    <dd>{send.actor.name}</dd>
                </div>
                {opens}
                <div>
                    <dt>{texts.id}</dt>
                    <dd>
                        <code>{send.id.to_string()}</code>
                    </dd>
                </div>
            </dl>
        </section>
    }
    .into_any()
}

#[component]
fn Cancelling(texts: &'static Send, send: SendRecord, path: String) -> impl IntoView {
    let app = path.trim_start_matches("/apps/").to_owned();
    view! {
        <div id="cancelling" data-live>
            <Confirm label=texts.cancel_open>
                <p>{texts.cancel_text}</p>
            <form method="post" action=CancelSend::url()>
                <input type="hidden" name="app" value=app />
                <input type="hidden" name="send" value=send.id.to_string() />
                <button type="submit" class="button danger">
                    {texts.cancel}
                </button>
            </form>
            </Confirm>
        </div>
    }
    .into_any()
}
