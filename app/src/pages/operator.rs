//! The page at `/operator`: every account and its plan, for who runs the server.

mod row;

use hato_domain::AccountId;
use hato_service::ports::AccountUsage;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use self::row::AccountRow;
use super::load_page;
use crate::components::{
    Column, Field, FieldKind, FormErrorNote, Frame, PostForm, SuccessNote, Table,
};
use crate::i18n::OperatorTexts;
use crate::local_path::with_query;
use crate::request_context::RequestContext;
use crate::server_fns::{CreateAccount, SubmittedFields};

/// Where the page is, and where its forms lead.
const PATH: &str = "/operator";

/// The command that makes an account an operator's.
const MAKE_OPERATOR: &str = "hato-server admin make-operator EMAIL";

/// The forms of each row: that of the password, and that of the plan.
const ROW_FORMS: [&str; 2] = ["accounts", "plans"];

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
    let error = rows_error(&ctx, &accounts, &submitted);
    let last = accounts.last().filter(|_| are_more);
    let next = last.map(|account| with_query(PATH, &[("after", account.id.as_str())]));
    let first = ctx.query("after").map(|_| PATH.to_owned());
    view! {
        <Frame title=texts.title>
            <section class="account operator">
                <h1>{texts.title}</h1>
                <p>{texts.lead}</p>
                <p>
                    {texts.made_where} " " <code translate="no">{MAKE_OPERATOR}</code>
                </p>
                {texts.done().map(|(what, text)| view! { <SuccessNote what text /> })}
                <div id="plans">{error}</div>
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

/// Why a form of a row was refused, unless the row is there to say so.
fn rows_error(
    ctx: &RequestContext,
    accounts: &[AccountUsage],
    submitted: &SubmittedFields,
) -> impl IntoView + use<> {
    let row = ctx.query("row");
    let is_there = accounts
        .iter()
        .any(|account| Some(account.id.as_str()) == row.as_deref());
    let about = Some(submitted.get("account")).filter(|email| !email.is_empty());
    let note = |form: &'static str| view! { <FormErrorNote form about=about.clone() /> }.into_any();
    (!is_there).then(|| ROW_FORMS.map(note))
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
