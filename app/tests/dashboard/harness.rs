//! A dashboard of its own for each test, and a browser without scripts.

mod page;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hato_app::{AppContext, Sdk};
use hato_domain::wire::RegisterSubscription;
use hato_domain::{Email, OutboundPolicy, Plan, PushHosts};
use hato_service::access::{MayManage, Operator};
use hato_service::ports::{GithubId, SystemClock};
use hato_service::{AppLimits, GithubUser, Notifier, Secrets, Service, ServiceSettings};
use hato_testkit::TestDatabase;
use http::header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, COOKIE, ORIGIN, SET_COOKIE, USER_AGENT};
use http::{HeaderMap, Request, StatusCode};
use serde_json::json;
use tower::ServiceExt as _;
use url::form_urlencoded::Serializer;

pub use self::page::PageResponse;

/// Keys of a browser (RFC 8291 §5).
pub const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
pub const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

/// The id in the path of an app's page.
pub fn id(app: &str) -> &str {
    app.strip_prefix("/apps/").expect("an app's path")
}

/// The email address of the account that most tests are logged in to.
pub const OWNER: &str = "owner@example.com";

/// A password that is good enough.
pub const PASSWORD: &str = "coo-coo-coo";

/// The secrets of every dashboard.
pub fn secrets() -> Secrets {
    Secrets::new(Some([1; 32].into()), Some([2; 32].into()))
}

/// Lets so much time pass for whatever asks the runtime for it.
pub async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// A dashboard over a database of its own.
pub struct TestDashboard {
    pub context: AppContext,
    pub database: TestDatabase,
    router: Router,
}

/// A browser that keeps cookies by path, and speaks Japanese unless told otherwise.
pub struct DashboardBrowser<'a> {
    dashboard: &'a TestDashboard,
    pub language: &'static str,
    pub accept: &'static str,
    pub user_agent: &'static str,
    /// Whether forms are posted by the page's script, which stays until it knows where they lead.
    pub stays: bool,
    /// How forms are encoded.
    form: &'static str,
    cookies: BTreeMap<String, PathCookie>,
}

struct PathCookie {
    value: String,
    path: String,
}

impl TestDashboard {
    /// A dashboard where anybody may register.
    pub async fn start(database: TestDatabase) -> Self {
        Self::with_settings(database, true, Plan::Free).await
    }

    /// A dashboard that takes no registrations.
    pub async fn closed(database: TestDatabase) -> Self {
        Self::with_settings(database, false, Plan::Free).await
    }

    /// A dashboard whose accounts have no limits.
    pub async fn unlimited(database: TestDatabase) -> Self {
        Self::with_settings(database, true, Plan::Pro).await
    }

    async fn with_settings(database: TestDatabase, registration_open: bool, plan: Plan) -> Self {
        let store = hato_store::open(database.url()).await.expect("all tables");
        let settings = ServiceSettings {
            vapid_subject: "mailto:owner@example.com".to_owned(),
            default_plan: plan,
            registration_open,
            outbound: OutboundPolicy::default(),
            push_hosts: PushHosts::default(),
            app_limits: AppLimits::default(),
        };
        let clock = Arc::new(SystemClock);
        let service = Service::new(store, clock, secrets(), settings, Notifier::default());
        let context = AppContext {
            service: Arc::new(service),
            base_url: "https://hato.example".to_owned(),
            pricing_url: "/pricing".to_owned(),
            secure_cookies: true,
            output_name: "hato-0123456789ab".to_owned(),
            sdk: Sdk {
                version: "0.1.0".to_owned(),
                is_released: true,
                page_integrity: "sha384-page".to_owned(),
                bell_integrity: "sha384-bell".to_owned(),
                preferences_integrity: "sha384-preferences".to_owned(),
            },
            registration_open,
            github_login: true,
            api: Arc::new(json!({"tags": [{"name": "sending"}]})),
        };
        Self {
            router: hato_app::router(context.clone()),
            context,
            database,
        }
    }

    /// The same at another base address.
    pub fn at(mut self, base_url: &str) -> Self {
        base_url.clone_into(&mut self.context.base_url);
        self.router = hato_app::router(self.context.clone());
        self
    }

    /// Gives the account a plan, as the operator does.
    pub async fn set_plan(&self, email: &str, plan: Plan) {
        let email = Email::parse(email).expect("an address");
        let operator = Operator::local();
        let set = self.context.service.set_plan(&operator, &email, plan).await;
        set.expect("an account");
    }

