//! Registering, logging in and logging out.

#[cfg(feature = "ssr")]
use hato_domain::wire::Credentials;
#[cfg(feature = "ssr")]
use hato_service::ServiceResult;
#[cfg(feature = "ssr")]
use hato_service::access::AccountPrincipal;
use leptos::prelude::*;
#[cfg(feature = "ssr")]
use leptos::server_fn::ServerFn as _;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::local_path::{local_path, with_query};
#[cfg(feature = "ssr")]
use crate::session_cookie;

/// The path to which registrations are posted, each of which the server counts.
#[cfg(feature = "ssr")]
pub const REGISTER_PATH: &str = Register::PATH;

/// Makes an account and signs it in; leads to `next`, or to the apps.
#[server(name = Register, prefix = "/_app", endpoint = "register")]
pub async fn register(
    /// The email address of the account, which nobody else may have, of up to 254 bytes.
    #[server(default)]
    email: String,
    /// The password to be, of 8 to 128 characters.
    #[server(default)]
    password: String,
    /// The path to go on to.
    #[server(default)]
    next: String,
) -> Result<(), ServerFunctionError> {
    let form = auth_form("/register", "register", &email, &next);
    form.respond(async {
        let (email, password) = credentials(email, password).for_registration()?;
        let owner = form.service().register(email, password).await?;
        replace_session(&form, &owner, &next).await
    })
    .await
}

/// The path to which log-ins are posted, each of which the server counts.
#[cfg(feature = "ssr")]
pub const LOG_IN_PATH: &str = LogIn::PATH;

/// Logs in with a password; leads to `next`, or to the apps.
#[server(name = LogIn, prefix = "/_app", endpoint = "login")]
pub async fn log_in(
    /// The email address that the account was made with, in upper or lower case.
    #[server(default)]
    email: String,
    /// The account's password, as it was typed.
    #[server(default)]
    password: String,
    /// The path to go on to.
    #[server(default)]
    next: String,
) -> Result<(), ServerFunctionError> {
    let form = auth_form("/login", "login", &email, &next);
    form.respond(async {
        let (email, password) = credentials(email, password).for_login()?;
        let owner = form.service().log_in(&email, password).await?;
        replace_session(&form, &owner, &next).await
    })
    .await
}

/// Ends the session of this browser; others of the account go on.
#[server(name = LogOut, prefix = "/_app", endpoint = "logout")]
pub async fn log_out() -> Result<(), ServerFunctionError> {
    let form = Form::new("/", "logout");
    form.respond(async {
        end_session(&form).await?;
        form.ctx().clear_session_cookie();
        Ok("/".to_owned())
    })
    .await
}

/// The form `name` of a login page, which leads on to `next` if that is a path of this site.
#[cfg(feature = "ssr")]
fn auth_form(page: &str, name: &'static str, email: &str, next: &str) -> Form {
    let next = local_path(next).unwrap_or_default();
    Form::new(with_query(page, &[("next", next)]), name).keep("email", email)
}

/// Starts a session of its own for every login, and ends the one there was.
#[cfg(feature = "ssr")]
async fn replace_session(
    form: &Form,
    owner: &AccountPrincipal,
    next: &str,
) -> ServiceResult<String> {
    end_session(form).await?;
    form.ctx().start_session(owner).await?;
    Ok(local_path(next).unwrap_or("/apps").to_owned())
}

#[cfg(feature = "ssr")]
async fn end_session(form: &Form) -> ServiceResult<()> {
    match session_cookie::read(form.ctx().headers()) {
        Some(token) => form.service().end_session(&token).await,
        None => Ok(()),
    }
}

#[cfg(feature = "ssr")]
fn credentials(email: String, password: String) -> Credentials {
    Credentials {
        email: Some(email).filter(|text| !text.is_empty()),
        password: Some(password).filter(|text| !text.is_empty()),
    }
}
