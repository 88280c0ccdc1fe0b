//! An account in the operator's list, and what can be done with it.

use hato_domain::Plan;
use hato_service::ports::AccountUsage;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::ROW_FORMS;
use crate::components::{
    ConfirmDialog, Field, FieldKind, NumberCell, PostForm, RowErrorNote, TimeCell, TimeStyle,
};
use crate::i18n::{OperatorTexts, group_thousands, plan_name};
use crate::request_context::RequestContext;
use crate::server_fns::{SetAccountPassword, SetAccountPlan};

/// The account with its forms, and why one of them was refused.
#[component]
pub(super) fn AccountRow(texts: &'static OperatorTexts, account: AccountUsage) -> impl IntoView {
    let operator = account
        .is_operator
        .then(|| view! { <span class="scope">{texts.operator}</span> });
    let errors = ROW_FORMS.map(|form| view! { <RowErrorNote form row=account.id.to_string() /> });
    view! {
        <tr>
            <td class="content">
                <b>{account.email.clone()}</b>
                {operator}
                {errors}
            </td>
            <td>{plan_name(account.plan)}</td>
            <TimeCell label=texts.since at=account.created_at style=TimeStyle::Day />
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

/// What each form of a row posts of it, and of the page that it is on.
fn identity(account: &AccountUsage) -> Vec<(&'static str, String)> {
    let page = RequestContext::current().query("after");
    vec![
        ("email", account.email.clone()),
        ("account", account.id.to_string()),
        ("after", page.unwrap_or_default()),
    ]
}

/// The button that gives the account the other plan.
#[component]
fn PlanForm(texts: &'static OperatorTexts, account: AccountUsage) -> impl IntoView {
    let (plan, button) = match account.plan {
        Plan::Free => (Plan::Pro, texts.to_pro),
        Plan::Pro => (Plan::Free, texts.to_free),
    };
    let mut hidden = identity(&account);
    hidden.push(("plan", plan.as_str().to_owned()));
    view! {
        <PostForm action=SetAccountPlan::url() hidden button button_class="button quiet small" />
    }
}

#[component]
fn PasswordForm(texts: &'static OperatorTexts, account: AccountUsage) -> impl IntoView {
    let row = account.id.to_string();
    let refused = RequestContext::current().row_refusal("accounts", &row);
    view! {
        <ConfirmDialog label=texts.set_password about=account.email.clone() open=refused.is_some()>
            <p>{texts.set_password_text}</p>
            <PostForm
                action=SetAccountPassword::url()
                hidden=identity(&account)
                button=texts.set_password
                button_class="button danger"
            >
                <Field
                    form="accounts"
                    row=row.clone()
                    name="password"
                    kind=FieldKind::NewPassword
                    label=texts.new_password
                />
                <Field
                    form="accounts"
                    row
                    name="confirmation"
                    kind=FieldKind::Password
                    label=texts.your_password
                />
            </PostForm>
        </ConfirmDialog>
    }
    .into_any()
}
