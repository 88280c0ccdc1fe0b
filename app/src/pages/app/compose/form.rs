//! The form in which a notification is written, in five sections: what it says, what else it has, whom it is for, when it goes,
//! and how push services are to treat it.

use hato_domain::{AppId, ErrorCode};
use hato_service::ports::AppRecord;
use http::header::CACHE_CONTROL;
use leptos::prelude::*;

use super::audience::AudienceSection;
use super::content::ContentSection;
use super::month::{FormMonthNote, MonthlyQuota};
use super::options::OptionsSection;
use super::pictures::PictureChoices;
use super::refusal::{RefusalNote, RefusedDraft};
use super::rich::RichSection;
use super::timing::TimingSection;
use crate::components::{Frame, Note, Tone};
use crate::i18n::ComposeTexts;
use crate::pages::IslandAssets;
use crate::pages::app::frame::{AppFrame, Section, app_path};
use crate::pages::app::path_segment;
use crate::pages::app::sender::sender;
use crate::pages::app::this_browser::SendToMeFirst;
use crate::request_context::RequestContext;
use crate::server_fns::NotificationDraft;

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
                <DraftForm
                    texts
                    action=ctx.path().to_owned()
                    draft
                    app
                    site=texts.some_site.to_owned()
                />
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
    pictures: PictureChoices,
    refused: Option<RefusedDraft>,
    month: Option<MonthlyQuota>,
) -> impl IntoView {
    let texts = &ctx.texts().app.compose;
    let action = format!("{}/send", app_path(&app));
    let (site, id) = (sender(texts, &app), app.id.to_string());
    let audience = (texts.audience)(app.active_subscriptions);
    let to_me = view! { <SendToMeFirst ctx=ctx.clone() app=app.clone() /> }.into_any();
    let everybody = app.active_subscriptions;
    view! {
        <AppFrame app section=Section::Compose>
            <p class="lead">{texts.lead}</p>
            {refused.map(|refused| view! { <RefusalNote ctx=ctx.clone() texts refused /> })}
            {month.map(|quota| view! { <FormMonthNote ctx texts quota everybody /> })}
            <DraftForm texts action draft pictures app=id site audience to_me />
        </AppFrame>
    }
    .into_any()
}

fn what_is_kept(
    texts: &ComposeTexts,
    draft: &NotificationDraft,
    is_whole: bool,
) -> Vec<(Tone, &'static str)> {
    let without_users = draft.audience.has_forgotten_users();
    let notes = [
        (is_whole && !without_users).then_some((Tone::Info, texts.again)),
        (!is_whole).then_some((Tone::Warning, texts.again_in_part)),
        without_users.then_some((Tone::Warning, texts.again_without_users)),
    ];
    notes.into_iter().flatten().collect()
}

/// The form with what was sent before; what is left of the month is said with the question.
#[component]
pub(super) fn ComposeAgain(
    ctx: RequestContext,
    app: AppRecord,
    draft: NotificationDraft,
    /// Whether all of what was sent is still kept.
    is_whole: bool,
    pictures: PictureChoices,
) -> impl IntoView {
    let texts = &ctx.texts().app.compose;
    let action = format!("{}/send", app_path(&app));
    let (site, id) = (sender(texts, &app), app.id.to_string());
    let audience = (texts.audience)(app.active_subscriptions);
    let to_me = view! { <SendToMeFirst ctx=ctx.clone() app=app.clone() /> }.into_any();
    let notes = what_is_kept(texts, &draft, is_whole);
    let note = |(tone, text)| view! { <Note tone text /> };
    view! {
        <AppFrame app section=Section::Compose>
            {notes.into_iter().map(note).collect_view()}
            <DraftForm texts action draft pictures app=id site audience to_me />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn DraftForm(
    texts: &'static ComposeTexts,
    action: String,
    draft: NotificationDraft,
    #[prop(optional)] pictures: PictureChoices,
    /// The id of the app, or nothing where the path names none.
    app: String,
    /// Whom browsers name as the sender.
    site: String,
    /// The sentence that says how many get it if it is for everybody.
    #[prop(optional)]
    audience: String,
    /// The button that sends it to this browser first, for who is logged in.
    #[prop(optional)]
    to_me: Option<AnyView>,
) -> impl IntoView {
    RequestContext::current().switch_with_form(DRAFT_FORM);
    let (rich, people) = (draft.rich.clone(), draft.audience.clone());
    let (times, options) = (draft.timing.clone(), draft.options.clone());
    view! {
        <IslandAssets />
        <form id=DRAFT_FORM method="post" action=action class="card compose">
            // What the Enter key presses.
            <input type="submit" name="step" value="review" hidden />
            <ContentSection texts draft pictures app=app.clone() site />
            <RichSection texts draft=rich />
            <AudienceSection texts app draft=people everybody=audience />
            <TimingSection texts draft=times />
            <OptionsSection texts=&texts.options draft=options />
            <div class="form-actions">
                <button type="submit" class="button" name="step" value="review">
                    {texts.review}
                </button>
                {to_me}
            </div>
        </form>
    }
    .into_any()
}
