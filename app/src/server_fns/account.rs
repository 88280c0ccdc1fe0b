//! What the owner of an account does with it.

use leptos::prelude::*;

use super::ServerFunctionError;

/// Changes the password, which ends every other session.
#[server(name = ChangePassword, prefix = "/_app", endpoint = "change_password")]
pub async fn change_password(
    /// The password that is; nothing where there is none.
    #[server(default)]
    current: String,
    /// The password to be.
    #[server(default)]
    new: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::new("/account", "password");
    let result = handlers::change_password(&form, current, new).await;
    form.respond(result)
}

/// Ends every session, this one included.
#[server(name = LogOutEverywhere, prefix = "/_app", endpoint = "logout_everywhere")]
pub async fn log_out_everywhere() -> Result<(), ServerFunctionError> {
    let form = super::form::Form::new("/account", "sessions");
    let result = handlers::log_out_everywhere(&form).await;
    form.respond(result)
}

/// Deletes the account.
#[server(name = DeleteAccount, prefix = "/_app", endpoint = "delete_account")]
pub async fn delete_account(
    /// The password, or the address where there is none.
    #[server(default)]
    confirmation: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::new("/account", "delete");
    let result = handlers::delete(&form, confirmation).await;
    form.respond(result)
}

#[cfg(feature = "ssr")]
mod handlers {
    use hato_domain::{LoginPassword, NewPassword};
    use hato_service::ServiceResult;

    use crate::server_fns::form::Form;
    use crate::session_cookie;

    /// The caller stays signed in, in a session of its own.
    pub async fn change_password(
        form: &Form,
        current: String,
        new: String,
    ) -> ServiceResult<String> {
        let owner = form.ctx().owner().await?;
        let (current, new) = (LoginPassword::parse(current)?, NewPassword::parse(new)?);
        form.service().change_password(&owner, current, new).await?;
        form.ctx().start_session(&owner).await?;
        Ok("/account?done=password#password".to_owned())
    }

    pub async fn log_out_everywhere(form: &Form) -> ServiceResult<String> {
        let owner = form.ctx().owner().await?;
        form.service().end_sessions(&owner).await?;
        forget_session(form);
        Ok("/login".to_owned())
    }

    pub async fn delete(form: &Form, confirmation: String) -> ServiceResult<String> {
        let owner = form.ctx().owner().await?;
        let confirmation = LoginPassword::parse(confirmation)?;
        form.service().delete_account(&owner, confirmation).await?;
        forget_session(form);
        Ok("/".to_owned())
    }

    fn forget_session(form: &Form) {
        let secure = form.ctx().app_context().secure_cookies;
        form.ctx().set_cookie(&session_cookie::clear(secure));
    }
}
