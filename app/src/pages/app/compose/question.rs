//! The question whether a notification is to go, which says exactly what would happen.

use hato_domain::{AudienceFilter, UserId};
use hato_service::ports::AppRecord;
use leptos::prelude::*;
use uuid::Uuid;

use super::SendPlan;
use super::content::preview_texts;
use super::form::DRAFT_FORM;
use super::month::{MonthlyQuota, MonthlyQuotaNote};
use super::options::OptionsFacts;
use super::rich::RichFacts;
use crate::components::{Fact, Note, Tone, textarea_content};
use crate::i18n::ComposeTexts;
use crate::islands::PreviewTabs;
use crate::pages::app::delivery_facts::{AudienceFacts, ScheduleFacts};
use crate::pages::app::frame::{AppFrame, Section, app_path};
use crate::pages::app::sender::sender;
use crate::pages::app::this_browser::SendToMeFirst;
use crate::pages::{IslandAssets, PreviewStyle};
use crate::request_context::RequestContext;
use crate::server_fns::NotificationDraft;

/// Users that are named; of more it is said how many there are.
const NAMED_USERS: usize = 5;

/// The notification as it will look, for whom it is, when it goes, and whether it is to go.
#[component]
pub(super) fn ReviewForm(
    ctx: RequestContext,
    app: AppRecord,
    draft: NotificationDraft,
    plan: SendPlan,
    month: Option<MonthlyQuota>,
) -> impl IntoView {
    let texts = &ctx.texts().app.compose;
    ctx.switch_with_form(DRAFT_FORM);
    let action = format!("{}/send", app_path(&app));
    let to_me = app.clone();
    let needed = plan.recipients;
    let site = sender(texts, &app);
    let button = match plan.schedule.send_at() {
        None => texts.send,
        Some(_) => texts.schedule,
    };
    view! {
        <AppFrame app section=Section::Compose title=texts.review_title>
            <IslandAssets />
            <PreviewStyle />
            <form id=DRAFT_FORM method="post" action=action class="card review">
                <PreviewTabs
                    texts=preview_texts(texts)
                    title=draft.title.clone()
                    body=draft.body.clone()
                    icon=draft.icon().to_owned()
                    badge=draft.badge().to_owned()
                    image=draft.rich.image.clone()
                    buttons=draft.rich.shown_buttons()
                    site
                />
                <Plan ctx=ctx.clone() draft=draft.clone() plan />
                {month
                    .map(|quota| {
                        view! { <MonthlyQuotaNote ctx=ctx.clone() texts quota needed /> }
                    })}
                <HiddenDraft draft />
                <div class="form-actions">
                    <button type="submit" class="button" name="step" value="send">
                        {button}
                    </button>
                    <button type="submit" class="button quiet" name="step" value="edit">
                        {texts.edit}
                    </button>
                    <SendToMeFirst ctx app=to_me />
                </div>
            </form>
        </AppFrame>
    }
    .into_any()
}

/// What would happen: the facts, and the sentence with the number.
#[component]
fn Plan(ctx: RequestContext, draft: NotificationDraft, plan: SendPlan) -> impl IntoView {
    let texts = &ctx.texts().app;
    let words = &texts.compose;
    let opens = if draft.url.is_empty() {
        words.opens_site.to_owned()
    } else {
        draft.url
    };
    let tone = match plan.recipients {
        0 => Tone::Warning,
        _ => Tone::Info,
    };
    let text = question(words, &plan);
    let tags = plan.filter.as_ref().and_then(|it| it.tags.as_ref());
    let tags = tags.map(|tags| tags.as_str().to_owned());
    let users = plan.filter.as_ref().and_then(|it| named_users(words, it));
    view! {
        <dl class="facts">
            <Fact label=words.opens>{opens}</Fact>
            <RichFacts texts=&words.rich draft=draft.rich />
            <AudienceFacts texts=&texts.delivery users tags />
            <ScheduleFacts texts=&texts.delivery schedule=plan.schedule />
            <OptionsFacts texts=&words.options draft=draft.options />
        </dl>
        <Note tone text />
    }
    .into_any()
}

/// The question's sentence, with the number of recipients.
fn question(texts: &ComposeTexts, plan: &SendPlan) -> String {
    let say = match (&plan.filter, plan.schedule.send_at()) {
        (None, None) => texts.question,
        (Some(_), None) => texts.question_part,
        (None, Some(_)) => texts.question_later,
        (Some(_), Some(_)) => texts.question_part_later,
    };
    say(plan.recipients)
}

/// The users that are meant, by name as long as they are few.
fn named_users(texts: &ComposeTexts, filter: &AudienceFilter) -> Option<String> {
    let users = filter.user_ids.as_ref()?;
    let named: Vec<&str> = users.iter().take(NAMED_USERS).map(UserId::as_str).collect();
    let others = users.len() - named.len();
    let named = named.join(", ");
    Some(match others {
        0 => named,
        _ => (texts.and_others)(named, others),
    })
}

/// The draft on its way through the question. It gets its name here, so that it is sent once however often it is posted.
#[component]
fn HiddenDraft(draft: NotificationDraft) -> impl IntoView {
    let idempotency_key = Uuid::now_v7().simple().to_string();
    let rich = draft
        .rich
        .fields()
        .map(|(name, value)| (name, value.to_owned()));
    let (icon, badge) = (draft.icon().to_owned(), draft.badge().to_owned());
    let fields = [
        ("title", draft.title),
        ("body", draft.body),
        ("url", draft.url),
        ("icon", icon),
        ("badge", badge),
        ("users", draft.audience.users),
        ("tags", draft.audience.tags),
        ("send_at", draft.timing.send_at),
        ("expires_at", draft.timing.expires_at),
        ("max_per_minute", draft.timing.max_per_minute),
        ("ttl", draft.options.ttl),
        ("urgency", draft.options.urgency),
        ("topic", draft.options.topic),
        ("idempotency_key", idempotency_key),
    ];
    let hidden = |(name, value): (&'static str, String)| view! { <textarea name=name hidden>{textarea_content(&value)}</textarea> };
    (fields.map(hidden), rich.map(hidden))
}
