//! What a page costs the database.

use std::time::Duration;

use hato_domain::Plan;
use hato_service::ports::{Clock as _, SystemClock};
use hato_testkit::TestDatabase;
use http::StatusCode;
use tracing::{Instrument as _, debug_span};

use crate::harness::{DashboardBrowser, OWNER, PASSWORD, TestDashboard, id};
use crate::query_counts::{count_queries, flush_counts, renewals, take_count};

/// Most queries of a page.
const MAX_QUERIES: usize = 5;

/// The dashboard's own list of its pages.
const SHELL: &str = include_str!("../../src/shell.rs");

/// How a page is reached.
enum PageAccess {
    Get(String),
    /// A draft is posted to it.
    Post(String, Vec<(&'static str, String)>),
    /// A form leads to it.
    After(&'static str, Vec<(&'static str, String)>),
}

/// A page in one of its states.
struct PageState {
    state: &'static str,
    access: PageAccess,
    /// Queries that it takes at least, without the renewal of a session.
    least: usize,
}

fn get(state: &'static str, path: impl Into<String>, least: usize) -> PageState {
    let access = PageAccess::Get(path.into());
    PageState {
        state,
        access,
        least,
    }
}

fn owned(fields: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let owned = fields
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    owned.collect()
}

fn post(
    state: &'static str,
    path: String,
    fields: &[(&'static str, &str)],
    least: usize,
) -> PageState {
    let access = PageAccess::Post(path, owned(fields));
    PageState {
        state,
        access,
        least,
    }
}

fn after(
    state: &'static str,
    form: &'static str,
    fields: &[(&'static str, &str)],
    least: usize,
) -> PageState {
    let access = PageAccess::After(form, owned(fields));
    PageState {
        state,
        access,
        least,
    }
}

fn borrowed<'a>(fields: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    let borrowed = fields.iter().map(|(name, value)| (*name, value.as_str()));
    borrowed.collect()
}

impl PageState {
    /// The page's path, and how many queries it takes when every session was last used `age` before that.
    async fn cost(
        &self,
        dashboard: &TestDashboard,
        browser: &mut DashboardBrowser<'_>,
        age: Duration,
    ) -> (String, usize) {
        let path = match &self.access {
            PageAccess::Get(path) | PageAccess::Post(path, _) => path.clone(),
            PageAccess::After(form, fields) => {
                browser.post(form, &borrowed(fields)).await.location()
            }
        };
        dashboard.age_sessions(age).await;
        let (span, before) = (debug_span!("page"), renewals());
        let response = match &self.access {
            PageAccess::Post(path, fields) => {
                let fields = borrowed(fields);
                let posted = browser.post(path, &fields);
                posted.instrument(span.clone()).await
            }
            _ => browser.get(&path).instrument(span.clone()).await,
        };
        let shown = [StatusCode::OK, StatusCode::PAYLOAD_TOO_LARGE];
        assert!(
            shown.contains(&response.status),
            "{path}: {}",
            response.status
        );
        flush_counts(dashboard).await;
        (path, take_count(&span) + renewals() - before)
    }

    /// Prints what the page costs with and without the renewal of its session, and resolves with its path.
    async fn stays_cheap(
        &self,
        dashboard: &TestDashboard,
        browser: &mut DashboardBrowser<'_>,
        renewal: usize,
    ) -> String {
        let (_, queries) = self.cost(dashboard, browser, Duration::ZERO).await;
        let (path, renewed) = self.cost(dashboard, browser, Duration::from_mins(1)).await;
        let (page, state) = (pattern(&path), self.state);
        println!("{page:<24} {state:<24} {queries:>2} {renewed:>2}");
        assert!(queries >= self.least, "{queries} queries for {path}");
        assert!(renewed <= MAX_QUERIES, "{renewed} queries for {path}");
        assert_eq!(renewed, queries + renewal, "{path}");
        page.to_owned()
    }
}

/// The patterns of the dashboard's pages.
fn patterns() -> Vec<&'static str> {
    let patterns = SHELL.split("path!(\"").skip(1);
    patterns.filter_map(|rest| rest.split('"').next()).collect()
}

/// The pattern of the page at this path.
fn pattern(path: &str) -> &'static str {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let fits = |pattern: &&str| {
        let (mut parts, mut segments) = (pattern.split('/'), path.split('/'));
        parts.clone().count() == segments.clone().count()
            && parts.all(|part| {
                segments
                    .next()
                    .is_some_and(|it| part == it || part.starts_with(':'))
            })
    };
    let found = patterns().into_iter().find(fits);
    found.unwrap_or_else(|| panic!("no page at {path}"))
}

/// Pages for whoever is not logged in.
fn public_pages() -> Vec<PageState> {
    vec![
        get("", "/", 0),
        get("", "/pricing", 0),
        get("", "/docs", 0),
        get("", "/docs/api", 0),
        get("", "/docs/api/sending", 0),
        get("", "/docs/embed", 0),
        get("", "/register", 0),
        get("refused", "/register?error=EMAIL_IN_USE&form=register", 0),
        get("sent here", "/login?next=/apps", 0),
        get("refused", "/login?error=INVALID_CREDENTIALS&form=login", 0),
    ]
}

/// Pages of who is logged in, beside those of an app.
fn account_pages() -> Vec<PageState> {
    vec![
        get("logged in", "/", 1),
        get("logged in", "/pricing", 1),
        get("logged in", "/docs/api", 1),
        get("", "/apps", 3),
        after("refused", "/_app/create_app", &[("name", "")], 3),
        get("", "/account", 2),
        get("", "/operator", 2),
        get("", "/search", 2),
        get("in all apps", "/search?q=blog", 4),
        get(
            "an id in all apps",
            "/search?q=sub_00000000000000000000000000000000",
            4,
        ),
        after(
            "refused",
            "/_app/change_password",
            &[("current", "wrong"), ("new", PASSWORD)],
            2,
        ),
    ]
}

/// A draft to be looked at, with this field of the sections below its content.
fn part<'v>(field: &'static str, value: &'v str) -> [(&'static str, &'v str); 4] {
    let [title, body] = [("title", "便り"), ("body", "本文")];
    [title, body, (field, value), ("step", "review")]
}

