//! Writing a notification to every subscriber, looking at it once more, and sending it.

mod month;

use hato_domain::{ErrorCode, Notification};
use hato_service::ServiceError;
use hato_service::access::MayManage;
use hato_service::ports::AppRecord;
use http::header::CACHE_CONTROL;
use leptos::prelude::*;
use uuid::Uuid;

use self::month::{MonthlyQuota, MonthlyQuotaNote};
use super::frame::{AppFrame, Section, app_path};
use super::load_app;
use crate::components::{ErrorNote, Fact, Field, FieldKind, Frame, Note, Tone, textarea_content};
use crate::i18n::ComposeTexts;
use crate::islands::{Composer, Preview, Samples, host};
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use crate::server_fns::{ComposeStep, NotificationDraft};

/// What is shown of a draft.
enum ComposeView {
    /// The form, and why the draft was refused.
    Form(NotificationDraft, Option<ErrorCode>),
    /// The notification with the question whether to send it.
    Review(NotificationDraft),
    /// Nothing: it is sent, and the browser goes on to the send's page.
    Sent,
}

/// The form; what was posted from it comes with the request.
#[component]
pub fn ComposePage() -> impl IntoView {
    let posted = use_context::<NotificationDraft>();
    load_page(async move |ctx: RequestContext| {
        let (access, app) = match (load_app(&ctx).await, posted.clone()) {
            (Err(error), Some(draft)) if error.is_logged_out() => {
                return Ok(view! { <LoggedOut ctx draft /> }.into_any());
            }
            (managed, _) => managed?,
        };
        let next = handle_step(&ctx, &access, posted.unwrap_or_default()).await;
        if matches!(next, ComposeView::Sent) {
            return Ok(().into_any());
        }
        let month = MonthlyQuota::load(&ctx, &app).await?;
        Ok(match next {
            ComposeView::Form(draft, error) => {
                view! { <ComposeForm ctx app draft error month /> }.into_any()
            }
            ComposeView::Review(draft) => view! { <ReviewForm ctx app draft month /> }.into_any(),
            ComposeView::Sent => ().into_any(),
        })
    })
}

/// Does what a draft was posted for. What refuses it leads back to the form, which keeps what was submitted.
async fn handle_step(
    ctx: &RequestContext,
    access: &MayManage,
    draft: NotificationDraft,
) -> ComposeView {
    let done = match draft.step {
        ComposeStep::Edit => return ComposeView::Form(draft, None),
        ComposeStep::Review => draft.notification().map(|_| None),
        ComposeStep::Send => draft.send(ctx.service(), access).await.map(Some),
    };
    match done {
        Ok(None) => ComposeView::Review(draft),
        Ok(Some(accepted)) => {
            let (app, send) = (access.app(), accepted.send_id);
            ctx.redirect(&format!("/apps/{app}/sends/{send}"));
            ComposeView::Sent
        }
        Err(error) => form_with_error(ctx, draft, &error),
    }
}

fn form_with_error(
    ctx: &RequestContext,
    draft: NotificationDraft,
    error: &ServiceError,
) -> ComposeView {
    if let Some(cause) = error.cause() {
        tracing::error!(error = cause, "a notification was not sent");
    }
    ctx.refuse(error.code());
    ComposeView::Form(draft, Some(error.code()))
}

/// The form again for whoever posted it when the session was over: no cookie would carry a draft past the login.
#[component]
fn LoggedOut(ctx: RequestContext, draft: NotificationDraft) -> impl IntoView {
    let texts = &ctx.texts().app.compose;
    let title = Section::Compose.name(&ctx.texts().app);
    ctx.refuse(ErrorCode::InvalidSession);
    ctx.set_header(CACHE_CONTROL, "no-store");
    view! {
        <Frame title>
            <div class="app-page">
                <h1>{title}</h1>
                <Note tone=Tone::Error text=texts.logged_out>
                    <p>
                        <a href="/login" target="_blank">
                            {texts.log_in}
                        </a>
                        {texts.then_review}
                    </p>
                </Note>
                <DraftForm texts action=ctx.path().to_owned() draft site=String::new() />
            </div>
        </Frame>
    }
    .into_any()
}

#[component]
fn ComposeForm(
    ctx: RequestContext,
    app: AppRecord,
    draft: NotificationDraft,
    error: Option<ErrorCode>,
    month: Option<MonthlyQuota>,
) -> impl IntoView {
    let texts = &ctx.texts().app.compose;
    let action = format!("{}/send", app_path(&app));
    let site = app.name.clone();
    let audience = (texts.audience)(app.active_subscriptions);
    view! {
        <AppFrame app section=Section::Compose>
            <p class="lead">{texts.lead}</p>
            {error.map(|code| view! { <ErrorNote code /> })}
            {month.map(|quota| view! { <MonthlyQuotaNote ctx texts quota /> })}
            <DraftForm texts action draft site audience />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn DraftForm(
    texts: &'static ComposeTexts,
    action: String,
    draft: NotificationDraft,
    /// Where the notification comes from if it has no link.
    site: String,
    /// The sentence that says how many get it.
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
        <IslandAssets />
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
            <div class="form-actions">
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
fn Fields(texts: &'static ComposeTexts, draft: NotificationDraft) -> impl IntoView {
    let open = !draft.icon.is_empty() || !draft.badge.is_empty();
    view! {
        <Field
            form="send"
            name="title"
            kind=FieldKind::Text
            label=texts.heading
            value=draft.title
        />
        <Field
            form="send"
            name="body"
            kind=FieldKind::Multiline
            label=texts.body
            value=draft.body
        />
        <LinkField name="url" label=texts.url hint=texts.url_hint value=draft.url />
        <details open=open>
            <summary>{texts.more}</summary>
            <LinkField name="icon" label=texts.icon hint=texts.https value=draft.icon />
            <LinkField name="badge" label=texts.badge hint=texts.https value=draft.badge />
        </details>
    }
    .into_any()
}

#[component]
fn LinkField(
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    value: String,
) -> impl IntoView {
    view! { <Field form="send" name kind=FieldKind::Url label hint value optional=true /> }
}

/// The notification as it will look, for whom it is, and whether it is to go.
#[component]
fn ReviewForm(
    ctx: RequestContext,
    app: AppRecord,
    draft: NotificationDraft,
    month: Option<MonthlyQuota>,
) -> impl IntoView {
    let texts = &ctx.texts().app.compose;
    let action = format!("{}/send", app_path(&app));
    let count = app.active_subscriptions;
    let tone = if count == 0 {
        Tone::Warning
    } else {
        Tone::Info
    };
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
                    <Fact label=texts.opens>{opens}</Fact>
                </dl>
                <Note tone text=(texts.question)(count) />
                {month.map(|quota| view! { <MonthlyQuotaNote ctx texts quota /> })}
                <HiddenDraft draft />
                <div class="form-actions">
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
fn HiddenDraft(draft: NotificationDraft) -> impl IntoView {
    let idempotency_key = Uuid::now_v7().simple().to_string();
    let fields = [
        ("title", draft.title),
        ("body", draft.body),
        ("url", draft.url),
        ("icon", draft.icon),
        ("badge", draft.badge),
        ("idempotency_key", idempotency_key),
    ];
    fields.map(
        |(name, value)| view! { <textarea name=name hidden>{textarea_content(&value)}</textarea> },
    )
}