    /// A browser in which somebody is logged in whom GitHub has found to have this address.
    pub async fn logged_in_with_github(&self, email: &str) -> DashboardBrowser<'_> {
        let service = &self.context.service;
        let email = Email::parse(email).ok();
        let id = GithubId(7);
        let owner = service.log_in_with_github(GithubUser { id, email }).await;
        let session = service
            .start_session(&owner.expect("an account"), None)
            .await;
        let mut browser = self.browser();
        browser.keep_cookie("hato_session", &session.expect("a session"));
        browser
    }

    /// A browser without cookies.
    pub fn browser(&self) -> DashboardBrowser<'_> {
        DashboardBrowser {
            dashboard: self,
            language: "ja",
            accept: "text/html,application/xhtml+xml",
            user_agent: "",
            stays: false,
            form: "application/x-www-form-urlencoded",
            cookies: BTreeMap::new(),
        }
    }

    /// A browser in which an account was just registered.
    pub async fn logged_in(&self, email: &str) -> DashboardBrowser<'_> {
        let mut browser = self.browser();
        let fields = [("email", email), ("password", PASSWORD)];
        let response = browser.post("/_app/register", &fields).await;
        assert_eq!(response.location(), "/apps");
        browser
    }
}

impl DashboardBrowser<'_> {
    /// Writes a notification and sends it; the path of the send's page.
    pub async fn send(&mut self, app: &str, title: &str) -> String {
        let path = format!("{app}/send");
        let draft = [("title", title), ("body", "本文"), ("step", "review")];
        let question = self.post(&path, &draft).await;
        let key = question.between("name=\"idempotency_key\" hidden>", "<");
        let key = key.expect("the send's name").to_owned();
        let sent = [
            ("title", title),
            ("body", "本文"),
            ("step", "send"),
            ("idempotency_key", &key),
        ];
        self.post(&path, &sent).await.location()
    }

    /// Makes the app a subscriber, as if it was this browser; its endpoint.
    pub async fn subscribe(&mut self, app: &str, number: usize) -> String {
        self.subscribe_in_place_of(app, number, "").await
    }

    /// The same for a browser that had another endpoint before.
    pub async fn subscribe_in_place_of(
        &mut self,
        app: &str,
        number: usize,
        before: &str,
    ) -> String {
        let endpoint = format!("https://push.example/send/{number}");
        let fields = [
            ("app", id(app)),
            ("endpoint", &endpoint),
            ("p256dh", P256DH),
            ("auth", AUTH),
            ("replaces", before),
        ];
        self.call("subscribe_browser", &fields)
            .await
            .assert_success();
        endpoint
    }

    /// Makes the app a subscriber who is this user and has these tags.
    pub async fn subscribe_with_tags(&self, app: &str, number: usize, user: &str, tags: &[&str]) {
        let service = &self.dashboard.context.service;
        let access = self.access(app).await;
        let request = RegisterSubscription {
            endpoint: Some(format!("https://push.example/send/{number}")),
            p256dh: Some(P256DH.to_owned()),
            auth: Some(AUTH.to_owned()),
            user_id: Some(user.to_owned()),
            tags: Some(tags.iter().map(|tag| (*tag).to_owned()).collect()),
            ..RegisterSubscription::default()
        };
        let registered = service.register_own_browser(&access, None, request).await;
        registered.expect("a subscriber");
    }

    /// What who is logged in may do with the app.
    pub async fn access(&self, app: &str) -> MayManage {
        let service = &self.dashboard.context.service;
        let session = &self.cookies["hato_session"].value;
        let session = service.authenticate_session(session).await;
        let owner = session.expect("somebody is logged in").owner;
        service.manage(&owner, id(app)).await.expect("an own app")
    }

    /// Calls a server function as a script does.
    pub async fn call(&mut self, name: &str, fields: &[(&str, &str)]) -> PageResponse {
        let page = std::mem::replace(&mut self.accept, "application/json");
        let response = self.post(&format!("/_app/{name}"), fields).await;
        self.accept = page;
        response
    }

    /// Asks for a page.
    pub async fn get(&mut self, path: &str) -> PageResponse {
        self.request("GET", path, Body::empty()).await
    }

    /// Asks for what does not end by itself: the body, as it comes.
    pub async fn open(&self, path: &str) -> Body {
        let request = Request::get(path).header(COOKIE, self.cookies_for(path));
        let request = request.body(Body::empty()).expect("a request");
        let response = self.dashboard.router.clone().oneshot(request).await;
        let response = response.expect("routers cannot fail");
        assert_eq!(response.status(), StatusCode::OK);
        response.into_body()
    }

    /// Posts these fields to the path, encoded as a form without scripts sends them.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> PageResponse {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        self.request("POST", path, Body::from(body)).await
    }

    /// Posts a form and opens the page that the response leads to.
    pub async fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> PageResponse {
        let response = self.post(path, fields).await;
        self.get(&response.location()).await
    }

    /// Makes an app and returns the path of its page.
    pub async fn create_app(&mut self, name: &str) -> String {
        let response = self.post("/_app/create_app", &[("name", name)]).await;
        response.location()
    }

    /// Posts the form that uploads a list, whose lines were made with this VAPID key where they name none.
    pub async fn upload(&mut self, path: &str, key: &str, list: &[u8]) -> PageResponse {
        let field = "--limit\r\nContent-Disposition: form-data; name=";
        let mut body =
            format!("{field}\"key\"\r\n\r\n{key}\r\n{field}\"list\"; filename=\"list\"\r\n\r\n")
                .into_bytes();
        body.extend_from_slice(list);
        body.extend_from_slice(b"\r\n--limit--\r\n");
        self.post_multipart(path, body.into()).await
    }

    /// Posts a form whose one field is a file.
    pub async fn upload_file(&mut self, path: &str, name: &str, file: &[u8]) -> PageResponse {
        self.upload_with(path, &[], (name, file)).await
    }

    /// Uploads a file after the fields, as their form does.
    pub async fn upload_with(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        (name, file): (&str, &[u8]),
    ) -> PageResponse {
        let mut body = Vec::new();
        for (name, value) in fields {
            let head = "--limit\r\nContent-Disposition: form-data;";
            let field = format!("{head} name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(field.as_bytes());
        }
        let head = format!(
            "--limit\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"f\"\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n--limit--\r\n");
        self.post_multipart(path, body.into()).await
    }

    /// Posts a form whose parts are divided by `--limit`.
    pub async fn post_multipart(&mut self, path: &str, body: Body) -> PageResponse {
        let form = std::mem::replace(&mut self.form, "multipart/form-data; boundary=limit");
        let response = self.request("POST", path, body).await;
        self.form = form;
        response
    }

    async fn request(&mut self, method: &str, path: &str, body: Body) -> PageResponse {
        let path = path.split('#').next().unwrap_or(path);
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(ACCEPT, self.accept)
            .header(ACCEPT_LANGUAGE, self.language)
            .header(CONTENT_TYPE, self.form)
            .header(USER_AGENT, self.user_agent)
            .header(ORIGIN, "https://hato.example")
            .header(COOKIE, self.cookies_for(path));
        if self.stays {
            request = request.header("x-hato-form", "stay");
        }
        let request = request.body(body).expect("a request");
        let router = self.dashboard.router.clone();
        let response = router.oneshot(request).await.expect("routers cannot fail");
        self.keep_cookies(response.headers());
        PageResponse::read(response).await
    }

    fn cookies_for(&self, path: &str) -> String {
        let sent = self
            .cookies
            .iter()
            .filter(|(_, c)| path.starts_with(&c.path));
        let pairs: Vec<_> = sent
            .map(|(name, c)| format!("{name}={}", c.value))
            .collect();
        pairs.join("; ")
    }

    /// Has this cookie from now on.
    pub fn keep_cookie(&mut self, name: &str, value: &str) {
        let cookie = PathCookie {
            value: value.to_owned(),
            path: "/".to_owned(),
        };
        self.cookies.insert(name.to_owned(), cookie);
    }

    fn keep_cookies(&mut self, headers: &HeaderMap) {
        for header in headers.get_all(SET_COOKIE) {
            let text = header.to_str().expect("a readable cookie");
            assert!(text.contains("HttpOnly; SameSite=Lax; Secure"), "{text}");
            let (name, rest) = text.split_once('=').expect("a name");
            let attribute = |name| rest.split("; ").find_map(|part| part.strip_prefix(name));
            if attribute("Max-Age=") == Some("0") {
                self.cookies.remove(name);
                continue;
            }
            let cookie = PathCookie {
                value: rest.split(';').next().unwrap_or_default().to_owned(),
                path: attribute("Path=").expect("a path").to_owned(),
            };
            self.cookies.insert(name.to_owned(), cookie);
        }
    }
}
