//! How a server function answers: with scripts off a form must lead somewhere, and what was typed must not be lost.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use hato_domain::{AppId, ErrorCode};
use hato_service::{Service, ServiceError, ServiceResult};
use url::form_urlencoded::Serializer;

use super::ServerFunctionError;
use crate::flash::{self, SUBMITTED_FIELDS};
use crate::request_context::RequestContext;

/// In a page's address: the form that was filled in before the login.
const UNSENT: &str = "unsent";

/// A form that was posted, and the page that shows it.
pub struct Form {
    ctx: RequestContext,
    page: String,
    name: &'static str,
    row: Option<String>,
    submitted: HashMap<&'static str, String>,
}

/// What was typed into a form that was refused, by the name of the field.
#[derive(Clone)]
pub struct SubmittedFields(Arc<HashMap<String, String>>);

impl Form {
    /// The form `name` of the page at `page`.
    pub fn new(page: impl Into<String>, name: &'static str) -> Self {
        Self {
            ctx: RequestContext::current(),
            page: page.into(),
            name,
            row: None,
            submitted: HashMap::new(),
        }
    }

    /// The form `name` on the page at `below` of the app with this id, which may be anything.
    pub fn for_app(app: &str, below: &str, name: &'static str) -> Self {
        let page = AppId::parse(app)
            .map_or_else(|_| "/apps".to_owned(), |id| format!("/apps/{id}{below}"));
        Self::new(page, name)
    }

    /// Says in which row of its page the form is, where each row has one: that of the thing with this id, if it is one.
    #[must_use]
    pub fn in_row(mut self, id: Option<impl Display>) -> Self {
        self.row = id.map(|id| id.to_string());
        self
    }

    /// Remembers what was typed into a field, for the case that the form is refused. Never a password.
    #[must_use]
    pub fn keep(mut self, field: &'static str, text: &str) -> Self {
        self.submitted.insert(field, text.to_owned());
        self
    }

    pub fn ctx(&self) -> &RequestContext {
        &self.ctx
    }

    pub fn service(&self) -> &Service {
        self.ctx.service()
    }

    /// The path of the form's page.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// The path of the form's page with more in its query.
    pub fn page_with(&self, more: &str) -> String {
        let separator = if self.page.contains('?') { '&' } else { '?' };
        format!("{}{separator}{more}", self.page)
    }

    /// Does what was asked for and answers: on to the path that came out, or back to the form with the error's code.
    pub async fn respond(
        &self,
        action: impl Future<Output = ServiceResult<String>>,
    ) -> Result<(), ServerFunctionError> {
        let path = self.respond_to_script(action).await?;
        self.ctx.redirect(&path);
        Ok(())
    }

    /// Does what a script asked for; the script shows what came out by itself.
    pub async fn respond_to_script<T>(
        &self,
        action: impl Future<Output = ServiceResult<T>>,
    ) -> Result<T, ServerFunctionError> {
        action.await.map_err(|error| self.refuse(&error))
    }

    fn refuse(&self, error: &ServiceError) -> ServerFunctionError {
        let code = error.code();
        if let Some(cause) = error.cause() {
            tracing::error!(form = self.name, error = cause, "a form failed");
        }
        self.ctx.refuse(code);
        if self.ctx.wants_json() {
            return ServerFunctionError(code);
        }
        if error.is_logged_out() {
            let page = self.page_after_login();
            self.ctx.redirect_to_login(&page);
        } else if !self.ctx.redirect_to_review(error) {
            self.keep_submitted(flash::LIFETIME);
            self.ctx.redirect(&self.refused_page(code));
        }
        ServerFunctionError(code)
    }

    /// The form's page, which says there why it was refused.
    fn refused_page(&self, code: ErrorCode) -> String {
        let mut query = Serializer::new(String::new());
        query.extend_pairs([("error", code.as_str()), ("form", self.name)]);
        query.extend_pairs(self.row.iter().map(|row| ("row", row)));
        self.page_with(&format!("{}#{}", query.finish(), self.name))
    }

    /// Where a login leads back to: the form's page, and the form with what was typed if something was.
    fn page_after_login(&self) -> String {
        let has_input = self.submitted.values().any(|text| !text.is_empty());
        if !has_input {
            return self.page.clone();
        }
        self.keep_submitted(flash::LOGIN_LIFETIME);
        self.page_with(&format!("{UNSENT}={name}#{name}", name = self.name))
    }

    /// Hands what was typed to the form's page.
    fn keep_submitted(&self, lifetime: Duration) {
        let path = self.page.split('?').next().unwrap_or(&self.page);
        let fields = &self.submitted;
        flash::set(&self.ctx, SUBMITTED_FIELDS, path, fields, lifetime);
    }
}

impl SubmittedFields {
    /// What a refused form handed to this page.
    pub fn take(ctx: &RequestContext) -> Self {
        Self(Arc::new(
            flash::take(ctx, SUBMITTED_FIELDS).unwrap_or_default(),
        ))
    }

    /// Whether this page was asked for after a login that came between `form` and its sending.
    pub fn is_unsent(ctx: &RequestContext, form: &str) -> bool {
        ctx.query(UNSENT).as_deref() == Some(form)
    }

    /// What was typed into the field; nothing by default.
    pub fn get(&self, field: &str) -> String {
        self.0.get(field).cloned().unwrap_or_default()
    }
}