/// The page where a notification is written, of an app with one subscriber.
fn compose_pages(app: &str) -> Vec<PageState> {
    let path = || format!("{app}/send");
    let draft = [("title", "便り"), ("body", "本文"), ("step", "review")];
    let (to_some, to_others) = (part("tags", "news"), part("tags", "!news"));
    let to_users = part("users", "u1");
    let tomorrow = SystemClock.now().plus(Duration::from_hours(24));
    let tomorrow = tomorrow.to_minute().replace(' ', "T");
    let later = part("send_at", &tomorrow);
    let endless = "鳩".repeat(1_200);
    let too_large = [("title", "便り"), ("body", &*endless), ("step", "review")];
    vec![
        get("", path(), 2),
        post("question", path(), &draft, 2),
        post("question to some", path(), &to_some, 3),
        post("question to all but some", path(), &to_others, 3),
        post("question to users", path(), &to_users, 3),
        post("question for later", path(), &later, 2),
        post("refused", path(), &too_large, 2),
    ]
}

/// Pages of an app that has one of everything, among it this send and this event.
fn app_pages(app: &str, send: &str, event: &str, subscription: &str) -> Vec<PageState> {
    let below = |rest: &str| format!("{app}{rest}");
    let id = id(app);
    vec![
        get("", app, 4),
        after(
            "new key",
            "/_app/create_embed_key",
            &[("app", id), ("name", "page")],
            3,
        ),
        get("", send, 3),
        get("again", send.replace("/sends/", "/send?from="), 4),
        get("cancelled", format!("{send}?cancelled=1"), 3),
        get("", below("/history"), 3),
        get("scheduled", below("/history?status=scheduled"), 3),
        get("", below("/subscribers"), 3),
        get("searched", below("/subscribers?q=push"), 3),
        get("of a tag", below("/subscribers?tag=news&state=active"), 4),
        get("of a user", below("/subscribers?user=u1&host=push"), 4),
        get("", below("/subscribers/import"), 3),
        get("", below(&format!("/subscribers/{subscription}")), 4),
        get("", below("/audience"), 4),
        get("in an app", format!("/search?q=u1&app={id}"), 4),
        get(
            "a subscriber",
            format!("/search?q={subscription}&app={id}"),
            4,
        ),
        get("", below("/embed"), 3),
        get("", below("/keys"), 3),
        after(
            "new key",
            "/_app/create_key",
            &[("app", id), ("name", "key"), ("scope", "full")],
            3,
        ),
        after(
            "refused",
            "/_app/create_key",
            &[("app", id), ("name", ""), ("scope", "full")],
            3,
        ),
        get("", below("/keys/history"), 3),
        get("", below("/keys/vapid"), 3),
        get("", below("/dead-letters"), 3),
        get("", below("/webhook"), 4),
        get("event", below(&format!("/webhook?event={event}")), 4),
        after(
            "refused",
            "/_app/set_webhook",
            &[("app", id), ("webhook_url", "http://a.example")],
            4,
        ),
        get("", below("/settings"), 3),
        after(
            "refused",
            "/_app/delete_app",
            &[("app", id), ("name", "another")],
            3,
        ),
    ]
}

