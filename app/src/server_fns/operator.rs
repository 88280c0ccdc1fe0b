//! What operators do with accounts, as `hato-server admin` does. Each says so in the log, with the ids of both accounts.

#[cfg(feature = "ssr")]
use hato_domain::{AccountId, Email, ErrorCode, LoginPassword, NewPassword, Plan};
use leptos::prelude::*;
#[cfg(feature = "ssr")]
use leptos::server_fn::ServerFn as _;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::local_path::with_query;

/// The path to which an operator posts somebody's new password, which the server counts as log-ins.
#[cfg(feature = "ssr")]
pub const OPERATOR_PASSWORD_PATH: &str = SetAccountPassword::PATH;

/// Gives an account a plan.
#[server(name = SetAccountPlan, prefix = "/_app", endpoint = "operator_set_plan")]
pub async fn set_account_plan(
    /// The account's address.
    #[server(default)]
    email: String,
    /// `free` or `pro`.
    #[server(default)]
    plan: String,
    /// The account's id, by which the page knows the form's row.
    #[server(default)]
    account: String,
    /// The id of the account after which the page begins.
    #[server(default)]
    after: String,
) -> Result<(), ServerFunctionError> {
    let form = row_form("plans", &after, &account, &email);
    form.respond(async {
        let owner = form.ctx().owner().await?;
        let operator = owner.may_operate()?;
        let (email, plan) = (Email::parse(&email)?, parse_plan(&plan)?);
        let account = form.service().account_id(&operator, &email).await?;
        form.service().set_plan(&operator, &email, plan).await?;
        let (by, plan) = (owner.id(), plan.as_str());
        tracing::info!(operator = %by, %account, plan, "an operator has set a plan");
        Ok(form.page_with("done=plan"))
    })
    .await
}

/// Gives an account a password, and ends its sessions.
#[server(name = SetAccountPassword, prefix = "/_app", endpoint = "operator_set_password")]
pub async fn set_account_password(
    /// The account's address.
    #[server(default)]
    email: String,
    /// The password to be, of 8 to 128 characters.
    #[server(default)]
    password: String,
    /// The operator's own password, or the address where there is none.
    #[server(default)]
    confirmation: String,
    /// The account's id, by which the page knows the form's row.
    #[server(default)]
    account: String,
    /// The id of the account after which the page begins.
    #[server(default)]
    after: String,
) -> Result<(), ServerFunctionError> {
    let form = row_form("accounts", &after, &account, &email);
    form.respond(async {
        let owner = form.ctx().owner().await?;
        let operator = owner.may_operate()?;
        let (email, password) = (Email::parse(&email)?, NewPassword::parse(password)?);
        let confirmation = LoginPassword::parse(confirmation)?;
        let account = form.service().account_id(&operator, &email).await?;
        form.service()
            .set_password_as(&owner, confirmation, &email, password)
            .await?;
        tracing::info!(operator = %owner.id(), %account, "an operator has set a password");
        Ok(form.page_with("done=password"))
    })
    .await
}

/// Makes an account, whether strangers may register or not.
#[server(name = CreateAccount, prefix = "/_app", endpoint = "operator_create_account")]
pub async fn create_account(
    /// The address of the account, which nobody else may have.
    #[server(default)]
    email: String,
    /// The password to be, of 8 to 128 characters.
    #[server(default)]
    password: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::new("/operator", "create").keep("email", &email);
    form.respond(async {
        let owner = form.ctx().owner().await?;
        let operator = owner.may_operate()?;
        let (email, password) = (Email::parse(&email)?, NewPassword::parse(password)?);
        let made = form.service().create_account(&operator, email, password);
        let account = made.await?.id;
        tracing::info!(operator = %owner.id(), %account, "an operator has made an account");
        Ok(form.page_with("done=created"))
    })
    .await
}

/// The form in the row of an account, on the page that begins after another.
#[cfg(feature = "ssr")]
fn row_form(name: &'static str, after: &str, account: &str, email: &str) -> Form {
    let after = AccountId::parse(after).map(|id| id.to_string());
    let page = with_query("/operator", &[("after", &after.unwrap_or_default())]);
    let form = Form::new(page, name).keep("account", email);
    form.in_row(AccountId::parse(account).ok())
}

#[cfg(feature = "ssr")]
fn parse_plan(text: &str) -> Result<Plan, ErrorCode> {
    Plan::parse(text).map_err(|_| ErrorCode::InvalidInput)
}
