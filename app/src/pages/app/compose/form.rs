//! The form in which a notification is written, in four sections: what it says, what else it has, whom it is for,
//! and when it goes.

use hato_domain::{AppId, ErrorCode};
use hato_service::ports::AppRecord;
use http::header::CACHE_CONTROL;
use leptos::prelude::*;

use super::Refused;
use super::audience::AudienceSection;
use super::content::ContentSection;
use super::month::{FormMonthNote, MonthlyQuota};
use super::rich::RichSection;
use super::timing::TimingSection;
use crate::components::{ErrorNote, Frame, Note, Tone};
use crate::i18n::ComposeTexts;
use crate::pages::IslandAssets;
use crate::pages::app::frame::{AppFrame, Section, app_path};
use crate::pages::app::path_segment;
use crate::request_context::RequestContext;
use crate::server_fns::{DraftPart, NotificationDraft};

/// The id of the form that holds the draft.
pub(super) const DRAFT_FORM: &str = "draft";

/// The form again for whoever posted it when the session was over: no cookie would carry a draft past the login.
#[component]
pub(super) fn LoggedOut(ctx: RequestContext, draft: NotificationDraft) -> impl IntoView {
    let texts = &ctx.texts().app.compose;
    let title = Section::Compose.name(&ctx.texts().app);
    ctx.refuse(ErrorCode::InvalidSession);
    ctx.set_header(CACHE_CONTROL, "no-store");
    let app =
        AppId::parse(path_segment(&ctx, 1)).map_or_else(|_| String::new(), |it| it.to_string());
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
                <DraftForm texts action=ctx.path().to_owned() draft app />
            </div>
        </Frame>
    }
    .into_any()
}

#[component]
pub(super) fn ComposeForm(
    ctx: RequestContext,
    app: AppRecord,
    draft: NotificationDraft,
    refused: Option<Refused>,
    month: Option<MonthlyQuota>,
) -> impl IntoView {
    let texts = &ctx.texts().app.compose;
    let action = format!("{}/send", app_path(&app));
    let (site, id) = (app.name.clone(), app.id.to_string());
    let audience = (texts.audience)(app.active_subscriptions);
    let everybody = app.active_subscriptions;
    view! {
        <AppFrame app section=Section::Compose>
            <p class="lead">{texts.lead}</p>
            {refused.map(|refused| view! { <RefusalNote texts refused /> })}
            {month.map(|quota| view! { <FormMonthNote ctx texts quota everybody /> })}
            <DraftForm texts action draft app=id site audience />
        </AppFrame>
    }
    .into_any()
}

/// Why the draft was refused, and what to look at.
#[component]
fn RefusalNote(texts: &'static ComposeTexts, refused: Refused) -> impl IntoView {
    let Refused { code, part } = refused;
    let advice = match part {
        _ if code != ErrorCode::InvalidInput => None,
        DraftPart::Content => None,
        DraftPart::Rich => Some(texts.rich.refused),
        DraftPart::Audience => Some(texts.refused_audience),
        DraftPart::Timing => Some(texts.refused_timing),
    };
    match advice {
        None => view! { <ErrorNote code /> }.into_any(),
        Some(text) => view! { <Note tone=Tone::Error text /> }.into_any(),
    }
}

#[component]
fn DraftForm(
    texts: &'static ComposeTexts,
    action: String,
    draft: NotificationDraft,
    /// The id of the app, or nothing where the path names none.
    app: String,
    /// Where the notification comes from if it has no link.
    #[prop(optional)]
    site: String,
    /// The sentence that says how many get it if it is for everybody.
    #[prop(optional)]
    audience: String,
) -> impl IntoView {
    RequestContext::current().switch_with_form(DRAFT_FORM);
    let (rich, people) = (draft.rich.clone(), draft.audience.clone());
    let times = draft.timing.clone();
    view! {
        <IslandAssets />
        <form id=DRAFT_FORM method="post" action=action class="card compose">
            <ContentSection texts draft site />
            <RichSection texts draft=rich />
            <AudienceSection texts app draft=people everybody=audience />
            <TimingSection texts draft=times />
            <div class="form-actions">
                <button type="submit" class="button" name="step" value="review">
                    {texts.review}
                </button>
            </div>
        </form>
    }
    .into_any()
}
