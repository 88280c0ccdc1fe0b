//! Writing a notification to every subscriber, looking at it once more, and sending it.

use hato_domain::{ErrorCode, Notification};
use hato_service::ServiceError;
use hato_service::access::MayManage;
use hato_service::ports::AppRecord;
use http::header::CACHE_CONTROL;
use leptos::prelude::*;
use uuid::Uuid;

use super::frame::{AppFrame, Section, path_of};
use super::managed;
use crate::calls::{Draft, Step};
use crate::components::{Field, Frame, Kind, Note, Refusal, Tone, text_of_area};
use crate::i18n::Compose;
use crate::islands::{Composer, Preview, Samples, host};
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// What is shown of a draft.
enum Shown {
    /// The form, and why the draft was refused.
    Form(Draft, Option<ErrorCode>),
    /// The question before sending.
    Question(Draft),
    /// Nothing: it is sent, and the browser goes on to the send's page.
    Sent,
}

/// The form; what was posted from it comes with the request.
#[component]
pub fn ComposePage() -> impl IntoView {
    let posted = use_context::<Draft>();
    loaded(async move |visit: Visit| {
        let (access, app) = match (managed(&visit).await, posted.clone()) {
            (Err(error), Some(draft)) if error.is_signed_out() => {
                return Ok(view! { <SignedOut visit draft /> }.into_any());
            }
            (managed, _) => managed?,
        };
        Ok(
            match considered(&visit, &access, posted.unwrap_or_default()).await {
                Shown::Form(draft, refused) => {
                    view! { <Writing visit app draft refused /> }.into_any()
                }
                Shown::Question(draft) => view! { <Asking visit app draft /> }.into_any(),
                Shown::Sent => ().into_any(),
            },
        )
    })
}

/// Does what a draft was posted for. What refuses it leads back to the form, which keeps what was typed.
async fn considered(visit: &Visit, access: &MayManage, draft: Draft) -> Shown {
    let done = match draft.step {
        Step::Edit => return Shown::Form(draft, None),
        Step::Review => draft.notification().map(|_| None),
        Step::Send => draft.send(visit.service(), access).await.map(Some),
    };
    match done {
        Ok(None) => Shown::Question(draft),
        Ok(Some(accepted)) => {
            visit.redirect(&format!(
                "/apps/{}/sends/{}",
                access.app(),
                accepted.send_id
            ));
            Shown::Sent
        }
        Err(error) => refused(visit, draft, &error),
    }
}

fn refused(visit: &Visit, draft: Draft, error: &ServiceError) -> Shown {
    if let Some(cause) = error.cause() {
        tracing::error!(path = visit.path(), cause, "a notification was not sent");
    }
    visit.set_status(error.code().status());
    Shown::Form(draft, Some(error.code()))
}

/// The form again for whoever posted it when the session was over: no cookie would carry a draft past the login.
#[component]
fn SignedOut(visit: Visit, draft: Draft) -> impl IntoView {
    let texts = &visit.texts().app.compose;
    let title = Section::Compose.name(&visit.texts().app);
    visit.set_status(ErrorCode::InvalidSession.status());
    visit.set_header(CACHE_CONTROL, "no-store");
    view! {
        <Frame title>
            <div class="app-page">
                <h1>{title}</h1>
                <Note tone=Tone::Bad>
                    <p>{texts.signed_out}</p>
                    <p>
                        <a href="/login" target="_blank">
                            {texts.log_in}
                        </a>
                        {texts.then_review}
                    </p>
                </Note>
                <DraftForm texts action=visit.path().to_owned() draft site=String::new() />
            </div>
        </Frame>
    }
    .into_any()
}

