//! Writing a notification, looking at it once more, and sending it.

mod audience;
mod content;
mod form;
mod month;
mod options;
mod pictures;
mod question;
mod refusal;
mod rich;
mod timing;
mod wrong_field;

use hato_domain::{AudienceFilter, Schedule};
use hato_service::access::MayManage;
use hato_service::ports::AppRecord;
use hato_service::{PictureError, ServiceResult};
use leptos::prelude::*;

use self::form::{ComposeAgain, ComposeForm, LoggedOut};
use self::pictures::PictureChoices;
use self::question::ReviewForm;
use self::refusal::RefusedDraft;
use super::load_app;
use super::settings::keep_picture;
use crate::pages::load_page;
use crate::request_context::RequestContext;
use crate::server_fns::{CheckedDraft, ComposeStep, DraftPart, DraftRefusal, NotificationDraft};
use crate::upload::{UnreadDraft, Upload};

/// What is shown of a draft.
enum ComposeView {
    /// The form with nothing but the app's icon.
    New,
    /// The form, and why the draft was refused.
    Form(NotificationDraft, Option<RefusedDraft>),
    /// The notification with the question whether to send it.
    Review(NotificationDraft, SendPlan),
    /// Nothing: it is sent, and the browser goes on to the send's page.
    Sent,
}

/// What sending a draft would do.
struct SendPlan {
    /// The part of the audience that it is for, if not for everybody.
    filter: Option<AudienceFilter>,
    schedule: Schedule,
    /// How many it would go to now.
    recipients: i64,
}

/// The form; what was posted from it comes with the request.
#[component]
pub fn ComposePage() -> impl IntoView {
    let posted = use_context::<NotificationDraft>();
    let upload = use_context::<Upload>();
    let unread = use_context::<UnreadDraft>();
    load_page(async move |ctx: RequestContext| {
        if let Some(UnreadDraft(code)) = unread {
            load_app(&ctx).await?;
            return Err(code.into());
        }
        let (access, app) = match (load_app(&ctx).await, posted.clone()) {
            (Err(error), Some(draft)) if error.is_logged_out() => {
                return Ok(view! { <LoggedOut ctx draft /> }.into_any());
            }
            (managed, _) => managed?,
        };
        if let Some(send) = ctx.query("from").filter(|_| posted.is_none()) {
            let content = ctx.service().sent_content(&access, &send).await?;
            let is_whole = !content.payload.is_empty();
            let draft = NotificationDraft::again(content);
            let pictures = PictureChoices::load(&ctx, &access).await?;
            return Ok(view! { <ComposeAgain ctx app draft is_whole pictures /> }.into_any());
        }
        let next = match posted {
            Some(draft) => handle_step(&ctx, (&access, &app), draft).await,
            None => ComposeView::New,
        };
        let kept = keep_picture(&ctx, &access, upload.as_ref()).await;
        show(ctx, (&access, app), next, kept).await
    })
}

async fn show(
    ctx: RequestContext,
    (access, app): (&MayManage, AppRecord),
    next: ComposeView,
    kept: Option<Result<(), PictureError>>,
) -> ServiceResult<AnyView> {
    let view = match next {
        ComposeView::New => {
            let pictures = PictureChoices::load(&ctx, access).await?;
            let draft = NotificationDraft {
                icon: pictures.icon(),
                ..NotificationDraft::default()
            };
            let month = month::MonthlyQuota::load(&ctx, &app).await?;
            view! { <ComposeForm ctx app draft pictures refused=None month /> }.into_any()
        }
        ComposeView::Form(draft, refused) => {
            let pictures = PictureChoices::load(&ctx, access).await?;
            let pictures = pictures.after(&ctx, kept);
            let month = month::MonthlyQuota::load(&ctx, &app).await?;
            view! { <ComposeForm ctx app draft pictures refused month /> }.into_any()
        }
        ComposeView::Review(draft, plan) => {
            let month = match plan.schedule.send_at() {
                None => month::MonthlyQuota::load(&ctx, &app).await?,
                // It is charged when it is due.
                Some(_) => None,
            };
            view! { <ReviewForm ctx app draft plan month /> }.into_any()
        }
        ComposeView::Sent => return Ok(().into_any()),
    };
    Ok(view)
}

/// Does what a draft was posted for. What refuses it leads back to the form, which keeps what was submitted.
async fn handle_step(
    ctx: &RequestContext,
    (access, app): (&MayManage, &AppRecord),
    draft: NotificationDraft,
) -> ComposeView {
    let done = match draft.step {
        ComposeStep::Edit => return ComposeView::Form(draft, None),
        ComposeStep::Review => plan(ctx, (access, app), &draft).await.map(Some),
        ComposeStep::Send => send(ctx, access, &draft).await.map(|()| None),
    };
    match done {
        Ok(Some(plan)) => ComposeView::Review(draft, plan),
        Ok(None) => ComposeView::Sent,
        Err(refusal) => form_with_error(ctx, draft, &refusal),
    }
}

/// What sending the draft would do now.
async fn plan(
    ctx: &RequestContext,
    (access, app): (&MayManage, &AppRecord),
    draft: &NotificationDraft,
) -> Result<SendPlan, DraftRefusal> {
    let service = ctx.service();
    let checked = draft.check_at(service.now(), &app.messages)?;
    let CheckedDraft {
        filter, schedule, ..
    } = checked;
    let recipients = match &filter {
        None => Ok(app.active_subscriptions),
        Some(filter) => service.recipients(access, filter).await,
    };
    Ok(SendPlan {
        recipients: recipients.map_err(|error| DraftPart::Content.refuses(error))?,
        filter,
        schedule,
    })
}

/// Sends the draft and leads on to the page of the send.
async fn send(
    ctx: &RequestContext,
    access: &MayManage,
    draft: &NotificationDraft,
) -> Result<(), DraftRefusal> {
    let accepted = draft.send(ctx.service(), access).await?;
    let (app, send) = (access.app(), accepted.send_id);
    ctx.record_send(&send);
    ctx.redirect(&format!("/apps/{app}/sends/{send}"));
    Ok(())
}

fn form_with_error(
    ctx: &RequestContext,
    draft: NotificationDraft,
    refusal: &DraftRefusal,
) -> ComposeView {
    if let Some(cause) = refusal.error.cause() {
        tracing::error!(error = cause, "a notification was not sent");
    }
    ctx.refuse(refusal.error.code());
    let refused = RefusedDraft::mark(ctx, &draft, refusal);
    ComposeView::Form(draft, Some(refused))
}
