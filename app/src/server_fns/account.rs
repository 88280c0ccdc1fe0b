//! What the owner of an account does with it.

#[cfg(feature = "ssr")]
use hato_domain::{LoginPassword, NewPassword};
use leptos::prelude::*;
#[cfg(feature = "ssr")]
use leptos::server_fn::ServerFn as _;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;

/// The path to which changes of a password are posted, which the server counts as log-ins.
#[cfg(feature = "ssr")]
pub const CHANGE_PASSWORD_PATH: &str = ChangePassword::PATH;

/// Changes the password, which ends every other session; the caller stays logged in, in a session of its own.
#[server(name = ChangePassword, prefix = "/_app", endpoint = "change_password")]
pub async fn change_password(
    /// The password that is; nothing where there is none.
    #[server(default)]
    current: String,
    /// The password to be.
    #[server(default)]
    new: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::new("/account", "password");
    form.respond(async {
        let owner = form.ctx().owner().await?;
        let (current, new) = (LoginPassword::parse(current)?, NewPassword::parse(new)?);
        let owner = form.service().change_password(&owner, current, new);
        form.ctx().start_session(&owner.await?).await?;
        Ok("/account?done=password#password".to_owned())
    })
    .await
}

/// Ends every session, this one included.
#[server(name = LogOutEverywhere, prefix = "/_app", endpoint = "logout_everywhere")]
pub async fn log_out_everywhere() -> Result<(), ServerFunctionError> {
    let form = Form::new("/account", "sessions");
    form.respond(async {
        let owner = form.ctx().owner().await?;
        form.service().end_sessions(&owner).await?;
        form.ctx().clear_session_cookie();
        Ok("/login".to_owned())
    })
    .await
}

/// The path to which deletions of an account are posted, which the server counts as log-ins.
#[cfg(feature = "ssr")]
pub const DELETE_ACCOUNT_PATH: &str = DeleteAccount::PATH;

/// Deletes the account with its apps, subscribers and keys, for good.
#[server(name = DeleteAccount, prefix = "/_app", endpoint = "delete_account")]
pub async fn delete_account(
    /// The password, or the address where there is none.
    #[server(default)]
    confirmation: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::new("/account", "delete");
    form.respond(async {
        let owner = form.ctx().owner().await?;
        let confirmation = LoginPassword::parse(confirmation)?;
        form.service().delete_account(&owner, confirmation).await?;
        form.ctx().clear_session_cookie();
        Ok("/".to_owned())
    })
    .await
}
