//! One request to the dashboard and the response being made for it: what pages and server functions have in common.

mod wrong_fields;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hato_domain::{AppId, ErrorCode, SendId, TimeZoneOffsets};
use hato_service::access::{AccountPrincipal, MayManage};
use hato_service::ports::AppRecord;
use hato_service::{Service, ServiceError, ServiceResult};
use http::header::{ACCEPT, CACHE_CONTROL, HeaderName, LOCATION, SET_COOKIE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use leptos::prelude::{expect_context, provide_context};
use leptos_axum::ResponseOptions;
use tracing::Span;
use url::form_urlencoded;

pub use self::wrong_fields::WrongField;
use self::wrong_fields::WrongFields;
use crate::i18n::Texts;
use crate::language::Lang;
use crate::lasting_access::LastingAccess;
use crate::local_path::with_query;
use crate::refusal::RefusalCell;
use crate::theme::Theme;
use crate::{AppContext, cookie, language, session_cookie, theme, time_zone};

/// The page on which an owner decides about what was there before.
pub const REVIEW_PATH: &str = "/account/review";

/// Most other apps that a page of an app leads to.
const MAX_OTHER_APPS: i64 = 20;

/// The header of a form whose page stays open until it is known where the form leads.
const STAYING_FORM: HeaderName = HeaderName::from_static("x-hato-form");

/// A request and the response being made for it.
#[derive(Clone)]
pub struct RequestContext {
    context: AppContext,
    request: Arc<Parts>,
    response: ResponseOptions,
    /// The span of the request: parts of a page are made in tasks that have none.
    span: Span,
    lang: Lang,
    theme: Theme,
    owner: Arc<OnceLock<AccountPrincipal>>,
    /// Other apps of the owner, of a page of an app.
    other_apps: Arc<OnceLock<Vec<AppRecord>>>,
    /// The id of the page's form that the language switch posts, so that what is typed stays.
    draft_form: Arc<OnceLock<&'static str>>,
    /// What is wrong with the fields of a form that is answered in place.
    wrong_fields: Arc<OnceLock<WrongFields>>,
}

impl RequestContext {
    /// Provides the context of this request: the one place where leptos' contexts are filled.
    pub fn provide(context: AppContext) {
        let request = Arc::new(expect_context::<Parts>());
        let lang = Lang::from_headers(&request.headers);
        let theme = Theme::from_headers(&request.headers);
        provide_context(Self {
            context,
            request,
            response: expect_context(),
            span: Span::current(),
            lang,
            theme,
            owner: Arc::default(),
            other_apps: Arc::default(),
            draft_form: Arc::default(),
            wrong_fields: Arc::default(),
        });
    }

    /// Speaks this language in the response that is being made, and by a cookie in those to come.
    pub fn choose_language(lang: Lang) {
        let ctx = Self {
            lang,
            ..Self::current()
        };
        ctx.remember_language();
        provide_context(ctx);
    }

    /// Has these colours in the response that is being made, and by a cookie in those to come.
    pub fn choose_theme(theme: Theme) {
        let ctx = Self {
            theme,
            ..Self::current()
        };
        let lifetime = language::COOKIE_LIFETIME;
        ctx.set_cookie(theme::COOKIE, theme.as_str(), "/", lifetime);
        provide_context(ctx);
    }

    /// Remembers the response's language in the browser.
    fn remember_language(&self) {
        let lifetime = language::COOKIE_LIFETIME;
        self.set_cookie(language::COOKIE, self.lang.as_str(), "/", lifetime);
    }

    /// Makes the language switch post the page's form with this id, which answers in the language chosen.
    pub fn switch_with_form(&self, id: &'static str) {
        let _ = self.draft_form.set(id);
    }

    /// The id of the form that the language switch is to post, if there is one.
    pub fn draft_form(&self) -> Option<&'static str> {
        self.draft_form.get().copied()
    }

    /// The context of the request in whose course this runs.
    pub fn current() -> Self {
        expect_context()
    }

    /// What the server that runs the dashboard has configured.
    pub fn app_context(&self) -> &AppContext {
        &self.context
    }

    /// The page about plans, for links.
    pub fn pricing_url(&self) -> String {
        self.context.pricing_url.clone()
    }

    /// The use cases of the product.
    pub fn service(&self) -> &Service {
        &self.context.service
    }

    /// The language of the response.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The colours of the response.
    pub fn theme(&self) -> Theme {
        self.theme
    }

    /// How far the visitor's clock is ahead of UTC, where their browser has told it.
    pub fn time_zone(&self) -> Option<TimeZoneOffsets> {
        time_zone::from_headers(self.headers())
    }

    /// The texts of the response's language.
    pub fn texts(&self) -> &'static Texts {
        Texts::for_language(self.lang)
    }

    pub fn headers(&self) -> &HeaderMap {
        &self.request.headers
    }

    /// Whether a form was posted.
    pub fn is_form(&self) -> bool {
        self.request.method == Method::POST
    }

    /// The request without its body.
    pub fn request(&self) -> &Parts {
        &self.request
    }

    /// The path asked for, without the query.
    pub fn path(&self) -> &str {
        self.request.uri.path()
    }

    /// The path and the query asked for.
    pub fn path_and_query(&self) -> &str {
        self.request
            .uri
            .path_and_query()
            .map_or("/", http::uri::PathAndQuery::as_str)
    }

    /// The first value of this name in the query; an empty one counts as absent.
    pub fn query(&self, name: &str) -> Option<String> {
        query_value(&self.request.uri, name)
    }

    /// The id of the app whose sends and subscribers a search looks at: that of the page's path, or on the page of searches the one asked
    /// for.
    pub fn searched_app(&self) -> Option<String> {
        let mut segments = self.path().split('/').skip(1);
        let id = match (segments.next(), segments.next()) {
            (Some("apps"), Some(id)) => id.to_owned(),
            (Some("search"), None) => self.query("app")?,
            _ => return None,
        };
        AppId::parse(&id).is_ok().then_some(id)
    }

    /// The error with which a form led back here (`?error=CODE`).
    pub fn form_error(&self) -> Option<ErrorCode> {
        ErrorCode::parse(&self.query("error")?)
    }

    /// The error with which the form of this name led back here.
    pub fn form_refusal(&self, form: &str) -> Option<ErrorCode> {
        let is_it = self.query("form").as_deref() == Some(form);
        self.form_error().filter(|_| is_it)
    }

    /// The same of the form in one row of a page that has it in each of its rows.
    pub fn row_refusal(&self, form: &str, row: &str) -> Option<ErrorCode> {
        let is_it = self.query("row").as_deref() == Some(row);
        self.form_refusal(form).filter(|_| is_it)
    }

    /// The owner, which is who is logged in: without a cookie `UNAUTHORIZED`, with a dead session `INVALID_SESSION`, and
    /// `INSUFFICIENT_SCOPE` while apps wait for their review. `load_page` and `Form::respond` answer them with
    /// [`Self::redirect_to_login`] and [`Self::redirect_to_review`].
    pub async fn owner(&self) -> ServiceResult<AccountPrincipal> {
        let owner = self.owner_before_review().await?;
        owner.require_reviewed()?;
        Ok(owner)
    }

    /// The owner, whether apps wait for their review or not; refuses as [`Self::owner`] does else.
    pub async fn owner_before_review(&self) -> ServiceResult<AccountPrincipal> {
        let token = session_cookie::read(self.headers()).ok_or(ErrorCode::Unauthorized)?;
        let session = self.service().authenticate_session(&token).await?;
        if session.renewed {
            self.set_session_cookie(&token);
        }
        self.set_header(CACHE_CONTROL, "no-store");
        Ok(self.owner.get_or_init(|| session.owner).clone())
    }

    /// The right of the owner to manage the app with this id; another account's app is `NOT_FOUND`. It is the value that
    /// REST's `ManageAccess` holds, and goes to the same use cases.
    pub async fn may_manage(&self, app: &str) -> ServiceResult<MayManage> {
        let owner = self.owner().await?;
        self.service().manage(&owner, app).await
    }

    /// The same right for what goes on for longer than it takes to make a page.
    pub async fn lasting_access(&self, app: &str) -> ServiceResult<LastingAccess> {
        let session = session_cookie::read(self.headers());
        LastingAccess::check(&self.context.service, session, app).await
    }

    /// The right of the owner to manage the app that a page is about, and the app. Other apps are read along, for
    /// [`Self::other_apps`]: the newest ones, for there may be any number.
    pub async fn managed_app(&self, app: &str) -> ServiceResult<(MayManage, AppRecord)> {
        let owner = self.owner().await?;
        let apps = self
            .service()
            .managed_among(&owner, app, "", 1 + MAX_OTHER_APPS);
        let (access, app, others) = apps.await?;
        let _ = self.other_apps.set(others);
        Ok((access, app))
    }

    /// Apps that one can go on to from a page of an app.
    pub fn other_apps(&self) -> &[AppRecord] {
        self.other_apps.get().map_or(&[], Vec::as_slice)
    }

    /// The owner, if somebody is logged in: public pages ignore a dead session.
    pub async fn logged_in_owner(&self) -> Option<AccountPrincipal> {
        self.owner_before_review().await.ok()
    }

    /// The owner, if a call of [`Self::owner`] has found one while this request was answered.
    pub fn cached_owner(&self) -> Option<&AccountPrincipal> {
        self.owner.get()
    }

    /// Starts a session of this browser.
    pub async fn start_session(&self, owner: &AccountPrincipal) -> ServiceResult<()> {
        let browser = session_cookie::user_agent(self.headers());
        let token = self.service().start_session(owner, browser).await?;
        self.set_session_cookie(&token);
        Ok(())
    }

    /// Hands a session's token to the browser.
    fn set_session_cookie(&self, token: &str) {
        self.append_cookie(&session_cookie::set(token, self.context.secure_cookies));
    }

    /// Takes the session's token from the browser.
    pub fn clear_session_cookie(&self) {
        self.append_cookie(&session_cookie::clear(self.context.secure_cookies));
    }

    /// Sets a cookie, as [`cookie::set`] describes it.
    pub fn set_cookie(&self, name: &str, value: &str, path: &str, lifetime: Duration) {
        let secure = self.context.secure_cookies;
        self.append_cookie(&cookie::set(name, value, path, lifetime, secure));
    }

    fn append_cookie(&self, cookie: &str) {
        if let Ok(cookie) = HeaderValue::from_str(cookie) {
            self.response.append_header(SET_COOKIE, cookie);
        }
    }

    /// Whether a script asks, and not a page or a form.
    pub fn wants_json(&self) -> bool {
        wants_json(self.headers())
    }

    /// Answers with a redirect to `path`, which the browser follows with GET. A script that posts a form for its page
    /// (`app/scripts/forms.js`) is only told the path, and goes there by itself.
    pub fn redirect(&self, path: &str) {
        if !self.headers().contains_key(STAYING_FORM) {
            self.set_status(StatusCode::SEE_OTHER.as_u16());
        }
        self.set_header(LOCATION, path);
    }

    /// Answers with a redirect to `/login?next=…`, from where a login leads on to `next`, a path of this site. Pages do so in
    /// `pages.rs`, refused forms in `server_fns/form.rs`.
    pub fn redirect_to_login(&self, next: &str) {
        self.redirect(&with_query("/login", &[("next", next)]));
    }

    /// Answers with a redirect to the review if that is what `error` asks for; whether it was.
    pub fn redirect_to_review(&self, error: &ServiceError) -> bool {
        let owner = self.cached_owner();
        let is_due = error.code() == ErrorCode::InsufficientScope
            && owner.is_some_and(AccountPrincipal::is_under_review);
        if is_due {
            self.redirect(REVIEW_PATH);
        }
        is_due
    }

    /// Names the send that the request has made in the request's span.
    pub fn record_send(&self, send: &SendId) {
        self.span.record("send", send.as_str());
    }

    /// Answers with the status of `code`, which goes to the log as well.
    pub fn refuse(&self, code: ErrorCode) {
        if let Some(cell) = self.request.extensions.get::<RefusalCell>() {
            cell.set(code);
        }
        self.set_status(code.status());
    }

    /// Sets the status of the response; a number that is no status becomes 500.
    fn set_status(&self, status: u16) {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.response.set_status(status);
    }

    /// Sets a header; a value that no header can hold is left out.
    pub fn set_header(&self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.response.insert_header(name, value);
        }
    }
}

/// The first value of this name in the query of an address; an empty one counts as absent.
pub fn query_value(uri: &Uri, name: &str) -> Option<String> {
    form_urlencoded::parse(uri.query()?.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .filter(|value| !value.is_empty())
}

/// Whether a script asks, and not a page or a form.
pub fn wants_json(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|a| a.to_str().ok());
    accept.is_some_and(|types| types.contains("application/json"))
}
