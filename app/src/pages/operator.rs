//! The page at `/operator`: every account and its plan, for who runs the server.

use hato_domain::{AccountId, Plan};
use hato_service::ports::AccountUsage;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::load_page;
use crate::components::{
    Column, ConfirmDialog, Field, FieldKind, FormErrorNote, Frame, NumberCell, PostForm,
    SuccessNote, Table,
};
use crate::i18n::{OperatorTexts, group_thousands, plan_name};
use crate::local_path::with_query;
use crate::request_context::RequestContext;
use crate::server_fns::{CreateAccount, SetAccountPassword, SetAccountPlan, SubmittedFields};

/// The page's path.
const PATH: &str = "/operator";

/// The accounts that come after `?after=`, in the order of their making, and a form that makes one.
#[component]
pub fn OperatorPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let operator = ctx.owner().await?.may_operate()?;
        let after = ctx.query("after").map(|id| AccountId::parse(&id));
        let after = after.transpose()?;
        let (accounts, are_more) = ctx.service().accounts_after(&operator, after).await?;
        Ok(view! { <OperatorView ctx accounts are_more /> }.into_any())
    })
}

#[component]
fn OperatorView(ctx: RequestContext, accounts: Vec<AccountUsage>, are_more: bool) -> impl IntoView {
    let texts = &ctx.texts().operator;
    let submitted = SubmittedFields::take(&ctx);
    let last = accounts.last().filter(|_| are_more);
    let next = last.map(|account| with_query(PATH, &[("after", account.id.as_str())]));
    let first = ctx.query("after").map(|_| PATH.to_owned());
    view! {
        <Frame title=texts.title>
            <section class="account operator">
                <h1>{texts.title}</h1>
                <p>{texts.lead}</p>
                {texts.done().map(|(what, text)| view! { <SuccessNote what text /> })}
                <FormErrorNote form="accounts" />
                <Accounts texts accounts />
                <p class="pager">
                    <PagerLink path=first text=texts.first />
                    <PagerLink path=next text=texts.more />
                </p>
                <section class="card narrow" id="create">
                    <h2>{texts.create_title}</h2>
                    <p class="hint">{texts.create_text}</p>
                    <FormErrorNote form="create" />
                    <CreateForm texts email=submitted.get("email") />
                </section>
            </section>
        </Frame>
    }
    .into_any()
}

#[component]
fn PagerLink(path: Option<String>, text: &'static str) -> impl IntoView {
    path.map(|path| {
        view! {
            <a class="button quiet small" href=path>
                {text}
            </a>
        }
    })
}

#[component]
fn Accounts(texts: &'static OperatorTexts, accounts: Vec<AccountUsage>) -> impl IntoView {
    let columns = vec![
        Column::Text(texts.email),
        Column::Text(texts.plan),
        Column::Text(texts.since),
        Column::Number(texts.apps),
        Column::Number(texts.recipients),
        Column::Actions(texts.actions),
    ];
    let rows = accounts
        .into_iter()
        .map(move |account| view! { <AccountRow texts account /> });
    view! {
        <section class="card listing" id="accounts" aria-label=texts.title>
            <Table class="list accounts" columns>
                {rows.collect_view()}
            </Table>
        </section>
    }
    .into_any()
}

#[component]
fn AccountRow(texts: &'static OperatorTexts, account: AccountUsage) -> impl IntoView {
    let operator = account
        .is_operator
        .then(|| view! { <span class="scope">{texts.operator}</span> });
    view! {
        <tr>
            <td class="content">
                <b>{account.email.clone()}</b>
                {operator}
            </td>
            <td>{plan_name(account.plan)}</td>
            <td class="time" data-label=texts.since>
                <time>{account.created_at.day()}</time>
            </td>
            <NumberCell label=texts.apps value=group_thousands(account.apps) />
            <NumberCell label=texts.recipients value=group_thousands(account.recipients) />
            <td class="actions-cell">
                <PlanForm texts account=account.clone() />
                <PasswordForm texts account />
            </td>
        </tr>
    }
    .into_any()
}

/// The button that gives the account the other plan.
#[component]
fn PlanForm(texts: &'static OperatorTexts, account: AccountUsage) -> impl IntoView {
    let (plan, button) = match account.plan {
        Plan::Free => (Plan::Pro, texts.to_pro),
        Plan::Pro => (Plan::Free, texts.to_free),
    };
    let hidden = vec![("email", account.email), ("plan", plan.as_str().to_owned())];
    view! {
        <PostForm action=SetAccountPlan::url() hidden button button_class="button quiet small" />
    }
}

#[component]
fn PasswordForm(texts: &'static OperatorTexts, account: AccountUsage) -> impl IntoView {
    let password_id = format!("password-{}", account.id);
    let own_id = format!("own-{}", account.id);
    view! {
        <ConfirmDialog label=texts.set_password about=account.email.clone()>
            <p>{texts.set_password_text}</p>
            <PostForm
                action=SetAccountPassword::url()
                hidden=vec![("email", account.email)]
                button=texts.set_password
                button_class="button danger"
            >
                <div class="field">
                    <label for=password_id.clone()>{texts.new_password}</label>
                    <input
                        id=password_id
                        name="password"
                        type="password"
                        autocomplete="new-password"
                        minlength="8"
                        required
                    />
                </div>
                <div class="field">
                    <label for=own_id.clone()>{texts.your_password}</label>
                    <input
                        id=own_id
                        name="confirmation"
                        type="password"
                        autocomplete="current-password"
                        required
                    />
                </div>
            </PostForm>
        </ConfirmDialog>
    }
    .into_any()
}

#[component]
fn CreateForm(texts: &'static OperatorTexts, email: String) -> impl IntoView {
    view! {
        <PostForm action=CreateAccount::url() button=texts.create>
            <Field
                form="create"
                name="email"
                kind=FieldKind::Email
                label=texts.email
                value=email
            />
            <Field
                form="create"
                name="password"
                kind=FieldKind::NewPassword
                label=texts.password
            />
        </PostForm>
    }
    .into_any()
}
