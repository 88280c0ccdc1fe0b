//! The page at `/account/review`: what was there before a login through GitHub took the account over, one app at a time.

use hato_service::ports::{AppRecord, KeyRecord, SendRecord};
use hato_service::{AppReview, OTHER_SENDS, ReviewDecision, WEBHOOK};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::load_page;
use crate::components::{
    ConfirmDialog, Fact, FormErrorNote, Frame, Note, PostForm, TimeStyle, Timestamp, Tone,
};
use crate::i18n::{ReviewTexts, group_thousands};
use crate::request_context::RequestContext;
use crate::server_fns::{ConcludeReview, RejectApp};

/// The oldest app that waits for its review; the apps, when none does.
#[component]
pub fn ReviewPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let owner = ctx.owner_before_review().await?;
        let Some(review) = ctx.service().next_review(&owner).await? else {
            ctx.redirect("/apps");
            return Ok(().into_any());
        };
        let texts = &ctx.texts().review;
        Ok(view! { <ReviewView texts review /> }.into_any())
    })
}

#[component]
fn ReviewView(texts: &'static ReviewTexts, review: AppReview) -> impl IntoView {
    let left = (review.apps_left > 0).then(|| {
        let text = (texts.left)(review.apps_left);
        view! { <p class="hint">{text}</p> }
    });
    let app = review.app.clone();
    view! {
        <Frame title=texts.title>
            <section class="review">
                <h1>{texts.title}</h1>
                <p>{texts.lead}</p>
                <Note tone=Tone::Warning text=texts.meanwhile />
                <section class="card" id="review">
                    <h2 dir="auto">{app.name.clone()}</h2>
                    {left}
                    <Facts texts app=app.clone() />
                    <FormErrorNote form="review" />
                    <PostForm
                        action=ConcludeReview::url()
                        hidden=vec![("app", app.id.to_string())]
                        button=texts.conclude
                    >
                        <Questions texts review />
                    </PostForm>
                </section>
                <RejectSection texts app=app.id.to_string() />
            </section>
        </Frame>
    }
    .into_any()
}

#[component]
fn Facts(texts: &'static ReviewTexts, app: AppRecord) -> impl IntoView {
    view! {
        <dl class="facts">
            <Fact label=texts.created>
                <Timestamp at=app.created_at style=TimeStyle::Day />
            </Fact>
            <Fact label=texts.subscribers>{group_thousands(app.active_subscriptions)}</Fact>
        </dl>
    }
    .into_any()
}

#[component]
fn Questions(texts: &'static ReviewTexts, review: AppReview) -> impl IntoView {
    let key = |key| view! { <KeyQuestion texts key /> };
    let keys = review.keys.into_iter().map(key).collect_view();
    let webhook = review.app.webhook_url;
    let webhook = webhook.map(|url| view! { <WebhookQuestion texts url /> });
    let send = |send| view! { <SendQuestion texts send /> };
    let sends = review.sends.into_iter().map(send).collect_view();
    let others = review.has_more_sends.then(|| {
        let answers = [texts.keep_send, texts.delete_send];
        view! { <Question item=OTHER_SENDS about=texts.sends name=texts.other_sends answers /> }
    });
    view! {
        {keys}
        {webhook}
        {sends}
        {others}
        <section class="decision">
            <h3>{texts.vapid}</h3>
            <p>{texts.vapid_text}</p>
        </section>
    }
    .into_any()
}

#[component]
fn KeyQuestion(texts: &'static ReviewTexts, key: KeyRecord) -> impl IntoView {
    let used = match key.last_used_at {
        Some(at) => view! { <Timestamp at /> }.into_any(),
        None => texts.never.into_any(),
    };
    let answers = [texts.keep_key, texts.delete_key];
    view! {
        <Question item=key.id.to_string() about=texts.key name=key.name answers>
            <p class="hint">
                <code class=format!("scope {}", key.scope.as_str())>{key.scope.as_str()}</code>
                " "
                {texts.created}
                " "
                <Timestamp at=key.created_at />
                " · "
                {texts.last_used}
                " "
                {used}
            </p>
        </Question>
    }
    .into_any()
}

#[component]
fn WebhookQuestion(texts: &'static ReviewTexts, url: String) -> impl IntoView {
    let answers = [texts.keep_webhook, texts.delete_webhook];
    view! {
        <Question item=WEBHOOK about=texts.webhook name=url answers>
            <p class="hint">{texts.webhook_text}</p>
        </Question>
    }
    .into_any()
}

#[component]
fn SendQuestion(texts: &'static ReviewTexts, send: SendRecord) -> impl IntoView {
    let answers = [texts.keep_send, texts.delete_send];
    view! {
        <Question item=send.id.to_string() about=texts.sends name=send.title answers>
            <p dir="auto">{send.body}</p>
            <p class="hint">
                <Timestamp at=send.created_at />
                " · "
                {(texts.recipients)(send.recipients)}
                " · "
                <bdi>{send.actor.name}</bdi>
            </p>
        </Question>
    }
    .into_any()
}

/// Something to keep or to delete, with neither chosen beforehand.
#[component]
fn Question(
    /// By what its decision is named.
    #[prop(into)]
    item: String,
    /// What kind of thing it is.
    about: &'static str,
    #[prop(into)] name: String,
    /// What keeping and deleting it are called.
    answers: [&'static str; 2],
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let choices = ReviewDecision::ALL.into_iter().zip(answers);
    let choice = |(decision, text): (ReviewDecision, &'static str)| {
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name=format!("decisions[{item}]")
                    value=decision.as_str()
                    required
                />
                <span>{text}</span>
            </label>
        }
    };
    view! {
        <fieldset class="decision">
            <legend>{about} " " <bdi><b>{name}</b></bdi></legend>
            {children.map(|children| children())}
            {choices.map(choice).collect_view()}
        </fieldset>
    }
    .into_any()
}

#[component]
fn RejectSection(texts: &'static ReviewTexts, app: String) -> impl IntoView {
    view! {
        <section class="card narrow danger-zone" id="reject">
            <h2>{texts.reject_title}</h2>
            <p>{texts.reject_text}</p>
            <FormErrorNote form="reject" />
            <ConfirmDialog label=texts.reject_open>
                <PostForm
                    action=RejectApp::url()
                    hidden=vec![("app", app)]
                    button=texts.reject
                    button_class="button danger"
                />
            </ConfirmDialog>
        </section>
    }
    .into_any()
}
