//! How a server function answers: with scripts off a form must lead somewhere, and what was typed must not be lost.

use std::collections::HashMap;
use std::sync::Arc;

use hato_domain::AppId;
use hato_service::{Service, ServiceError, ServiceResult};

use super::CallError;
use crate::once::{self, TYPED};
use crate::own_path::with_query;
use crate::visit::Visit;

/// In a page's address: the form that was filled in before the login.
const UNSENT: &str = "unsent";

/// A form that was posted, and the page that shows it.
pub struct Form {
    visit: Visit,
    page: String,
    name: &'static str,
    typed: HashMap<&'static str, String>,
}

/// What was typed into a form that was refused, by the name of the field.
#[derive(Clone)]
pub struct Typed(Arc<HashMap<String, String>>);

impl Form {
    /// The form `name` of the page at `page`.
    pub fn of(page: impl Into<String>, name: &'static str) -> Self {
        Self {
            visit: Visit::current(),
            page: page.into(),
            name,
            typed: HashMap::new(),
        }
    }

    /// The form `name` on the page at `below` of the app with this id, which may be anything.
    pub fn of_app(app: &str, below: &str, name: &'static str) -> Self {
        let page = AppId::parse(app)
            .map_or_else(|_| "/apps".to_owned(), |id| format!("/apps/{id}{below}"));
        Self::of(page, name)
    }

    /// Remembers what was typed into a field, for the case that the form is refused. Never a password.
    #[must_use]
    pub fn keep(mut self, field: &'static str, text: &str) -> Self {
        self.typed.insert(field, text.to_owned());
        self
    }

    /// The request.
    pub fn visit(&self) -> &Visit {
        &self.visit
    }

    /// The use cases.
    pub fn service(&self) -> &Service {
        self.visit.service()
    }

    /// The path of the form's page.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// The path of the form's page with more in its query.
    pub fn page_with(&self, more: &str) -> String {
        let joint = if self.page.contains('?') { '&' } else { '?' };
        format!("{}{joint}{more}", self.page)
    }

    /// Answers: on to the path that came out, or back to the form with the error's code.
    pub fn answer(self, result: ServiceResult<String>) -> Result<(), CallError> {
        match result {
            Ok(path) => {
                self.visit.redirect(&path);
                Ok(())
            }
            Err(error) => Err(self.refuse(&error)),
        }
    }

    /// Answers a script, which shows what came out by itself.
    pub fn answer_script<T>(self, result: ServiceResult<T>) -> Result<T, CallError> {
        result.map_err(|error| self.refuse(&error))
    }

    fn refuse(self, error: &ServiceError) -> CallError {
        let code = error.code();
        if let Some(cause) = error.cause() {
            tracing::error!(form = self.name, cause, "a form failed");
        }
        if self.visit.is_scripted() {
            self.visit.set_status(code.status());
        } else {
            self.lead_back(error);
        }
        CallError(code)
    }

    fn lead_back(self, error: &ServiceError) {
        if error.is_signed_out() {
            return self.lead_past_login();
        }
        once::hand(&self.visit, TYPED, path_of(&self.page), &self.typed);
        let (code, name) = (error.code(), self.name);
        let path = self.page_with(&format!("error={code}&form={name}#{name}"));
        self.visit.redirect(&path);
    }

    /// To the login, and from there back to the form, which holds what was typed.
    fn lead_past_login(&self) {
        let has_typed = self.typed.values().any(|text| !text.is_empty());
        let back = if has_typed {
            once::hand_past_login(&self.visit, TYPED, path_of(&self.page), &self.typed);
            self.page_with(&format!("{UNSENT}={name}#{name}", name = self.name))
        } else {
            self.page.clone()
        };
        self.visit
            .redirect(&with_query("/login", &[("next", &back)]));
    }
}

impl Typed {
    /// What a refused form handed to this page.
    pub fn take(visit: &Visit) -> Self {
        Self(Arc::new(once::take(visit, TYPED).unwrap_or_default()))
    }

    /// Whether this page was asked for after a login that came between `form` and its sending.
    pub fn is_unsent(visit: &Visit, form: &str) -> bool {
        visit.query(UNSENT).as_deref() == Some(form)
    }

    /// What was typed into the field; nothing by default.
    pub fn of(&self, field: &str) -> String {
        self.0.get(field).cloned().unwrap_or_default()
    }
}

fn path_of(page: &str) -> &str {
    page.split('?').next().unwrap_or(page)
}
