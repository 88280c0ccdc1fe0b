//! Registering, logging in and logging out.

use leptos::prelude::*;

use super::ServerFunctionError;

/// Makes an account and signs it in; leads to `next`, or to the apps.
#[server(name = Register, prefix = "/_app", endpoint = "register")]
pub async fn register(
    /// The address.
    #[server(default)]
    email: String,
    /// The password.
    #[server(default)]
    password: String,
    /// The path to go on to.
    #[server(default)]
    next: String,
) -> Result<(), ServerFunctionError> {
    let form = handlers::auth_form("/register", "register", &email, &next);
    let result = handlers::register(&form, email, password, &next).await;
    form.respond(result)
}

/// Signs in with a password; leads to `next`, or to the apps.
#[server(name = LogIn, prefix = "/_app", endpoint = "login")]
pub async fn log_in(
    /// The address.
    #[server(default)]
    email: String,
    /// The password.
    #[server(default)]
    password: String,
    /// The path to go on to.
    #[server(default)]
    next: String,
) -> Result<(), ServerFunctionError> {
    let form = handlers::auth_form("/login", "login", &email, &next);
    let result = handlers::log_in(&form, email, password, &next).await;
    form.respond(result)
}

/// Ends the session.
#[server(name = LogOut, prefix = "/_app", endpoint = "logout")]
pub async fn log_out() -> Result<(), ServerFunctionError> {
    let form = super::form::Form::new("/", "logout");
    let result = handlers::log_out(&form).await;
    form.respond(result)
}

#[cfg(feature = "ssr")]
mod handlers {
    use hato_domain::wire::Credentials;
    use hato_service::ServiceResult;
    use hato_service::access::AccountPrincipal;

    use crate::local_path::{local_path, with_query};
    use crate::server_fns::form::Form;
    use crate::session_cookie;

    pub fn auth_form(page: &str, name: &'static str, email: &str, next: &str) -> Form {
        let page = match local_path(next) {
            Some(next) => with_query(page, &[("next", next)]),
            None => page.to_owned(),
        };
        Form::new(page, name).keep("email", email)
    }

    pub async fn register(
        form: &Form,
        email: String,
        password: String,
        next: &str,
    ) -> ServiceResult<String> {
        let (email, password) = credentials(email, password).for_registration()?;
        let owner = form.service().register(email, password).await?;
        replace_session(form, &owner, next).await
    }

    pub async fn log_in(
        form: &Form,
        email: String,
        password: String,
        next: &str,
    ) -> ServiceResult<String> {
        let (email, password) = credentials(email, password).for_login()?;
        let owner = form.service().log_in(&email, password).await?;
        replace_session(form, &owner, next).await
    }

    pub async fn log_out(form: &Form) -> ServiceResult<String> {
        end_session(form).await?;
        let secure = form.ctx().app_context().secure_cookies;
        form.ctx().set_cookie(&session_cookie::clear(secure));
        Ok("/".to_owned())
    }

    /// Starts a session of its own for every sign-in, and ends the one there was.
    async fn replace_session(
        form: &Form,
        owner: &AccountPrincipal,
        next: &str,
    ) -> ServiceResult<String> {
        end_session(form).await?;
        form.ctx().start_session(owner).await?;
        Ok(local_path(next).unwrap_or("/apps").to_owned())
    }

    async fn end_session(form: &Form) -> ServiceResult<()> {
        match session_cookie::read(form.ctx().headers()) {
            Some(token) => form.service().end_session(&token).await,
            None => Ok(()),
        }
    }

    fn credentials(email: String, password: String) -> Credentials {
        Credentials {
            email: Some(email).filter(|text| !text.is_empty()),
            password: Some(password).filter(|text| !text.is_empty()),
        }
    }
}