#[tokio::test]
async fn the_html_of_any_page_costs_few_queries() {
    count_queries();
    let dashboard = TestDashboard::unlimited(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    dashboard.set_operator(OWNER, true).await;
    let app = browser.create_app("blog").await;
    browser.subscribe_with_tags(&app, 1, "u1", &["news"]).await;
    let send = browser.send(&app, "便り").await;
    let webhook = format!("{app}/webhook");
    let no_webhook = get("none", &webhook, 4);
    println!(
        "page                     state                    queries, and with the renewal of its session"
    );
    let mut seen = vec![no_webhook.stays_cheap(&dashboard, &mut browser, 1).await];
    let fields = [
        ("app", id(&app)),
        ("webhook_url", "https://hooks.example.com/1"),
    ];
    browser.submit("/_app/set_webhook", &fields).await;
    browser
        .submit("/_app/send_test_event", &[("app", id(&app))])
        .await;
    let event = dashboard.only_event().await;
    let compose_pages = compose_pages(&app).into_iter();
    let list = browser.get(&format!("{app}/subscribers")).await;
    let subscription = list.between("name=\"subscription\" value=\"", "\"");
    let subscription = subscription.expect("an id");
    let app_pages = compose_pages.chain(app_pages(&app, &send, &event, subscription));
    for page in account_pages().into_iter().chain(app_pages) {
        seen.push(page.stays_cheap(&dashboard, &mut browser, 1).await);
    }
    dashboard.set_plan(OWNER, Plan::Free).await;
    let off = get("off", &webhook, 4);
    off.stays_cheap(&dashboard, &mut browser, 1).await;
    browser
        .submit("/_app/clear_webhook", &[("app", id(&app))])
        .await;
    let free = get("on the free plan", &webhook, 4);
    free.stays_cheap(&dashboard, &mut browser, 1).await;
    let mut stranger = dashboard.browser();
    for page in public_pages() {
        seen.push(page.stays_cheap(&dashboard, &mut stranger, 0).await);
    }
    let mut taken_over = dashboard.logged_in_with_github(OWNER).await;
    let review = get("", "/account/review", 4);
    seen.push(review.stays_cheap(&dashboard, &mut taken_over, 1).await);
    let unseen: Vec<_> = patterns()
        .into_iter()
        .filter(|pattern| !seen.iter().any(|it| it == pattern))
        .collect();
    assert!(
        unseen.is_empty(),
        "pages of which nobody knows what they cost: {unseen:?}"
    );
}