#[component]
fn Writing(
    visit: Visit,
    app: AppRecord,
    draft: Draft,
    refused: Option<ErrorCode>,
) -> impl IntoView {
    let texts = &visit.texts().app.compose;
    let action = format!("{}/send", path_of(&app));
    let site = app.name.clone();
    let audience = (texts.audience)(app.active_subscriptions);
    view! {
        <AppFrame app section=Section::Compose>
            <p class="lead">{texts.lead}</p>
            {refused.map(|code| view! { <Refusal code /> })}
            <DraftForm texts action draft site audience />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn DraftForm(
    texts: &'static Compose,
    action: String,
    draft: Draft,
    /// Where the notification comes from if it has no link.
    site: String,
    /// Who gets it.
    #[prop(optional)]
    audience: String,
) -> impl IntoView {
    let samples = Samples {
        title: texts.sample_title.to_owned(),
        body: texts.sample_body.to_owned(),
        site,
    };
    let written = [&draft.title, &draft.body, &draft.url, &draft.icon].map(String::clone);
    view! {
        <Lively />
        <form method="post" action=action class="card compose">
            <Composer
                limit=Notification::MAX_PAYLOAD_BYTES
                label=texts.size.to_owned()
                unit=texts.bytes.to_owned()
                preview=texts.preview.to_owned()
                preview_hint=texts.preview_hint.to_owned()
                samples
                written
            >
                <Fields texts draft />
            </Composer>
            <div class="act">
                <button type="submit" class="button" name="step" value="review">
                    {texts.review}
                </button>
                <p class="hint">{audience}</p>
            </div>
        </form>
    }
    .into_any()
}

#[component]
fn Fields(texts: &'static Compose, draft: Draft) -> impl IntoView {
    let open = !draft.icon.is_empty() || !draft.badge.is_empty();
    view! {
        <Field form="send" name="title" kind=Kind::Line label=texts.heading value=draft.title />
        <Field form="send" name="body" kind=Kind::Lines label=texts.body value=draft.body />
        <Field
            form="send"
            name="url"
            kind=Kind::Link
            label=texts.url
            hint=texts.url_hint
            value=draft.url
            optional=true
        />
        <details open=open>
            <summary>{texts.more}</summary>
            <Field
                form="send"
                name="icon"
                kind=Kind::Link
                label=texts.icon
                hint=texts.https
                value=draft.icon
                optional=true
            />
            <Field
                form="send"
                name="badge"
                kind=Kind::Link
                label=texts.badge
                hint=texts.https
                value=draft.badge
                optional=true
            />
        </details>
    }
    .into_any()
}

/// The notification as it will look, for whom it is, and whether it is to go.
#[component]
fn Asking(visit: Visit, app: AppRecord, draft: Draft) -> impl IntoView {
    let texts = &visit.texts().app.compose;
    let action = format!("{}/send", path_of(&app));
    let count = app.active_subscriptions;
    let tone = if count == 0 { Tone::Mind } else { Tone::Plain };
    let opens = if draft.url.is_empty() {
        texts.opens_site.to_owned()
    } else {
        draft.url.clone()
    };
    let site = Some(host(&draft.url)).filter(|host| !host.is_empty());
    let site = site.unwrap_or_else(|| app.name.clone());
    view! {
        <AppFrame app section=Section::Compose title=texts.review_title>
            <form method="post" action=action class="card review">
                <Preview
                    title=draft.title.clone()
                    body=draft.body.clone()
                    icon=draft.icon.clone()
                    site
                />
                <dl class="facts">
                    <div>
                        <dt>{texts.opens}</dt>
                        <dd>{opens}</dd>
                    </div>
                </dl>
                <Note tone>
                    <p>{(texts.question)(count)}</p>
                </Note>
                <Kept draft />
                <div class="act">
                    <button type="submit" class="button" name="step" value="send">
                        {texts.send}
                    </button>
                    <button type="submit" class="button quiet" name="step" value="edit">
                        {texts.edit}
                    </button>
                </div>
            </form>
        </AppFrame>
    }
    .into_any()
}

/// The draft on its way through the question. It gets its name here, so that it is sent once however often it is posted.
#[component]
fn Kept(draft: Draft) -> impl IntoView {
    let once = Uuid::now_v7().simple().to_string();
    let fields = [
        ("title", draft.title),
        ("body", draft.body),
        ("url", draft.url),
        ("icon", draft.icon),
        ("badge", draft.badge),
        ("once", once),
    ];
    fields
        .map(|(name, value)| view! { <textarea name=name hidden>{text_of_area(&value)}</textarea> })
}
