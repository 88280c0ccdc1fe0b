//! The account: its password, where it is signed in, and its end.

mod browser;

use hato_domain::ErrorCode;
use hato_service::ListedSession;
use hato_service::access::AccountPrincipal;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use self::browser::browser_name;
use super::load_page;
use crate::components::{
    ConfirmDialog, Field, FieldKind, FormErrorNote, Frame, SuccessNote, Timestamp,
};
use crate::i18n::{AccountTexts, plan_name};
use crate::request_context::RequestContext;
use crate::server_fns::{ChangePassword, DeleteAccount, LogOut, LogOutEverywhere};
use crate::session_cookie;

/// The account of who is signed in.
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
    view! {
        <dl class="facts">
            <div>
                <dt>{texts.email}</dt>
                <dd>{account.email.clone()}</dd>
            </div>
            <div>
                <dt>{texts.plan}</dt>
                <dd>
                    <a href="/pricing">{plan_name(account.plan)}</a>
                </dd>
            </div>
            <div>
                <dt>{texts.since}</dt>
                <dd>
                    <time>{account.created_at.day()}</time>
                </dd>
            </div>
        </dl>
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
            <form method="post" action=ChangePassword::url()>
                <input
                    class="visually-hidden"
                    name="username"
                    autocomplete="username"
                    value=owner.account().email.clone()
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
                <button type="submit" class="button">
                    {texts.change}
                </button>
            </form>
        </section>
    }
    .into_any()
}

#[component]
fn Sessions(ctx: RequestContext, sessions: Vec<ListedSession>) -> impl IntoView {
    let texts = &ctx.texts().account;
    let log_out = ctx.texts().site.log_out;
    let item = |session: ListedSession| {
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
                    <Timestamp at=session.last_used_at /> " UTC"
                </span>
            </li>
        }
    };
    view! {
        <section class="card narrow" id="sessions">
            <h2>{texts.sessions_title}</h2>
            <p class="hint">{texts.sessions_text}</p>
            <ul class="sessions">{sessions.into_iter().map(item).collect_view()}</ul>
            <FormErrorNote form="sessions" />
            <div class="form-actions">
                <form method="post" action=LogOut::url()>
                    <button type="submit" class="button quiet">
                        {log_out}
                    </button>
                </form>
                <form method="post" action=LogOutEverywhere::url()>
                    <button type="submit" class="button quiet">
                        {texts.sign_out}
                    </button>
                </form>
            </div>
        </section>
    }
    .into_any()
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
                <form method="post" action=DeleteAccount::url()>
                    <Field form="delete" name="confirmation" kind label />
                    <button type="submit" class="button danger">
                        {texts.delete}
                    </button>
                </form>
            </ConfirmDialog>
        </section>
    }
    .into_any()
}
