//! The account: its password, where it is logged in, and its end.

mod browser;

use hato_domain::ErrorCode;
use hato_service::ListedSession;
use hato_service::access::AccountPrincipal;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use self::browser::browser_name;
use super::load_page;
use crate::components::{
    ConfirmDialog, Fact, Field, FieldKind, FormErrorNote, Frame, PostForm, SuccessNote, TimeStyle,
    Timestamp,
};
use crate::i18n::{AccountTexts, plan_name};
use crate::request_context::RequestContext;
use crate::server_fns::{ChangePassword, DeleteAccount, LogOut, LogOutEverywhere};
use crate::session_cookie;

/// The account of who is logged in.
#[component]
pub fn AccountPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let owner = ctx.owner().await?;
        let token = session_cookie::read(ctx.headers()).ok_or(ErrorCode::Unauthorized)?;
        let sessions = ctx.service().sessions(&owner, &token).await?;
        let texts = &ctx.texts().account;
        Ok(view! {
            <Frame title=texts.title>
                <section class="account">
                    <h1>{texts.title}</h1>
                    <Facts texts owner=owner.clone() />
                    <Password ctx=ctx.clone() owner=owner.clone() />
                    <Sessions ctx=ctx.clone() sessions />
                    <DeleteSection ctx owner />
                </section>
            </Frame>
        }
        .into_any())
    })
}

#[component]
fn Facts(texts: &'static AccountTexts, owner: AccountPrincipal) -> impl IntoView {
    let account = owner.account();
    let email = account.email.as_str().to_owned();
    let since = account.created_at;
    let plan = plan_name(account.plan);
    let pricing = RequestContext::current().pricing_url();
    view! {
        <dl class="facts">
            <Fact label=texts.email>{email}</Fact>
            <Fact label=texts.plan>
                <a href=pricing>{plan}</a>
            </Fact>
            <Fact label=texts.since>
                <Timestamp at=since style=TimeStyle::Day />
            </Fact>
        </dl>
        {owner
            .is_operator()
            .then(|| view! { <p><a href="/operator">{texts.operate}</a></p> })}
    }
    .into_any()
}

#[component]
fn Password(ctx: RequestContext, owner: AccountPrincipal) -> impl IntoView {
    let texts = &ctx.texts().account;
    let auth = &ctx.texts().auth;
    let has_password = owner.account().password_hash.is_some();
    let text = if has_password {
        texts.password_text
    } else {
        texts.no_password
    };
    let current = has_password.then(|| {
        view! {
            <Field form="password" name="current" kind=FieldKind::Password label=texts.current />
        }
    });
    view! {
        <section class="card narrow" id="password">
            <h2>{texts.password_title}</h2>
            <p class="hint">{text}</p>
            <SuccessNote what="password" text=texts.changed />
            <FormErrorNote form="password" />
            <PostForm action=ChangePassword::url() button=texts.change>
                <input
                    class="visually-hidden"
                    name="username"
                    autocomplete="username"
                    value=owner.account().email.as_str().to_owned()
                    readonly
                    tabindex="-1"
                    aria-hidden="true"
                />
                {current}
                <Field
                    form="password"
                    name="new"
                    kind=FieldKind::NewPassword
                    label=texts.new
                    hint=auth.password_hint
                    max=128
                />
            </PostForm>
        </section>
    }
    .into_any()
}

#[component]
fn Sessions(ctx: RequestContext, sessions: Vec<ListedSession>) -> impl IntoView {
    let texts = &ctx.texts().account;
    let log_out = ctx.texts().site.log_out;
    let item = |session| view! { <Session texts session /> };
    view! {
        <section class="card narrow" id="sessions">
            <h2>{texts.sessions_title}</h2>
            <p class="hint">{texts.sessions_text}</p>
            <ul class="sessions">{sessions.into_iter().map(item).collect_view()}</ul>
            <FormErrorNote form="sessions" />
            <div class="form-actions">
                <PostForm action=LogOut::url() button=log_out button_class="button quiet" />
                <PostForm
                    action=LogOutEverywhere::url()
                    button=texts.log_out_everywhere
                    button_class="button quiet"
                />
            </div>
        </section>
    }
    .into_any()
}

/// A browser that is logged in.
#[component]
fn Session(texts: &'static AccountTexts, session: ListedSession) -> impl IntoView {
    let name = session.browser.as_deref().and_then(browser_name);
    let name = name.unwrap_or_else(|| texts.unknown_browser.to_owned());
    let here = session
        .is_current
        .then(|| view! { <span class="state current">{texts.this_one}</span> });
    view! {
        <li>
            <b>{name}</b>
            " "
            {here}
            <span class="hint">
                {texts.began} " " <Timestamp at=session.created_at /> " · " {texts.used} " "
                <Timestamp at=session.last_used_at style=TimeStyle::Ago />
            </span>
        </li>
    }
}

#[component]
fn DeleteSection(ctx: RequestContext, owner: AccountPrincipal) -> impl IntoView {
    let texts = &ctx.texts().account;
    let refused = ctx.query("form").as_deref() == Some("delete");
    let (kind, label) = if owner.account().password_hash.is_some() {
        (FieldKind::Password, texts.current)
    } else {
        (FieldKind::Text, texts.type_email)
    };
    view! {
        <section class="card narrow danger-zone" id="delete">
            <h2>{texts.delete_title}</h2>
            <p>{texts.delete_text}</p>
            <FormErrorNote form="delete" />
            <ConfirmDialog label=texts.delete_open open=refused>
                <PostForm
                    action=DeleteAccount::url()
                    button=texts.delete
                    button_class="button danger"
                >
                    <Field form="delete" name="confirmation" kind label />
                </PostForm>
            </ConfirmDialog>
        </section>
    }
    .into_any()
}
