//! Registering, logging in and logging out.

use leptos::prelude::*;

use super::CallError;

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
) -> Result<(), CallError> {
    let form = entrance::form("/register", "register", &email, &next);
    let result = entrance::register(&form, email, password, &next).await;
    form.answer(result)
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
) -> Result<(), CallError> {
    let form = entrance::form("/login", "login", &email, &next);
    let result = entrance::log_in(&form, email, password, &next).await;
    form.answer(result)
}

/// Ends the session.
#[server(name = LogOut, prefix = "/_app", endpoint = "logout")]
pub async fn log_out() -> Result<(), CallError> {
    let form = super::form::Form::of("/", "logout");
    let result = entrance::log_out(&form).await;
    form.answer(result)
}

#[cfg(feature = "ssr")]
mod entrance {
    use hato_domain::wire::Credentials;
    use hato_service::ServiceResult;
    use hato_service::access::AccountPrincipal;

    use crate::calls::form::Form;
    use crate::own_path::{own_path, with_query};
    use crate::session_cookie;

    pub fn form(page: &str, name: &'static str, email: &str, next: &str) -> Form {
        let page = match own_path(next) {
            Some(next) => with_query(page, &[("next", next)]),
            None => page.to_owned(),
        };
        Form::of(page, name).keep("email", email)
    }

    pub async fn register(
        form: &Form,
        email: String,
        password: String,
        next: &str,
    ) -> ServiceResult<String> {
        let (email, password) = credentials(email, password).for_registration()?;
        let owner = form.service().register(email, password).await?;
        enter(form, &owner, next).await
    }

    pub async fn log_in(
        form: &Form,
        email: String,
        password: String,
        next: &str,
    ) -> ServiceResult<String> {
        let (email, password) = credentials(email, password).for_login()?;
        let owner = form.service().log_in(&email, password).await?;
        enter(form, &owner, next).await
    }

    pub async fn log_out(form: &Form) -> ServiceResult<String> {
        leave(form).await?;
        let secure = form.visit().context().secure_cookies;
        form.visit().set_cookie(&session_cookie::clear(secure));
        Ok("/".to_owned())
    }

    /// Starts a session of its own for every sign-in, and ends the one there was.
    async fn enter(form: &Form, owner: &AccountPrincipal, next: &str) -> ServiceResult<String> {
        leave(form).await?;
        form.visit().start_session(owner).await?;
        Ok(own_path(next).unwrap_or("/apps").to_owned())
    }

    async fn leave(form: &Form) -> ServiceResult<()> {
        match session_cookie::read(form.visit().headers()) {
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
